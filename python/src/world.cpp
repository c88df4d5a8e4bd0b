/* world.cpp: a world, alone or one of a batch. Its arrays are rows of the batch: tn_batch_push
 * takes what was written there to the world, tn_batch_pull fetches what the world has. */
#include "solver.h"

#include <cmath>
#include <cstring>

enum { QPOS, QVEL, CTRL, ACT };
struct World {
    std::shared_ptr<BatchData> data;
    int index = 0;
    nb::object arrays[4]; /* in the order of bits of ARRAY_… */
};

static BatchData &open(const World &w)
{
    if (!w.data) raise(TN_ERROR_USAGE, "the world is closed");
    return *w.data;
}

/* After arrays were compared: from now on nobody has those to which the world has the only
 * reference. Parts of an array refer to it. */
static void let_go(const World &w)
{
#ifndef Py_GIL_DISABLED /* else references are counted elsewhere, too */
    if (!w.data->held) return;
    for (int k = 0; k < 4; k++)
        if (Py_REFCNT(w.arrays[k].ptr()) == 1) w.data->held &= ~(1u << k);
#endif
}

/* An array, up to date, for someone who may write it. */
template <int PART> static nb::object lend(const World &w)
{
    BatchData &data = open(w);
    if (data.lone) {
        data.held |= 1u << PART;
        refresh(data);
    }
    return w.arrays[PART];
}

/* What was written to arrays reaches the world. */
static void push(BatchData &data, int index)
{
    Error err;
    if (!data.lone)
        check(tn_batch_push(data.batch, index, &err), err);
    else if (data.held)
        check(set_written(data, data.held, &err), err);
}

/* The state has changed: arrays follow, those of a lone world if someone has them. */
static void changed(BatchData &data, int index)
{
    if (!data.lone) {
        tn_batch_pull(data.batch, index);
        return;
    }
    unsigned now = data.held;
    if (now) copy_arrays(data, now);
    data.stale = ARRAY_ALL & ~now;
}

/* The world for a call: nobody else uses it, and it knows what was written to its arrays. */
struct Call {
    BatchData &data;
    Use use;
    int index;
    TnWorld *world;
    Error err;
    explicit Call(const World &w)
        : data(open(w)), use(data, false), index(w.index), world(tn_batch_world(data.batch, index))
    {
        push(data, index);
    }
    void check(TnStatus status)
    {
        changed(data, index);
        ::check(status, err);
    }
};

static void attach(World *self, const std::shared_ptr<BatchData> &data, int index)
{
    const TnBatchView &view = data->view;
    auto row = [&](double *array, int width) {
        return live(data, array + (size_t)index * (size_t)width, {(size_t)width});
    };
    self->data = data;
    self->index = index;
    self->arrays[QPOS] = row(view.qpos, view.qpos_count);
    self->arrays[QVEL] = row(view.qvel, view.dof_count);
    self->arrays[CTRL] = row(view.ctrl, view.ctrl_count);
    self->arrays[ACT] = row(view.act, view.act_count);
}

/* `seconds`, where not NULL: what the first of the steps takes in C. */
static void take_steps(const World &w, long n, double *seconds)
{
    BatchData &data = open(w);
    if (n < 0) raise(TN_ERROR_USAGE, "step: n must be 0 or more");
    if (n == 0) return;
    Trouble trouble;
    double troubled_at = 0;
    bool found = false;
    {
        Use use(data, false);
        push(data, w.index);
        let_go(w);
        nb::gil_scoped_release release;
        struct Finally { /* also after Ctrl-C */
            BatchData &data;
            int index;
            ~Finally() { changed(data, index); }
        } finally{data, w.index};
        const TnWorld *world = tn_batch_world(data.batch, w.index);
        TroubleLimits limits = trouble_limits(world);
        Interruptible interruptible;
        using Clock = std::chrono::steady_clock;
        for (long k = 0; k < n; k++) {
            if (k > 0) interruptible.look();
            Clock::time_point start = seconds ? Clock::now() : Clock::time_point();
            tn_batch_step_bare(data.batch, w.index);
            if (seconds) *seconds = std::chrono::duration<double>(Clock::now() - start).count();
            if (found || !data.watches()) continue;
            bool forces = data.looks++ % FORCES_EVERY == 0;
            if (!forces && !is_suspect(data.view.reports[w.index])) continue;
            if (!find_trouble(world, forces ? &limits : nullptr, &trouble)) continue;
            found = true;
            troubled_at = tn_world_time(world);
            if (data.on_trouble == ON_TROUBLE_RAISE) break;
        }
    }
    if (found) tell_trouble(data, trouble, troubled_at, "");
}

