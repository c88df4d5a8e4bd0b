"""Parameters of a model from logs of runs."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._derivatives import Parameter, _parameter
from ._errors import FileError, UsageError
from ._model import Model, Numbers
from ._world import World

QPOS, QVEL, SENSOR, SITE = range(4)
SCALES = ("auto", "linear", "log")
METHODS = ("differences", "implicit")
UNSEEN = ("keep", "refuse", "regularize")
AXES = "xyz"
OPTIONS = dict(method="differences", unseen="keep", known=1.0, stages=4, max_iterations=100, step=1e-6, threads=1)

Log = Mapping[str, npt.ArrayLike]
Path = Union[str, "os.PathLike[str]"]


# -- logs


def read_log(path: Path) -> Dict[str, Numbers]:
    """The columns of a log by name, from CSV (a header, then rows of numbers; an empty field is NaN) or NPZ (arrays of one
    number or several per row; GROUP and GROUP_names as ``tenon run --npz`` writes them)."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileError(f"{path}: there is no such file")
    try:
        if path.endswith(".npz"):
            with np.load(path) as arrays:
                return _of_arrays({name: arrays[name] for name in arrays.files})
        with open(path, encoding="utf-8") as file:
            names = [name.strip().strip('"') for name in file.readline().rstrip("\r\n").split(",")]
            rows = [line.rstrip("\r\n").split(",") for line in file if line.strip()]
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: {error}") from None
    out = np.full((len(rows), len(names)), np.nan)
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise FileError(f"{path}:{i + 2}: {len(row)} fields, the header has {len(names)}")
        for k, field in enumerate(row):
            try:
                out[i, k] = float(field) if field.strip() else np.nan
            except ValueError:
                raise FileError(f"{path}:{i + 2}: '{field}' is not a number") from None
    return {name: out[:, k] for k, name in enumerate(names)}


def _of_arrays(arrays: Dict[str, Any]) -> Dict[str, Numbers]:
    columns: Dict[str, Numbers] = {}
    for name, array in arrays.items():
        names = arrays.get(f"{name}_names")
        if name.endswith("_names") and name[:-6] in arrays:
            continue
        if names is None:
            columns[name] = np.asarray(array, dtype=float)
        else:
            columns.update({str(one): np.asarray(array[:, k], dtype=float) for k, one in enumerate(names)})
    return columns


Channel = Tuple[str, int, int, int]  # name, kind, id, index


def _known_columns(model: Model) -> Tuple[Dict[str, Channel], Dict[str, int]]:
    """Columns that can be measured, and controls, by name."""
    out: Dict[str, Channel] = {}
    for j in range(model.njoint):
        info = model.joint_info(j)
        name = model.names("joint")[j] or f"joint{j + 1}"
        for letter, kind, place in (("q", QPOS, info["qpos"]), ("v", QVEL, info["qvel"])):
            for k in range(place.stop - place.start):
                out[f"{name}.{letter}{k}"] = (f"{name}.{letter}{k}", kind, 0, place.start + k)
        if info["type"] == "free":  # as in logs of free bodies
            body = model.names("body")[info["body"]] or f"body{info['body'] + 1}"
            for k, part in enumerate(("x", "y", "z", "qw", "qx", "qy", "qz")):
                out[f"{body}.{part}"] = (f"{body}.{part}", QPOS, 0, info["qpos"].start + k)
    for s in range(model.nsensor):
        info = model.sensor_info(s)
        name = model.names("sensor")[s] or f"sensor{s + 1}"
        for k in range(info["data"].stop - info["data"].start):
            out[f"{name}.s{k}"] = (f"{name}.s{k}", SENSOR, 0, info["data"].start + k)
    for s, name in enumerate(model.names("site")):
        for k in range(3):
            name = name or f"site{s + 1}"
            out[f"{name}.{AXES[k]}"] = (f"{name}.{AXES[k]}", SITE, s + 1, k)
    ctrl = {f"{name or f'actuator{a + 1}'}.ctrl": a for a, name in enumerate(model.names("actuator"))}
    return out, ctrl


