"""tenon: multibody physics with cables, soft bodies and exact frictional contact.

    import tenon

    model = tenon.Model.from_file("stir.xml")
    world = tenon.World(model)
    world.step(100)
    print(world.time, world.qpos, world.report)

docs/python.md is the tutorial.
"""

import sys as _sys

from ._batch import Batch
from ._builder import Builder, ball_mesh, box_mesh, cylinder_mesh, load_mesh, sheet_mesh
from ._core import Energy, EnergyAccount, Report, instruction_set, use_instruction_set
from ._core import version as _version
from ._errors import DeviceError, Error, FileError, ModelError, OutOfMemory, UsageError
from ._model import Model
from ._recording import Frame, Recording
from ._show import Viewer, demo, scene_path, scenes, view
from ._solver import Rows, Solution, Solver, solve
from ._world import CONTACT, RAY_HIT, Recorder, World

__version__: str = _version()
__all__ = ["Batch", "Builder", "CONTACT", "DeviceError", "Energy", "EnergyAccount", "Error", "FileError", "Frame",
           "Model", "ModelError", "OutOfMemory", "RAY_HIT", "Recorder", "Recording", "Report", "Rows", "Solution",
           "Solver", "UsageError", "Viewer", "World", "ball_mesh", "box_mesh", "cylinder_mesh", "demo",
           "instruction_set", "load_mesh", "scene_path", "scenes", "sheet_mesh", "solve", "use_instruction_set", "view"]

if "gymnasium" in _sys.modules:  # gymnasium.make("tenon:tenon/CableRouting-v0") imports this module alone
    from . import gym as _gym
