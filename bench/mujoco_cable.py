#!/usr/bin/env python3
"""Compares tenon with MuJoCo on a cable that is wound around a post, with about 440 contacts.

The cable has 640 segments of 5 mm length and 4 mm radius. One end is held, the other is led: it
pulls the cable taut, and then goes to and fro along it. These last two seconds count. Everything is
done without gravity and with it. Under gravity MuJoCo's cables get longer and longer, or slide off
the post, with nearly all settings.

  mujoco welds T D X   each segment a free capsule, neighbours joined by soft welds in six axes.
                       Newton's method, pyramidal cones, sparse matrices, and as much damping of
                       rotation as keeps it calm. The numbers are the welds' solref and torquescale.
  mujoco rod T D X     MuJoCo's own rod: a flex of dimension one with elasticity, which bends, and
                       with edges that are held to their length by constraints with this solref. The
                       third number is impratio. Its rest shape is straight, since no other is
                       allowed. Versions before 3.17 do not have it and go without.
  tenon                the same cable as an elastic rod, at a tolerance of 1e-4 (see --tolerance),
                       and at its default of 1e-6

Several settings of MuJoCo's are tried, and the fastest of each kind counts that stays on the post,
with at most 3 % of stretch; if there is none, the fastest that stays on the post. The time of a run is the mean wall-clock time of the steps that count,
without loading; the least over the repeats is printed. On the first run MuJoCo is installed from
the package index into the project's .venv; see requirements.txt beside this file.
"""

import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from mujoco_stir import ROOT, ensure_packages, fail, show

SEGMENTS = 640
LENGTH, RADIUS, DENSITY = 0.005, 0.004, 1000.0  # of a segment: m, m, kg/m³
POST, HEIGHT = 0.08, 1.0                        # m: radius of the post, where the cable starts
PITCH = 0.009                                   # m per turn: the windings do not touch
TAIL = 0.4                                      # m from the held end to where the post begins
TURNS = 4.4                                     # around the post
PULL, SWAY = 1.0, 2.0                           # s: pulling taut; to and fro, the steps that count
TAUT, SWING = 0.005, 0.002                      # strain that the led end asks for, and its change
YOUNG = 1e7                                     # Pa
GRAVITY = 9.81                                  # m/s², where there is any
DAMPING = 0.01                                  # s: of the material, of tenon's and MuJoCo's rod
TIMESTEP = 0.01
SOLIMP = "0.9999 0.9999 0.001"                   # welds as hard as MuJoCo lets them be
SPIN_DAMPING = 1e-7                             # N·m·s/rad, of each of MuJoCo's segments
MAX_STRETCH, MIN_CONTACTS = 0.03, 380
DEFAULT_TOLERANCE = 1e-6                        # of tenon
REACH = POST + RADIUS + 0.0001                  # m: of the cable's centre line from the axis


# ---- the scene -----------------------------------------------------------------------------------

def smooth(x):
    """From 0 to 1 with no velocity at both ends."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


def path(distance):
    """Point of the centre line: along x to the post, around it, straight on."""
    around = min(max(distance - TAIL, 0.0), REACH * 2 * math.pi * TURNS)
    angle = around / REACH
    rest = distance - TAIL - around
    c, s = math.cos(angle), math.sin(angle)
    return (REACH * s + rest * c, -REACH * c + rest * s, HEIGHT + PITCH * angle / (2 * math.pi))


def end_pose(t, inside=LENGTH / 2):
    """Where the led end is, so far inside the cable's end: it pulls the cable taut, then goes to and fro along it
    once a second."""
    strain = TAUT * smooth(t / PULL) - SWING * math.sin(math.pi * max(t - PULL, 0.0)) ** 2
    return path((1 + strain) * LENGTH * SEGMENTS - inside)


def step_count():
    return round((PULL + SWAY) / TIMESTEP)


def first_step():
    return round(PULL / TIMESTEP)


def points():
    return [path(LENGTH * i) for i in range(SEGMENTS + 1)]


SCENE = """<mujoco model="wound cable">
  <compiler angle="radian"/>
  <option timestep="{timestep}" gravity="0 0 {gravity:g}" {option}/>
  <worldbody>
    <geom name="post" type="cylinder" pos="0 0 {height}" size="{post} 0.5" friction="0.5 0 0" condim="3"/>
    {bodies}
  </worldbody>
  {rest}
