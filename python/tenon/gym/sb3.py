"""Stable-Baselines3 over a batch: its own vector environments step one world after the other.

    envs = tenon.gym.sb3.BatchVecEnv("Reacher", 64, threads=8)
    model = stable_baselines3.PPO("MlpPolicy", envs)
"""

from typing import Optional, Union

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from ._learners import Returns, make_envs, quiet_torch
from .task import Task


class BatchVecEnv(VecEnv):
    """A TenonVectorEnv as a VecEnv. max_episode_steps: None: as registered. torch_threads: of torch; None: as they are."""

    def __init__(self, task: Union[str, Task], num_envs: int, *, max_episode_steps: Optional[int] = None,
                 torch_threads: Optional[int] = 1, **options):
        quiet_torch(torch_threads)
        self.envs = make_envs(task, num_envs, max_episode_steps, options)
        self._actions = None
        self._returns = Returns(num_envs)
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)

    def reset(self):
        """Starts all episodes, with the seeds of seed() if it was called."""
        seeds = list(self._seeds) if any(seed is not None for seed in self._seeds) else None
        self._reset_seeds()
        self._returns.clear()
        return self.envs.reset(seed=seeds)[0]

    def step_async(self, actions) -> None:
        """Keeps the actions for step_wait."""
        self._actions = actions

    def step_wait(self):
        """Carries them out. The info of an episode that ends has its terminal_observation and episode, as a Monitor adds."""
        seen, reward, terminated, truncated, info = self.envs.step(self._actions)
        done = terminated | truncated
        self._returns.add(reward)
        infos = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done):
            last = info["final_info"]
            infos[i] = {name: last[name][i] for name in last if not name.startswith("_")}
            infos[i].update({"terminal_observation": info["final_obs"][i],
                             "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
                             "episode": {"r": float(self._returns.sum[i]), "l": int(self._returns.length[i]), "t": 0.0}})
        self._returns.clear(done)
        return seen, reward.astype(np.float32), done, infos

    def close(self) -> None:
        """Closes the worlds."""
        self.envs.close()

    def get_attr(self, attr_name, indices=None):
        """The attribute of the vector environment, once for each."""
        return [getattr(self.envs, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name, value, indices=None) -> None:
        """All environments share what they are made of."""
        setattr(self.envs, attr_name, value)

    def env_method(self, method_name, *method_args, indices=None, **method_kwargs):
        """Calls a method of the vector environment."""
        return [getattr(self.envs, method_name)(*method_args, **method_kwargs)]

    def env_is_wrapped(self, wrapper_class, indices=None):
        """No environment is wrapped."""
        return [False] * len(list(self._get_indices(indices)))