def _spread(model: Model, log: Log, what: str) -> Dict[str, Numbers]:
    """Whole arrays (qpos, qvel, ctrl, sensors) become columns with names."""
    columns, ctrl = _known_columns(model)
    wholes = {"qpos": (QPOS, model.nq), "qvel": (QVEL, model.nv), "sensors": (SENSOR, model.nsensordata)}
    out: Dict[str, Numbers] = {}
    for name, array in log.items():
        a = np.asarray(array, dtype=float)
        if name in wholes or name == "ctrl":
            size = model.nu if name == "ctrl" else wholes[name][1]
            a = a.reshape(len(a), -1)
            if a.shape[1] != size:
                raise UsageError(f"{what}: {name} has {a.shape[1]} columns, the model's has {size}")
            if name == "ctrl":
                out.update({one: a[:, k] for one, k in ctrl.items()})
            else:
                first = {c[3]: c[0] for c in reversed(list(columns.values())) if c[1] == wholes[name][0]}
                out.update({one: a[:, k] for k, one in sorted(first.items())})
        elif a.ndim == 1:
            out[name] = a
        else:
            raise UsageError(f"{what}: '{name}' has {a.ndim} dimensions; only time, qpos, qvel, ctrl, sensors and columns by "
                             "name are known")
    if "time" not in out:
        raise UsageError(f"{what}: there is no column 'time'; there are {', '.join(out) or 'none'}")
    for name, a in out.items():
        if len(a) != len(out["time"]):
            raise UsageError(f"{what}: '{name}' has {len(a)} rows, time has {len(out['time'])}")
    return out


def _resampled(columns: Dict[str, Numbers], controls: Sequence[str], timestep: float, what: str) -> Dict[str, Numbers]:
    """At multiples of the timestep: measurements along lines between rows, controls as they were before. In gaps there is
    no measurement."""
    t = columns["time"]
    if not np.all(np.isfinite(t)) or len(t) < 2 or not np.all(np.diff(t) > 0):
        raise UsageError(f"{what}: times must be numbers that rise")
    usual = float(np.median(np.diff(t)))
    every = max(1, round(usual / timestep)) * timestep
    to = t[0] + every * np.arange(int((t[-1] - t[0]) / every + 1e-9) + 1)
    before = np.clip(np.searchsorted(t, to + 1e-9 * usual, side="right") - 1, 0, len(t) - 2)
    share = (to - t[before]) / (t[before + 1] - t[before])
    in_gap = (t[before + 1] - t[before] > 1.5 * usual) & (share > 1e-6) & (share < 1 - 1e-6)
    out = {"time": to}
    for name, a in columns.items():
        if name == "time":
            continue
        if name in controls:
            out[name] = a[before + (share >= 1 - 1e-9)]
        else:
            line = np.where(share > 0, a[before] + share * (a[before + 1] - a[before]), a[before])
            out[name] = np.where(in_gap, np.nan, line)
    return out


class _Run:
    """A log as the library takes it."""

    def __init__(self, model: Model, log: Union[Log, Path], number: int, given: Dict[str, Any]):
        self.what = f"run {number}" if not isinstance(log, (str, os.PathLike)) else os.fspath(log)
        columns = _spread(model, read_log(log) if isinstance(log, (str, os.PathLike)) else log, self.what)
        self.known, self.controls = _known_columns(model)
        if given["resample"]:
            columns = _resampled(columns, list(self.controls), given["timestep"], self.what)
        self.columns, self.time = columns, columns["time"]
        self.measured = [name for name in columns if name in self.known]
        self.ctrl: Optional[Numbers] = None
        there = [name for name in self.controls if name in columns]
        if there:
            if len(there) < model.nu:
                raise UsageError(f"{self.what}: there are controls {', '.join(there)}, not "
                                 f"{', '.join(name for name in self.controls if name not in there)}")
            self.ctrl = np.stack([columns[name] for name in self.controls], axis=1)
            if given["ctrl_of"] == "before":  # a row's control led to it
                self.ctrl = np.concatenate([self.ctrl[1:], self.ctrl[-1:]])

    def cut(self, first: int, last: int) -> "_Run":
        part = object.__new__(type(self))
        part.__dict__.update(self.__dict__)
        part.columns = {name: a[first:last] for name, a in self.columns.items()}
        part.time = self.time[first:last]
        part.ctrl = None if self.ctrl is None else self.ctrl[first:last]
        part.what = f"{self.what} from {self.time[first]:g} s"
        return part


