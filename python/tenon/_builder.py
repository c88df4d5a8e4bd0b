"""Models made by calls, and meshes for their soft bodies."""

from __future__ import annotations

import ast
import inspect
import os
import re
import textwrap
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

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


def _type_text(annotation: str) -> str:
    """A type as a reader says it."""
    words = re.fullmatch(r"typing\.Literal\[(.*)\](?: \| None)?", annotation)
    if words:
        return re.sub(r"(.*), ", r"\1 or ", words.group(1))
    for long, short in (("collections.abc.", ""), ("numpy.typing.ArrayLike", "numbers"), ("typing.", ""), (" | None", ""),
                        ("str | int", "a name or an index")):
        annotation = annotation.replace(long, short)
    return annotation


def _readable(name: str) -> Callable[..., Any]:
    """The method of the module, with a signature that inspect and help() can show."""
    core = getattr(_core.Builder, name)
    head, _, text = core.__doc__.partition("\n")
    function = ast.parse(f"def {head.split(' -> ')[0]}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    parameters, types = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)], {}
    for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults):
        value = ast.literal_eval(default) if default else ...
        parameters.append(inspect.Parameter(argument.arg, inspect.Parameter.KEYWORD_ONLY,
                                            default=inspect.Parameter.empty if value is ... else value))
        types[argument.arg] = _type_text(ast.unparse(argument.annotation)) if argument.annotation else ""

    def method(self: "Builder", **keywords: Any) -> Any:
        return core(self, **keywords)

    # a line for each keyword: those that need no words have their type
    about, lines = [], {}
    for line in inspect.cleandoc(text).splitlines():
        keyword = re.match(r"    (\w+): (.*)", line)
        if keyword and keyword.group(1) in types:
            lines[keyword.group(1)] = keyword.group(2)
        else:
            about.append(textwrap.fill(line, 116))
    entries = [textwrap.fill(f"{key} ({of}){': ' + lines[key] if key in lines else ''}", 116, subsequent_indent="    ")
               for key, of in types.items()]
    method.__name__, method.__qualname__ = name, f"Builder.{name}"
    method.__doc__ = "\n".join(about).rstrip() + "\n\n" + "\n".join(textwrap.indent(entry, "    ") for entry in entries)
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return method


for _name in _core.builder_methods:
    setattr(Builder, _name, _readable(_name))


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
