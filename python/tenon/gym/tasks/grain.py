"""Grain in a tray: a blade levels a heap, a rod mixes two kinds."""

import numpy as np
import tenon

from ..task import Task, lead, look, once

RADIUS = 0.01


def _model(name: str, length: float, width: float, height: float, count: int, tool: str, joints: str, camera: str, colour,
           contact: str = 'condim="3" friction="0.4 0 0"', force: float = 60.0) -> str:
    """A tray of the given inner size, `count` spheres, and a tool with position servos at its joints."""
    walls = "".join(f'<geom class="wall" pos="{x} {y} {height / 2}" size="{a} {b} {height / 2}"/>' for x, y, a, b in (
        (length / 2 + 0.005, 0, 0.005, width / 2 + 0.01), (-length / 2 - 0.005, 0, 0.005, width / 2 + 0.01),
        (0, width / 2 + 0.005, length / 2, 0.005), (0, -width / 2 - 0.005, length / 2, 0.005)))
    spheres = "".join(f'<body pos="{0.03 * k} 0 1"><freejoint/><geom class="grain" rgba="{colour(k)}"/></body>'
                      for k in range(count))
    servos = "".join(f'<position name="{joint}" joint="{joint}" kp="{33 * force}" kv="{2 * force}" forcelimited="true" '
                     f'forcerange="{-force} {force}"/>'
                     for joint in joints)
    slides = "".join(f'<joint name="{joint}" type="slide" axis="{axis}"/>' for joint, axis in
                     (("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1")) if joint in joints)
    return f"""
<mujoco model="{name}">
  <compiler angle="radian"/>
  <option timestep="0.01"/>
  <default>
    <geom {contact}/>
    <default class="grain"><geom size="{RADIUS}" mass="0.004" contype="1" conaffinity="3"/></default>
    <default class="wall"><geom type="box" contype="2" conaffinity="1" rgba="0.6 0.65 0.72 0.35"/></default>
    <default class="tool"><geom contype="2" conaffinity="1" rgba="0.25 0.45 0.75 1"/></default>
  </default>
  <worldbody>
    <camera name="overview" {camera} fovy="40"/>
    <geom name="floor" type="plane" size="0.5 0.5 0.05" contype="2" conaffinity="1" rgba="0.87 0.87 0.84 1"/>
    {walls}
    <body name="tool" gravcomp="1">{slides}{tool}</body>
    {spheres}
  </worldbody>
  <actuator>{servos}</actuator>
</mujoco>
"""


