/* batch.cpp: many worlds, and the options that worlds are made with. */
#include "batch.h"

#include <algorithm>
#include <climits>
#include <cmath>

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
        if (name == "on_trouble") /* of the package, not of the library */
            continue;
        else if (name == "threads")
            def.thread_count = nb::cast<int>(value);
        else if (name == "iterations")
            def.solver.iterations = nb::cast<int>(value);
        else if (name == "tolerance")
            def.solver.tolerance = nb::cast<double>(value);
        else if (name == "contact_ratio")
            def.solver.contact_ratio = nb::cast<double>(value);
        else if (name == "warm_start")
            def.solver.warm_start = nb::cast<double>(value);
        else if (name == "passes")
            def.passes = nb::cast<int>(value);
        else if (name == "substeps")
            def.substeps = nb::cast<int>(value);
        else if (name == "halvings")
            def.halvings = nb::cast<int>(value);
        else if (name == "accuracy")
            def.accuracy = nb::cast<double>(value);
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
        else if (name == "device")
            def.device =
                (TnDevice)choice(nb::cast<std::string>(value), {"cpu", "cuda", "cuda64"}, "device");
        else if (name == "sleep")
            def.sleep =
                (TnSleep)choice(nb::cast<std::string>(value), {"off", "passive", "all"}, "sleep");
        else
            raise(TN_ERROR_USAGE, "there is no option '" + name + "'");
    }
    return def;
}

int trouble_choice(const nb::dict &options)
{
    if (!options.contains("on_trouble")) return ON_TROUBLE_WARN;
    return choice(nb::cast<std::string>(options["on_trouble"]), {"warn", "raise", "ignore"},
                  "on_trouble");
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
    data->on_trouble = trouble_choice(options);
    data->threads = threads > 1 || def.world.thread_count > 1;
    {
        nb::gil_scoped_release release;
        data->batch = tn_batch_create(&def, model.data->model, &err);
    }
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

const uint8_t *mask_of(const BatchData &data, nb::object mask, Bytes &keep)
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

/* In parts of about a tenth of a second, so that Ctrl-C is noticed; how many steps that is, the
 * part before tells, or the call before. */
static TnStatus roll(BatchData &data, TnRollout rollout, TnError *err)
{
    Interruptible interruptible;
    double pace = rollout.mask ? 0.0 : data.pace; /* s per step */
    TnStatus status = TN_OK;
    for (int k = 0; k < rollout.length && status == TN_OK; k = rollout.end) {
        double most = pace > 0 ? 0.1 / (pace * rollout.repeat) : 1.0;
        rollout.begin = k;
        rollout.end = k + (int)std::clamp(most, 1.0, (double)(rollout.length - k));
        auto before = std::chrono::steady_clock::now();
        status = tn_batch_rollout(data.batch, &rollout, err);
        std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
        pace = took.count() / ((double)(rollout.end - k) * rollout.repeat);
        interruptible.look();
    }
    if (!rollout.mask) data.pace = pace;
    return status;
}

/* Several steps are a rollout without outputs: threads do not wait for each other between them. */
static void step(const Batch &b, long n, nb::object mask)
{
    BatchData &data = open(b);
    if (n < 0 || n > INT_MAX) raise(TN_ERROR_USAGE, "step: n must be 0 to 2147483647");
    Bytes keep;
    TnRollout rollout = tn_rollout();
    rollout.length = (int)n;
    rollout.mask = mask_of(data, mask, keep);
    Use use(data);
    Error err;
    TnStatus status = TN_OK;
    {
        nb::gil_scoped_release release;
        if (n == 1)
            status = tn_batch_step(data.batch, rollout.mask, &err);
        else
            status = roll(data, rollout, &err);
    }
    check(status, err);
    look_for_trouble(data, rollout.mask);
}

/* Before the first step, not when their part comes. */
static void check_controls(const Doubles &u, const uint8_t *mask)
{
    size_t length = u.shape(1), width = u.shape(2);
    for (size_t i = 0; i < u.shape(0); i++) {
        if (mask && !mask[i]) continue;
        const double *ctrl = u.data() + i * length * width;
        for (size_t k = 0; k < length * width; k++)
            if (!std::isfinite(ctrl[k]))
                raise(TN_ERROR_USAGE, "ctrl[" + std::to_string(i) + ", " +
                                          std::to_string(k / width) + ", " +
                                          std::to_string(k % width) + "] is not finite");
    }
}

static nb::dict rollout(const Batch &b, nb::object ctrl, nb::object steps, int repeat,
                        nb::object mask, const std::vector<std::string> &want)
{
    BatchData &data = open(b);
    const TnBatchView &view = data.view;
    Bytes keep;
    Doubles u;
    TnRollout rollout = tn_rollout();
    rollout.repeat = repeat;
    rollout.mask = mask_of(data, mask, keep);
    if (!ctrl.is_none()) {
        u = doubles(ctrl,
                    {view.count, steps.is_none() ? -1 : nb::cast<long>(steps), view.ctrl_count},
                    "ctrl");
        if (u.shape(1) > INT_MAX) raise(TN_ERROR_USAGE, "ctrl: too long");
        rollout.ctrl = u.data();
        rollout.length = (int)u.shape(1);
    } else if (steps.is_none()) {
        raise(TN_ERROR_USAGE, "rollout: expected ctrl, or length for controls that stay");
    } else {
        rollout.length = nb::cast<int>(steps);
    }
    if (rollout.length < 1) raise(TN_ERROR_USAGE, "rollout: length must be 1 or more");
    size_t length = (size_t)rollout.length, count = (size_t)view.count;
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
        } else if (name == "diverged") {
            nb::module_ numpy = nb::module_::import_("numpy");
            nb::object flags = numpy.attr("zeros")(nb::make_tuple(count, length), "bool");
            result["diverged"] = flags;
            rollout.diverged = nb::cast<nb::ndarray<uint8_t, nb::c_contig, nb::device::cpu>>(
                                   flags.attr("view")("uint8"))
                                   .data();
        } else
            raise(TN_ERROR_USAGE, "rollout: there is no '" + name +
                                      "'; there are qpos, qvel, act, sensors, time, diverged");
    }
    if (rollout.ctrl) check_controls(u, rollout.mask);
    Use use(data);
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = roll(data, rollout, &err);
    }
    check(status, err);
    look_for_trouble(data, rollout.mask);
    return result;
}

