#!/usr/bin/env python3
"""Writes the cable scene: cable.xml (MJCF) and cable_track.csv (its control track).

Two mobile manipulators of mobile_arm.py hold the ends of a cable and wind it around a post, in
opposite senses, as dancers do around a maypole. Standard library only; the same options always give
the same files.

  cable      1.2 m long, 8 mm thick, of 640 segments; straight at the start, south of the post
  sides      robot `a_` starts in the west and goes round clockwise on the inner circle, its
             gripper low; `b_` starts in the east and goes counter-clockwise on the outer circle,
             its gripper high, so that its arm passes over the other robot
  paths      Seen from a frame that turns about the post with a robot, its gripper only draws near:
             what is wound up is missing outside. The base goes round with that frame, on a
             circle about the post, heading along it.
"""

import math
import os

import mobile_arm
from panda_arm import mat_mul, mat_vec, number, numbers, rot_z
from scene_parts import camera_xml, ease, parser_for, track_path, write

LENGTH = 1.2           # m
CABLE_RADIUS = 0.004   # m
FRICTION = 0.5
YOUNG = 1e5            # Pa
POISSON = 0.49
DENSITY = 1000.0       # kg / m^3
DAMPING_TIME = 0.01    # s

POST_RADIUS = 0.05     # m
POST_HEIGHT = 1.15     # m
ROUND = POST_RADIUS + CABLE_RADIUS  # m, radius of the wound cable's centre line

ROW_TIME = 0.04        # s between rows of the track
DRAW_TIME = (0.0, 1.6)     # s: the arms draw the cable taut and to their heights
WIND_TIME = (0.8, 9.6)     # s: the robots go round
END_TIME = 11.0
STRETCH = 0.03         # strain that the arms aim at, beside what the cable's own weight does
START_HEIGHT = 0.74    # m


class Side:
    """One robot: where it starts, and how it goes round."""

    def __init__(self, prefix, sign, turn, circle, height, tilt, start_free, rest, paint):
        self.prefix = prefix
        self.sign = sign              # -1: starts in the west; +1: in the east
        self.turn = turn              # rad, counter-clockwise
        self.circle = circle          # m, radius of the base's path
        self.height = height          # m, of the gripper while it winds
        self.tilt = tilt              # rad, by which the gripper then looks down along the cable
        self.start_free = start_free  # m of cable between the post and the gripper at the start
        self.rest = rest
        self.paint = paint

    def pose(self, t):
        """(base's x, y, yaw; the tip's position and rotation in the base's frame)."""
        angle = self.turn * ease(t, WIND_TIME)
        taut = ease(t, DRAW_TIME)
        free = (self.start_free - ROUND * abs(angle)) * (1 + STRETCH * taut)
        height = START_HEIGHT + (self.height - START_HEIGHT) * taut
        # in the frame that turns about the post: the cable runs along x
        grip = [self.sign * free, -ROUND - 0.001, height]
        base = [self.sign * self.circle, 0.0, 0.0]
        # the gripper's z looks along the cable to the post; the fingers' way y is upright where the
        # arm lies level, level where it stands upright
        axes = [[0, 0, 1], [1, 0, 0], [0, 1, 0]] if self.sign < 0 else \
               [[0, 0, -1], [0, -1, 0], [-1, 0, 0]]
        axes = mat_mul(mobile_arm.rot_y(-self.sign * self.tilt * taut), axes)
        to_base = rot_z(-math.pi / 2)  # both start facing north
        x, y, _ = mat_vec(rot_z(angle), base)
        return ((x, y, math.pi / 2 + angle),
                mat_vec(to_base, [g - b for g, b in zip(grip, base)]), mat_mul(to_base, axes))


def sides():
    a_turn, b_turn = math.radians(-210.0), math.radians(180.0)
    share = 0.5 * (LENGTH + ROUND * (abs(a_turn) - abs(b_turn)))
    # postures: the lower arm keeps its elbow ahead and level, the upper one its elbow up
    return [Side("a_", -1, a_turn, 0.94, 0.60, 0.35, share,
                 (-0.45, 1.5, 1.5, -2.2, 0.0, 1.1, 0.0), "0.96 0.72 0.10 1"),
            Side("b_", 1, b_turn, 1.44, 0.80, 0.30, LENGTH - share,
                 (1.57, 0.5, 0.0, 1.5, 0.0, -0.4, 0.0), "0.13 0.44 0.74 1")]


# ---- the plan ------------------------------------------------------------------------------------

def plan(side):
    """Ten joint values per row, from the row before the start to the one after the end."""
    rows, seed = [], side.rest
    for k in range(-1, round(END_TIME / ROW_TIME) + 2):
        base, pos, rot = side.pose(k * ROW_TIME)
        seed = mobile_arm.inverse(pos, rot, seed, side.rest)
        rows.append(list(base) + seed)
    return rows


