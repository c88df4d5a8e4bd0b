"""Sweeps: a grid or list of parameters × seeds as independent tasks, one result file each.

    from tenon.sweep import Sweep

    def task(params, seed):
        ...
        return {"height": 0.3, "world": world}

    study = Sweep(task, grid={"friction": [0.2, 0.4], "mass": [1, 2]}, seeds=3)

    if __name__ == "__main__":
        study.run("results", jobs=2)
        table = study.collect("results")

A task that has its result is not done again. ``python -m tenon.sweep study.py`` does the same from a shell, on one machine,
on Ray, or as a job array of Slurm. docs/sweep.md is the tutorial.
"""

from ._results import Result, model_hash, read
from ._sweep import Summary, Sweep
from ._tasks import SweepError, Task

__all__ = ["Result", "Summary", "Sweep", "SweepError", "Task", "model_hash", "read"]
