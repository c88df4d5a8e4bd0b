"""Environments for Gymnasium: cables, soft bodies, cloth, grain, tight stacks and knots, three well-known robots, and robots from files.

    import gymnasium
    import tenon.gym

    env = gymnasium.make("tenon/CableRouting-v0", render_mode="rgb_array")
    envs = gymnasium.make_vec("tenon/CableRouting-v0", num_envs=64, threads=8)

docs/gym.md describes them.
"""

import importlib
from typing import Dict, Tuple

import tenon
from gymnasium.envs.registration import register, registry

# The task of each environment: module and class in tenon.gym.tasks, and the steps of an episode.
TASKS: Dict[str, Tuple[str, str, int]] = {
    "CableRouting": ("cable_routing", "CableRouting", 200),
    "CableInsertion": ("cable_insertion", "CableInsertion", 150),
    "ClothFolding": ("cloth_folding", "ClothFolding", 100),
    "KnotTying": ("knot_tying", "KnotTying", 400),
    "SoftGrasp": ("soft_grasp", "SoftGrasp", 150),
    "Levelling": ("grain", "Levelling", 200),
    "Stirring": ("grain", "Stirring", 300),
    "Stacking": ("stacking", "Stacking", 200),
    "Reacher": ("reacher", "Reacher", 50),
    "Ant": ("ant", "Ant", 1000),
    "Humanoid": ("humanoid", "Humanoid", 1000),
}
# those that take the path of a robot's model, as `model`
ROBOT_TASKS: Dict[str, Tuple[str, str, int]] = {
    "Legged": ("legged", "Legged", 1000),
    "ArmPick": ("arm_pick", "ArmPick", 200),
    "HandTurn": ("hand_turn", "HandTurn", 200),
}

_PLACES = {"Task": "task", "Simulation": "simulation", "TenonEnv": "env", "TenonVectorEnv": "vector_env",
           "Vary": "vary"}


def make_task(name: str, **options):
    """The task of an environment by its name, as "CableRouting"."""
    known = {**TASKS, **ROBOT_TASKS}
    if name not in known:
        raise KeyError(f"there is no task '{name}'; there are {', '.join(known)}")
    module, cls, _ = known[name]
    if name in ROBOT_TASKS and "model" not in options:
        raise tenon.UsageError(f"{name}: give the path of the robot's MJCF, as model='mujoco_menagerie/unitree_go2/go2.xml'")
    return getattr(importlib.import_module(f"{__name__}.tasks.{module}"), cls)(**options)


def register_envs() -> None:
    """Makes the environments known to Gymnasium, as "tenon/NAME-v0". Importing this module does it."""
    for name, (_, _, steps) in {**TASKS, **ROBOT_TASKS}.items():
        if f"tenon/{name}-v0" not in registry:
            register(id=f"tenon/{name}-v0", entry_point=f"{__name__}.env:TenonEnv",
                     vector_entry_point=f"{__name__}.vector_env:TenonVectorEnv", max_episode_steps=steps,
                     kwargs={"task": name})


def __getattr__(name: str):
    if name in _PLACES:  # not before they are asked for: Gymnasium's own modules take long to load
        return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = ["ROBOT_TASKS", "TASKS", "Simulation", "Task", "TenonEnv", "TenonVectorEnv", "Vary", "make_task", "register_envs"]
register_envs()