def track_csv(both):
    names = [side.prefix + name for side, _ in both for name in mobile_arm.JOINT_NAMES]
    lines = ["time," + ",".join(names)]
    for k in range(round(END_TIME / ROW_TIME) + 1):
        row = []
        for _, path in both:
            row += mobile_arm.controls(path[k], path[k + 1], path[k + 2], ROW_TIME)
        lines.append(f"{k * ROW_TIME:.2f}," + ",".join(f"{c:.7g}" for c in row))
    return "\n".join(lines + [""])


# ---- MJCF ----------------------------------------------------------------------------------------

def cable_xml(start, segments):
    """Straight along x from `start`; its stiffness stands in <tenon>."""
    return [
        f'    <composite type="cable" prefix="cable" curve="s 0 0" count="{segments + 1} 1 1" '
        f'size="{number(LENGTH)}"',
        f'      offset="{numbers(start)}" initial="free">',
        f'      <geom type="capsule" size="{number(CABLE_RADIUS)}" density="{number(DENSITY)}" '
        f'condim="3" friction="{number(FRICTION)} 0 0"',
        '        contype="1" conaffinity="3" rgba="0.85 0.10 0.08 1"/>',
        "    </composite>",
    ]


def scene_xml(both, segments, track_name):
    west = both[0][0]
    start = [-west.start_free, -ROUND - 0.001, START_HEIGHT]
    lines = [
        "<!-- Generated by make_cable.py; edit that script instead. -->",
        '<mujoco model="cable">',
        '  <compiler angle="radian" autolimits="true"/>',
        '  <option timestep="0.01"/>',
        '  <extension><plugin plugin="mujoco.elasticity.cable"/></extension>',
        '  <statistic center="0 0 0.5" extent="2.5"/>',
        "",
        "  <!-- Collisions: cable with itself, post and ground. The robots do not collide. -->",
        "  <default>",
        f'    <geom condim="3" friction="{number(FRICTION)} 0 0"/>',
    ]
    lines += mobile_arm.defaults_xml()
    lines += ["  </default>", "", "  <worldbody>",
              camera_xml("overview", (0.90, -2.80, 1.65), (0.10, 0.0, 0.40)),
              camera_xml("close", (0.35, -0.72, 0.95), (0.0, 0.0, 0.60)),
              camera_xml("above", (0.0, -0.45, 5.6), (0.0, 0.0, 0.4)),
              '    <geom name="ground" type="plane" size="0 0 0.05" contype="2" conaffinity="1" '
              'rgba="0.80 0.82 0.85 1"/>',
              f'    <geom name="post" type="cylinder" pos="0 0 {number(POST_HEIGHT / 2)}" '
              f'size="{number(POST_RADIUS)} {number(POST_HEIGHT / 2)}" contype="2" conaffinity="1" '
              'rgba="0.55 0.60 0.66 1"/>',
              '    <geom type="cylinder" pos="0 0 0.01" size="0.16 0.01" contype="0" '
              'conaffinity="0" rgba="0.42 0.46 0.52 1"/>']
    for side, path in both:
        lines += mobile_arm.robot_xml(side.prefix, path[1], side.paint)
    lines += cable_xml(start, segments)
    lines += ["  </worldbody>", "", "  <equality>",
              '    <weld body1="a_gripper" body2="cableB_first"/>',
              '    <weld body1="b_gripper" body2="cableB_last"/>', "  </equality>"]
    lines += ["", "  <actuator>"]
    for side, _ in both:
        lines += mobile_arm.actuators_xml(side.prefix)
    lines += ["  </actuator>", "", "  <tenon>",
              f'    <rod name="cable" young="{number(YOUNG)}" poisson="{number(POISSON)}" '
              f'damping="{number(DAMPING_TIME)}"/>',
              mobile_arm.skate_xml("a_"), mobile_arm.skate_xml("b_"),
              f'    <track file="{track_name}"/>', "  </tenon>"]
    return "\n".join(lines + ["</mujoco>", ""])


def main():
    parser = parser_for("cable", "the cable scene")
    parser.add_argument("--segments", type=int, default=640, metavar="N",
                        help="of the cable (default 640)")
    args = parser.parse_args()
    if args.segments < 2:
        parser.error("--segments needs two at least")
    track = track_path(parser, args)
    both = [(side, plan(side)) for side in sides()]
    write(track, track_csv(both))
    write(args.output, scene_xml(both, args.segments, os.path.basename(track)))


if __name__ == "__main__":
    main()