static void restore(const Batch &b, const std::vector<nb::bytes> &states, nb::object mask)
{
    BatchData &data = open(b);
    size_t count = (size_t)data.view.count;
    if (states.size() != 1 && states.size() != count)
        raise(TN_ERROR_USAGE, "restore: expected " + std::to_string(count) + " states, got " +
                                  std::to_string(states.size()));
    std::vector<const void *> from(count);
    std::vector<size_t> sizes(count);
    for (size_t i = 0; i < count; i++) {
        const nb::bytes &state = states[states.size() == 1 ? 0 : i];
        from[i] = state.data();
        sizes[i] = state.size();
    }
    Bytes keep;
    const uint8_t *who = mask_of(data, mask, keep);
    Use use(data);
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tn_batch_restore(data.batch, who, from.data(), sizes.data(), &err);
    }
    check(status, err);
}

/* ---- parameters, one row per world ---- */

/* The present forces of a joint in all worlds, with those columns that are given. */
static std::vector<TnJointForces> joint_forces(const BatchData &data, int joint,
                                               const nb::dict &columns)
{
    std::vector<TnJointForces> forces((size_t)data.view.count);
    for (size_t i = 0; i < forces.size(); i++)
        forces[i] = tn_world_joint_forces(tn_batch_world(data.batch, (int)i), joint + 1);
    for (auto [key, value] : columns) {
        std::string name = nb::cast<std::string>(key);
        double TnJointForces::*field = name == "stiffness"    ? &TnJointForces::stiffness
                                       : name == "spring_ref" ? &TnJointForces::spring_ref
                                       : name == "damping"    ? &TnJointForces::damping
                                       : name == "armature"   ? &TnJointForces::armature
                                                              : &TnJointForces::friction_loss;
        Doubles numbers = doubles(value, {data.view.count}, name.c_str());
        for (size_t i = 0; i < forces.size(); i++) forces[i].*field = numbers.data()[i];
    }
    return forces;
}

