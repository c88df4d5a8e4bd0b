"""What the adapters for packages of learning share."""

from __future__ import annotations

from typing import Any, Dict, Optional, Union

import numpy as np

from . import ROBOT_TASKS, TASKS
from .task import Task
from .vector_env import AutoresetMode, TenonVectorEnv


def quiet_torch(threads: Optional[int]) -> None:
    """So many threads for torch; None: as it is. Its threads wait by spinning, on the processors that the worlds are stepped on;
    policies of simulated robots are too small to gain by them."""
    if threads is not None:
        import torch
        torch.set_num_threads(threads)


def make_envs(task: Union[str, Task], num_envs: int, max_episode_steps: Optional[int], options: Dict[str, Any]) -> TenonVectorEnv:
    """Environments that begin again within the step that ends an episode. max_episode_steps: None: as registered."""
    known = {**TASKS, **ROBOT_TASKS}
    if max_episode_steps is None and isinstance(task, str) and task in known:
        max_episode_steps = known[task][2]
    return TenonVectorEnv(task, num_envs, max_episode_steps=max_episode_steps, autoreset_mode=AutoresetMode.SAME_STEP, **options)


class Returns:
    """Return and length of the episodes that run."""

    def __init__(self, num_envs: int):
        self.sum, self.length = np.zeros(num_envs), np.zeros(num_envs, dtype=np.int64)

    def add(self, reward: np.ndarray) -> None:
        """One step of all."""
        self.sum += reward
        self.length += 1

    def clear(self, done: Any = slice(None)) -> None:
        """New episodes begin."""
        self.sum[done], self.length[done] = 0.0, 0