def _start(model: Model, run: _Run, start: Any) -> Dict[str, Any]:
    """Where it starts: what the first row measures, the rest as in the model. "free": numbers that the log measures are
    fitted, their velocities, too."""
    world = World(model)
    qpos, qvel = world.qpos.copy(), world.qvel.copy()
    world.close()
    if isinstance(start, Mapping):
        return {name: np.asarray(start[name], dtype=float) for name in ("qpos", "qvel", "act", "start_sigma")
                if name in start}
    if start == "model":
        return {"qpos": qpos, "qvel": qvel}
    sigma = np.zeros(2 * model.nv + model.na)
    dt = run.time[1] - run.time[0] if len(run.time) > 1 else 1.0
    for j in range(model.njoint):
        info = model.joint_info(j)
        name = model.names("joint")[j] or f"joint{j + 1}"
        q0, d0, nd = info["qpos"].start, info["qvel"].start, info["qvel"].stop - info["qvel"].start
        body = model.names("body")[info["body"]] or f"body{info['body'] + 1}"
        parts = ("x", "y", "z", "qw", "qx", "qy", "qz") if info["type"] == "free" else ()
        q = [run.columns.get(f"{name}.q{k}", run.columns.get(f"{body}.{parts[k]}") if parts else None)
             for k in range(info["qpos"].stop - q0)]
        v = [run.columns.get(f"{name}.v{k}") for k in range(nd)]
        if all(a is not None and np.isfinite(a[0]) for a in q):
            qpos[q0:q0 + len(q)] = [a[0] for a in q]  # type: ignore[index]
            sigma[d0:d0 + nd] = np.inf
            if len(q) == 1 and v[0] is None and start == "free":
                few = np.asarray(q[0])[:4]
                if np.isfinite(few).all() and len(few) > 1:
                    qvel[d0] = np.polyfit(dt * np.arange(len(few)), few, min(2, len(few) - 1))[-2]
                    sigma[model.nv + d0] = np.inf
        if all(a is not None and np.isfinite(a[0]) for a in v):
            qvel[d0:d0 + nd] = [a[0] for a in v]  # type: ignore[index]
            sigma[model.nv + d0:model.nv + d0 + nd] = np.inf
        elif np.isinf(sigma[d0]):
            sigma[model.nv + d0:model.nv + d0 + nd] = np.inf
    if start == "known":
        return {"qpos": qpos, "qvel": qvel}
    return {"qpos": qpos, "qvel": qvel, "start_sigma": sigma}


def _segments(model: Model, run: _Run, seconds: float) -> List[_Run]:
    there = {run.known[name][3] for name in run.measured if run.known[name][1] == QPOS}
    lacks = [name for name, c in run.known.items() if c[1] == QPOS and c[3] not in there]
    if lacks:
        raise UsageError(f"{run.what}: segments start where the log says; it has no {', '.join(lacks)}")
    rows = max(2, int(seconds / (run.time[1] - run.time[0]) + 0.5))
    firsts = [k for k in range(0, len(run.time) - 1, rows)]
    return [run.cut(k, min(k + rows + 1, len(run.time))) for k in firsts]


# -- parameters


