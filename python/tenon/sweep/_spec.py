"""Files that describe a sweep: Python with a Sweep in it, or TOML or JSON with a model."""

import importlib
import json
import pathlib
import sys
from typing import Any, Dict, Mapping

from .._errors import FileError
from ._model import ModelTask
from ._sweep import Sweep
from ._tasks import SweepError

OF_TASK = ("seconds", "noise", "every", "world")
OF_SWEEP = ("grid", "points", "seeds", "root_seed", "paired")


def load(path) -> Sweep:
    path = pathlib.Path(path).resolve()
    if not path.is_file():
        raise FileError(f"{path}: there is no such file")
    if path.suffix == ".py":
        return _from_python(path)
    if path.suffix not in (".toml", ".json"):
        raise SweepError(f"{path.name}: expected a file .py, .toml or .json")
    return _from_settings(path, _read(path))


def _from_python(path: pathlib.Path) -> Sweep:
    sys.path.insert(0, str(path.parent))  # processes that are started get it, too, and import the same module
    module = importlib.import_module(path.stem)
    if pathlib.Path(getattr(module, "__file__", None) or "").resolve() != path:
        raise SweepError(f"{path.name}: a module with the name '{path.stem}' is in use already; rename the file")
    found = {name: value for name, value in vars(module).items() if isinstance(value, Sweep)}
    if len({id(value) for value in found.values()}) != 1:
        have = f"it has {', '.join(found)}" if found else "it has none"
        raise SweepError(f"{path.name}: expected one tenon.sweep.Sweep at the top level of the file; {have}")
    return next(iter(found.values()))


def _read(path: pathlib.Path) -> Dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    try:
        if path.suffix == ".json":
            settings = json.loads(text)
        else:
            try:
                import tomllib
            except ImportError:
                raise SweepError(f"{path.name}: TOML needs Python 3.11 or later; write it as JSON") from None
            settings = tomllib.loads(text)
    except ValueError as error:
        if isinstance(error, SweepError):
            raise
        raise SweepError(f"{path.name}: {error}") from None
    if not isinstance(settings, dict):
        raise SweepError(f"{path.name}: expected an object")
    return settings


def _flat(values: Mapping[str, Any], before: str = "") -> Dict[str, Any]:
    """TOML reads geom.box.friction as three tables."""
    result = {}
    for name, value in values.items():
        result.update(_flat(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: value})
    return result


def _from_settings(path: pathlib.Path, settings: Dict[str, Any]) -> Sweep:
    for name in settings:
        if name not in ("model", *OF_TASK, *OF_SWEEP):
            raise SweepError(f"{path.name}: there is no setting '{name}'; there are model, {', '.join(OF_TASK + OF_SWEEP)}")
    for name in ("model", "seconds"):
        if name not in settings:
            raise SweepError(f"{path.name}: '{name}' is missing")
    for name, kind in (("seconds", (int, float)), ("noise", (int, float)), ("every", int)):
        value = settings.get(name, 0)
        if not isinstance(value, kind) or value < 0:
            raise SweepError(f"{path.name}: '{name}' must be a number, 0 or more, got {value!r}")
    if not isinstance(settings.get("world", {}), dict):
        raise SweepError(f"{path.name}: 'world' must be a table of options")
    task = ModelTask(path.parent / settings["model"], **{name: settings[name] for name in OF_TASK if name in settings})
    of_sweep = {name: settings[name] for name in OF_SWEEP if name in settings}
    if "grid" in of_sweep:
        of_sweep["grid"] = _flat(of_sweep["grid"])
    if "points" in of_sweep:
        of_sweep["points"] = [_flat(point) for point in of_sweep["points"]]
    sweep = Sweep(task, **of_sweep)
    if len({t.number for t in sweep.tasks}) > 1 and not task.noise:
        raise SweepError(f"{path.name}: without noise all seeds would give the same result; set noise, or one seed")
    return sweep
