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
    options = {}  # of DDP, beyond those of all tasks


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


class Turn(Task):
    """Two fingers turn a cube by a quarter on a palm, at its place: they must press, turn, let go and take it again."""
    name = "turn a cube in a hand"
    xml = model(floor(0.6) + box(0, 0.04, (0.04, 0.04), 0.2, 0.6) + finger("l", -0.09, 0.05, 0.8) + finger("r", 0.09, 0.05, 0.8),
                [("lx", 10), ("lz", 10), ("rx", 10), ("rz", 10)])
    seconds = 3.0
    costs = [Cost("position", 10, 30, joint="boxy", goal=np.pi / 2, name="turned"),
             Cost("position", 30, joint="boxx", name="place"),
             Cost("point", 5, body="l", to_body="box", goal=(-0.06, 0, 0.02), name="left"),
             Cost("point", 5, body="r", to_body="box", goal=(0.06, 0, 0.02), name="right"),
             Cost("velocity", 0.02, name="speed"), Cost("ctrl", 1e-3, goal=(1, 0.2 * G, -1, 0.2 * G))]

    def start(self, random, world):
        world.qpos[3:] = random.uniform((-0.03, -0.02, -0.03, -0.02), (0.03, 0.06, 0.03, 0.06))

    def is_done(self, world):
        return abs(world.qpos[2] - np.pi / 2) < 0.1 and abs(world.qpos[0]) < 0.05


def block(name, x, y, half_x, half_y):
    return f"<geom name='{name}' type='box' pos='{x} {y} 0' size='{half_x} {half_y} 0.05' friction='0'/>"


def puck(name, x, mass):
    return (f"<body name='{name}' pos='{x} 0 0'><joint name='{name}x' type='slide' axis='1 0 0'/>"
            f"<joint name='{name}y' type='slide' axis='0 1 0'/><geom name='{name}' size='0.03' mass='{mass}' friction='0'/></body>")


class Billiard(Task):
    """A cue strikes a ball, seen from above; a block stands before the pocket, so the way there is over a cushion."""
    name = "billiard over a cushion"
    horizon, seconds = 60, 2.0
    options = dict(smoothing=0.0, seeds=32, derivative_every=8)
    xml = (model(block("top", 0, 0.42, 0.6, 0.02) + block("bottom", 0, -0.42, 0.6, 0.02) + block("block", 0, 0, 0.03, 0.12)
                 + block("back", 0.42, 0, 0.02, 0.12) + block("left", 0.37, 0.12, 0.07, 0.02)
                 + block("right", 0.37, -0.12, 0.07, 0.02)
                 + puck("ball", -0.3, 0.2).replace("/><g", " damping='0.02'/><g").replace("'/><joint", "' damping='0.02'/><joint")
                 + puck("cue", -0.42, 0.3).replace("1 0 0'", "1 0 0' range='-0.2 0.2' limited='true'")
                 .replace("0 1 0'", "0 1 0' range='-0.3 0.3' limited='true'"), [("cuex", 10), ("cuey", 10)])
           .replace("</mujoco>", "<tenon><geom name='top' restitution='0.9'/>"
                    "<geom name='bottom' restitution='0.9'/></tenon></mujoco>")
           .replace("timestep='0.02'", "timestep='0.02' gravity='0 0 0'"))
    costs = [Cost("point", 10, 300, body="ball", goal=(0.35, 0, 0), name="ball"),
             Cost("velocity", 0, 5, weights=(1, 1, 0, 0), name="speed"), Cost("ctrl", 1e-4)]

    def start(self, random, world):
        world.qpos[:2] = random.uniform(-0.03, 0.03, 2)
        world.qpos[2:] = random.uniform(-0.05, 0.03), random.uniform(-0.05, 0.05)

    def is_done(self, world):
        return np.hypot(world.qpos[0] - 0.65, world.qpos[1]) < 0.1


def limb(name, z, radius, mass):
    return (f"<joint name='{name}' axis='0 1 0' damping='0.1'/><geom type='capsule' fromto='0 0 0 0 0 {z}' size='{radius}' "
            f"mass='{mass}' contype='0' conaffinity='0'/>")


def leg(name, x, y):
    return (f"<body name='{name}' pos='{x} {y} 0'>{limb(name + 'hip', -0.16, 0.015, 0.3)}<body pos='0 0 -0.16'>"
            f"{limb(name + 'knee', -0.16, 0.012, 0.1)}<geom name='{name}foot' pos='0 0 -0.16' size='0.02' mass='0.05' "
            "friction='0.8' contype='2' conaffinity='1'/></body></body>")


LEGS = ("fl", "fr", "bl", "br")


