/* batch.cpp: many worlds, and the options that worlds are made with. */
#include "common.h"

#include <algorithm>

static int choice(const std::string &given, const std::vector<const char *> &names,
                  const char *what)
{
    std::string all;
    for (size_t i = 0; i < names.size(); i++) {
        if (given == names[i]) return (int)i;
        all += std::string(i ? ", " : "") + names[i];
    }
    raise(TN_ERROR_USAGE, std::string(what) + ": '" + given + "' is not one of " + all);
}

/* Keys that are missing keep their defaults. */
TnWorldDef world_def(const nb::dict &options)
{
    TnWorldDef def = tn_world_def();
    for (auto [key, value] : options) {
        std::string name = nb::cast<std::string>(key);
        if (name == "threads")
            def.thread_count = nb::cast<int>(value);
        else if (name == "iterations")
            def.solver.iterations = nb::cast<int>(value);
        else if (name == "tolerance")
            def.solver.tolerance = nb::cast<double>(value);
        else if (name == "contact_ratio")
            def.solver.contact_ratio = nb::cast<double>(value);
        else if (name == "warm_start")
            def.solver.warm_start = nb::cast<double>(value);
        else if (name == "relinearize")
            def.relinearize = nb::cast<int>(value);
        else if (name == "substeps")
            def.substeps = nb::cast<int>(value);
        else if (name == "measure_accuracy")
            def.measure_accuracy = nb::cast<bool>(value);
        else if (name == "sleep_speed")
            def.sleep_speed = nb::cast<double>(value);
        else if (name == "sleep_time")
            def.sleep_time = nb::cast<double>(value);
        else if (name == "key")
            def.key = nb::cast<int>(value) + 1;
        else if (name == "solver")
            def.solver.method =
                (TnMethod)choice(nb::cast<std::string>(value),
                                 {"auto", "subadmm", "assembled", "newton", "pgs"}, "solver");
        else if (name == "sleep")
            def.sleep =
                (TnSleep)choice(nb::cast<std::string>(value), {"off", "passive", "all"}, "sleep");
        else
            raise(TN_ERROR_USAGE, "there is no option '" + name + "'");
    }
    return def;
}

struct Batch {
    std::shared_ptr<BatchData> data;
    nb::object time, qpos, qvel, ctrl, act, diverged;
};

static BatchData &open(const Batch &b)
{
    if (!b.data) raise(TN_ERROR_USAGE, "the batch is closed");
    return *b.data;
}

static void make(Batch *self, const Model &model, int count, int threads, const nb::dict &options)
{
    Error err;
    TnBatchDef def = tn_batch_def();
    def.count = count;
    def.thread_count = threads;
    def.world = world_def(options);
    auto data = std::make_shared<BatchData>();
    data->model = model.data;
    data->threads = threads > 1 || def.world.thread_count > 1;
    data->batch = tn_batch_create(&def, model.data->model, &err);
    if (!data->batch) raise(err);
    const TnBatchView &view = data->view = tn_batch_view(data->batch);
    new (self) Batch;
    self->data = data;
    auto rows = [&](double *array, int width) {
        return live(data, array, {(size_t)count, (size_t)width});
    };
    self->time = live<const double>(data, view.time, {(size_t)count});
    self->qpos = rows(view.qpos, view.qpos_count);
    self->qvel = rows(view.qvel, view.dof_count);
    self->ctrl = rows(view.ctrl, view.ctrl_count);
    self->act = rows(view.act, view.act_count);
    self->diverged = live(data, view.diverged, {(size_t)count});
}

/* NULL for None. The array of bool or numbers is held by `keep`. */
using Bytes = nb::ndarray<const uint8_t, nb::c_contig, nb::device::cpu>;
static const uint8_t *mask_of(const BatchData &data, nb::object mask, Bytes &keep)
{
    if (mask.is_none()) return nullptr;
    nb::module_ numpy = nb::module_::import_("numpy");
    nb::object array = numpy.attr("asarray")(mask);
    nb::object dtype = array.attr("dtype");
    nb::tuple shape = nb::cast<nb::tuple>(array.attr("shape"));
    std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
    if (kind != "b" || shape.size() != 1 || nb::cast<int>(shape[0]) != data.view.count)
        raise(TN_ERROR_USAGE, "mask: expected bool of shape (" + std::to_string(data.view.count) +
                                  ",), got " + nb::cast<std::string>(nb::str(dtype)) +
                                  " of shape " + nb::cast<std::string>(nb::str(shape)));
    keep =
        nb::cast<Bytes>(numpy.attr("ascontiguousarray")(array).attr("view")(numpy.attr("uint8")));
    return keep.data();
}

static void step(const Batch &b, long n, nb::object mask)
{
    BatchData &data = open(b);
    if (n < 0) raise(TN_ERROR_USAGE, "step: n must be 0 or more");
    Bytes keep;
    const uint8_t *who = mask_of(data, mask, keep);
    Use use(data);
    Error err;
    TnStatus status = TN_OK;
    {
        nb::gil_scoped_release release;
        Interruptible interruptible;
        for (long k = 0; k < n && status == TN_OK; k++) {
            status = tn_batch_step(data.batch, who, &err);
            if (n > 1) interruptible.look();
        }
    }
    check(status, err);
}

