"""Models."""

import difflib
import os
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._errors import Error, FileError

KINDS = ("body", "joint", "geom", "site", "tendon", "actuator", "equality", "sensor", "key", "camera", "rod", "wheel",
         "soft")
EVALUATED = ("body_poses", "site_poses", "geom_poses", "mass_matrix", "bias", "passive", "inverse", "actuator_force",
             "sensors")


def _load_files(cls, files: Dict[str, bytes], main: str, shown: Optional[str] = None, **options) -> "Model":
    """Loads a model from files in memory. `shown` takes the place of the path in messages."""
    with tempfile.TemporaryDirectory(prefix="tenon-") as folder:
        for name, content in files.items():
            path = os.path.normpath(os.path.join(folder, name))
            if not path.startswith(folder + os.sep):
                raise FileError(f"{name}: files must be named without leaving their folder")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
        path = os.path.join(folder, main)
        try:
            model = cls(path, **options)
        except Error as error:
            text = str(error).replace(path, shown or main).replace(folder + os.sep, "")
            raise type(error)(text) from None
    return model


class Model(_core.Model):
    """What there is: bodies, joints, shapes, motors. It does not change, and many worlds may share it.

    Everything with a name has an index, from 0; body 0 is the world. Methods take either. A model can be pickled.
    """

    @classmethod
    def from_file(cls, path: Union[str, os.PathLike], *, package_path: Optional[str] = None,
                  free_base: bool = False) -> "Model":
        """Reads MJCF or URDF. `package_path` (folders for ``package://``) and `free_base` (the root link is free) are
        for URDF."""
        return cls(os.fspath(path), package_path, free_base)

    @classmethod
    def from_string(cls, text: str, *, files: Optional[Dict[str, bytes]] = None, free_base: bool = False) -> "Model":
        """Reads MJCF or URDF from a text. `files` has what the text refers to: meshes, included files."""
        everything = dict(files or {})
        everything["<string>"] = text.encode()
        return _load_files(cls, everything, "<string>", free_base=free_base)

    def write(self, path: Union[str, os.PathLike]) -> None:
        """Writes the model as MJCF that loads to the same model; large meshes go to files beside it."""
        self._write(os.fspath(path))

    def __reduce__(self):
        with tempfile.TemporaryDirectory(prefix="tenon-") as folder:
            self._write(os.path.join(folder, "model.xml"))
            files = {}
            for where, _, names in os.walk(folder):
                for name in names:
                    path = os.path.join(where, name)
                    with open(path, "rb") as file:
                        files[os.path.relpath(path, folder)] = file.read()
        return _load_files, (type(self), files, "model.xml")

    def __repr__(self) -> str:
        return f"<tenon.Model '{self.name}': nq={self.nq}, nv={self.nv}, nu={self.nu}, nbody={self.nbody}>"

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

    def index(self, kind: str, which: Union[str, int]) -> int:
        """The index of a thing by its name; an index is checked and returned."""
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

    def body(self, which: Union[str, int]) -> int:
        """The index of a body by its name."""
        return self.index("body", which)

    def joint(self, which: Union[str, int]) -> int:
        """The index of a joint by its name."""
        return self.index("joint", which)

    def geom(self, which: Union[str, int]) -> int:
        """The index of a geom by its name."""
        return self.index("geom", which)

    def site(self, which: Union[str, int]) -> int:
        """The index of a site by its name."""
        return self.index("site", which)

    def actuator(self, which: Union[str, int]) -> int:
        """The index of an actuator by its name."""
        return self.index("actuator", which)

    def sensor(self, which: Union[str, int]) -> int:
        """The index of a sensor by its name."""
        return self.index("sensor", which)

    def equality(self, which: Union[str, int]) -> int:
        """The index of an equality by its name."""
        return self.index("equality", which)

    def key(self, which: Union[str, int]) -> int:
        """The index of a keyframe by its name."""
        return self.index("key", which)

    def joint_info(self, which: Union[str, int]) -> Dict[str, Any]:
        """type, body, qpos and qvel (slices), pos, axis, range (None: not limited)."""
        return self._joint_info(self.joint(which))

    def body_info(self, which: Union[str, int]) -> Dict[str, Any]:
        """carrier, mass, com, inertia of the rigid part that the body belongs to; mocap (-1: it is none)."""
        return self._body_info(self.body(which))

    def actuator_info(self, which: Union[str, int]) -> Dict[str, Any]:
        """ctrl_range (None: not limited), act (place of its activation, -1: none)."""
        return self._actuator_info(self.actuator(which))

    def sensor_slice(self, which: Union[str, int]) -> slice:
        """Where the numbers of a sensor are among all sensors' numbers."""
        return slice(*self._sensor_range(self.sensor(which)))

    # -- evaluation

    def eval(self, qpos, qvel=None, ctrl=None, *, act=None, mocap=None, qacc=None,
             want: Sequence[str] = EVALUATED) -> Dict[str, np.ndarray]:
        """Evaluates the model at any state. What is not given is zero (mocap: as in the model). Returns a dict with
        what is wanted: body_poses, site_poses, geom_poses (7 numbers each: position and quaternion), mass_matrix, bias,
        passive, inverse (M qacc + bias), actuator_force, sensors."""
        return self._eval(qpos, qvel, ctrl, act, mocap, qacc, [want] if isinstance(want, str) else list(want))

    def inverse_dynamics(self, qpos, qvel, qacc, *, mocap=None) -> np.ndarray:
        """M qacc + bias: what all forces but inertia and gravity must add up to for the model to accelerate so."""
        return self.eval(qpos, qvel, qacc=qacc, mocap=mocap, want=("inverse",))["inverse"]

    def jacobian(self, qpos, body: Union[str, int], point=(0.0, 0.0, 0.0)) -> np.ndarray:
        """(6, nv): velocity and angular velocity, world axes, of a point (in the body's axes) per number of qvel."""
        return self._jacobian(qpos, self.body(body), point)

    def ik(self, qpos, site: Union[str, int], pos=None, quat=None, *, max_iterations: int = 200,
           tolerance: float = 1e-6) -> Tuple[np.ndarray, bool, float, float]:
        """Inverse kinematics from a start: (qpos, converged, position error, angle error)."""
        return self._ik(qpos, self.site(site), pos, quat, max_iterations, tolerance)
