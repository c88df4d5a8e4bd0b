"""skrl over a batch: an environment for its trainers.

    envs = tenon.gym.skrl.SkrlEnv("Ant", 64, threads=8)
    agent = skrl.agents.torch.ppo.PPO(models=…, observation_space=envs.observation_space, …)
    skrl.trainers.torch.SequentialTrainer(env=envs, agents=agent, cfg={"timesteps": 1000}).train()
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Union

import numpy as np
import torch
from skrl.envs.wrappers.torch import Wrapper

from ._learners import make_envs, quiet_torch
from .task import Task


class SkrlEnv(Wrapper):
    """A TenonVectorEnv as skrl's own wrapper. Episodes begin again within the step that ends one, so no transition is lost
    between two of them. torch_threads: of torch; None: as they are."""

    def __init__(self, task: Union[str, Task], num_envs: int, *, max_episode_steps: Optional[int] = None,
                 torch_threads: Optional[int] = 1, **options: Any):
        quiet_torch(torch_threads)
        self.envs = make_envs(task, num_envs, max_episode_steps, options)
        super().__init__(self.envs)
        self._seen: Optional[torch.Tensor] = None

    @property
    def num_envs(self) -> int:
        """Number of environments."""
        return self.envs.num_envs

    @property
    def num_agents(self) -> int:
        """One in each."""
        return 1

    @property
    def state_space(self) -> None:
        """There is none beside what is seen."""
        return None

    @property
    def observation_space(self) -> Any:
        """Of one environment."""
        return self.envs.single_observation_space

    @property
    def action_space(self) -> Any:
        """Of one environment."""
        return self.envs.single_action_space

    def _tensor(self, array: np.ndarray, kind: torch.dtype) -> torch.Tensor:
        return torch.as_tensor(np.array(array), device=self.device).to(kind)

    def reset(self) -> Tuple[torch.Tensor, Dict[str, Any]]:
        """Starts all episodes at the first call; trainers call it again and then get what is seen now."""
        if self._seen is None:
            self._seen = self._tensor(self.envs.reset()[0], torch.float32)
        return self._seen, {}

    def seed(self, seed: int) -> None:
        """Starts all episodes, the first with this seed."""
        self._seen = self._tensor(self.envs.reset(seed=seed)[0], torch.float32)

    def state(self) -> None:
        """There is none."""
        return None

    def step(self, actions: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, Dict[str, Any]]:
        """Carries out actions."""
        seen, reward, terminated, truncated, _ = self.envs.step(actions.detach().cpu().numpy())
        self._seen = self._tensor(seen, torch.float32)
        column = (self.num_envs, 1)
        return (self._seen, self._tensor(reward, torch.float32).view(column), self._tensor(terminated, torch.bool).view(column),
                self._tensor(truncated, torch.bool).view(column), {})

    def render(self, *arguments: Any, **keywords: Any) -> Any:
        """Pictures of all environments."""
        return self.envs.render()

    def close(self) -> None:
        """Closes the worlds."""
        self.envs.close()
