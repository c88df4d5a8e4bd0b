#!/usr/bin/env python3
"""Writes the granular stirring scene: stir.xml (MJCF) and stir_track.csv (its control track).

The arm of panda_arm.py stirs spheres of 1 cm radius and 4 g in an open box with a rod. With the
default 216 spheres the scene has 216 * 6 + 7 = 1303 velocities and 217 subsystems. Standard library
only; the same options always give the same files.

  spheres    start on a loose lattice with jitter and have fallen into a pile when the rod arrives
  path       the rod's tip sinks into the bed on a widening helix, then runs circles above the
             lowest layer
  track      one turn is computed and repeated, so that the circles close exactly
"""

import math
import os
import random

import panda_arm
from panda_arm import number, numbers
from scene_parts import camera_xml, ease, parser_for, track_csv, track_path, write

SPHERE_RADIUS = 0.01  # m
SPHERE_MASS = 0.004   # kg
FRICTION = 0.5
# colours of the lower, middle and upper third, so that one sees how the bed is mixed
LAYERS = (("low", "0.13 0.47 0.71 1"), ("middle", "0.95 0.77 0.2 1"), ("high", "0.84 0.3 0.22 1"))

ROW_TIME = 0.02    # s between rows of the track
TURN_TIME = 1.0    # s per circle
ENTRY_TIME = 2.0   # s until the track's loop begins
TURNS = 4          # circles in the track


