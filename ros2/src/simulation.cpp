#include "tenon_ros2/simulation.hpp"

#include <cmath>

namespace tenon_ros2
{

namespace
{

using Quat = std::array<double, 4>; /* w x y z, as the engine has them */
using Vec = std::array<double, 3>;

Quat times(const Quat &a, const Quat &b)
{
    return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

Quat inverse(const Quat &q) { return {q[0], -q[1], -q[2], -q[3]}; }

Vec rotated(const Quat &q, const Vec &v)
{
    const Quat r = times(times(q, {0.0, v[0], v[1], v[2]}), inverse(q));
    return {r[1], r[2], r[3]};
}

std::array<double, 4> to_ros(const Quat &q) { return {q[1], q[2], q[3], q[0]}; }

/* A name, or one that says which it is. */
std::string name_or(const char *name, const char *kind, int id)
{
    return name && *name ? name : kind + std::to_string(id);
}

} // namespace

Time to_time(double seconds)
{
    const auto all = static_cast<int64_t>(std::llround(seconds * 1e9));
    int64_t sec = all / 1000000000, rest = all % 1000000000;
    if (rest < 0) {
        rest += 1000000000;
        sec--;
    }
    return {static_cast<int32_t>(sec), static_cast<uint32_t>(rest)};
}

const char *to_string(Command command)
{
    static const char *const names[] = {"position", "velocity", "effort"};
    return names[static_cast<int>(command)];
}

Frames to_frames(const std::string &text)
{
    if (text == "all") return Frames::all;
    if (text == "bases") return Frames::bases;
    if (text == "none") return Frames::none;
    throw std::invalid_argument("tf: expected all, bases or none, got '" + text + "'");
}

Simulation::Simulation(const std::string &path, const std::string &package_path,
                       const std::string &world_frame)
    : world_frame_(world_frame)
{
    TnError err = {};
    TnLoadDef load = tn_load_def();
    if (!package_path.empty()) load.package_path = package_path.c_str();
    TnModelBuilder *builder = tn_builder_load(path.c_str(), &load, nullptr, &err);
    if (!builder) throw std::runtime_error(err.message);
    model_ = tn_builder_compile(builder, &err);
    if (model_) {
        home_ = tn_model_find_key(model_, "home");
        TnWorldDef def = tn_world_def();
        def.key = home_;
        world_ = tn_world_create(&def, model_, &err);
    }
    if (!world_) {
        tn_builder_destroy(builder);
        tn_model_destroy(model_);
        throw std::runtime_error(err.message);
    }
    const TnDefinitions from = tn_builder_definitions(builder);
    find_joints(from);
    find_drives(from);
    find_bodies(from);
    tn_builder_destroy(builder);
    const TnStateView state = tn_world_state(world_);
    ctrl_.assign(state.ctrl, state.ctrl + state.ctrl_count);
    forces_.resize(ctrl_.size());
    refresh();
}

Simulation::~Simulation()
{
    tn_world_destroy(world_);
    tn_model_destroy(model_);
}

void Simulation::find_joints(const TnDefinitions &from)
{
    for (int j = 0; j < from.joint_count; j++) {
        const TnJointInfo info = tn_model_joint_info(model_, j + 1);
        const char *name = from.joints[j].name;
        if ((info.type != TN_JOINT_HINGE && info.type != TN_JOINT_SLIDE) || !name || !*name)
            continue;
        joints_.name.push_back(name);
        qpos_.push_back(info.qpos_start);
        dof_.push_back(info.dof_start);
    }
    joints_.position.resize(joints_.name.size());
    joints_.velocity.resize(joints_.name.size());
    joints_.effort.resize(joints_.name.size());
}

/* What a control means follows from force = gain · control + bias[0] + bias[1] · length + bias[2] ·
 * velocity, where length and velocity are those of the joint times the gear. The control at which
 * the force is zero at the wanted length, or velocity, is that of a servo. */
void Simulation::find_drives(const TnDefinitions &from)
{
    for (int a = 0; a < from.actuator_count; a++) {
        const TnActuatorInfo info = tn_model_actuator_info(model_, a + 1);
        const TnJointId id = from.actuators[a].joint;
        Drive drive = {-1, info.gear, Command::effort, 0.0, 0.0};
        if (id && info.gain != 0.0 && info.gear != 0.0) {
            const char *name = from.joints[id - 1].name;
            drive.joint = name && *name ? joint(name) : -1;
            drive.offset = -info.bias[0] / info.gain;
            if (info.bias[1] != 0.0) {
                drive.command = Command::position;
                drive.scale = -info.bias[1] * info.gear / info.gain;
            } else if (info.bias[2] != 0.0) {
                drive.command = Command::velocity;
                drive.scale = -info.bias[2] * info.gear / info.gain;
            } else {
                drive.scale = 1.0 / (info.gain * info.gear);
            }
        }
        drives_.push_back(drive);
    }
}

/* Frames of bodies, at their id minus one: the world is the first. Segments of cables have none. */
void Simulation::find_bodies(const TnDefinitions &from)
{
    for (int b = 0; b < from.body_count; b++) {
        body_.push_back(b ? name_or(from.bodies[b].name, "body", b + 1) : world_frame_);
        parent_.push_back(b ? from.bodies[b].parent : TN_BODY_WORLD);
        free_.push_back(false);
    }
    for (int j = 0; j < from.joint_count; j++)
        if (from.joints[j].type == TN_JOINT_FREE) free_[from.joints[j].body - 1] = true;
    for (int r = 0; r < from.rod_count; r++)
        for (int k = 0; k < from.rods[r].def.segment_count; k++)
            body_[from.rods[r].parts.body - 1 + k].clear();
    for (int c = 0; c < from.camera_count; c++) {
        const TnCameraInfo info = tn_model_camera_info(model_, c + 1);
        const Quat of = {info.quat[0], info.quat[1], info.quat[2], info.quat[3]};
        Transform frame;
        if (info.mode == TN_CAMERA_FIXED) frame.parent = body_[info.body - 1];
        frame.child = name_or(info.name, "camera", c + 1) + "_optical_frame";
        frame.translation = {info.pos[0], info.pos[1], info.pos[2]};
        frame.rotation = to_ros(
            times(of, {0.0, 1.0, 0.0, 0.0})); /* half a turn about x: z ahead instead of back */
        cameras_.push_back(frame);
        fovy_.push_back(info.fovy);
    }
}

double Simulation::timestep() const { return tn_model_info(model_).option.timestep; }

double Simulation::seconds() const { return tn_world_time(world_); }

int Simulation::advance(double duration, bool *good)
{
    if (good) *good = true;
    if (!(duration > 0.0)) return 0;
    left_over_ += duration;
    const double h = timestep();
    /* a millionth of a step is rounding of durations that are multiples of it */
    const int count = static_cast<int>(std::floor(left_over_ / h + 1e-6));
    for (int k = 0; k < count; k++) {
        const TnStepReport report = tn_world_step(world_);
        if (report.diverged && good) *good = false;
    }
    left_over_ -= count * h;
    return count;
}

void Simulation::reset()
{
    tn_world_reset(world_, home_);
    left_over_ = 0.0;
    const TnStateView state = tn_world_state(world_);
    ctrl_.assign(state.ctrl, state.ctrl + state.ctrl_count);
    refresh();
}

void Simulation::refresh()
{
    const TnStateView state = tn_world_state(world_);
    for (size_t j = 0; j < qpos_.size(); j++) {
        joints_.position[j] = state.qpos[qpos_[j]];
        joints_.velocity[j] = state.qvel[dof_[j]];
        joints_.effort[j] = 0.0;
    }
    tn_world_actuator_forces(world_, forces_.data(), nullptr);
    for (size_t a = 0; a < drives_.size(); a++)
        if (drives_[a].joint >= 0) joints_.effort[drives_[a].joint] += drives_[a].gear * forces_[a];
}

std::vector<Transform> Simulation::transforms(Frames frames) const
{
    std::vector<Transform> result;
    for (size_t b = 1; b < body_.size() && frames != Frames::none; b++) {
        if (body_[b].empty() || (frames == Frames::bases && !free_[b])) continue;
        const TnBodyId parent = frames == Frames::bases ? TN_BODY_WORLD : parent_[b];
        Vec p, at;
        Quat q, of;
        tn_world_body_pose(world_, static_cast<TnBodyId>(b + 1), p.data(), q.data());
        tn_world_body_pose(world_, parent, at.data(), of.data());
        Transform t;
        t.parent = body_[parent - 1];
        t.child = body_[b];
        t.translation = rotated(inverse(of), {p[0] - at[0], p[1] - at[1], p[2] - at[2]});
        t.rotation = to_ros(times(inverse(of), q));
        result.push_back(t);
    }
    return result;
}

int Simulation::joint(const std::string &name) const
{
    for (size_t j = 0; j < joints_.name.size(); j++)
        if (joints_.name[j] == name) return static_cast<int>(j);
    return -1;
}

bool Simulation::accepts(int joint, Command command) const
{
    for (const Drive &drive : drives_)
        if (joint >= 0 && drive.joint == joint && drive.command == command) return true;
    return false;
}

bool Simulation::command(int joint, Command command, double value)
{
    if (!accepts(joint, command) || !std::isfinite(value)) return false;
    for (size_t a = 0; a < drives_.size(); a++)
        if (drives_[a].joint == joint && drives_[a].command == command)
            ctrl_[a] = drives_[a].scale * value + drives_[a].offset;
    return tn_world_set_ctrl(world_, ctrl_.data(), nullptr) == TN_OK;
}

std::vector<std::string> Simulation::cameras() const
{
    std::vector<std::string> names;
    for (size_t c = 0; c < cameras_.size(); c++)
        names.push_back(name_or(tn_model_camera_info(model_, static_cast<TnCameraId>(c + 1)).name,
                                "camera", static_cast<int>(c + 1)));
    return names;
}

Transform Simulation::camera_frame(int camera) const { return cameras_.at(camera); }

CameraModel Simulation::camera_model(int camera, int width, int height) const
{
    CameraModel model;
    model.width = width;
    model.height = height;
    const double f = 0.5 * height / std::tan(0.5 * fovy_.at(camera)), x = 0.5 * width,
                 y = 0.5 * height;
    model.k = {f, 0, x, 0, f, y, 0, 0, 1};
    model.r = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    model.p = {f, 0, x, 0, 0, f, y, 0, 0, 0, 1, 0};
    return model;
}

} // namespace tenon_ros2
