#!/usr/bin/env python3
"""Compares tenon with MuJoCo on robots: same file, same start, same controls, same machine.

  mujoco_robots.py MODEL.xml ... FOLDER ...

Of a folder every physics.xml below it is run, and every scene.xml beside none. A model runs from its
first keyframe, or from its reference pose where it has none, with that keyframe's controls:

  rests    as it is
  moves    controls wander about those of the keyframe by a few percent of their range
  falls    free bodies start higher (--height): only models with a floating base

Both engines run on one thread in turns, several times over, with the time step of the file. A time
is the mean wall-clock time of a step; the least over the repeats is printed, since other load on
the machine can only add to it. On a busy machine --cpu counts processor time instead of wall-clock
time; tenon's is that of the whole run without that of one of a single step, which reads the model.
MuJoCo steps ten times per call from Python, which costs it less
than 0.1 us a step, and takes a new control before each. What one of the engines cannot load, or
does not bring to an end, is named and left out.

On the first run MuJoCo is installed from the package index into the project's .venv; see
requirements.txt beside this file.
"""

import argparse
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

from mujoco_stir import ROOT, Track, ensure_packages, fail, show

STEPS_PER_CALL = 10
ROW_S = 0.1      # s between rows of the control track
WANDER = 0.05    # of a control's range, or of WANDER_RANGE where it has none: deviation of a row
WANDER_RANGE = 1.0


class Skipped(Exception):
    """Why a model is left out."""


# ---- files ---------------------------------------------------------------------------------------

def list_models(paths):
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, _, files in sorted(os.walk(path)):
            found = [name for name in ("physics.xml", "scene.xml") if name in files]
            if found:
                yield os.path.join(folder, found[0])


def with_includes(element, folder, near):
    """Children of an included file stand where the include stood. Files are beside the main one, or beside the one that
    includes them."""
    children = []
    for child in element:
        if child.tag == "include":
            places = [os.path.join(place, child.get("file")) for place in (folder, near)]
            path = places[0] if os.path.exists(places[0]) else places[1]
            children += list(with_includes(ElementTree.parse(path).getroot(), folder, os.path.dirname(path)))
        else:
            children.append(with_includes(child, folder, near))
    for child in list(element):
        element.remove(child)
    element.extend(children)
    return element


def as_tree(path):
    """The model as one tree that can be written to any folder."""
    folder = os.path.dirname(os.path.abspath(path))
    root = with_includes(ElementTree.parse(path).getroot(), folder, folder)
    compilers = root.findall("compiler") or [ElementTree.SubElement(root, "compiler")]
    for kind in ("meshdir", "texturedir"):
        if not any(c.get(name) for c in compilers for name in (kind, "assetdir")):
            compilers[0].set(kind, "")
    for compiler in compilers:
        for name in ("meshdir", "texturedir", "assetdir"):
            if compiler.get(name) is not None:
                compiler.set(name, os.path.join(folder, compiler.get(name)))
    return root


def write_scene(root, qpos, ctrl, track, path):
    """The model with the key `start` and, if there is one, a control track; returns the file for MuJoCo."""
    scene = ElementTree.ElementTree(ElementTree.fromstring(ElementTree.tostring(root)))
    keys = scene.getroot().find("keyframe")
    if keys is None:
        keys = ElementTree.SubElement(scene.getroot(), "keyframe")
    def numbers(values):
        return " ".join(repr(float(x)) for x in values)
    ElementTree.SubElement(keys, "key", name="start", qpos=numbers(qpos), ctrl=numbers(ctrl))
    plain = path + ".mujoco.xml"
    scene.write(plain)
    if track:
        own = scene.getroot().find("tenon")
        if own is None:
            own = ElementTree.SubElement(scene.getroot(), "tenon")
        ElementTree.SubElement(own, "track", file=os.path.basename(track))
    scene.write(path)
    return plain


