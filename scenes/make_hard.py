#!/usr/bin/env python3
"""Writes the hard scenes: stacks, mass ratios, an arch, a card house, grasps, Newton's cradle.

They are those that `tenon-bench hard` builds by itself, number for number, as files to look at. Standard library
only; the same options always give the same files.

  make_hard.py                       all, beside this script
  make_hard.py tower --boxes 50      one, with another number of boxes, seed, thickness, ...
"""

import argparse
import math
import os

from scene_parts import camera_xml, write

GRAVITY = 9.81
COLOURS = ("0.85 0.45 0.28 1", "0.93 0.74 0.36 1")
BRICKS = ("0.72 0.33 0.24 1", "0.8 0.42 0.3 1", "0.62 0.28 0.22 1", "0.86 0.5 0.36 1")
STONE = ("0.74 0.68 0.58 1", "0.62 0.57 0.5 1")
GREY = "0.55 0.6 0.66 1"


def number(x):
    """As many digits as read back to the same bits, if that many are needed."""
    for digits in (9, 15, 17):
        text = f"{x:.{digits}g}"
        if float(text) == x:
            break
    return "0" if float(text) == 0 else text


def numbers(values):
    return " ".join(number(v) for v in values)


class Dice:
    """A linear congruential generator (Knuth's MMIX constants), the same as the program's."""

    def __init__(self, seed):
        self.state = seed * 0x9E3779B97F4A7C15 % 2 ** 64
        for _ in range(4):
            self.draw()

    def draw(self):
        """Within [-1, 1)."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (self.state >> 11) * 2.0 ** -53 * 2 - 1


class Scene:
    def __init__(self, name, friction, timestep=0.01):
        self.name, self.friction, self.timestep = name, friction, timestep
        self.assets, self.bodies, self.actuators, self.tenon, self.cameras = [], [], [], [], []
        self.defaults = ""

    def ground(self):
        self.bodies.append('    <geom name="ground" type="plane" size="0 0 0.05" '
                           'rgba="0.75 0.77 0.8 1"/>')

    def free_box(self, name, pos, half, mass, colour, turn=0.0):
        """`turn` is about y."""
        quat = f' quat="{numbers((math.cos(turn / 2), 0, math.sin(turn / 2), 0))}"' if turn else ""
        self.bodies.append(
            f'    <body name="{name}" pos="{numbers(pos)}"{quat}><freejoint/><geom type="box" '
            f'size="{numbers(half)}" mass="{number(mass)}" rgba="{colour}"/></body>')

    def camera(self, eye, target):
        self.cameras.append(camera_xml("overview", eye, target))

    def constant(self, joint, force, kp=0.0, kv=0.0):
        """A force, or a servo about the reference pose with a torque on top."""
        self.actuators.append(f'    <general joint="{joint}" biastype="affine" '
                              f'biasprm="{numbers((force, -kp, -kv))}"/>')

    def text(self):
        lines = ["<!-- Written by make_hard.py; change that instead. -->",
                 f'<mujoco model="{self.name}">',
                 '  <compiler angle="radian" autolimits="true"/>',
                 f'  <option timestep="{number(self.timestep)}" integrator="implicitfast"/>',
                 "", "  <default>",
                 f'    <geom condim="3" friction="{number(self.friction)} 0.005 0.0001"'
                 f'{self.defaults}/>', "  </default>"]
        if self.assets:
            lines += ["", "  <asset>"] + self.assets + ["  </asset>"]
        lines += ["", "  <worldbody>",
                  '    <light pos="0.5 -0.5 6" dir="0 0.2 -1" directional="true"/>']
        lines += self.cameras + self.bodies + ["  </worldbody>"]
        if self.actuators:
            lines += ["", "  <actuator>"] + self.actuators + ["  </actuator>"]
        if self.tenon:
            lines += ["", "  <tenon>"] + self.tenon + ["  </tenon>"]
        return "\n".join(lines + ["</mujoco>", ""])


EDGE = 0.1        # m, of the cubes
JITTER = 0.0015   # m, either way


def cube(scene, x, y, level, mass):
    half = (EDGE / 2,) * 3
    scene.free_box(f"box{level}", (x, y, EDGE * (level + 0.5)), half, mass, COLOURS[level % 2])


def stack_camera(scene, count):
    height = EDGE * count
    scene.camera((0.9 * height + 0.3, -1.2 * height - 0.4, 0.7 * height + 0.1), (0, 0, height / 2))


def tower(args):
    scene, dice = Scene("tower", 0.5), Dice(args.seed)
    scene.ground()
    for i in range(args.boxes):
        x, y = JITTER * dice.draw(), JITTER * dice.draw()
        cube(scene, x, y, i, 1)
    stack_camera(scene, args.boxes)
    return scene


def heavy(args):
    scene = Scene("heavy", 0.5)
    scene.ground()
    cube(scene, 0, 0, 0, 1)
    cube(scene, 0, 0, 1, args.ratio)
    stack_camera(scene, 2)
    return scene


def doubling(args):
    scene = Scene("doubling", 0.5)
    scene.ground()
    for i in range(10):
        cube(scene, 0, 0, i, 2 ** i)
    stack_camera(scene, 10)
    return scene


def pyramid(args):
    scene, count, pitch = Scene("pyramid", 0.5), 10, 1.2 * EDGE
    scene.ground()
    for row in range(count):
        for i in range(count - row):
            pos = (pitch * (i - 0.5 * (count - row - 1)), 0, EDGE * (row + 0.5))
            scene.free_box(f"box{row}_{i}", pos, (EDGE / 2,) * 3, 1, COLOURS[(row + i) % 2])
    scene.camera((0.6, -2.2, 1.0), (0, 0, 0.42))
    return scene


def wall(args):
    """Eight rows, of twelve bricks, and of eleven and a half one at each end: 100 in all."""
    scene, rows, count = Scene("wall", 0.5), 8, 12
    length, width, height, mass = 0.2, 0.1, 0.08, 3
    scene.ground()
    for row in range(rows):
        x, bricks = -0.5 * length * count, count + row % 2
        for i in range(bricks):
            share = 2 if row % 2 and i in (0, bricks - 1) else 1
            own = length / share
            scene.free_box(f"brick{row}_{i}", (x + own / 2, 0, height * (row + 0.5)),
                           (own / 2, width / 2, height / 2), mass / share, BRICKS[row % 2 * 2 + i % 2])
            x += own
    scene.camera((1.0, -3.0, 1.2), (0, 0, 0.3))
    return scene


def centroid(corners):
    """Of a polygon: the shoelace formula."""
    twice_area, total = 0.0, [0.0, 0.0]
    for p, q in zip(corners, corners[1:] + corners[:1]):
        cross = p[0] * q[1] - q[0] * p[1]
        twice_area += cross
        for k in range(2):
            total[k] += (p[k] + q[k]) * cross
    return [t / (3 * twice_area) for t in total]


def arch(args, thickness=None, name="arch"):
    """Wedges between radial joints at equal angles; the mean radius is 1 m."""
    t = args.thickness if thickness is None else thickness
    scene, count, depth = Scene(name, 0.8), 20, 0.2
    scene.defaults = ' density="2000"'
    scene.ground()
    for i in range(count):
        low, high = (math.pi * k / count for k in (i, i + 1))
        corners = [[r * math.cos(a), r * math.sin(a)] for r, a in
                   ((1 - t / 2, low), (1 + t / 2, low), (1 + t / 2, high), (1 - t / 2, high))]
        x, z = centroid(corners)
        vertices = []
        for y in (-depth / 2, depth / 2):
            for cx, cz in corners:  # sin(pi) is not quite 0, the ground is
                vertices += [cx - x, y, (0 if abs(cz) < 1e-12 else cz) - z]
        scene.assets.append(f'    <mesh name="stone{i}" vertex="{numbers(vertices)}"/>')
        scene.bodies.append(f'    <body name="stone{i}" pos="{numbers((x, 0, z))}"><freejoint/>'
                            f'<geom type="mesh" mesh="stone{i}" rgba="{STONE[i % 2]}"/></body>')
    scene.camera((1.2, -3.4, 1.3), (0, 0, 0.5))
    return scene


def thin_arch(args):
    return arch(args, 0.095, "thin_arch")


def cards(args):
    """Two tents, a card across, a tent on it; the top of hard_cards.c has the geometry."""
    scene, alpha = Scene("cards", 0.6), math.radians(20)
    h, w, d, mass, air = 0.088, 0.063, 0.001, 0.005, 0.002
    sin, cos = math.sin(alpha), math.cos(alpha)
    across, up, top = h / 2 * sin + d / 2 * cos, h / 2 * cos + d / 2 * sin, h * cos + d * sin
    middle = h * sin + d * cos + air / 2

    def card(x, z, turn):
        name = f"card{len(scene.bodies) - 1}"
        scene.free_box(name, (x, 0, z), (d / 2, w / 2, h / 2), mass, COLOURS[len(scene.bodies) % 2], turn)

    def tent(x, z):
        card(x - across, z + up, alpha)
        card(x + across, z + up, -alpha)

    scene.ground()
    tent(-middle, 0)
    tent(middle, 0)
    card(0, top + d / 2, math.pi / 2)
    tent(0, top + d)
    scene.camera((0.14, -0.36, 0.2), (0, 0, 0.08))
    return scene


def pinch(args):
    scene, half = Scene("pinch", 0.7), (0.005, 0.03, 0.03)
    for name, side in (("left", -1), ("right", 1)):
        scene.bodies.append(
            f'    <body name="{name}" pos="{numbers((side * (0.004 + half[0]), 0, 0))}">'
            f'<joint name="{name}" type="slide" axis="1 0 0"/><geom type="box" '
            f'size="{numbers(half)}" mass="{number(args.plate)}" rgba="0.55 0.65 0.8 0.5"/></body>')
        scene.constant(name, -side * args.force)
    scene.bodies.append(
        '    <body name="capsule"><freejoint/><geom type="capsule" size="0.004 0.02" mass="0.045" '
        f'quat="{numbers((math.sqrt(0.5), math.sqrt(0.5), 0, 0))}" rgba="{COLOURS[0]}"/></body>')
    scene.camera((0.1, -0.14, 0.09), (0, 0, 0))
    return scene


def press(args):
    """An arm of three hinges presses a box of 2 kg against a wall with 200 N."""
    scene, push, edge = Scene("press", 0.7), 200, 0.1
    lengths, angles, masses = (0.4, 0.35, 0.15), (1.2, -0.5, 0), (4, 3, 1.5)
    radii, quarter = (0.03, 0.03, 0.02), math.sqrt(0.5)
    joints = [[0.0, 0.3]]
    for length, angle in zip(lengths, angles):
        x, z = joints[-1]
        joints.append([x + length * math.cos(angle), z + length * math.sin(angle)])
    torques = []
    for i in range(3):  # turning joint i moves a point r away from it by (-r_z, r_x)
        torque = -push * (joints[3][1] - joints[i][1])
        for k in range(i, 3):
            torque += masses[k] * GRAVITY * (0.5 * (joints[k][0] + joints[k + 1][0]) - joints[i][0])
        torques.append(torque)
    face, height = joints[3][0] + radii[2], joints[3][1]
    scene.ground()
    scene.bodies.append('    <geom name="wall" type="plane" size="0.3 0.3 0.05" '
                        f'pos="{numbers((face + edge, 0, height))}" '
                        f'quat="{numbers((quarter, 0, -quarter, 0))}" rgba="0.7 0.74 0.8 1"/>')
    for i in range(3):
        pos = (0, 0, 0.3) if i == 0 else (lengths[i - 1], 0, 0)
        turn = angles[i] - (angles[i - 1] if i else 0)
        touch = "" if i == 2 else ' contype="0" conaffinity="0"'
        scene.bodies.append(
            f'{"  " * i}    <body name="link{i}" pos="{numbers(pos)}" '
            f'quat="{numbers((math.cos(turn / 2), 0, -math.sin(turn / 2), 0))}">'
            f'<joint name="joint{i}" axis="0 -1 0" armature="0.1"/>'
            f'<geom type="capsule" size="{numbers((radii[i], lengths[i] / 2))}" '
            f'pos="{numbers((lengths[i] / 2, 0, 0))}" quat="{numbers((quarter, 0, quarter, 0))}" '
            f'mass="{number(masses[i])}" rgba="{GREY}"{touch}/>')
        scene.constant(f"joint{i}", torques[i], 2000, 100)
    scene.bodies.append("    </body></body></body>")
    scene.free_box("box", (face + edge / 2, 0, height), (edge / 2,) * 3, 2, COLOURS[0])
    scene.camera((0.3, -1.6, 0.8), (0.35, 0, 0.45))
    return scene


def cradle(args):
    scene, count, radius, length, top = Scene("cradle", 1, 0.001), 5, 0.02, 0.3, 0.4
    for i in range(count):
        x = (2 * radius + args.air) * (i - 0.5 * (count - 1))
        angle = -0.6 if i == 0 else 0.0
        pos = (x + length * math.sin(angle), 0, top - length * math.cos(angle))
        scene.bodies.append(
            f'    <body name="ball{i}" pos="{numbers(pos)}" '
            f'quat="{numbers((math.cos(angle / 2), 0, -math.sin(angle / 2), 0))}">'
            f'<joint axis="0 -1 0" pos="0 0 {number(length)}"/>'
            f'<geom name="ball{i}" type="sphere" size="{number(radius)}" mass="0.25" condim="1" '
            f'rgba="{GREY}"/><geom type="capsule" size="0.001" fromto="0 0 0 0 0 {number(length)}" '
            f'mass="0" contype="0" conaffinity="0" rgba="0.3 0.3 0.3 1"/></body>')
        scene.tenon.append(f'    <geom name="ball{i}" restitution="1"/>')
    scene.camera((0.25, -0.75, 0.32), (-0.02, 0, 0.2))
    return scene


SCENES = {f.__name__: f for f in (tower, heavy, doubling, pyramid, wall, arch, thin_arch, cards,
                                  pinch, press, cradle)}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="Write the hard scenes.")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=", ".join(SCENES) + "; default all")
    parser.add_argument("--folder", default=here, help="where to (default: beside this script)")
    parser.add_argument("--seed", type=int, default=1, help="of the tower's jitter (default 1)")
    parser.add_argument("--boxes", type=int, default=20, help="of the tower (default 20)")
    parser.add_argument("--ratio", type=float, default=1000, help="kg on 1 kg in heavy (default 1000)")
    parser.add_argument("--thickness", type=float, default=0.12, help="t/R of the arch (default 0.12)")
    parser.add_argument("--plate", type=float, default=5, help="kg of a plate in pinch (default 5)")
    parser.add_argument("--force", type=float, default=12, help="N of the pinch (default 12)")
    parser.add_argument("--air", type=float, default=0.001, help="m between the cradle's balls (default 0.001)")
    args = parser.parse_args()
    for name in args.scenes or SCENES:
        if name not in SCENES:
            parser.error(f"there is no scene '{name}'")
        os.makedirs(args.folder, exist_ok=True)
        write(os.path.join(args.folder, name + ".xml"), SCENES[name](args).text())


if __name__ == "__main__":
    main()
