"""Derivatives of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import UsageError
from ._model import Model, Numbers, Which

if TYPE_CHECKING:
    from ._world import World

KINDS: List[str] = list(_core._parameter_kinds)
OF_BODIES = ("mass", "com", "inertia")
OF_GEOMS = ("friction", "size")
OF_JOINTS = ("stiffness", "spring_ref", "damping", "armature", "friction_loss")
OF_ACTUATORS = ("gain", "bias")

Parameter = Union[str, Tuple[str, Which], Tuple[str, Which, int], Tuple[str, int], Tuple[str, None, int]]


class Switch(NamedTuple):
    """A law that is near to another of its classes: a contact or limit that opens or closes, friction that holds or
    slips."""

    kind: str  #: "open" or "slip"
    geom1: int  #: -1: not a contact
    geom2: int
    joint: int  #: of a limit or dry friction; -1: none of a joint
    margin: float  #: of gravity × timestep


def _parameter(model: Model, given: Parameter) -> Tuple[int, int, int]:
    parts: Tuple[Any, ...] = (given,) if isinstance(given, str) else tuple(given)
    kind = parts[0] if parts else ""
    if kind not in KINDS:
        raise UsageError(f"parameters: no kind {kind!r}; expected {', '.join(KINDS)}")
    which = parts[1] if len(parts) > 1 else None
    index = parts[2] if len(parts) > 2 else 0
    if kind in ("gravity", "timestep"):
        return KINDS.index(kind), 0, int(index if len(parts) > 2 else which or 0)
    if which is None:
        raise UsageError(f"parameters: {kind!r} needs the name or index of what it is of")
    find = (model.body if kind in OF_BODIES else model.geom if kind in OF_GEOMS else
            model.joint if kind in OF_JOINTS else model.actuator)
    return KINDS.index(kind), find(which) + 1, int(index)


class Derivatives:
    """dx⁺ = A dx + B du + P dp of one step. A state x has 2 nv + na numbers: displacements of qpos in the coordinates of
    qvel (a quaternion counts three), qvel, act."""

    A: Numbers  #: (nx, nx)
    B: Numbers  #: (nx, nu)
    P: Numbers  #: (nx, parameters)
    qpos: Numbers  #: the new state
    qvel: Numbers
    act: Numbers
    kinks: Numbers  #: per column of A, B, P: what the derivatives from the two sides differ by
    columns: npt.NDArray[np.str_]  #: per column: "implicit", "differences" or "none"
    switches: List[Switch]  #: laws near another class
    why: str  #: columns are by differences though implicit ones were asked for
    forces: int  #: that implicit columns solve for
    condition: float  #: of their matrix
    closed: int  #: implicit columns in closed form
    why_not_closed: str  #: and why those of state and controls are not

    def __init__(self, found: Dict[str, Any]):
        for name in ("A", "B", "P", "qpos", "qvel", "act", "kinks", "why", "forces", "condition", "closed",
                     "why_not_closed"):
            setattr(self, name, found[name])
        words = np.array(["none", "implicit", "differences"])
        self.columns = words[np.frombuffer(found["columns"], dtype=np.uint8)]
        self.switches = [Switch(("open", "slip")[s[0]], *s[1:]) for s in found["switches"]]

    def adjoint(self, gradient: npt.ArrayLike) -> Tuple[Numbers, Numbers, Numbers]:
        """From dc/dx⁺ of a cost c: dc/dx, dc/du and dc/dp."""
        g = np.asarray(gradient, dtype=float)
        return g @ self.A, g @ self.B, g @ self.P

    def __repr__(self) -> str:
        counts = ", ".join(f"{int((self.columns == word).sum())} {word}" for word in ("implicit", "differences", "none")
                           if (self.columns == word).any())
        kinks = int((self.kinks > 1e-3).sum())
        return (f"<tenon.Derivatives: {counts or 'no columns'}" + (f", {kinks} at a kink" if kinks else "") +
                (f"; {self.why}" if self.why else "") + ">")


class BatchDerivatives:
    """Those of all worlds of a batch: arrays have one more axis, the world, in front."""

    A: Numbers  #: (n, nx, nx)
    B: Numbers  #: (n, nx, nu)
    P: Numbers  #: (n, nx, parameters)
    qpos: Numbers
    qvel: Numbers
    act: Numbers
    worlds: List[Derivatives]  #: of each

    def __init__(self, worlds: List[Derivatives]):
        self.worlds = worlds
        for name in ("A", "B", "P", "qpos", "qvel", "act"):
            setattr(self, name, np.stack([getattr(d, name) for d in worlds]))

    def adjoint(self, gradient: npt.ArrayLike) -> Tuple[Numbers, Numbers, Numbers]:
        """From dc/dx⁺, (n, nx): dc/dx, dc/du and dc/dp of each world."""
        g = np.asarray(gradient, dtype=float)[:, None, :]
        return (g @ self.A)[:, 0], (g @ self.B)[:, 0], (g @ self.P)[:, 0]


def _deriver(world: "World", options: Dict[str, Any]) -> Any:
    """What takes them, kept with the world."""
    given = dict(options, parameters=[_parameter(world.model, p) for p in options["parameters"]])
    method = given.pop("method")
    if method not in ("implicit", "differences"):
        raise UsageError(f"method: expected 'implicit' or 'differences', got {method!r}")
    given["differences"] = method == "differences"
    key = tuple(sorted((name, tuple(value) if name == "parameters" else value) for name, value in given.items()))
    handle = world._handle()
    kept = world.__dict__.setdefault("_derivers", {})
    if key not in kept:
        kept[key] = _core._Derivatives(handle, given)
    return kept[key]


def derive(worlds: Sequence["World"], threads: int, options: Dict[str, Any]) -> List[Derivatives]:
    """Of several worlds of one batch."""
    derivers = [_deriver(world, options) for world in worlds]
    _core._derive(derivers, threads)
    return [Derivatives(d._result()) for d in derivers]


def difference(model: Model, qpos1: npt.ArrayLike, qpos2: npt.ArrayLike) -> Numbers:
    """qpos2 ⊖ qpos1, nv numbers."""
    found: Numbers = _core._difference(model, qpos1, qpos2)
    return found


def displace(model: Model, qpos: npt.ArrayLike, tangent: npt.ArrayLike) -> Numbers:
    """qpos ⊕ tangent."""
    found: Numbers = _core._displace(model, qpos, tangent)
    return found

