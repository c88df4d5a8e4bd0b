#!/usr/bin/env python3
"""Writes the knot scene: knot.xml (MJCF) and knot_track.csv (its control track).

A cable lies on the ground as a loose overhand knot. Two sliders draw its ends apart until the knot
is tight, then give way a little: friction keeps it. Standard library only; always the same files.

  shape      the middle is a trefoil, (sin t + 2 sin 2t, cos t - 2 cos 2t, -sin 3t), open where its
             third lobe would be. Each end goes on in an arc and then straight, one to the left, one
             to the right; the left half is the right one turned by half a turn about the y axis.
  stiffness  A cable of solid material cannot be knotted tightly: bent to a radius of 1.5 of its own
             it pulls as if it were stretched by a ninth. Ropes bend more easily than that; this one
             bends like a material of 1/20 of the modulus against stretch.
"""

import math
import os

from panda_arm import number, numbers
from scene_parts import camera_xml, ease, parser_for, track_path, write

SEGMENTS = 320
RADIUS = 0.006          # m
SCALE = 0.036           # m per unit of the trefoil
OPEN = 0.55             # rad of the trefoil's parameter, left out on each side of the third lobe
ARC = 0.07              # m, radius of the arcs at its ends
TAIL = 0.16             # m, straight ends
LIFT = 0.6              # share of SCALE by which the strands lie above each other
FRICTION = 0.5
STRETCH_MODULUS = 4e6   # Pa
BEND_MODULUS = 2e5      # Pa, also against twist
DENSITY = 1000.0        # kg / m^3
DAMPING_TIME = 0.01     # s

TIMESTEP = 0.005        # s
PULL = (0.4, 5.0)       # s
RELAX = (6.0, 6.8)
END_TIME = 8.0
WAY = 0.365             # m that each slider goes outwards
BACK = 0.025            # m that it then gives way
KP, KV, FORCE = 4000.0, 400.0, 40.0


def right_half():
    """Points from the middle of the knot, where x = 0, to the right end."""
    points = []
    steps = 2000
    for k in range(steps + 1):
        t = 2 * math.pi + (math.pi - OPEN) * (-k / steps)  # from the top down to the right strand
        points.append([SCALE * (math.sin(t) + 2 * math.sin(2 * t)),
                       SCALE * (math.cos(t) - 2 * math.cos(2 * t)),
                       -LIFT * SCALE * math.sin(3 * t)])
    (x0, y0, z), (x, y, _) = points[-1], points[-2]
    heading = math.atan2(y0 - y, x0 - x)
    centre = [x0 - ARC * math.sin(heading), y0 + ARC * math.cos(heading)]
    turn = -heading % (2 * math.pi)  # counter-clockwise until it heads along x
    for k in range(1, steps + 1):
        a = heading + turn * k / steps
        points.append([centre[0] + ARC * math.sin(a), centre[1] - ARC * math.cos(a),
                       z * (1 - ease(k / steps, (0, 1)))])
    x0, y0, _ = points[-1]
    for k in range(1, steps + 1):
        points.append([x0 + TAIL * k / steps, y0, 0.0])
    return points


def resample(points, count):
    """`count` points at equal distances along the line."""
    along = [0.0]
    for a, b in zip(points, points[1:]):
        along.append(along[-1] + math.dist(a, b))
    out, k = [], 0
    for i in range(count):
        s = along[-1] * i / (count - 1)
        while k < len(points) - 2 and along[k + 1] < s:
            k += 1
        u = (s - along[k]) / (along[k + 1] - along[k])
        out.append([a + u * (b - a) for a, b in zip(points[k], points[k + 1])])
    return out


def centre_line():
    """The cable's points from left to right, above the ground."""
    right = right_half()
    left = [[-x, y, -z] for x, y, z in reversed(right[1:])]
    points = resample(left + right, SEGMENTS + 1)
    low = min(p[2] for p in points)
    tail = points[0][1]
    return [[x, y - tail, z - low + RADIUS + 0.0005] for x, y, z in points]


