"""A mobile manipulator of ten joints, for the scene generators: a wheeled base with an arm.

  base       slides x, y and hinge yaw, so that its pose is (x, y, yaw) in the world; a box on four
             drawn wheels. A skate in its middle keeps it from moving sideways.
  arm        of our own design: seven hinges, turning and bending in turn, like most such arms; the
             shoulder, the elbow and the wrist are points where axes meet; 1.04 m from the
             shoulder to the fingertips. Straight up with all angles zero, every frame is parallel
             to the base's, so a link is an offset along z and an axis.
  gripper    two drawn fingers; the tip is between their ends, its z axis points out of them
  inverse    damped least squares for the tip's pose in the base's frame; the freedom that is left
  kinematics (where the elbow goes) is pulled towards a rest posture
  controls   a servo gives kp (c - q) - kv q'. Its lag, the weight and the motion's own forces are
             known beforehand, so c = q + ((kv + damping) q' + force) / kp makes the robot follow q
  start      every joint has `ref` = its initial value, so that the reference pose is the start

Vectors are lists, matrices lists of rows.
"""

import math

from panda_arm import (add, capsule_xml, column, cross, dot, mat_mul, mat_vec, number, numbers,
                       rot_z, solve, sub)

# ---- the design ----------------------------------------------------------------------------------

BASE_SIZE = (0.60, 0.30, 0.14)   # m: length, width between the wheels, height of the box
BASE_HEIGHT = 0.19               # m, of the box's centre
BASE_MASS = 45.0                 # kg, wheels included: battery, motors, frame
WHEEL_RADIUS = 0.11              # m
WHEEL_WIDTH = 0.05
WHEEL_AT = (0.19, 0.18)          # forward and sideways
MOUNT = (0.0, 0.13, 0.26)        # m: where the arm stands in the base's frame, left of the middle
TIP = 0.14                       # m beyond the last joint

# Links from the base out: offset along z (m), axis, range (rad), kp (N m / rad), force limit (N m),
# colour class, and capsules (start, end, radius, mass) in the link's frame
Z, Y = (0, 0, 1), (0, 1, 0)
LINKS = [
    (0.12, Z, 2.95, 3000.0, 150.0, "shell", [((0, 0, -0.06), (0, 0, 0.10), 0.060, 3.0)]),
    (0.20, Y, 2.10, 3000.0, 150.0, "trim", [((0, -0.045, 0), (0, 0.045, 0), 0.062, 1.4),
                                            ((0, 0, 0.02), (0, 0, 0.15), 0.052, 1.8)]),
    (0.22, Z, 2.95, 2500.0, 100.0, "shell", [((0, 0, -0.04), (0, 0, 0.11), 0.050, 2.2)]),
    (0.20, Y, 2.70, 2500.0, 100.0, "trim", [((0, -0.04, 0), (0, 0.04, 0), 0.055, 1.0),
                                            ((0, 0, 0.02), (0, 0, 0.15), 0.045, 1.2)]),
    (0.22, Z, 2.95, 1200.0, 50.0, "shell", [((0, 0, -0.04), (0, 0, 0.12), 0.043, 1.5)]),
    (0.20, Y, 2.20, 1200.0, 50.0, "trim", [((0, -0.03, 0), (0, 0.03, 0), 0.045, 0.9)]),
    (0.06, Z, 2.95, 800.0, 20.0, "shell", [((0, 0, -0.005), (0, 0, 0.02), 0.036, 0.5)]),
]
PALM = ((0, 0, 0.070), (0.018, 0.040, 0.018), 0.30)       # centre, half sizes, mass
FINGER = ((0, 0.0085, 0.114), (0.009, 0.0045, 0.030), 0.03)  # the left one
JOINT_NAMES = ("x", "y", "yaw", "j1", "j2", "j3", "j4", "j5", "j6", "j7")
BASE_SERVOS = ((20000.0, 2000.0, 400.0), (20000.0, 2000.0, 400.0), (4000.0, 400.0, 200.0))
KV_PER_KP = 0.1  # s, of the arm's servos
ARMATURE = 0.1   # kg m^2, of the arm's joints
DAMPING = 1.0    # N m s / rad
GRAVITY = 9.81   # m / s^2


