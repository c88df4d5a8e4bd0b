/* Runs the node and the hardware of ros2/ against ros_stub.hpp; test_ros2.py judges what comes out,
 * one JSON object a line.
 *
 *   ros2_run node MODEL SECONDS CAMERA FRAMES [NAME KIND VALUE …]
 *   ros2_run hardware MODEL SECONDS [NAME KIND VALUE …]
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tenon_ros2/hardware.hpp"
#include "tenon_ros2/node.hpp"

struct Wish {
    std::string joint, kind;
    double value;
};

static void show()
{
    for (const std::string &line : stub::sent) std::puts(line.c_str());
    for (const std::string &line : stub::said)
        std::printf("{\"said\": %s}\n", stub::json(line).c_str());
    stub::sent.clear();
    stub::said.clear();
}

static int run_node(const char *model, double seconds, const char *camera, const char *frames,
                    const std::vector<Wish> &wishes)
{
    rclcpp::NodeOptions options;
    options.append_parameter_override("model", std::string(model))
        .append_parameter_override("rate", 50.0);
    options.append_parameter_override("width", int64_t{64})
        .append_parameter_override("height", int64_t{48});
    options.append_parameter_override("picture_rate", 5.0).append_parameter_override("depth", true);
    if (*camera) options.append_parameter_override("cameras", std::vector<std::string>{camera});
    options.append_parameter_override("tf", std::string(frames));
    tenon_ros2::SimulationNode node(options);
    for (const Wish &wish : wishes) {
        auto message = std::make_shared<sensor_msgs::msg::JointState>();
        message->name = {wish.joint};
        (wish.kind == "position"   ? message->position
         : wish.kind == "velocity" ? message->velocity
                                   : message->effort) = {wish.value};
        stub::subscriptions.at("joint_commands")(message);
    }
    for (double t = 0.0; t < seconds - 1e-9; t += stub::timer_period) stub::timer();
    show();
    stub::service();
    stub::timer();
    std::puts("{\"reset\": true}");
    show();
    return 0;
}

static int run_hardware(const char *model, double seconds, const std::vector<Wish> &wishes)
{
    tenon_ros2::TenonSystem system;
    hardware_interface::HardwareInfo info;
    info.hardware_parameters["model"] = model;
    for (const Wish &wish : wishes)
        info.joints.push_back(
            {wish.joint, {{wish.kind}}, {{"position"}, {"velocity"}, {"effort"}}});
    if (system.on_init(info) != hardware_interface::CallbackReturn::SUCCESS) {
        show();
        return 1;
    }
    auto states = system.export_state_interfaces();
    auto commands = system.export_command_interfaces();
    system.on_activate(rclcpp_lifecycle::State());
    for (auto &command : commands)
        std::printf("{\"activated\": \"%s/%s\", \"value\": %.17g}\n", command.prefix.c_str(),
                    command.name.c_str(), command.get_value());
    for (size_t k = 0; k < commands.size(); k++) commands[k].set_value(wishes[k].value);
    const rclcpp::Duration period(0.003); /* no multiple of the steps */
    int cycles = 0;
    bool good = true;
    for (; cycles * period.seconds() < seconds - 1e-9 && good; cycles++)
        good = system.write(rclcpp::Time(), period) == hardware_interface::return_type::OK &&
               system.read(rclcpp::Time(), period) == hardware_interface::return_type::OK;
    for (const auto &state : states)
        std::printf("{\"state\": \"%s/%s\", \"value\": %.17g}\n", state.prefix.c_str(),
                    state.name.c_str(), state.get_value());
    std::printf("{\"cycles\": %d, \"good\": %s}\n", cycles, good ? "true" : "false");
    show();
    return 0;
}

int main(int count, char **arguments)
{
    try {
        const bool node = count > 5 && !std::strcmp(arguments[1], "node");
        const int first = node ? 6 : 4;
        if (count < first) return 2;
        std::vector<Wish> wishes;
        for (int i = first; i + 2 < count; i += 3)
            wishes.push_back({arguments[i], arguments[i + 1], std::atof(arguments[i + 2])});
        const double seconds = std::atof(arguments[3]);
        return node ? run_node(arguments[2], seconds, arguments[4], arguments[5], wishes)
                    : run_hardware(arguments[2], seconds, wishes);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
