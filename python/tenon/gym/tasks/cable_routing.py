"""A hand routes a cable between two posts, in the shape of an S, and brings its end to a target.

The cable lies on a table. One end is fixed, the other is held by the hand. Which way round a post a cable goes is said by
the angle that it sweeps about the post: seen from there, the directions to its points turn by that much from the fixed
end to the hand. Between fixed ends the two ways differ by a full turn."""

import numpy as np
import tenon

from ..cables import positions, segment_slice
from ..task import Task, lead, look, once

SEGMENTS, LENGTH, RADIUS = 32, 0.8, 0.004
FIXED = np.array([-0.3, -0.02])
POSTS = np.array([[-0.1, 0.0], [0.1, 0.0]])
SIDES = np.array([-1.0, 1.0])  # the sign of the angle: north of the first (-), south of the second (+)
GOAL = np.array([0.3, 0.0])

MODEL = f"""
<mujoco model="cable routing">
  <compiler angle="radian"/>
  <option timestep="0.01"/>
  <visual><headlight ambient="0.3 0.3 0.3"/></visual>
  <default>
    <geom friction="0.3 0 0" condim="3"/>
    <default class="drawn"><geom contype="0" conaffinity="0"/></default>
  </default>
  <worldbody>
    <camera name="overview" {look((0.05, -0.75, 1.05), (0.02, 0.2, 0.0))} fovy="42"/>
    <geom name="table" type="plane" size="0.6 0.6 0.05" pos="0 0.15 0" contype="2" conaffinity="1" rgba="0.87 0.87 0.84 1"/>
    <geom class="drawn" type="box" pos="{FIXED[0]} {FIXED[1] - 0.012} 0.012" size="0.012 0.02 0.012" rgba="0.3 0.33 0.4 1"/>
    <body name="hand" pos="{FIXED[0]} {FIXED[1] + LENGTH} 0.006">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <geom class="drawn" type="cylinder" size="0.014 0.02" pos="0 0 0.02" mass="0.4" rgba="0.25 0.45 0.75 1"/>
      <body name="wrist">
        <joint name="yaw" axis="0 0 1" damping="0.002"/>
        <geom class="drawn" type="box" size="0.008 0.012 0.005" mass="0.05" rgba="0.2 0.22 0.26 1"/>
      </body>
    </body>
    <body name="post0" mocap="true" pos="{POSTS[0][0]} {POSTS[0][1]} 0.04">
      <geom type="cylinder" size="0.018 0.04" contype="2" conaffinity="1" rgba="0.85 0.45 0.2 1"/>
    </body>
    <body name="post1" mocap="true" pos="{POSTS[1][0]} {POSTS[1][1]} 0.04">
      <geom type="cylinder" size="0.018 0.04" contype="2" conaffinity="1" rgba="0.3 0.6 0.35 1"/>
    </body>
    <body name="goal" mocap="true" pos="{GOAL[0]} {GOAL[1]} 0.0005">
      <geom class="drawn" type="cylinder" size="0.02 0.0005" rgba="0.85 0.2 0.2 1"/>
    </body>
  </worldbody>
  <equality>
    <weld body1="world" body2="cable_0"/>
    <weld body1="wrist" body2="cable_{SEGMENTS - 1}"/>
  </equality>
  <actuator>
    <position name="x" joint="x" kp="400" kv="40" forcelimited="true" forcerange="-20 20"/>
    <position name="y" joint="y" kp="400" kv="40" forcelimited="true" forcerange="-20 20"/>
  </actuator>
  <tenon>
    <rod name="cable" start="{FIXED[0]} {FIXED[1]} 0.0045" end="{FIXED[0]} {FIXED[1] + LENGTH} 0.0045"
      segments="{SEGMENTS}" radius="{RADIUS}" young="5e6" bend="1e6" twist="1e6" density="1200"
      damping="0.02" self_contact="true" contype="1" conaffinity="3" friction="0.3 0 0" rgba="0.15 0.15 0.18 1"/>
  </tenon>
</mujoco>
"""


def swept(points: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """(n,): the angle by which the direction from centre (n, 2) to points (n, k, 2) turns from the first to the last."""
    arm = points - centre[:, None]
    a, b = arm[:, :-1], arm[:, 1:]
    return np.arctan2(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], (a * b).sum(axis=2)).sum(axis=1)


class CableRouting(Task):
    """Goal: the places of the posts (4) and of the target (2)."""

    repeat, timestep, action_size, goal_size = 5, 0.01, 2, 6
    speed = 0.3   # m/s at action 1
    near = 0.02   # m from the target: success
    gain = 2.0
    options = {"tolerance": 1e-4}

    def __init__(self):
        self.model = tenon.Model.from_string(MODEL)
        self._cable = segment_slice(self.model, "cable", SEGMENTS)
        self._origin = FIXED + (0.0, LENGTH)

    def start(self, rng, row):
        posts = POSTS + rng.uniform(-0.03, 0.03, (2, 2))
        goal = GOAL + rng.uniform(-0.04, 0.04, 2)
        row.goal[:] = np.concatenate([posts.ravel(), goal])
        for k in range(2):
            row.world.place_mocap(f"post{k}", (*posts[k], 0.04))
        row.world.place_mocap("goal", (*goal, 0.0005))

    def control(self, sim, action):
        lead(sim.ctrl, sim.qpos[:, :2], self.speed * self.seconds * action, (-0.3, -1.1), (0.8, 0.1), 0.03)

    def _points(self, sim):
        return positions(sim.qpos, self._cable)[..., :2]

    def _hand(self, sim):
        return self._origin + sim.qpos[:, :2]

    @once
    def _angles(self, sim):
        """What is missing at each post, (n, 2), rad: the angle that the wanted way sweeps, minus what the cable does."""
        points = np.concatenate([self._points(sim), self._hand(sim)[:, None]], axis=1)
        missing = []
        for k in range(2):
            post = sim.goal[:, 2 * k:2 * k + 2]
            begin, end = FIXED - post, sim.goal[:, 4:] - post
            turn = np.arctan2(begin[:, 0] * end[:, 1] - begin[:, 1] * end[:, 0], (begin * end).sum(axis=1))
            wanted = np.where(SIDES[k] * turn < 0.0, turn + 2.0 * np.pi * SIDES[k], turn)
            missing.append(wanted - swept(points, post))
        return np.stack(missing, axis=1)

    def _distance(self, sim):
        away = sim.goal[:, 4:] - self._hand(sim)
        return np.sqrt((away * away).sum(axis=1))

    def observe(self, sim):
        hand = self._hand(sim)
        points = self._points(sim)[:, 3::4].reshape(len(sim), -1)
        return np.concatenate([hand, sim.qvel[:, :2], sim.ctrl - sim.qpos[:, :2], points, sim.goal,
                               sim.goal[:, 4:] - hand, self._angles(sim)], axis=1)

    def potential(self, sim):
        return -np.abs(self._angles(sim)).sum(axis=1) / np.pi - 2.0 * self._distance(sim)

    def succeeds(self, sim):
        return (self._distance(sim) < self.near) & (np.abs(self._angles(sim)) < 1.0).all(axis=1)

    def measures(self, sim):
        return {"distance": self._distance(sim)}