</mujoco>
"""


def turn_to(quat, direction):
    """The frame turned the shortest way so that its x axis has this direction: no twist."""
    w, x, y, z = quat
    axis = (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
    a = (1 + sum(p * q for p, q in zip(axis, direction)),
         axis[1] * direction[2] - axis[2] * direction[1],
         axis[2] * direction[0] - axis[0] * direction[2],
         axis[0] * direction[1] - axis[1] * direction[0])
    product = (a[0] * w - a[1] * x - a[2] * y - a[3] * z, a[0] * x + a[1] * w + a[2] * z - a[3] * y,
               a[0] * y - a[1] * z + a[2] * w + a[3] * x, a[0] * z + a[1] * y - a[2] * x + a[3] * w)
    size = math.sqrt(sum(v * v for v in product))
    return tuple(v / size for v in product)


def numbers(values):
    return " ".join(f"{v:.9g}" for v in values)


def weld_scene(gravity, solref, torque_scale):
    bodies, welds, quat, line = [], [], (1.0, 0.0, 0.0, 0.0), points()
    mass = DENSITY * math.pi * RADIUS ** 2 * LENGTH
    for i, (a, b) in enumerate(zip(line, line[1:])):
        quat = turn_to(quat, [(q - p) / math.dist(a, b) for p, q in zip(a, b)])
        middle = [(p + q) / 2 for p, q in zip(a, b)]
        bodies.append(f'<body name="s{i}" pos="{numbers(middle)}" quat="{numbers(quat)}"><freejoint/>'
                      f'<geom type="capsule" size="{RADIUS} {LENGTH / 2}" quat="0.707106781 0 0.707106781 0" '
                      f'mass="{mass:.9f}" contype="1" conaffinity="0" friction="0.5 0 0" condim="3"/></body>')
        if i:
            welds.append(f'<weld body1="s{i - 1}" body2="s{i}" anchor="{-LENGTH / 2} 0 0" '
                         f'solref="{solref}" solimp="{SOLIMP}" '
                         f'torquescale="{torque_scale}"/>')
    bodies.append(f'<body name="end" mocap="true" pos="{numbers(end_pose(0))}"/>')
    welds.append(f'<weld body1="s0" solref="{solref}" solimp="{SOLIMP}"/>')
    welds.append(f'<weld body1="s{SEGMENTS - 1}" body2="end" solref="{solref}" solimp="{SOLIMP}"/>')
    return SCENE.format(timestep=TIMESTEP, height=HEIGHT, post=POST, gravity=-gravity,
                        option='integrator="implicitfast" solver="Newton" cone="pyramidal" jacobian="sparse"',
                        bodies="\n    ".join(bodies),
                        rest='<size memory="256M"/>\n  <equality>\n    ' + "\n    ".join(welds) + "\n  </equality>")


def rod_scene(gravity, solref, impratio):
    """Straight: run_mujoco bends it around the post. The end is led by the body that was at it."""
    x, y, z = path(0)
    line = [(x + LENGTH * i, y, z) for i in range(SEGMENTS + 1)]
    mass = DENSITY * math.pi * RADIUS ** 2 * LENGTH * SEGMENTS
    hold = f'solref="{solref}" solimp="{SOLIMP}"'
    bodies = (f'<body name="end" mocap="true" pos="{numbers(line[-1])}"/>\n    '
              f'<flexcomp name="rod" type="direct" dim="1" radius="{RADIUS}" mass="{mass:.9f}" '
              f'point="{numbers(sum(line, ()))}" element="{" ".join(f"{i} {i + 1}" for i in range(SEGMENTS))}">'
              f'<edge equality="true" {hold}/><elasticity young="{YOUNG}" damping="{DAMPING}"/>'
              '<contact condim="3" friction="0.5 0 0" selfcollide="none" contype="1" conaffinity="0"/>'
              '<pin id="0"/></flexcomp>')
    return SCENE.format(timestep=TIMESTEP, height=HEIGHT, post=POST, gravity=-gravity,
                        option='integrator="discrete" solver="Newton" cone="pyramidal" jacobian="sparse" '
                               f'impratio="{impratio:g}"',
                        bodies=bodies,
                        rest='<size memory="512M"/>\n  <equality>\n    '
                             f'<connect body1="rod_{SEGMENTS}" body2="end" anchor="0 0 0" {hold}/>\n  </equality>')


def tenon_scene(track_name, gravity):
    """The end is led by a carriage with slides along x, y and z."""
    x, y, z = end_pose(0)
    joints = "".join(f'<joint name="{name}" type="slide" axis="{axis}" ref="{at:.9f}"/>'
                     for name, axis, at in (("x", "1 0 0", x), ("y", "0 1 0", y), ("z", "0 0 1", z)))
    carriage = (f'<body name="end" pos="{x:.9f} {y:.9f} {z:.9f}">{joints}'
                '<geom type="sphere" size="0.02" mass="1" contype="0" conaffinity="0"/></body>')
    cable = (f'<composite type="cable" prefix="cable" initial="free" vertex="{numbers(sum(points(), ()))}">'
             f'<geom type="capsule" size="{RADIUS}" density="{DENSITY}" contype="1" conaffinity="0" '
             'friction="0.5 0 0" condim="3"/></composite>')
    drives = "".join(f'<position name="{name}" joint="{name}" kp="20000" kv="1000"/>' for name in "xyz")
    rest = f"""<equality>
    <weld body1="cableB_first"/>
    <weld body1="cableB_last" body2="end"/>
  </equality>
  <actuator>{drives}</actuator>
  <tenon><track file="{track_name}"/><rod name="cable" young="{YOUNG}" self_contact="false" damping="{DAMPING}"/></tenon>"""
    return SCENE.format(timestep=TIMESTEP, height=HEIGHT, post=POST, gravity=-gravity, option="",
                        bodies=carriage + "\n    " + cable, rest=rest)


def write_tenon(folder, gravity):
    path = os.path.join(folder, "wound_cable.xml")
    with open(os.path.join(folder, "wound_cable.csv"), "w") as out:
        out.write("time,x,y,z\n")
        for k in range(step_count() + 1):
            out.write(f"{k * TIMESTEP:.4f}," + ",".join(f"{v:.9g}" for v in end_pose(k * TIMESTEP)) + "\n")
    with open(path, "w") as out:
        out.write(tenon_scene("wound_cable.csv", gravity))
    return path


def stretch_of(positions):
    """Length of the line through the segments' centres against the one as built."""
    length = sum(math.dist(a, b) for a, b in zip(positions, positions[1:]))
    return length / ((len(positions) - 1) * LENGTH) - 1


