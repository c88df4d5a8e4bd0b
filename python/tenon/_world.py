"""Worlds, and recordings of them."""

from __future__ import annotations

import difflib
import operator
import os
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, Sequence, Tuple, Type, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._derivatives import Derivatives, Parameter, derive
from ._errors import Error, UsageError
from ._model import EVALUATED, Model, Numbers, Which
from ._solver import Method, Solver
from ._words import WORLD, attribute_error, knows_its_keywords

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


def _ray_groups(groups: Sequence[int]) -> int:
    """A bit for each."""
    bits = 0
    for group in groups:
        if not 0 <= group < 32:
            raise UsageError(f"groups: expected numbers 0 to 31, got {group}")
        bits |= 1 << group
    return bits


def _picture(width: int, height: int, depth: bool, segmentation: bool, samples: int) -> Tuple[Tuple[int, int], int]:
    """Width and height of a picture, and what it shows: 0 colour, 1 depth, 2 geoms."""
    if not _core.can_render:
        raise Error("this build of tenon has no renderer: the headers of OpenGL and EGL were missing")
    if depth and segmentation:
        raise UsageError("render: either depth or segmentation")
    size = (operator.index(width), operator.index(height))
    if not (0 < size[0] <= 16384 and 0 < size[1] <= 16384):
        raise UsageError(f"render: width and height must be 1 to 16384, got {size[0]} and {size[1]}")
    if samples not in (1, 2, 4, 8):
        raise UsageError(f"render: samples must be 1, 2, 4 or 8, got {samples!r}")
    return size, 1 if depth else 2 if segmentation else 0


def _pixels(drawn: Any, what: int, shape: Tuple[int, ...]) -> npt.NDArray[Any]:
    """Bytes of pictures as an array."""
    if what == 1:
        return drawn.view(np.float32).reshape(shape)
    if what == 2:
        return drawn.view(np.int32).reshape(shape) - 1
    return drawn.reshape(*shape, 3)


def _kept(numbers: Any) -> Any:
    """A copy that does not change any more, to be pickled later."""
    try:
        return numbers if numbers is None else np.array(numbers).tolist()
    except ValueError:
        return numbers  # the message is that of whoever looks at it


