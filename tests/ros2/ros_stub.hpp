/* A stand-in for the parts of ROS 2 that ros2/ uses, so that its files compile and run without ROS.
 * Names and signatures are those of ROS 2 Humble and Jazzy; what is sent goes to `sent` as JSON.
 * Nothing here shows that the node runs under ROS. */
#ifndef ROS_STUB_HPP
#define ROS_STUB_HPP

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

/* ---- messages: test_ros2.py compares names, order and types with the definitions of ROS ---- */

#define MESSAGE(NAME, TYPE, ...)                                                                   \
    static const char *type() { return TYPE; }                                                     \
    static const char *fields() { return #__VA_ARGS__; }                                           \
    auto all() const { return std::tie(__VA_ARGS__); }                                             \
    using SharedPtr = std::shared_ptr<NAME>

namespace builtin_interfaces::msg
{
struct Time {
    int32_t sec = 0;
    uint32_t nanosec = 0;
    MESSAGE(Time, "builtin_interfaces/msg/Time", sec, nanosec);
};
} // namespace builtin_interfaces::msg

namespace std_msgs::msg
{
struct Header {
    builtin_interfaces::msg::Time stamp;
    std::string frame_id;
    MESSAGE(Header, "std_msgs/msg/Header", stamp, frame_id);
};
} // namespace std_msgs::msg

namespace rosgraph_msgs::msg
{
struct Clock {
    builtin_interfaces::msg::Time clock;
    MESSAGE(Clock, "rosgraph_msgs/msg/Clock", clock);
};
} // namespace rosgraph_msgs::msg

namespace geometry_msgs::msg
{
struct Vector3 {
    double x = 0, y = 0, z = 0;
    MESSAGE(Vector3, "geometry_msgs/msg/Vector3", x, y, z);
};
struct Quaternion {
    double x = 0, y = 0, z = 0, w = 1;
    MESSAGE(Quaternion, "geometry_msgs/msg/Quaternion", x, y, z, w);
};
struct Transform {
    Vector3 translation;
    Quaternion rotation;
    MESSAGE(Transform, "geometry_msgs/msg/Transform", translation, rotation);
};
struct TransformStamped {
    std_msgs::msg::Header header;
    std::string child_frame_id;
    Transform transform;
    MESSAGE(TransformStamped, "geometry_msgs/msg/TransformStamped", header, child_frame_id,
            transform);
};
} // namespace geometry_msgs::msg

namespace tf2_msgs::msg
{
struct TFMessage {
    std::vector<geometry_msgs::msg::TransformStamped> transforms;
    MESSAGE(TFMessage, "tf2_msgs/msg/TFMessage", transforms);
};
} // namespace tf2_msgs::msg

namespace sensor_msgs::msg
{
struct JointState {
    std_msgs::msg::Header header;
    std::vector<std::string> name;
    std::vector<double> position, velocity, effort;
    MESSAGE(JointState, "sensor_msgs/msg/JointState", header, name, position, velocity, effort);
};
struct Image {
    std_msgs::msg::Header header;
    uint32_t height = 0, width = 0;
    std::string encoding;
    uint8_t is_bigendian = 0;
    uint32_t step = 0;
    std::vector<uint8_t> data;
    MESSAGE(Image, "sensor_msgs/msg/Image", header, height, width, encoding, is_bigendian, step,
            data);
};
struct RegionOfInterest {
    uint32_t x_offset = 0, y_offset = 0, height = 0, width = 0;
    bool do_rectify = false;
    MESSAGE(RegionOfInterest, "sensor_msgs/msg/RegionOfInterest", x_offset, y_offset, height, width,
            do_rectify);
};
struct CameraInfo {
    std_msgs::msg::Header header;
    uint32_t height = 0, width = 0;
    std::string distortion_model;
    std::vector<double> d;
    std::array<double, 9> k{}, r{};
    std::array<double, 12> p{};
    uint32_t binning_x = 0, binning_y = 0;
    RegionOfInterest roi;
    MESSAGE(CameraInfo, "sensor_msgs/msg/CameraInfo", header, height, width, distortion_model, d, k,
            r, p, binning_x, binning_y, roi);
};
} // namespace sensor_msgs::msg

namespace std_srvs::srv
{
struct Empty {
    struct Request {
    };
    struct Response {
    };
};
} // namespace std_srvs::srv

/* ---- as JSON, with the type of each number: [type, value] ---- */

namespace stub
{
inline std::string number(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    const std::string s = text;
    return s == "nan" || s == "inf" || s == "-inf" ? "null" : s;
}
inline std::string json(const std::string &value) { return "\"" + value + "\""; }
inline std::string json(double value) { return number(value); }
inline std::string json(bool value) { return value ? "true" : "false"; }
inline std::string json(uint8_t value) { return std::to_string(value); }
inline std::string json(int32_t value) { return std::to_string(value); }
inline std::string json(uint32_t value) { return std::to_string(value); }
inline const char *kind(const std::string &) { return "string"; }
inline const char *kind(double) { return "float64"; }
inline const char *kind(bool) { return "bool"; }
inline const char *kind(uint8_t) { return "uint8"; }
inline const char *kind(int32_t) { return "int32"; }
inline const char *kind(uint32_t) { return "uint32"; }
template <class M> auto json(const M &message) -> decltype(M::fields(), std::string());
template <class M> auto kind(const M &) -> decltype(M::type()) { return M::type(); }

template <class T> std::string list(const T *values, size_t count)
{
    std::string out;
    for (size_t k = 0; k < count; k++) out += (k ? "," : "") + json(values[k]);
    return "[" + out + "]";
}
template <class T> std::string json(const std::vector<T> &values)
{
    return list(values.data(), values.size());
}
template <class T, size_t N> std::string json(const std::array<T, N> &values)
{
    return list(values.data(), N);
}
template <class T> std::string kind(const std::vector<T> &)
{
    return std::string(kind(T())) + "[]";
}
template <class T, size_t N> std::string kind(const std::array<T, N> &)
{
    return std::string(kind(T())) + "[" + std::to_string(N) + "]";
}
/* {"name": ["type", value], …} */
template <class M> auto json(const M &message) -> decltype(M::fields(), std::string())
{
    std::string names = M::fields(), out;
    size_t at = 0;
    std::apply(
        [&](const auto &...field) {
            ((out += (at ? ", \"" : "\"") + names.substr(at, names.find(',', at) - at) + "\": [\"" +
                     std::string(kind(field)) + "\", " + json(field) + "]",
              at = names.find(',', at) == std::string::npos ? names.size()
                                                            : names.find(',', at) + 2),
             ...);
        },
        message.all());
    return "{" + out + "}";
}

inline std::vector<std::string> sent; /* "topic", "type", message */
inline std::vector<std::string> said; /* of the loggers */
inline std::function<void()> timer;
inline double timer_period = 0.0;
inline std::function<void()> service;
inline std::map<std::string, std::function<void(std::shared_ptr<void>)>> subscriptions;
} // namespace stub

namespace rclcpp
{
inline void init(int, char **) {}
inline void shutdown() {}

struct Logger {
};
inline Logger get_logger(const char *) { return {}; }

struct QoS {
    explicit QoS(size_t) {}
    QoS &best_effort() { return *this; }
    QoS &transient_local() { return *this; }
};

class Time
{
};
class Duration
{
    double seconds_;

  public:
    explicit Duration(double seconds) : seconds_(seconds) {}
    double seconds() const { return seconds_; }
};

template <class M> struct Publisher {
    using SharedPtr = std::shared_ptr<Publisher<M>>;
    std::string topic;
    void publish(const M &message)
    {
        stub::sent.push_back("{\"topic\": \"" + topic + "\", \"type\": \"" + M::type() +
                             "\", \"message\": " + stub::json(message) + "}");
    }
};
template <class M> struct Subscription {
    using SharedPtr = std::shared_ptr<Subscription<M>>;
};
template <class S> struct Service {
    using SharedPtr = std::shared_ptr<Service<S>>;
};
struct TimerBase {
    using SharedPtr = std::shared_ptr<TimerBase>;
};

using Value = std::variant<bool, int64_t, double, std::string, std::vector<std::string>>;
struct NodeOptions {
    std::map<std::string, Value> overrides;
    NodeOptions &append_parameter_override(const std::string &name, Value value)
    {
        overrides[name] = std::move(value);
        return *this;
    }
};

class Node
{
    NodeOptions options_;

  public:
    using SharedPtr = std::shared_ptr<Node>;
    explicit Node(const std::string &, const NodeOptions &options) : options_(options) {}
    virtual ~Node() = default;
    Logger get_logger() const { return {}; }
    template <class T> T declare_parameter(const std::string &name, const T &standard)
    {
        const auto found = options_.overrides.find(name);
        return found == options_.overrides.end() ? standard : std::get<T>(found->second);
    }
    template <class M>
    std::shared_ptr<Publisher<M>> create_publisher(const std::string &topic, const QoS &)
    {
        return std::make_shared<Publisher<M>>(Publisher<M>{topic});
    }
    template <class M, class F>
    std::shared_ptr<Subscription<M>> create_subscription(const std::string &topic, const QoS &,
                                                         F take)
    {
        stub::subscriptions[topic] = [take](std::shared_ptr<void> message) {
            take(static_cast<const M &>(*std::static_pointer_cast<M>(message)));
        };
        return std::make_shared<Subscription<M>>();
    }
    template <class S, class F>
    std::shared_ptr<Service<S>> create_service(const std::string &, F serve)
    {
        stub::service = [serve]() {
            serve(std::make_shared<typename S::Request>(),
                  std::make_shared<typename S::Response>());
        };
        return std::make_shared<Service<S>>();
    }
    template <class R, class P, class F>
    TimerBase::SharedPtr create_wall_timer(std::chrono::duration<R, P> period, F call)
    {
        stub::timer = call;
        stub::timer_period = std::chrono::duration<double>(period).count();
        return std::make_shared<TimerBase>();
    }
};
inline void spin(Node::SharedPtr) {}
} // namespace rclcpp

#define STUB_SAY(LOGGER, ...)                                                                      \
    do {                                                                                           \
        (void)(LOGGER);                                                                            \
        char stub_text[1000];                                                                      \
        std::snprintf(stub_text, sizeof stub_text, __VA_ARGS__);                                   \
        stub::said.push_back(stub_text);                                                           \
    } while (0)
#define RCLCPP_ERROR(LOGGER, ...) STUB_SAY(LOGGER, __VA_ARGS__)
#define RCLCPP_WARN(LOGGER, ...) STUB_SAY(LOGGER, __VA_ARGS__)

namespace rclcpp_lifecycle
{
class State
{
};
} // namespace rclcpp_lifecycle

namespace hardware_interface
{
constexpr char HW_IF_POSITION[] = "position";
constexpr char HW_IF_VELOCITY[] = "velocity";
constexpr char HW_IF_EFFORT[] = "effort";
enum class CallbackReturn : uint8_t { SUCCESS = 97, FAILURE = 98, ERROR = 99 };
enum class return_type : uint8_t { OK = 0, ERROR = 1, DEACTIVATE = 2 };

struct InterfaceInfo {
    std::string name;
};
struct ComponentInfo {
    std::string name;
    std::vector<InterfaceInfo> command_interfaces, state_interfaces;
};
struct HardwareInfo {
    std::string name;
    std::unordered_map<std::string, std::string> hardware_parameters;
    std::vector<ComponentInfo> joints;
};
struct Handle {
    std::string prefix, name;
    double *value;
    Handle(const std::string &prefix_, const std::string &name_, double *value_)
        : prefix(prefix_), name(name_), value(value_)
    {
    }
    double get_value() const { return *value; }
    void set_value(double to) { *value = to; }
};
struct StateInterface : Handle {
    using Handle::Handle;
};
struct CommandInterface : Handle {
    using Handle::Handle;
};
class SystemInterface
{
  public:
    virtual ~SystemInterface() = default;
    virtual CallbackReturn on_init(const HardwareInfo &) { return CallbackReturn::SUCCESS; }
    virtual CallbackReturn on_activate(const rclcpp_lifecycle::State &)
    {
        return CallbackReturn::SUCCESS;
    }
    virtual std::vector<StateInterface> export_state_interfaces() = 0;
    virtual std::vector<CommandInterface> export_command_interfaces() = 0;
    virtual return_type read(const rclcpp::Time &, const rclcpp::Duration &) = 0;
    virtual return_type write(const rclcpp::Time &, const rclcpp::Duration &) = 0;
};
} // namespace hardware_interface

#define PLUGINLIB_EXPORT_CLASS(CLASS, BASE)                                                        \
    static_assert(std::is_base_of_v<BASE, CLASS>, "a plug-in");

#endif