class Grain(Task):
    """Base of both."""

    repeat, timestep, action_size = 5, 0.01, 2
    settle = 60
    options = {"tolerance": 0.0, "iterations": 40}  # the same work for each step

    def _fill(self, rng, row, low, high):
        """Drops the spheres over the part of the tray between two corners, in layers, in random order."""
        low, high, space = np.asarray(low), np.asarray(high), 2.3 * RADIUS
        sides = np.maximum(1, np.floor((high - low - 2 * RADIUS) / space + 1).astype(int))
        k = rng.permutation(self.count) if self.shuffled else np.arange(self.count)
        place = np.stack([k % sides[0], k // sides[0] % sides[1]], axis=1)
        start = (low + high) / 2 - (sides - 1) / 2 * space
        spheres = self._rows(row.qpos)
        spheres[:, :2] = start + place * space + rng.uniform(-0.0014, 0.0014, (self.count, 2))
        spheres[:, 2] = RADIUS + 0.001 + k // (sides[0] * sides[1]) * space

    shuffled = True

    def _rows(self, qpos):
        return qpos[2:].reshape(self.count, 7)

    def _spheres(self, sim):
        return sim.qpos[:, 2:].reshape(len(sim), self.count, 7)[:, :, :3]

    def fails(self, sim):
        return (np.abs(self._spheres(sim)[:, :, :2]) > (self.length / 2, self.width / 2)).any(axis=(1, 2))  # spilled


class Levelling(Grain):
    """A narrow tray of 12 columns, 2.5 cm each. All grain starts in a heap on one side. A blade as wide as the tray moves
    along it and up and down. Deviation: how much the grain of the columns differs from the mean, root mean square over the
    mean, with the grain spread to neighbours by a linear kernel."""

    count, columns, length, width = 72, 12, 0.3, 0.07
    speed, gain, high = 0.3, 5.0, 0.075
    level = 0.3  # deviation: success
    hold = 5

    def __init__(self):
        blade = f'<geom class="tool" type="box" size="0.004 {self.width / 2 - 0.002} 0.03" pos="0 0 0.03" mass="0.3"/>'
        self.model = tenon.Model.from_string(_model(
            "levelling", self.length, self.width, 0.13, self.count, blade, "xz", look((0.05, -0.42, 0.34), (0.0, 0.0, 0.02)),
            lambda k: "0.85 0.65 0.35 1", 'condim="6" friction="0.5 0.0005 0.0005"'))

    def start(self, rng, row):
        side = rng.choice((-1.0, 1.0))
        edges = sorted((side * self.length / 2, side * (self.length / 2 - rng.uniform(0.13, 0.15))))
        self._fill(rng, row, (edges[0], -self.width / 2), (edges[1], self.width / 2))
        row.qpos[:2] = row.ctrl[:] = rng.uniform(-0.05, 0.05), self.high

    def control(self, sim, action):
        lead(sim.ctrl, sim.qpos[:, :2], self.speed * self.seconds * action, (-0.14, 0.004), (0.14, self.high), 0.02)

    @once
    def _columns(self, sim):
        """(n, columns): the share of each, 1 if level."""
        place = (self._spheres(sim)[:, :, 0] / self.length + 0.5) * self.columns - 0.5
        near = np.clip(1.0 - np.abs(place[:, :, None] - np.arange(self.columns)), 0.0, 1.0).sum(axis=1)
        ends = np.ones(self.columns)
        # no centre is nearer to a wall than a radius
        ends[[0, -1]] = 1.125 - 0.5 * (RADIUS * self.columns / self.length) ** 2
        return near * self.columns / self.count / ends

    def _deviation(self, sim):
        return np.sqrt(((self._columns(sim) - 1.0) ** 2).mean(axis=1))

    def observe(self, sim):
        return np.concatenate([sim.qpos[:, :2], sim.qvel[:, :2], sim.ctrl - sim.qpos[:, :2], self._columns(sim)], axis=1)

    def potential(self, sim):
        return -self._deviation(sim)

    def succeeds(self, sim):
        return (self._deviation(sim) < self.level) & (self._spheres(sim)[:, :, 2].max(axis=1) < 0.1)

    def measures(self, sim):
        return {"deviation": self._deviation(sim)}


class Stirring(Grain):
    """A square tray, one kind of grain on the left and one on the right. A rod moves in the plane. Mixing: the share of
    unlike pairs among all pairs of neighbours (closer than 1.3 diameters), over the share in a perfect mixture."""

    count, length, width = 80, 0.2, 0.2
    speed, gain = 0.4, 5.0
    mixed = 0.7
    hold = 3
    reach = 0.071  # m: a grain fits between rod and wall
    shuffled = False

    def __init__(self):
        rod = '<geom class="tool" type="capsule" fromto="0 0 0.012 0 0 0.09" size="0.008" mass="0.3"/>'
        red, blue = "0.85 0.25 0.2 1", "0.95 0.8 0.4 1"
        self.model = tenon.Model.from_string(_model(
            "stirring", self.length, self.width, 0.08, self.count, rod, "xy", look((0.1, -0.34, 0.36), (0.0, 0.0, 0.01)),
            lambda k: red if k % 8 < 4 else blue, force=10.0))
        self._kind = np.arange(self.count) % 8 < 4
        self._unlike = self._kind[:, None] != self._kind
        self._pairs = np.triu(np.ones((self.count, self.count), dtype=bool), 1)

    def start(self, rng, row):
        self._fill(rng, row, (-0.1, -0.1), (0.1, 0.1))
        row.qpos[:2] = row.ctrl[:] = 0.0, self.reach

    def control(self, sim, action):
        lead(sim.ctrl, sim.qpos[:, :2], self.speed * self.seconds * action, -self.reach, self.reach, 0.03)

    @once
    def _mixing(self, sim):
        place = self._spheres(sim)
        away = place[:, :, None] - place[:, None]
        near = ((away * away).sum(axis=3) < (2.6 * RADIUS) ** 2) & self._pairs
        share = (near & self._unlike).sum(axis=(1, 2)) / np.maximum(1, near.sum(axis=(1, 2)))
        return share * (self.count - 1) / (self.count / 2)

    def observe(self, sim):
        place = self._spheres(sim)
        kind = np.where(self._kind, 1.0, -1.0)
        cell = np.clip(np.floor((place[:, :, :2] / self.length + 0.5) * 5), 0, 4)
        grid = []  # in each of 5 × 5 cells: grains, and those of the first kind minus those of the second; tenths
        for row in range(5):
            for column in range(5):
                here = (cell[:, :, 0] == column) & (cell[:, :, 1] == row)
                grid += [0.1 * here.sum(axis=1), 0.1 * (here * kind).sum(axis=1)]
        return np.concatenate([sim.qpos[:, :2], sim.qvel[:, :2], sim.ctrl - sim.qpos[:, :2], np.stack(grid, axis=1),
                               self._mixing(sim)[:, None]], axis=1)

    def potential(self, sim):
        return self._mixing(sim)

    def succeeds(self, sim):
        return self._mixing(sim) > self.mixed

    def measures(self, sim):
        return {"mixing": self._mixing(sim)}
