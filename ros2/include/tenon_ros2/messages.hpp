/* tenon_ros2/messages.hpp: the structs of simulation.hpp as messages. */
#ifndef TENON_ROS2_MESSAGES_HPP
#define TENON_ROS2_MESSAGES_HPP

#include <utility>

#include <builtin_interfaces/msg/time.hpp>
#include <geometry_msgs/msg/transform_stamped.hpp>
#include <rosgraph_msgs/msg/clock.hpp>
#include <sensor_msgs/msg/camera_info.hpp>
#include <sensor_msgs/msg/image.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <tf2_msgs/msg/tf_message.hpp>

#include "tenon_ros2/simulation.hpp"

namespace tenon_ros2
{

inline builtin_interfaces::msg::Time to_message(const Time &time)
{
    builtin_interfaces::msg::Time out;
    out.sec = time.sec;
    out.nanosec = time.nanosec;
    return out;
}

inline sensor_msgs::msg::JointState to_message(const JointStates &joints, const Time &time)
{
    sensor_msgs::msg::JointState out;
    out.header.stamp = to_message(time);
    out.name = joints.name;
    out.position = joints.position;
    out.velocity = joints.velocity;
    out.effort = joints.effort;
    return out;
}

inline tf2_msgs::msg::TFMessage to_message(const std::vector<Transform> &transforms,
                                           const Time &time)
{
    tf2_msgs::msg::TFMessage out;
    for (const Transform &t : transforms) {
        geometry_msgs::msg::TransformStamped stamped;
        stamped.header.stamp = to_message(time);
        stamped.header.frame_id = t.parent;
        stamped.child_frame_id = t.child;
        stamped.transform.translation.x = t.translation[0];
        stamped.transform.translation.y = t.translation[1];
        stamped.transform.translation.z = t.translation[2];
        stamped.transform.rotation.x = t.rotation[0];
        stamped.transform.rotation.y = t.rotation[1];
        stamped.transform.rotation.z = t.rotation[2];
        stamped.transform.rotation.w = t.rotation[3];
        out.transforms.push_back(stamped);
    }
    return out;
}

inline sensor_msgs::msg::Image to_message(Image &&image, const std::string &frame, const Time &time)
{
    sensor_msgs::msg::Image out;
    out.header.stamp = to_message(time);
    out.header.frame_id = frame;
    out.width = image.width;
    out.height = image.height;
    out.encoding = image.encoding;
    const uint16_t one = 1;
    out.is_bigendian = *reinterpret_cast<const uint8_t *>(&one) == 0;
    out.step = image.step;
    out.data = std::move(image.data);
    return out;
}

inline sensor_msgs::msg::CameraInfo to_message(const CameraModel &model, const std::string &frame,
                                               const Time &time)
{
    sensor_msgs::msg::CameraInfo out;
    out.header.stamp = to_message(time);
    out.header.frame_id = frame;
    out.width = model.width;
    out.height = model.height;
    out.distortion_model = "plumb_bob";
    out.d.assign(5, 0.0);
    out.k = model.k;
    out.r = model.r;
    out.p = model.p;
    return out;
}

} // namespace tenon_ros2

#endif
