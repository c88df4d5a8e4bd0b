"""A gripper picks up a soft ball by friction and lifts it, without crushing it."""

import numpy as np
import tenon

from ..task import Task, lead, look, once

BALL, OPEN = 0.03, 0.045  # radius; half the distance of the open fingers
HAND = np.array([0.0, 0.0, 0.12])

MODEL = f"""
<mujoco model="soft grasp">
  <compiler angle="radian"/>
  <option timestep="0.01"/>
  <default>
    <geom condim="3" friction="0.8 0 0"/>
    <default class="drawn"><geom contype="0" conaffinity="0" rgba="0.82 0.84 0.87 1"/></default>
    <default class="pad">
      <geom type="box" size="0.016 0.004 0.02" contype="2" conaffinity="1" mass="0.02" rgba="0.2 0.22 0.26 1"/>
    </default>
    <default class="finger">
      <joint type="slide" limited="true" range="-0.01 0.04" damping="5"/>
      <position kp="1000" kv="60" forcelimited="true" forcerange="-40 40"/>
    </default>
    <default class="axis">
      <joint type="slide"/><position kp="2000" kv="200" forcelimited="true" forcerange="-60 60"/>
    </default>
  </default>
  <worldbody>
    <camera name="overview" {look((0.42, -0.30, 0.30), (0.0, 0.0, 0.09))} fovy="40"/>
    <geom name="floor" type="plane" size="0.5 0.5 0.05" contype="2" conaffinity="1" rgba="0.87 0.87 0.84 1"/>
    <body name="hand" pos="{HAND[0]} {HAND[1]} {HAND[2]}" gravcomp="1">
      <joint class="axis" name="x" axis="1 0 0"/>
      <joint class="axis" name="y" axis="0 1 0"/>
      <joint class="axis" name="z" axis="0 0 1"/>
      <geom class="drawn" type="box" pos="0 0 0.075" size="0.02 0.075 0.014" mass="0.8"/>
      <geom class="drawn" type="cylinder" pos="0 0 0.12" size="0.018 0.03" mass="0.4" rgba="0.25 0.45 0.75 1"/>
      <body name="left" pos="0 {OPEN} 0" gravcomp="1">
        <joint name="left" class="finger" axis="0 -1 0"/>
        <geom class="drawn" type="box" pos="0 0.012 0.028" size="0.01 0.005 0.045" mass="0.1"/>
        <geom name="left_pad" class="pad" pos="0 0.004 0"/>
      </body>
      <body name="right" pos="0 {-OPEN} 0" gravcomp="1">
        <joint name="right" class="finger" axis="0 1 0"/>
        <geom class="drawn" type="box" pos="0 -0.012 0.028" size="0.01 0.005 0.045" mass="0.1"/>
        <geom name="right_pad" class="pad" pos="0 -0.004 0"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="x" class="axis" joint="x"/>
    <position name="y" class="axis" joint="y"/>
    <position name="z" class="axis" joint="z"/>
    <position name="left" class="finger" joint="left"/>
    <position name="right" class="finger" joint="right"/>
  </actuator>
  <tenon>
    <soft name="ball" ball="{BALL}" cells="3" pos="0 0 {BALL + 0.0002}" young="1e5" poisson="0.4" density="1000"
      damping="0.01" contype="1" conaffinity="2" friction="0.8 0 0" rgba="0.85 0.20 0.16 1"/>
  </tenon>
</mujoco>
"""


class SoftGrasp(Task):
    """The ball's centre is the mean of its nodes."""

    repeat, timestep, action_size = 5, 0.01, 4
    speed, closing = 0.3, 0.1   # m/s at action 1: of the hand, of each finger
    high, hold = 0.12, 10       # m, so many steps: success
    thin = 0.6                  # of its diameter between the fingers: crushed
    gain = 10.0
    options = {"tolerance": 1e-4}

    def __init__(self):
        self.model = tenon.Model.from_string(MODEL)

    def start(self, rng, row):
        row.qpos[5:].reshape(-1, 3)[:, :2] += rng.uniform(-0.06, 0.06, 2)
        row.qpos[2] = row.ctrl[2] = rng.uniform(-0.02, 0.03)

    def control(self, sim, action):
        change = self.speed * self.seconds * action[:, :3]
        lead(sim.ctrl[:, :3], sim.qpos[:, :3], change, (-0.15, -0.15, -0.095), (0.15, 0.15, 0.15), 0.03)
        grip = np.repeat(self.closing * self.seconds * action[:, 3:], 2, axis=1)
        lead(sim.ctrl[:, 3:], sim.qpos[:, 3:5], grip, -0.005, 0.04, 0.03)

    def _nodes(self, sim):
        return sim.qpos[:, 5:].reshape(len(sim), -1, 3)

    @once
    def _ball(self, sim):
        return self._nodes(sim).mean(axis=1)

    @once
    def _width(self, sim):
        """Of the ball between the fingers, over its diameter."""
        y = self._nodes(sim)[:, :, 1]
        return (y.max(axis=1) - y.min(axis=1)) / (2.0 * BALL)

    def observe(self, sim):
        hand, ball = HAND + sim.qpos[:, :3], self._ball(sim)
        speed = sim.qvel[:, 5:].reshape(len(sim), -1, 3).mean(axis=1)
        return np.concatenate([hand, sim.qvel[:, :3], OPEN - sim.qpos[:, 3:5], sim.ctrl - sim.qpos[:, :5], ball, speed,
                               ball - hand, self._width(sim)[:, None]], axis=1)

    def potential(self, sim):
        ball = self._ball(sim)
        away = ball - HAND - sim.qpos[:, :3]
        return 4.0 * np.clip(ball[:, 2] - BALL, 0.0, self.high - BALL) - np.sqrt((away * away).sum(axis=1))

    def succeeds(self, sim):
        return self._ball(sim)[:, 2] > self.high

    def fails(self, sim):
        return (self._width(sim) < self.thin) | (np.abs(self._ball(sim)[:, :2]) > 0.25).any(axis=1)

    def measures(self, sim):
        return {"height": self._ball(sim)[:, 2], "width": self._width(sim)}
