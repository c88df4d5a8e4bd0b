"""Tasks for plans: scenes in a vertical plane, costs, random starts, and what counts as done. bench/plan.py runs them."""
import numpy as np
from tenon import Cost

G = 9.81


def slides(name):
    return f"<joint name='{name}x' type='slide' axis='1 0 0'/><joint name='{name}z' type='slide' axis='0 0 1'/>"


def finger(name, x, z, friction):
    """A ball of 0.2 kg that forces move in the plane."""
    return (f"<body name='{name}' pos='{x} 0 {z}'>{slides(name)}"
            f"<geom name='{name}' size='0.02' mass='0.2' friction='{friction}'/></body>")


def box(x, z, half, mass, friction):
    return (f"<body name='box' pos='{x} 0 {z}'>{slides('box')}<joint name='boxy' axis='0 1 0'/>"
            f"<geom name='box' type='box' size='{half[0]} 0.05 {half[1]}' mass='{mass}' friction='{friction}'/></body>")


def floor(friction):
    return f"<geom name='floor' type='plane' size='2 2 1' friction='{friction}'/>"


def model(bodies, motors):
    lines = "".join(f"<motor name='{joint}' joint='{joint}' ctrllimited='true' ctrlrange='-{most} {most}'/>"
                    for joint, most in motors)
    return ("<mujoco><compiler angle='radian'/><option timestep='0.02'/>"
            f"<worldbody>{bodies}</worldbody><actuator>{lines}</actuator></mujoco>")


class Task:
    horizon, seconds = 20, 2.0


class Walls(Task):
    """The tip of a pole on a cart may strike and lean on walls to either side."""
    name = "cart-pole between walls"
    xml = model(
        "<geom name='left' type='box' pos='-0.45 0 0.6' size='0.05 0.2 0.6' friction='0'/>"
        "<geom name='right' type='box' pos='0.45 0 0.6' size='0.05 0.2 0.6' friction='0'/>"
        "<body name='cart' pos='0 0 0.1'><joint name='x' type='slide' axis='1 0 0'/>"
        "<geom type='box' size='0.08 0.05 0.04' mass='1' contype='0' conaffinity='0'/>"
        "<body name='pole'><joint name='hinge' axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 0.6' size='0.01' mass='0.05' contype='0' conaffinity='0'/>"
        "<geom name='tip' pos='0 0 0.6' size='0.03' mass='0.25' friction='0'/></body></body>", [("x", 15)])
    horizon, seconds = 10, 4.0
    costs = [Cost("position", 10, joint="x", name="cart"), Cost("position", 3, joint="hinge", name="pole"),
             Cost("velocity", 0.03, name="speed"), Cost("ctrl", 1e-3), Cost("tail", 0, 1)]

    def start(self, random, world):
        world.qpos[:] = random.uniform(-0.1, 0.1), random.uniform(-0.2, 0.2)
        world.qvel[:] = random.uniform(-0.5, 0.5), random.uniform(-1, 1)

    def is_done(self, world):
        return abs(world.qpos[0]) < 0.1 and abs(world.qpos[1]) < 0.1


class Push(Task):
    """A finger comes up to a box and pushes it along a floor; it cannot pull it back."""
    name = "push a box with one finger"
    xml = model(floor(0.3) + box(0, 0.05, (0.05, 0.05), 0.5, 0.3) + finger("f", -0.15, 0.05, 0.3), [("fx", 10), ("fz", 10)])
    seconds = 3.0
    costs = [Cost("point", 100, 300, body="box", goal=(0.3, 0, 0.05), name="box"),
             Cost("point", 10, body="f", to_body="box", goal=(-0.07, 0, 0), name="reach"),
             Cost("velocity", 1, 3, weights=(1, 0.1, 0.01, 0.1, 0.1), name="speed"),
             Cost("ctrl", 1e-3, goal=(0, 0.2 * G))]

    def start(self, random, world):
        world.qpos[0], world.qpos[3], world.qpos[4] = random.uniform((-0.05, -0.1, -0.02), (0.1, 0, 0.05))

    def is_done(self, world):
        return abs(world.qpos[0] - 0.3) < 0.03


