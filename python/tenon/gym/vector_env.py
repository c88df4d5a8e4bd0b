"""Many environments as one, over a batch of worlds."""

import os
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

try:
    from gymnasium.vector import AutoresetMode
except ImportError:  # Gymnasium 1.0
    from enum import Enum

    class AutoresetMode(Enum):  # type: ignore[no-redef]
        """When an environment whose episode is over starts the next one."""

        NEXT_STEP = "NextStep"
        SAME_STEP = "SameStep"
        DISABLED = "Disabled"

import tenon

from .env import METADATA, check_render_mode, find_task, spaces_of
from .simulation import Simulation
from .task import Task


class TenonVectorEnv(VectorEnv):
    """num_envs environments. Each has the bits of a single one with the same seed. threads: None: as many as there are
    processors. autoreset_mode: "NextStep" (the step after the last one of an episode resets it and ignores its action),
    "SameStep" (info has final_obs and final_info) or "Disabled" (``reset(options={"reset_mask": …})``)."""

    def __init__(self, task: Union[str, Task], num_envs: int = 1, *, max_episode_steps: Optional[int] = None,
                 autoreset_mode: Union[str, AutoresetMode] = AutoresetMode.NEXT_STEP, threads: Optional[int] = None,
                 render_mode: Optional[str] = None, width: int = 480, height: int = 360, camera: Optional[str] = None,
                 **options):
        self.task = find_task(task, options)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.render_mode = check_render_mode(render_mode)
        if render_mode == "human":
            raise ValueError("a vector environment has no window: use render_mode='rgb_array'")
        self.metadata = {**METADATA, "render_fps": round(1.0 / self.task.seconds), "autoreset_mode": self.autoreset_mode}
        threads = min(num_envs, os.cpu_count() or 1) if threads is None else threads
        self.simulation = Simulation(self.task, num_envs, threads=threads, limit=max_episode_steps)
        self.single_observation_space, self.single_action_space = spaces_of(self.simulation)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._picture = (width, height, camera or self.task.camera)
        self._generators: list = [None] * num_envs
        self._seeds: list = [None] * num_envs
        self._over = np.zeros(num_envs, dtype=bool)

    @property
    def np_random(self) -> Tuple[np.random.Generator, ...]:
        """The random numbers of each environment."""
        self._seed([None] * self.num_envs, np.ones(self.num_envs, dtype=bool))
        return tuple(self._generators)

    @property
    def np_random_seed(self) -> Tuple[int, ...]:
        """The seeds."""
        self._seed([None] * self.num_envs, np.ones(self.num_envs, dtype=bool))
        return tuple(self._seeds)

    def _seed(self, seeds: Sequence[Optional[int]], mask: np.ndarray) -> None:
        for i in np.flatnonzero(mask):
            if seeds[i] is not None or self._generators[i] is None:
                self._generators[i], self._seeds[i] = seeding.np_random(seeds[i])

    def reset(self, *, seed: Union[int, Sequence[Optional[int]], None] = None,
              options: Optional[Dict[str, Any]] = None):
        """Starts all episodes, or those of options["reset_mask"]. seed: one for each; a number s means s, s + 1, …"""
        mask = np.ones(self.num_envs, dtype=bool)
        if options is not None and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"])
            if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
                raise tenon.UsageError(f"reset_mask: expected bool of shape ({self.num_envs},), not all False; got "
                                       f"{mask.dtype} of shape {mask.shape}")
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise tenon.UsageError(f"seed: expected {self.num_envs} seeds, got {len(seeds)}")
        self._seed(seeds, mask)
        self._restart(mask)
        return self.simulation.observe(), _with_masks(self.simulation.measure(), mask)

    def _restart(self, mask: np.ndarray) -> None:
        self._seed([None] * self.num_envs, mask)
        self.simulation.reset(mask, self._generators)
        self._over[mask] = False

    def step(self, actions):
        """Carries out actions (num_envs, …)."""
        sim, begin = self.simulation, self._over.copy()
        if begin.any() and self.autoreset_mode != AutoresetMode.NEXT_STEP:
            raise tenon.UsageError(f"environment {int(np.flatnonzero(begin)[0])} is over: reset it by options"
                                   "={'reset_mask': …} before the next step")
        reward, terminated, truncated, info = sim.step(actions, ~begin if begin.any() else None)
        if begin.any():
            self._restart(begin)
            reward[begin], terminated[begin], truncated[begin] = 0.0, False, False
            begun = sim.measure()
            info = {name: np.where(begin, begun[name], info[name]) for name in info}
        self._over = terminated | truncated
        infos = _with_masks(info, np.ones(self.num_envs, dtype=bool))
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._over.any():
            self._begin_again(info, infos)
        return sim.observe(), reward, terminated, truncated, infos

    def _begin_again(self, info, infos) -> None:
        """Resets what is over; infos then has what was last as final_obs and final_info."""
        over, last = self._over.copy(), self.simulation.observe()
        final = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(over):
            final[i] = last[i]
        self._restart(over)
        for name, values in self.simulation.measure().items():
            infos[name] = np.where(over, values, info[name])
        infos.update(final_obs=final, _final_obs=over, final_info=_with_masks(info, over), _final_info=over.copy())

    def render(self):
        """Pictures of all environments, if the mode is rgb_array."""
        if self.render_mode is None:
            return None
        return tuple(world.render(*self._picture) for world in self.simulation.batch)

    def close_extras(self, **kwargs) -> None:
        """Closes the worlds."""
        self.simulation.close()


def _with_masks(info: Dict[str, np.ndarray], mask: np.ndarray) -> Dict[str, Any]:
    """As Gymnasium has it: a name and, with an underscore, who has it. Others have 0."""
    result: Dict[str, Any] = {}
    for name, values in info.items():
        result[name] = np.where(mask, values, np.zeros((), values.dtype))
        result[f"_{name}"] = mask.copy()
    return result
