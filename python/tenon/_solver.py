"""The solver alone: matrices in, velocities and forces out."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import UsageError
from ._model import Numbers, Path

Method = Literal["auto", "subadmm", "assembled", "newton", "pgs"]
Set = Literal["equality", "inequality", "soft", "box", "friction", "spin", "roll"]
ROWS_OF = {"equality": 1, "inequality": 1, "soft": 1, "box": 1, "friction": 3, "spin": 1, "roll": 2}


@dataclass
class Rows:
    """Constraints of one law between u = J v + e and the forces λ.

    J is a matrix over all unknowns, of all blocks in order: NumPy's or a sparse one of SciPy. A constraint has one row;
    "friction" has three (the normal, two tangents) and "roll" two. All else is one number, or one per constraint; e has one
    number per row.

        equality    u = 0
        inequality  0 <= λ ⟂ u >= 0
        soft        λ = -k (e + alpha J v)
        box         λ in [lower, upper]; u = 0 inside, u >= 0 at lower, u <= 0 at upper
        friction    Signorini and Coulomb with mu; the first of three rows is the normal
        spin, roll  |λ| <= mu · normal force of `contact`, opposing u; mu in m

    contact: the number of a friction constraint, counted over all rows that are given, from 0. lever: m/s per unit of J v,
    for errors of rows in other units; 0: 1.
    """

    J: Any
    e: npt.ArrayLike = 0.0
    set: Set = "equality"
    mu: npt.ArrayLike = 0.0
    k: npt.ArrayLike = 0.0
    alpha: npt.ArrayLike = 0.0
    lower: npt.ArrayLike = 0.0
    upper: npt.ArrayLike = 0.0
    lever: npt.ArrayLike = 0.0
    contact: npt.ArrayLike = -1


@dataclass
class Solution:
    """What a solve has found.

    v: the numbers of all blocks. forces: λ of all rows. converged: every island meets the tolerance. error: the largest error
    of a constraint, as a fraction of velocity_scale; NaN without a tolerance. aac, aal: correct decimal places (docs/accuracy.md).
    """

    v: Numbers = field(repr=False)
    forces: Numbers = field(repr=False)
    velocities: List[Numbers] = field(repr=False)
    converged: bool
    error: float
    iterations: int
    residual: float
    aac: float
    aal: float
    island_count: int
    islands_by_method: Dict[str, int]


def _numbers(value: Any, what: str, ndim: int) -> Numbers:
    try:
        array = np.asarray(value)
    except ValueError:
        raise UsageError(f"{what}: expected numbers, got a nested list") from None
    if array.dtype.kind not in "fiub" and array.size:
        raise UsageError(f"{what}: expected numbers (float64), got dtype {array.dtype}")
    if array.ndim != ndim:
        raise UsageError(f"{what}: expected {'a matrix' if ndim == 2 else 'a list'}, got shape {array.shape}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _compressed(matrix: Any, what: str) -> Tuple[Tuple[int, int], Any, Any, Any]:
    """Shape, row starts, columns and values of a matrix, which may be sparse."""
    if hasattr(matrix, "tocsr"):
        rows = matrix.tocsr().copy()
        rows.sum_duplicates()
        rows.sort_indices()
        shape, starts, columns, values = rows.shape, rows.indptr, rows.indices, rows.data
        if np.asarray(values).dtype.kind not in "fiub":
            raise UsageError(f"{what}: expected numbers (float64), got dtype {np.asarray(values).dtype}")
    else:
        full = _numbers(matrix, what, 2)
        shape = full.shape
        which, columns = np.nonzero(full)
        values = full[which, columns]
        starts = np.concatenate([[0], np.cumsum(np.bincount(which, minlength=shape[0]))])
    return ((int(shape[0]), int(shape[1])), np.ascontiguousarray(starts, dtype=np.int32),
            np.ascontiguousarray(columns, dtype=np.int32), np.ascontiguousarray(values, dtype=np.float64))


def _block(block: Any, what: str) -> Tuple[Any, ...]:
    """(form, dim, numbers…) of a matrix, or of a dict with A, A_inverse or A_banded."""
    form, matrix = "dense", block
    if isinstance(block, Mapping):
        forms = {"A": "dense", "A_inverse": "inverse", "A_banded": "banded"}
        if len(block) != 1 or next(iter(block)) not in forms:
            raise UsageError(f"{what}: expected a matrix, or a dict with one of {', '.join(forms)}; got {list(block)}")
        name, matrix = next(iter(block.items()))
        form = forms[name]
    if hasattr(matrix, "tocsr"):
        if form != "dense":
            matrix = matrix.toarray()
        else:
            shape, *parts = _compressed(matrix, what)
            if shape[0] != shape[1] or not shape[0]:
                raise UsageError(f"{what}: expected a square matrix, got shape {shape}")
            return ("sparse", shape[0], *parts)
    full = _numbers(matrix, what, 2)
    if not full.size or (form != "banded" and full.shape[0] != full.shape[1]):
        raise UsageError(f"{what}: expected a square matrix, got shape {full.shape}")
    return form, int(full.shape[1]), full


def _spread(value: Any, count: int, what: str, dtype: Any = np.float64) -> npt.NDArray[Any]:
    array = np.asarray(value)
    if array.dtype.kind not in "fiub" and array.size:
        raise UsageError(f"{what}: expected numbers (float64), got dtype {array.dtype}")
    if array.shape not in ((), (count,)):
        raise UsageError(f"{what}: expected one number or {count}, got shape {array.shape}")
    return np.ascontiguousarray(np.broadcast_to(array, (count,)), dtype=dtype)


def _group(rows: Union[Rows, Mapping[str, Any]], number: int, unknowns: int) -> Tuple[Any, ...]:
    what = f"rows {number}"
    if isinstance(rows, Mapping):
        known = list(Rows.__dataclass_fields__)
        for name in rows:
            if name not in known:
                raise TypeError(f"{what}: there is no '{name}'; there are {', '.join(known)}")
        if "J" not in rows:
            raise UsageError(f"{what}: J is missing")
        rows = Rows(**rows)
    if not isinstance(rows, Rows):
        raise TypeError(f"{what}: expected tenon.Rows or a dict, got {type(rows).__name__}")
    if rows.set not in ROWS_OF:
        raise UsageError(f"{what}: set: '{rows.set}' is not one of {', '.join(ROWS_OF)}")
    shape, starts, columns, values = _compressed(rows.J, f"{what}: J")
    if shape[1] != unknowns:
        raise UsageError(f"{what}: J: expected {unknowns} columns, one for each unknown of the blocks, got shape {shape}")
    each = ROWS_OF[rows.set]
    if shape[0] % each:
        raise UsageError(f"{what}: J: '{rows.set}' has {each} rows per constraint, got {shape[0]}")
    count = shape[0] // each
    one = {name: _spread(getattr(rows, name), count, f"{what}: {name}")
           for name in ("mu", "k", "alpha", "lower", "upper", "lever")}
    return (rows.set, starts, columns, values, _spread(rows.contact, count, f"{what}: contact", np.int32),
            _spread(rows.e, shape[0], f"{what}: e"), *one.values())


class Solver(_core.Solver):
    """A problem that can be solved again and again, each time from the last solution:

        A_i v_i = b_i + Σ_j J_ijᵀ λ_j,   (Σ_i J_ij v_i + e_j, λ_j) ∈ set_j

    blocks: symmetric positive definite matrices A_i, NumPy's or sparse ones of SciPy; or dicts with one of A, A_banded
    (diagonals: ``[k, i]`` is A at (i + k, i)) and A_inverse (may be singular: these directions do not move). rows: a list
    of Rows, or of dicts with its fields.

    tolerance: largest error of a constraint, as a fraction of velocity_scale (m/s); 0: exactly `iterations` iterations.
    """

    def __init__(self, blocks: Sequence[Any], rows: Sequence[Union[Rows, Mapping[str, Any]]] = (), *,
                 method: Method = "auto", tolerance: float = 1e-6, iterations: int = 60, velocity_scale: float = 1.0,
                 warm_start: float = -1.0, threads: int = 1):
        if isinstance(rows, (Rows, Mapping)):
            rows = [rows]
        if hasattr(blocks, "tocsr") or (isinstance(blocks, np.ndarray) and blocks.ndim == 2):
            blocks = [blocks]
        made = [_block(block, f"block {i}") for i, block in enumerate(blocks)]
        unknowns = sum(block[1] for block in made)
        groups = [_group(group, i, unknowns) for i, group in enumerate(rows)]
        super().__init__(made, groups, _options(method, tolerance, iterations, velocity_scale, warm_start, threads))

    @classmethod
    def from_file(cls, path: Path, *, method: Method = "auto", tolerance: float = 1e-6,
                  iterations: int = 60, velocity_scale: float = 1.0, warm_start: float = -1.0,
                  threads: int = 1) -> "Solver":
        """Reads a problem: tenon's format, or frictional contact problems of Siconos. It starts where the file says."""
        solver = cls.__new__(cls)
        _core.Solver.__init__(solver, os.fspath(path),
                              _options(method, tolerance, iterations, velocity_scale, warm_start, threads))
        return solver

    @classmethod
    def _of(cls, other: _core.Solver) -> "Solver":
        solver = cls.__new__(cls)
        _core.Solver.__init__(solver, other)
        return solver

    def write(self, path: Path) -> None:
        """Writes the problem, with the last solution as its start, in tenon's format."""
        self._write(os.fspath(path))

    def set(self, *, method: Method = "auto", tolerance: float = 1e-6, iterations: int = 60, velocity_scale: float = 1.0,
            warm_start: float = -1.0) -> None:
        """Changes the settings for the next solve; factorizations are kept."""
        self._set(_options(method, tolerance, iterations, velocity_scale, warm_start, 1))

    def solve(self, b: Optional[npt.ArrayLike] = None) -> Solution:
        """Solves for b, the numbers of all blocks (None: as in the file, or zeros), from the last solution or the start."""
        found = self._solve(b)
        places = np.concatenate([[0], np.cumsum(self._dims())])
        parts = [found["v"][i:j] for i, j in zip(places[:-1], places[1:])]
        return Solution(velocities=parts, **found)

    def start(self, v: Optional[npt.ArrayLike] = None, forces: Optional[npt.ArrayLike] = None) -> None:
        """Sets where the next solve starts; None: zeros."""
        self._start(v, forces)

    @property
    def solution(self) -> Tuple[Numbers, Numbers]:
        """v and forces of the last solution, or the start that was set."""
        return self._solution()

    @property
    def dims(self) -> List[int]:
        """Unknowns of each block."""
        return self._dims()

    @property
    def sets(self) -> List[str]:
        """The law of each constraint."""
        return self._sets()

    def judge(self, v: npt.ArrayLike, forces: npt.ArrayLike, *, b: Optional[npt.ArrayLike] = None,
              v_star: Optional[npt.ArrayLike] = None) -> Dict[str, Any]:
        """The accuracy of any v and forces, recomputed from the problem alone: aac, aal, aav (needs v_star), natural_map
        (m/s, the largest error of a constraint), worst (its number, None: there is none), cone_error, dynamics."""
        return self._judge(v, forces, b, v_star)

    def __repr__(self) -> str:
        return f"<tenon.Solver: {len(self._dims())} blocks, {sum(self._dims())} unknowns, {len(self._sets())} constraints>"