@knows_its_keywords
class World(_core.World):
    """A simulation of a model.

    The arrays `qpos`, `qvel`, `ctrl` and `act` are made once and always show the present state. They can be written
    (``w.qpos[2] = 0.5``). The numbers lie in memory that the package shares with NumPy; as long as someone has an array,
    it is compared before each step or question with the world's own, and what differs is set and checked. Other numbers
    in qpos or qvel start the solver cold. To keep numbers over a step, copy them.

    solver: "auto", "subadmm", "assembled", "newton" or "pgs". tolerance: the largest error of a constraint, as a fraction
    of gravity × timestep; 0: exactly `iterations` iterations. sleep: "off", "passive" or "all". key: the keyframe to
    start from. accuracy: m of error in time per simulated second, which steps are made short enough for; 0: as the model says,
    inf: none (docs/time-stepping.md#accuracy-in-time). device: "cpu", "cuda" or "cuda64" (docs/gpu.md). The result has the
    same bits for any number of threads.

    on_trouble: what step() does about a step that missed its tolerance, was rejected, or has a contact force that nothing
    real makes (`trouble` says what it is): "warn" once (TroubleWarning), "raise" TroubleError and stop there, "ignore".
    """

    def __init__(self, model: Model, *, threads: int = 1, solver: str = "auto", tolerance: Optional[float] = None,
                 iterations: Optional[int] = None, substeps: int = 0, halvings: int = 4, accuracy: float = 0.0,
                 passes: int = 0, sleep: str = "off",
                 sleep_speed: Optional[float] = None, sleep_time: Optional[float] = None,
                 contact_ratio: Optional[float] = None, warm_start: Optional[float] = None,
                 measure_accuracy: bool = False, key: Optional[Which] = None, device: str = "cpu",
                 on_trouble: Literal["warn", "raise", "ignore"] = "warn",
                 relinearize: Optional[int] = None):
        if relinearize is not None:
            warnings.warn("relinearize is now passes; the old name goes with the next version", DeprecationWarning, 2)
            passes = relinearize
        options = dict(threads=threads, solver=solver, tolerance=tolerance, iterations=iterations, substeps=substeps,
                       halvings=halvings, accuracy=accuracy, passes=passes, sleep=sleep, sleep_speed=sleep_speed, sleep_time=sleep_time,
                       contact_ratio=contact_ratio, warm_start=warm_start, measure_accuracy=measure_accuracy, key=key,
                       device=device, on_trouble=on_trouble)
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
            raise attribute_error(self, name, WORLD)
        super().__setattr__(name, value)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise attribute_error(self, name, WORLD)

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

    def contact_force(self, body: Which, other: Optional[Which] = None) -> Numbers:
        """N, world axes: the sum of the contact forces on a body, or of those of one other body on it, mean over the last
        step."""
        index = self.model.body(body)
        contacts, of = self.contacts, self.model._geom_bodies()
        body1, body2 = of[contacts["geom1"]], of[contacts["geom2"]]
        there = np.full(len(contacts), True) if other is None else (
            (body1 == self.model.body(other)) | (body2 == self.model.body(other)))
        sign = (body2 == index).astype(float) - (body1 == index)  # forces act on geom2
        return (sign * there) @ contacts["force"]

    @property
    def actuator_force(self) -> Numbers:
        """(nu,): forces of the actuators at the present state and controls, before gears: N or N·m."""
        return self._actuator_force()

    @property
    def contact_wrenches(self) -> Numbers:
        """(nbody, 6): the force of contacts on each body, and its torque about the body's origin, world axes, mean over the
        last step. Torques of spin and rolling friction are not in it."""
        return self._contact_wrenches()

    @property
    def body_poses(self) -> Numbers:
        """(nbody, 7): position and quaternion (w, x, y, z) of every body at present, a new array."""
        return self.eval(want="body_poses")["body_poses"]

    @property
    def site_poses(self) -> Numbers:
        """(nsite, 7): the same of sites."""
        return self.eval(want="site_poses")["site_poses"]

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

    def site_jacobian(self, site: Which) -> Numbers:
        """(6, nv): the same of a site's origin."""
        return self.jacobian(self.model.site_info(site)["body"], self.site_pose(site)[0])

    def derivatives(self, *, parameters: Sequence[Parameter] = (), smoothing: float = 0.0, compliance: float = 1.0 / 60.0,
                    method: Literal["implicit", "differences"] = "implicit", state: bool = True, ctrl: bool = True,
                    step: float = 1e-6, sides: int = 2, threads: int = 1) -> Derivatives:
        """How the state after the step that comes next follows the present one, controls and parameters. The world stays
        as it is. `threads` share the columns.

        parameters: a list of ("mass", body), ("com", body, 0…2), ("inertia", body, 0…5), ("friction", geom, 0…2), ("size",
        geom, 0…2), ("stiffness", joint), ("spring_ref", joint), ("damping", joint), ("armature", joint), ("friction_loss",
        joint), ("gain", actuator), ("bias", actuator, 0…2), ("gravity", 0…2), "timestep". smoothing: 0: the laws of contact
        as they are; else smoothed, in multiples of gravity × timestep, 0.3 … 3 (docs/derivatives.md). method: "implicit" or
        "differences" of whole steps. step: of differences; sides=1: half of the time, an error of about `step`."""
        options = dict(parameters=list(parameters), smoothing=smoothing, compliance=compliance, method=method, state=state,
                       ctrl=ctrl, step=step, sides=sides, threads=threads)
        return derive([self], 1, options)[0]

    def linearize(self, **options: Any) -> Tuple[Numbers, Numbers]:
        """A and B of derivatives(), whose options it takes: dx⁺ = A dx + B du."""
        found = self.derivatives(**options)
        return found.A, found.B

    def adjoint(self, gradient: npt.ArrayLike, **options: Any) -> Tuple[Numbers, Numbers, Numbers]:
        """From dc/dx⁺ of a cost c, through the step that comes next: dc/dx, dc/du and dc/dp. Options of derivatives()."""
        return self.derivatives(**options).adjoint(gradient)

    def cast_rays(self, origins: npt.ArrayLike, directions: npt.ArrayLike, *, groups: Sequence[int] = (),
                  skip_fixed: bool = False, exclude: Optional[Which] = None,
                  max_distance: float = 0.0) -> npt.NDArray[np.void]:
        """Rays from origins (n, 3) along directions (n, 3): a structured array of distance (in lengths of the direction,
        -1: nothing), geom (-1: none) and normal. groups: only geoms of these; exclude: not those of this body."""
        body = -1 if exclude is None else self.model.body(exclude)
        return self._cast_rays(origins, directions, _ray_groups(groups), skip_fixed, body, max_distance).view(RAY_HIT)

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
               fovy: float = 0.0, depth: bool = False, segmentation: bool = False, samples: int = 4,
               shadows: bool = True) -> npt.NDArray[Any]:
        """A picture, without a window: (height, width, 3) of uint8. depth: float32, m along the view, inf: background.
        segmentation: int32, the index of the geom, -1: background, -2: a tendon. Without a camera of the model, a free one
        at `eye` (m) looks at `target`; None: so that everything is seen. samples: per pixel
        of the colour, 1, 2, 4 or 8. Needs EGL at run time, as Mesa has it."""
        size, what = _picture(width, height, depth, segmentation, samples)
        index = -1 if camera is None else self.model.index("camera", camera)
        if self.closed:
            raise UsageError("the world is closed")
        kept = self.__dict__.get("_renderer")  # the one of the last picture: making one takes longer than drawing
        if kept is None or kept[0] != (size, samples, shadows):
            kept = self.__dict__["_renderer"] = (
                (size, samples, shadows), _core.Renderer(self._handle(), *size, samples, shadows))
        return _pixels(kept[1]._draw(index, eye, target, fovy, what), what, (size[1], size[0]))

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

    @property
    def gravity(self) -> Tuple[float, float, float]:
        """m/s², of this world; it can be set."""
        return self._option()[1]

    @gravity.setter
    def gravity(self, gravity: npt.ArrayLike) -> None:
        self.set_gravity(gravity)

    @property
    def timestep(self) -> float:
        """s, of this world; it can be set."""
        return self._option()[0]

    @timestep.setter
    def timestep(self, timestep: float) -> None:
        self.set_timestep(timestep)

    def joint_forces(self, joint: Which) -> Dict[str, float]:
        """stiffness, spring_ref, damping, armature and friction_loss of a joint in this world: what set_joint_forces sets."""
        info = self._info("joint", self.model.joint(joint))
        return {name: info[name] for name in _JOINT_FORCES}

    def geom_friction(self, geom: Which) -> Tuple[float, float, float]:
        """Sliding, torsional (m) and rolling (m) friction of a geom in this world."""
        return self._info("geom", self.model.geom(geom))["friction"]

    def geom_size(self, geom: Which) -> Tuple[float, float, float]:
        """The size of a geom in this world."""
        return self._info("geom", self.model.geom(geom))["size"]

    def geom_local_pose(self, geom: Which) -> Tuple[Tuple[float, ...], Tuple[float, ...]]:
        """Position and quaternion of a geom in the axes of its body, in this world."""
        info = self._info("geom", self.model.geom(geom))
        return info["pos"], info["quat"]

    def site_local_pose(self, site: Which) -> Tuple[Tuple[float, ...], Tuple[float, ...]]:
        """The same of a site."""
        info = self._info("site", self.model.site(site))
        return info["pos"], info["quat"]

    def actuator_gains(self, actuator: Which) -> Tuple[float, Tuple[float, float, float]]:
        """Gain and bias of an actuator in this world: its force is gain · ctrl + bias · (1, length, velocity). A position
        servo has gain kp and bias (0, -kp, -kv)."""
        info = self._info("actuator", self.model.actuator(actuator))
        return info["gain"], info["bias"]

    def body_mass(self, body: Which) -> Tuple[float, Tuple[float, ...], Tuple[float, ...]]:
        """Mass (kg), centre of mass (m, body axes) and inertia about it (xx yy zz xy xz yz) of one body alone in this world,
        as set_body_mass takes them."""
        info = self._info("body", self.model.body(body))
        return info["own_mass"], info["own_com"], info["own_inertia"]

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

    def set_geom_local_pose(self, geom: Which, pos: Optional[npt.ArrayLike] = None,
                            quat: Optional[npt.ArrayLike] = None) -> None:
        """Where a geom is in its body; None: as it is. Masses do not follow."""
        now = self.geom_local_pose(geom)
        self._change("_set_geom_local_pose", self.model.geom(geom), _kept(now[0] if pos is None else pos),
                     _kept(now[1] if quat is None else quat))

    def set_site_local_pose(self, site: Which, pos: Optional[npt.ArrayLike] = None,
                            quat: Optional[npt.ArrayLike] = None) -> None:
        """Where a site is in its body; None: as it is. Sensors follow; tendons, actuators and equalities keep the place of
        the model."""
        now = self.site_local_pose(site)
        self._change("_set_site_local_pose", self.model.site(site), _kept(now[0] if pos is None else pos),
                     _kept(now[1] if quat is None else quat))

    def set_actuator(self, actuator: Which, gain: Optional[float] = None, bias: Optional[npt.ArrayLike] = None, *,
                     kp: Optional[float] = None, kv: Optional[float] = None) -> None:
        """Gain and bias (three numbers) of an actuator; None: as it is. kp and kv of a position servo: gain kp, bias
        (as it is, -kp, -kv)."""
        gain, bias = _servo_gains(self.actuator_gains(actuator), gain, bias, kp, kv)
        self._change("_set_actuator", self.model.actuator(actuator), gain, _kept(bias))

    def set_joint_forces(self, joint: Which, **forces: float) -> None:
        """stiffness, spring_ref, damping, armature, friction_loss: those that are given change."""
        _check_joint_forces(forces)
        self._change("_set_joint_forces", self.model.joint(joint), dict(forces))

    def set_body_mass(self, body: Which, mass: float, com: Optional[npt.ArrayLike] = None,
                      inertia: Optional[npt.ArrayLike] = None) -> None:
        """Mass of one body; com in body axes, None: as it is; inertia xx yy zz xy xz yz, None: scaled with the mass."""
        self._change("_set_body_mass", self.model.body(body), mass, _kept(com), _kept(inertia))