def slider_xml(name, at, sign):
    """A block on a rail along x that holds an end."""
    x, y, z = at
    return [
        f'    <body name="{name}" pos="{numbers(at)}">',
        f'      <joint name="{name}" type="slide" axis="{sign} 0 0"/>',
        f'      <geom class="drawn" type="box" pos="{number(sign * 0.022)} 0 0" '
        'size="0.028 0.022 0.016" mass="2" rgba="0.20 0.24 0.30 1"/>',
        f'      <geom class="drawn" type="box" '
        f'pos="{number(sign * 0.022)} 0 {number(-z / 2 - 0.004)}" '
        f'size="0.02 0.016 {number(z / 2 - 0.006)}" mass="0" rgba="0.45 0.50 0.58 1"/>',
        "    </body>",
        '    <geom class="drawn" type="box" '
        f'pos="{number(x + sign * (WAY / 2 + 0.02))} {number(y)} 0.002" '
        f'size="{number(WAY / 2 + 0.06)} 0.008 0.002" rgba="0.45 0.50 0.58 1"/>',
    ]


def scene_xml(points, track_name):
    vertices = "\n".join("        " + numbers([round(c, 6) for c in p]) for p in points)
    lines = [
        "<!-- Written by make_knot.py; change that instead. -->",
        '<mujoco model="knot">',
        '  <compiler angle="radian" autolimits="true"/>',
        f'  <option timestep="{number(TIMESTEP)}"/>',
        '  <extension><plugin plugin="mujoco.elasticity.cable"/></extension>',
        '  <statistic center="0 0 0.05" extent="0.6"/>',
        "  <default>",
        '    <default class="drawn"><geom contype="0" conaffinity="0"/></default>',
        "  </default>",
        "",
        "  <worldbody>",
        camera_xml("overview", (0.10, -0.95, 0.62), (0.01, 0.05, 0.0)),
        camera_xml("close", (0.05, -0.20, 0.14), (0.0, 0.0, 0.015)),
        f'    <geom name="ground" type="plane" size="0 0 0.05" contype="2" conaffinity="1" '
        f'condim="3" friction="{number(FRICTION)} 0 0" rgba="0.92 0.92 0.90 1"/>',
    ]
    lines += slider_xml("left", points[0], -1) + slider_xml("right", points[-1], 1)
    lines += [
        '    <composite type="cable" prefix="rope" initial="free" vertex="',
        vertices + '">',
        '      <plugin plugin="mujoco.elasticity.cable">',
        f'        <config key="bend" value="{number(BEND_MODULUS)}"/>',
        f'        <config key="twist" value="{number(BEND_MODULUS)}"/>',
        '        <config key="flat" value="true"/>',
        "      </plugin>",
        f'      <geom type="capsule" size="{number(RADIUS)}" density="{number(DENSITY)}" '
        'contype="1" conaffinity="3"',
        f'        condim="3" friction="{number(FRICTION)} 0 0" rgba="0.90 0.36 0.10 1"/>',
        "    </composite>",
        "  </worldbody>",
        "",
        "  <equality>",
        '    <weld body1="left" body2="ropeB_first"/>',
        '    <weld body1="right" body2="ropeB_last"/>',
        "  </equality>",
        "",
        "  <actuator>",
    ]
    for name in ("left", "right"):
        lines.append(f'    <position name="{name}" joint="{name}" kp="{number(KP)}" '
                     f'kv="{number(KV)}" forcerange="{numbers((-FORCE, FORCE))}"/>')
    lines += ["  </actuator>", "", "  <tenon>",
              f'    <rod name="rope" young="{number(STRETCH_MODULUS)}" '
              f'damping="{number(DAMPING_TIME)}"/>',
              f'    <track file="{track_name}"/>', "  </tenon>"]
    return "\n".join(lines + ["</mujoco>", ""])


def track_csv():
    """Both sliders go the same way; the targets lead by the servos' lag."""
    lines = ["time,left,right"]

    def way(t):
        return WAY * ease(t, PULL) - BACK * ease(t, RELAX)

    for k in range(round(END_TIME / 0.05) + 1):
        t = 0.05 * k
        target = way(t) + KV / KP * (way(t + 0.025) - way(t - 0.025)) / 0.05
        lines.append(f"{t:.2f},{number(target)},{number(target)}")
    return "\n".join(lines + [""])


def main():
    parser = parser_for("knot", "the knot scene")
    args = parser.parse_args()
    track = track_path(parser, args)
    write(track, track_csv())
    write(args.output, scene_xml(centre_line(), os.path.basename(track)))


if __name__ == "__main__":
    main()
