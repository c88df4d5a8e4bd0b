"""n worlds of one task: what the single and the vector environment share."""

from typing import Dict, Optional, Sequence, Tuple

import numpy as np
import tenon

from .task import OBSERVED, Row, Task
from .vary import Variation


class Simulation:
    """Steps n worlds of a task. Each has the bits of a lone one with the same seed and actions."""

    def __init__(self, task: Task, n: int, *, threads: int = 1, limit: Optional[int] = None):
        self.task, self.limit = task, limit
        self.batch = tenon.Batch(task.model, n, threads=threads, **task.options)
        self.qpos, self.qvel, self.ctrl = self.batch.qpos, self.batch.qvel, self.batch.ctrl
        self.sensors = np.zeros((n, task.model.nsensordata))
        self.goal = np.zeros((n, task.goal_size))
        self.steps = np.zeros(n, dtype=np.int64)
        self._held = np.zeros(n, dtype=np.int64)
        self._potential = np.zeros(n)
        self.notes: Dict[object, np.ndarray] = {}  # of task.once
        self.variation = Variation(task, self.batch) if task.randomize else None
        # the last controls and what was seen last, the newest first: for delays
        past = 1 + -(-self.variation.most_delay // task.repeat) if self.variation else 1
        self._past = np.zeros((past, *self.ctrl.shape))
        self._seen: Optional[np.ndarray] = None

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def varied(self) -> Dict[str, np.ndarray]:
        """What `randomize` of the task has drawn for this episode, by "what:name", (n, …)."""
        return self.variation.varied if self.variation else {}

    def reset(self, mask: np.ndarray, generators: Sequence[np.random.Generator]) -> None:
        """Starts new episodes where mask is True."""
        self.batch.reset(mask)
        if self.variation:
            for i in np.flatnonzero(mask):
                self.variation.draw(i, generators[i])
            self.variation.apply(mask)
        for i in np.flatnonzero(mask):
            self.task.start(generators[i], Row(self, i))
        self._past[:, mask] = self.ctrl[mask]
        if self.task.settle:
            self.batch.step(self.task.settle, mask)
        self.look()
        self._remember(mask)
        self.steps[mask] = 0
        self._held[mask] = 0
        self._potential[mask] = self.task.potential(self)[mask]

    def look(self) -> None:
        """Takes note that the worlds were changed from outside."""
        if self.task.model.nsensordata:
            self.sensors[:] = self.batch.sensors
        self.notes.clear()

    def observe(self) -> np.ndarray:
        """(n, …), float32."""
        seen, varied = self.task.observe(self), self.variation
        if varied:
            if varied.most_late and self._seen is not None:
                seen = self._seen[varied.late, np.arange(len(self))]
            seen = varied.add_noise(seen, self.steps)
        return _within(seen, OBSERVED).astype(np.float32)

    def _remember(self, begin: Optional[np.ndarray] = None) -> None:
        """Notes what is to be seen now, for delays; begin: where episodes begin, nothing was seen before."""
        if not self.variation or not self.variation.most_late:
            return
        now = self.task.observe(self)
        if self._seen is None:
            self._seen = np.tile(now, (self.variation.most_late + 1, 1, 1))
        elif begin is not None:
            self._seen[:, begin] = now[begin]
        else:
            self._seen = np.concatenate([now[None], self._seen[:-1]])

    def measure(self, success=None) -> Dict[str, np.ndarray]:
        """What info has."""
        if success is None:
            success = np.zeros(len(self), dtype=bool)
        return {"success": success, "diverged": self.batch.diverged.copy(), **self.task.measures(self)}

    def step(self, action, mask: Optional[np.ndarray] = None) -> Tuple[np.ndarray, ...]:
        """Carries out actions (n, …) in all worlds, or where mask is True: (reward, terminated, truncated, info). A world
        that diverges ends its episode: it is truncated, and info says so."""
        task, moved = self.task, 1 if mask is None else mask
        action = self._checked(action, mask)
        task.control(self, action)
        self._advance(mask)
        self._remember()
        good = ~self.batch.diverged
        potential = task.potential(self)
        self.steps += moved
        self._held = (self._held + moved) * (task.succeeds(self) & good)
        success = self._held >= task.hold
        reward = task.reward(self, action, potential - self._potential, success)
        self._potential = potential.copy()
        ended = task.fails(self)
        terminated = ((ended | success) if task.ends_at_success else ended) & good
        truncated = ~good if self.limit is None else (self.steps >= self.limit) | ~good
        return reward, terminated, truncated, self.measure(success)

    def _advance(self, mask: Optional[np.ndarray]) -> None:
        """The steps of the worlds that an action lasts."""
        task = self.task
        if self.variation and self.variation.most_delay:
            self._advance_late(mask)
            return
        if len(self) == 1 and mask is None:
            self.batch.step(task.repeat)
            self.look()
            return
        want = ("sensors",) if task.model.nsensordata else ()  # a rollout: threads need not wait for each other
        seen = self.batch.rollout(self.ctrl[:, None, :], repeat=task.repeat, mask=mask, want=want)
        if want:
            rows = slice(None) if mask is None else mask
            self.sensors[rows] = seen["sensors"][rows, 0]
        self.notes.clear()

    def _advance_late(self, mask: Optional[np.ndarray]) -> None:
        """The same with controls that come later by some steps of the world."""
        self._past = np.concatenate([self.ctrl[None], self._past[:-1]])
        age = np.arange(self.task.repeat) - self.variation.delay[:, None]
        ctrl = self._past[-(age // self.task.repeat), np.arange(len(self))[:, None]]
        want = ("sensors",) if self.task.model.nsensordata else ()
        seen = self.batch.rollout(ctrl, mask=mask, want=want)
        self.ctrl[:] = self._past[0]  # what was asked for
        if want:
            rows = slice(None) if mask is None else mask
            self.sensors[rows] = seen["sensors"][rows, -1]
        self.notes.clear()

    def _checked(self, action, mask: Optional[np.ndarray]) -> np.ndarray:
        action = np.asarray(action, dtype=np.float64)
        expected = (len(self), self.task.action_size)
        if action.shape != expected:
            raise tenon.UsageError(f"action: expected shape {expected}, got {action.shape}")
        if mask is not None:
            action = np.where(mask[:, None], action, 0.0)
        finite = np.isfinite(action)
        if not finite.all():
            raise tenon.UsageError(f"action of world {int(np.argwhere(~finite)[0, 0])} is not finite")
        return _within(action, 1.0)

    def close(self) -> None:
        """Gives the memory back."""
        self.batch.close()


def _within(values: np.ndarray, bound: float) -> np.ndarray:
    """Clipped to ± bound; quicker than np.clip for few numbers."""
    return np.minimum(np.maximum(values, -bound), bound)
