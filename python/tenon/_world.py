"""Worlds, and recordings of them."""

import difflib
import operator
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Type, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import Error, UsageError
from ._model import EVALUATED, Model, Numbers, Which
from ._solver import Method, Solver

if TYPE_CHECKING:
    from ._batch import Batch

CONTACT = np.dtype([("geom1", "<i4"), ("geom2", "<i4"), ("pos", "<f8", 3), ("normal", "<f8", 3), ("gap", "<f8"),
                    ("force", "<f8", 3)])
RAY_HIT = np.dtype({"names": ["distance", "geom", "normal"], "formats": ["<f8", "<i4", ("<f8", 3)],
                    "offsets": [0, 8, 16], "itemsize": 40})


def _options(model: Model, options: Dict[str, Any]) -> Dict[str, Any]:
    """Options as _core wants them: None is left out, a keyframe is an index."""
    given = {name: value for name, value in options.items() if value is not None}
    if "key" in given:
        given["key"] = model.key(given["key"])
    return given


def _kept(numbers: Any) -> Any:
    """A copy that does not change any more, to be pickled later."""
    try:
        return numbers if numbers is None else np.array(numbers).tolist()
    except ValueError:
        return numbers  # the message is that of whoever looks at it


class World(_core.World):
    """A simulation of a model.

    The arrays `qpos`, `qvel`, `ctrl` and `act` are made once and always show the present state. They can be written
    (``w.qpos[2] = 0.5``). The numbers lie in memory that the package shares with NumPy; as long as someone has an array,
    it is compared before each step or question with the world's own, and what differs is set and checked. Other numbers
    in qpos or qvel start the solver cold. To keep numbers over a step, copy them.

    solver: "auto", "subadmm", "assembled", "newton" or "pgs". tolerance: the largest error of a constraint, as a fraction
    of gravity × timestep; 0: exactly `iterations` iterations. sleep: "off", "passive" or "all". key: the keyframe to
    start from. device: "cpu", "cuda" or "cuda64" (docs/gpu.md). The result has the same bits for any number of threads.
    """

    def __init__(self, model: Model, *, threads: int = 1, solver: str = "auto", tolerance: Optional[float] = None,
                 iterations: Optional[int] = None, substeps: int = 0, halvings: int = 4, relinearize: int = 0, sleep: str = "off",
                 sleep_speed: Optional[float] = None, sleep_time: Optional[float] = None,
                 contact_ratio: Optional[float] = None, warm_start: Optional[float] = None,
                 measure_accuracy: bool = False, key: Optional[Which] = None, device: str = "cpu"):
        options = dict(threads=threads, solver=solver, tolerance=tolerance, iterations=iterations, substeps=substeps,
                       halvings=halvings, relinearize=relinearize, sleep=sleep, sleep_speed=sleep_speed, sleep_time=sleep_time,
                       contact_ratio=contact_ratio, warm_start=warm_start, measure_accuracy=measure_accuracy, key=key,
                       device=device)
        if not isinstance(model, Model):
            raise TypeError(f"World: expected a tenon.Model, got {type(model).__name__}")
        super().__init__(model, _options(model, options))
        self._begin(model, options)

    def _begin(self, model: Model, options: Dict[str, Any]) -> None:
        self.__dict__["_made_of"] = (model, options)
        self.__dict__["_changes"] = {}  # parameters that differ from the model: pickling repeats them

    @classmethod
    def _of_batch(cls, batch: "Batch", index: int) -> "World":
        world = cls.__new__(cls)
        _core.World.__init__(world, batch._handle(), index)
        world._begin(batch.model, batch._world_options)
        world.__dict__["_changes"] = batch._changes.setdefault(index, {})
        return world

    @property
    def model(self) -> Model:
        """The model; parameters that were set for this world alone are not in it."""
        return self.__dict__["_made_of"][0]

    def reset(self, key: Optional[Which] = None) -> None:
        """Goes to the reference pose or to a keyframe, at time 0 or that of the keyframe. Parameters stay."""
        self._reset(-1 if key is None else self.model.key(key))

    def copy(self) -> "World":
        """A world of its own in the same state, which goes on with the same bits."""
        rebuild, arguments = self.__reduce__()
        return rebuild(*arguments)

    def __reduce__(self) -> Tuple[Any, ...]:
        model, options = self.__dict__["_made_of"]
        return _rebuild_world, (type(self), model, options, list(self.__dict__["_changes"].values()), self.save())

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def __setattr__(self, name: str, value: object) -> None:
        if type(self) is World and not hasattr(World, name):  # a slip of the pen would go unnoticed
            near = difflib.get_close_matches(name, [known for known in dir(World) if known[0] != "_"], 1)
            raise AttributeError(f"World has no '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        if self.closed:
            return "<tenon.World, closed>"
        return f"<tenon.World of '{self.model.name}' at {self.time:g} s: {self.report.contact_count} contacts>"

    # -- what there is now

    @property
    def contacts(self) -> npt.NDArray[np.void]:
        """Contacts of the last step, a structured array: geom1, geom2 (indices), pos, normal (from geom1 to geom2), gap
        (m, negative: depth), force (N, on geom2, mean over the step)."""
        return self._contacts().view(CONTACT)

    def sensor(self, which: Which) -> Numbers:
        """The numbers of one sensor."""
        return self.sensors[self.model.sensor_slice(which)]

    def body_pose(self, which: Which) -> Tuple[Numbers, Numbers]:
        """Position and quaternion (w, x, y, z)."""
        return self._body_pose(self.model.body(which))

    def body_velocity(self, which: Which) -> Tuple[Numbers, Numbers]:
        """Velocity of the centre of mass and angular velocity, world axes."""
        return self._body_velocity(self.model.body(which))

    def site_pose(self, which: Which) -> Tuple[Numbers, Numbers]:
        """Position and quaternion of a site."""
        return self._site_pose(self.model.site(which))

    def site_velocity(self, which: Which) -> Tuple[Numbers, Numbers]:
        """Velocity of a site's origin and angular velocity, world axes."""
        return self._site_velocity(self.model.site(which))

    def geom_pose(self, which: Which) -> Tuple[Numbers, Numbers]:
        """Position and quaternion of a geom."""
        return self._geom_pose(self.model.geom(which))

    def geom_velocity(self, which: Which) -> Tuple[Numbers, Numbers]:
        """Velocity of a geom's origin and angular velocity, world axes."""
        return self._geom_velocity(self.model.geom(which))

    def joint_qpos(self, which: Which) -> Numbers:
        """The part of qpos that belongs to a joint: live, writable."""
        return self.qpos[self.model.joint_info(which)["qpos"]]

    def joint_qvel(self, which: Which) -> Numbers:
        """The part of qvel that belongs to a joint: live, writable."""
        return self.qvel[self.model.joint_info(which)["qvel"]]

    def body_reaction(self, which: Which) -> Tuple[Numbers, Numbers]:
        """Force and torque of the parent on the body at the body's origin, mean over the last step; NaN: not known."""
        return self._body_reaction(self.model.body(which))

    def joint_reaction(self, which: Which) -> Tuple[Numbers, Numbers]:
        """The same at the anchor of a joint."""
        return self._joint_reaction(self.model.joint(which))

    def equality_reaction(self, which: Which) -> Tuple[Numbers, Numbers]:
        """Force and torque of an equality on its second body, at the anchor."""
        return self._equality_reaction(self.model.equality(which))

    def body_loss(self, which: Which) -> float:
        """J: what time stepping took from the robot, cable or free body that the body is part of, since the start."""
        return self._body_loss(self.model.body(which))

    def soft_loss(self, which: Which) -> float:
        """The same of a soft body."""
        return self._soft_loss(self.model.soft(which))

    def body_asleep(self, which: Which) -> bool:
        """Whether a body sleeps."""
        return self._body_asleep(self.model.body(which))

    def eval(self, *, qacc: Optional[npt.ArrayLike] = None,
             want: Union[str, Sequence[str]] = EVALUATED) -> Dict[str, Numbers]:
        """Model.eval at the present state, with the parameters of this world."""
        return self._eval(qacc, [want] if isinstance(want, str) else list(want))

    def mass_matrix(self) -> Numbers:
        """(nv, nv)."""
        return self.eval(want=("mass_matrix",))["mass_matrix"]

    def inverse_dynamics(self, qacc: npt.ArrayLike) -> Numbers:
        """M qacc + bias at the present state."""
        return self.eval(qacc=qacc, want=("inverse",))["inverse"]

    def jacobian(self, body: Which, point: Optional[npt.ArrayLike] = None) -> Numbers:
        """(6, nv): velocity and angular velocity, world axes, of a point (world axes; None: the body's origin) that moves
        with the body, per number of qvel."""
        return self._jacobian(self.model.body(body), point)

    def cast_rays(self, origins: npt.ArrayLike, directions: npt.ArrayLike, *, groups: Sequence[int] = (),
                  skip_fixed: bool = False, exclude: Optional[Which] = None,
                  max_distance: float = 0.0) -> npt.NDArray[np.void]:
        """Rays from origins (n, 3) along directions (n, 3): a structured array of distance (in lengths of the direction,
        -1: nothing), geom (-1: none) and normal. groups: only geoms of these; exclude: not those of this body."""
        bits = 0
        for group in groups:
            if not 0 <= group < 32:
                raise UsageError(f"groups: expected numbers 0 to 31, got {group}")
            bits |= 1 << group
        body = -1 if exclude is None else self.model.body(exclude)
        return self._cast_rays(origins, directions, bits, skip_fixed, body, max_distance).view(RAY_HIT)

    def geom_distance(self, geom1: Which, geom2: Which,
                      most: float = 1e10) -> Optional[Tuple[float, Numbers, Numbers, Numbers]]:
        """(distance, point on geom1, point on geom2, normal), or None where it is not known or above `most`."""
        return self._geom_distance(self.model.geom(geom1), self.model.geom(geom2), most)

    def problem(self, *, method: Method = "auto", tolerance: float = 1e-6, iterations: int = 60) -> Solver:
        """The problem of the last step, with its solution: a Solver of its own. Errors are fractions of 1 m/s there."""
        options = dict(method=method, tolerance=tolerance, iterations=iterations)
        return Solver._of(self._problem(options))

    def render(self, width: int = 640, height: int = 480, camera: Optional[Which] = None, *,
               eye: Optional[npt.ArrayLike] = None, target: Optional[npt.ArrayLike] = None,
               fovy: float = 0.0, depth: bool = False, segmentation: bool = False) -> npt.NDArray[Any]:
        """A picture, without a window: (height, width, 3) of uint8. depth: float32, m along the view, inf: background.
        segmentation: int32, the index of the geom, -1: background, -2: a tendon. Without a camera of the model, a free one
        at `eye` (m) looks at `target`; None: so that everything is seen. Needs EGL at run time, as Mesa has it."""
        if not _core.can_render:
            raise Error("this build of tenon has no renderer: the headers of OpenGL and EGL were missing")
        if depth and segmentation:
            raise UsageError("render: either depth or segmentation")
        size = (operator.index(width), operator.index(height))
        if not (0 < size[0] <= 16384 and 0 < size[1] <= 16384):
            raise UsageError(f"render: width and height must be 1 to 16384, got {size[0]} and {size[1]}")
        index = -1 if camera is None else self.model.index("camera", camera)
        if self.closed:
            raise UsageError("the world is closed")
        kept = self.__dict__.get("_renderer")  # the one of the last picture: making one takes longer than drawing
        if kept is None or kept[0] != size:
            kept = self.__dict__["_renderer"] = (size, _core.Renderer(self._handle(), *size))
        pixels: Any = kept[1]._draw(index, eye, target, fovy, 1 if depth else 2 if segmentation else 0)
        if depth:
            return pixels.view(np.float32).reshape(size[1], size[0])
        if segmentation:
            return pixels.view(np.int32).reshape(size[1], size[0]) - 1
        return pixels.reshape(size[1], size[0], 3)

    def to_html(self, path: Union[str, os.PathLike], *, title: Optional[str] = None, color: str = "model") -> str:
        """Writes one page that shows the world as it is now in any browser; returns its path. A recording's page plays."""
        import tempfile

        from ._recording import record
        with tempfile.TemporaryDirectory() as folder:
            with record(self, os.path.join(folder, "now.tnr")) as now:
                return now.to_html(path, title=title, color=color)

    def _repr_html_(self) -> Optional[str]:
        if self.closed:
            return None
        import tempfile

        from ._recording import record
        with tempfile.TemporaryDirectory() as folder:
            with record(self, os.path.join(folder, "now.tnr")) as now:
                return now._repr_html_()

    def close(self) -> None:
        """Gives the memory back, as soon as no array of the world is in use."""
        self.__dict__.pop("_renderer", None)
        super().close()

    # -- what acts on it

    def apply_wrench(self, body: Which, force: Optional[npt.ArrayLike] = None,
                     torque: Optional[npt.ArrayLike] = None) -> None:
        """A force at the centre of mass and a torque, world axes, for the next step only. Several add up."""
        self._apply_wrench(self.model.body(body), force, torque)

    def set_mocap(self, body: Which, pos: Optional[npt.ArrayLike] = None,
                  quat: Optional[npt.ArrayLike] = None) -> None:
        """The pose that a mocap body reaches at the end of the next step, moving with one velocity."""
        self._set_mocap(self.model.body(body), pos, quat)

    def place_mocap(self, body: Which, pos: Optional[npt.ArrayLike] = None,
                    quat: Optional[npt.ArrayLike] = None) -> None:
        """Puts a mocap body there at once."""
        self._place_mocap(self.model.body(body), pos, quat)

    def mocap(self, body: Which) -> Tuple[Numbers, Numbers]:
        """The pose that was set."""
        return self._mocap(self.model.body(body))

    def set_equality(self, which: Which, active: bool) -> None:
        """Switches an equality on or off."""
        self._set_equality(self.model.equality(which), active)

    def equality_active(self, which: Which) -> bool:
        """Whether an equality is active."""
        return self._equality_active(self.model.equality(which))

    def attach(self, which: Which) -> None:
        """A weld keeps the present relative pose from now on, a connect the present place of its anchor: a grasp."""
        self._attach(self.model.equality(which))

    def wake(self, body: Optional[Which] = None) -> None:
        """Wakes the island of a body, or everything."""
        self._wake(-1 if body is None else self.model.body(body))

    # -- parameters of this world alone

    def _change(self, method: str, *arguments: Any) -> None:
        getattr(self, method)(*arguments)
        _note_change(self.__dict__["_changes"], method, arguments)

    def set_gravity(self, gravity: npt.ArrayLike) -> None:
        """m/s², three numbers."""
        self._change("_set_gravity", _kept(gravity))

    def set_timestep(self, timestep: float) -> None:
        """s."""
        self._change("_set_timestep", timestep)

    def set_geom_friction(self, geom: Which, friction: npt.ArrayLike) -> None:
        """Sliding, torsional (m) and rolling (m) friction of a geom."""
        self._change("_set_geom_friction", self.model.geom(geom), _kept(friction))

    def set_geom_size(self, geom: Which, size: npt.ArrayLike) -> None:
        """The size of a geom, three numbers as in the model. Masses do not follow."""
        self._change("_set_geom_size", self.model.geom(geom), _kept(size))

    def set_actuator(self, actuator: Which, gain: float, bias: Optional[npt.ArrayLike] = None) -> None:
        """Gain and bias (three numbers, None: as they are) of an actuator."""
        self._change("_set_actuator", self.model.actuator(actuator), gain, _kept(bias))

    def set_joint_forces(self, joint: Which, **forces: float) -> None:
        """stiffness, spring_ref, damping, armature, friction_loss: those that are given change."""
        _check_joint_forces(forces)
        self._change("_set_joint_forces", self.model.joint(joint), dict(forces))

    def set_body_mass(self, body: Which, mass: float, com: Optional[npt.ArrayLike] = None,
                      inertia: Optional[npt.ArrayLike] = None) -> None:
        """Mass of one body; com in body axes, None: as it is; inertia xx yy zz xy xz yz, None: scaled with the mass."""
        self._change("_set_body_mass", self.model.body(body), mass, _kept(com), _kept(inertia))


def _check_joint_forces(forces: Dict[str, Any]) -> None:
    known = ("stiffness", "spring_ref", "damping", "armature", "friction_loss")
    for name in forces:
        if name not in known:
            raise TypeError(f"set_joint_forces: there is no '{name}'; there are {', '.join(known)}")


def _note_change(changes: Dict[tuple, tuple], method: str, arguments: tuple) -> None:
    """Remembers what a world was told, for pickling; a later call takes the place of an earlier one."""
    key = (method, arguments[0] if len(arguments) > 1 else None)
    earlier = changes.pop(key, None)
    if earlier and method == "_set_joint_forces":  # what was set before and is not set now stays
        arguments = (arguments[0], {**earlier[1][1], **arguments[1]})
    changes[key] = (method, arguments)


def _rebuild_world(cls: Type[World], model: Model, options: Dict[str, Any], changes: List[Any], state: bytes) -> World:
    world = cls(model, **options)
    for method, arguments in changes:
        world._change(method, *arguments)
    world.restore(state)
    return world


class Recorder(_core.Recorder):
    """Writes a recording (.tnr) of a world, which `tenon view`, `tenon render` and `tenon export` show:

        with tenon.Recorder("run.tnr", w) as recorder:
            for _ in range(100):
                w.step()
                recorder.write()

    state: frames have the exact qpos, qvel and ctrl.
    """

    def __init__(self, path: Union[str, os.PathLike], world: World, *, contacts: bool = True, state: bool = False):
        super().__init__(os.fspath(path), world._handle(), contacts, state)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()
