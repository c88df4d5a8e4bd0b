"""What differs from one episode to the next: parameters of the world, delays, noise. A task declares it:

    class Walk(Task):
        randomize = (Vary("geom_friction", "floor", scale=(0.5, 1.2)), Vary("site_pos", "imu", add=(-0.01, 0.01)),
                     Vary("control_delay", value=(0.0, 0.02)), Vary("observation_noise", value=0.02))
"""

import fnmatch
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import tenon

from .._words import nearest

Range = Union[float, Sequence[Any]]

# what can vary: the kind of thing, how many numbers it has, and what the model says of it
_THINGS: Dict[str, Tuple[str, int, Callable[[tenon.Model, int], Any]]] = {
    "geom_friction": ("geom", 3, lambda m, i: m.geom_info(i)["friction"]),
    "geom_size": ("geom", 3, lambda m, i: m.geom_info(i)["size"]),
    "geom_pos": ("geom", 3, lambda m, i: m.geom_info(i)["pos"]),
    "site_pos": ("site", 3, lambda m, i: m.site_info(i)["pos"]),
    "body_mass": ("body", 1, lambda m, i: m.body_info(i)["own_mass"]),
    "body_com": ("body", 3, lambda m, i: m.body_info(i)["own_com"]),
    "joint_damping": ("joint", 1, lambda m, i: m.joint_info(i)["damping"]),
    "joint_stiffness": ("joint", 1, lambda m, i: m.joint_info(i)["stiffness"]),
    "joint_armature": ("joint", 1, lambda m, i: m.joint_info(i)["armature"]),
    "joint_friction_loss": ("joint", 1, lambda m, i: m.joint_info(i)["friction_loss"]),
    "actuator_strength": ("actuator", 1, lambda m, i: 1.0),
    "gravity": ("", 3, lambda m, i: m.gravity),
}
# s, s, standard deviations
_SIGNALS = ("control_delay", "observation_delay", "observation_noise")


