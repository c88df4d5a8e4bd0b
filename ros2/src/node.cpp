#include "tenon_ros2/node.hpp"

#include <algorithm>
#include <chrono>

namespace tenon_ros2
{

/* A parameter that must be above zero. */
static double positive(rclcpp::Node &node, const char *name, double standard)
{
    const double value = node.declare_parameter<double>(name, standard);
    if (!(value > 0.0))
        throw std::invalid_argument(std::string(name) + ": expected a number above zero");
    return value;
}

SimulationNode::SimulationNode(const rclcpp::NodeOptions &options) : rclcpp::Node("tenon", options)
{
    const std::string model = declare_parameter<std::string>("model", "");
    if (model.empty())
        throw std::invalid_argument("model: give the path of an MJCF, URDF or SDF file");
    const std::string packages = declare_parameter<std::string>("package_path", "");
    const std::string world_frame = declare_parameter<std::string>("world_frame", "world");
    frames_ = to_frames(declare_parameter<std::string>("tf", "all"));
    const double rate = positive(*this, "rate", 100.0);
    const double speed = positive(*this, "speed", 1.0);
    simulation_ = std::make_unique<Simulation>(model, packages, world_frame);
    tick_ = speed / rate;

    clock_ = create_publisher<rosgraph_msgs::msg::Clock>("/clock", rclcpp::QoS(1).best_effort());
    states_ = create_publisher<sensor_msgs::msg::JointState>("joint_states", rclcpp::QoS(10));
    tf_ = create_publisher<tf2_msgs::msg::TFMessage>("/tf", rclcpp::QoS(100));
    tf_static_ =
        create_publisher<tf2_msgs::msg::TFMessage>("/tf_static", rclcpp::QoS(1).transient_local());
    commands_ = create_subscription<sensor_msgs::msg::JointState>(
        "joint_commands", rclcpp::QoS(10),
        [this](const sensor_msgs::msg::JointState &message) { take(message); });
    reset_ = create_service<std_srvs::srv::Empty>(
        "reset", [this](const std::shared_ptr<std_srvs::srv::Empty::Request>,
                        std::shared_ptr<std_srvs::srv::Empty::Response>) {
            simulation_->reset();
            next_picture_ = 0.0;
        });
    open_cameras();
    publish();
    timer_ = create_wall_timer(std::chrono::duration<double>(1.0 / rate), [this]() { tick(); });
}

/* Those of the parameter `cameras`; empty: none. */
void SimulationNode::open_cameras()
{
    const auto wanted =
        declare_parameter<std::vector<std::string>>("cameras", std::vector<std::string>());
    const auto width = static_cast<int>(declare_parameter<int64_t>("width", 640));
    const auto height = static_cast<int>(declare_parameter<int64_t>("height", 480));
    const double rate = positive(*this, "picture_rate", 10.0);
    const bool depth = declare_parameter<bool>("depth", false);
    const std::vector<std::string> known = simulation_->cameras();
    std::vector<Transform> fixed;
    for (const std::string &name : wanted) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end())
            throw std::invalid_argument("cameras: the model has no camera '" + name + "'");
        Eye eye;
        eye.camera = static_cast<int>(found - known.begin());
        const Transform frame = simulation_->camera_frame(eye.camera);
        eye.frame = frame.child;
        eye.color = std::make_unique<Camera>(*simulation_, eye.camera, width, height);
        eye.image = create_publisher<sensor_msgs::msg::Image>(name + "/image_raw", rclcpp::QoS(2));
        eye.info =
            create_publisher<sensor_msgs::msg::CameraInfo>(name + "/camera_info", rclcpp::QoS(2));
        if (depth)
            eye.depth = create_publisher<sensor_msgs::msg::Image>(name + "/depth/image_raw",
                                                                  rclcpp::QoS(2));
        if (!frame.parent.empty()) fixed.push_back(frame);
        eyes_.push_back(std::move(eye));
    }
    if (!eyes_.empty()) picture_period_ = 1.0 / rate;
    if (!fixed.empty()) tf_static_->publish(to_message(fixed, simulation_->time()));
}

void SimulationNode::tick()
{
    bool good = true;
    simulation_->advance(tick_, &good);
    if (!good)
        RCLCPP_ERROR(get_logger(), "a step was rejected at t = %g s: the state stays as it was",
                     simulation_->seconds());
    publish();
}

void SimulationNode::publish()
{
    const Time now = simulation_->time();
    rosgraph_msgs::msg::Clock clock;
    clock.clock = to_message(now);
    clock_->publish(clock);
    simulation_->refresh();
    states_->publish(to_message(simulation_->joints(), now));
    if (frames_ != Frames::none) tf_->publish(to_message(simulation_->transforms(frames_), now));
    /* half a step early: times are sums of steps */
    if (picture_period_ > 0.0 &&
        simulation_->seconds() >= next_picture_ - 0.5 * simulation_->timestep()) {
        publish_pictures();
        next_picture_ += picture_period_;
    }
}

void SimulationNode::publish_pictures()
{
    const Time now = simulation_->time();
    for (Eye &eye : eyes_) {
        Image image = eye.color->color();
        const auto width = static_cast<int>(image.width), height = static_cast<int>(image.height);
        eye.image->publish(to_message(std::move(image), eye.frame, now));
        eye.info->publish(
            to_message(simulation_->camera_model(eye.camera, width, height), eye.frame, now));
        if (eye.depth) eye.depth->publish(to_message(eye.color->depth(), eye.frame, now));
    }
}

void SimulationNode::take(const sensor_msgs::msg::JointState &message)
{
    take_values(message, message.position, Command::position);
    take_values(message, message.velocity, Command::velocity);
    take_values(message, message.effort, Command::effort);
}

/* A list is empty where nothing is asked for, and a NaN leaves out one joint. */
void SimulationNode::take_values(const sensor_msgs::msg::JointState &message,
                                 const std::vector<double> &values, Command command)
{
    if (values.empty()) return;
    if (values.size() != message.name.size()) {
        RCLCPP_WARN(get_logger(), "joint_commands: %zu names, but %zu numbers", message.name.size(),
                    values.size());
        return;
    }
    for (size_t i = 0; i < values.size(); i++) {
        const int joint = simulation_->joint(message.name[i]);
        if (values[i] == values[i] && !simulation_->command(joint, command, values[i]))
            RCLCPP_WARN(get_logger(), "joint_commands: joint '%s' takes no %s command",
                        message.name[i].c_str(), to_string(command));
    }
}

} // namespace tenon_ros2
