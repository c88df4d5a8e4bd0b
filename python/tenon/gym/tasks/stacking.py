"""A gripper puts a block on another. Its fingers are so weak and so slippery that the block slides out of a hasty hand."""

import numpy as np
import tenon

from ..task import Task, lead, look

HALF, OPEN = 0.02, 0.035
HAND = np.array([0.0, 0.0, 0.12])

MODEL = f"""
<mujoco model="stacking">
  <compiler angle="radian"/>
  <option timestep="0.01"/>
  <default>
    <geom condim="4" friction="0.3 0.002 0"/>
    <default class="drawn"><geom contype="0" conaffinity="0" rgba="0.82 0.84 0.87 1"/></default>
    <default class="pad"><geom type="box" size="0.012 0.004 0.012" mass="0.02" rgba="0.2 0.22 0.26 1"/></default>
    <default class="finger">
      <joint type="slide" limited="true" range="-0.01 0.03" damping="5"/>
      <position kp="600" kv="30" forcelimited="true" forcerange="-4.5 4.5"/>
    </default>
    <default class="axis">
      <joint type="slide"/><position kp="2000" kv="200" forcelimited="true" forcerange="-60 60"/>
    </default>
  </default>
  <worldbody>
    <camera name="overview" {look((0.36, -0.34, 0.26), (0.0, 0.0, 0.06))} fovy="40"/>
    <geom name="floor" type="plane" size="0.5 0.5 0.05" rgba="0.87 0.87 0.84 1"/>
    <body name="hand" pos="{HAND[0]} {HAND[1]} {HAND[2]}" gravcomp="1">
      <joint class="axis" name="x" axis="1 0 0"/>
      <joint class="axis" name="y" axis="0 1 0"/>
      <joint class="axis" name="z" axis="0 0 1"/>
      <geom class="drawn" type="box" pos="0 0 0.065" size="0.018 0.06 0.012" mass="0.8"/>
      <geom class="drawn" type="cylinder" pos="0 0 0.105" size="0.016 0.03" mass="0.4" rgba="0.25 0.45 0.75 1"/>
      <body name="left" pos="0 {OPEN} 0" gravcomp="1">
        <joint name="left" class="finger" axis="0 -1 0"/>
        <geom class="drawn" type="box" pos="0 0.01 0.025" size="0.008 0.004 0.04" mass="0.1"/>
        <geom name="left_pad" class="pad" pos="0 0.004 0"/>
      </body>
      <body name="right" pos="0 {-OPEN} 0" gravcomp="1">
        <joint name="right" class="finger" axis="0 1 0"/>
        <geom class="drawn" type="box" pos="0 -0.01 0.025" size="0.008 0.004 0.04" mass="0.1"/>
        <geom name="right_pad" class="pad" pos="0 -0.004 0"/>
      </body>
    </body>
    <body name="block" pos="-0.08 0 {HALF}"><freejoint name="block"/>
      <geom type="box" size="{HALF} {HALF} {HALF}" mass="0.2" rgba="0.85 0.2 0.16 1"/></body>
    <body name="base" pos="0.08 0 {HALF}"><freejoint name="base"/>
      <geom type="box" size="{HALF} {HALF} {HALF}" mass="0.2" rgba="0.3 0.6 0.35 1"/></body>
  </worldbody>
  <actuator>
    <position name="x" class="axis" joint="x"/>
    <position name="y" class="axis" joint="y"/>
    <position name="z" class="axis" joint="z"/>
    <position name="left" class="finger" joint="left"/>
    <position name="right" class="finger" joint="right"/>
  </actuator>
</mujoco>
"""


class Stacking(Task):
    """The red block is to stand on the green one, and the fingers are to be open."""

    repeat, timestep, action_size = 5, 0.01, 4
    speed, closing = 0.3, 0.1   # m/s at action 1: of the hand, of each finger
    hold, gain = 10, 5.0

    def __init__(self):
        self.model = tenon.Model.from_string(MODEL)

    def start(self, rng, row):
        row.qpos[5:7] = rng.uniform((-0.12, -0.08), (-0.05, 0.08))
        row.qpos[12:14] = rng.uniform((0.05, -0.08), (0.12, 0.08))
        for where in (8, 15):  # turned a little, so that the fingers must align it
            turn = rng.uniform(-0.1, 0.1) / 2.0
            row.qpos[where:where + 4] = np.cos(turn), 0.0, 0.0, np.sin(turn)
        row.qpos[2] = row.ctrl[2] = rng.uniform(-0.02, 0.03)

    def control(self, sim, action):
        change = self.speed * self.seconds * action[:, :3]
        lead(sim.ctrl[:, :3], sim.qpos[:, :3], change, (-0.18, -0.15, -0.102), (0.18, 0.15, 0.15), 0.03)
        grip = np.repeat(self.closing * self.seconds * action[:, 3:], 2, axis=1)
        lead(sim.ctrl[:, 3:], sim.qpos[:, 3:5], grip, 0.0, 0.03, 0.015)

    def _missing(self, sim):
        """From the block to its place on the other one, (n, 3)."""
        return sim.qpos[:, 12:15] + (0.0, 0.0, 2.0 * HALF) - sim.qpos[:, 5:8]

    def _placed(self, sim):
        away = np.abs(self._missing(sim))
        return (away[:, :2] < 0.012).all(axis=1) & (away[:, 2] < 0.004)

    def _open(self, sim):
        """How far the fingers are open, 0 … 1."""
        return np.clip(1.0 - sim.qpos[:, 3:5].max(axis=1) / (OPEN - HALF), 0.0, 1.0)

    def observe(self, sim):
        hand = HAND + sim.qpos[:, :3]
        red, green = sim.qpos[:, 5:12], sim.qpos[:, 12:19]
        return np.concatenate([hand, sim.qvel[:, :3], OPEN - sim.qpos[:, 3:5], sim.ctrl - sim.qpos[:, :5], red[:, :3] - hand,
                               red[:, 3:], sim.qvel[:, 5:8], green[:, :3] - hand, green[:, 3:], sim.qvel[:, 11:14],
                               self._missing(sim)], axis=1)

    def potential(self, sim):
        missing, away = self._missing(sim), sim.qpos[:, 5:8] - HAND - sim.qpos[:, :3]
        done = self._placed(sim)
        far = np.where(done, 0.0, np.sqrt((away * away).sum(axis=1)))  # once it stands, the hand may go
        return 0.5 * done * self._open(sim) - 4.0 * np.sqrt((missing * missing).sum(axis=1)) - far

    def succeeds(self, sim):
        return self._placed(sim) & (self._open(sim) > 0.3)

    def fails(self, sim):
        return (np.abs(sim.qpos[:, [5, 6, 12, 13]]) > 0.3).any(axis=1)

    def measures(self, sim):
        missing = self._missing(sim)
        return {"distance": np.sqrt((missing * missing).sum(axis=1))}
