"""A hand that holds one corner of a cloth folds it along its diagonal."""

import numpy as np
import tenon

from ..task import Task, lead, look, once

COUNT, SPACING = 9, 0.025           # nodes along a side, m between them
RADIUS = 0.004                      # m: half of what contacts see of the thickness
SIDE = SPACING * (COUNT - 1)
ABOVE = RADIUS + 0.0005             # m: of the nodes above the table at the start
CORNER = np.array([-SIDE / 2, -SIDE / 2, ABOVE])

MODEL = f"""
<mujoco model="cloth folding">
  <compiler angle="radian"/>
  <option timestep="0.01"/>
  <default><default class="axis">
    <joint type="slide"/><position kp="400" kv="40" forcelimited="true" forcerange="-20 20"/>
  </default></default>
  <worldbody>
    <camera name="overview" {look((0.30, -0.22, 0.27), (0.02, 0.02, 0.04))} fovy="45"/>
    <geom name="table" type="plane" size="0.5 0.5 0.05" friction="0.8" rgba="0.87 0.87 0.84 1"/>
    <body name="hand" pos="{CORNER[0]} {CORNER[1]} {CORNER[2]}" gravcomp="1">
      <joint class="axis" name="x" axis="1 0 0"/>
      <joint class="axis" name="y" axis="0 1 0"/>
      <joint class="axis" name="z" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 0.012 0 0 0.06" size="0.008" mass="0.3" contype="0" conaffinity="0" rgba="0.25 0.45 0.75 1"/>
    </body>
    <flexcomp name="cloth" type="grid" dim="2" count="{COUNT} {COUNT} 1" spacing="{SPACING} {SPACING} {SPACING}" pos="0 0 {ABOVE}"
      mass="0.04" radius="{RADIUS}" rgba="0.84 0.3 0.22 1">
      <elasticity young="4e5" poisson="0.3" thickness="0.0003" damping="0.005" elastic2d="both"/>
      <contact friction="0.3" selfcollide="auto"/>
    </flexcomp>
  </worldbody>
  <actuator>
    <position name="x" class="axis" joint="x"/><position name="y" class="axis" joint="y"/><position name="z" class="axis" joint="z"/>
  </actuator>
  <tenon><soft name="cloth"><hold body="hand" nodes="0"/></soft></tenon>
</mujoco>
"""


def _mean_length(vectors):
    """(n,) of (n, k, 3) in C order: sums then have the same bits for any n."""
    return np.linalg.norm(vectors, axis=2).mean(axis=1)


class ClothFolding(Task):
    """Goal: middle (2) and angle of the cloth at the start. Node (i, j) is to lie on its mirror image in the diagonal that does not
    go through the corner in the hand."""

    repeat, timestep, action_size, goal_size = 5, 0.01, 3, 3
    speed = 0.3         # m/s at action 1
    gain, hold = 20.0, 5
    near, still = 0.025, 0.02   # m: at success; layers that touch are 8 mm apart, and the fold has a radius
    options = {"tolerance": 1e-4}

    def __init__(self):
        self.model = tenon.Model.from_string(MODEL)
        i, j = np.divmod(np.arange(COUNT * COUNT), COUNT)
        mirror = (COUNT - 1 - j) * COUNT + COUNT - 1 - i
        self._moving = np.flatnonzero(i + j < COUNT - 1)
        self._partner, self._still = mirror[self._moving], np.flatnonzero(i + j >= COUNT - 1)
        grid = np.arange(COUNT * COUNT).reshape(COUNT, COUNT)[::COUNT // 2, ::COUNT // 2]
        self._seen = grid.ravel()[1:]       # the corner is where the hand is
        self._flat = tenon.World(self.model).qpos[3:].reshape(-1, 3).copy()

    def start(self, rng, row):
        turn, place = rng.uniform(-0.5, 0.5), rng.uniform(-0.03, 0.03, 2)
        row.goal[:] = *place, turn
        nodes = self._at_start(row.goal[None])[0]
        row.qpos[3:].reshape(-1, 3)[:] = nodes
        row.qpos[:3] = nodes[0] - CORNER
        row.ctrl[:] = row.qpos[:3]

    def _at_start(self, goal):
        """(n, nodes, 3): the cloth as it lay flat."""
        c, s = np.cos(goal[:, 2:]), np.sin(goal[:, 2:])
        x, y, z = self._flat.T
        return np.stack([goal[:, :1] + c * x - s * y, goal[:, 1:2] + s * x + c * y, np.broadcast_to(z, (len(goal), len(z)))], axis=2)

    def control(self, sim, action):
        lead(sim.ctrl, sim.qpos[:, :3], self.speed * self.seconds * action, (-0.1, -0.1, 0.0), (0.35, 0.35, 0.25), 0.03)

    def _nodes(self, sim):
        return sim.qpos[:, 3:].reshape(len(sim), -1, 3)

    @once
    def _open(self, sim):
        """Mean distance of mirror images."""
        nodes = self._nodes(sim)
        return _mean_length(nodes.take(self._moving, axis=1) - nodes.take(self._partner, axis=1))

    @once
    def _slid(self, sim):
        """Mean way of the half that is to lie still."""
        return _mean_length((self._nodes(sim) - self._at_start(sim.goal)).take(self._still, axis=1))

    def observe(self, sim):
        hand, nodes = CORNER + sim.qpos[:, :3], self._nodes(sim)
        points = nodes[:, self._seen] - hand[:, None]
        return np.concatenate([hand, sim.qvel[:, :3], sim.ctrl - sim.qpos[:, :3], points.reshape(len(sim), -1),
                               self._at_start(sim.goal)[:, -1] - hand, self._open(sim)[:, None], self._slid(sim)[:, None]], axis=1)

    def potential(self, sim):
        return -self._open(sim) - 0.5 * self._slid(sim)

    def succeeds(self, sim):
        return (self._open(sim) < self.near) & (self._slid(sim) < self.still)

    def fails(self, sim):
        return self._slid(sim) > 0.1

    def measures(self, sim):
        return {"open": self._open(sim).copy(), "slid": self._slid(sim).copy()}