_JOINT_FORCES = ("stiffness", "spring_ref", "damping", "armature", "friction_loss")


def _check_joint_forces(forces: Dict[str, Any]) -> None:
    for name in forces:
        if name not in _JOINT_FORCES:
            near = difflib.get_close_matches(name, _JOINT_FORCES, 1)
            hint = f"; did you mean '{near[0]}'? There are" if near else "; there are"
            raise TypeError(f"set_joint_forces: there is no '{name}'{hint} {', '.join(_JOINT_FORCES)}")


def _servo_gains(now: Tuple[float, Tuple[float, float, float]], gain: Optional[float], bias: Optional[npt.ArrayLike],
                 kp: Optional[float], kv: Optional[float]) -> Tuple[float, Optional[npt.ArrayLike]]:
    """Gain and bias that kp and kv of a position servo mean; what is not given stays."""
    if kp is None and kv is None:
        return now[0] if gain is None else gain, bias
    if gain is not None or bias is not None:
        raise UsageError("set_actuator: either gain and bias, or kp and kv")
    if now[1][1] == 0.0:
        raise UsageError("set_actuator: kp and kv are for position servos; this actuator has no position feedback")
    gain = now[0] if kp is None else kp
    return gain, (now[1][0], -gain, now[1][2] if kv is None else -kv)


