#!/usr/bin/env python3
"""Writes the beam scene: beam.xml (MJCF) and beam_track.csv (its control track).

The arm of panda_arm.py holds one end of a soft beam, pushes it through the gap between two blocks,
which is narrower than the beam, and out at the other side; then it bends what is left to the side and
back. Standard library only; the same options always give the same files.

  mesh       43 x 5 x 5 cells of six tetrahedra, nearly cubes: 1584 nodes and 6450 tetrahedra, close
             to the 1591 and 6347 of the paper
  hand       holds the nodes of the end face; its fingers are drawn only
  path       along x at one height, the hand level, then sideways
  track      c = q + ((kv + damping) q' + torque of arm's and beam's weight) / kp
"""

import math
import os

import panda_arm
from panda_arm import FLANGE, mat_mul, number, numbers, rot_z
from scene_parts import camera_xml, ease, parser_for, track_csv, track_path, write

SIZE = (0.5, 0.05, 0.05)    # m
CELLS_PER_LENGTH = 8.6      # along, for each across: nearly cubes
DENSITY = 1000.0            # kg / m^3
POISSON = 0.45
DAMPING_TIME = 0.01         # s
FRICTION = 0.2

HEIGHT = 0.65               # m, of the beam's axis
START, WAY = 0.40, 0.34     # m: the held end's x, and how far it is pushed
ASIDE = 0.05                # m, sideways at the end
GAP_AT = 0.97               # m, middle of the blocks
ROUND = 0.04                # m, radius of the blocks' noses, and half their width
BLOCK_DEPTH = 0.05          # m, from the nose's axis backwards
BLOCK_LOW, BLOCK_HIGH = 0.53, 0.75  # m

ROW_TIME = 0.04             # s between rows of the track
SAG_TIME = 0.8              # s until the push begins
BEND_TIME = 1.2             # s there, and as much back
REST_TIME = 0.6             # s at the end
TOP_SPEED = 15 / 8          # of ease(), per mean speed

REST = (0.0, 0.2, 0.0, -2.0, 0.0, 3.5, math.pi / 4)
# the tool's z along x, its x upright; the turn about z is the one that REST has
LEVEL = mat_mul([[0, 0, 1], [0, -1, 0], [1, 0, 0]], rot_z(REST[6]))


class Hand(panda_arm.Arm):
    """A mount, a palm, and two fingers beside the beam's end."""

    tool_name = "hand"
    reach = 0.09         # m beyond the flange: the beam's end face
    palm = 0.4           # kg
    finger = 0.08        # kg each

    def __init__(self):
        super().__init__(0.0, self.reach)

    def tool(self):
        return [("mount", 0.0, 0.03, 0.025, panda_arm.MOUNT_MASS)]

    def tool_xml(self):
        turn = f'quat="{numbers((math.cos(REST[6] / 2), 0, 0, -math.sin(REST[6] / 2)))}"'
        # in the body that is turned back, y is level
        lines = super().tool_xml()
        lines.append(f'<geom name="palm" type="box" {turn} pos="0 0 0.07" size="0.028 0.044 0.02" '
                     f'mass="{number(self.palm)}"/>')
        c = math.sqrt(0.5)
        for name, side in (("left", 1), ("right", -1)):
            y = side * (SIZE[1] / 2 + 0.006)
            lines.append(f'<geom name="{name}_finger" type="box" {turn} '
                         f'pos="{numbers((c * y, c * y, 0.1))}" size="0.018 0.006 0.018" '
                         f'mass="{number(self.finger)}"/>')
        return lines

    def loads(self):
        beam = DENSITY * math.prod(SIZE)
        return super().loads() + [(0.07, self.palm), (0.1, 2 * self.finger),
                                  (self.reach + SIZE[0] / 2, beam)]


def times(speed):
    """When the push begins and ends, the bend begins and is back, and the track ends."""
    pushed = SAG_TIME + TOP_SPEED * WAY / speed
    return SAG_TIME, pushed, pushed + 0.2, pushed + 0.2 + 2 * BEND_TIME, \
        pushed + 0.2 + 2 * BEND_TIME + REST_TIME


def held_end(t, speed):
    """Where the beam's held end shall be."""
    begin, pushed, bend, back, _ = times(speed)
    aside = ease(t, (bend, bend + BEND_TIME)) - ease(t, (back - BEND_TIME, back))
    return [START + WAY * ease(t, (begin, pushed)), ASIDE * aside, HEIGHT]


def plan(arm, speed):
    """(angles at the start, rows of controls)."""
    path, q = [], list(REST)
    count = math.ceil(times(speed)[-1] / ROW_TIME) + 1
    for k in range(-1, count + 1):
        q = arm.inverse(held_end(k * ROW_TIME, speed), q, REST, LEVEL)
        path.append(q)
    rows = []
    for before, at, after in zip(path, path[1:], path[2:]):
        rate = [(b - a) / (2 * ROW_TIME) for a, b in zip(before, after)]
        rows.append(arm.controls(at, rate))
    return path[0], rows


