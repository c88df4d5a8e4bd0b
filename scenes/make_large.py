#!/usr/bin/env python3
"""Writes scenes with very many bodies, for measurements and for films:

  hopper     grain runs out of a funnel onto the ground
  drum       grain in a drum that turns about its level axis, with lifters
  plough     an arm on a gantry draws a blade through a bed of grain
  conveyor   boxes ride on driven rollers and fall off at the end

All lengths follow from the number of bodies. Grain starts on a loose, jittered lattice without
touching. Standard library only; the same options always give the same files.
"""

import math
import os
import random

from panda_arm import number, numbers
from scene_parts import camera_xml, ease, parser_for, track_csv, track_path, write

RADIUS = 0.01      # m, of the largest grain
DENSITY = 1000.0   # kg/m^3
SPREAD = 0.2       # the smallest grain is so much smaller
PITCH = 2.15 * RADIUS
JITTER = 0.45 * (PITCH - 2 * RADIUS)
THIN = 0.01        # half the thickness of walls
COLOURS = ("0.13 0.47 0.71 1", "0.95 0.77 0.2 1", "0.84 0.3 0.22 1")
ROW_TIME = 0.02    # s between rows of the tracks


def lattice(dice, count, columns, depth, corner, inside=lambda x, y, z: True):
    """Places on a lattice that grows upwards from its corner."""
    out, k = [], 0
    while len(out) < count:
        i, j, layer = k % columns, k // columns % depth, k // (columns * depth)
        k += 1
        at = [corner[0] + (i + 0.5) * PITCH, corner[1] + (j + 0.5) * PITCH, corner[2] + (layer + 0.5) * PITCH]
        if inside(*at):
            out.append([c + JITTER * (2 * dice.random() - 1) for c in at])
    return out


def grains_xml(dice, places):
    lines = []
    for i, pos in enumerate(places):
        radius = RADIUS * (1 - SPREAD * dice.random())
        lines.append(f'    <body pos="{numbers(pos)}"><freejoint/><geom class="grain{i * len(COLOURS) // len(places)}" '
                     f'size="{number(radius)}"/></body>')
    return lines


def turn_z_y(z, y):
    """Quaternion of a turn about y, then about z."""
    cz, sz, cy, sy = math.cos(z / 2), math.sin(z / 2), math.cos(y / 2), math.sin(y / 2)
    return (cz * cy, -sz * sy, cz * sy, sz * cy)


def wall(pos, half, more=""):
    return f'    <geom class="wall" pos="{numbers(pos)}" size="{numbers(half)}"{more}/>'


def pen(centre, half_x, half_y, low, high):
    """Four walls around a rectangle."""
    x, y = centre
    z, h = (low + high) / 2, (high - low) / 2
    return [wall((x + s * (half_x + THIN), y, z), (THIN, half_y + 2 * THIN, h)) for s in (1, -1)] + \
           [wall((x, y + s * (half_y + THIN), z), (half_x, THIN, h)) for s in (1, -1)]


def actuator(joint, kind, gains):
    return f'    <{kind} name="{joint}" joint="{joint}" {gains}/>'


class Scene:
    """What the kinds below fill in."""

    def __init__(self):
        self.fixed, self.robots, self.loose = [], [], []
        self.actuators, self.names, self.rows = [], [], []
        self.eye, self.target = (1, -1, 1), (0, 0, 0)


def hopper(count, dice):
    s = Scene()
    columns = max(6, round((count / 1.5) ** (1 / 3)))
    half = columns * PITCH / 2
    outlet = max(5 * RADIUS, 0.22 * half)
    slope = math.radians(55)
    fall = 0.9 * half + 0.05                      # from the outlet to the ground
    rise = (half - outlet) * math.tan(slope)      # of the funnel
    height = 1.15 * math.ceil(count / columns ** 2) * PITCH
    top = fall + rise
    s.fixed = pen((0, 0), half, half, top, top + height)
    length, out = (half - outlet) / math.cos(slope), THIN
    for turn in range(4):
        c, d = round(math.cos(turn * math.pi / 2)), round(math.sin(turn * math.pi / 2))
        reach = (half + outlet) / 2 + out * math.sin(slope)
        pos = (c * reach, d * reach, fall + rise / 2 - out * math.cos(slope))
        s.fixed.append(wall(pos, (length / 2 + THIN, half + THIN, THIN),
                            f' quat="{numbers(turn_z_y(turn * math.pi / 2, -slope))}"'))
    spread = 1.6 * half
    s.fixed += pen((0, 0), spread, spread, 0, 0.35 * fall)
    s.loose = grains_xml(dice, lattice(dice, count, columns, columns, (-half, -half, top + RADIUS)))
    size = top + height
    s.eye, s.target = (1.3 * size, -1.9 * size, 1.1 * size), (0, 0, 0.45 * size)
    return s