class _Unknown:
    def __init__(self, model: Model, given: Any):
        settings: Dict[str, Any] = {}
        if isinstance(given, Mapping):
            settings = dict(given)
            given = settings.pop("of", None)
            unknown = set(settings) - {"start", "low", "high", "prior", "prior_sigma", "scale"}
            if given is None or unknown:
                raise UsageError("parameters: a dict has 'of' and may have start, low, high, prior, prior_sigma, scale"
                                 + (f"; not {', '.join(sorted(unknown))}" if unknown else ""))
        self.id = (_core._parameter_from_text(model, given) if isinstance(given, str) and
                   (":" in given or given not in ("timestep", "gravity")) else _parameter(model, given))
        self.name: str = _core._parameter_text(model, self.id)
        scale = settings.pop("scale", "auto")
        if scale not in SCALES:
            raise UsageError(f"parameters: {self.name}: scale must be one of {', '.join(SCALES)}, not {scale!r}")
        self.given = dict({name: float(value) for name, value in settings.items()}, parameter=self.id,
                          scale=SCALES.index(scale))
        self.start: float = self.given.get("start", _core._parameter_value(model, self.id))


class FitResult:
    """What a fit found. `values` is for the eyes; `apply` sets them in a world."""

    values: Dict[str, float]
    sigma: Dict[str, float]  #: standard errors; infinite where the data do not show it
    start: Dict[str, float]  #: values that the fit started with
    covariance: Numbers
    singular_values: Numbers  #: of the Jacobian of all measurements over their sigmas, largest first
    directions: List[str]  #: one per singular value, in words
    shown: List[bool]  #: per direction: the data show it
    unseen: List[str]  #: directions that they do not show, along which parameters stay where they were
    at_bound: List[str]
    rms: Dict[str, float]  #: per column: what is left
    noise: Dict[str, float]  #: per column: the standard deviation that was counted with
    chi2: float  #: sum of squares over sigmas; about measurements - unknowns if the model and sigmas are right
    start_chi2: float
    measurements: int
    unknowns: int
    iterations: int
    rollouts: float  #: work: in simulations of all runs
    end: str  #: why it ended: "converged", "no progress", "iterations used up", "nothing shown"
    times: List[Numbers]  #: per run
    measured: List[Numbers]  #: per run, (rows, columns)
    simulated: List[Numbers]
    starts: List[Dict[str, Numbers]]  #: per run: qpos, qvel, act

    def __init__(self) -> None:
        self._own: Any = None
        self._model: Optional[Model] = None

    @property
    def columns(self) -> List[str]:
        """Names of what was measured."""
        return list(self.rms)

    def apply(self, world: World) -> None:
        """Sets the values in a world."""
        if self._own is None:
            raise UsageError("a model that was built anew has its values already: result.model")
        self._own._apply(world._handle())

    def world(self, **options: Any) -> World:
        """A world of the model with the values."""
        assert self._model is not None
        world = World(self._model, **options)
        if self._own is not None:
            self.apply(world)
        return world

    @property
    def model(self) -> Model:
        """The model that was fitted; with `build` the one that was built with the values."""
        assert self._model is not None
        return self._model

    def __repr__(self) -> str:
        width = max(len(name) for name in self.values)
        lines = [f"{'parameter':{width}}  {'start':>11}  {'estimate':>11}  {'± sigma':>10}"]
        for name, value in self.values.items():
            sigma = self.sigma[name]
            error = f"{sigma:10.2g}" if np.isfinite(sigma) else "not shown".rjust(10)
            bound = "  at its bound" if name in self.at_bound else ""
            lines.append(f"{name:{width}}  {self.start[name]:11.5g}  {value:11.5g}  {error}{bound}")
        for text in self.unseen:
            lines.append(f"not shown by the data: {text}")
        lines.append(f"{self.end} after {self.iterations} iterations, work of {self.rollouts:.0f} simulations; chi2 "
                     f"{self.chi2:.4g} of {self.measurements} measurements, {self.unknowns} unknowns")
        lines.append("left: " + ", ".join(f"{name} {value:.3g}" for name, value in self.rms.items()))
        return "\n".join(lines)

    def report(self, path: Path) -> str:
        """Writes a page (HTML, complete in itself): the table, singular values, measured and simulated curves."""
        from ._fit_page import page

        with open(path, "w", encoding="utf-8") as file:
            file.write(page(self))
        return os.fspath(path)


