"""A hand ties an overhand knot into a cable.

Two holders keep the first part of the cable above the table, as a bridge. The hand holds the other end. It has to
lead it over the bridge, below it, and out of the loop. That the cable is knotted is said by an invariant of knots, not by
where the hand was."""

import numpy as np
import tenon

from ..cables import segment_slice, vertices
from ..knots import determinant, writhe
from ..task import Task, lead, look, once

SEGMENTS, LENGTH, RADIUS = 66, 1.65, 0.005
CLAMP = np.array([-0.3, 0.0, 0.12])
HELD = 11  # the segment in the second holder
HAND = CLAMP + (LENGTH, 0.0, 0.0)
HOLDER = CLAMP[0] + LENGTH / SEGMENTS * (HELD + 0.5)

MODEL = f"""
<mujoco model="knot tying">
  <compiler angle="radian"/>
  <option timestep="0.01"/>
  <default>
    <geom friction="0.5 0 0" condim="3"/>
    <default class="drawn"><geom contype="0" conaffinity="0"/></default>
  </default>
  <worldbody>
    <camera name="overview" {look((0.1, -0.75, 0.62), (0.02, 0.05, 0.03))} fovy="45"/>
    <geom name="table" type="plane" size="1.1 0.6 0.05" pos="0.2 0 0" contype="2" conaffinity="1" priority="1"
      rgba="0.87 0.87 0.84 1"/>
    <geom class="drawn" type="box" pos="{CLAMP[0] - 0.015} 0 {CLAMP[2] / 2 + 0.055}"
      size="0.015 0.02 {CLAMP[2] / 2 + 0.055}" rgba="0.3 0.33 0.4 1"/>
    <geom class="drawn" type="capsule" fromto="{HOLDER} 0 {CLAMP[2]} {HOLDER} 0 {CLAMP[2] + 0.1}" size="0.006"
      rgba="0.3 0.33 0.4 1"/>
    <geom class="drawn" type="capsule" fromto="{HOLDER} 0 {CLAMP[2] + 0.1} {CLAMP[0] - 0.015} 0 {CLAMP[2] + 0.1}"
      size="0.006" rgba="0.3 0.33 0.4 1"/>
    <body name="hand" pos="{HAND[0]} {HAND[1]} {HAND[2]}" gravcomp="1">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <joint name="z" type="slide" axis="0 0 1"/>
      <geom class="drawn" type="cylinder" size="0.012 0.02" pos="0 0 0.025" mass="0.4" rgba="0.25 0.45 0.75 1"/>
      <body name="wrist">
        <joint name="wrist" type="ball" damping="0.005"/>
        <geom class="drawn" type="sphere" size="0.009" mass="0.05" rgba="0.2 0.22 0.26 1"/>
      </body>
    </body>
  </worldbody>
  <equality>
    <weld body1="world" body2="cable_0"/>
    <weld body1="world" body2="cable_{HELD}"/>
    <weld body1="wrist" body2="cable_{SEGMENTS - 1}"/>
  </equality>
  <actuator>
    <position name="x" joint="x" kp="400" kv="40" forcelimited="true" forcerange="-20 20"/>
    <position name="y" joint="y" kp="400" kv="40" forcelimited="true" forcerange="-20 20"/>
    <position name="z" joint="z" kp="400" kv="40" forcelimited="true" forcerange="-20 20"/>
  </actuator>
  <tenon>
    <rod name="cable" start="{CLAMP[0]} {CLAMP[1]} {CLAMP[2]}" end="{HAND[0]} {HAND[1]} {HAND[2]}" segments="{SEGMENTS}"
      radius="{RADIUS}" young="1e7" bend="1.5e5" twist="1.5e5" density="1000" damping="0.03"
      self_contact="true" contype="1" conaffinity="3" friction="0.8 0 0" rgba="0.75 0.2 0.15 1"/>
  </tenon>
</mujoco>
"""


class KnotTying(Task):
    """No part of the start is random but a push of the hand."""

    repeat, timestep, action_size = 5, 0.01, 3
    speed = 0.5    # m/s at action 1
    apart = 1.0    # m between the ends, with the knot between them: success
    settle, gain, hold = 60, 2.0, 5
    options = {"tolerance": 1e-4}

    def __init__(self):
        self.model = tenon.Model.from_string(MODEL)
        self._cable = segment_slice(self.model, "cable", SEGMENTS)

    def start(self, rng, row):
        row.ctrl[:] = rng.uniform((-0.25, -0.1, -0.1), (-0.15, 0.1, -0.08))

    def control(self, sim, action):
        low, high = np.array([-0.9, -0.5, 0.006]) - HAND, np.array([1.4, 0.6, 0.5]) - HAND
        lead(sim.ctrl, sim.qpos[:, :3], self.speed * self.seconds * action, low, high, 0.04)

    def _hand(self, sim):
        return HAND + sim.qpos[:, :3]

    @once
    def _points(self, sim):
        return vertices(sim.qpos, self._cable, LENGTH / SEGMENTS)

    @once
    def _knotted(self, sim):
        return np.array([determinant(points) > 1 for points in self._points(sim)])

    def _apart(self, sim):
        away = self._hand(sim) - CLAMP
        return np.sqrt((away * away).sum(axis=1))

    @once
    def _writhe(self, sim):
        return writhe(self._points(sim)[:, ::3])

    def observe(self, sim):
        points = self._points(sim)[:, ::4]
        return np.concatenate([self._hand(sim), sim.qvel[:, :3], sim.ctrl - sim.qpos[:, :3], points.reshape(len(sim), -1),
                               self._writhe(sim)[:, None], self._knotted(sim)[:, None]], axis=1)

    def potential(self, sim):
        wound = np.minimum(np.abs(self._writhe(sim)), 2.0) / 2.0
        pulled = np.minimum(self._apart(sim) / self.apart, 1.0)
        return np.where(self._knotted(sim), 2.0 + pulled, wound)

    def succeeds(self, sim):
        return self._knotted(sim) & (self._apart(sim) > self.apart)

    def measures(self, sim):
        return {"knotted": self._knotted(sim), "apart": self._apart(sim)}
