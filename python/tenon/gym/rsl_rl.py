"""rsl_rl over a batch: an environment for its runners, of rsl-rl-lib 2 (tensors) and of later versions (a TensorDict).

    envs = tenon.gym.rsl_rl.RslRlVecEnv("Ant", 64, threads=8)
    runner = rsl_rl.runners.OnPolicyRunner(envs, settings, log_dir="logs")
    runner.learn(100)
"""

from __future__ import annotations

import importlib.metadata
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np
import torch
from rsl_rl.env import VecEnv

from ._learners import Returns, make_envs, quiet_torch
from .task import Task

TENSORDICT = int(importlib.metadata.version("rsl-rl-lib").split(".")[0]) >= 3


class RslRlVecEnv(VecEnv):
    """A TenonVectorEnv as a VecEnv. Worlds are stepped on processors; tensors are on `device`. torch_threads: of torch; None: as
    they are."""

    def __init__(self, task: Union[str, Task], num_envs: int, *, max_episode_steps: Optional[int] = None,
                 device: str = "cpu", torch_threads: Optional[int] = 1, **options: Any):
        quiet_torch(torch_threads)
        self.envs = make_envs(task, num_envs, max_episode_steps, options)
        simulation = self.envs.simulation
        self.num_envs, self.num_actions = num_envs, self.envs.single_action_space.shape[0]
        self.num_obs, self.num_privileged_obs = self.envs.single_observation_space.shape[0], None
        self.max_episode_length = simulation.limit or 10**9
        self.device = torch.device(device)
        self.step_dt = simulation.task.seconds
        self.cfg: Dict[str, Any] = {"task": type(simulation.task).__name__, "num_envs": num_envs}
        self._returns = Returns(num_envs)
        self._seen = self.envs.reset()[0]

    @property
    def unwrapped(self) -> "RslRlVecEnv":
        """Itself."""
        return self

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """How many steps each episode has lasted. Runners write it once, so that episodes do not all end together."""
        return self._tensor(self.envs.simulation.steps)

    @episode_length_buf.setter
    def episode_length_buf(self, steps: torch.Tensor) -> None:
        self.envs.simulation.steps[:] = steps.cpu().numpy()

    def seed(self, seed: int = -1) -> int:
        """Starts all episodes with this seed, and the next ones for the others; -1: any."""
        self._seen = self.envs.reset(seed=None if seed < 0 else seed)[0]
        self._returns.clear()
        return seed

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(np.array(array), device=self.device)

    def _observed(self) -> Any:
        seen = self._tensor(self._seen)
        if not TENSORDICT:
            return seen
        from tensordict import TensorDict
        return TensorDict({"policy": seen}, batch_size=[self.num_envs], device=self.device)

    def get_observations(self) -> Any:
        """What is seen now; in rsl-rl-lib 2 with a dict of further observations."""
        return self._observed() if TENSORDICT else (self._observed(), {"observations": {}})

    def reset(self) -> Any:
        """Starts all episodes."""
        self._seen = self.envs.reset()[0]
        self._returns.clear()
        return self._observed(), {"observations": {}}

    def step(self, actions: torch.Tensor) -> Tuple[Any, torch.Tensor, torch.Tensor, Dict[str, Any]]:
        """Carries out actions. extras["time_outs"]: the episode's time was over, or its world diverged."""
        self._seen, reward, terminated, truncated, _ = self.envs.step(actions.detach().cpu().numpy())
        done = terminated | truncated
        self._returns.add(reward)
        extras: Dict[str, Any] = {"observations": {}, "time_outs": self._tensor(truncated & ~terminated)}
        if done.any():
            extras["log"] = {"/episode/return": float(self._returns.sum[done].mean()),
                             "/episode/length": float(self._returns.length[done].mean())}
            self._returns.clear(done)
        return (self._observed(), self._tensor(reward.astype(np.float32)), self._tensor(done.astype(np.int64)), extras)

    def close(self) -> None:
        """Closes the worlds."""
        self.envs.close()
