/* tenon_ros2/simulation.hpp: what a robot's ROS interface needs of a world, in ROS's conventions
 * (quaternions x y z w, REP 103), as plain structs. Nothing here needs ROS. */
#ifndef TENON_ROS2_SIMULATION_HPP
#define TENON_ROS2_SIMULATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <tenon/definitions.h>
#include <tenon/tenon.h>

namespace tenon_ros2
{

/* As builtin_interfaces/Time. */
struct Time {
    int32_t sec = 0;
    uint32_t nanosec = 0;
};
Time to_time(double seconds);

/* As sensor_msgs/JointState: hinges and slides with names, in the order of the model. */
struct JointStates {
    std::vector<std::string> name;
    std::vector<double> position, velocity, effort;
};

/* As geometry_msgs/TransformStamped: the child's axes in those of the parent. */
struct Transform {
    std::string parent, child;
    std::array<double, 3> translation{};
    std::array<double, 4> rotation{0, 0, 0, 1}; /* x y z w */
};

/* As sensor_msgs/Image and sensor_msgs/CameraInfo, of a pinhole without distortion. */
struct Image {
    uint32_t width = 0, height = 0, step = 0;
    std::string encoding; /* rgb8, 32FC1 */
    std::vector<uint8_t> data;
};
struct CameraModel {
    uint32_t width = 0, height = 0;
    std::array<double, 9> k{}, r{};
    std::array<double, 12> p{};
};

/* What a command asks of a joint. */
enum class Command { position, velocity, effort };
const char *to_string(Command command); /* as hardware_interface calls them */

/* Which bodies transforms() has. */
enum class Frames {
    all,   /* each body in its parent */
    bases, /* those with a free joint, in the world: for use beside robot_state_publisher */
    none
};
Frames to_frames(const std::string &text); /* std::invalid_argument: it is none of them */

class Simulation
{
  public:
    /* path: MJCF, URDF or SDF; package_path: folders for package://, separated by ':'. Throws
     * std::runtime_error with the loader's message. */
    explicit Simulation(const std::string &path, const std::string &package_path = "",
                        const std::string &world_frame = "world");
    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;
    ~Simulation();

    double timestep() const;
    double seconds() const;
    Time time() const { return to_time(seconds()); }
    /* As many steps as fit into the duration and what earlier calls left over. Their number. False
     * in *good: a step was rejected. */
    int advance(double duration, bool *good = nullptr);
    void reset(); /* keyframe "home", otherwise the reference pose */

    const JointStates &joints() const { return joints_; } /* refresh() fills it */
    void refresh();
    std::vector<Transform> transforms(Frames frames) const;

    /* The place of a joint in joints(); -1: there is none. */
    int joint(const std::string &name) const;
    /* Whether an actuator of the joint takes such a command. */
    bool accepts(int joint, Command command) const;
    /* From the next step on. False: no actuator of the joint takes it, or the value is not finite.
     */
    bool command(int joint, Command command, double value);

    std::vector<std::string> cameras() const;
    /* Its optical frame (z ahead, y down) in that of its body; parent "": it follows or aims at
     * something, or is on a cable. */
    Transform camera_frame(int camera) const;
    CameraModel camera_model(int camera, int width, int height) const;

    const TnWorld *world() const { return world_; }
    const std::string &world_frame() const { return world_frame_; }

  private:
    struct Drive {
        int joint;       /* place in joints_ */
        double gear;     /* N or N·m of the joint per unit of the actuator's force */
        Command command; /* what its control means, */
        double scale;    /* times this, */
        double offset;   /* plus this */
    };
    void find_joints(const TnDefinitions &from);
    void find_drives(const TnDefinitions &from);
    void find_bodies(const TnDefinitions &from);

    TnModel *model_ = nullptr;
    TnWorld *world_ = nullptr;
    TnKeyId home_ = 0;
    std::string world_frame_;
    double left_over_ = 0.0;
    JointStates joints_;
    std::vector<int> qpos_, dof_; /* of joints_ */
    std::vector<Drive> drives_;   /* of each actuator; joint -1: it drives none of them alone */
    std::vector<double> ctrl_, forces_;
    std::vector<std::string> body_; /* frame of each body; "": none */
    std::vector<TnBodyId> parent_;
    std::vector<bool> free_;
    std::vector<Transform> cameras_;
    std::vector<double> fovy_;
};

/* Pictures of cameras; only where the library draws (CMake target tenon::render). */
class Camera
{
  public:
    Camera(const Simulation &simulation, int camera, int width,
           int height); /* std::runtime_error: nothing draws here */
    Camera(const Camera &) = delete;
    Camera &operator=(const Camera &) = delete;
    ~Camera();
    Image color();
    Image depth(); /* m, as REP 118: infinite where nothing is */

  private:
    struct Renderer;
    const Simulation &simulation_;
    int camera_;
    std::unique_ptr<Renderer> renderer_;
};

} // namespace tenon_ros2

#endif