def _channels(runs: List[_Run], measure: Optional[Sequence[str]]) -> List[str]:
    known = runs[0].known
    there = [name for name in known if any(name in run.measured for run in runs)]
    for name in measure or []:
        if name not in known:
            raise UsageError(f"measure: '{name}' is nothing that the model can measure; there are JOINT.q0, JOINT.v0, "
                             f"SENSOR.s0, SITE.x: {', '.join(list(known)[:12])}")
        if name not in there:
            raise UsageError(f"measure: no run has a column '{name}'")
    if not there:
        raise UsageError(f"no column of the logs is known; they have {', '.join(runs[0].columns)}, the model has "
                         f"{', '.join(list(known)[:12])}")
    return list(measure or there)


def _sigmas(names: List[str], sigma: Any) -> Optional[Dict[str, float]]:
    """None: to be found."""
    if sigma is None:
        return None
    if not isinstance(sigma, Mapping):
        return {name: float(sigma) for name in names}
    out = {}
    for name in names:  # "hinge.q0", or all columns that end so: ".q0"
        found = [value for key, value in sigma.items() if key == name or (key.startswith(".") and name.endswith(key))]
        if not found:
            raise UsageError(f"sigma: there is none of '{name}'")
        out[name] = float(found[0])
    return out


def _stack(run: _Run, names: List[str]) -> Numbers:
    return np.stack([run.columns.get(name, np.full(len(run.time), np.nan)) for name in names], axis=1)


def _guess(runs: List[_Run], names: List[str]) -> Dict[str, float]:
    """Sigmas to begin with: a hundredth of what a column moves."""
    out = {}
    for name in names:
        values = np.concatenate([run.columns[name] for run in runs if name in run.columns])
        spread = float(np.nanstd(values)) if np.isfinite(values).any() else 0.0
        out[name] = max(0.01 * spread, 1e-9)
    return out


def fit(model: Union[Model, Callable[[Dict[str, float]], Model]], runs: Any, parameters: Any, *,
        measure: Optional[Sequence[str]] = None, sigma: Any = None, start: Any = "free", segment: Optional[float] = None,
        resample: bool = False, ctrl_of: str = "after", method: str = "differences", unseen: str = "keep",
        known: float = 1.0, stages: int = 4, max_iterations: int = 100, step: float = 1e-6, threads: int = 1) -> FitResult:
    """Finds parameters with which simulations do what logs measured (docs/identification.md).

    runs: one log or a list: paths (CSV, NPZ) or dicts of columns: "time"; controls "ACTUATOR.ctrl" or all of them, "ctrl";
    measurements "JOINT.q0", "JOINT.v0", "SENSOR.s0", "SITE.x", or all "qpos", "qvel", "sensors". NaN: missing.
    parameters: a list of "mass:BOX", "friction:FLOOR", ("damping", joint), or dicts with `of` and start, low, high, prior,
    prior_sigma, scale ("log": by its logarithm, as what cannot be negative; "linear").
    measure: columns that count; None: all that are known. sigma: their standard deviations: one number, or by name
    (".q0": all that end so); None: found from what is left.
    start: "free": where each run starts, as far as it is measured, is fitted, too; "known": the first row is exact;
    "model": the reference pose at rest; or a dict of qpos, qvel, act, start_sigma. segment: seconds after which runs start
    anew from the log; for long, chaotic runs.
    resample: interpolate logs whose times are no multiples of the timestep. ctrl_of: a row's control acts "after" its time,
    or has led to it ("before", as in logs of ``tenon run``).
    unseen: directions that the data do not show: "keep" parameters where they are, "refuse", or "regularize". known: a
    direction is shown if its standard deviation is smaller (of the logarithm).

    With a function in place of a model, which builds one from a dict of values, anything can be fitted: parameters is then
    {name: start}; see docs/identification.md."""
    for what, value, choices in (("method", method, METHODS), ("unseen", unseen, UNSEEN), ("ctrl_of", ctrl_of,
                                                                                          ("after", "before"))):
        if value not in choices:
            raise UsageError(f"{what}: expected {' or '.join(map(repr, choices))}, got {value!r}")
    if isinstance(start, str) and start not in ("free", "known", "model"):
        raise UsageError(f"start: expected 'free', 'known', 'model' or a dict, got {start!r}")
    options = dict(method=METHODS.index(method), unseen=UNSEEN.index(unseen), known=known, stages=stages,
                   max_iterations=max_iterations, step=step, threads=threads)
    logs = list(runs) if isinstance(runs, (list, tuple)) else [runs]
    if not logs:
        raise UsageError("runs: there are none")
    builds = not isinstance(model, Model)
    first = model(dict(parameters)) if builds else model  # type: ignore[operator]
    world = World(first)
    given = dict(resample=resample, ctrl_of=ctrl_of, timestep=world.timestep)
    world.close()
    read = [_Run(first, log, i, given) for i, log in enumerate(logs)]
    names = _channels(read, measure)
    if segment is not None:
        read = [part for run in read for part in _segments(first, run, segment)]
    noise = _sigmas(names, sigma)
    if builds:
        from ._fit_build import fit_build

        return fit_build(model, dict(parameters), read, names, noise or _guess(read, names), start, sigma is None,  # type: ignore[arg-type]
                         max_iterations)
    listed = [parameters] if isinstance(parameters, (str, Mapping)) else list(parameters)
    unknowns = [_Unknown(first, p) for p in listed]
    result = _fit_once(first, unknowns, read, names, noise or _guess(read, names), start, options)
    if noise is None:  # what is left is the noise: once more with it
        for _ in range(2):
            left = {name: max(result.rms[name], 1e-9) if np.isfinite(result.rms[name]) else 1.0 for name in names}
            again = [_again(u, result) for u in unknowns]
            result = _fit_once(first, again, read, names, left, start, dict(options, stages=1))
        result.start = {u.name: u.start for u in unknowns}
    return result


