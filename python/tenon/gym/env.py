"""One environment."""

from typing import Any, Dict, Optional, Tuple, Union

import gymnasium
import numpy as np
import tenon
from gymnasium import spaces

from . import make_task
from .simulation import Simulation
from .task import OBSERVED, Task

METADATA: Dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 20}


def find_task(task: Union[str, Task], options: Dict[str, Any]) -> Task:
    """The task itself, or that of a name with options. Each has `randomize`, in place of what the task declares."""
    options = dict(options)
    randomize = options.pop("randomize", None)
    if isinstance(task, str):
        task = make_task(task, **options)
    elif options:
        raise TypeError(f"there is no option '{next(iter(options))}'")
    if randomize is not None:
        task.randomize = tuple(randomize)
    return task


def spaces_of(simulation: Simulation) -> Tuple[spaces.Box, spaces.Box]:
    """Of observations and actions of one environment."""
    return (spaces.Box(-OBSERVED, OBSERVED, simulation.observe().shape[1:], np.float32),
            spaces.Box(-1.0, 1.0, (simulation.task.action_size,), np.float32))


def check_render_mode(mode: Optional[str]) -> Optional[str]:
    """The mode, if there is one like it."""
    if mode is not None and mode not in METADATA["render_modes"]:
        raise ValueError(f"render_mode: expected one of {', '.join(METADATA['render_modes'])} or None, got {mode!r}")
    return mode


class TenonEnv(gymnasium.Env):
    """An environment with one world. task: a name, as "CableRouting", with options for it, or a Task. It does not end by
    itself when time is over: gymnasium.make adds the limit."""

    metadata = METADATA

    def __init__(self, task: Union[str, Task], *, render_mode: Optional[str] = None, width: int = 480, height: int = 360,
                 camera: Optional[str] = None, threads: int = 1, **options):
        self.task = find_task(task, options)
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {**METADATA, "render_fps": round(1.0 / self.task.seconds)}
        self.simulation = Simulation(self.task, 1, threads=threads)
        self.observation_space, self.action_space = spaces_of(self.simulation)
        self._picture = (width, height, camera or self.task.camera)
        self._window = None

    @property
    def world(self):
        """The tenon.World."""
        return self.simulation.batch[0]

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None):
        """Starts an episode. The same seed gives the same bits."""
        super().reset(seed=seed)
        self.simulation.reset(np.ones(1, dtype=bool), [self.np_random])
        self._show()
        return self.simulation.observe()[0], _first(self.simulation.measure())

    def step(self, action):
        """Carries out an action of numbers within ± 1."""
        action = np.asarray(action)
        reward, terminated, truncated, info = self.simulation.step(action[None])
        self._show()
        return (self.simulation.observe()[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), _first(info))

    def render(self):
        """A picture, (height, width, 3) of uint8, if the mode is rgb_array."""
        if self.render_mode == "rgb_array":
            return self._draw()
        if self.render_mode is None and self.spec is not None:
            gymnasium.logger.warn(f'render() does nothing without a mode: gymnasium.make("{self.spec.id}", '
                                  'render_mode="rgb_array")')
        return None

    def _draw(self) -> np.ndarray:
        width, height, camera = self._picture
        return self.world.render(width, height, camera)

    def _show(self) -> None:
        if self.render_mode != "human":
            return
        if self._window is None:
            width, height, _ = self._picture
            self._window = tenon.Viewer(self.world, width=width, height=height, title=f"tenon: {type(self.task).__name__}")
        self._window.sync()

    def close(self) -> None:
        """Closes the window and the world."""
        if self._window is not None:
            self._window.close()
            self._window = None
        self.simulation.close()


def _first(info: Dict[str, np.ndarray]) -> Dict[str, Any]:
    return {name: values[0].item() for name, values in info.items()}