def _note_change(changes: Dict[tuple, tuple], method: str, arguments: tuple) -> None:
    """Remembers what a world was told, for pickling; a later call takes the place of an earlier one."""
    key = (method, arguments[0] if len(arguments) > 1 else None)
    earlier = changes.pop(key, None)
    if earlier and method == "_set_joint_forces":  # what was set before and is not set now stays
        arguments = (arguments[0], {**earlier[1][1], **arguments[1]})
    elif earlier and method in ("_set_actuator", "_set_geom_local_pose", "_set_site_local_pose"):  # None: as it is
        arguments = tuple(old if new is None else new for new, old in zip(arguments, earlier[1]))
    changes[key] = (method, arguments)


def _rebuild_world(cls: Type[World], model: Model, options: Dict[str, Any], changes: List[Any], state: bytes) -> World:
    world = cls(model, **options)
    for method, arguments in changes:
        world._change(method, *arguments)
    world.restore(state)
    return world


@knows_its_keywords
class Recorder(_core.Recorder):
    """Writes a recording (.tnr) of a world, which `tenon view`, `tenon render` and `tenon export` show:

        with tenon.Recorder("run.tnr", w) as recorder:
            for _ in range(100):
                w.step()
                recorder.write(tension=f)    # own curves: any numbers by name

    state: frames have the exact qpos, qvel and ctrl.
    """

    def __init__(self, path: Union[str, os.PathLike], world: World, *, contacts: bool = True, state: bool = False):
        super().__init__(os.fspath(path), world._handle(), contacts, state)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()
