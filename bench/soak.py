#!/usr/bin/env python3
"""Long runs with flat memory: a million steps each of a pendulum, of a small stirred heap and of boxes that sleep and wake.

  python3 bench/soak.py [NAME ...] [--steps 1000000] [--tenon build/tenon] [--json FILE]

`tenon run` steps the model; this script looks at the memory that it has resident (VmRSS) and at most had (VmHWM) ten times
a second. The memory after the first tenth of the run must not be exceeded by more than 1 % (and a page or two) for the rest of it. With a log, a
recording and checkpoints as in real life. Exit code 1: memory grew, or the run failed. Linux only; standard library only."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PENDULUM = """<mujoco model="pendulum"><option timestep="0.002"/><worldbody>
<body pos="0 0 1"><joint name="a" axis="0 1 0" damping="0.001"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"/>
<body pos="0.4 0 0"><joint name="b" axis="0 1 0" damping="0.001"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"/></body></body>
</worldbody><actuator><motor name="turn" joint="a" gear="0.2"/></actuator><tenon><track file="track.csv" loop_from="0"/></tenon></mujoco>"""
# a rod on a motor in a box with grain: contacts and islands change all the time
STIR = """<mujoco model="stir"><option timestep="0.005"/><worldbody>
<geom type="plane" size="1 1 1"/>
<geom type="box" size="0.02 0.2 0.1" pos="0.2 0 0.1"/><geom type="box" size="0.02 0.2 0.1" pos="-0.2 0 0.1"/>
<geom type="box" size="0.2 0.02 0.1" pos="0 0.2 0.1"/><geom type="box" size="0.2 0.02 0.1" pos="0 -0.2 0.1"/>
<body pos="0 0 0.2"><joint name="a" axis="0 0 1" damping="0.1"/><geom type="capsule" fromto="0.09 0 0 0.09 0 -0.175" size="0.02" mass="0.5"/></body>
{grain}</worldbody><actuator><motor name="turn" joint="a" gear="2"/></actuator><tenon><track file="track.csv" loop_from="0"/></tenon></mujoco>"""
# a bat hits boxes every few seconds; in between they sleep
SLEEP = """<mujoco model="sleep"><option timestep="0.005"/><worldbody><geom type="plane" size="5 5 1"/>
<body pos="0 0 0.1"><joint name="a" axis="0 0 1" damping="0.5"/><geom type="capsule" fromto="0 0 0 0.6 0 0" size="0.04" mass="2"/></body>
{grain}</worldbody><actuator><motor name="turn" joint="a" gear="3"/></actuator><tenon><track file="track.csv" loop_from="0"/></tenon></mujoco>"""


def spheres():
    return "\n".join(f'<body pos="{0.05 * (i % 5) - 0.1:.3f} {0.05 * (i // 5 % 2) + 0.05:.3f} {0.05 + 0.05 * (i // 10):.3f}"><freejoint/>'
                     f'<geom size="0.02" density="500"/></body>' for i in range(20))


def boxes():
    return "\n".join(f'<body pos="{0.45 * x:.3f} {0.45 * y:.3f} 0.05"><freejoint/><geom type="box" size="0.05 0.05 0.05"/></body>'
                     for x in (-1, 1) for y in (-1, 1))


SCENES = {
    "pendulum": (PENDULUM, "time,turn\n0,0.5\n0.7,-0.5\n1.9,0.5\n", 0.002, ()),
    "stir": (STIR.replace("{grain}", spheres()), "time,turn\n0,0.1\n3,-0.1\n5,0.1\n", 0.005, ()),
    "sleep": (SLEEP.replace("{grain}", boxes()), "time,turn\n0,0\n4,0\n4.5,1\n5,-1\n5.5,0\n12,0\n", 0.005, ("--sleep", "all")),
}


def resident(pid):
    """kB now and at most, or None once the process has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["VmRSS"].split()[0]), int(lines["VmHWM"].split()[0])
    except (OSError, KeyError):
        return None


def soak(name, args, folder):
    text, track, timestep, options = SCENES[name]
    model = os.path.join(folder, name + ".xml")
    for path, content in ((model, text), (os.path.join(folder, "track.csv"), track)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    duration = args.steps * timestep
    out = os.path.join(folder, name)
    command = [args.tenon, "run", model, "--duration", f"{duration:.17g}", "--json", "--no-accuracy", *options, "--csv", out + ".csv", "--log", "energy",
               "--log-every", "1000", "--record", out + ".tnr", "--record-fps", "1", "--checkpoint", out + ".tnc", "--every", f"{duration / 20:.17g}"]
    began = time.monotonic()
    samples = []
    with open(out + ".json", "w+", encoding="utf-8") as result:
        child = subprocess.Popen(command, stdout=result, stderr=subprocess.DEVNULL)
        while child.poll() is None:
            now = resident(child.pid)
            if now:
                samples.append((time.monotonic() - began, *now))
            time.sleep(0.1)
        result.seek(0)
        text = result.read()
    if child.returncode:
        sys.exit(f"{name}: code {child.returncode}")
    report, took = json.loads(text), time.monotonic() - began
    settled = max(now for at, now, _ in samples if at <= 0.1 * took) if samples else 0
    most = max(now for _, now, _ in samples)
    flat = most <= 1.01 * settled + 64
    row = {"scene": name, "steps": report["steps"], "seconds": took, "step_us": 1e3 * report["step_ms_mean"], "settled_kB": settled,
           "most_kB": most, "flat": flat, "unconverged": report["unconverged_steps"], "diverged": report["diverged"],
           "asleep_mean": report["asleep_mean"], "recorded_bytes": os.path.getsize(out + ".tnr"), "hash": report["state_hash"]}
    print(f"{name:9} {row['steps']:8} steps in {took:6.1f} s ({row['step_us']:6.1f} us each): {settled} kB after a tenth of it, at most {most} kB; "
          f"{'flat' if flat else 'GROWS'}; {row['unconverged']} steps missed the tolerance", flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="pendulum, stir, sleep; default: all")
    parser.add_argument("--steps", type=int, default=1000000)
    parser.add_argument("--tenon", default=str(ROOT / "build" / "tenon"))
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    unknown = set(args.names) - set(SCENES)
    if unknown:
        parser.error(f"there is no scene {', '.join(sorted(unknown))}; there are {', '.join(SCENES)}")
    with tempfile.TemporaryDirectory() as folder:
        rows = [soak(name, args, folder) for name in args.names or SCENES]
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return any(not row["flat"] or row["diverged"] for row in rows)


if __name__ == "__main__":
    sys.exit(main())
