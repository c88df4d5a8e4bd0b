"""A seven-joint arm of the Franka Emika Panda's size, masses and gains, for the scene generators.

  frames     modified DH, T_i = Rx(alpha) Tx(a) Rz(q_i) Tz(d), from the manufacturer's
             documentation, as are ranges and force limits of the joints
  masses     as identified by Gaz et al., "Dynamic identification of the Franka Emika Panda robot
             with retrieval of feasible parameters using penalty-based optimization", RA-L 2019
  inverse    damped least squares for the tip's position and the tool's attitude; the freedom
  kinematics that is left is pulled towards a rest posture, so that the angles depend on the pose
             alone
  controls   a servo gives kp (c - q) - kv q'. Its lag and the arm's weight are known beforehand, so
             c = q + ((kv + damping) q' + gravity torque) / kp  makes the arm follow q closely
  start      in the file every hinge has `ref` = its initial angle, so that the reference pose is
             the start of the motion

The tool is a rod along the last joint's axis; other tools are subclasses of Arm. Vectors are lists,
matrices lists of rows.
"""

import math

# a (m), d (m), alpha (rad) of the joint frames
DH = [
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -math.pi / 2),
    (0.0, 0.316, math.pi / 2),
    (0.0825, 0.0, math.pi / 2),
    (-0.0825, 0.384, -math.pi / 2),
    (0.0, 0.0, math.pi / 2),
    (0.088, 0.0, math.pi / 2),
]
FLANGE = 0.107  # m along the last z axis

# mass (kg), centre of mass (m), inertia about it (kg m^2: xx yy zz xy xz yz), in the link's frame
LINKS = [
    (4.970684, (0.003875, 0.002081, -0.04762),
     (0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169)),
    (0.646926, (-0.003141, -0.02872, 0.003495),
     (0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704)),
    (3.228604, (0.027518, 0.039252, -0.066502),
     (0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805)),
    (3.587895, (-0.05317, 0.104419, 0.027454),
     (0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641)),
    (1.225946, (-0.011953, 0.041065, -0.038437),
     (0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229)),
    (1.666555, (0.060149, -0.014117, -0.010517),
     (0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341)),
    (0.735522, (0.010517, -0.004252, 0.061597),
     (0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741)),
]

# range (rad), servo gain kp (N m / rad), force limit (N m)
JOINTS = [
    (-2.8973, 2.8973, 4500.0, 87.0),
    (-1.7628, 1.7628, 4500.0, 87.0),
    (-2.8973, 2.8973, 3500.0, 87.0),
    (-3.0718, -0.0698, 3500.0, 87.0),
    (-2.8973, 2.8973, 2000.0, 12.0),
    (-0.0175, 3.7525, 2000.0, 12.0),
    (-2.8973, 2.8973, 2000.0, 12.0),
]
ACTUATORS = [f"act{i + 1}" for i in range(len(JOINTS))]
KV_PER_KP = 0.1  # s
ARMATURE = 0.1   # kg m^2
DAMPING = 1.0    # N m s / rad
GRAVITY = 9.81   # m / s^2

# Capsules in the links' place: end points, radius, in the link's frame. They collide with nothing.
SHAPES = [
    [((0, 0, -0.19), (0, 0, -0.05), 0.06)],
    [((0, 0, -0.07), (0, 0, 0.07), 0.06)],
    [((0, 0, -0.24), (0, 0, -0.06), 0.055), ((0, 0, -0.06), (0.06, 0, -0.01), 0.055)],
    [((0, 0, -0.06), (0, 0, 0.06), 0.052), ((-0.0825, 0.09, 0), (-0.0825, 0.12, 0), 0.055)],
    [((0, 0, -0.25), (0, 0.06, -0.23), 0.05), ((0, 0.08, -0.18), (0, 0.08, -0.06), 0.035)],
    [((0, 0, -0.07), (0, 0, 0.01), 0.048), ((0.088, 0, 0), (0.088, -0.02, 0), 0.045)],
    [((0, 0, 0.03), (0, 0, 0.065), 0.04)],
]

REST = (0.0, 0.15, 0.0, -2.2, 0.0, 2.35, math.pi / 4)  # where the redundant freedom is pulled to

ROD_RADIUS = 0.008         # m
ROD_MASS_PER_METRE = 0.54  # kg / m, an aluminium bar of that radius
MOUNT_MASS = 0.12          # kg
MOUNT_LENGTH = 0.03        # m


# ---- small linear algebra ------------------------------------------------------------------------

def mat_mul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def mat_vec(a, x):
    return [sum(a[i][k] * x[k] for k in range(3)) for i in range(3)]


