"""Base of the robots that walk along x."""

import numpy as np

from ..task import Task


class Walker(Task):
    """The first joint is free: qpos[0:3] is where the robot is. Reward, each step: `forward` × velocity along x (m/s), plus
    `upright`, minus `effort` × sum of action². An episode ends when the height of the body leaves `heights`."""

    forward, upright, effort = 1.0, 1.0, 0.5
    heights = (0.2, 1.0)
    far = 5.0          # m from the start: success
    noise = 0.1        # of the joints at the start
    ends_at_success = False

    def start(self, rng, row):
        row.qpos[7:] += rng.uniform(-self.noise, self.noise, len(row.qpos) - 7)
        row.qvel[:] = rng.uniform(-self.noise, self.noise, len(row.qvel))

    def control(self, sim, action):
        sim.ctrl[:] = self.strength * action

    strength = 1.0

    def observe(self, sim):
        return np.concatenate([sim.qpos[:, 2:], sim.qvel], axis=1)

    def potential(self, sim):
        return sim.qpos[:, 0].copy()

    def _falls(self, sim):
        height = sim.qpos[:, 2]
        return (height < self.heights[0]) | (height > self.heights[1])

    def succeeds(self, sim):
        return (sim.qpos[:, 0] > self.far) & ~self._falls(sim)

    def fails(self, sim):
        return self._falls(sim)

    def reward(self, sim, action, change, success):
        return (self.forward * change / self.seconds + self.upright * ~self._falls(sim)
                - self.effort * (action * action).sum(axis=1))

    def measures(self, sim):
        return {"x": sim.qpos[:, 0].copy(), "height": sim.qpos[:, 2].copy()}