def drum(count, dice, fill=0.4, staves=48, lifters=8, turns_per_second=0.25):
    s = Scene()
    radius = max(8 * RADIUS, (count * PITCH ** 3 / (2 * math.pi * fill)) ** (1 / 3)) + RADIUS
    half, z = radius, 1.3 * radius                # half its length; height of its axis
    width = radius * math.tan(math.pi / staves) + THIN
    s.robots = [f'    <body name="drum" pos="0 0 {number(z)}">',
                '      <joint name="drum" type="hinge" axis="0 1 0" armature="0.1"/>']
    for k in range(staves):
        angle = 2 * math.pi * k / staves
        x, up = math.sin(angle), math.cos(angle)
        s.robots.append(f'      <geom class="drum" pos="{numbers((x * (radius + THIN), 0, up * (radius + THIN)))}" '
                        f'size="{numbers((width, half, THIN))}" euler="0 {number(math.degrees(angle))} 0"/>')
        if k % (staves // lifters) == 0:
            reach = radius - 0.05 * radius
            s.robots.append(f'      <geom class="drum" pos="{numbers((x * reach, 0, up * reach))}" '
                            f'size="{numbers((THIN, half, 0.05 * radius))}" euler="0 {number(math.degrees(angle))} 0"/>')
    s.robots.append("    </body>")
    s.fixed = [wall((0, e * (half + THIN), z), (1.1 * radius, THIN, 1.1 * radius), ' rgba="0.6 0.7 0.8 0.08"')
               for e in (1, -1)]
    columns, depth = math.floor(2 * radius / PITCH), math.floor(2 * half / PITCH)
    inner = 0.88 * radius
    places = lattice(dice, count, columns, depth, (-radius, -half, z - radius),
                     lambda x, y, up: math.hypot(x, up - z) < inner)
    s.loose = grains_xml(dice, places)
    mass = count * DENSITY * 4 / 3 * math.pi * RADIUS ** 3
    s.actuators = [actuator("drum", "velocity", f'kv="{number(20 * mass * radius * radius + 5)}"')]
    s.names = ["drum"]
    speed = 2 * math.pi * turns_per_second
    s.rows = [[speed * ease(k * ROW_TIME, (0.3, 1.0))] for k in range(51)]
    s.eye, s.target = (2.2 * radius, -4.5 * radius, 2.6 * radius), (0, 0, 1.1 * radius)
    return s


def plough(count, dice, wait=0.6, stroke=4.0):
    s = Scene()
    columns = max(12, round((count * 4) ** (1 / 3)))  # across; the bed is twice as long, and a quarter deep
    half_y, half_x = columns * PITCH / 2, columns * PITCH
    layers = math.ceil(count / (2 * columns * columns))
    deep = 0.85 * layers * PITCH
    s.fixed = pen((0, 0), half_x, half_y, 0, 1.4 * layers * PITCH)
    s.loose = grains_xml(dice, lattice(dice, count, 2 * columns, columns, (-half_x, -half_y, RADIUS)))
    blade, arm = 0.35 * half_y, 0.9 * half_x
    high = 1.4 * layers * PITCH + 0.6 * deep
    rail = high + arm
    s.robots = [
        f'    <body name="carriage" pos="{numbers((-0.75 * half_x, 0, rail))}">',
        '      <joint name="rail" type="slide" axis="1 0 0" damping="20"/>',
        f'      <geom class="arm" size="{numbers((0.06 * half_x, half_y + 4 * THIN, 0.03 * half_x))}" mass="20"/>',
        f'      <body name="forearm" pos="0 0 0">',
        '        <joint name="lift" type="slide" axis="0 0 1" damping="20"/>',
        f'        <geom class="arm" type="capsule" fromto="0 0 0 0 0 {number(-0.8 * arm)}" size="{number(0.02 * half_x)}" mass="4"/>',
        f'        <body name="blade" pos="0 0 {number(-0.8 * arm)}">',
        '          <joint name="tilt" type="hinge" axis="0 1 0" damping="2"/>',
        f'          <geom class="tool" pos="0 0 {number(-0.1 * arm)}" size="{numbers((THIN, blade, 0.1 * arm))}" mass="3"/>',
        "        </body>", "      </body>", "    </body>"]
    s.names = ["rail", "lift", "tilt"]
    s.actuators = [actuator("rail", "position", 'kp="40000" kv="4000"'),
                   actuator("lift", "position", 'kp="40000" kv="4000"'),
                   actuator("tilt", "position", 'kp="3000" kv="300"')]
    down = -(high - 0.45 * deep)
    for k in range(round((wait + 1 + stroke + 1) / ROW_TIME) + 1):
        t = k * ROW_TIME
        lowered = ease(t, (wait, wait + 1)) - ease(t, (wait + 1 + stroke, wait + 2 + stroke))
        s.rows.append([1.5 * half_x * ease(t, (wait + 0.8, wait + 1 + stroke)), down * lowered, 0.35])
    s.eye, s.target = (1.1 * half_x, -2.4 * half_x, 1.9 * half_x), (0, 0, 0.15 * half_x)
    return s


def conveyor(count, dice, speed=0.6):
    s = Scene()
    lanes = max(2, round(math.sqrt(count / 6)))
    rows = math.ceil(count / (3 * lanes))         # three layers of boxes
    step, size = 0.3, 0.1
    half_y, length = lanes * step / 2 + 0.05, rows * step
    radius, gap, z = 0.05, 0.11, 0.6
    for i in range(math.ceil(1.4 * length / gap) + 4):
        s.robots += [f'    <body pos="{numbers((i * gap - 0.2, 0, z))}">',
                     f'      <joint name="roller{i}" type="hinge" axis="0 1 0" armature="0.01"/>',
                     f'      <geom class="drum" type="cylinder" euler="90 0 0" size="{numbers((radius, half_y))}" mass="2"/>',
                     "    </body>"]
        s.actuators.append(actuator(f"roller{i}", "velocity", 'kv="5"'))
        s.names.append(f"roller{i}")
    end = (i * gap - 0.2) + gap
    s.rows = [[speed / radius * ease(k * ROW_TIME, (0.3, 1.3))] * len(s.names) for k in range(81)]
    for side in (1, -1):
        s.fixed.append(wall((end / 2, side * (half_y + THIN), z + 0.1), (end / 2 + 0.2, THIN, 0.25)))
    s.fixed += pen((end + 1.2 * half_y + 0.5, 0), 1.2 * half_y + 0.5, half_y + 0.3, 0, 0.4)
    for k in range(count):
        lane, row, layer = k % lanes, k // lanes % rows, k // (lanes * rows)
        half = [size * (1 - 0.35 * dice.random()) for _ in range(3)]
        pos = ((row + 0.5) * step, (lane + 0.5) * step - lanes * step / 2, z + radius + 0.01 + (layer + 0.5) * 2.1 * size)
        s.loose.append(f'    <body pos="{numbers(pos)}" euler="0 0 {number(20 * (dice.random() - 0.5))}"><freejoint/>'
                       f'<geom class="grain{k % 3}" type="box" size="{numbers(half)}"/></body>')
    s.eye, s.target = (1.5 * length, -1.2 * length - half_y, 0.9 * length), (0.7 * length, 0, 0.3)
    return s


KINDS = {"hopper": hopper, "drum": drum, "plough": plough, "conveyor": conveyor}


def scene_xml(kind, s, timestep, track_name):
    lines = [f'<mujoco model="{kind}">',
             '  <compiler angle="degree" autolimits="true"/>',
             f'  <option timestep="{number(timestep)}" integrator="implicitfast"/>',
             "  <default>",
             f'    <geom condim="3" friction="0.5 0.005 0.0001" density="{number(DENSITY)}"/>']
    lines += [f'    <default class="grain{i}"><geom type="sphere" rgba="{rgba}"/></default>'
              for i, rgba in enumerate(COLOURS)]
    lines += ['    <default class="wall"><geom type="box" rgba="0.6 0.7 0.8 0.2"/></default>',
              '    <default class="drum"><geom type="box" rgba="0.5 0.55 0.6 0.35"/></default>',
              '    <default class="arm"><geom type="box" contype="0" conaffinity="0" rgba="0.92 0.92 0.94 1"/></default>',
              '    <default class="tool"><geom type="box" rgba="0.3 0.3 0.35 1"/></default>',
              "  </default>", "", "  <worldbody>",
              camera_xml("overview", s.eye, s.target),
              '    <geom name="ground" type="plane" size="0 0 0.05" rgba="0.75 0.77 0.8 1"/>']
    lines += s.fixed + s.robots + s.loose + ["  </worldbody>"]
    if s.actuators:
        lines += ["", "  <actuator>"] + s.actuators + ["  </actuator>", "", "  <tenon>",
                  f'    <track file="{track_name}"/>', "  </tenon>"]
    return "\n".join(lines + ["</mujoco>", ""])


def main():
    parser = parser_for("large", "a scene with very many bodies")
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("--count", type=int, default=2000, metavar="N", help="grains or boxes (default 2000)")
    parser.add_argument("--timestep", type=float, default=0.005, metavar="S", help="seconds (default 0.005)")
    parser.add_argument("--seed", type=int, default=1, metavar="K", help="of sizes and jitter (default 1)")
    args = parser.parse_args()
    if args.count < 1:
        parser.error("--count needs at least one")
    track = track_path(parser, args)
    s = KINDS[args.kind](args.count, random.Random(args.seed))
    if s.rows:
        write(track, track_csv(s.names, s.rows, ROW_TIME))
    write(args.output, scene_xml(args.kind, s, args.timestep, os.path.basename(track)))


if __name__ == "__main__":
    main()