def kp_kv_damping(j):
    """Gains and joint damping of joint j of ten."""
    if j < 3:
        return BASE_SERVOS[j][0], BASE_SERVOS[j][1], 0.0
    kp = LINKS[j - 3][3]
    return kp, KV_PER_KP * kp, DAMPING


# ---- kinematics ----------------------------------------------------------------------------------

def rot_y(t):
    c, s = math.cos(t), math.sin(t)
    return [[c, 0, s], [0, 1, 0], [-s, 0, c]]


def arm_frames(q):
    """[(rotation, position)] of the seven links in the base's frame, for seven angles."""
    rot, pos, out = rot_z(0.0), list(MOUNT), []
    for (offset, axis, *_), angle in zip(LINKS, q):
        pos = add(pos, mat_vec(rot, [0, 0, offset]))
        rot = mat_mul(rot, rot_z(angle) if axis == Z else rot_y(angle))
        out.append((rot, pos))
    return out


def axis_of(i, rot):
    """The axis of the arm's joint i; its own turn does not move it."""
    return column(rot, 2 if LINKS[i][1] == Z else 1)


def tip(frames):
    rot, pos = frames[-1]
    return add(pos, mat_vec(rot, [0, 0, TIP]))


def rotation_error(rot, goal):
    """Rotation vector that turns rot into goal."""
    turn = mat_mul(goal, [list(r) for r in zip(*rot)])
    s = [turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]]
    sine = 0.5 * math.sqrt(dot(s, s))
    angle = math.atan2(sine, 0.5 * (turn[0][0] + turn[1][1] + turn[2][2] - 1))
    return [0.5 * x * (angle / sine if sine > 1e-9 else 1.0) for x in s]


def inverse(goal_pos, goal_rot, seed, rest):
    """Seven angles that put the tip there (in the base's frame), as near to `rest` as can be."""
    q, error = list(seed), [math.inf]
    for _ in range(2000):
        frames = arm_frames(q)
        at = tip(frames)
        error = sub(goal_pos, at) + rotation_error(frames[-1][0], goal_rot)
        jacobian = []  # one entry per joint: motion of the tip, rotation
        for i, (rot, pos) in enumerate(frames):
            axis = axis_of(i, rot)
            jacobian.append(cross(axis, sub(at, pos)) + axis)
        # step = J' (J J' + damping)^-1 (error - J pull) + pull: the tip does not see the pull
        pull = [0.5 * (a - b) for a, b in zip(rest, q)]
        gram = [[sum(c[i] * c[k] for c in jacobian) for k in range(6)] for i in range(6)]
        for i in range(6):
            gram[i][i] += 1e-10
        seen = [sum(c[i] * x for c, x in zip(jacobian, pull)) for i in range(6)]
        y = solve(gram, sub(error, seen))
        step = [dot(c, y) + x for c, x in zip(jacobian, pull)]
        largest = max(abs(s) for s in step)
        shorten = 0.1 / max(0.1, largest)
        q = [a + shorten * s for a, s in zip(q, step)]
        if largest < 1e-12:
            break
    if max(abs(e) for e in error) > 1e-8:
        raise SystemExit(f"no joint angles reach {goal_pos}: error {error}")
    for i, angle in enumerate(q):
        if abs(angle) > LINKS[i][2]:
            raise SystemExit(f"joint {i + 1} of {q} for {goal_pos} leaves its range")
    return q


def masses(q):
    """[(first joint that does not move it, mass, point in the world)] of all parts; q has ten."""
    x, y, yaw = q[:3]
    turn = rot_z(yaw)
    parts = [(3, BASE_MASS, [0.0, 0.0, BASE_HEIGHT])]
    frames = arm_frames(q[3:])
    for i, (rot, pos) in enumerate(frames):
        for start, end, _, mass in LINKS[i][6]:
            middle = [0.5 * (a + b) for a, b in zip(start, end)]
            parts.append((i + 4, mass, add(pos, mat_vec(rot, middle))))
    rot, pos = frames[-1]
    for centre, mass in ((PALM[0], PALM[2]), ((0, 0, FINGER[0][2]), 2 * FINGER[2])):
        parts.append((10, mass, add(pos, mat_vec(rot, centre))))
    return [(j, mass, add([x, y, 0.0], mat_vec(turn, at))) for j, mass, at in parts]