def _again(unknown: _Unknown, result: FitResult) -> _Unknown:
    copy = object.__new__(_Unknown)
    copy.__dict__.update(unknown.__dict__)
    given = dict(unknown.given)
    given.setdefault("prior", unknown.start)  # that of the first
    copy.given = dict(given, start=result.values[unknown.name])
    return copy


def _fit_once(model: Model, unknowns: List[_Unknown], runs: List[_Run], names: List[str], noise: Dict[str, float],
              start: Any, options: Dict[str, Any]) -> FitResult:
    channels = [(*runs[0].known[name][1:], noise[name]) for name in names]
    given = []
    for run in runs:
        one = dict(_start(model, run, start), times=run.time, measured=_stack(run, names))
        if run.ctrl is not None:
            one["ctrl"] = run.ctrl
        given.append(one)
    own = _core._Fit(model, [u.given for u in unknowns], channels, given, options)
    own._solve()
    v = own._view()
    result = FitResult()
    result._own, result._model = own, model
    order = [u.name for u in unknowns]
    result.values = dict(zip(order, v["values"].tolist()))
    result.sigma = dict(zip(order, v["sigma"].tolist()))
    result.start = {u.name: u.start for u in unknowns}
    result.covariance, result.singular_values = v["covariance"], v["singular_values"]
    result.directions, result.shown = v["texts"], v["shown"]
    result.unseen = [text for text, shown in zip(v["texts"], v["shown"]) if not shown]
    result.at_bound = [name for name, at in zip(order, v["at_bound"]) if at]
    result.rms, result.noise = dict(zip(names, v["rms"].tolist())), dict(noise)
    for name in ("chi2", "start_chi2", "measurements", "unknowns", "iterations", "rollouts", "end"):
        setattr(result, name, v[name])
    result.times = [run.time for run in runs]
    result.measured = [one["measured"] for one in given]
    result.simulated, result.starts = [], []
    for r, run in enumerate(runs):
        curves, qpos, qvel, act = own._simulated(r, len(run.time), len(names))
        result.simulated.append(curves)
        result.starts.append({"qpos": qpos, "qvel": qvel, "act": act})
    return result
