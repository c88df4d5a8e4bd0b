"""A task that needs no program: a model of which attributes are parameters, simulated for a while."""

import hashlib
import os
import pathlib
import tempfile
import xml.etree.ElementTree as xml
from typing import Any, Dict, Mapping, Optional

import numpy as np

from .._errors import Error, FileError
from .._model import Model
from .._world import World
from ._results import model_hash
from ._tasks import SweepError, canonical


def _expanded(path: pathlib.Path, folder: pathlib.Path, within: tuple = ()) -> xml.Element:
    """A model with the files that it includes put in."""
    if path in within:
        raise SweepError(f"{path}: the file includes itself")
    try:
        root = xml.parse(path).getroot()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    except xml.ParseError as error:
        raise SweepError(f"{path}: {error}") from None
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == "include":
                inner = _expanded(folder / child.get("file", ""), folder, within + (path,))
                place = list(parent).index(child)
                parent.remove(child)
                for element in reversed(inner):
                    parent.insert(place, element)
    return root


def _written(value: Any) -> str:
    """A parameter as an attribute: numbers so that they are read back with the same bits."""
    if isinstance(value, list):
        return " ".join(_written(part) for part in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def _put(root: xml.Element, name: str, value: Any) -> None:
    """Sets an attribute: "geom.box.friction" of the geom with the name "box", "option.timestep" of the only option."""
    parts = name.split(".")
    if len(parts) < 2:
        raise SweepError(f"'{name}': expected ELEMENT.NAME.ATTRIBUTE, or ELEMENT.ATTRIBUTE of an element that is there once")
    tag, wanted, attribute = parts[0], ".".join(parts[1:-1]), parts[-1]
    found = [element for element in root.iter(tag) if wanted in ("", element.get("name"))]
    if not found and tag == "option" and not wanted:
        found = [xml.SubElement(root, "option")]
    if len(found) != 1:
        which = f"<{tag}> with the name '{wanted}'" if wanted else f"<{tag}>"
        raise SweepError(f"'{name}': the model has {len(found) or 'no'} {which}; there must be one")
    found[0].set(attribute, _written(value))


class ModelTask:
    """Simulates a model with parameters put in. It returns sensors by their names, time, energy (kinetic, potential), what
    the steps reported (error_max, penetration_max, unconverged_steps, diverged), and the world."""

    def __init__(self, path, seconds: float, *, noise: float = 0.0, every: int = 0,
                 world: Optional[Mapping[str, Any]] = None):
        """noise: standard deviation of a change of the velocities at the start, in m/s and rad/s. every: sensors are also
        returned as `path`, one row each so many steps, with `path_time`. world: options of tenon.World."""
        self.path, self.seconds, self.noise, self.every = pathlib.Path(path).resolve(), seconds, noise, every
        self.world = dict(world or {})

    def source_hash(self) -> str:
        """Of the model with what it includes and its meshes, and of the settings."""
        settings = canonical([self.seconds, self.noise, self.every, self.world])
        text = xml.tostring(_expanded(self.path, self.path.parent), encoding="unicode")
        return hashlib.sha256("\n".join([settings, text, model_hash(Model.from_file(self.path))]).encode()).hexdigest()

    def model(self, params: Mapping[str, Any]) -> Model:
        """The model with parameters put in."""
        root = _expanded(self.path, self.path.parent)
        for name, value in params.items():
            _put(root, name, value)
        text = xml.tostring(root, encoding="unicode")
        try:  # in the place of the file, so that meshes are found
            return Model(os.fspath(self.path), text, {}, None, False, "near", 1.0)
        except Error as error:
            raise type(error)(str(error).replace(str(self.path), f"{self.path.name} (parameters put in)")) from None

    def __call__(self, params: Dict[str, Any], seed: int) -> Dict[str, Any]:
        model = self.model(params)
        world = World(model, **self.world)
        if self.noise:
            world.qvel[:] += self.noise * np.random.default_rng(seed).standard_normal(model.nv)
        errors, depths, unconverged, diverged, path, times = [0.0], [0.0], 0, False, [], []
        start, count = world.time, 0
        while world.time - start < self.seconds * (1 - 1e-9) and not diverged:
            world.step()
            count += 1
            report = world.report
            errors.append(report.error)
            depths.append(report.max_penetration)
            unconverged += not report.converged
            diverged = report.diverged
            if self.every and count % self.every == 0:
                path.append(np.array(world.sensors))
                times.append(world.time)
        energy = world.energy
        result = {"time": world.time, "kinetic": energy.kinetic, "potential": energy.potential, "error_max": max(errors),
                  "penetration_max": max(depths), "unconverged_steps": unconverged, "diverged": diverged, "world": world}
        for index, name in enumerate(model.names("sensor")):
            values = np.array(world.sensor(index))
            name = name or f"sensor{index}"
            result[f"sensor.{name}" if name in result else name] = values[0] if len(values) == 1 else values
        if self.every:
            result["path"], result["path_time"] = np.array(path), np.array(times)
        return result
