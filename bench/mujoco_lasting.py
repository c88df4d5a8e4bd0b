#!/usr/bin/env python3
"""How much of their motion conservative scenes keep whose contacts last, in tenon and in MuJoCo, one table.

  block    on a frictionless floor, on a horizontal spring of 10 rad/s
  cart     with a pendulum, a free body on a frictionless floor
  rocker   a ball with a low centre of mass rocks without slipping
  routh    the same ball spins about the vertical and nods
  knee     a body on a spring of 20 rad/s above a foot that stays on the floor
  belt     a block on a spring of 10 rad/s slides on a belt that is always faster
  linkage  a sprung four-bar linkage whose coupler slides on a table
  arms     two arms swing a bar that lies on their round hands
  gripper  two sprung fingers pinch a block from which a pendulum swings

Nothing in them dissipates. Both engines simulate the same file for 10 s at 1, 2, 5, 10 and 20 ms with their default
settings. `kept` is the range of the coordinate in the last 2 s over that in the first 2 s (100 % is right), `lag` how far
it is behind at the end, in degrees. The references are the equations of motion, integrated here. The same scenes are in
`tenon-bench lasting` and `tenon verify lasting`. On the first run MuJoCo is installed from the package index into the
project's .venv; see requirements.txt beside this file.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from mujoco_stir import ROOT, ensure_packages, fail, show

G = 9.81
STEPS = (0.001, 0.002, 0.005, 0.01, 0.02)  # s
DURATION, GRID = 10.0, 0.0005               # s: simulated; where series are compared

# ---- the scenes ----------------------------------------------------------------------------------

HEAD = '<mujoco model="{name}"><compiler angle="radian"/><option timestep="{timestep}" {option}/>\n'
FLOOR = '<geom type="plane" size="0 0 1" condim="1"/>'
ROUGH = '<geom type="plane" size="0 0 1" friction="2 0 0"/>'
BALL = ('<body name="ball" pos="0 0 .2" euler="0 .4 0"><freejoint/><inertial pos="0 0 -.1" mass="1" '
        'diaginertia=".01 .01 .01"/><geom size=".2" friction="2 0 0"/></body>')
CRANK = '<inertial pos="0 .15 0" mass=".2" diaginertia=".002 .001 .002"/>'
ARM = ('<inertial pos="0 0 -.25" mass=".5" diaginertia=".01 .01 .001"/>'
       '<geom pos="0 .1 -.5" size=".05" friction="2 0 0" contype="2" conaffinity="1"/>'
       '<geom pos="0 -.1 -.5" size=".05" friction="2 0 0" contype="2" conaffinity="1"/>')


def key(qpos="", qvel=""):
    return '<keyframe><key name="start"' + (f' qpos="{qpos}"' if qpos else "") + (f' qvel="{qvel}"' if qvel else "") + "/></keyframe>"


def finger(x, ref):
    return (f'<body pos="{x} 0 0"><joint type="slide" axis="1 0 0" stiffness="1000" springref="{ref}"/>'
            '<geom type="box" size=".02 .03 .03" mass=".2" friction="1 0 0"/></body>')


def pin(name):
    return f'<joint type="slide" axis="0 0 1"/><joint name="{name}" axis="0 0 1" stiffness="4"/>'


BLOCK = f"""<worldbody>{FLOOR}<body pos="0 0 .1"><joint name="x" type="slide" axis="1 0 0" stiffness="100"/>
<joint type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1" mass="1" condim="1"/></body></worldbody>{key(".1 0")}"""
CART = f"""<worldbody>{FLOOR}<body pos="0 0 .05"><freejoint/><geom type="box" size=".3 .2 .05" mass="1" condim="1"/>
<body><joint name="x" axis="0 1 0"/><inertial pos="0 0 -.5" mass=".5" diaginertia=".01 .01 .01"/></body></body></worldbody>
{key("0 0 .05 1 0 0 0 .5")}"""
ROCKER = f"<worldbody>{ROUGH}{BALL}</worldbody>{key(qvel='0 0 0 0 0 0')}"
ROUTH = f"<worldbody>{ROUGH}{BALL}</worldbody>{key(qvel=f'0 0 0 {-8 * math.sin(0.4)} 0 {8 * math.cos(0.4)}')}"
KNEE = f"""<worldbody>{FLOOR}<body pos="0 0 .05"><freejoint/><geom type="box" size=".1 .1 .05" mass=".5" condim="1"/>
<body pos="0 0 .4"><joint name="x" type="slide" axis="0 0 1" stiffness="400" springref="{G / 400}"/>
<inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/></body></body></worldbody>{key("0 0 .05 1 0 0 0 .01")}"""
BELT = f"""<worldbody><body pos="0 0 -.1"><joint type="slide" axis="1 0 0"/><geom type="box" size="5 .5 .1" mass="1e5"
friction=".4 0 0"/></body><body pos="0 0 .1"><joint name="x" type="slide" axis="1 0 0" stiffness="100"/>
<joint type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1" mass="1" friction=".4 0 0"/></body></worldbody>
{key(f"0 {0.4 * G / 100 + 0.02} 0", ".25 0 0")}"""
LINKAGE = f"""<worldbody><geom type="plane" size="0 0 1" condim="1"/><body pos="0 0 .05">{pin("x")}{CRANK}
<body name="coupler" pos="0 .3 0"><joint axis="0 0 1"/><geom type="box" pos=".5 0 0" size=".6 .1 .05" mass="1" condim="1"/>
</body></body><body name="crank" pos="1 0 .05">{pin("other")}{CRANK}</body></worldbody>
<equality><connect body1="coupler" body2="crank" anchor="1 0 0"/></equality>{key("0 .5 -.5 0 .5")}"""
AT = f"{-0.5 * math.sin(0.3)} 0 {-0.5 * math.cos(0.3) + 0.08}"
ARMS = f"""<worldbody><body pos="-.5 0 0"><joint axis="0 1 0"/>{ARM}</body><body pos=".5 0 0"><joint name="x" axis="0 1 0"/>{ARM}
</body><body pos="{AT}"><freejoint/><geom type="box" size=".8 .15 .03" mass="2" friction="2 0 0" contype="1" conaffinity="2"/>
</body></worldbody>{key(f".3 .3 {AT} 1 0 0 0")}"""
GRIPPER = f"""<worldbody>{finger("-.05", ".05")}{finger(".05", "-.05")}<body><freejoint/><geom type="box" size=".03 .03 .03"
mass=".2" friction="1 0 0"/><body><joint name="x" axis="1 0 0"/><inertial pos="0 0 -.3" mass=".3"
diaginertia=".002 .002 .002"/></body></body></worldbody>{key("0 0 0 0 0 1 0 0 0 .8")}"""

