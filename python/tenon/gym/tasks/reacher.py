"""An arm with two joints brings its tip to a target in the plane: small, and quick to learn."""

import numpy as np
import tenon

from ..task import Task, once

MODEL = """
<mujoco model="reacher">
  <compiler angle="radian"/>
  <option timestep="0.01" gravity="0 0 -9.81"/>
  <default><geom contype="0" conaffinity="0" rgba="0.25 0.45 0.75 1"/><joint damping="1" armature="1"/></default>
  <worldbody>
    <camera name="overview" pos="0 -0.42 0.55" xyaxes="1 0 0 0 0.8 0.6" fovy="45"/>
    <geom type="plane" size="0.35 0.35 0.1" pos="0 0 -0.02" rgba="0.9 0.9 0.88 1"/>
    <geom type="cylinder" size="0.014 0.014" rgba="0.3 0.3 0.35 1"/>
    <body name="upper">
      <joint name="shoulder" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.01" density="1000"/>
      <body name="lower" pos="0.1 0 0">
        <joint name="elbow" axis="0 0 1" limited="true" range="-3 3"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.01" density="1000"/>
        <geom size="0.012" pos="0.11 0 0" density="1000" rgba="0.95 0.6 0.2 1"/>
        <site name="tip" pos="0.11 0 0"/>
      </body>
    </body>
    <body name="target" mocap="true" pos="0.1 0.1 0">
      <geom size="0.012" rgba="0.85 0.2 0.2 1"/>
    </body>
  </worldbody>
  <actuator>
    <motor joint="shoulder" gear="200" ctrllimited="true" ctrlrange="-1 1"/>
    <motor joint="elbow" gear="200" ctrllimited="true" ctrlrange="-1 1"/>
  </actuator>
  <sensor><framepos objtype="site" objname="tip"/></sensor>
</mujoco>
"""


class Reacher(Task):
    """Reward: minus the distance from tip to target (m), minus 0.1 × mean of action², each step."""

    repeat, timestep, action_size, goal_size = 2, 0.01, 2, 2
    ends_at_success, hold = False, 5
    near = 0.015  # m: success

    def __init__(self):
        self.model = tenon.Model.from_string(MODEL)

    def start(self, rng, row):
        row.qpos[:] = rng.uniform(-0.1, 0.1, 2) + (0.0, 0.5)
        row.qvel[:] = rng.uniform(-0.005, 0.005, 2)
        radius, angle = 0.2 * np.sqrt(rng.uniform(0.05, 1.0)), rng.uniform(-np.pi, np.pi)
        row.goal[:] = radius * np.cos(angle), radius * np.sin(angle)
        row.world.place_mocap("target", (*row.goal, 0.0))

    def control(self, sim, action):
        sim.ctrl[:] = action

    @once
    def _away(self, sim):
        return sim.goal - sim.sensors[:, :2]

    @once
    def _distance(self, sim):
        away = self._away(sim)
        return np.sqrt((away * away).sum(axis=1))

    def observe(self, sim):
        return np.concatenate([np.cos(sim.qpos), np.sin(sim.qpos), sim.goal, 0.1 * sim.qvel, self._away(sim)], axis=1)

    def potential(self, sim):
        return -self._distance(sim)

    def succeeds(self, sim):
        return self._distance(sim) < self.near

    def reward(self, sim, action, change, success):
        return -self._distance(sim) - 0.05 * (action * action).sum(axis=1)

    def measures(self, sim):
        return {"distance": self._distance(sim)}
