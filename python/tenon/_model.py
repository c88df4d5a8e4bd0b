"""Models."""

from __future__ import annotations

import difflib
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import UsageError
from ._words import MODEL, attribute_error, knows_its_keywords

Which = Union[str, int]
Path = Union[str, "os.PathLike[str]"]
Numbers = npt.NDArray[np.float64]

KINDS = ("body", "joint", "geom", "site", "tendon", "actuator", "equality", "sensor", "key", "camera", "mesh", "rod",
         "wheel", "soft")
EVALUATED = ("body_poses", "site_poses", "geom_poses", "mass_matrix", "bias", "passive", "inverse", "actuator_force",
             "sensors")


def _load_files(cls: Type["Model"], files: Dict[str, bytes]) -> "Model":
    return cls("model.xml", None, files)


@knows_its_keywords
class Model(_core.Model):
    """What there is: bodies, joints, shapes, motors. It does not change, and many worlds may share it.

    Everything with a name has an index, from 0; body 0 is the world. Methods take either. A model can be pickled.
    """

    @classmethod
    def from_file(cls, path: Path, *, package_path: Optional[str] = None, free_base: bool = False, reach: str = "near",
                  limit_factor: float = 1.0) -> "Model":
        """Reads MJCF, URDF or SDF. `package_path` (folders for ``package://`` and ``model://``) is for
        URDF and SDF, `free_base` (the root link is free) for URDF. `reach` says which files the model may name: those in its folder and in the one above ("near"), in its
        folder alone ("folder"), or "any". `limit_factor` raises the limits of what a file may ask for."""
        return cls(os.fspath(path), None, {}, package_path, free_base, reach, limit_factor)

    @classmethod
    def from_string(cls, text: str, *, files: Optional[Mapping[str, bytes]] = None, package_path: Optional[str] = None,
                    free_base: bool = False, reach: str = "near", limit_factor: float = 1.0) -> "Model":
        """Reads MJCF, URDF or SDF from a text. `files` has what the text refers to (meshes, included files) by its path; what is
        not there is looked for on disk, in the present folder."""
        return cls("<string>", text, dict(files or {}), package_path, free_base, reach, limit_factor)

    @classmethod
    def _of_builder(cls, builder: _core.Builder) -> "Model":
        model = cls.__new__(cls)
        _core.Model.__init__(model, builder)
        model.__dict__["_recipe"] = builder._recipe()
        return model

    def write(self, path: Path) -> None:
        """Writes the model as MJCF that loads to the same model; large meshes go to files beside it."""
        self._write(os.fspath(path))

    def __reduce__(self) -> Tuple[Any, ...]:
        recipe = self.__dict__.get("_recipe")
        if recipe is None:
            return _load_files, (type(self), self._written())
        from ._builder import _rebuild_built  # the same calls once more: everything keeps its index
        return _rebuild_built, (type(self), *recipe)

    def __repr__(self) -> str:
        return (f"<tenon.Model '{self.name}': nq={self.nq}, nv={self.nv}, nu={self.nu}, nbody={self.nbody}, "
                f"ngeom={self.ngeom}>")

    def __getattr__(self, name: str) -> Any:
        raise attribute_error(self, name, MODEL)

    # -- sizes and names

    def _lists(self) -> Dict[str, List[str]]:
        """Names of each kind, read once."""
        try:
            return self.__dict__["_names_of"]
        except KeyError:
            lists = self.__dict__["_names_of"] = {kind: self._names(kind) for kind in KINDS}
            self.__dict__["_index_of"] = {kind: {name: i for i, name in enumerate(names) if name}
                                          for kind, names in lists.items()}
            self.__dict__["_counted"] = self._counts()
            return lists

    def _count(self, what: str) -> int:
        self._lists()
        return self.__dict__["_counted"][what]

    def names(self, kind: str) -> List[str]:
        """All names of a kind ("body", "joint", …), "" where there is none."""
        if kind not in KINDS:
            raise KeyError(f"there is no kind '{kind}'; there are {', '.join(KINDS)}")
        return list(self._lists()[kind])

    def index(self, kind: str, which: Which) -> int:
        """The index of a thing by its name; an index is checked and returned."""
        if kind not in KINDS:
            raise KeyError(f"there is no kind '{kind}'; there are {', '.join(KINDS)}")
        names = self._lists()[kind]
        if isinstance(which, str):
            found = self.__dict__["_index_of"][kind].get(which)
            if found is None:
                near = difflib.get_close_matches(which, [name for name in names if name], 1)
                hint = f"; did you mean '{near[0]}'?" if near else ""
                raise KeyError(f"the model has no {kind} '{which}'{hint}")
            return found
        try:
            place = int(which.__index__())
        except AttributeError:
            raise TypeError(f"{kind}: expected a name or an index, got {type(which).__name__}") from None
        if not 0 <= place < len(names):
            raise IndexError(f"the model has no {kind} {place}; it has {len(names)}")
        return place

    @property
    def nq(self) -> int:
        """Numbers in qpos."""
        return self._count("qpos")

    @property
    def nv(self) -> int:
        """Numbers in qvel."""
        return self._count("qvel")

    @property
    def nu(self) -> int:
        """Numbers in ctrl: actuators."""
        return self._count("actuator")

    @property
    def na(self) -> int:
        """Numbers in act: activations."""
        return self._count("act")

    @property
    def nbody(self) -> int:
        """Bodies, with the world."""
        return self._count("body")

    @property
    def njoint(self) -> int:
        """Joints."""
        return self._count("joint")

    @property
    def ngeom(self) -> int:
        """Geoms."""
        return self._count("geom")

    @property
    def nsite(self) -> int:
        """Sites."""
        return self._count("site")

    @property
    def nsensor(self) -> int:
        """Sensors."""
        return self._count("sensor")

    @property
    def nsensordata(self) -> int:
        """Numbers of all sensors."""
        return self._count("sensor_data")

    @property
    def nkey(self) -> int:
        """Keyframes."""
        return self._count("key")

    @property
    def nmocap(self) -> int:
        """Mocap bodies."""
        return self._count("mocap")

    def body(self, which: Which) -> int:
        """The index of a body by its name."""
        return self.index("body", which)

    def joint(self, which: Which) -> int:
        """The index of a joint by its name."""
        return self.index("joint", which)

    def geom(self, which: Which) -> int:
        """The index of a geom by its name."""
        return self.index("geom", which)

    def site(self, which: Which) -> int:
        """The index of a site by its name."""
        return self.index("site", which)

    def tendon(self, which: Which) -> int:
        """The index of a tendon by its name."""
        return self.index("tendon", which)

    def actuator(self, which: Which) -> int:
        """The index of an actuator by its name."""
        return self.index("actuator", which)

    def equality(self, which: Which) -> int:
        """The index of an equality by its name."""
        return self.index("equality", which)

    def sensor(self, which: Which) -> int:
        """The index of a sensor by its name."""
        return self.index("sensor", which)

    def key(self, which: Which) -> int:
        """The index of a keyframe by its name."""
        return self.index("key", which)

    def camera(self, which: Which) -> int:
        """The index of a camera by its name."""
        return self.index("camera", which)

    def mesh(self, which: Which) -> int:
        """The index of a mesh by its name."""
        return self.index("mesh", which)

    def rod(self, which: Which) -> int:
        """The index of a cable by its name."""
        return self.index("rod", which)

    def wheel(self, which: Which) -> int:
        """The index of a wheel by its name."""
        return self.index("wheel", which)

    def soft(self, which: Which) -> int:
        """The index of a soft body by its name."""
        return self.index("soft", which)

    def _geom_bodies(self) -> npt.NDArray[np.int32]:
        """The body of each geom."""
        try:
            return self.__dict__["_bodies_of"]
        except KeyError:
            bodies = self.__dict__["_bodies_of"] = np.array([self._info("geom", i)["body"] for i in range(self.ngeom)], np.int32)
            return bodies

    # What there is to know of a thing, as the structs of tenon/model_info.h. Things are indices, None: none.

    def body_info(self, which: Which) -> Dict[str, Any]:
        """carrier, mass, com, inertia of the rigid part that the body belongs to; own_mass, own_com, own_inertia (xx yy zz
        xy xz yz) of the body alone; mocap (None: it is none)."""
        info = self._info("body", self.body(which))
        info["mocap"] = info["mocap"] - 1 if info["mocap"] else None
        return info

    def joint_info(self, which: Which) -> Dict[str, Any]:
        """type, body, qpos and qvel (slices), pos, axis, range (None: not limited), stiffness, spring_ref, damping, armature,
        friction_loss."""
        info = self._info("joint", self.joint(which))
        start, count = info.pop("qpos_start"), info.pop("qpos_count")
        info["qpos"] = slice(start, start + count)
        start, count = info.pop("dof_start"), info.pop("dof_count")
        info["qvel"] = slice(start, start + count)
        info["range"] = info["range"] if info.pop("limited") else None
        return info

    def geom_info(self, which: Which) -> Dict[str, Any]:
        """type, body, pos and quat in the body's axes, size, rgba, group, mesh, friction, contact_type, contact_affinity,
        contact_dim, …"""
        return self._info("geom", self.geom(which))

    def site_info(self, which: Which) -> Dict[str, Any]:
        """body, pos and quat in the body's axes, type, size."""
        return self._info("site", self.site(which))

    def tendon_info(self, which: Which) -> Dict[str, Any]:
        """name, branch_count (0: a fixed tendon), body (one that it moves), width, rgba."""
        return self._info("tendon", self.tendon(which))

    def actuator_info(self, which: Which) -> Dict[str, Any]:
        """ctrl_range and force_range (None: not limited), act (place of its activation, -1: none), gear, gain, bias."""
        info = self._info("actuator", self.actuator(which))
        for name in ("ctrl", "force"):
            info[f"{name}_range"] = info[f"{name}_range"] if info.pop(f"{name}_limited") else None
        return info

    def equality_info(self, which: Which) -> Dict[str, Any]:
        """type, active, body1, body2, joint1, joint2, tendon1, tendon2."""
        return self._info("equality", self.equality(which))

    def sensor_info(self, which: Which) -> Dict[str, Any]:
        """type, data (a slice of all sensors' numbers)."""
        info = self._info("sensor", self.sensor(which))
        start, count = info.pop("data_start"), info.pop("data_count")
        info["data"] = slice(start, start + count)
        return info

    def sensor_slice(self, which: Which) -> slice:
        """Where the numbers of a sensor are among all sensors' numbers."""
        return self.sensor_info(which)["data"]

    def mesh_info(self, which: Which) -> Dict[str, Any]:
        """name, vertices (n, 3), triangles (m, 3), hull_triangles."""
        return self._info("mesh", self.mesh(which))

    def camera_info(self, which: Which) -> Dict[str, Any]:
        """name, body, pos, quat, fovy (rad), mode, target, resolution."""
        return self._info("camera", self.camera(which))

    def rod_info(self, which: Which) -> Dict[str, Any]:
        """Of a cable: name, segment_count, body and geom (of the first segment; the others follow), lengths, radius, …"""
        return self._info("rod", self.rod(which))

    def wheel_info(self, which: Which) -> Dict[str, Any]:
        """kind, body, pos, axle, radius, normal, keep_height."""
        return self._info("wheel", self.wheel(which))

    def soft_info(self, which: Which) -> Dict[str, Any]:
        """Of a soft body: name, geom, rest (n, 3), tets, triangles, node_masses, qpos_start, dof_start, mass, …"""
        return self._info("soft", self.soft(which))

    # -- evaluation

    def eval(self, qpos: npt.ArrayLike, qvel: Optional[npt.ArrayLike] = None, ctrl: Optional[npt.ArrayLike] = None, *,
             act: Optional[npt.ArrayLike] = None, mocap: Optional[npt.ArrayLike] = None,
             qacc: Optional[npt.ArrayLike] = None, want: Union[str, Sequence[str]] = EVALUATED) -> Dict[str, Numbers]:
        """Evaluates the model at any state. What is not given is zero (mocap: as in the model). Returns a dict with
        what is wanted: body_poses, site_poses, geom_poses (7 numbers each: position and quaternion), mass_matrix, bias,
        passive, inverse (M qacc + bias), actuator_force, sensors."""
        return self._eval(qpos, qvel, ctrl, act, mocap, qacc, [want] if isinstance(want, str) else list(want))

    def inverse_dynamics(self, qpos: npt.ArrayLike, qvel: npt.ArrayLike, qacc: npt.ArrayLike, *,
                         mocap: Optional[npt.ArrayLike] = None) -> Numbers:
        """M qacc + bias: what all forces but inertia and gravity must add up to for the model to accelerate so."""
        return self.eval(qpos, qvel, qacc=qacc, mocap=mocap, want=("inverse",))["inverse"]

    def jacobian(self, qpos: npt.ArrayLike, body: Which, point: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Numbers:
        """(6, nv): velocity and angular velocity, world axes, of a point (in the body's axes) per number of qvel."""
        return self._jacobian(qpos, self.body(body), point)

    def ik(self, qpos: npt.ArrayLike, site: Optional[Which] = None, pos: Optional[npt.ArrayLike] = None,
           quat: Optional[npt.ArrayLike] = None, *, body: Optional[Which] = None,
           point: npt.ArrayLike = (0.0, 0.0, 0.0), max_iterations: int = 200,
           tolerance: float = 1e-6) -> Tuple[Numbers, bool, float, float]:
        """Inverse kinematics from a start, of a site, or of a point of a body (in its axes): (qpos, converged, position
        error, angle error). pos and quat are where it should be; None: it does not matter."""
        if (site is None) == (body is None):
            raise UsageError("ik: expected a site or a body")
        index = -1 if site is None else self.site(site)
        of = -1 if body is None else self.body(body)
        return self._ik(qpos, index, of, point, pos, quat, max_iterations, tolerance)