class Layout:
    """All lengths of the scene (m); they grow with the cube that the spheres start in."""

    def __init__(self, spheres):
        self.spheres = spheres
        self.edge = max(2, math.ceil(spheres ** (1 / 3) - 1e-9))  # spheres along the cube's edge
        self.centre = (0.5, 0.0)                    # of the box on the ground
        self.inner = 0.026 * self.edge              # inner side of the box
        self.wall = 0.04 + 0.02 * self.edge         # height of its walls
        self.wall_half = 0.005                      # half their thickness
        self.pitch = self.inner / self.edge         # of the lattice, level
        self.pitch_up = 0.0235                      # and upright
        self.rod_length = self.wall + 0.1
        self.base = max(0.0, self.wall - 0.16)      # the arm of a tall box stands on a pedestal
        self.circle = min(0.06, 0.035 * self.edge / 6)
        self.low_tip = 0.024                        # spheres pass below, none is clamped
        layers = math.ceil(spheres / self.edge ** 2)
        self.high_tip = SPHERE_RADIUS + layers * self.pitch_up + 0.01

    def sphere_positions(self):
        """The jittered lattice; jitter stays below half the slack, so that none touch."""
        dice = random.Random(216)
        level = 0.45 * (self.pitch - 2 * SPHERE_RADIUS)
        upright = 0.3 * (self.pitch_up - 2 * SPHERE_RADIUS)
        corner = 0.5 * self.pitch - 0.5 * self.inner
        out = []
        for i in range(self.spheres):
            x, y, z = i % self.edge, i // self.edge % self.edge, i // self.edge ** 2
            dx, dy, dz = (2 * dice.random() - 1 for _ in range(3))
            out.append((self.centre[0] + corner + x * self.pitch + level * dx,
                        self.centre[1] + corner + y * self.pitch + level * dy,
                        SPHERE_RADIUS + 0.0015 + z * self.pitch_up + upright * dz))
        return out

    def layer(self, i):
        """The name of the colour of sphere i."""
        rows = math.ceil(self.spheres / self.edge ** 2)
        return LAYERS[i // self.edge ** 2 * len(LAYERS) // rows][0]

    def tip_path(self, t):
        """Where the tip shall be at time t."""
        s = ease(t, (0, 0.8 * ENTRY_TIME))
        phase = 2 * math.pi * t / TURN_TIME
        return [self.centre[0] + self.circle * s * math.cos(phase),
                self.centre[1] + self.circle * s * math.sin(phase),
                self.high_tip + (self.low_tip - self.high_tip) * s]


def plan(layout, arm):
    """(angles at the start, rows of controls, row that the loop goes back to)."""
    entry = round(ENTRY_TIME / ROW_TIME)
    turn = round(TURN_TIME / ROW_TIME)
    path, q = [], list(panda_arm.REST)
    for k in range(entry + turn):
        q = arm.inverse(layout.tip_path(k * ROW_TIME), q)
        path.append(q)

    def angles(k):
        if k < entry:
            return path[max(k, 0)]
        return path[entry + (k - entry) % turn]

    rows = []
    for k in range(entry + turn):
        rate = [(b - a) / (2 * ROW_TIME) for a, b in zip(angles(k - 1), angles(k + 1))]
        # the path is already round at the loop's first row, where the row before is an entry row
        rows.append(arm.controls(angles(k), rate))
    for k in range(turn, TURNS * turn + 1):
        rows.append(rows[entry + k % turn])
    return path[0], rows, entry


def box_xml(layout):
    """The ground and four walls around the bed."""
    (x, y), half, thin = layout.centre, layout.inner / 2, layout.wall_half
    height = layout.wall / 2
    lines = ['    <geom name="ground" class="box" type="plane" size="0 0 0.05" '
             'rgba="0.75 0.77 0.8 1"/>']
    for name, dx, dy in (("front", 1, 0), ("back", -1, 0), ("left", 0, 1), ("right", 0, -1)):
        pos = (x + dx * (half + thin), y + dy * (half + thin), height)
        size = (thin if dx else half + 2 * thin, thin if dy else half, height)
        lines.append(f'    <geom name="wall_{name}" class="box" type="box" '
                     f'pos="{numbers(pos)}" size="{numbers(size)}"/>')
    return lines


def cameras_xml(layout):
    """The whole scene, and the bed alone."""
    (x, y), size = layout.centre, layout.inner / 0.156  # 1 for 216 spheres
    return [camera_xml("overview", (x + 0.58 * size, y - 1.06 * size, 0.78 * size),
                       (x - 0.19 * size, y, 0.29 * size)),
            camera_xml("bed", (x + 0.22 * size, y - 0.34 * size, 0.38 * size),
                       (x, y, 0.06 * size))]


def scene_xml(layout, arm, start, rows, loop_from, track_name):
    lines = [
        "<!-- Generated by make_stir.py; edit that script instead. -->",
        '<mujoco model="stir">',
        '  <compiler angle="radian" autolimits="true"/>',
        '  <option timestep="0.01" integrator="implicitfast"/>',
        "",
        "  <!-- Collisions: spheres with spheres, box and tool; tool with box. The links of the",
        "       arm do not collide. -->",
        "  <default>",
        f'    <geom condim="3" friction="{number(FRICTION)} 0.005 0.0001"/>',
        '    <default class="grain">',
        f'      <geom type="sphere" size="{number(SPHERE_RADIUS)}" mass="{number(SPHERE_MASS)}" '
        'contype="1" conaffinity="1"/>',
    ]
    lines += [f'      <default class="{name}"><geom rgba="{rgba}"/></default>'
              for name, rgba in LAYERS]
    lines += [
        "    </default>",
        '    <default class="box">',
        '      <geom contype="2" conaffinity="1" rgba="0.55 0.65 0.8 0.25"/>',
        "    </default>",
    ]
    lines += panda_arm.defaults_xml() if arm else []
    lines += ["  </default>", "", "  <worldbody>"]
    lines += cameras_xml(layout)
    lines += box_xml(layout)
    lines += panda_arm.bodies_xml(arm, start) if arm else []
    for i, pos in enumerate(layout.sphere_positions()):
        lines.append(f'    <body name="s{i:03d}" pos="{numbers(pos)}">'
                     f'<freejoint/><geom class="{layout.layer(i)}"/></body>')
    lines.append("  </worldbody>")
    if arm:
        lines += ["", "  <actuator>"] + panda_arm.actuators_xml() + ["  </actuator>"]
        lines += ["", "  <keyframe>", f'    <key name="home" ctrl="{numbers(rows[0])}"/>',
                  "  </keyframe>"]
        lines += ["", '  <tenon substeps="2">', f'    <track file="{track_name}" loop_from="{loop_from}"/>',
                  "  </tenon>"]
    return "\n".join(lines + ["</mujoco>", ""])


def main():
    parser = parser_for("stir", "the granular stirring scene")
    parser.add_argument("--spheres", type=int, default=216, metavar="N",
                        help="how many (default 216); the box grows with them")
    parser.add_argument("--no-arm", action="store_true",
                        help="spheres and box only, no control track")
    args = parser.parse_args()
    if args.spheres < 1:
        parser.error("--spheres needs at least one")
    track = track_path(parser, args)
    layout = Layout(args.spheres)
    arm, start, rows, loop_from = None, [], [], -1
    if not args.no_arm:
        arm = panda_arm.Arm(layout.base, layout.rod_length)
        start, rows, loop_from = plan(layout, arm)
        write(track, track_csv(panda_arm.ACTUATORS, rows, ROW_TIME))
    write(args.output, scene_xml(layout, arm, start, rows, loop_from, os.path.basename(track)))


if __name__ == "__main__":
    main()
