"""A world of tenon: ros2 launch tenon_ros2 simulation.launch.py model:=robot.xml"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def generate_launch_description():
    """The node alone: what else runs decides whether it takes its time from /clock (use_sim_time)."""
    return LaunchDescription([
        DeclareLaunchArgument("model", description="path of an MJCF, URDF or SDF file"),
        DeclareLaunchArgument("tf", default_value="all", description="all, bases (beside robot_state_publisher) or none"),
        Node(package="tenon_ros2", executable="simulation", output="screen",
             parameters=[{"model": LaunchConfiguration("model"), "tf": LaunchConfiguration("tf")}]),
    ])
