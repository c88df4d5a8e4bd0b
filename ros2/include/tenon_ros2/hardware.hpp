/* tenon_ros2/hardware.hpp: a world as the hardware of ros2_control. */
#ifndef TENON_ROS2_HARDWARE_HPP
#define TENON_ROS2_HARDWARE_HPP

#include <memory>
#include <string>
#include <vector>

#include <hardware_interface/system_interface.hpp>
#include <hardware_interface/types/hardware_interface_return_values.hpp>
#include <hardware_interface/types/hardware_interface_type_values.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_lifecycle/state.hpp>

#include "tenon_ros2/simulation.hpp"

namespace tenon_ros2
{

/* The parameters model and package_path are as of the node. A joint may have the state interfaces
 * position, velocity and effort, and the command interfaces for which the model has an actuator.
 * The world is stepped by each write(), by the period of the controller manager. */
class TenonSystem : public hardware_interface::SystemInterface
{
  public:
    hardware_interface::CallbackReturn
    on_init(const hardware_interface::HardwareInfo &info) override;
    std::vector<hardware_interface::StateInterface> export_state_interfaces() override;
    std::vector<hardware_interface::CommandInterface> export_command_interfaces() override;
    hardware_interface::CallbackReturn
    on_activate(const rclcpp_lifecycle::State &previous) override;
    hardware_interface::return_type read(const rclcpp::Time &time,
                                         const rclcpp::Duration &period) override;
    hardware_interface::return_type write(const rclcpp::Time &time,
                                          const rclcpp::Duration &period) override;

  private:
    struct Wanted {
        int joint;
        std::string name;
        Command command;
        double value; /* NaN: no controller has written it */
    };
    struct Seen {
        int joint;
        std::string name, interface;
        double value;
    };
    bool find_interfaces(const hardware_interface::HardwareInfo &info);
    void copy_state();

    std::unique_ptr<Simulation> simulation_;
    std::vector<Wanted> commands_;
    std::vector<Seen> states_;
};

} // namespace tenon_ros2

#endif
