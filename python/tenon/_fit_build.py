"""Fits of anything: the model is built anew for each set of values. Gauss-Newton by differences, in Python."""

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from ._errors import UsageError
from ._fit import QPOS, QVEL, SENSOR, FitResult, _Run, _stack, _start
from ._model import Model, Numbers
from ._world import World

REACH = 1e-3  # of the logarithm
SMALLEST = 1e-6  # steps of the logarithm
KNOWN = 1.0  # standard deviation of the logarithm above which a direction is not shown


def _simulate(model: Model, run: _Run, names: List[str], start: Any) -> Numbers:
    world = World(model, tolerance=1e-10, on_trouble="ignore")  # differences are divided by REACH
    at = _start(model, run, start)
    world.qpos[:] = at.get("qpos", world.qpos)
    world.qvel[:] = at.get("qvel", world.qvel)
    every = (run.time[1] - run.time[0]) / world.timestep
    if abs(every - round(every)) > 1e-3 or round(every) < 1 or np.ptp(np.diff(run.time)) > 1e-3 * (run.time[1] - run.time[0]):
        raise UsageError(f"{run.what}: times are no equal multiples of the timestep {world.timestep:g} s; "
                         "resample, or look for a gap")
    out = np.full((len(run.time), len(names)), np.nan)
    channels = [run.known[name] for name in names]
    for k in range(len(run.time)):
        sensors = world.sensors if any(c[1] == SENSOR for c in channels) else None
        for i, (_, kind, which, index) in enumerate(channels):
            if kind == SENSOR:
                out[k, i] = sensors[index]  # type: ignore[index]
            else:
                out[k, i] = (world.qpos[index] if kind == QPOS else world.qvel[index] if kind == QVEL
                             else world.site_pose(which - 1)[0][index])
        if run.ctrl is not None:
            world.ctrl[:] = run.ctrl[k]
        if k + 1 < len(run.time):
            world.step(round(every))
            if world.report.diverged:
                break
    world.close()
    return out


def fit_build(build: Callable[[Dict[str, float]], Model], parameters: Dict[str, float], runs: List[_Run], names: List[str],
              noise: Dict[str, float], start: Any, find_noise: bool, most: int) -> FitResult:
    order = list(parameters)
    if not order or not all(np.isfinite(v) and v > 0 for v in parameters.values()):
        raise UsageError("parameters: with a function they are {name: start}, each above 0; they are fitted by logarithms")
    begin = "known" if start == "free" else start  # starts are not fitted here
    measured = np.concatenate([_stack(run, names).ravel() for run in runs])
    weights = np.tile(1.0 / np.array([noise[name] for name in names]), sum(len(run.time) for run in runs))
    counts = np.isfinite(measured)
    if counts.sum() < len(order):
        raise UsageError(f"{int(counts.sum())} measurements are fewer than the {len(order)} unknowns")
    work = [0]

    def curves(u: Numbers) -> Numbers:
        model = build(dict(zip(order, np.exp(u).tolist())))
        work[0] += 1
        return np.concatenate([_simulate(model, run, names, begin).ravel() for run in runs])

    def left(y: Numbers) -> Numbers:
        r = (y - measured) * weights
        return np.where(counts, np.nan_to_num(r, nan=1e6), 0.0)

    def slopes(u: Numbers) -> Numbers:
        sides = [(curves(u + REACH * e), curves(u - REACH * e)) for e in np.eye(len(u))]
        J = np.stack([(high - low) / (2 * REACH) for high, low in sides], axis=1) * weights[:, None]
        return np.where(counts[:, None], np.nan_to_num(J), 0.0)

    u = np.log(np.array([parameters[name] for name in order]))
    y = curves(u)
    if not np.isfinite(y[counts]).all():
        raise UsageError("the simulation breaks off with the values to start with")
    cost = first_cost = float(left(y) @ left(y))
    radius, iterations, end = 1.0, 0, "iterations used up"

    def factors(J: Numbers) -> Tuple[Numbers, Numbers, Numbers, Numbers]:
        U, s, V = np.linalg.svd(J, full_matrices=False)
        return U, s, V, (s * KNOWN > 1.0) & (s > 1e-9 * max(s[0], 1e-300))

    while iterations < most:
        iterations += 1
        U, s, V, shown = factors(slopes(u))
        c = U.T @ left(y)
        if not shown.any() or (c[shown] ** 2).sum() < 1e-8 * cost + 1e-12:
            end = "converged" if shown.any() else "nothing shown"
            break
        accepted = False
        while radius > SMALLEST and not accepted:
            damping = 0.0
            while True:
                way = V.T @ np.where(shown, -c * s / np.maximum(s * s + damping, 1e-300), 0.0)
                if np.linalg.norm(way) <= radius:
                    break
                damping = max(4.0 * damping, 1e-6 * s[0] ** 2)
            new = curves(u + way)
            new_cost = float(left(new) @ left(new))
            accepted = new_cost < cost
            radius = 2.0 * float(np.linalg.norm(way)) if accepted else 0.25 * min(radius, float(np.linalg.norm(way)))
        if not accepted:
            end = "no progress"
            break
        gained, cost, u, y = cost - new_cost, new_cost, u + way, new
        radius = max(radius, 10 * SMALLEST)
        if gained < 1e-6 * cost:
            end = "converged"
            break
    _, s, V, shown = factors(slopes(u))
    unknowns = int(shown.sum())
    if find_noise and counts.sum() > unknowns:  # what is left is the noise
        share = np.sqrt(cost / (counts.sum() - unknowns))
        s, noise = s / share, {name: value * share for name, value in noise.items()}
        cost, first_cost = cost / share ** 2, first_cost / share ** 2
    values = np.exp(u)
    hidden = (V[~shown] ** 2).sum(axis=0) > 1e-6
    covariance = (V[shown].T / s[shown] ** 2) @ V[shown] * np.outer(values, values)
    result = FitResult()
    result._model = build(dict(zip(order, values.tolist())))
    result.values, result.start = dict(zip(order, values.tolist())), dict(parameters)
    result.sigma = {name: np.inf if hidden[i] else float(np.sqrt(covariance[i, i])) for i, name in enumerate(order)}
    result.covariance, result.singular_values, result.shown = covariance, s, shown.tolist()
    result.directions = [" ".join(f"{x:+.2f} {name}" for name, x in zip(order, row) if abs(x) > 0.05) for row in V]
    result.unseen = [text for text, there in zip(result.directions, result.shown) if not there]
    result.at_bound, result.noise = [], noise
    pieces = np.split(y, np.cumsum([len(run.time) * len(names) for run in runs])[:-1])
    result.times = [run.time for run in runs]
    result.measured = [_stack(run, names) for run in runs]
    result.simulated = [piece.reshape(-1, len(names)) for piece in pieces]
    off = np.concatenate(result.simulated) - np.concatenate(result.measured)
    result.rms = {name: float(np.sqrt(np.nanmean(off[:, i] ** 2))) for i, name in enumerate(names)}
    result.chi2, result.start_chi2 = cost, first_cost
    result.measurements, result.unknowns = int(counts.sum()), unknowns
    result.iterations, result.rollouts, result.end = iterations, float(work[0]), end
    result.starts = [_start(result._model, run, begin) for run in runs]
    return result
