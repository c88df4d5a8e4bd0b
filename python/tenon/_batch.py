"""Batches of worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import fill, of_all
from ._derivatives import BatchDerivatives, Parameter, derive
from ._errors import Error, UsageError
from ._model import Model, Numbers, Which
from ._words import BATCH, attribute_error, knows_its_keywords, takes_options_of
from ._world import RAY_HIT, World, _check_joint_forces, _picture, _pixels, _ray_groups, _note_change, _options, _servo_gains


class DeviceArrays:
    """The arrays of a batch on a device: each speaks DLPack, as torch.from_dlpack(batch.there.qpos). They may be written
    there between calls."""

    def __init__(self, batch: "Batch"):
        self._batch = batch

    @property
    def time(self) -> Any:
        """s, (n,)."""
        return self._batch._device_array("time")

    @property
    def qpos(self) -> Any:
        """(n, nq)."""
        return self._batch._device_array("qpos")

    @property
    def qvel(self) -> Any:
        """(n, nv)."""
        return self._batch._device_array("qvel")

    @property
    def ctrl(self) -> Any:
        """(n, nu): controls, which hold until they are written again."""
        return self._batch._device_array("ctrl")

    @property
    def diverged(self) -> Any:
        """(n,), bytes."""
        return self._batch._device_array("diverged")

    @property
    def mocap(self) -> Any:
        """(n, mocap bodies, 7): positions and unit quaternions that they reach at the end of the next step."""
        return self._batch._device_array("mocap")

    def step(self, n: int = 1, mask: Any = None) -> None:
        """n steps of each world, or of those of a mask on the device. Nothing is copied."""
        self._batch._device_step(n, mask)

    def reset(self, mask: Any = None, key: Optional[Which] = None) -> None:
        """As Batch.reset, with a mask on the device."""
        self._batch._device_reset(mask, -1 if key is None else self._batch.model.key(key))


@knows_its_keywords
class Batch(_core.Batch):
    """n worlds of one model, stepped on several threads. Each has the bits of a lone world with the same inputs.

    With ``device="cuda"`` and n > 1 the worlds are on a GPU (docs/gpu.md says which models that takes). The arrays here
    are copies then, which step, rollout and reset renew; `there` has those of the device. There is no ``b[i]``.

    `qpos`, `qvel`, `ctrl` and `act` are live arrays with one row per world, as those of World. ``b[i]`` is world i, for
    forces and questions. Options are those of World; `threads` share the worlds. `on_trouble` looks at the reports after
    each call, of the last step of each world.

    The set_… methods give each world its own parameters: numbers that have one row per world, or one row for all of
    them. `mask` (bool, one per world) leaves worlds out. A world that refuses its row keeps what it had, and the error
    names it; the others have theirs.
    """

    _model: Model
    _n: int
    _threads: int
    _world_options: Dict[str, Any]
    _worlds: Dict[int, World]
    _changes: Dict[int, Dict[Any, Any]]

    @takes_options_of(World.__init__)
    def __init__(self, model: Model, n: int, *, threads: int = 1, **options: Any):
        if not isinstance(model, Model):
            raise TypeError(f"Batch: expected a tenon.Model, got {type(model).__name__}")
        super().__init__(model, n, threads, _options(model, options))
        self.__dict__.update(_model=model, _n=n, _threads=threads, _world_options=options, _worlds={}, _changes={})

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise attribute_error(self, name, BATCH)

    @property
    def model(self) -> Model:
        """The model that all worlds share."""
        return self._model

    def __len__(self) -> int:
        return self._n

    def derivatives(self, *, parameters: Sequence[Parameter] = (), smoothing: float = 0.0, compliance: float = 1.0 / 60.0,
                    method: Literal["implicit", "differences"] = "implicit", state: bool = True, ctrl: bool = True,
                    step: float = 1e-6, sides: int = 2) -> BatchDerivatives:
        """World.derivatives of all worlds, which the batch's threads share."""
        options = dict(parameters=list(parameters), smoothing=smoothing, compliance=compliance, method=method, state=state,
                       ctrl=ctrl, step=step, sides=sides, threads=1)
        return BatchDerivatives(derive([self[i] for i in range(self._n)], self._threads, options))

    @property
    def there(self) -> DeviceArrays:
        """The arrays on the device, and steps without copies."""
        return DeviceArrays(self)

    def __getitem__(self, index: int) -> World:
        if self._on_device():
            raise UsageError("the worlds of this batch are on a device; use device='cpu' to ask one of them")
        place = index + self._n if index < 0 else index
        if not 0 <= place < self._n:
            raise IndexError(f"the batch has {self._n} worlds, not {index}")
        if place not in self._worlds:
            self._worlds[place] = World._of_batch(self, place)
        return self._worlds[place]

    def __iter__(self) -> Iterator[World]:
        return (self[i] for i in range(self._n))

    @property
    def diverged(self) -> npt.NDArray[np.bool_]:
        """bool, live: a step of this world was refused, it keeps its last good state and rests. Write False, write its
        state, or reset it, to go on."""
        return self._diverged.view(np.bool_)

    def step(self, n: int = 1, mask: Optional[npt.ArrayLike] = None) -> None:
        """Takes n steps of each world, or of those for which mask (bool) is True."""
        self._step(n, mask)

    def rollout(self, ctrl: Optional[npt.ArrayLike] = None, *, length: Optional[int] = None, repeat: int = 1,
                start: Union[None, bytes, Sequence[bytes], Dict[str, Any]] = None, mask: Optional[npt.ArrayLike] = None,
                want: Union[str, Sequence[str]] = ("qpos", "qvel", "sensors")) -> Dict[str, npt.NDArray[Any]]:
        """Steps through controls (n, T, nu), `repeat` steps each; without controls, `length` times. Returns a dict of
        arrays (n, T, …), each as it is after a control: of qpos, qvel, act, sensors, time, diverged what is wanted.

        start: where the worlds begin. None: at their present states. What save() of a world has returned, or of a batch:
        there, with the same bits every time. A dict of qpos, qvel, act (some of them; a row per world, or one for all):
        reset, and then there.

        A world that diverges repeats its last good state; the others go on.
        """
        if isinstance(start, dict):
            self._start_at(start, mask)
        elif start is not None:
            self.restore(start, mask)
        return self._rollout(ctrl, length, repeat, mask, [want] if isinstance(want, str) else list(want))

    def _start_at(self, start: Dict[str, Any], mask: Optional[npt.ArrayLike]) -> None:
        chosen = self._chosen(mask)
        rows = {}
        for name, value in start.items():
            if name not in ("qpos", "qvel", "act"):
                raise UsageError(f"start: there is no '{name}'; there are qpos, qvel, act")
            rows[name] = self._rows(name, value, getattr(self, name).shape[1:])
        self.reset(mask)
        for name, numbers in rows.items():
            getattr(self, name)[chosen] = numbers[chosen]

    def reset(self, mask: Optional[npt.ArrayLike] = None, key: Optional[Which] = None) -> None:
        """Resets all worlds, or those for which mask is True, to the reference pose or a keyframe."""
        self._reset(mask, -1 if key is None else self.model.key(key))

    def report(self, index: int) -> _core.Report:
        """The report of the last step of one world."""
        if self._on_device():
            return self._report(range(self._n)[index])
        return self[index].report

    def save(self) -> List[bytes]:
        """The states of all worlds."""
        return [world.save() for world in self]

    def restore(self, states: Union[bytes, Sequence[bytes]], mask: Optional[npt.ArrayLike] = None) -> None:
        """Goes back to states that save() has returned, or to one that save() of a world has returned, for all."""
        self._restore([states] if isinstance(states, bytes) else list(states), mask)

    # -- questions to all worlds, new arrays, filled on the threads of the batch

    def arrays(self, want: Union[str, Sequence[str]], *, contacts: int = 0, mask: Optional[npt.ArrayLike] = None,
               out: Optional[Mapping[str, npt.NDArray[Any]]] = None) -> Dict[str, npt.NDArray[Any]]:
        """Several arrays in one go, a dict: of body_poses, body_velocities, body_reactions, contact_wrenches, site_poses,
        site_velocities, geom_poses, geom_velocities, actuator_force, sensors, contacts, contact_counts.

        contacts: how many of each world. out: arrays by these names that are written instead of new ones, as an earlier
        call has returned them. mask: rows of other worlds stay as they are, zeros in new arrays."""
        return fill(self, want, contacts, mask, out)

    def contacts(self, most: int) -> npt.NDArray[np.void]:
        """(n, most): the contacts with the largest forces of each world, largest first; a structured array as World.contacts,
        and body1, body2. Empty places have geom1 = geom2 = body1 = body2 = -1 and zeros."""
        return fill(self, "contacts", most, None, None)["contacts"]

    contact_counts = of_all("contact_counts", "(n,): how many contacts each world has.")
    body_poses = of_all("body_poses", "(n, nbody, 7): position and quaternion (w, x, y, z).")
    body_velocities = of_all("body_velocities", "(n, nbody, 6): velocity of the centre of mass, angular velocity; world axes.")
    body_reactions = of_all("body_reactions", "(n, nbody, 6): force and torque of the parent on the body; NaN: not known.")
    contact_wrenches = of_all("contact_wrenches", "(n, nbody, 6): force of contacts on each body, and torque about its origin.")
    site_poses = of_all("site_poses", "(n, nsite, 7): position and quaternion.")
    site_velocities = of_all("site_velocities", "(n, nsite, 6): velocity of the origin, angular velocity; world axes.")
    geom_poses = of_all("geom_poses", "(n, ngeom, 7): position and quaternion.")
    geom_velocities = of_all("geom_velocities", "(n, ngeom, 6): velocity of the origin, angular velocity; world axes.")
    actuator_force = of_all("actuator_force", "(n, nu): forces of the actuators before gears, N or N·m.")

    def jacobian(self, body: Which, point: Optional[npt.ArrayLike] = None) -> Numbers:
        """(n, 6, nv): World.jacobian of all worlds. point: (n, 3) or (3,), world axes; None: the body's origin."""
        points = None if point is None else self._rows("point", point, (3,))
        return self._jacobian(self.model.body(body), points)

    def site_jacobian(self, site: Which) -> Numbers:
        """(n, 6, nv): the same of a site's origin."""
        return self._site_jacobian(self.model.site(site))

    def cast_rays(self, origins: npt.ArrayLike, directions: npt.ArrayLike, *, groups: Sequence[int] = (),
                  skip_fixed: bool = False, exclude: Optional[Which] = None,
                  max_distance: float = 0.0) -> npt.NDArray[np.void]:
        """(n, m): World.cast_rays of all worlds, from origins (n, m, 3) along directions (n, m, 3) or (3,)."""
        begin = np.asarray(origins, dtype=np.float64)
        if begin.ndim != 3 or begin.shape[0] != self._n or begin.shape[2] != 3:
            raise UsageError(f"origins: expected shape ({self._n}, m, 3), got {begin.shape}")
        try:
            along = np.broadcast_to(np.asarray(directions, dtype=np.float64), begin.shape)
        except ValueError:
            raise UsageError(f"directions: expected shape {begin.shape} or (3,), got {np.shape(directions)}") from None
        body = -1 if exclude is None else self.model.body(exclude)
        hits = self._cast_rays(begin, along, _ray_groups(groups), skip_fixed, body, max_distance)
        return hits.view(RAY_HIT).reshape(begin.shape[:2])

    def render(self, width: int = 640, height: int = 480, camera: Optional[Which] = None, *,
               eye: Optional[npt.ArrayLike] = None, target: Optional[npt.ArrayLike] = None,
               fovy: float = 0.0, depth: bool = False, segmentation: bool = False, samples: int = 4,
               shadows: bool = True) -> npt.NDArray[Any]:
        """Pictures of all worlds, (n, height, width, 3), depth and segmentation (n, height, width): World.render of each.
        eye, target: (n, 3) or (3,). Small pictures are several times as fast with samples=1, shadows=False."""
        size, what = _picture(width, height, depth, segmentation, samples)
        if self.closed:
            raise UsageError("the batch is closed")
        if self._on_device():
            raise UsageError("the worlds of this batch are on a device; use device='cpu' to draw them")
        index = -1 if camera is None else self.model.index("camera", camera)
        eyes = None if eye is None else self._rows("eye", eye, (3,))
        targets = None if target is None else self._rows("target", target, (3,))
        kept = self.__dict__.get("_renderer")
        if kept is None or kept[0] != (size, samples, shadows):
            kept = self.__dict__["_renderer"] = (
                (size, samples, shadows), _core.BatchRenderer(self._handle(), *size, samples, shadows))
        return _pixels(kept[1]._draw(index, eyes, targets, fovy, what), what, (self._n, size[1], size[0]))

    # -- parameters of each world

    def _chosen(self, mask: Optional[npt.ArrayLike]) -> npt.NDArray[np.intp]:
        """Indices of the worlds that a mask leaves in."""
        if mask is None:
            return np.arange(self._n)
        mask = np.asarray(mask)
        if mask.dtype != np.bool_ or mask.shape != (self._n,):
            raise UsageError(f"mask: expected bool of shape ({self._n},), got {mask.dtype} of shape {mask.shape}")
        return np.flatnonzero(mask)

    def _rows(self, name: str, value: npt.ArrayLike, width: Tuple[int, ...]) -> Numbers:
        """A row per world, from as many or from one."""
        shape = (self._n, *width)
        try:
            return np.array(np.broadcast_to(np.asarray(value, dtype=np.float64), shape))
        except (TypeError, ValueError):
            raise UsageError(f"{name}: expected numbers of shape {shape} or {width}, got "
                             f"{np.shape(value) if np.ndim(value) else repr(value)}") from None

    def _change_all(self, what: str, index: Optional[int], mask: Optional[npt.ArrayLike], columns: Dict[str, Any],
                    widths: Dict[str, Tuple[int, ...]], arguments: Callable[[Dict[str, Any]], Tuple[Any, ...]]) -> None:
        """columns: None is left out. arguments(row): those of the same change of one world, for pickling."""
        rows = {name: self._rows(name, value, widths.get(name, ())) for name, value in columns.items() if value is not None}
        chosen = self._chosen(mask)

        def change_of(i: int) -> Tuple[str, Tuple[Any, ...]]:
            return (f"_set_{what}", arguments({name: tuple(r[i]) if r.ndim > 1 else float(r[i]) for name, r in rows.items()}))

        try:
            self._set(what, -1 if index is None else index, mask, rows)
        except Error:
            for i in chosen if not self._on_device() else []:  # which have it and which refused it
                try:
                    self[int(i)]._change(change_of(i)[0], *change_of(i)[1])
                except Error:
                    pass
            raise
        for i in chosen:
            _note_change(self._changes.setdefault(int(i), {}), *change_of(i))

    def set_gravity(self, gravity: npt.ArrayLike, mask: Optional[npt.ArrayLike] = None) -> None:
        """m/s²: (n, 3) or (3,)."""
        self._change_all("gravity", None, mask, dict(gravity=gravity), dict(gravity=(3,)), lambda row: (row["gravity"],))

    def set_timestep(self, timestep: npt.ArrayLike, mask: Optional[npt.ArrayLike] = None) -> None:
        """s: (n,) or a number."""
        self._change_all("timestep", None, mask, dict(timestep=timestep), {}, lambda row: (row["timestep"],))

    def set_geom_friction(self, geom: Which, friction: npt.ArrayLike, mask: Optional[npt.ArrayLike] = None) -> None:
        """Sliding, torsional (m) and rolling (m) friction of a geom: (n, 3) or (3,)."""
        index = self.model.geom(geom)
        self._change_all("geom_friction", index, mask, dict(friction=friction), dict(friction=(3,)),
                         lambda row: (index, row["friction"]))

    def set_geom_size(self, geom: Which, size: npt.ArrayLike, mask: Optional[npt.ArrayLike] = None) -> None:
        """The size of a geom as in the model: (n, 3) or (3,). Masses do not follow."""
        index = self.model.geom(geom)
        self._change_all("geom_size", index, mask, dict(size=size), dict(size=(3,)), lambda row: (index, row["size"]))

    def set_geom_local_pose(self, geom: Which, pos: Optional[npt.ArrayLike] = None, quat: Optional[npt.ArrayLike] = None,
                            mask: Optional[npt.ArrayLike] = None) -> None:
        """Where a geom is in its body: pos (n, 3) or (3,), quat (n, 4) or (4,), None: as it is. Masses do not follow."""
        index = self.model.geom(geom)
        self._change_all("geom_local_pose", index, mask, dict(pos=pos, quat=quat), dict(pos=(3,), quat=(4,)),
                         lambda row: (index, row.get("pos"), row.get("quat")))

    def set_site_local_pose(self, site: Which, pos: Optional[npt.ArrayLike] = None, quat: Optional[npt.ArrayLike] = None,
                            mask: Optional[npt.ArrayLike] = None) -> None:
        """The same of a site. Sensors follow; tendons, actuators and equalities keep the place of the model."""
        index = self.model.site(site)
        self._change_all("site_local_pose", index, mask, dict(pos=pos, quat=quat), dict(pos=(3,), quat=(4,)),
                         lambda row: (index, row.get("pos"), row.get("quat")))

    def set_actuator(self, actuator: Which, gain: npt.ArrayLike, bias: Optional[npt.ArrayLike] = None,
                     mask: Optional[npt.ArrayLike] = None) -> None:
        """Gain, (n,) or a number, and bias, (n, 3) or (3,), None: as it is."""
        index = self.model.actuator(actuator)
        self._change_all("actuator", index, mask, dict(gain=gain, bias=bias), dict(bias=(3,)),
                         lambda row: (index, row["gain"], row.get("bias")))

    def set_joint_forces(self, joint: Which, mask: Optional[npt.ArrayLike] = None, **forces: npt.ArrayLike) -> None:
        """stiffness, spring_ref, damping, armature, friction_loss, each (n,) or a number: those that are given change."""
        index = self.model.joint(joint)
        _check_joint_forces(forces)
        self._change_all("joint_forces", index, mask, forces, {}, lambda row: (index, row))

    def set_body_mass(self, body: Which, mass: npt.ArrayLike, com: Optional[npt.ArrayLike] = None,
                      inertia: Optional[npt.ArrayLike] = None, mask: Optional[npt.ArrayLike] = None) -> None:
        """Mass, (n,) or a number; com in body axes, (n, 3) or (3,), None: as it is; inertia xx yy zz xy xz yz, (n, 6) or
        (6,), None: scaled with the mass."""
        index = self.model.body(body)
        self._change_all("body_mass", index, mask, dict(mass=mass, com=com, inertia=inertia), dict(com=(3,), inertia=(6,)),
                         lambda row: (index, row["mass"], row.get("com"), row.get("inertia")))

    def set_mocap(self, body: Which, pos: npt.ArrayLike, quat: Optional[npt.ArrayLike] = None,
                  mask: Optional[npt.ArrayLike] = None) -> None:
        """Where a mocap body will be at the end of the next step: pos (n, 3) or (3,), quat (n, 4) or (4,), None: as it is."""
        columns = dict(pos=self._rows("pos", pos, (3,)))
        if quat is not None:
            columns["quat"] = self._rows("quat", quat, (4,))
        self._set("mocap", self.model.body(body), mask, columns)

    def close(self) -> None:
        """Gives the memory back, as soon as no array and no world of the batch is in use."""
        self._worlds.clear()
        self.__dict__.pop("_renderer", None)
        self._close()

    def __reduce__(self) -> Tuple[Any, ...]:
        changes = {i: list(of.values()) for i, of in self._changes.items() if of}
        return _rebuild_batch, (type(self), self._model, self._n, self._threads, self._world_options, changes, self.save())

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<tenon.Batch, closed>" if self.closed else f"<tenon.Batch of {self._n} worlds of '{self.model.name}'>"


def _rebuild_batch(cls: Type[Batch], model: Model, n: int, threads: int, options: Dict[str, Any],
                   changes: Dict[int, List[Any]], states: List[bytes]) -> Batch:
    batch = cls(model, n, threads=threads, **options)
    for index, list_of in changes.items():
        for method, arguments in list_of:
            batch[index]._change(method, *arguments)
    batch.restore(states)
    return batch
