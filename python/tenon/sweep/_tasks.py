"""Tasks: points of a grid or list × seeds. Keys and seeds follow from the parameters alone, never from the order."""

import hashlib
import itertools
import json
import math
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

import numpy as np

from .._errors import UsageError

KEY_LENGTH = 16  # hexadecimal digits


class SweepError(UsageError):
    """A sweep is described wrongly, or its folder has results of another sweep."""


@dataclass(frozen=True)
class Task:
    """One call of the task function."""

    index: int
    """Place in the sweep, from 0."""
    params: Dict[str, Any]
    number: int
    """Number of the seed."""
    seed: int
    """What the function gets: 63 bits that follow from the parameters and `number`."""
    key: str
    """Name of its result file, without the suffix."""

    def __str__(self) -> str:
        return ", ".join([f"{name}={value}" for name, value in self.params.items()] + [f"seed {self.number}"])


def canonical(value: Any) -> str:
    """One text for one value: floats as Python writes them, names in alphabetical order."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _plain(value: Any, where: str) -> Any:
    """A value as JSON has it; NumPy's scalars and arrays become numbers and lists."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(part, where) for part in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            raise SweepError(f"{where}: NaN cannot be a parameter")
        return value
    raise SweepError(f"{where}: expected numbers, texts or lists of them, got {type(value).__name__}")


def _points(grid: Optional[Mapping[str, Iterable]], points: Optional[Iterable[Mapping[str, Any]]]) -> List[Dict[str, Any]]:
    """Every point × every combination of the grid; the last name of the grid varies fastest."""
    grid = dict(grid or {})
    for name, values in grid.items():
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise SweepError(f"grid: '{name}' must be a list of values, got {values!r}")
        grid[name] = [_plain(value, f"grid: '{name}'") for value in values]
        if not grid[name]:
            raise SweepError(f"grid: '{name}' has no values")
    result = []
    for point in [{}] if points is None else points:
        if not isinstance(point, Mapping):
            raise SweepError(f"points: expected a list of dicts, got a {type(point).__name__} in it")
        point = {str(name): _plain(value, f"points: '{name}'") for name, value in point.items()}
        for name in point:
            if name in grid:
                raise SweepError(f"'{name}' is in the grid and in a point; it can be in one of them")
        result += [{**point, **dict(zip(grid, values))} for values in itertools.product(*grid.values())]
    return result


def _numbers(seeds: Union[int, Iterable[int]]) -> List[int]:
    numbers = list(range(seeds)) if isinstance(seeds, int) else [int(number) for number in seeds]
    if not numbers or min(numbers) < 0 or len(set(numbers)) < len(numbers):
        raise SweepError(f"seeds: expected how many there are, 1 or more, or a list of different numbers, got {seeds!r}")
    return numbers


def make_tasks(grid, points, seeds, root_seed: int, paired: bool) -> Sequence[Task]:
    tasks: List[Task] = []
    seen: Dict[str, int] = {}
    numbers = _numbers(seeds)
    for params in _points(grid, points):
        for number in numbers:
            source = canonical([root_seed, None if paired else params, number])
            seed = int.from_bytes(hashlib.sha256(source.encode()).digest()[:8], "little") >> 1
            key = hashlib.sha256(canonical([params, number, seed]).encode()).hexdigest()[:KEY_LENGTH]
            task = Task(len(tasks), params, number, seed, key)
            if key in seen:
                raise SweepError(f"tasks {seen[key]} and {task.index} are the same: {task}")
            seen[key] = task.index
            tasks.append(task)
    if not tasks:
        raise SweepError("the sweep has no tasks: points is an empty list")
    return tasks