def forces(before, q, after, h):
    """Joint forces of the motion through three rows h apart: weight and inertia of point masses."""
    accelerated = []
    for (j, mass, a), (_, _, b), (_, _, c) in zip(masses(before), masses(q), masses(after)):
        force = [mass * (u - 2 * v + w) / h ** 2 for u, v, w in zip(a, b, c)]
        accelerated.append((j, b, add(force, [0, 0, mass * GRAVITY])))
    turn, base = rot_z(q[2]), [q[0], q[1], 0.0]
    hinges = [([0, 0, 1], base)]
    for i, (rot, pos) in enumerate(arm_frames(q[3:])):
        hinges.append((mat_vec(turn, axis_of(i, rot)), add(base, mat_vec(turn, pos))))
    out = [sum(f[k] for _, _, f in accelerated) for k in range(2)]
    for j, (axis, at) in enumerate(hinges, 2):
        out.append(sum(dot(axis, cross(sub(p, at), f)) for i, p, f in accelerated if i > j))
    for j in range(3, 10):
        out[j] += ARMATURE * (before[j] - 2 * q[j] + after[j]) / h ** 2
    return out


def controls(before, q, after, h):
    """Servo targets with which the robot passes q between two rows that are h away."""
    out = []
    for j, force in enumerate(forces(before, q, after, h)):
        kp, kv, damping = kp_kv_damping(j)
        rate = (after[j] - before[j]) / (2 * h)
        out.append(q[j] + ((kv + damping) * rate + force) / kp)
    return out


# ---- MJCF ----------------------------------------------------------------------------------------

def defaults_xml():
    """The classes of the robot. Nothing of it collides."""
    drawn = 'contype="0" conaffinity="0" '
    return [
        '    <default class="robot">',
        f'      <geom {drawn}rgba="0.93 0.93 0.94 1"/>',
        f'      <joint armature="{number(ARMATURE)}" damping="{number(DAMPING)}"/>',
        '      <default class="shell"><geom rgba="0.93 0.93 0.94 1"/></default>',
        '      <default class="trim"><geom rgba="0.36 0.40 0.46 1"/></default>',
        '      <default class="dark"><geom rgba="0.16 0.17 0.19 1"/></default>',
        '      <default class="finger"><geom rgba="0.25 0.27 0.30 1"/></default>',
        "    </default>",
    ]


def box_xml(pos, half, more):
    return f'<geom type="box" {more}pos="{numbers(pos)}" size="{numbers(half)}"/>'


def base_xml(prefix, paint):
    """Box, wheels and the arm's stand; the mass sits in the boxes and the wheels."""
    length, width, height = BASE_SIZE
    lines = [
        box_xml((0, 0, BASE_HEIGHT), (length / 2, width / 2, height / 2),
                f'rgba="{paint}" mass="{number(BASE_MASS - 14)}" '),
        box_xml((0, 0, BASE_HEIGHT + height / 2), (length / 2 - 0.02, 0.215, 0.006),
                'class="dark" mass="2" '),
        box_xml((length / 2 + 0.012, 0, BASE_HEIGHT - 0.02), (0.012, width / 2 - 0.02, 0.025),
                'class="dark" mass="1" '),
        box_xml((-length / 2 - 0.012, 0, BASE_HEIGHT - 0.02), (0.012, width / 2 - 0.02, 0.025),
                'class="dark" mass="1" '),
    ]
    forward, aside = WHEEL_AT
    for name, x, y in (("fl", 1, 1), ("fr", 1, -1), ("rl", -1, 1), ("rr", -1, -1)):
        a = (x * forward, y * aside - WHEEL_WIDTH / 2, WHEEL_RADIUS)
        b = (x * forward, y * aside + WHEEL_WIDTH / 2, WHEEL_RADIUS)
        lines.append(f'<geom name="{prefix}wheel_{name}" type="cylinder" class="dark" mass="2.5" '
                     f'fromto="{numbers(a + b)}" size="{number(WHEEL_RADIUS)}"/>')
        hub = (x * forward, y * (aside + WHEEL_WIDTH / 2), WHEEL_RADIUS)
        end = (x * forward, y * (aside + WHEEL_WIDTH / 2 + 0.004), WHEEL_RADIUS)
        lines.append(f'<geom type="cylinder" class="shell" mass="0" '
                     f'fromto="{numbers(hub + end)}" size="0.045"/>')
    low = (MOUNT[0], MOUNT[1], BASE_HEIGHT + height / 2)
    high = (MOUNT[0], MOUNT[1], MOUNT[2] + 0.06)
    lines.append(f'<geom type="cylinder" class="trim" mass="0" fromto="{numbers(low + high)}" '
                 'size="0.068"/>')
    return lines