def column(a, k):
    return [row[k] for row in a]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def rot_x(t):
    c, s = math.cos(t), math.sin(t)
    return [[1, 0, 0], [0, c, -s], [0, s, c]]


def rot_z(t):
    c, s = math.cos(t), math.sin(t)
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def quat_x_then_z(alpha, theta):
    """Quaternion (w x y z) of Rx(alpha) Rz(theta)."""
    ca, sa = math.cos(alpha / 2), math.sin(alpha / 2)
    ct, st = math.cos(theta / 2), math.sin(theta / 2)
    return (ca * ct, sa * ct, -sa * st, ca * st)


def solve(a, b):
    """x with a x = b by elimination with row exchange; a is square and regular."""
    n = len(b)
    m = [row[:] + [b[i]] for i, row in enumerate(a)]
    for c in range(n):
        p = max(range(c, n), key=lambda r: abs(m[r][c]))
        m[c], m[p] = m[p], m[c]
        for r in range(c + 1, n):
            f = m[r][c] / m[c][c]
            for k in range(c, n + 1):
                m[r][k] -= f * m[c][k]
    x = [0.0] * n
    for r in reversed(range(n)):
        x[r] = (m[r][n] - sum(m[r][k] * x[k] for k in range(r + 1, n))) / m[r][r]
    return x


# ---- kinematics and weight -----------------------------------------------------------------------

def joint_offset(a, d, alpha):
    """Where a joint's frame stands in its parent's."""
    return [a, -d * math.sin(alpha), d * math.cos(alpha)]


class Arm:
    """The arm on a base of height `base`; its rod's tip is `rod_length` beyond the flange."""

    tool_name = "stirrer"

    def __init__(self, base, rod_length):
        self.base = base
        self.rod_length = rod_length

    def tool(self):
        """[(name, start and end beyond the flange, radius, mass)] of the tool's capsules."""
        return [("mount", 0.0, MOUNT_LENGTH, 0.025, MOUNT_MASS),
                ("rod", MOUNT_LENGTH, self.rod_length - ROD_RADIUS, ROD_RADIUS,
                 ROD_MASS_PER_METRE * self.rod_length)]

    def tool_xml(self):
        """The tool's geoms."""
        return [capsule_xml((0, 0, low), (0, 0, high), radius, f'name="{name}" mass="{number(mass)}" ')
                for name, low, high, radius, mass in self.tool()]

    def loads(self):
        """[(distance from the flange along the tool, mass)] of all that the last link carries."""
        return [((low + high) / 2, mass) for _, low, high, _, mass in self.tool()]

    def frames(self, q):
        """[(rotation, position)] of the seven link frames in the world."""
        rot, pos, out = rot_z(0.0), [0.0, 0.0, self.base], []
        for (a, d, alpha), angle in zip(DH, q):
            pos = add(pos, mat_vec(rot, joint_offset(a, d, alpha)))
            rot = mat_mul(rot, mat_mul(rot_x(alpha), rot_z(angle)))
            out.append((rot, pos))
        return out

    def tip(self, frames):
        rot, pos = frames[-1]
        return add(pos, mat_vec(rot, [0, 0, FLANGE + self.rod_length]))

    def gravity_torque(self, q):
        """The torque at each joint that holds the arm against its weight."""
        frames = self.frames(q)
        masses = [(i, mass, com) for i, (mass, com, _) in enumerate(LINKS)]
        masses += [(6, mass, [0, 0, FLANGE + way]) for way, mass in self.loads()]
        placed = []
        for i, mass, com in masses:
            rot, pos = frames[i]
            placed.append((i, mass, add(pos, mat_vec(rot, com))))
        torque = []
        for j, (rot, pos) in enumerate(frames):
            axis = column(rot, 2)
            torque.append(sum(mass * GRAVITY * cross(axis, sub(com, pos))[2]
                              for i, mass, com in placed if i >= j))
        return torque

    def inverse(self, target, seed, rest=REST, attitude=None):
        """Angles near `rest` that put the tip at `target`, starting at seed. The tool stands straight
        down, or with the columns of `attitude` as its axes."""
        # the turn about the rod is the one that REST has in the arm's plane of symmetry
        attitude = attitude or mat_mul([[1, 0, 0], [0, -1, 0], [0, 0, -1]], rot_z(REST[6]))
        q, error = list(seed), [math.inf]
        for _ in range(500):
            frames = self.frames(q)
            rot, _ = frames[-1]
            tip = self.tip(frames)
            # half the sum of the axes' cross products is the rotation to the attitude, if small
            turn = [0.0, 0.0, 0.0]
            for k in range(3):
                turn = add(turn, [0.5 * x for x in cross(column(rot, k), column(attitude, k))])
            error = sub(target, tip) + turn
            jacobian = []  # one entry per joint: motion of the tip, rotation
            for r, p in frames:
                axis = column(r, 2)
                jacobian.append(cross(axis, sub(tip, p)) + axis)
            # step = J' (J J' + damping)^-1 (error - J pull) + pull: J does not see the pull
            pull = [0.5 * (a - b) for a, b in zip(rest, q)]
            gram = [[sum(c[i] * c[k] for c in jacobian) for k in range(6)] for i in range(6)]
            for i in range(6):
                gram[i][i] += 1e-12
            seen = [sum(c[i] * x for c, x in zip(jacobian, pull)) for i in range(6)]
            y = solve(gram, sub(error, seen))
            step = [dot(c, y) + x for c, x in zip(jacobian, pull)]
            largest = max(abs(s) for s in step)
            shorten = 0.2 / max(0.2, largest)
            q = [a + shorten * s for a, s in zip(q, step)]
            if largest < 1e-13:
                break
        if max(abs(e) for e in error) > 1e-9:
            raise SystemExit(f"no joint angles reach {target}: error {error}")
        for angle, (low, high, _, _) in zip(q, JOINTS):
            if not low < angle < high:
                raise SystemExit(f"joint angles {q} for {target} leave their range")
        return q

    def controls(self, q, rate):
        """Servo targets with which the arm goes through q at that rate."""
        return [angle + ((KV_PER_KP * kp + DAMPING) * w + g) / kp
                for angle, w, g, (_, _, kp, _) in zip(q, rate, self.gravity_torque(q), JOINTS)]