class StandUp(Task):
    """A quadruped whose trunk moves in a vertical plane gets up from folded legs, pushed, and stays up."""
    name = "quadruped stands up after a push"
    fold = (0.9, -1.8)
    xml = model("<geom name='floor' type='plane' size='5 5 1' friction='0.8' contype='1' conaffinity='2'/>"
                "<body name='trunk' pos='0 0 0.16'><joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' "
                "axis='0 0 1'/><joint name='pitch' axis='0 1 0'/>"
                "<geom name='trunk' type='box' size='0.2 0.08 0.04' mass='6' contype='2' conaffinity='1' friction='0.8'/>"
                + leg("fl", 0.16, 0.1) + leg("fr", 0.16, -0.1) + leg("bl", -0.16, 0.1) + leg("br", -0.16, -0.1) + "</body>",
                [(name + joint, 20) for name in LEGS for joint in ("hip", "knee")])
    seconds = 2.0
    costs = [Cost("point", 200, body="trunk", goal=(0, 0, 0.28), name="trunk"),
             Cost("position", 20, joint="pitch", name="level"),
             Cost("position", 1, name="legs", goal=(0, 0.12, 0) + (0.5, -1.0) * 4, weights=(0, 0, 0) + (1,) * 8),
             Cost("velocity", 0.05, weights=(5, 5, 5) + (1,) * 8, name="speed"), Cost("ctrl", 1e-3)]

    def start(self, random, world):
        world.qpos[3:] = np.tile(self.fold, 4) + random.uniform(-0.1, 0.1, 8)
        world.qpos[1] = 0.03
        world.qvel[0], world.qvel[2] = random.uniform(-0.5, 0.5), random.uniform(-1, 1)

    def is_done(self, world):
        return abs(world.qpos[1] - 0.12) < 0.03 and abs(world.qpos[2]) < 0.1


class Trot(StandUp):
    """The same quadruped goes ahead at 0.5 m/s; which gait it takes is left to the plan."""
    name = "quadruped goes ahead"
    seconds = 3.0
    costs = [Cost("position", 100, joint="z", goal=0.12, name="height"), Cost("position", 20, joint="pitch", name="level"),
             Cost("velocity", 20, joint="x", goal=0.5, name="ahead"), *StandUp.costs[2:3],
             Cost("velocity", 0.02, weights=(0, 5, 5) + (1,) * 8, name="speed"), Cost("ctrl", 1e-3)]

    def start(self, random, world):
        world.qpos[3:] = np.tile((0.5, -1.0), 4) + random.uniform(-0.1, 0.1, 8)
        world.qpos[1] = 0.13

    def is_done(self, world):
        return world.qpos[0] > 1.0 and abs(world.qpos[1] - 0.12) < 0.06 and abs(world.qpos[2]) < 0.3


def pad(name, x):
    return (f"<body name='{name}' pos='{x} 0 0.04'>{slides(name)}"
            f"<geom name='{name}' type='box' size='0.008 0.03 0.03' mass='0.2' friction='0.8'/></body>")


class Grip(Task):
    """Two flat fingers grip a soft ball (13 nodes about a core) and lift it, with as little force as holds it."""
    name = "grip a soft ball with least force"
    horizon, options = 15, dict(smoothing=1.0, derivative_every=14)
    xml = (model(floor(0.8) + "<body name='core' pos='0 0 0.04'><freejoint/>"
                 "<geom size='0.012' mass='0.01' contype='0' conaffinity='0'/></body>" + pad("l", -0.06) + pad("r", 0.06),
                 [("lx", 10), ("lz", 10), ("rx", 10), ("rz", 10)])
           .replace("</mujoco>", "<tenon><soft name='ball' ball='0.04' cells='1' pos='0 0 0.04' young='1e5' poisson='0.3' "
                    "density='500' friction='0.8' damping='0.02'><hold body='core' ball='0 0 0.04 0.013'/></soft></tenon></mujoco>"))
    costs = [Cost("point", 100, 100, body="core", goal=(0, 0, 0.12), name="ball"),
             Cost("point", 10, body="l", to_body="core", goal=(-0.045, 0, 0), name="left"),
             Cost("point", 10, body="r", to_body="core", goal=(0.045, 0, 0), name="right"),
             *(Cost("velocity", 0.1, joint=j, name="speed") for j in ("lx", "lz", "rx", "rz")),
             Cost("ctrl", 5e-3, goal=(0, 0.2 * G, 0, 0.2 * G), name="force")]

    def start(self, random, world):
        world.step(25)  # the ball comes to rest on the floor, as the fingers do
        for joint, low, high in (("lx", -0.03, 0.005), ("lz", -0.01, 0.02), ("rx", -0.005, 0.03), ("rz", -0.01, 0.02)):
            world.qpos[world.model.joint_info(joint)["qpos"]] = random.uniform(low, high)

    def is_done(self, world):
        return abs(world.body_pose("core")[0][2] - 0.12) < 0.03


TASKS = [Walls, Push, Lift, Catch, Topple, Turn, Billiard, StandUp, Trot, Grip]


def running_cost(task, world):
    """Of the world's state and control: what is summed over a run, the same for all methods."""
    total = 0.0
    for c in task.costs:
        if c.running == 0.0:
            continue
        goal = 0.0 if c.goal is None else np.asarray(c.goal)
        if c.kind == "position":
            r = (world.qpos if c.joint is None else world.qpos[world.model.joint_info(c.joint)["qpos"]]) - goal
        elif c.kind == "velocity":
            r = (world.qvel if c.joint is None else world.qvel[world.model.joint_info(c.joint)["qvel"]]) - goal
        elif c.kind == "point":
            r = world.body_pose(c.body)[0] - goal
            if c.to_body is not None:
                r = r - world.body_pose(c.to_body)[0]
        else:
            r = world.ctrl - goal
        total += c.running * float(np.sum(np.asarray(1.0 if c.weights is None else c.weights) * np.square(r)))
    return total
