#include "tenon_ros2/hardware.hpp"

#include <cmath>
#include <limits>

#include <pluginlib/class_list_macros.hpp>

namespace tenon_ros2
{

using hardware_interface::CallbackReturn;
using hardware_interface::return_type;

static rclcpp::Logger logger() { return rclcpp::get_logger("TenonSystem"); }

static std::string parameter(const hardware_interface::HardwareInfo &info, const char *name)
{
    const auto found = info.hardware_parameters.find(name);
    return found == info.hardware_parameters.end() ? std::string() : found->second;
}

CallbackReturn TenonSystem::on_init(const hardware_interface::HardwareInfo &info)
{
    if (hardware_interface::SystemInterface::on_init(info) != CallbackReturn::SUCCESS)
        return CallbackReturn::ERROR;
    const std::string model = parameter(info, "model");
    if (model.empty()) {
        RCLCPP_ERROR(logger(),
                     "give the path of an MJCF, URDF or SDF file: <param name=\"model\">");
        return CallbackReturn::ERROR;
    }
    try {
        simulation_ = std::make_unique<Simulation>(model, parameter(info, "package_path"));
    } catch (const std::exception &error) {
        RCLCPP_ERROR(logger(), "%s", error.what());
        return CallbackReturn::ERROR;
    }
    if (!find_interfaces(info)) return CallbackReturn::ERROR;
    copy_state();
    return CallbackReturn::SUCCESS;
}

/* All that is wrong is said before anything fails. */
bool TenonSystem::find_interfaces(const hardware_interface::HardwareInfo &info)
{
    bool fine = true;
    commands_.clear();
    states_.clear();
    for (const auto &part : info.joints) {
        const int joint = simulation_->joint(part.name);
        if (joint < 0) {
            RCLCPP_ERROR(logger(), "the model has no hinge or slide '%s'", part.name.c_str());
            fine = false;
            continue;
        }
        for (const auto &wanted : part.command_interfaces) {
            bool found = false;
            for (Command command : {Command::position, Command::velocity, Command::effort}) {
                if (wanted.name != to_string(command) || !simulation_->accepts(joint, command))
                    continue;
                commands_.push_back(
                    {joint, part.name, command, std::numeric_limits<double>::quiet_NaN()});
                found = true;
            }
            if (found) continue;
            RCLCPP_ERROR(logger(), "no actuator of joint '%s' takes %s commands", part.name.c_str(),
                         wanted.name.c_str());
            fine = false;
        }
        for (const auto &seen : part.state_interfaces) {
            if (seen.name == hardware_interface::HW_IF_POSITION ||
                seen.name == hardware_interface::HW_IF_VELOCITY ||
                seen.name == hardware_interface::HW_IF_EFFORT) {
                states_.push_back({joint, part.name, seen.name, 0.0});
                continue;
            }
            RCLCPP_ERROR(logger(), "joint '%s' has no state '%s'", part.name.c_str(),
                         seen.name.c_str());
            fine = false;
        }
    }
    return fine;
}

std::vector<hardware_interface::StateInterface> TenonSystem::export_state_interfaces()
{
    std::vector<hardware_interface::StateInterface> result;
    for (Seen &seen : states_) result.emplace_back(seen.name, seen.interface, &seen.value);
    return result;
}

std::vector<hardware_interface::CommandInterface> TenonSystem::export_command_interfaces()
{
    std::vector<hardware_interface::CommandInterface> result;
    for (Wanted &wanted : commands_)
        result.emplace_back(wanted.name, to_string(wanted.command), &wanted.value);
    return result;
}

/* Position servos begin where the joints are. */
CallbackReturn TenonSystem::on_activate(const rclcpp_lifecycle::State &)
{
    simulation_->refresh();
    for (Wanted &wanted : commands_)
        wanted.value = wanted.command == Command::position
                           ? simulation_->joints().position[wanted.joint]
                           : 0.0;
    copy_state();
    return CallbackReturn::SUCCESS;
}

void TenonSystem::copy_state()
{
    simulation_->refresh();
    const JointStates &joints = simulation_->joints();
    for (Seen &seen : states_)
        seen.value =
            seen.interface == hardware_interface::HW_IF_POSITION   ? joints.position[seen.joint]
            : seen.interface == hardware_interface::HW_IF_VELOCITY ? joints.velocity[seen.joint]
                                                                   : joints.effort[seen.joint];
}

return_type TenonSystem::read(const rclcpp::Time &, const rclcpp::Duration &)
{
    copy_state();
    return return_type::OK;
}

return_type TenonSystem::write(const rclcpp::Time &, const rclcpp::Duration &period)
{
    for (const Wanted &wanted : commands_)
        if (!std::isnan(wanted.value) &&
            !simulation_->command(wanted.joint, wanted.command, wanted.value)) {
            RCLCPP_ERROR(logger(), "joint '%s': a %s command is not finite", wanted.name.c_str(),
                         to_string(wanted.command));
            return return_type::ERROR;
        }
    bool good = true;
    simulation_->advance(period.seconds(), &good);
    if (good) return return_type::OK;
    RCLCPP_ERROR(logger(), "a step was rejected at t = %g s", simulation_->seconds());
    return return_type::ERROR;
}

} // namespace tenon_ros2

PLUGINLIB_EXPORT_CLASS(tenon_ros2::TenonSystem, hardware_interface::SystemInterface)
