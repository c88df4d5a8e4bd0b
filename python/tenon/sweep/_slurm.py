"""A job array of Slurm: element K of N does the tasks K, K + N, … Several elements never do one task."""

import os
import shlex
import sys

MOST = 1000  # elements: Slurm's own limit, unless its administrator has set another


def script(spec, out, tasks: int, shares: int, jobs: int) -> str:
    command = [sys.executable, "-m", "tenon.sweep", os.path.abspath(spec), "--out", os.path.abspath(out),
               "--jobs", str(jobs), "--share"]
    return f"""#!/bin/bash
# {tasks} tasks of {os.path.basename(spec)} in {shares} shares. Submit with: sbatch [--time=… --mem=…] THIS_FILE
# Tasks that have a result are skipped: after a failure or a time limit, submit it again.
#SBATCH --job-name={os.path.splitext(os.path.basename(spec))[0].replace(" ", "_")}
#SBATCH --array=0-{shares - 1}
#SBATCH --cpus-per-task={jobs}
#SBATCH --requeue
share=${{SLURM_ARRAY_TASK_ID:?is set by sbatch. To try one share by hand: SLURM_ARRAY_TASK_ID=0 bash THIS_FILE}}
cd {shlex.quote(os.getcwd())} || exit 4
exec {shlex.join(command)} "$share/{shares}"
"""
