"""Arrays of all worlds of a batch, filled on its threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._errors import UsageError
from ._model import Model

if TYPE_CHECKING:
    from ._batch import Batch

# a contact of World.contacts, and the bodies of its geoms
BATCH_CONTACT = np.dtype([("geom1", "<i4"), ("geom2", "<i4"), ("pos", "<f8", 3), ("normal", "<f8", 3), ("gap", "<f8"),
                          ("force", "<f8", 3), ("body1", "<i4"), ("body2", "<i4")])

# what each array has per world
_SHAPES: Dict[str, Callable[[Model], Tuple[int, ...]]] = {
    "body_poses": lambda m: (m.nbody, 7),
    "body_velocities": lambda m: (m.nbody, 6),
    "body_reactions": lambda m: (m.nbody, 6),
    "contact_wrenches": lambda m: (m.nbody, 6),
    "site_poses": lambda m: (m.nsite, 7),
    "site_velocities": lambda m: (m.nsite, 6),
    "geom_poses": lambda m: (m.ngeom, 7),
    "geom_velocities": lambda m: (m.ngeom, 6),
    "actuator_force": lambda m: (m.nu,),
    "sensors": lambda m: (m.nsensordata,),
}
ARRAYS = (*_SHAPES, "contacts", "contact_counts")


def _expected(batch: "Batch", name: str, contacts: int) -> Tuple[Tuple[int, ...], np.dtype]:
    if name == "contacts":
        if contacts < 1:
            raise UsageError("contacts: say how many per world, as arrays('contacts', contacts=8)")
        return (len(batch), contacts), BATCH_CONTACT
    if name == "contact_counts":
        return (len(batch),), np.dtype(np.int32)
    if name not in _SHAPES:
        raise UsageError(f"arrays: there is no '{name}'; there are {', '.join(ARRAYS)}")
    return (len(batch), *_SHAPES[name](batch.model)), np.dtype(np.float64)


def _room(batch: "Batch", name: str, contacts: int, given: Optional[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """A new array, or the one that is given if it fits."""
    shape, dtype = _expected(batch, name, contacts)
    if given is None:
        made = np.zeros(shape, dtype)
        if name == "contacts":  # rows that a mask leaves out have none
            for field in ("geom1", "geom2", "body1", "body2"):
                made[field] = -1
        return made
    if (not isinstance(given, np.ndarray) or given.shape != shape or given.dtype != dtype or not given.flags.c_contiguous
            or not given.flags.writeable):
        raise UsageError(f"out: '{name}' must be a writable C-contiguous array of shape {shape}, {dtype}")
    return given


def fill(batch: "Batch", want: Union[str, Sequence[str]], contacts: int, mask: Optional[npt.ArrayLike],
         out: Optional[Mapping[str, npt.NDArray[Any]]]) -> Dict[str, npt.NDArray[Any]]:
    """The arrays of Batch.arrays."""
    names = [want] if isinstance(want, str) else list(want)
    result = {name: _room(batch, name, contacts, (out or {}).get(name)) for name in names}
    flat = {name: array.view(np.uint8) if name == "contacts" else array for name, array in result.items()}
    batch._arrays(flat, contacts, mask)
    return result


def of_all(name: str, doc: str) -> property:
    """One array as an attribute of Batch."""
    def ask(batch: "Batch") -> npt.NDArray[Any]:
        return fill(batch, name, 0, None, None)[name]

    return property(ask, doc=doc)