static void step(const World &w, long n) { take_steps(w, n, nullptr); }

static double timed_step(const World &w)
{
    double seconds = 0;
    take_steps(w, 1, &seconds);
    return seconds;
}

static void reset(const World &w, int key)
{
    BatchData &data = open(w);
    Use use(data);
    std::vector<uint8_t> mask((size_t)data.view.count);
    mask[(size_t)w.index] = 1;
    tn_batch_reset(data.batch, mask.data(), key + 1);
}

static void assign(const World &w, int part, nb::object value)
{
    Call call(w);
    const TnBatchView &view = call.data.view;
    switch (part) {
    case QPOS:
        call.check(tn_world_set_state(call.world, doubles(value, {view.qpos_count}, "qpos").data(),
                                      nullptr, &call.err));
        break;
    case QVEL:
        call.check(tn_world_set_state(call.world, nullptr,
                                      doubles(value, {view.dof_count}, "qvel").data(), &call.err));
        break;
    case CTRL:
        call.check(tn_world_set_ctrl(call.world, doubles(value, {view.ctrl_count}, "ctrl").data(),
                                     &call.err));
        break;
    case ACT:
        call.check(tn_world_set_act(call.world, doubles(value, {view.act_count}, "act").data(),
                                    &call.err));
        break;
    }
}

/* Layouts that tenon/_dtypes.py repeats. */
static_assert(sizeof(TnContact) == 88, "");
static_assert(sizeof(TnRayHit) == 40, "");

static nb::object contacts(const World &w)
{
    Call call(w);
    int count = tn_world_contact_count(call.world);
    void *bytes;
    nb::object result = new_bytes((size_t)count, sizeof(TnContact), &bytes);
    for (int i = 0; i < count; i++) {
        TnContact c = tn_world_contact(call.world, i);
        c.geom1--;
        c.geom2--;
        memcpy((char *)bytes + sizeof c * (size_t)i, &c, sizeof c);
    }
    return result;
}

static Array sensors(const World &w)
{
    Call call(w);
    double *numbers;
    Array result = new_array({(size_t)call.data.view.sensor_data_count}, &numbers);
    check(tn_world_sensors(call.world, numbers, &call.err), call.err);
    return result;
}

using Pair = void (*)(const TnWorld *, int32_t, double *, double *);
/* Two small arrays of a thing: position and quaternion, or two velocities. */
template <Pair ask, size_t SECOND> static nb::tuple pair(const World &w, int index)
{
    Call call(w);
    double *a, *b;
    Array first = new_array({3}, &a), second = new_array({SECOND}, &b);
    ask(call.world, index + 1, a, b);
    return nb::make_tuple(first, second);
}

static void apply_wrench(const World &w, int body, nb::object force, nb::object torque)
{
    Doubles keep_force, keep_torque;
    const double *f = optional_doubles(force, {3}, "force", keep_force),
                 *t = optional_doubles(torque, {3}, "torque", keep_torque);
    for (int k = 0; k < 3; k++)
        if ((f && !std::isfinite(f[k])) || (t && !std::isfinite(t[k])))
            raise(TN_ERROR_USAGE, "apply_wrench: force and torque must be finite");
    Call call(w);
    tn_world_apply_wrench(call.world, body + 1, f, t);
}

using SetMocap = TnStatus (*)(TnWorld *, TnBodyId, const double *, const double *, TnError *);
template <SetMocap set>
static void set_mocap(const World &w, int body, nb::object pos, nb::object quat)
{
    Doubles keep_pos, keep_quat;
    const double *p = optional_doubles(pos, {3}, "pos", keep_pos),
                 *q = optional_doubles(quat, {4}, "quat", keep_quat);
    Call call(w);
    call.check(set(call.world, body + 1, p, q, &call.err));
}

static nb::bytes save(const World &w)
{
    Call call(w);
    std::vector<char> buffer(tn_world_save_size(call.world));
    check(tn_world_save(call.world, buffer.data(), buffer.size(), &call.err), call.err);
    return nb::bytes(buffer.data(), buffer.size());
}

static void restore(const World &w, nb::bytes state)
{
    BatchData &data = open(w);
    Use use(data);
    Error err;
    TnStatus status =
        tn_world_restore(tn_batch_world(data.batch, w.index), state.c_str(), state.size(), &err);
    tn_batch_pull(data.batch, w.index);
    if (status == TN_OK) data.view.diverged[w.index] = 0;
    check(status, err);
}