class Vary:
    """One quantity that is drawn anew for each episode, uniformly between two bounds: `scale` × what the model has (one
    factor for all numbers of a thing), plus `add`, or `value` (as many numbers as the thing has). One number instead of
    two bounds: always that.

    what: geom_friction, geom_size, geom_pos, site_pos, body_mass, body_com, joint_damping, joint_stiffness, joint_armature,
    joint_friction_loss, actuator_strength (scale alone: gain and bias), gravity; control_delay and observation_delay
    (value, s: whole steps of the world, whole actions), observation_noise (value: standard deviation, a number or one for
    each number that is seen). which: names, "*" in them stands for anything; None: all. together: one draw for all of them.
    """

    def __init__(self, what: str, which: Union[None, str, Sequence[str]] = None, *, scale: Optional[Range] = None,
                 add: Optional[Range] = None, value: Optional[Range] = None, together: bool = False):
        known = (*_THINGS, *_SIGNALS)
        if what not in known:
            near = nearest(what, known)
            raise tenon.UsageError(f"Vary: there is no '{what}'" + (f"; did you mean '{near}'? There" if near else "; there")
                                   + f" are {', '.join(known)}")
        given = {"scale": scale, "add": add, "value": value}
        ways = [way for way, bounds in given.items() if bounds is not None]
        if len(ways) != 1:
            raise tenon.UsageError(f"Vary('{what}'): give one of scale, add and value")
        self.what, self.way, self.together = what, ways[0], together
        if what in _SIGNALS and (self.way != "value" or which is not None):
            raise tenon.UsageError(f"Vary('{what}'): expected value=(low, high), and no name")
        if what == "actuator_strength" and self.way != "scale":
            raise tenon.UsageError("Vary('actuator_strength'): expected scale=(low, high)")
        if what == "gravity" and which is not None:
            raise tenon.UsageError("Vary('gravity'): it has no name")
        self.which = ["*"] if which is None else [which] if isinstance(which, str) else list(which)
        bounds: Any = given[self.way]
        low, high = (bounds, bounds) if np.ndim(bounds) == 0 else (bounds[0], bounds[-1])
        if np.ndim(bounds) > 0 and len(bounds) != 2:
            raise tenon.UsageError(f"Vary('{what}'): {self.way} must be a number or two bounds, got {bounds!r}")
        self.low, self.high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all() and (self.low <= self.high).all()):
            raise tenon.UsageError(f"Vary('{what}'): the bounds must be finite and in order, got {bounds!r}")
        if what in _SIGNALS and (self.low < 0).any():
            raise tenon.UsageError(f"Vary('{what}'): it cannot be negative")

    def draw(self, rng: np.random.Generator, width: int) -> np.ndarray:
        """The numbers of one thing: one factor, or `width` numbers."""
        size = (1,) if self.way == "scale" and self.low.ndim == 0 else (width,)
        return rng.uniform(self.low, self.high, size)

    def of(self, now: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        """What comes of a quantity."""
        return now * drawn if self.way == "scale" else now + drawn if self.way == "add" else drawn + 0.0 * now


class _Thing:
    """One quantity of one thing, and its numbers in all worlds."""

    def __init__(self, model: tenon.Model, vary: Vary, index: int, n: int):
        kind, self.width, read = _THINGS[vary.what]
        self.vary, self.kind, self.index = vary, kind, index
        self.now = np.atleast_1d(np.asarray(read(model, index), dtype=np.float64))
        self.rows = np.tile(self.now, (n, 1))


def _matching(model: tenon.Model, vary: Vary) -> List[int]:
    kind = _THINGS[vary.what][0]
    if not kind:
        return [0]
    names = model.names(kind)
    found = []
    for pattern in vary.which:
        of_it = [i for i, name in enumerate(names) if fnmatch.fnmatchcase(name or "", pattern)]
        if kind == "body":
            of_it = [i for i in of_it if i > 0]  # not the world
        if not of_it:
            near = nearest(pattern, [name for name in names if name])
            raise tenon.UsageError(f"Vary('{vary.what}'): the model has no {kind} '{pattern}'"
                                   + (f"; did you mean '{near}'?" if near else ""))
        found += [i for i in of_it if i not in found]
    return found


class Variation:
    """What a task's `randomize` means for n worlds. `varied` has the numbers that hold now, by "what:name", (n, …)."""

    def __init__(self, task: Any, batch: tenon.Batch):
        self._batch, self._model = batch, task.model
        n = len(batch)
        declared: Sequence[Vary] = tuple(task.randomize)
        for vary in declared:
            if not isinstance(vary, Vary):
                raise TypeError(f"randomize: expected tenon.gym.Vary, got {type(vary).__name__}")
        self._groups: List[List[_Thing]] = [
            [_Thing(self._model, vary, i, n) for i in _matching(self._model, vary)]
            for vary in declared if vary.what in _THINGS]
        self._signals = {vary.what: vary for vary in declared if vary.what in _SIGNALS}
        seen = [(thing.vary.what, thing.index) for group in self._groups for thing in group]
        seen += [(vary.what, 0) for vary in declared if vary.what in _SIGNALS]
        if len(seen) != len(set(seen)):
            raise tenon.UsageError(f"randomize: '{max(seen, key=seen.count)[0]}' is declared twice for the same thing")
        self.varied: Dict[str, np.ndarray] = {}
        for thing in (thing for group in self._groups for thing in group):
            name = self._model.names(thing.kind)[thing.index] or thing.index if thing.kind else ""
            self.varied[f"{thing.vary.what}:{name}" if thing.kind else thing.vary.what] = thing.rows
        self.delay = np.zeros(n, dtype=np.int64)       # of controls, steps of the world
        self.late = np.zeros(n, dtype=np.int64)        # of observations, actions
        self.noise: Optional[np.ndarray] = None        # standard deviations, (n, …)
        self._keys = np.zeros(n, dtype=np.uint64)      # of the noise of this episode
        self._step, self._action = self._model.timestep, task.seconds
        self.most_delay = self._most("control_delay", self._step)
        self.most_late = self._most("observation_delay", self._action)

    def _most(self, what: str, unit: float) -> int:
        return int(np.rint(self._signals[what].high.max() / unit)) if what in self._signals else 0

    def draw(self, i: int, rng: np.random.Generator) -> None:
        """The numbers of the next episode of one world."""
        for group in self._groups:
            drawn = None
            for thing in group:
                if drawn is None or not thing.vary.together:
                    drawn = thing.vary.draw(rng, thing.width)
                thing.rows[i] = thing.vary.of(thing.now, drawn)
        for what, vary in self._signals.items():
            if what == "control_delay":
                self.delay[i] = np.rint(vary.draw(rng, 1)[0] / self._step)
            elif what == "observation_delay":
                self.late[i] = np.rint(vary.draw(rng, 1)[0] / self._action)
            else:
                drawn = vary.draw(rng, max(1, vary.low.size, vary.high.size))
                if self.noise is None:
                    self.noise = np.zeros((len(self.delay), drawn.size))
                self.noise[i] = drawn
                self._keys[i] = rng.integers(0, 2**63, dtype=np.uint64)

    def apply(self, mask: np.ndarray) -> None:
        """Gives the worlds of the mask what was drawn for them."""
        columns: Dict[Tuple[str, int], Dict[str, np.ndarray]] = {}
        for thing in (thing for group in self._groups for thing in group):
            columns.setdefault((thing.kind, thing.index), {})[thing.vary.what] = thing.rows
        for (kind, index), of in columns.items():
            self._set(kind, index, of, mask)

    def _set(self, kind: str, index: int, of: Dict[str, np.ndarray], mask: np.ndarray) -> None:
        batch, model = self._batch, self._model
        if kind == "":
            batch.set_gravity(of["gravity"], mask)
        elif kind == "site":
            batch.set_site_local_pose(index, pos=of["site_pos"], mask=mask)
        elif kind == "joint":
            batch.set_joint_forces(index, mask, **{what[len("joint_"):]: rows[:, 0] for what, rows in of.items()})
        elif kind == "actuator":
            info, strength = model.actuator_info(index), of["actuator_strength"]
            batch.set_actuator(index, info["gain"] * strength[:, 0], np.asarray(info["bias"]) * strength, mask)
        elif kind == "body":
            mass = of["body_mass"][:, 0] if "body_mass" in of else model.body_info(index)["own_mass"]
            batch.set_body_mass(index, mass, of.get("body_com"), mask=mask)
        else:
            if "geom_friction" in of:
                batch.set_geom_friction(index, of["geom_friction"], mask)
            if "geom_size" in of:
                batch.set_geom_size(index, of["geom_size"], mask)
            if "geom_pos" in of:
                batch.set_geom_local_pose(index, pos=of["geom_pos"], mask=mask)

    def add_noise(self, seen: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """What is seen, with the noise of this step of each world."""
        if self.noise is None:
            return seen
        if self.noise.shape[1] not in (1, seen.shape[1]):
            raise tenon.UsageError(f"Vary('observation_noise'): {self.noise.shape[1]} numbers for {seen.shape[1]} that are seen")
        return seen + self.noise * normal(self._keys, steps, seen.shape[1])


def _mixed(x: np.ndarray) -> np.ndarray:
    """Bits of 64-bit numbers, mixed well (the finalizer of SplitMix64, Steele, Lea and Flood, 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def normal(keys: np.ndarray, steps: np.ndarray, width: int) -> np.ndarray:
    """(n, width) normal numbers that depend on key, step and place alone: a world gets the same ones whichever others there
    are, without a generator of its own to be asked one after the other."""
    with np.errstate(over="ignore"):
        row = _mixed(keys + np.uint64(0x9E3779B97F4A7C15) * (steps.astype(np.uint64) + np.uint64(1)))
        counter = row[:, None] + np.uint64(0x9E3779B97F4A7C15) * np.arange(1, 2 * width + 1, dtype=np.uint64)
        bits = _mixed(counter)
    uniform = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53  # within (0, 1)
    return np.sqrt(-2.0 * np.log(uniform[:, :width])) * np.cos(2.0 * np.pi * uniform[:, width:])