# ---- MuJoCo --------------------------------------------------------------------------------------

def has_rods():
    """Whether this MuJoCo has rods that bend."""
    import mujoco
    return tuple(int(part) for part in mujoco.__version__.split(".")[:2]) >= (3, 17)


def place(model, data):
    """Of a rod: from its straight shape to around the post. Its vertices' slides come first."""
    import mujoco
    import numpy
    mujoco.mj_forward(model, data)
    data.qpos[:3 * SEGMENTS] = (numpy.array(points()) - data.flexvert_xpos)[1:].ravel()


def end_of(model, t):
    """The led end is a segment's centre, or the last vertex."""
    return end_pose(t, LENGTH / 2 if model.nflex == 0 else 0.0)


def mujoco_stretch(model, data):
    return stretch_of(data.flexvert_xpos if model.nflex else data.xpos[1:SEGMENTS + 1])


def run_mujoco(text, clock=time.perf_counter):
    """Figures of the steps that count, or None where it is not stable."""
    import mujoco
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    if model.nflex:
        place(model, data)
    else:
        model.dof_damping.reshape(-1, 6)[:, 3:] = SPIN_DAMPING
    seconds = contacts = depth = used = deepest = 0.0
    first, last = first_step(), step_count()
    for k in range(last):
        data.mocap_pos[0] = end_of(model, k * TIMESTEP)
        start = clock()
        mujoco.mj_step(model, data)
        taken = clock() - start
        if any(data.warning[kind].number for kind in range(len(data.warning))):
            return None
        if k < first:
            continue
        seconds += taken
        gaps = data.contact.dist
        below = gaps[gaps < 0]
        if below.size:
            depth += -below.mean()
            deepest = max(deepest, -below.min())
        contacts += data.ncon
        islands = max(1, min(data.nisland, len(data.solver_niter)))
        used += data.solver_niter[:islands].max()
    count = last - first
    return {"step_ms": 1e3 * seconds / count, "iterations": float(used / count), "contacts": contacts / count,
            "penetration_m": float(depth / count), "penetration_max_m": float(deepest),
            "stretch": mujoco_stretch(model, data)}


def on_post(figures):
    """With fewer contacts it would be faster."""
    return figures is not None and figures["contacts"] >= MIN_CONTACTS


def stable(figures):
    """Neither torn nor off the post."""
    return on_post(figures) and figures["stretch"] <= MAX_STRETCH


# ---- tenon ---------------------------------------------------------------------------------------