# ---- the references ------------------------------------------------------------------------------


def harmonic(w):
    return lambda y: (y[1], -w * w * y[0])


def swing(A, B, C, K=0.0):
    """(A - 2 B cos φ) φ'' + (B φ'² + C) sin φ + K φ = 0"""
    return lambda y: (y[1], -((B * y[1] ** 2 + C) * math.sin(y[0]) + K * y[0]) / (A - 2 * B * math.cos(y[0])))


def cart(y):
    c, s = 0.25 * math.cos(y[0]), 0.25 * math.sin(y[0])
    return y[1], -(G * s + s * c * y[1] ** 2 / 1.5) / (0.01 + 0.125 - c * c / 1.5)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def routh(y):
    """Rolling without slip: y is the axis, z first, and the angular velocity; r leads from the centre of mass to the
    point of contact."""
    e, w, R, d, I = (y[1], y[2], y[0]), y[3:], 0.2, 0.1, 0.01
    r = [d * e[0], d * e[1], d * e[2] - R]
    de = cross(w, e)
    force = [-d * a for a in cross(w, de)]
    force[2] += G
    b = cross(r, force)
    size, along = I + sum(c * c for c in r), sum(p * q for p, q in zip(r, b))
    # (size - r rᵀ)⁻¹ b
    dw = [(b[k] + r[k] * along / I) / size for k in range(3)]
    return de[2], de[0], de[1], *dw


