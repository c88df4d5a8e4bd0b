"""A hand pushes the free end of a springy cable into a hole. The cable bends under its weight and on contact."""

import numpy as np
import tenon

from ..cables import positions, segment_slice
from ..task import Task, lead, look

SEGMENTS, LENGTH, RADIUS = 12, 0.15, 0.004
HAND = np.array([-0.06, 0.0, 0.16])
SOCKET = np.array([0.2, 0.0, 0.15])  # the entrance of the hole, which leads along x
HOLE, DEPTH, OUTER = 0.007, 0.05, 0.04  # half width of the square hole, length, half width of the block

WALL = (OUTER - HOLE) / 2
MODEL = f"""
<mujoco model="cable insertion">
  <compiler angle="radian"/>
  <option timestep="0.01"/>
  <default>
    <geom friction="0.2 0 0" condim="3"/>
    <default class="drawn"><geom contype="0" conaffinity="0"/></default>
    <default class="wall"><geom type="box" contype="2" conaffinity="1" rgba="0.85 0.55 0.25 1"/></default>
    <default class="axis"><joint type="slide"/></default>
  </default>
  <worldbody>
    <camera name="overview" {look((-0.10, -0.34, 0.33), (0.09, 0.0, 0.13))} fovy="45"/>
    <geom name="floor" type="plane" size="0.4 0.4 0.05" contype="2" conaffinity="1" rgba="0.87 0.87 0.84 1"/>
    <body name="hand" pos="{HAND[0]} {HAND[1]} {HAND[2]}">
      <joint class="axis" name="x" axis="1 0 0"/>
      <joint class="axis" name="y" axis="0 1 0"/>
      <joint class="axis" name="z" axis="0 0 1"/>
      <geom class="drawn" type="box" size="0.02 0.012 0.012" pos="-0.012 0 0" mass="0.4" rgba="0.25 0.45 0.75 1"/>
    </body>
    <body name="socket" mocap="true" pos="{SOCKET[0]} {SOCKET[1]} {SOCKET[2]}">
      <geom class="wall" pos="{DEPTH / 2} 0 {HOLE + WALL}" size="{DEPTH / 2} {OUTER} {WALL}"/>
      <geom class="wall" pos="{DEPTH / 2} 0 {-HOLE - WALL}" size="{DEPTH / 2} {OUTER} {WALL}"/>
      <geom class="wall" pos="{DEPTH / 2} {HOLE + WALL} 0" size="{DEPTH / 2} {WALL} {HOLE}"/>
      <geom class="wall" pos="{DEPTH / 2} {-HOLE - WALL} 0" size="{DEPTH / 2} {WALL} {HOLE}"/>
      <geom class="wall" pos="{DEPTH + 0.005} 0 0" size="0.005 {OUTER} {OUTER}"/>
    </body>
  </worldbody>
  <equality><weld body1="hand" body2="cable_0"/></equality>
  <actuator>
    <position name="x" joint="x" kp="400" kv="40" forcelimited="true" forcerange="-20 20"/>
    <position name="y" joint="y" kp="400" kv="40" forcelimited="true" forcerange="-20 20"/>
    <position name="z" joint="z" kp="400" kv="40" forcelimited="true" forcerange="-20 20"/>
  </actuator>
  <tenon>
    <rod name="cable" start="{HAND[0]} {HAND[1]} {HAND[2]}" end="{HAND[0] + LENGTH} {HAND[1]} {HAND[2]}"
      segments="{SEGMENTS}" radius="{RADIUS}" young="5e7" bend="2e7" twist="1e7" density="1200"
      damping="0.02" contype="1" conaffinity="2" friction="0.2 0 0" rgba="0.15 0.15 0.18 1"/>
  </tenon>
</mujoco>
"""


class CableInsertion(Task):
    """Goal: the middle of the entrance (3)."""

    repeat, timestep, action_size, goal_size = 5, 0.01, 3, 3
    speed = 0.15   # m/s at action 1
    deep = 0.03    # m inside: success
    settle, gain = 30, 10.0
    options = {"tolerance": 1e-4}

    def __init__(self):
        self.model = tenon.Model.from_string(MODEL)
        self._cable = segment_slice(self.model, "cable", SEGMENTS)

    def start(self, rng, row):
        row.goal[:] = SOCKET + rng.uniform((-0.02, -0.05, -0.03), (0.02, 0.05, 0.03))
        row.world.place_mocap("socket", row.goal)

    def control(self, sim, action):
        lead(sim.ctrl, sim.qpos[:, :3], self.speed * self.seconds * action, (-0.1, -0.15, -0.1), (0.25, 0.15, 0.12), 0.02)

    def _away(self, sim):
        """From the entrance to the end of the cable, (n, 3): x is how far it is inside."""
        points = positions(sim.qpos, self._cable)
        return 1.5 * points[:, -1] - 0.5 * points[:, -2] - sim.goal

    def observe(self, sim):
        hand = HAND + sim.qpos[:, :3]
        points = positions(sim.qpos, self._cable)[:, 2::3] - hand[:, None]
        return np.concatenate([hand, sim.qvel[:, :3], sim.ctrl - sim.qpos[:, :3], points.reshape(len(sim), -1), sim.goal,
                               self._away(sim)], axis=1)

    def potential(self, sim):
        away = self._away(sim)
        beside = np.sqrt((away[:, 1:] ** 2).sum(axis=1))
        return -2.0 * beside - np.abs(away[:, 0] - self.deep)

    def succeeds(self, sim):
        away = self._away(sim)
        return (away[:, 0] > self.deep) & (np.abs(away[:, 1:]) < HOLE).all(axis=1)

    def measures(self, sim):
        return {"depth": self._away(sim)[:, 0]}