def call_tenon(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        fail(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr.strip()}")
    return done.stdout


def ensure_bench(tenon):
    """tenon-bench beside the program, which ./run does not build: it is built now."""
    folder = os.path.dirname(tenon)
    if os.access(tenon + "-bench", os.X_OK):
        return
    if not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
        fail(f"there is no program {os.path.relpath(tenon)}-bench, and {os.path.relpath(folder)} is no build folder")
    print("building tenon-bench", file=sys.stderr)
    command = ["cmake", "--build", folder, "--target", "tenon_bench", "--parallel"]
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode:
        fail(f"`{' '.join(command)}` failed")


def run_tenon(args, scene, tolerance):
    command = [args.tenon + "-bench", "scene", scene, "--json", "--quiet", "--repeats", "1", "--aav-samples", "0",
               "--settle", repr(PULL), "--duration", repr(SWAY), "--division", args.division,
               "--tolerance", repr(tolerance), "--iterations", str(args.iterations), "--threads", str(args.threads)]
    result = json.loads(call_tenon(command))
    return {"step_ms": result["step_ms_mean"], "iterations": result["iterations_mean"],
            "contacts": result["contacts_mean"], "penetration_m": result["penetration_mean_m"],
            "penetration_max_m": result["penetration_max_m"]}


def tenon_stretch(args, scene, folder, tolerance):
    table = os.path.join(folder, "motion.csv")
    call_tenon([args.tenon, "run", scene, "--quiet", "--no-accuracy", "--duration", repr(PULL + SWAY),
                "--division", args.division, "--tolerance", repr(tolerance), "--iterations", str(args.iterations),
                "--csv", table])
    with open(table, newline="") as file:
        *_, last = csv.DictReader(file)
    names = ["cableB_first"] + [f"cableB_{i}" for i in range(1, SEGMENTS - 1)] + ["cableB_last"]
    return stretch_of([[float(last[f"{name}.{axis}"]) for axis in "xyz"] for name in names])


# ---- comparison ----------------------------------------------------------------------------------

def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="default 3")
    parser.add_argument("--tolerance", type=float, default=1e-4, metavar="T", help="of tenon (default 1e-4)")
    parser.add_argument("--iterations", type=int, default=500, metavar="N", help="of tenon, at most (default 500)")
    parser.add_argument("--gravity", choices=["off", "on", "both"], default="both", help="default both")
    parser.add_argument("--division", default="auto", metavar="HOW", help="of tenon (default auto)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of tenon (default 1)")
    parser.add_argument("--solref", nargs="+", default=["0.02 1", "0.03 1", "0.05 1"], metavar="'T D'",
                        help="of MuJoCo's welds and edges: time constant and damping ratio")
    parser.add_argument("--torque-scale", nargs="+", type=float, default=[1.0, 3.0, 10.0], metavar="X",
                        help="of MuJoCo's welds (default 1 3 10)")
    parser.add_argument("--impratio", nargs="+", type=float, default=[1.0, 10.0], metavar="X",
                        help="of MuJoCo's rod (default 1 10)")
    parser.add_argument("--mujoco-only", action="store_true", help="do not run tenon")
    parser.add_argument("--tenon", default=os.path.join(ROOT, "build", "tenon"), metavar="PROGRAM")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    args = parser.parse_args()
    if min(args.repeats, args.iterations, args.threads, args.tolerance) <= 0:
        parser.error("--repeats, --tolerance, --iterations and --threads must be positive")
    return args


def settings(args, gravity):
    """[(kind, name, scene)] of all of MuJoCo's cables."""
    welds = [("welds", f"mujoco welds {solref} {scale:g}", weld_scene(gravity, solref, scale))
             for solref in args.solref for scale in args.torque_scale]
    if not has_rods():
        print("this MuJoCo has no rods", file=sys.stderr)
        return welds
    return welds + [("rod", f"mujoco rod {solref} {ratio:g}", rod_scene(gravity, solref, ratio))
                    for solref in args.solref for ratio in args.impratio]


def tune(args, gravity):
    """[(name, scene)] of MuJoCo's cables that are stable, or at least on the post, of each kind the fastest, at most
    two: the order of two that are close may be chance. Also how many were tried, and how many of them were not stable.
    """
    found, failed, tried = {}, 0, settings(args, gravity)
    for kind, name, text in tried:
        show(f"trying {name}")
        figures = run_mujoco(text, clock=time.process_time)  # other load counts least in it
        if on_post(figures):
            found.setdefault(kind, []).append((not stable(figures), figures["step_ms"], name, text))
        failed += not stable(figures)
    show("")
    cables = []
    for kind in found.values():
        cables += [(name, text) for torn, _, name, text in sorted(kind)[:2] if torn == min(kind)[0]]
    return cables, len(tried), failed


