#!/usr/bin/env python3
"""Very large models, one table: how long a model takes to load and a step to run, how much memory that needs, and whether
anything was dropped on the way.

  falling   200,000 spheres fall on the ground
  cable     20,480 segments over 2,048 bars
  soft      a soft bar of 203,040 tetrahedra, 12 x 12 x 235 cells, on the ground, in 24 pieces
  cube      a soft cube of as many, 32 x 32 x 33 cells, in 64 pieces: the worst shape for a factorization
  robots    10,000 four-legged robots of 8 joints each, with servos, on the ground: one world

  python3 bench/load.py [NAME ...] [--tenon build/tenon] [--threads 1] [--scale 1] [--steps N] [--pieces N] [--json FILE]

--pieces 1 leaves soft bodies whole. Times are those of the processor (all threads, of a run less those of one that ends after its first step), so that others on
the machine disturb them little; the phases in the JSON file are on the clock. --scale 0.1 makes them ten times as small. Each run ends with a look at its last state: all bodies are there, their numbers
are finite, and none went through the ground. Standard library only."""
import argparse
import csv
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = '<mujoco model="{name}"><option timestep="0.005"/><worldbody><geom name="ground" type="plane" size="100 100 1"/>\n'


def falling(count):
    dice, side, pitch = random.Random(7), max(1, round((count / 4) ** (1 / 3) * 2)), 0.043
    parts = [HEAD.format(name="falling")]
    for i in range(count):
        at = [(i % side - side / 2) * pitch, (i // side % side - side / 2) * pitch, 0.021 + i // side ** 2 * pitch]
        x, y = (c + 0.001 * dice.uniform(-1, 1) for c in at[:2])
        parts.append(f'<body pos="{x:.5f} {y:.5f} {at[2]:.5f}"><freejoint/><geom size="0.02" density="1000"/></body>\n')
    return "".join(parts) + "</worldbody></mujoco>", 0.05


def cable(segments):
    length, bars = 0.01, segments // 10
    parts = [HEAD.format(name="cable")]
    for i in range(bars):
        parts.append(f'<geom type="cylinder" size="0.01 0.1" pos="{(10 * i + 5) * length:.4f} 0 0.5" quat="0.7071068 0.7071068 0 0"/>\n')
    parts.append(f'</worldbody><tenon><rod name="cable" start="0 0 0.5145" end="{segments * length:.4f} 0 0.5145" '
                 f'segments="{segments}" radius="0.004" young="1e7" density="1200"/></tenon></mujoco>')
    return "".join(parts), 0.1


def block(name, cells, half, duration):
    """A box of so many cells, each of which is six tetrahedra."""
    return (HEAD.format(name=name) + f'</worldbody><tenon><soft name="{name}" box="{" ".join(f"{x:.6f}" for x in half)}" '
            f'cells="{" ".join(map(str, cells))}" pos="0 0 {half[2] + 0.0005:.6f}" young="1e6" poisson="0.3" density="1000"/></tenon></mujoco>'), duration


def soft(elements):
    length = max(2, round(elements / 6 / 144))
    return block("soft", (length, 12, 12), (0.006 * length, 0.06, 0.06), 0.02)


def cube(elements):
    n = max(2, round((elements / 6) ** (1 / 3)))
    return block("cube", (n, n, max(2, round(elements / 6 / n ** 2))), (0.2, 0.2, 0.2), 0.015)


LEG = """<body name="{n}_hip{k}" pos="{x} {y} 0"><joint name="{n}_a{k}" axis="0 1 0" range="-60 60" limited="true" damping="0.2"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.15" size="0.02"/><body pos="0 0 -0.15"><joint name="{n}_b{k}" axis="0 1 0" damping="0.2"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.15" size="0.018"/></body></body>
"""


def robots(count):
    side, parts, servos = math.ceil(math.sqrt(count)), [HEAD.format(name="robots")], []
    for i in range(count):
        at = f"{(i % side - side / 2) * 0.8:.2f} {(i // side - side / 2) * 0.8:.2f} 0.3185"
        parts.append(f'<body name="r{i}" pos="{at}"><freejoint/><geom type="box" size="0.2 0.1 0.04" mass="4"/>')
        for k, (x, y) in enumerate(((0.16, 0.1), (0.16, -0.1), (-0.16, 0.1), (-0.16, -0.1))):
            parts.append(LEG.format(n=f"r{i}", k=k, x=x, y=y))
            servos += [f'<position joint="r{i}_{c}{k}" kp="40" ctrlrange="-1 1"/>' for c in "ab"]
        parts.append("</body>\n")
    return "".join(parts) + "</worldbody><actuator>" + "".join(servos) + "</actuator></mujoco>", 0.03


SCENES = {"falling": (falling, 200000), "cable": (cable, 20480), "soft": (soft, 203040), "cube": (cube, 202752), "robots": (robots, 10000)}
ELEMENTS_OF_A_PIECE = {"soft": 8460, "cube": 3168}


def run(command, folder):
    """Its JSON, seconds of processor time, and bytes of memory at most."""
    with open(os.path.join(folder, "out"), "w+") as out, open(os.path.join(folder, "err"), "w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        text, said = out.read(), err.read()
    if child.returncode:
        sys.exit(f"{' '.join(map(str, command))}: code {child.returncode}\n{said}")
    return json.loads(text), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def look(path):
    """How many bodies the last row has, and how many of their numbers are wrong: not finite, or a height below the ground."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names, last = rows[0], [float(x) for x in rows[-1]]
    heights = [x for name, x in zip(names, last) if name.endswith(".z")]
    wrong = sum(not math.isfinite(x) for x in last) + sum(z < 0 for z in heights)
    return len(heights), wrong


def measure(name, args, folder):
    make, count = SCENES[name]
    count = max(4, round(count * args.scale))
    text, duration = make(count)
    model, log = os.path.join(folder, name + ".xml"), os.path.join(folder, name + ".csv")
    with open(model, "w", encoding="utf-8") as file:
        file.write(text)
    settings = ("--no-accuracy", "--quiet", "--json", "--threads", str(args.threads), "--tolerance", "0", "--iterations", "60")
    if name in ELEMENTS_OF_A_PIECE:
        settings += ("--pieces", str(args.pieces or max(1, round(count / ELEMENTS_OF_A_PIECE[name]))))
    _, load, _ = run([args.tenon, "run", model, "--duration", "1e-9", *settings], folder)
    steps = args.steps or round(duration / 0.005)
    duration = 0.005 * steps
    report, whole, memory = run([args.tenon, "run", model, "--duration", str(duration), *settings, "--csv", log, "--log", "joints,bodies",
                             "--log-every", str(steps)], folder)
    seen, wrong = look(log)
    row = {"scene": name, "count": count, "bodies": report["bodies"], "dof": report["dof"], "contacts": report["contacts_mean"],
           "load_and_first_step_s": load, "step_ms": 1e3 * (whole - load) / max(1, steps - 1), "memory_GB": memory / 1e9, "seen": seen,
           "wrong": wrong, "diverged": report["diverged"], "penetration_max_mm": 1e3 * report["penetration_max_m"],
           **{phase: report[phase + "_ms_mean"] for phase in ("dynamics", "collision", "constraint", "factor", "iterate", "integrate")}}
    row["dropped"] = max(0, report["bodies"] - seen) + wrong
    print(f"{name:8} {report['bodies']:7} bodies {report['dof']:7} dof {row['contacts']:8.0f} contacts: load and first step {load:6.1f} s, "
          f"{row['step_ms']:7.0f} ms per further step, {row['memory_GB']:5.2f} GB, deepest {row['penetration_max_mm']:.3f} mm, "
          f"{row['dropped']} dropped", flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="falling, cable, soft, cube, robots; default: all")
    parser.add_argument("--tenon", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--steps", type=int, default=0, help="default: 3 to 20, by scene")
    parser.add_argument("--pieces", type=int, default=0, help="of soft bodies; default: 24 of the bar, 64 of the cube")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    unknown = set(args.names) - set(SCENES)
    if unknown:
        parser.error(f"there is no scene {', '.join(sorted(unknown))}; there are {', '.join(SCENES)}")
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(name, args, folder) for name in args.names or SCENES]
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return any(row["dropped"] or row["diverged"] for row in rows)


if __name__ == "__main__":
    sys.exit(main())