# ---- MJCF ----------------------------------------------------------------------------------------

def number(x):
    text = f"{x:.9f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def numbers(values):
    return " ".join(number(v) for v in values)


def capsule_xml(start, end, radius, more=""):
    ends = numbers(start) + " " + numbers(end)
    return f'<geom {more}type="capsule" fromto="{ends}" size="{number(radius)}"/>'


def defaults_xml(tool="4", meets="3"):
    """Classes `arm` and `tool`. Bits: 1 spheres and other loose things, 2 surroundings, 4 tool."""
    return [
        '    <default class="arm">',
        f'      <joint axis="0 0 1" armature="{number(ARMATURE)}" damping="{number(DAMPING)}"/>',
        '      <geom contype="0" conaffinity="0" rgba="0.92 0.92 0.94 1"/>',
        "    </default>",
        '    <default class="tool">',
        f'      <geom contype="{tool}" conaffinity="{meets}" rgba="0.3 0.3 0.35 1"/>',
        "    </default>",
    ]


def bodies_xml(arm, start):
    """The chain of links, nested. A body's frame is its link's frame at the initial angle."""
    pad = "    "
    lines = [f'{pad}<body name="base" pos="0 0 {number(arm.base)}" childclass="arm">',
             f"{pad}  {capsule_xml((-0.06, 0, 0.07), (0, 0, 0.07), 0.07)}"]
    for i, ((a, d, alpha), (mass, com, inertia)) in enumerate(zip(DH, LINKS)):
        pad += "  "
        pos, quat = joint_offset(a, d, alpha), quat_x_then_z(alpha, start[i])
        lines += [
            f'{pad}<body name="link{i + 1}" pos="{numbers(pos)}" quat="{numbers(quat)}">',
            f'{pad}  <inertial mass="{number(mass)}" pos="{numbers(com)}"',
            f'{pad}    fullinertia="{numbers(inertia)}"/>',
            f'{pad}  <joint name="joint{i + 1}" range="{numbers(JOINTS[i][:2])}" '
            f'ref="{number(start[i])}"/>',
        ]
        lines += [f"{pad}  {capsule_xml(*shape)}" for shape in SHAPES[i]]
    pad += "  "
    lines.append(f'{pad}<body name="{arm.tool_name}" pos="0 0 {number(FLANGE)}" childclass="tool">')
    lines += [f"{pad}  {geom}" for geom in arm.tool_xml()]
    for _ in range(len(LINKS) + 2):
        lines.append(f"{pad}</body>")
        pad = pad[:-2]
    return lines


def actuators_xml():
    lines = []
    for i, (low, high, kp, force) in enumerate(JOINTS):
        lines.append(f'    <position name="act{i + 1}" joint="joint{i + 1}" kp="{number(kp)}" '
                     f'kv="{number(kp * KV_PER_KP)}" ctrlrange="{numbers((low, high))}" '
                     f'forcerange="{numbers((-force, force))}"/>')
    return lines