def tenon_tolerances(args):
    """Both are far closer to the law of contact than soft contacts are."""
    return list(dict.fromkeys([args.tolerance, DEFAULT_TOLERANCE]))


def tenon_name(args, tolerance):
    return "tenon" if tolerance == args.tolerance else f"tenon, {tolerance:g}"


def keep_fastest(best):
    """Of each kind of MuJoCo's cables the faster one."""
    for kind in ("mujoco welds", "mujoco rod"):
        names = sorted((name for name in best if name.startswith(kind)), key=lambda name: best[name]["step_ms"])
        for name in names[1:]:
            del best[name]


def compare(args, folder, gravity):
    """({name: figures of its fastest run}, how many of MuJoCo's cables were tried, how many of them failed)."""
    cables, tried, failed = tune(args, gravity)
    contestants = {name: (lambda text=text: run_mujoco(text)) for name, text in cables}
    if not args.mujoco_only:
        scene = write_tenon(folder, gravity)
        for tolerance in tenon_tolerances(args):
            contestants[tenon_name(args, tolerance)] = lambda t=tolerance: run_tenon(args, scene, t)
    best = {}
    for repeat in range(args.repeats):
        for name, run in contestants.items():
            show(f"repeat {repeat + 1} of {args.repeats}: {name}")
            figures = run()
            if name not in best or figures["step_ms"] < best[name]["step_ms"]:
                best[name] = figures
    show("")
    for tolerance in () if args.mujoco_only else tenon_tolerances(args):
        best[tenon_name(args, tolerance)]["stretch"] = tenon_stretch(args, scene, folder, tolerance)
    keep_fastest(best)
    for figures in best.values():
        figures["ratio"] = figures["step_ms"] / best["tenon"]["step_ms"] if "tenon" in best else None
    return best, tried, failed


def print_table(best):
    print(f"{'':24}{'ms per step':>12}{'/ tenon':>9}{'iterations':>12}{'contacts':>10}{'penetration':>14}"
          f"{'at most':>12}{'stretch':>10}")
    for name, figures in best.items():
        ratio = f"{figures['ratio']:.2f}" if figures["ratio"] else "-"
        print(f"{name:24}{figures['step_ms']:12.3f}{ratio:>9}{figures['iterations']:12.1f}"
              f"{figures['contacts']:10.1f}{1e3 * figures['penetration_m']:11.4f} mm"
              f"{1e3 * figures['penetration_max_m']:9.4f} mm{100 * figures['stretch']:8.2f} %")


def main():
    args = parse_arguments()
    if not args.mujoco_only and not os.access(args.tenon, os.X_OK):
        fail(f"there is no program {os.path.relpath(args.tenon)}; build it first:\n"
             "  cmake -S . -B build && cmake --build build\n"
             "or use --mujoco-only for MuJoCo's figures alone")
    if not args.mujoco_only:
        ensure_bench(args.tenon)
    ensure_packages(__file__)
    import mujoco
    steps, runs = step_count() - first_step(), {}
    cases = {"off": [0.0], "on": [GRAVITY], "both": [0.0, GRAVITY]}[args.gravity]
    with tempfile.TemporaryDirectory() as folder:
        for gravity in cases:
            runs[gravity] = compare(args, folder, gravity)
    if args.json:
        print(json.dumps({"scene": "wound cable", "mujoco": mujoco.__version__, "segments": SEGMENTS, "steps": steps,
                          "timestep": TIMESTEP, "repeats": args.repeats, "threads": args.threads,
                          "tolerance": args.tolerance,
                          "runs": [{"gravity": gravity, "mujoco_tried": tried, "mujoco_failed": failed,
                                    "results": best} for gravity, (best, tried, failed) in runs.items()]}, indent=2))
        return
    for gravity, (best, tried, failed) in runs.items():
        print(f"wound cable, {'gravity' if gravity else 'no gravity'}: {SEGMENTS} segments, {steps} steps of "
              f"{TIMESTEP:g} s, MuJoCo {mujoco.__version__}, tenon at {args.tolerance:g}, least of {args.repeats}; "
              f"{failed} of MuJoCo's {tried} settings failed")
        print_table(best)


if __name__ == "__main__":
    main()