def integrate(rate, y, parts=1):
    """The first unknown every GRID seconds, by Runge and Kutta's method."""
    import numpy
    out, h, n = [y[0]], GRID / parts, range(len(y))
    for k in range(round(DURATION / GRID) * parts):
        a = rate(y)
        b = rate([y[i] + h / 2 * a[i] for i in n])
        c = rate([y[i] + h / 2 * b[i] for i in n])
        d = rate([y[i] + h * c[i] for i in n])
        y = [y[i] + h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]) for i in n]
        if (k + 1) % parts == 0:
            out.append(y[0])
    return numpy.array(out)


# name: model, coordinate, what it is measured from, rate and start of the reference
SCENES = {
    "block": (BLOCK, "joint", 0.0, harmonic(10), (0.1, 0)),
    "cart": (CART, "joint", 0.0, cart, (0.5, 0)),
    "rocker": (ROCKER, "tilt", 0.0, swing(0.06, 0.02, 0.981), (0.4, 0)),
    "routh": (ROUTH, "cosine", 0.0, routh, (math.cos(0.4), math.sin(0.4), 0, 0, 0, 8)),
    "knee": (KNEE, "joint", 0.0, harmonic(20), (0.01, 0)),
    "belt": (BELT, "joint", 0.4 * G / 100, harmonic(10), (0.02, 0)),
    "linkage": (LINKAGE, "joint", 0.0, swing(2 * (0.002 + 0.2 * 0.15 ** 2) + 0.09, 0, 0, 8), (0.5, 0)),
    "arms": (ARMS, "joint", 0.0, swing(2 * (0.01 + 0.5 * 0.25 ** 2) + 2 * 0.2525, 0.05, 1.25 * G), (0.3, 0)),
    "gripper": (GRIPPER, "joint", 0.0, swing(0.002 + 0.027, 0, 0.09 * G), (0.8, 0)),
}


# ---- the measures --------------------------------------------------------------------------------

def resampled(series, step):
    """Every GRID seconds, by the polynomial through six neighbours."""
    import numpy
    at = numpy.arange(round(DURATION / GRID) + 1) * GRID / step
    begin = numpy.clip(numpy.floor(at).astype(int) - 2, 0, len(series) - 6)
    out = numpy.zeros(len(at))
    for i in range(6):
        weight = numpy.ones(len(at))
        for j in range(6):
            if j != i:
                weight *= (at - begin - j) / (i - j)
        out += weight * series[begin + i]
    return out


def window(name):
    return round((2.4 if name == "gripper" else 2.0) / GRID)


def crossings(x, middle):
    """Times at which x comes up through it."""
    import numpy
    y = x - middle
    k = numpy.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    return (k + y[k] / (y[k] - y[k + 1])) * GRID


def measure(name, series, step, right):
    """(share of the motion that is left, lag in degrees or None)"""
    x, w = resampled(series, step), window(name)
    kept = float((x[-w:].max() - x[-w:].min()) / (x[:w].max() - x[:w].min()))
    middle = 0.5 * (right[:w].max() + right[:w].min())
    must, has = crossings(right, middle), crossings(x, middle)
    n = int((must < DURATION - 0.5 * w * GRID).sum()) - 1
    if len(has) <= n:
        return kept, None
    return kept, float(360 * (has[n] - must[n]) * n / (must[n] - must[0]))


# ---- both engines --------------------------------------------------------------------------------

def write(folder, name, step, option):
    path = os.path.join(folder, f"{name}.xml")
    with open(path, "w") as out:
        out.write(HEAD.format(name=name, timestep=step, option=option) + SCENES[name][0] + "</mujoco>\n")
    return path


def coordinate(kind, quat, joint):
    if kind == "joint":
        return joint
    return 2 * math.atan2(quat[2], quat[0]) if kind == "tilt" else 1 - 2 * (quat[1] ** 2 + quat[2] ** 2)