/* `columns`: arrays by the names of the arguments of tn_batch_set_…; None: as it is. */
static void set_parameter(const Batch &b, const std::string &what, int index, nb::object mask,
                          const nb::dict &columns)
{
    BatchData &data = open(b);
    std::vector<Doubles> keep(3);
    int taken = 0;
    auto column = [&](const char *name, long width) -> const double * {
        if (!columns.contains(name)) return nullptr;
        std::vector<long> shape{data.view.count};
        if (width > 1) shape.push_back(width);
        return optional_doubles(columns[name], shape, name, keep[(size_t)taken++]);
    };
    Bytes bytes;
    const uint8_t *who = mask_of(data, mask, bytes);
    Use use(data);
    Error err;
    TnBatch *batch = data.batch;
    TnStatus status = TN_ERROR_USAGE;
    if (what == "gravity") {
        status = tn_batch_set_gravity(batch, who, column("gravity", 3), &err);
    } else if (what == "timestep") {
        status = tn_batch_set_timestep(batch, who, column("timestep", 1), &err);
    } else if (what == "geom_friction") {
        status = tn_batch_set_geom_friction(batch, who, index + 1, column("friction", 3), &err);
    } else if (what == "geom_size") {
        status = tn_batch_set_geom_size(batch, who, index + 1, column("size", 3), &err);
    } else if (what == "geom_local_pose") {
        const double *pos = column("pos", 3), *quat = column("quat", 4);
        status = tn_batch_set_geom_local_pose(batch, who, index + 1, pos, quat, &err);
    } else if (what == "site_local_pose") {
        const double *pos = column("pos", 3), *quat = column("quat", 4);
        status = tn_batch_set_site_local_pose(batch, who, index + 1, pos, quat, &err);
    } else if (what == "actuator") {
        const double *gain = column("gain", 1), *bias = column("bias", 3);
        status = tn_batch_set_actuator(batch, who, index + 1, gain, bias, &err);
    } else if (what == "joint_forces") {
        std::vector<TnJointForces> forces = joint_forces(data, index, columns);
        status = tn_batch_set_joint_forces(batch, who, index + 1, forces.data(), &err);
    } else if (what == "mocap") {
        const double *pos = column("pos", 3), *quat = column("quat", 4);
        status = tn_batch_set_mocap(batch, who, index + 1, pos, quat, &err);
    } else if (what == "body_mass") {
        const double *mass = column("mass", 1), *com = column("com", 3),
                     *inertia = column("inertia", 6);
        status = tn_batch_set_body_mass(batch, who, index + 1, mass, com, inertia, &err);
    }
    check(status, err);
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

/* ---- worlds on a device ---- */

/* An array there, for whoever speaks DLPack. */
template <typename T>
static nb::object there(const std::shared_ptr<BatchData> &data, int memory, T *numbers,
                        const std::vector<size_t> &shape)
{
    auto *keep = new std::shared_ptr<BatchData>(data);
    nb::capsule owner(
        keep, [](void *p) noexcept { delete static_cast<std::shared_ptr<BatchData> *>(p); });
    return nb::cast(nb::ndarray<nb::array_api, T>(numbers, shape.size(), shape.data(), owner,
                                                  nullptr, nb::dtype<T>(), memory, 0));
}

static TnBatchDeviceView device_view(const BatchData &data)
{
    TnBatchDeviceView view = tn_batch_device_view(data.batch);
    if (!view.memory)
        raise(TN_ERROR_USAGE, "the batch is not on a device; make it of several worlds, with "
                              "device='cuda'");
    return view;
}

static nb::object device_array(const Batch &b, const std::string &name)
{
    BatchData &data = open(b);
    TnBatchDeviceView view = device_view(data);
    size_t n = (size_t)data.view.count;
    if (name == "time") return there(b.data, view.memory, view.time, {n});
    if (name == "diverged") return there(b.data, view.memory, view.diverged, {n});
    if (name == "mocap")
        return there(b.data, view.memory, view.mocap,
                     {n, (size_t)tn_model_info(data.model->model).mocap_count, 7});
    if (name == "ctrl")
        return there(b.data, view.memory, view.ctrl, {n, (size_t)data.view.ctrl_count});
    if (name == "qpos")
        return there(b.data, view.memory, view.qpos, {n, (size_t)data.view.qpos_count});
    return there(b.data, view.memory, view.qvel, {n, (size_t)data.view.dof_count});
}

/* NULL for None; bytes or bools that lie there. */
using AnyArray = nb::ndarray<nb::ro, nb::c_contig>;
static const uint8_t *device_mask(const BatchData &data, nb::object mask, AnyArray &keep)
{
    int memory = device_view(data).memory;
    if (mask.is_none()) return nullptr;
    keep = nb::cast<AnyArray>(mask);
    if (keep.device_type() != memory || keep.dtype().bits != 8 || keep.ndim() != 1 ||
        keep.shape(0) != (size_t)data.view.count)
        raise(TN_ERROR_USAGE, "mask: expected an array on the device of shape (" +
                                  std::to_string(data.view.count) + ",), of bool or uint8");
    return static_cast<const uint8_t *>(keep.data());
}

static void device_step(const Batch &b, int n, nb::object mask)
{
    BatchData &data = open(b);
    AnyArray keep;
    const uint8_t *who = device_mask(data, mask, keep);
    Use use(data);
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tn_batch_device_step(data.batch, n, who, &err);
    }
    check(status, err);
}