def write_track(model, ctrl, duration, path):
    names = [model.actuator(k).name or f"act{k + 1}" for k in range(model.nu)]
    rows = int(math.ceil(duration / ROW_S)) + 2
    chance = random.Random(1)
    with open(path, "w") as file:
        file.write(",".join(["time"] + names) + "\n")
        for row in range(rows):
            values = []
            for k in range(model.nu):
                low, high = model.actuator_ctrlrange[k]
                limited = bool(model.actuator_ctrllimited[k])
                span = high - low if limited else WANDER_RANGE
                x = ctrl[k] + (WANDER * span * chance.gauss(0.0, 1.0) if row else 0.0)
                values.append(min(max(x, low), high) if limited else x)
            file.write(",".join(repr(float(x)) for x in [row * ROW_S] + values) + "\n")
    return path


# ---- the two engines -----------------------------------------------------------------------------

def run_mujoco(model, key, track, steps, clock):
    """s per step."""
    import mujoco
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, key)
    seconds, done = 0.0, 0
    while done < steps:
        count = min(STEPS_PER_CALL, steps - done)
        if track:
            data.ctrl[:] = track.at(data.time)
        start = clock()
        mujoco.mj_step(model, data, count)
        seconds += clock() - start
        done += count
    for kind in range(len(data.warning)):
        if data.warning[kind].number:
            raise Skipped(f"MuJoCo warned: {mujoco.mjtWarning(kind).name}")
    return seconds / steps


