"""An arm picks up a cube: Panda and others, from a file that users have."""

import numpy as np
import tenon

from ..robots import with_cube
from ..task import Task, lead, once


class ArmPick(Task):
    """Lifts a cube by 10 cm. model: the path of the robot's MJCF, with position servos and a gripper whose actuator pulls a tendon.
    hand: the body, and tool: the point between the fingers in its axes, as Panda has them. An action changes the servos' targets, 1
    is `speed` rad/s; its last numbers open (1) and close (-1) the gripper."""

    repeat, timestep, hold = 10, 0.005, 10
    gain = 10.0
    half = 0.02             # m, of the cube
    high = 0.1              # m, to be lifted by
    speed = 1.0
    ahead = 0.3             # rad: a target is no farther ahead of its joint
    camera = None
    options = {"tolerance": 1e-4}

    def __init__(self, model, *, hand="hand", tool=(0.0, 0.0, 0.1034), mass=0.05):
        self.model, self.home, self.rest, joints = with_cube(model, half=self.half, mass=mass, timestep=self.timestep)
        m = self.model
        self.grips = [i for i, joint in enumerate(joints) if joint is None]
        self.servos = [i for i, joint in enumerate(joints) if joint is not None]
        if not self.grips or not self.servos:
            raise tenon.UsageError(f"'{m.name}': a gripper's actuator on a tendon, and servos of joints are needed")
        self.hand, self.tool, self.cube = m.body(hand), np.asarray(tool, dtype=np.float64), m.body("cube")
        self.at = np.array([m.joint_info(joints[i])["qpos"].start for i in self.servos])
        bounds = [m.actuator_info(i)["ctrl_range"] for i in range(m.nu)]
        if None in bounds:
            raise tenon.UsageError(f"'{m.name}': actuator '{m.names('actuator')[bounds.index(None)]}' has no ctrlrange")
        self.low, self.high_ctrl = np.array(bounds).T
        self.action_size = m.nu
        self.place, self.moves = self.slice("cube"), m.joint_info("cube")["qvel"]

    def start(self, rng, row):
        row.qpos[:len(self.home)] = self.home
        row.ctrl[:] = self.rest
        turn = rng.uniform(-np.pi / 4, np.pi / 4)
        row.qpos[self.place] = (rng.uniform(0.4, 0.6), rng.uniform(-0.2, 0.2), self.half, np.cos(turn / 2), 0, 0, np.sin(turn / 2))

    def control(self, sim, action):
        s, g = self.servos, self.grips
        targets = sim.ctrl[:, s]
        lead(targets, sim.qpos[:, self.at], self.speed * self.seconds * action[:, s], self.low[s], self.high_ctrl[s], self.ahead)
        sim.ctrl[:, s] = targets
        sim.ctrl[:, g] = 0.5 * (self.low[g] + self.high_ctrl[g]) + 0.5 * (self.high_ctrl[g] - self.low[g]) * action[:, g]

    @once
    def point(self, sim):
        """(n, 3): between the fingers."""
        pose = sim.batch.body_poses[:, self.hand]
        w, u = pose[:, 3:4], pose[:, 4:]
        t = 2.0 * np.cross(u, self.tool)
        return pose[:, :3] + self.tool + w * t + np.cross(u, t)

    def observe(self, sim):
        cube, robot = sim.qpos[:, self.place], sim.qpos[:, :len(self.home)]
        return np.concatenate([robot, 0.1 * sim.qvel[:, :self.moves.start], sim.ctrl[:, self.servos], self.point(sim), cube,
                               sim.qvel[:, self.moves.start:self.moves.start + 3], cube[:, :3] - self.point(sim)], axis=1)

    @once
    def _lifted(self, sim):
        return sim.qpos[:, self.place][:, 2] - self.half

    def potential(self, sim):
        away = np.linalg.norm(sim.qpos[:, self.place][:, :3] - self.point(sim), axis=1)
        return 4.0 * np.clip(self._lifted(sim), 0.0, 0.9 * self.high) - away

    def succeeds(self, sim):
        return self._lifted(sim) > self.high

    def fails(self, sim):
        return np.linalg.norm(sim.qpos[:, self.place][:, :2], axis=1) > 1.0  # out of reach

    def measures(self, sim):
        return {"lifted": self._lifted(sim).copy()}