/* The model with this world's parameters, at its present state. */
static nb::dict eval(const World &w, nb::object qacc, const std::vector<std::string> &want)
{
    Call call(w);
    const TnModel *model = tn_world_model(call.world);
    TnModelInfo info = tn_model_info(model);
    TnStateView state = tn_world_state(call.world);
    std::vector<double> mocap;
    for (int id = 1; id <= info.body_count; id++) {
        double pose[7];
        if (!tn_world_mocap(call.world, id, pose, pose + 3)) continue;
        tn_world_body_pose(call.world, id, pose, pose + 3);
        mocap.insert(mocap.end(), pose, pose + 7);
    }
    Doubles keep;
    TnEval input{};
    input.act = state.act;
    input.mocap = mocap.empty() ? nullptr : mocap.data();
    input.qacc = optional_doubles(qacc, {info.dof_count}, "qacc", keep);
    return evaluate(model, state.qpos, state.qvel, state.ctrl, input, want);
}

static Array jacobian(const World &w, int body, nb::object point)
{
    Doubles keep;
    double at[3], quat[4];
    const double *p = optional_doubles(point, {3}, "point", keep);
    Call call(w);
    if (!p) tn_world_body_pose(call.world, body + 1, at, quat);
    double *numbers;
    Array result = new_array({6, (size_t)call.data.view.dof_count}, &numbers);
    check(tn_world_jacobian(call.world, body + 1, p ? p : at, numbers, &call.err), call.err);
    return result;
}

static nb::object cast_rays(const World &w, nb::object origins, nb::object directions,
                            uint32_t groups, bool skip_fixed, int exclude, double max_distance)
{
    Doubles from = doubles(origins, {-1, 3}, "origins");
    long count = (long)from.shape(0);
    Doubles along = doubles(directions, {count, 3}, "directions");
    std::vector<TnRay> rays((size_t)count);
    for (size_t i = 0; i < rays.size(); i++) {
        memcpy(rays[i].origin, from.data() + 3 * i, sizeof rays[i].origin);
        memcpy(rays[i].direction, along.data() + 3 * i, sizeof rays[i].direction);
    }
    TnRayFilter filter{groups, skip_fixed, exclude + 1, max_distance};
    void *bytes;
    nb::object result = new_bytes(rays.size(), sizeof(TnRayHit), &bytes);
    auto *hits = static_cast<TnRayHit *>(bytes);
    Call call(w);
    TnStatus status = TN_OK;
    {
        nb::gil_scoped_release release;
        if (count > 0)
            status =
                tn_world_cast_rays(call.world, rays.data(), (int)count, &filter, hits, &call.err);
    }
    check(status, call.err);
    for (size_t i = 0; i < rays.size(); i++) hits[i].geom--;
    return result;
}

static nb::object geom_distance(const World &w, int geom1, int geom2, double most)
{
    Call call(w);
    TnDistance d = tn_world_geom_distance(call.world, geom1 + 1, geom2 + 1, most);
    if (!d.known) return nb::none();
    double *a, *b, *n;
    Array first = new_array({3}, &a), second = new_array({3}, &b), normal = new_array({3}, &n);
    memcpy(a, d.point1, sizeof d.point1);
    memcpy(b, d.point2, sizeof d.point2);
    memcpy(n, d.normal, sizeof d.normal);
    return nb::make_tuple(d.distance, first, second, normal);
}

using Reaction = TnReaction (*)(TnWorld *, int32_t);
template <Reaction ask> static nb::tuple reaction(const World &w, int index)
{
    Call call(w);
    TnReaction r = ask(call.world, index + 1);
    double *f, *t;
    Array force = new_array({3}, &f), torque = new_array({3}, &t);
    memcpy(f, r.force, sizeof r.force);
    memcpy(t, r.torque, sizeof r.torque);
    return nb::make_tuple(force, torque);
}

static nb::tuple momentum(const World &w)
{
    Call call(w);
    double *p, *l;
    Array linear = new_array({3}, &p), angular = new_array({3}, &l);
    tn_world_momentum(call.world, p, l);
    return nb::make_tuple(linear, angular);
}

static std::string worst_constraint(const World &w)
{
    Call call(w);
    char text[256] = "";
    tn_world_worst_constraint(call.world, call.data.view.reports[w.index].worst_island, text,
                              sizeof text);
    return text;
}