/* In parts of about a tenth of a second, so that Ctrl-C is noticed. */
static TnStatus roll(BatchData &data, TnRollout rollout, TnError *err)
{
    Interruptible interruptible;
    int length = rollout.length, part = 1;
    TnStatus status = TN_OK;
    for (int k = 0; k < length && status == TN_OK; k = rollout.end) {
        auto before = std::chrono::steady_clock::now();
        rollout.begin = k;
        rollout.end = std::min(length, k + part);
        status = tn_batch_rollout(data.batch, &rollout, err);
        std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
        if (took.count() < 0.05 && part < (1 << 20)) part *= 4;
        if (took.count() > 0.2) part = std::max(1, part / 4);
        interruptible.look();
    }
    return status;
}

static nb::dict rollout(const Batch &b, nb::object ctrl, int repeat, nb::object mask,
                        const std::vector<std::string> &want)
{
    BatchData &data = open(b);
    const TnBatchView &view = data.view;
    Bytes keep;
    Doubles u = doubles(ctrl, {view.count, -1, view.ctrl_count}, "ctrl");
    size_t length = u.shape(1), count = (size_t)view.count;
    TnRollout rollout = tn_rollout();
    rollout.length = (int)length;
    rollout.repeat = repeat;
    rollout.mask = mask_of(data, mask, keep);
    rollout.ctrl = u.data();
    nb::dict result;
    for (const std::string &name : want) {
        double *numbers;
        auto add = [&](double **field, int width) {
            result[name.c_str()] = nb::cast(new_array({count, length, (size_t)width}, &numbers));
            *field = numbers;
        };
        if (name == "qpos")
            add(&rollout.qpos, view.qpos_count);
        else if (name == "qvel")
            add(&rollout.qvel, view.dof_count);
        else if (name == "act")
            add(&rollout.act, view.act_count);
        else if (name == "sensors")
            add(&rollout.sensors, view.sensor_data_count);
        else if (name == "time") {
            result["time"] = nb::cast(new_array({count, length}, &numbers));
            rollout.time = numbers;
        } else
            raise(TN_ERROR_USAGE,
                  "rollout: there is no '" + name + "'; there are qpos, qvel, act, sensors, time");
    }
    Use use(data);
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = roll(data, rollout, &err);
    }
    check(status, err);
    return result;
}

static Array sensors(const Batch &b)
{
    BatchData &data = open(b);
    double *numbers;
    Array result =
        new_array({(size_t)data.view.count, (size_t)data.view.sensor_data_count}, &numbers);
    Use use(data);
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tn_batch_sensors(data.batch, numbers, &err);
    }
    check(status, err);
    return result;
}

/* Whole arrays are written to the rows; the worlds learn of it at the next call. */
static void assign(const Batch &b, nb::object target, nb::object value, const char *what, int width)
{
    doubles(value, {open(b).view.count, width}, what);
    nb::module_::import_("numpy").attr("copyto")(target, value);
}

void bind_batch(nb::module_ &m)
{
    nb::class_<Batch> batch(m, "Batch");
    batch.def("__init__", make)
        .def("_step", step, nb::arg(), nb::arg().none())
        .def("_rollout", rollout, nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
        .def(
            "_reset",
            [](const Batch &b, nb::object mask, int key) {
                BatchData &data = open(b);
                Bytes keep;
                const uint8_t *who = mask_of(data, mask, keep);
                Use use(data);
                tn_batch_reset(data.batch, who, key + 1);
            },
            nb::arg().none(), nb::arg())
        .def("_handle",
             [](const Batch &b) {
                 open(b);
                 return nb::capsule(new std::shared_ptr<BatchData>(b.data), [](void *p) noexcept {
                     delete static_cast<std::shared_ptr<BatchData> *>(p);
                 });
             })
        .def("_report", [](const Batch &b, int index) { return open(b).view.reports[index]; })
        .def("_close",
             [](Batch &b) {
                 if (b.data) Use use(*b.data);
                 b = Batch{};
             })
        .def_prop_ro("closed", [](const Batch &b) { return !b.data; })
        .def_prop_ro(
            "sensors", sensors, nb::rv_policy::automatic,
            "(n, nsensordata): the numbers of all sensors at the present states, a new array.")
        .def_prop_ro(
            "time", [](const Batch &b) { return open(b), b.time; },
            nb::sig("def time(self) -> numpy.typing.NDArray[numpy.float64]"), "s, live, read-only.")
        .def_prop_ro("_diverged", [](const Batch &b) { return open(b), b.diverged; });
    batch.def_prop_rw(
        "qpos", [](const Batch &b) { return open(b), b.qpos; },
        [](const Batch &b, nb::object x) { assign(b, b.qpos, x, "qpos", open(b).view.qpos_count); },
        LIVE("qpos", "Positions of joints and nodes, live and writable. One row per world."));
    batch.def_prop_rw(
        "qvel", [](const Batch &b) { return open(b), b.qvel; },
        [](const Batch &b, nb::object x) { assign(b, b.qvel, x, "qvel", open(b).view.dof_count); },
        LIVE("qvel", "Velocities, live and writable. One row per world."));
    batch.def_prop_rw(
        "ctrl", [](const Batch &b) { return open(b), b.ctrl; },
        [](const Batch &b, nb::object x) { assign(b, b.ctrl, x, "ctrl", open(b).view.ctrl_count); },
        LIVE("ctrl", "Controls, live and writable. They hold until they are written again; the "
                     "first change stops the control track of the model. One row per world."));
    batch.def_prop_rw(
        "act", [](const Batch &b) { return open(b), b.act; },
        [](const Batch &b, nb::object x) { assign(b, b.act, x, "act", open(b).view.act_count); },
        LIVE("act", "Activations of actuators, live and writable. One row per world."));
}
