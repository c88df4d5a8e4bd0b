"""Robots with legs walk as they are told: Go2, G1 and others, from a file that users have."""

import numpy as np
import tenon

from ..robots import with_servos
from ..task import Task, once


def _turned_back(quat: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (n, 3) of the world in the axes of bodies with these quaternions (n, 4)."""
    w, u = quat[:, :1], -quat[:, 1:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


class Legged(Task):
    """Walks with the velocity that is asked for: forward, left (m/s) and turning (rad/s), drawn for each episode between the
    two bounds of `command`. model: the path of the robot's MJCF; its first joint is free. ground: "flat" or "rough", patches of
    up to `step` m. An action is the change of the servos' targets from the keyframe `key` ("home", or the first one, or the reference pose), 1 is
    `reach` rad.
    scan: also sees the height of the ground at 5 × 7 points around it; None: on rough ground."""

    repeat, timestep, hold = 4, 0.005, 50
    ends_at_success = False
    camera = None
    follow, turn = 1.0, 0.5            # what is paid per second for the velocity and the turning that were asked for
    noise = 0.05                       # rad, m/s, rad/s at the start

    def __init__(self, model, ground="flat", *, command=((0.3, 0.0, 0.0), (1.0, 0.0, 0.0)), reach=0.4, scan=None, key=None,
                 stiffness=3.0, damping=0.02, step=0.05):
        self.model, joints, self.ground = with_servos(model, ground=ground, stiffness=stiffness, damping=damping, step=step,
                                         timestep=self.timestep)
        m, self.reach = self.model, reach
        self.command = np.asarray(command, dtype=np.float64)
        if self.command.shape != (2, 3) or not np.isfinite(self.command).all():
            raise tenon.UsageError("command: expected two bounds of three numbers: forward, left, turning")
        if m.njoint == 0 or m.joint_info(0)["type"] != "free":
            raise tenon.UsageError(f"'{m.name}': the first joint must be free, as a walking robot has it")
        self.base = m.joint_info(0)["body"]
        self.action_size = len(joints)
        self.at = np.array([m.joint_info(name)["qpos"].start for name in joints])
        self.moves = np.array([m.joint_info(name)["qvel"].start for name in joints])
        keys = m.names("key")
        start = tenon.World(m, key=key if key is not None else "home" if "home" in keys else 0 if keys else None)
        self.home = start.qpos.copy()
        self.rest = self.home[self.at]
        self.scan = ground == "rough" if scan is None else scan
        self._find_feet(start)
        self.goal_size = 3 + 2 * self.action_size + len(self.feet)  # command, action, the one before, time in the air
        if m.names("camera"):
            self.camera = 0

    def _find_feet(self, world):
        """Feet are the bodies of which a geom's middle is the lowest at the start, but for 3 cm."""
        m = self.model
        low = np.full(m.nbody, np.inf)
        for g in range(m.ngeom):
            info = m.geom_info(g)
            if info["body"] > 0 and info["contact_type"] | info["contact_affinity"]:
                low[info["body"]] = min(low[info["body"]], world.geom_pose(g)[0][2])
        ground = low.min()
        self.height = world.body_pose(self.base)[0][2]
        if not np.isfinite(ground):
            raise tenon.UsageError(f"'{m.name}': no geom of the robot collides with the ground (contype, conaffinity)")
        if self.height - ground < 0.1:
            raise tenon.UsageError(f"'{m.name}': the base is {self.height - ground:.2g} m above the lowest geom; give a keyframe in "
                                   "which the robot stands, as key='name'")
        self.feet = np.flatnonzero(low <= ground + 0.03)

    # -- what happens

    def start(self, rng, row):
        row.qpos[:] = self.home
        if self.ground.heights is not None:
            row.qpos[2] += self.ground.heights.max()
        row.qpos[self.at] += rng.uniform(-self.noise, self.noise, len(self.at))
        row.qvel[:] = rng.uniform(-self.noise, self.noise, len(row.qvel))
        row.ctrl[:] = self.rest
        row.goal[:] = 0.0
        row.goal[:3] = rng.uniform(*self.command)

    def control(self, sim, action):
        n = self.action_size
        sim.goal[:, 3 + n:3 + 2 * n] = sim.goal[:, 3:3 + n]
        sim.goal[:, 3:3 + n] = action
        sim.ctrl[:] = self.rest + self.reach * action

    # -- what is seen

    @once
    def motion(self, sim):
        """Velocity, turning and the direction of gravity in the axes of the base: (n, 3) each."""
        quat = sim.qpos[:, 3:7]
        down = np.broadcast_to((0.0, 0.0, -1.0), (len(sim), 3))
        return _turned_back(quat, sim.qvel[:, :3]), sim.qvel[:, 3:6], _turned_back(quat, down)

    @once
    def heights(self, sim):
        """(n, 35): how high the base is above the ground at points that turn with it, minus its height at the start."""
        x, y = np.meshgrid(np.linspace(-0.3, 0.6, 7), np.linspace(-0.3, 0.3, 5), indexing="ij")
        points = np.stack([x.ravel(), y.ravel()], axis=1)
        w, i, j, k = sim.qpos[:, 3:7].T
        yaw = np.arctan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))
        c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
        below = self.ground.below(sim.qpos[:, :1] + c * points[:, 0] - s * points[:, 1],
                                  sim.qpos[:, 1:2] + s * points[:, 0] + c * points[:, 1])
        return sim.qpos[:, 2:3] - self.height - below

    def observe(self, sim):
        velocity, turning, down = self.motion(sim)
        n = self.action_size
        parts = [velocity, turning, down, sim.goal[:, :3], sim.qpos[:, self.at] - self.rest, 0.05 * sim.qvel[:, self.moves],
                 sim.goal[:, 3:3 + n]]
        return np.concatenate(parts + ([self.heights(sim)] if self.scan else []), axis=1)

    def potential(self, sim):
        return sim.qpos[:, 0].copy()

    # -- what is paid

    def reward(self, sim, action, change, success):
        velocity, turning, down = self.motion(sim)
        n, asked = self.action_size, sim.goal[:, :3]
        follows = np.exp(-((velocity[:, :2] - asked[:, :2]) ** 2).sum(axis=1) / 0.25)
        turns = np.exp(-(turning[:, 2] - asked[:, 2]) ** 2 / 0.25)
        jerk = ((sim.goal[:, 3:3 + n] - sim.goal[:, 3 + n:3 + 2 * n]) ** 2).sum(axis=1)
        effort = ((sim.batch.actuator_force / self.strength) ** 2).mean(axis=1)
        per_second = (self.follow * follows + self.turn * turns - 1.0 * velocity[:, 2] ** 2
                      - 0.05 * (turning[:, :2] ** 2).sum(axis=1) - 2.0 * (down[:, :2] ** 2).sum(axis=1)
                      - 0.01 * jerk - 0.5 * effort)
        # never below nothing: else falling over at once, which ends an episode, would be worth it
        return np.maximum(0.0, self.seconds * per_second + self._steps(sim)) - 1.0 * self.fails(sim)

    def _steps(self, sim):
        """Feet that come down are paid for the time that they were in the air, above 0.2 s: steps, no shuffling."""
        air = sim.goal[:, 3 + 2 * self.action_size:]
        down = np.linalg.norm(sim.batch.contact_wrenches[:, self.feet, :3], axis=2) > 1.0
        paid = ((air - 0.2) * (down & (air > 0.0))).sum(axis=1)
        air[:] = np.where(down, 0.0, air + self.seconds)
        return 0.5 * paid * (np.linalg.norm(sim.goal[:, :2], axis=1) > 0.1)

    @property
    def strength(self):
        if "_strength" not in self.__dict__:
            m = self.model
            self._strength = np.array([m.actuator_info(a)["force_range"][1] for a in range(m.nu)])
        return self._strength

    def succeeds(self, sim):
        velocity, turning, _ = self.motion(sim)
        asked = sim.goal[:, :3]
        return (np.linalg.norm(velocity[:, :2] - asked[:, :2], axis=1) < 0.3) & (np.abs(turning[:, 2] - asked[:, 2]) < 0.6)

    @once
    def _fallen(self, sim):
        _, _, down = self.motion(sim)
        return (down[:, 2] > -0.5) | (sim.qpos[:, 2] < 0.4 * self.height)

    def fails(self, sim):
        return self._fallen(sim)

    def measures(self, sim):
        velocity, _, _ = self.motion(sim)
        return {"x": sim.qpos[:, 0].copy(), "velocity": velocity[:, 0].copy(), "asked": sim.goal[:, 0].copy()}
