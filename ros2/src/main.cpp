#include <cstdio>

#include "tenon_ros2/node.hpp"

int main(int argc, char **argv)
{
    rclcpp::init(argc, argv);
    int code = 0;
    try {
        rclcpp::spin(std::make_shared<tenon_ros2::SimulationNode>());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        code = 1;
    }
    rclcpp::shutdown();
    return code;
}
