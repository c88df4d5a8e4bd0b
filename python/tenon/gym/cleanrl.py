"""CleanRL over a batch: its scripts make single environments, one after the other, each with wrappers. One line replaces that:

    envs = tenon.gym.cleanrl.CleanRlEnvs(args.env_id, args.num_envs, gamma=args.gamma)      # ppo_continuous_action.py
    envs = tenon.gym.cleanrl.CleanRlEnvs(args.env_id, args.num_envs, normalize=False)       # sac, td3, ddpg
"""

from __future__ import annotations

import time
from typing import Any, Optional, Tuple, Union

import numpy as np
from gymnasium.vector import VectorEnv

from ._learners import Returns, make_envs, quiet_torch
from .task import Task


class Running:
    """Mean and variance of all rows so far (Chan, Golub and LeVeque, 1983)."""

    def __init__(self, shape: Tuple[int, ...] = ()):
        self.mean, self.var, self.count = np.zeros(shape), np.ones(shape), 1e-4

    def add(self, rows: np.ndarray) -> None:
        """Further rows."""
        n, total = len(rows), self.count + len(rows)
        away = rows.mean(axis=0) - self.mean
        self.var = (self.count * self.var + n * rows.var(axis=0) + away**2 * self.count * n / total) / total
        self.mean, self.count = self.mean + away * n / total, total


class CleanRlEnvs(VectorEnv):
    """A TenonVectorEnv as the scripts of CleanRL see theirs: episodes begin again within the step that ends one, and
    infos["final_info"]["episode"] has returns "r", lengths "l" and times "t" of those that ended. task: a name, also as "tenon/NAME-v0",
    or a Task; options are its own. normalize: observations have mean 0 and deviation 1, rewards are divided by the deviation of
    their discounted sum, over all environments and steps so far, and both are clipped to ± 10. torch_threads: of torch; None: as
    they are."""

    def __init__(self, task: Union[str, Task], num_envs: int, *, gamma: float = 0.99, normalize: bool = True,
                 max_episode_steps: Optional[int] = None, torch_threads: Optional[int] = 1, **options: Any):
        quiet_torch(torch_threads)
        if isinstance(task, str) and task.startswith("tenon/") and task.endswith("-v0"):
            task = task[len("tenon/"):-len("-v0")]
        self.envs = make_envs(task, num_envs, max_episode_steps, options)
        self.num_envs, self.metadata, self.render_mode = num_envs, self.envs.metadata, self.envs.render_mode
        self.single_observation_space, self.single_action_space = self.envs.single_observation_space, self.envs.single_action_space
        self.observation_space, self.action_space = self.envs.observation_space, self.envs.action_space
        self.gamma, self.normalize = gamma, normalize
        self.seen, self.paid = Running(self.single_observation_space.shape), Running()
        self._returns, self._discounted, self._begin = Returns(num_envs), np.zeros(num_envs), time.perf_counter()

    def _normal(self, seen: np.ndarray) -> np.ndarray:
        return np.clip((seen - self.seen.mean) / np.sqrt(self.seen.var + 1e-8), -10.0, 10.0).astype(np.float32)

    def _observed(self, seen: np.ndarray) -> np.ndarray:
        if not self.normalize:
            return seen
        self.seen.add(seen.astype(np.float64))
        return self._normal(seen)

    def reset(self, *, seed: Any = None, options: Any = None):
        """Starts all episodes."""
        seen, infos = self.envs.reset(seed=seed, options=options)
        self._returns.clear()
        self._discounted[:] = 0.0
        return self._observed(seen), infos

    def step(self, actions):
        """Carries out actions, clipped to ± 1."""
        seen, reward, terminated, truncated, infos = self.envs.step(np.asarray(actions))
        over = terminated | truncated
        self._returns.add(reward)
        seen = self._observed(seen)
        if over.any():
            last = infos["final_info"]
            last["episode"] = {"r": np.where(over, self._returns.sum, 0.0), "l": np.where(over, self._returns.length, 0),
                               "t": np.where(over, time.perf_counter() - self._begin, 0.0)}
            last["_episode"] = over.copy()
            if self.normalize:
                for i in np.flatnonzero(over):
                    infos["final_obs"][i] = self._normal(infos["final_obs"][i])
            self._returns.clear(over)
        return seen, self._rewarded(reward, over), terminated, truncated, infos

    def _rewarded(self, reward: np.ndarray, over: np.ndarray) -> np.ndarray:
        if not self.normalize:
            return reward
        self._discounted = self.gamma * self._discounted + reward
        self.paid.add(self._discounted)
        self._discounted[over] = 0.0
        return np.clip(reward / np.sqrt(self.paid.var + 1e-8), -10.0, 10.0)

    def render(self):
        """Pictures of all environments, if the mode is rgb_array."""
        return self.envs.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the worlds."""
        self.envs.close()