def _options(method: str, tolerance: float, iterations: int, velocity_scale: float, warm_start: float,
             threads: int) -> Dict[str, Any]:
    return dict(method=method, tolerance=tolerance, iterations=iterations, velocity_scale=velocity_scale,
                warm_start=warm_start, thread_count=threads)


def solve(blocks: Sequence[Any], rows: Sequence[Union[Rows, Mapping[str, Any]]] = (), b: Optional[npt.ArrayLike] = None, *,
          start: Optional[Tuple[Optional[npt.ArrayLike], Optional[npt.ArrayLike]]] = None, method: Method = "auto",
          tolerance: float = 1e-6, iterations: int = 60, velocity_scale: float = 1.0, threads: int = 1) -> Solution:
    """Solves one problem; Solver explains the arguments. start: v and forces to start from.

        ball = 2.0 * np.eye(3)                                   # mass 2 kg, one point
        contact = tenon.Rows(J=[[0, 0, 1], [1, 0, 0], [0, 1, 0]], set="friction", mu=0.5)
        solution = tenon.solve([ball], [contact], b=[1.0, 0.0, -4.0])   # momentum that it would have
    """
    solver = Solver(blocks, rows, method=method, tolerance=tolerance, iterations=iterations, velocity_scale=velocity_scale,
                    threads=threads)
    if start is not None:
        solver.start(*start)
    return solver.solve(b)
