/* tenon_ros2/node.hpp: a world as a node. */
#ifndef TENON_ROS2_NODE_HPP
#define TENON_ROS2_NODE_HPP

#include <memory>
#include <string>
#include <vector>

#include <rclcpp/rclcpp.hpp>
#include <std_srvs/srv/empty.hpp>

#include "tenon_ros2/messages.hpp"

namespace tenon_ros2
{

/* Publishes /clock, joint_states, /tf, /tf_static, CAMERA/image_raw, CAMERA/depth/image_raw and
 * CAMERA/camera_info; takes joint_commands (sensor_msgs/JointState) and the service reset.
 * Parameters: docs/from-ros.md. */
class SimulationNode : public rclcpp::Node
{
  public:
    explicit SimulationNode(const rclcpp::NodeOptions &options = rclcpp::NodeOptions());

  private:
    struct Eye {
        int camera;
        std::string frame;
        std::unique_ptr<Camera> color;
        rclcpp::Publisher<sensor_msgs::msg::Image>::SharedPtr image, depth;
        rclcpp::Publisher<sensor_msgs::msg::CameraInfo>::SharedPtr info;
    };
    void open_cameras();
    void tick();
    void publish();
    void publish_pictures();
    void take(const sensor_msgs::msg::JointState &message);
    void take_values(const sensor_msgs::msg::JointState &message, const std::vector<double> &values,
                     Command command);

    std::unique_ptr<Simulation> simulation_;
    Frames frames_;
    double tick_ = 0.0;           /* s of the world from one timer call to the next */
    double picture_period_ = 0.0; /* s of the world; 0: no pictures */
    double next_picture_ = 0.0;
    std::vector<Eye> eyes_;
    rclcpp::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr clock_;
    rclcpp::Publisher<sensor_msgs::msg::JointState>::SharedPtr states_;
    rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr tf_, tf_static_;
    rclcpp::Subscription<sensor_msgs::msg::JointState>::SharedPtr commands_;
    rclcpp::Service<std_srvs::srv::Empty>::SharedPtr reset_;
    rclcpp::TimerBase::SharedPtr timer_;
};

} // namespace tenon_ros2

#endif
