#!/usr/bin/env python3
"""tenon-mpi on several numbers of processes: hashes, weak and strong scaling, bytes sent. Needs a build with -DTENON_MPI=ON.

    bench/mpi_scaling.py hashes [--ranks 1,2,4,8] [--steps 500]
    bench/mpi_scaling.py weak   [--ranks 1,2,4,8,16] [--bodies 20000]     so many grains per process
    bench/mpi_scaling.py strong [--ranks 1,2,4,8,16] [--bodies 50000]     so many in all
    bench/mpi_scaling.py memory [--ranks 1,2,4] [--bodies 100000]         so many in all, two steps
    ... --spread                                                          in parts (docs/scaling.md)

`hashes` runs every scene of scenes/ and the generated ones on one process and on the others, with the tolerance of the
scene and with a fixed count, and compares. The other two let grain fall in a hopper, on all cores,
write a checkpoint, and measure the steps from there; process 0 tells the times. Each figure is the best of --repeats
runs. `memory` looks at the processes every 50 ms: their own memory, and what they share divided by their number
(Pss of /proc/N/smaps_rollup). Results go to stdout as a table, or with --json as one object."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SETTLED, MEASURED = 0.3, 0.05  # s of simulated time
RANKS = {"hashes": [1, 2, 4, 8], "memory": [1, 2, 4]}
BODIES = {"weak": 20000, "strong": 50000, "memory": 100000}
PHASES = ("step", "dynamics", "collision", "constraint", "factor", "iterate", "integrate")
# Debian's Open MPI: more processes than cores, which then give way while they wait; and as root, in a container
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def call(command):
    done = subprocess.run([str(part) for part in command], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return done


def make(kind, count, folder):
    path = pathlib.Path(folder) / f"{kind}{count}.xml"
    call([sys.executable, ROOT / "scenes" / "make_large.py", kind, "--count", count, "--output", path])
    return path


class Programs:
    def __init__(self, build):
        self.alone, self.mpi = build / "tenon", build / "tenon-mpi"
        for program in (self.alone, self.mpi):
            if not program.exists():
                sys.exit(f"there is no {program}; build with cmake -DTENON_MPI=ON")

    def run(self, ranks, model, *options):
        """The report, and what each process sent (bytes per exchange, boundary bodies)."""
        start = [self.alone] if ranks is None else ["mpirun", "-n", ranks, self.mpi]
        done = call(start + ["run", model, "--json", "--quiet", "--no-accuracy", *options])
        sent = [line.split(": ", 2)[2] for line in done.stderr.splitlines() if "exchanges" in line or "in parts" in line]
        return json.loads(done.stdout), sent


def can_be_in_parts(programs, scene):
    done = subprocess.run([programs.alone, "run", scene, "--decompose", "--duration", "1e-9", "--quiet"], capture_output=True,
                          check=False)
    return done.returncode == 0


def hashes(args, programs, folder):
    scenes = sorted((ROOT / "scenes").glob("*.xml"))
    kinds = ("hopper", "drum", "plough", "conveyor")
    scenes += [make(kind, 300 if kind != "conveyor" else 40, folder) for kind in kinds]
    if args.spread:
        scenes = [scene for scene in scenes if can_be_in_parts(programs, scene)]
    rows, wrong = [], 0
    for scene in scenes:
        timestep = programs.run(None, scene, "--duration", 1e-9)[0]["timestep"]
        fixed = ("--tolerance", 0, "--iterations", 20)
        more = ("--decompose",) if args.spread else ()
        for kind in ("exact", "fixed"):
            options = ("--duration", args.steps * timestep, *more, *(fixed if kind == "fixed" else ()))
            wanted = programs.run(None, scene, *options)[0]["state_hash"]
            for ranks in args.ranks:
                same = programs.run(ranks, scene, "--least-work", 0, *options)[0]["state_hash"] == wanted
                wrong += not same
                rows.append({"scene": scene.stem, "fixed": kind == "fixed", "ranks": ranks, "same": same})
                print(f"{scene.stem:14} {kind:6} {ranks:3} ranks: "
                      f"{'same' if same else 'OTHER'} hash", file=sys.stderr, flush=True)
    return {"steps": args.steps, "runs": rows, "wrong": wrong}


def settle(programs, model, folder, more):
    saved = pathlib.Path(folder) / (model.stem + ".state")
    programs.run(None, model, *more, "--duration", SETTLED, "--tolerance", 0, "--iterations", 60, "--threads",
                 min(64, os.cpu_count() or 1), "--checkpoint", saved, "--every", SETTLED)
    return saved


def scaling(args, programs, folder):
    rows, more = [], ("--decompose",) if args.spread else ()
    for ranks in args.ranks:
        count = args.bodies * ranks if args.what == "weak" else args.bodies
        model = pathlib.Path(folder) / f"hopper{count}.xml"
        if not model.exists():
            make("hopper", count, folder)
            settle(programs, model, folder, more)
        runs = [programs.run(ranks, model, *more, "--duration", SETTLED + MEASURED, "--resume", model.with_suffix(".state"),
                             "--tolerance", 0, "--iterations", 60, "--threads", args.threads, "--traffic")
                for _ in range(args.repeats)]
        report, sent = min(runs, key=lambda run: run[0]["step_ms_mean"])
        row = {"ranks": ranks, "bodies": count, "contacts": report["contacts_mean"], "hash": report["state_hash"],
               "sent": sent, **{phase: report[f"{phase}_ms_mean"] for phase in PHASES}}
        rows.append(row)
        first = rows[0]["step"]
        row["ratio"] = first / row["step"]
        print(f"{ranks:3} ranks {count:8} bodies {row['contacts']:9.0f} contacts "
              + " ".join(f"{phase} {row[phase]:.1f}" for phase in PHASES)
              + f" ms; {'efficiency' if args.what == 'weak' else 'speedup'} {row['ratio']:.2f}", file=sys.stderr, flush=True)
        for line in sent:
            print("     " + line, file=sys.stderr, flush=True)
    return {"what": args.what, "threads": args.threads, "rows": rows}


def memory_of(parent):
    """MB of each child."""
    found = {}
    for child in pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split():
        try:
            lines = pathlib.Path(f"/proc/{child}/smaps_rollup").read_text(encoding="utf-8").splitlines()
        except OSError:
            continue
        found[child] = next((int(line.split()[1]) / 1e3 for line in lines if line.startswith("Pss:")), 0.0)
    return found


def memory(args, programs, folder):
    rows, model = [], make("hopper", args.bodies, folder)
    options = ["--duration", 0.01, "--tolerance", 0, "--iterations", 5, *(["--decompose"] if args.spread else [])]
    for ranks in args.ranks:
        command = ["mpirun", "-n", ranks, programs.mpi, "run", model, "--json", "--quiet", "--no-accuracy", *options]
        most, together = {}, 0.0
        with subprocess.Popen([str(part) for part in command], env=ENVIRONMENT, stdout=subprocess.DEVNULL) as job:
            while job.poll() is None:
                now = memory_of(job.pid)
                most = {child: max(most.get(child, 0.0), now.get(child, 0.0)) for child in {*most, *now}}
                together = max(together, sum(now.values()))
                time.sleep(0.05)
        rows.append({"ranks": ranks, "bodies": args.bodies, "each_mb": sorted(most.values()), "together_mb": together,
                     "code": job.returncode})
        print(f"{ranks:3} ranks {args.bodies:8} bodies: " + ", ".join(f"{mb:.0f}" for mb in sorted(most.values()))
              + f" MB, at one time {together:.0f} MB together", file=sys.stderr, flush=True)
    return {"what": "memory", "rows": rows, "wrong": sum(row["code"] != 0 for row in rows)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("what", choices=("hashes", "weak", "strong", "memory"))
    parser.add_argument("--ranks", type=lambda text: [int(x) for x in text.split(",")], metavar="N,...")
    parser.add_argument("--bodies", type=int, metavar="N")
    parser.add_argument("--steps", type=int, default=500, metavar="N")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of each process (default 1)")
    parser.add_argument("--spread", action="store_true", help="in parts; hashes: of scenes that can be")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", metavar="FOLDER")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    args = parser.parse_args()
    args.ranks = args.ranks or RANKS.get(args.what, [1, 2, 4, 8, 16])
    args.bodies = args.bodies or BODIES.get(args.what)
    with tempfile.TemporaryDirectory() as folder:
        result = {"hashes": hashes, "memory": memory}.get(args.what, scaling)(args, Programs(args.build), folder)
    if args.json:
        print(json.dumps(result, indent=1))
    sys.exit(1 if result.get("wrong") else 0)


if __name__ == "__main__":
    main()
