"""What an environment is about: its model, what is seen, done and paid. All arrays have one row per world."""

import functools
from typing import Dict, Sequence

import numpy as np
import tenon

from .vary import Vary

OBSERVED = 100.0  # observations are clipped to ± this, so that their space is bounded


def once(method):
    """What a method of a task finds about all worlds is found once for each of their states."""
    @functools.wraps(method)
    def remembered(self, sim):
        if method not in sim.notes:
            sim.notes[method] = method(self, sim)
        return sim.notes[method]
    return remembered


class Row:
    """One world while it starts: rows of the arrays, to be written, and the world itself."""

    def __init__(self, sim, index: int):
        self.qpos, self.qvel, self.ctrl = sim.qpos[index], sim.qvel[index], sim.ctrl[index]
        self.goal = sim.goal[index]
        self.world = sim.batch[index]


class Task:
    """Base of all tasks. A subclass has a model, `start`, `control`, `observe`, `potential` and `succeeds`.

    The reward is `gain` × the change of `potential`, minus `effort` × mean of action², plus `bonus` at success. What a
    potential pays for going somewhere it takes back for going away, so no cycle of actions pays. `sim` is a Simulation:
    qpos, qvel, ctrl, sensors and goal, each (n, …).
    """

    model: tenon.Model
    action_size: int
    goal_size = 0
    repeat = 5         # steps of the world per action
    settle = 0         # steps of the world before an episode
    hold = 1           # so many steps one after the other `succeeds` must be True
    gain, effort, bonus = 1.0, 0.001, 5.0
    ends_at_success = True
    camera = "overview"
    options: Dict[str, object] = {}  # of tenon.Batch
    randomize: Sequence[Vary] = ()   # what differs from one episode to the next

    def start(self, rng: np.random.Generator, row: Row) -> None:
        """Writes the start of an episode into one row. It is at the reference pose."""

    def control(self, sim, action: np.ndarray) -> None:
        """Writes sim.ctrl; action (n, action_size) is within ± 1."""
        raise NotImplementedError

    def observe(self, sim) -> np.ndarray:
        """(n, …)."""
        raise NotImplementedError

    def potential(self, sim) -> np.ndarray:
        """(n,): how much of the task is done."""
        raise NotImplementedError

    def succeeds(self, sim) -> np.ndarray:
        """(n,) bool: it is done now."""
        raise NotImplementedError

    def fails(self, sim) -> np.ndarray:
        """(n,) bool: it cannot be done any more, the episode ends."""
        return np.zeros(len(sim), dtype=bool)

    def reward(self, sim, action: np.ndarray, change: np.ndarray, success: np.ndarray) -> np.ndarray:
        """(n,): change is that of the potential."""
        return self.gain * change - self.effort / self.action_size * (action * action).sum(axis=1) + self.bonus * success

    def measures(self, sim) -> Dict[str, np.ndarray]:
        """Further numbers for info, (n,) each."""
        return {}

    @property
    def seconds(self) -> float:
        """Duration of an action."""
        return self.repeat * self.timestep

    timestep = 0.01

    def slice(self, joint: str) -> slice:
        """Where a joint is in qpos."""
        return self.model.joint_info(joint)["qpos"]


def lead(ctrl: np.ndarray, position: np.ndarray, change: np.ndarray, low, high, most: float) -> None:
    """Moves targets of position servos by `change`, within their range and at most `most` ahead of where they are. So a
    hand that is held back does not push harder and harder."""
    np.clip(ctrl + change, position - most, position + most, out=ctrl)
    np.clip(ctrl, low, high, out=ctrl)


def look(eye, target) -> str:
    """Attributes of a camera in MJCF: it is at `eye` and looks at `target`."""
    back = np.asarray(eye, dtype=float) - target
    back /= np.linalg.norm(back)
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    axes = np.concatenate([right, np.cross(back, right)])
    return 'pos="{}" xyaxes="{}"'.format(" ".join(f"{x:.6g}" for x in eye), " ".join(f"{x:.6f}" for x in axes))
