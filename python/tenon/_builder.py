"""Models made by calls, and meshes for their soft bodies."""

import os
from typing import Any, Dict, List, Optional, Tuple, Type

import numpy as np
import numpy.typing as npt

from . import _core
from ._model import Model, Numbers, Path, Which

Mesh = Tuple[Numbers, npt.NDArray[np.int32]]


class Builder(_core.Builder):
    """Makes a model by calls with keywords:

        b = tenon.Builder("pendulum")
        b.option(timestep=0.005)
        arm = b.body(name="arm", pos=(0, 0, 1))
        b.joint(body=arm, type="hinge", axis=(0, 1, 0))
        b.geom(body="arm", type="capsule", size=(0.03, 0.2))
        model = b.build()

    Each method returns the index that the thing has in the model. Where one belongs to another (``body=``, ``parent=``),
    its name or its index is given; what is meant must have been added before. Angles are in radians. A range that is given
    limits (`limited` and the like need not be set), and mass or inertia of a body replace those of its geoms.

    A builder may go on after build(); the model stays as it was.
    """

    def __init__(self, name: str = ""):
        super().__init__()
        if name:
            self.name = name

    @classmethod
    def from_file(cls, path: Path, **options: Any) -> "Builder":
        """Begins with the model of a file; options are those of Model.from_file."""
        return cls._of_files(Model.from_file(path, **options)._written())

    @classmethod
    def from_string(cls, text: str, **options: Any) -> "Builder":
        """Begins with the model of a text; options are those of Model.from_string."""
        return cls._of_files(Model.from_string(text, **options)._written())

    @classmethod
    def _of_files(cls, files: Dict[str, bytes]) -> "Builder":
        builder = cls.__new__(cls)
        _core.Builder.__init__(builder, files)
        return builder

    def build(self) -> Model:
        """The model. Errors name the line of the call that they come from."""
        return Model._of_builder(self)

    def index(self, kind: str, which: Which) -> int:
        """The index of a thing by its name; an index is checked and returned."""
        return self._find(kind, which)

    def count(self, kind: str) -> int:
        """How many things of a kind ("body", "joint", …) there are so far; the world is a body."""
        return self._count(kind)

    def rod_bodies(self, rod: Which) -> range:
        """The bodies of a cable's segments, from its start."""
        first, _, _, segments = self._rod_parts(self._find("rod", rod))
        return range(first, first + segments)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _rebuild_builder, (type(self), *self._recipe())

    def __repr__(self) -> str:
        return (f"<tenon.Builder '{self.name}': {self.count('body') - 1} bodies, {self.count('joint')} joints, "
                f"{self.count('geom')} geoms>")


def _rebuild_builder(cls: Type[Builder], base: Optional[Dict[str, bytes]], calls: List[Any]) -> Builder:
    builder = cls.__new__(cls)
    _core.Builder.__init__(builder, *(() if base is None else (base,)))
    builder._replay(calls)
    return builder


def _rebuild_built(cls: Type[Model], base: Optional[Dict[str, bytes]], calls: List[Any]) -> Model:
    return cls._of_builder(_rebuild_builder(Builder, base, calls))


def box_mesh(half: npt.ArrayLike, cells: npt.ArrayLike, *, tets_per_cell: int = 5) -> Mesh:
    """Nodes and tetrahedra of a box, centred at the origin, for ``Builder.soft(mesh=…)``: three half lengths (m), cells along
    each, 5 or 6 tetrahedra per cell."""
    return _core._box_mesh(half, cells, tets_per_cell)


def cylinder_mesh(radius: float, half_length: float, *, rings: int, layers: int) -> Mesh:
    """Nodes and tetrahedra of a cylinder along z: `rings` elements from the axis to the side, `layers` along z."""
    return _core._cylinder_mesh(radius, half_length, rings, layers)


def ball_mesh(radius: float, *, shells: int) -> Mesh:
    """Nodes and tetrahedra of a ball: `shells` elements from the centre to the surface."""
    return _core._ball_mesh(radius, shells)


def sheet_mesh(half: npt.ArrayLike, cells: npt.ArrayLike) -> Mesh:
    """Nodes and triangles of a rectangle in the plane z = 0, for a cloth: ``Builder.soft(mesh=…, thickness=…)``. Node (i, j)
    is number i · (cells[1] + 1) + j."""
    return _core._sheet_mesh(half, cells)


def load_mesh(path: Path) -> Mesh:
    """Nodes and tetrahedra of a file of gmsh (.msh), TetGen (.node and .ele) or VTK (.vtk)."""
    return _core._load_mesh(os.fspath(path))
