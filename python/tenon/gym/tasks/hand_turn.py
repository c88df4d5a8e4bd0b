"""A hand turns a cube that lies in it: Shadow Hand and others, from a file that users have."""

import numpy as np
import tenon

from ..robots import with_cube
from ..task import Task, once


def _times(a, b):
    """Products of quaternions (…, 4)."""
    w, u, s, v = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    return np.concatenate([w * s - (u * v).sum(axis=-1, keepdims=True), w * v + s * u + np.cross(u, v)], axis=-1)


def _rotation(quat):
    """Rotation vectors (n, 3), not longer than π."""
    quat = np.where(quat[:, :1] < 0.0, -quat, quat)
    length = np.linalg.norm(quat[:, 1:], axis=1, keepdims=True)
    return quat[:, 1:] * 2.0 * np.arctan2(length, quat[:, :1]) / np.maximum(length, 1e-12)


class HandTurn(Task):
    """Turns a cube about the vertical by an angle (rad) that is drawn for each episode from the bounds `turn`, to the left or the
    right. model: the path of the hand's MJCF, palm up, with position servos. palm: its body; None: the one that has "palm" in its
    name. at: where the cube lies at the start, in the axes of the palm, as Shadow Hand has them. An action moves the servos'
    targets, 1 is `speed` times half the range of a servo per second. Goal: the quaternion (4)."""

    repeat, timestep, hold, goal_size = 8, 0.005, 5, 4
    settle = 40
    speed = 3.0
    close = 0.2             # rad: at success
    far = 0.1               # m from its place: it was dropped
    camera = None
    level = -0.3            # m: of the ground
    options = {"tolerance": 1e-4}

    def __init__(self, model, *, palm=None, at=(0.0, -0.041, 0.095), turn=(0.4, 1.2), half=0.025, mass=0.06):
        self.model, self.home, self.rest, _ = with_cube(model, half=half, mass=mass, timestep=self.timestep, level=self.level,
                                                          condim=3, apart=True)
        m = self.model
        if palm is None:
            found = [name for name in m.names("body") if name and "palm" in name.lower()]
            if len(found) != 1:
                raise tenon.UsageError(f"'{m.name}': {len(found)} bodies have 'palm' in their name; name it, as palm='name'")
            palm = found[0]
        self.turn = np.asarray(turn, dtype=np.float64)
        if self.turn.shape != (2,) or not 0.0 <= self.turn[0] <= self.turn[1] <= np.pi:
            raise tenon.UsageError("turn: expected two bounds in order, from 0 to pi")
        bounds = [m.actuator_info(i)["ctrl_range"] for i in range(m.nu)]
        if not bounds or None in bounds:
            raise tenon.UsageError(f"'{m.name}': each actuator needs a ctrlrange" if bounds else f"'{m.name}' has no actuators")
        self.low, self.top = np.array(bounds).T
        self.palm, self.at, self.action_size = m.body(palm), np.asarray(at, dtype=np.float64), m.nu
        self.place, self.moves = self.slice("cube"), m.joint_info("cube")["qvel"]

    def start(self, rng, row):
        row.qpos[:len(self.home)] = self.home
        row.ctrl[:] = np.clip(self.rest, self.low, self.top)
        pose = np.concatenate(row.world.body_pose(self.palm))
        yaw, angle = rng.uniform(-0.2, 0.2), rng.uniform(*self.turn) * rng.choice((-1.0, 1.0))
        row.qpos[self.place] = (*(_placed(pose[None], self.at)[0] + (*rng.uniform(-0.005, 0.005, 2), 0.0)),
                                np.cos(yaw / 2), 0, 0, np.sin(yaw / 2))
        row.goal[:] = np.cos((yaw + angle) / 2), 0.0, 0.0, np.sin((yaw + angle) / 2)

    def control(self, sim, action):
        np.clip(sim.ctrl + 0.5 * self.speed * self.seconds * (self.top - self.low) * action, self.low, self.top, out=sim.ctrl)

    @once
    def _missing(self, sim):
        """(n, 3): the rotation that is missing."""
        back = sim.qpos[:, self.place][:, 3:] * (1.0, -1.0, -1.0, -1.0)
        return _rotation(_times(sim.goal, back))

    @once
    def _angle(self, sim):
        return np.linalg.norm(self._missing(sim), axis=1)

    @once
    def _away(self, sim):
        """(n, 3): from its place in the hand to the cube."""
        return sim.qpos[:, self.place][:, :3] - _placed(sim.batch.body_poses[:, self.palm], self.at)

    def observe(self, sim):
        hand, moves = len(self.home), self.moves.start
        return np.concatenate([sim.qpos[:, :hand], 0.1 * sim.qvel[:, :moves], sim.ctrl, 10.0 * self._away(sim),
                               sim.qpos[:, self.place][:, 3:], sim.qvel[:, moves:moves + 3], 0.1 * sim.qvel[:, moves + 3:moves + 6],
                               self._missing(sim)], axis=1)

    def potential(self, sim):
        return -self._angle(sim) - 10.0 * np.maximum(np.linalg.norm(self._away(sim), axis=1), 0.03)

    def succeeds(self, sim):
        return (self._angle(sim) < self.close) & ~self.fails(sim)

    def fails(self, sim):
        return np.linalg.norm(self._away(sim), axis=1) > self.far

    def measures(self, sim):
        return {"angle": self._angle(sim).copy(), "away": np.linalg.norm(self._away(sim), axis=1)}


def _placed(pose, point):
    """A point in the axes of bodies with these poses (n, 7), (n, 3)."""
    w, u = pose[:, 3:4], pose[:, 4:]
    t = 2.0 * np.cross(u, point)
    return pose[:, :3] + point + w * t + np.cross(u, t)