def link_xml(i, prefix, start):
    """Opening tag, joint and shapes of a link."""
    offset, axis, limit, _, _, shade, shapes = LINKS[i]
    pos = [0, 0, offset] if i else [MOUNT[0], MOUNT[1], MOUNT[2] + offset]
    c, s = math.cos(start / 2), math.sin(start / 2)
    quat = (c, s * axis[0], s * axis[1], s * axis[2])
    name = prefix + ("gripper" if i == 6 else f"link{i + 1}")
    lines = [f'<body name="{name}" pos="{numbers(pos)}" quat="{numbers(quat)}">',
             f'  <joint name="{prefix}j{i + 1}" axis="{numbers(axis)}" '
             f'range="{number(-limit)} {number(limit)}" ref="{number(start)}"/>']
    for a, b, radius, mass in shapes:
        lines.append("  " + capsule_xml(a, b, radius, f'class="{shade}" mass="{number(mass)}" '))
    if i == 6:
        lines.append("  " + box_xml(PALM[0], PALM[1], f'class="trim" mass="{number(PALM[2])}" '))
        for side in (1, -1):
            (x, y, z), half, mass = FINGER
            lines.append("  " + box_xml((x, side * y, z), half,
                                        f'class="finger" mass="{number(mass)}" '))
    return lines


def robot_xml(prefix, start, paint):
    """The robot in its starting pose (ten values)."""
    x, y, yaw = start[:3]
    quat = (math.cos(yaw / 2), 0, 0, math.sin(yaw / 2))
    to_local = rot_z(-yaw)  # the slides go along the world's axes; the file has the body's
    pad = "    "
    lines = [f'{pad}<body name="{prefix}base" pos="{numbers((x, y, 0))}" quat="{numbers(quat)}" '
             'childclass="robot">']
    for k, name in enumerate(("x", "y")):
        lines.append(f'{pad}  <joint name="{prefix}{name}" type="slide" armature="0" damping="0" '
                     f'axis="{numbers(column(to_local, k))}" ref="{number(start[k])}"/>')
    lines.append(f'{pad}  <joint name="{prefix}yaw" armature="0" damping="0" axis="0 0 1" '
                 f'ref="{number(yaw)}"/>')
    lines += [pad + "  " + line for line in base_xml(prefix, paint)]
    for i in range(7):
        pad += "  "
        lines += [pad + line for line in link_xml(i, prefix, start[3 + i])]
    for _ in range(8):
        lines.append(f"{pad}</body>")
        pad = pad[:-2]
    return lines


def actuators_xml(prefix):
    lines = []
    for j, name in enumerate(JOINT_NAMES):
        kp, kv, _ = kp_kv_damping(j)
        force = BASE_SERVOS[j][2] if j < 3 else LINKS[j - 3][4]
        lines.append(f'    <position name="{prefix}{name}" joint="{prefix}{name}" '
                     f'kp="{number(kp)}" kv="{number(kv)}" '
                     f'forcerange="{numbers((-force, force))}"/>')
    return lines


def skate_xml(prefix):
    """For <tenon>: the base moves along its heading and turns on the spot, never sideways."""
    return (f'    <wheel name="{prefix}skate" body="{prefix}base" roll="skate" axle="0 1 0" '
            f'pos="0 0 {number(WHEEL_RADIUS)}" radius="{number(WHEEL_RADIUS)}"/>')