static nb::object trouble(const World &w)
{
    Call call(w);
    Trouble t;
    TroubleLimits limits = trouble_limits(call.world);
    if (!find_trouble(call.world, &limits, &t)) return nb::none();
    nb::dict d;
    d["kind"] = t.kind;
    d["where"] = t.where;
    d["what"] = t.what;
    d["help"] = t.help;
    return d;
}

static void bind_parameters(nb::class_<World> &world)
{
    world
        .def("_set_gravity",
             [](const World &w, nb::object gravity) {
                 Doubles g = doubles(gravity, {3}, "gravity");
                 Call call(w);
                 call.check(tn_world_set_gravity(call.world, g.data(), &call.err));
             })
        .def("_info", /* with what was set */
             [](const World &w, const std::string &kind, int index) {
                 return info_of(tn_world_model(Call(w).world), kind, index);
             })
        .def("_option",
             [](const World &w) {
                 TnOption o = tn_model_info(tn_world_model(Call(w).world)).option;
                 return nb::make_tuple(o.timestep,
                                       nb::make_tuple(o.gravity[0], o.gravity[1], o.gravity[2]));
             })
        .def("_set_timestep",
             [](const World &w, double timestep) {
                 Call call(w);
                 call.check(tn_world_set_timestep(call.world, timestep, &call.err));
             })
        .def("_set_geom_friction",
             [](const World &w, int geom, nb::object friction) {
                 Doubles f = doubles(friction, {3}, "friction");
                 Call call(w);
                 call.check(tn_world_set_geom_friction(call.world, geom + 1, f.data(), &call.err));
             })
        .def("_set_geom_size",
             [](const World &w, int geom, nb::object size) {
                 Doubles s = doubles(size, {3}, "size");
                 Call call(w);
                 call.check(tn_world_set_geom_size(call.world, geom + 1, s.data(), &call.err));
             })
        .def(
            "_set_geom_local_pose",
            [](const World &w, int geom, nb::object pos, nb::object quat) {
                Doubles keep_pos, keep_quat;
                const double *p = optional_doubles(pos, {3}, "pos", keep_pos),
                             *q = optional_doubles(quat, {4}, "quat", keep_quat);
                Call call(w);
                call.check(tn_world_set_geom_local_pose(call.world, geom + 1, p, q, &call.err));
            },
            nb::arg(), nb::arg().none(), nb::arg().none())
        .def(
            "_set_site_local_pose",
            [](const World &w, int site, nb::object pos, nb::object quat) {
                Doubles keep_pos, keep_quat;
                const double *p = optional_doubles(pos, {3}, "pos", keep_pos),
                             *q = optional_doubles(quat, {4}, "quat", keep_quat);
                Call call(w);
                call.check(tn_world_set_site_local_pose(call.world, site + 1, p, q, &call.err));
            },
            nb::arg(), nb::arg().none(), nb::arg().none())
        .def(
            "_set_actuator",
            [](const World &w, int actuator, double gain, nb::object bias) {
                Doubles keep;
                const double *b = optional_doubles(bias, {3}, "bias", keep);
                Call call(w);
                call.check(tn_world_set_actuator(call.world, actuator + 1, gain, b, &call.err));
            },
            nb::arg(), nb::arg(), nb::arg().none())
        .def("_set_joint_forces",
             [](const World &w, int joint, const nb::dict &values) {
                 Call call(w);
                 TnJointForces f = tn_world_joint_forces(call.world, joint + 1);
                 auto take = [&](const char *name, double *to) {
                     if (values.contains(name)) *to = nb::cast<double>(values[name]);
                 };
                 take("stiffness", &f.stiffness);
                 take("spring_ref", &f.spring_ref);
                 take("damping", &f.damping);
                 take("armature", &f.armature);
                 take("friction_loss", &f.friction_loss);
                 call.check(tn_world_set_joint_forces(call.world, joint + 1, &f, &call.err));
             })
        .def(
            "_set_body_mass",
            [](const World &w, int body, double mass, nb::object com, nb::object inertia) {
                Doubles keep_com, keep_inertia;
                const double *c = optional_doubles(com, {3}, "com", keep_com),
                             *i = optional_doubles(inertia, {6}, "inertia", keep_inertia);
                Call call(w);
                call.check(tn_world_set_body_mass(call.world, body + 1, mass, c, i, &call.err));
            },
            nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
}

/* What stubs say of methods that return two arrays. */
#define TWO(NAME) nb::sig("def " NAME "(self, index: int, /) -> " TWO_ARRAYS)
#define TWO_ARRAYS "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"

static void bind_questions(nb::class_<World> &world)
{
    world.def("_body_pose", pair<tn_world_body_pose, 4>, TWO("_body_pose"))
        .def("_body_velocity", pair<tn_world_body_velocity, 3>, TWO("_body_velocity"))
        .def("_site_pose", pair<tn_world_site_pose, 4>, TWO("_site_pose"))
        .def("_site_velocity", pair<tn_world_site_velocity, 3>, TWO("_site_velocity"))
        .def("_geom_pose", pair<tn_world_geom_pose, 4>, TWO("_geom_pose"))
        .def("_geom_velocity", pair<tn_world_geom_velocity, 3>, TWO("_geom_velocity"))
        .def("_body_reaction", reaction<tn_world_body_reaction>, TWO("_body_reaction"))
        .def("_joint_reaction", reaction<tn_world_joint_reaction>, TWO("_joint_reaction"))
        .def("_equality_reaction", reaction<tn_world_equality_reaction>, TWO("_equality_reaction"))
        .def("_contacts", contacts,
             nb::sig("def _contacts(self) -> numpy.typing.NDArray[numpy.uint8]"))
        .def("_contact_wrenches",
             [](const World &w) {
                 Call call(w);
                 double *numbers;
                 const TnModel *model = tn_world_model(call.world);
                 Array result = new_array({(size_t)tn_model_info(model).body_count, 6}, &numbers);
                 tn_world_contact_wrenches(call.world, numbers);
                 return result;
             })
        .def("_actuator_force",
             [](const World &w) {
                 Call call(w);
                 double *numbers;
                 Array result = new_array({(size_t)call.data.view.ctrl_count}, &numbers);
                 check(tn_world_actuator_forces(call.world, numbers, &call.err), call.err);
                 return result;
             })
        .def("_eval", eval, nb::arg().none(), nb::arg())
        .def("_jacobian", jacobian, nb::arg(), nb::arg().none())
        .def("_cast_rays", cast_rays,
             nb::sig("def _cast_rays(self, origins: object, directions: object, groups: int, "
                     "skip_fixed: bool, exclude: int, most: float, /) -> "
                     "numpy.typing.NDArray[numpy.uint8]"))
        .def("_geom_distance", geom_distance,
             nb::sig(
                 "def _geom_distance(self, geom1: int, geom2: int, most: float, /) -> tuple[float, "
                 "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                 "numpy.typing.NDArray[numpy.float64]] | None"))
        .def("_problem",
             [](const World &w, const nb::dict &options) {
                 TnSolverDef def = solver_def(options);
                 Call call(w);
                 TnSolver *solver = tn_world_problem(call.world, &def, &call.err);
                 if (!solver && call.err.code == TN_OK)
                     raise(TN_ERROR_USAGE, "problem: the world has taken no step yet");
                 if (!solver) raise(call.err);
                 return Solver{std::make_shared<SolverData>(solver)};
             })
        .def(
            "_mocap",
            [](const World &w, int body) {
                Call call(w);
                double *a, *b;
                Array pos = new_array({3}, &a), quat = new_array({4}, &b);
                if (!tn_world_mocap(call.world, body + 1, a, b))
                    raise(TN_ERROR_USAGE, "this body is not a mocap body");
                return nb::make_tuple(pos, quat);
            },
            TWO("_mocap"))
        .def("_equality_active",
             [](const World &w, int equality) {
                 Call call(w);
                 return tn_world_equality_active(call.world, equality + 1);
             })
        .def("_body_loss",
             [](const World &w, int body) { return tn_world_body_loss(Call(w).world, body + 1); })
        .def("_soft_loss",
             [](const World &w, int soft) { return tn_world_soft_loss(Call(w).world, soft + 1); })
        .def("_body_asleep", [](const World &w, int body) {
            Call call(w);
            return tn_world_body_asleep(call.world, body + 1);
        });
}

static void bind_state(nb::class_<World> &world)
{
    world.def_prop_rw(
        "qpos", lend<QPOS>, [](const World &w, nb::object x) { assign(w, QPOS, x); },
        LIVE("qpos", "Positions of joints and nodes, live and writable."));
    world.def_prop_rw(
        "qvel", lend<QVEL>, [](const World &w, nb::object x) { assign(w, QVEL, x); },
        LIVE("qvel", "Velocities, live and writable."));
    world.def_prop_rw(
        "ctrl", lend<CTRL>, [](const World &w, nb::object x) { assign(w, CTRL, x); },
        LIVE("ctrl", "Controls, live and writable. They hold until they are written again; the "
                     "first change stops the control track of the model."));
    world.def_prop_rw(
        "act", lend<ACT>, [](const World &w, nb::object x) { assign(w, ACT, x); },
        LIVE("act", "Activations of actuators, live and writable."));
    world
        .def_prop_ro(
            "time", [](const World &w) { return open(w).view.time[w.index]; }, "s.")
        .def_prop_ro(
            "closed", [](const World &w) { return !w.data; }, "Whether close() was called.")
        .def_prop_ro(
            "report", [](const World &w) { return open(w).view.reports[w.index]; },
            "What the last step says of itself; zeros before the first.")
        .def_prop_ro("sensors", sensors, nb::rv_policy::automatic,
                     "The numbers of all sensors at the present state, a new array.")
        .def_prop_ro(
            "energy", [](const World &w) { return tn_world_energy(Call(w).world); },
            "J, of the present state.")
        .def_prop_ro(
            "energy_account", [](const World &w) { return tn_world_energy_account(Call(w).world); },
            "J: work and losses since the world was made or reset.")
        .def_prop_ro("momentum", momentum, nb::sig("def momentum(self) -> " TWO_ARRAYS),
                     "Linear and angular momentum, about the origin.")
        .def_prop_ro("worst_constraint", worst_constraint,
                     "The constraint with the largest error of the last step, in words.")
        .def_prop_ro("trouble", trouble, nb::sig("def trouble(self) -> dict[str, str] | None"),
                     "What is wrong with the last step: its kind, where by name, what it is, and "
                     "what usually helps. None: nothing.");
}

void bind_world(nb::module_ &m)
{
    nb::class_<BatchData>(m, "_BatchData");
    nb::class_<World> world(m, "World");
    world
        .def("__init__",
             [](World *self, const Model &model, const nb::dict &options) {
                 Error err;
                 TnBatchDef def = tn_batch_def();
                 def.world = world_def(options);
                 auto data = std::make_shared<BatchData>();
                 data->model = model.data;
                 data->on_trouble = trouble_choice(options);
                 data->threads = def.world.thread_count > 1;
                 data->batch = tn_batch_create(&def, model.data->model, &err);
                 if (!data->batch) raise(err);
                 data->view = tn_batch_view(data->batch);
                 new (self) World;
                 data->lone = true;
                 attach(self, data, 0);
             })
        .def("__init__",
             [](World *self, nb::capsule batch, int index) {
                 new (self) World;
                 attach(self, *static_cast<std::shared_ptr<BatchData> *>(batch.data()), index);
             })
        .def("step", step, nb::arg("n") = 1,
             "Takes n steps. Other Python threads run meanwhile; Ctrl-C works between steps.")
        .def(
            "close",
            [](World &w) {
                if (w.data) Use use(*w.data);
                w = World{};
            },
            "Gives the memory back, as soon as no array of the world is in use.")
        .def("_timed_step", timed_step) /* for bench/python_overhead.py */
        .def("_reset", reset)
        .def("save", save, "The complete state as bytes: restored, the world goes on bit for bit.")
        .def("restore", restore, nb::arg("state"),
             "Goes back to a state that save() has returned, of a world of the same model.")
        .def(
            "hash", [](const World &w) { return tn_world_hash(Call(w).world); },
            "A number of 64 bits, of time, qpos, qvel and activations.")
        .def("_apply_wrench", apply_wrench, nb::arg(), nb::arg().none(), nb::arg().none())
        .def("_set_mocap", set_mocap<tn_world_set_mocap>, nb::arg(), nb::arg().none(),
             nb::arg().none())
        .def("_place_mocap", set_mocap<tn_world_place_mocap>, nb::arg(), nb::arg().none(),
             nb::arg().none())
        .def("_wake", [](const World &w, int body) { tn_world_wake(Call(w).world, body + 1); })
        .def("_attach",
             [](const World &w, int equality) {
                 Call call(w);
                 call.check(tn_world_attach(call.world, equality + 1, &call.err));
             })
        .def("_set_equality", [](const World &w, int equality, bool active) {
            Call call(w);
            call.check(tn_world_set_equality(call.world, equality + 1, active, &call.err));
        });
    world.def("_handle", [](const World &w) {
        open(w);
        auto *keep = new std::pair<std::shared_ptr<BatchData>, int>(w.data, w.index);
        return nb::capsule(keep, [](void *p) noexcept {
            delete static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(p);
        });
    });
    bind_state(world);
    bind_questions(world);
    bind_parameters(world);
}
