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
from ._derivatives import BatchDerivatives, Derivatives, Switch, difference, displace
from ._errors import DeviceError, Error, FileError, ModelError, OutOfMemory, TroubleError, TroubleWarning, UsageError
from ._fit import FitResult, fit, read_log
from ._live import LivePage, live
from ._model import Model
from ._plan import Cost, Plan, PlanResult
from ._recording import Frame, Recording
from ._show import Viewer, demo, scene_path, scenes, view
from ._solver import Rows, Solution, Solver, solve
from ._world import CONTACT, RAY_HIT, Recorder, World

from ._words import show_as_written as _show_as_written

__version__: str = _version()
__all__ = ["Batch", "BatchDerivatives", "Builder", "CONTACT", "Cost", "Derivatives", "DeviceError", "Energy",
           "EnergyAccount", "Error", "FileError", "FitResult", "Frame", "LivePage", "Model", "ModelError",
           "OutOfMemory", "Plan", "PlanResult", "RAY_HIT", "Recorder", "Recording", "Report", "Rows", "Solution",
           "Solver", "Switch", "TroubleError", "TroubleWarning", "UsageError", "Viewer", "World", "ball_mesh",
           "box_mesh", "cylinder_mesh", "demo", "difference", "displace", "fit", "instruction_set", "live", "load_mesh",
           "read_log", "scene_path", "scenes", "sheet_mesh", "solve", "use_instruction_set", "view"]

_show_as_written(globals()[_name] for _name in __all__)

if "gymnasium" in _sys.modules:  # gymnasium.make("tenon:tenon/CableRouting-v0") imports this module alone
    from . import gym as _gym


def __getattr__(name: str) -> object:
    from ._words import MODULE, answer
    raise AttributeError(answer("tenon", name, MODULE, __all__))