class Lift(Task):
    """Two fingers come up to a box and lift it by friction. Their controls have a wish to press."""
    name = "lift a box with two fingers"
    xml = model(floor(0.8) + box(0, 0.05, (0.04, 0.05), 0.3, 0.8) + finger("l", -0.12, 0.05, 0.8) + finger("r", 0.12, 0.05, 0.8),
                [("lx", 10), ("lz", 10), ("rx", 10), ("rz", 10)])
    horizon = 15
    costs = [Cost("point", 100, 100, body="box", goal=(0, 0, 0.2), name="box"), Cost("position", 1, joint="boxy", name="level"),
             Cost("point", 10, body="l", to_body="box", goal=(-0.06, 0, 0), name="left"),
             Cost("point", 10, body="r", to_body="box", goal=(0.06, 0, 0), name="right"), Cost("velocity", 0.1, name="speed"),
             Cost("ctrl", 1e-3, goal=(4, 0.2 * G, -4, 0.2 * G))]

    def start(self, random, world):
        world.qpos[3:] = random.uniform((-0.05, -0.02, -0.05, -0.02), (0.05, 0.06, 0.05, 0.06))

    def is_done(self, world):
        return abs(world.qpos[1] - 0.15) < 0.03 and abs(world.qpos[0]) < 0.05


class Catch(Task):
    """A tray catches a falling ball and keeps it at a place."""
    name = "catch a ball"
    xml = model(f"<body name='ball' pos='0 0 0.8'>{slides('ball')}<joint name='ballturn' axis='0 1 0'/>"
                "<geom name='ball' size='0.05' mass='0.2' friction='0.5'/></body>"
                f"<body name='tray' pos='0 0 0.2'>{slides('tray')}<joint name='tilt' axis='0 1 0'/>"
                "<geom name='tray' type='box' size='0.15 0.05 0.01' mass='0.4' friction='0.5'/></body>",
                [("trayx", 20), ("trayz", 20), ("tilt", 2)])
    seconds = 3.0
    costs = [Cost("point", 20, 20, body="ball", goal=(0, 0, 0.3), name="ball"),
             Cost("point", 5, body="tray", to_body="ball", goal=(0, 0, -0.06), name="under"),
             Cost("position", 1, joint="tilt", name="level"),
             Cost("velocity", 0.1, weights=(1, 1, 0.01, 1, 1, 0.1), name="speed"), Cost("ctrl", 1e-3, goal=(0, 0.4 * G, 0))]

    def start(self, random, world):
        world.qpos[0], world.qpos[1], world.qvel[0] = random.uniform((-0.2, -0.1, -0.5), (0.2, 0.1, 0.5))

    def is_done(self, world):
        return abs(world.qpos[0]) < 0.05 and abs(world.qpos[1] + 0.5) < 0.05


class Topple(Task):
    """A finger tips a box over its edge, onto its side."""
    name = "topple a box"
    xml = model(floor(0.8) + box(0, 0.1, (0.04, 0.1), 0.5, 0.8) + finger("f", -0.15, 0.1, 0.5), [("fx", 10), ("fz", 10)])
    costs = [Cost("position", 10, 30, joint="boxy", goal=np.pi / 2, name="lying"),
             Cost("point", 5, body="f", to_body="box", goal=(-0.06, 0, 0.06), name="reach"), Cost("velocity", 0.02, name="speed"),
             Cost("ctrl", 1e-3, goal=(0, 0.2 * G))]

    def start(self, random, world):
        world.qpos[3], world.qpos[4] = random.uniform((-0.1, -0.05), (0.05, 0.1))

    def is_done(self, world):
        return abs(world.qpos[2] - np.pi / 2) < 0.1


TASKS = [Walls, Push, Lift, Catch, Topple]


def running_cost(task, world):
    """Of the world's state and control: what is summed over a run, the same for all methods."""
    total = 0.0
    for c in task.costs:
        if c.running == 0.0:
            continue
        if c.kind == "position":
            r = world.qpos[world.model.joint_info(c.joint)["qpos"]] - (0.0 if c.goal is None else c.goal)
        elif c.kind == "velocity":
            r = world.qvel
        elif c.kind == "point":
            r = world.body_pose(c.body)[0] - np.asarray(c.goal)
            if c.to_body is not None:
                r = r - world.body_pose(c.to_body)[0]
        else:
            r = world.ctrl - (0.0 if c.goal is None else np.asarray(c.goal))
        total += c.running * float(np.sum(np.asarray(1.0 if c.weights is None else c.weights) * np.square(r)))
    return total