static void device_reset(const Batch &b, nb::object mask, int key)
{
    BatchData &data = open(b);
    AnyArray keep;
    const uint8_t *who = device_mask(data, mask, keep);
    Use use(data);
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tn_batch_device_reset(data.batch, who, key + 1, &err);
    }
    check(status, err);
}

static void fetch(const Batch &b)
{
    BatchData &data = open(b);
    Use use(data);
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tn_batch_fetch(data.batch, &err);
    }
    check(status, err);
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
    bind_batch_arrays(batch);
    batch.def("__init__", make)
        .def("_step", step, nb::arg(), nb::arg().none())
        .def("_rollout", rollout, nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg().none(),
             nb::arg())
        .def("_restore", restore, nb::arg(), nb::arg().none())
        .def("_set", set_parameter, nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
        .def(
            "_reset",
            [](const Batch &b, nb::object mask, int key) {
                BatchData &data = open(b);
                Bytes keep;
                const uint8_t *who = mask_of(data, mask, keep);
                Use use(data);
                nb::gil_scoped_release release;
                tn_batch_reset(data.batch, who, key + 1);
            },
            nb::arg().none(), nb::arg())
        .def("_device_array", device_array)
        .def("_device_step", device_step, nb::arg(), nb::arg().none())
        .def("_device_reset", device_reset, nb::arg().none(), nb::arg())
        .def("_on_device",
             [](const Batch &b) { return tn_batch_device_view(open(b).batch).memory != 0; })
        .def("_report", [](const Batch &b, int index) { return open(b).view.reports[index]; })
        .def("fetch", fetch, "Copies the states from the device to the arrays here.")
        .def("_handle",
             [](const Batch &b) {
                 open(b);
                 return nb::capsule(new std::shared_ptr<BatchData>(b.data), [](void *p) noexcept {
                     delete static_cast<std::shared_ptr<BatchData> *>(p);
                 });
             })
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
        .def_prop_ro(
            "_diverged", [](const Batch &b) { return open(b), b.diverged; },
            nb::sig("def _diverged(self) -> numpy.typing.NDArray[numpy.uint8]"));
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