def blocks_xml(gap):
    """Two blocks with round noses on two stands. The beam meets the noses only: at a corner flush with
    them it would be caught."""
    lines = []
    middle, half = (BLOCK_LOW + BLOCK_HIGH) / 2, (BLOCK_HIGH - BLOCK_LOW) / 2
    for name, side in (("left", 1), ("right", -1)):
        axis = (GAP_AT, side * (gap / 2 + ROUND))
        y = axis[1] + side * BLOCK_DEPTH / 2
        lines += [
            f'    <geom name="{name}_nose" class="block" type="cylinder" '
            f'pos="{numbers((*axis, middle))}" size="{numbers((ROUND, half))}"/>',
            f'    <geom name="{name}_block" class="block" type="box" '
            f'pos="{numbers((GAP_AT, y, middle))}" '
            f'size="{numbers((ROUND, BLOCK_DEPTH / 2, half))}"/>',
            f'    <geom class="drawn" type="box" pos="{numbers((GAP_AT, y, BLOCK_LOW / 2))}" '
            f'size="{numbers((0.6 * ROUND, 0.6 * BLOCK_DEPTH / 2, BLOCK_LOW / 2))}" '
            'rgba="0.55 0.58 0.63 1"/>']
    lines.append(f'    <geom class="drawn" type="box" pos="{number(GAP_AT)} 0 0.01" '
                 'size="0.09 0.17 0.01" rgba="0.42 0.46 0.52 1"/>')
    return lines


def soft_xml(young, across):
    cells = (round(CELLS_PER_LENGTH * across), across, across)
    half = [s / 2 for s in SIZE]
    middle = (START + half[0], 0, HEIGHT)
    face = (START, 0, HEIGHT, 0.001, half[1], half[2])
    return [
        f'    <soft name="beam" box="{numbers(half)}" cells="{numbers(cells)}" '
        f'pos="{numbers(middle)}"',
        f'      young="{number(young)}" poisson="{number(POISSON)}" density="{number(DENSITY)}" '
        f'damping="{number(DAMPING_TIME)}"',
        f'      contype="1" conaffinity="2" friction="{number(FRICTION)} 0 0" '
        'rgba="0.90 0.45 0.12 1">',
        f'      <hold body="hand" box="{numbers(face)}"/>',
        "    </soft>",
    ]


def scene_xml(args, arm, start, track_name):
    lines = [
        "<!-- Generated by make_beam.py; edit that script instead. -->",
        '<mujoco model="beam">',
        '  <compiler angle="radian" autolimits="true"/>',
        f'  <option timestep="{number(args.timestep)}"/>',
        '  <statistic center="0.6 0 0.5" extent="1.2"/>',
        "",
        "  <!-- Collisions: beam with blocks and ground. The arm does not collide. -->",
        "  <default>",
        f'    <geom condim="3" friction="{number(FRICTION)} 0 0"/>',
        '    <default class="block">',
        '      <geom contype="2" conaffinity="1" rgba="0.30 0.42 0.58 1"/>',
        "    </default>",
        '    <default class="drawn">',
        '      <geom contype="0" conaffinity="0"/>',
        "    </default>",
    ]
    lines += panda_arm.defaults_xml(tool="0", meets="0")
    lines += ["  </default>", "", "  <worldbody>",
              camera_xml("overview", (1.62, -1.12, 1.06), (0.58, 0.0, 0.52)),
              camera_xml("gap", (1.42, -0.36, 0.93), (0.98, 0.0, 0.64)),
              camera_xml("above", (0.85, -0.05, 2.0), (0.85, 0.0, 0.65)),
              '    <geom name="ground" type="plane" size="0 0 0.05" contype="2" conaffinity="1" '
              'rgba="0.80 0.82 0.85 1"/>']
    lines += blocks_xml(args.gap)
    lines += panda_arm.bodies_xml(arm, start)
    lines += ["  </worldbody>", "", "  <actuator>"] + panda_arm.actuators_xml()
    lines += ["  </actuator>", "", "  <tenon>"] + soft_xml(args.young, args.across)
    lines += [f'    <track file="{track_name}"/>', "  </tenon>"]
    return "\n".join(lines + ["</mujoco>", ""])


def main():
    parser = parser_for("beam", "the beam scene")
    parser.add_argument("--speed", type=float, default=0.15, metavar="V",
                        help="of the push, at its fastest, in m/s (default 0.15)")
    parser.add_argument("--young", type=float, default=1e7, metavar="E",
                        help="the beam's modulus in Pa (default 1e7)")
    parser.add_argument("--gap", type=float, default=0.049, metavar="W",
                        help="between the blocks, in m (default 0.049)")
    parser.add_argument("--across", type=int, default=5, metavar="N",
                        help="cells across the beam (default 5; 8.6 times as many along)")
    parser.add_argument("--timestep", type=float, default=0.01, metavar="S",
                        help="in s (default 0.01)")
    args = parser.parse_args()
    if not min(args.speed, args.young, args.gap, args.across, args.timestep) > 0:
        parser.error("--speed, --young, --gap, --across and --timestep must be above 0")
    track = track_path(parser, args)
    arm = Hand()
    start, rows = plan(arm, args.speed)
    write(track, track_csv(panda_arm.ACTUATORS, rows, ROW_TIME))
    write(args.output, scene_xml(args, arm, start, os.path.basename(track)))


if __name__ == "__main__":
    main()