def run_mujoco(path, kind):
    import mujoco
    import numpy
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    out = []
    for k in range(round(DURATION / model.opt.timestep) + 1):
        if k:
            mujoco.mj_step(model, data)
        if kind == "joint":
            out.append(float(data.joint("x").qpos[0]))
        else:
            out.append(coordinate(kind, data.qpos[3:7], None))
    return numpy.array(out)


def run_tenon(args, path, kind, begin):
    import numpy
    log = path + ".npz"
    done = subprocess.run([args.tenon, "run", path, "--quiet", "--no-accuracy", "--key", "start", "--duration", repr(DURATION),
                           "--log", "joints", "--npz", log], capture_output=True, text=True)
    if done.returncode:
        fail(f"tenon: {done.stderr.strip()}")
    with numpy.load(log) as z:
        columns = dict(zip(z["joints_names"].tolist(), z["joints"].T))
    if kind == "joint":
        return numpy.concatenate(([begin], columns["x.q0"]))
    quats = numpy.stack([columns[f"ball.q{c}"] for c in "wxyz"], axis=1)
    return numpy.array([begin] + [coordinate(kind, q, None) for q in quats])


def compare(args, names):
    """{name: {engine: [(kept, lag) for each step]}}"""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            _, kind, offset, rate, start = SCENES[name]
            right = integrate(rate, start)
            engines = {} if args.mujoco_only else {"tenon": []}
            engines["mujoco"] = []
            for step in STEPS:
                show(f"{name}, {step * 1e3:g} ms")
                path = write(folder, name, step, args.option)
                if not args.mujoco_only:
                    engines["tenon"].append(measure(name, run_tenon(args, path, kind, start[0] + offset) - offset, step, right))
                engines["mujoco"].append(measure(name, run_mujoco(path, kind) - offset, step, right))
            found[name] = engines
    show("")
    return found


def print_table(found):
    head = "".join(f"{step * 1e3:8g}" for step in STEPS)
    print(f"{'':16}{'kept, %':>{8 * len(STEPS)}}  |{'lag, degrees':>{8 * len(STEPS)}}\n{'at, ms':16}{head}  |{head}")
    for name, engines in found.items():
        for k, (engine, rows) in enumerate(engines.items()):
            kept = "".join(f"{100 * row[0]:8.2f}" for row in rows)
            lag = "".join(f"{row[1]:8.2f}" if row[1] is not None else f"{'-':>8}" for row in rows)
            print(f"{'' if k else name:8} {engine:7}{kept}  |{lag}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="default: all")
    parser.add_argument("--option", default="", metavar="ATTRIBUTES",
                        help="of <option>, e.g. 'integrator=\"implicitfast\" cone=\"elliptic\"'; default: none")
    parser.add_argument("--tenon", default=os.path.join(ROOT, "build", "tenon"), metavar="PROGRAM")
    parser.add_argument("--mujoco-only", action="store_true", help="do not run tenon")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    args = parser.parse_args()
    for name in args.scenes:
        if name not in SCENES:
            parser.error(f"there is no scene {name}")
    if not args.mujoco_only and not os.access(args.tenon, os.X_OK):
        fail(f"there is no program {os.path.relpath(args.tenon)}; build it first:\n"
             "  cmake -S . -B build && cmake --build build\n"
             "or use --mujoco-only for MuJoCo's figures alone")
    ensure_packages(__file__)
    import mujoco
    if not args.json:
        print(f"MuJoCo {mujoco.__version__}")
    found = compare(args, args.scenes or SCENES)
    if args.json:
        print(json.dumps({"mujoco": mujoco.__version__, "steps_s": STEPS, "scenes": {
            name: {engine: {"kept": [row[0] for row in rows], "lag_degrees": [row[1] for row in rows]}
                   for engine, rows in engines.items()} for name, engines in found.items()}}, indent=2))
    else:
        print_table(found)


if __name__ == "__main__":
    main()