def run_tenon(program, scene, steps, timestep):
    """(s per step, steps that missed the tolerance, s of processor time in all)"""
    command = [program, "run", scene, "--key", "start", "--json", "--quiet", "--no-accuracy",
               "--files", "any", "--threads", "1", "--duration", repr(steps * timestep)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    try:
        result = json.loads(done.stdout)
    except ValueError:
        lines = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        raise Skipped(f"tenon: {lines[0].split(': ', 1)[-1]}") from None
    if result["diverged"]:
        raise Skipped("tenon refused a step")
    return 1e-3 * result["step_ms_mean"], result["unconverged_steps"], cpu


# ---- comparison ----------------------------------------------------------------------------------

def starts_of(model, args):
    """{situation: (qpos, ctrl, whether controls wander)}"""
    import mujoco
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    ctrl = data.ctrl.copy()
    for k in range(model.nu):
        if model.actuator_ctrllimited[k]:
            ctrl[k] = min(max(ctrl[k], model.actuator_ctrlrange[k][0]),
                          model.actuator_ctrlrange[k][1])
    starts = {"rests": (data.qpos.copy(), ctrl, False)}
    if model.nu:
        starts["moves"] = (data.qpos.copy(), ctrl, True)
    higher = data.qpos.copy()
    free = [j for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE]
    for j in free:
        higher[model.jnt_qposadr[j] + 2] += args.height
    if free:
        starts["falls"] = (higher, ctrl, False)
    return starts


def compare(args, root, model, name, start, folder):
    import mujoco
    qpos, ctrl, wanders = start
    steps = max(1, round(args.duration / model.opt.timestep))
    scene = os.path.join(folder, f"{name}.xml")
    track = write_track(model, ctrl, args.duration, os.path.join(folder, f"{name}.csv")) \
        if wanders else None
    own = mujoco.MjModel.from_xml_path(write_scene(root, qpos, ctrl, track, scene))
    key = mujoco.mj_name2id(own, mujoco.mjtObj.mjOBJ_KEY, "start")
    controls = Track(track, -1) if track else None
    mj = tenon = once = whole = math.inf
    clock = time.process_time if args.cpu else time.perf_counter
    missed = 0
    for _ in range(args.repeats):
        mj = min(mj, run_mujoco(own, key, controls, steps, clock))
        seconds, missed, cpu = run_tenon(args.tenon, scene, steps, model.opt.timestep)
        if args.cpu:
            once = min(once, run_tenon(args.tenon, scene, 1, model.opt.timestep)[2])
            whole = min(whole, cpu)
        tenon = min(tenon, seconds)
    if args.cpu:
        tenon = max(whole - once, 0.0) / max(steps - 1, 1)
    return {"situation": name, "dof": int(model.nv), "timestep": float(model.opt.timestep),
            "steps": steps, "mujoco_us": 1e6 * mj, "tenon_us": 1e6 * tenon, "ratio": tenon / mj,
            "unconverged": missed}


def run_model(args, path, situations):
    """Figures of each situation; a reason instead of figures where one was left out."""
    import mujoco
    try:
        model = mujoco.MjModel.from_xml_path(path)
        root = as_tree(path)
    except (ValueError, OSError, ElementTree.ParseError) as error:
        raise Skipped(f"MuJoCo: {str(error).splitlines()[0]}") from None
    with tempfile.TemporaryDirectory() as folder:
        for name, start in starts_of(model, args).items():
            if name not in situations:
                continue
            show(f"{path}: {name}")
            try:
                yield compare(args, root, model, name, start, folder)
            except (Skipped, ValueError) as error:
                yield {"situation": name, "skipped": str(error).splitlines()[0]}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def short_name(path):
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    base = os.path.basename(path)
    return folder if base in ("physics.xml", "scene.xml") else base


def print_row(name, figures):
    if "skipped" in figures:
        print(f"{name[:26]:27}{figures['situation']:7}left out: {figures['skipped']}", flush=True)
        return
    print(f"{name[:26]:27}{figures['situation']:7}{figures['dof']:4}{figures['mujoco_us']:9.1f}"
          f"{figures['tenon_us']:9.1f}{figures['ratio']:8.2f}{figures['unconverged']:7}"
          f" of {figures['steps']}", flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL", help="MJCF files and folders")
    parser.add_argument("--duration", type=float, default=1.0, metavar="S",
                        help="simulated seconds of each run (default 1)")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="default 5")
    parser.add_argument("--height", type=float, default=0.3, metavar="M",
                        help="how much higher `falls` starts, m (default 0.3)")
    parser.add_argument("--situations", default="rests,moves,falls", metavar="LIST",
                        help="which of them (default rests,moves,falls)")
    parser.add_argument("--tenon", default=os.path.join(ROOT, "build", "tenon"), metavar="PROGRAM")
    parser.add_argument("--cpu", action="store_true", help="processor time, not wall-clock time")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    args = parser.parse_args()
    if min(args.duration, args.repeats) <= 0:
        parser.error("--duration and --repeats must be positive")
    return args


def main():
    args = parse_arguments()
    if not os.access(args.tenon, os.X_OK):
        fail(f"there is no program {os.path.relpath(args.tenon)}; build it first:\n"
             "  cmake -S . -B build && cmake --build build")
    ensure_packages(__file__)
    import mujoco
    results, ratios = {}, []
    if not args.json:
        print(f"MuJoCo {mujoco.__version__}, least of {args.repeats}; us per step")
        print(f"{'':27}{'':7}{'dof':>4}{'MuJoCo':>9}{'tenon':>9}{'ratio':>8}  unconverged")
    for path in list_models(args.models):
        name = short_name(path)
        try:
            rows = []
            for figures in run_model(args, path, args.situations.split(",")):
                show("")
                rows.append(figures)
                if not args.json:
                    print_row(name, figures)
        except Skipped as reason:
            rows = [{"situation": "", "skipped": str(reason)}]
            if not args.json:
                print_row(name, rows[0])
        results[path] = rows
        ratios += [row["ratio"] for row in rows if "ratio" in row]
    mean = geometric_mean(ratios) if ratios else None
    if args.json:
        print(json.dumps({"mujoco": mujoco.__version__, "repeats": args.repeats,
                          "geometric_mean": mean, "results": results}, indent=2))
    elif ratios:
        print(f"geometric mean of {len(ratios)} ratios: {mean:.2f}, largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
