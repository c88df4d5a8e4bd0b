"""A sweep: its tasks, running what is missing, gathering what is there."""

import json
import os
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._local import in_processes, in_this_process
from ._ray import on_ray
from ._results import SUFFIX, Folder, read, versions
from ._source import source_hash
from ._tasks import SweepError, Task, make_tasks

Path = Union[str, os.PathLike]
MANIFEST = "sweep.json"
COMPARED = {"task": "name of the task", "source": "text of the task", "tenon": "version of tenon"}


@dataclass
class Summary:
    """What a run did."""

    tasks: int
    """That were asked for."""
    skipped: int
    """That had their result already."""
    done: int = 0
    failed: List[Tuple[Task, str]] = field(default_factory=list)
    """With what went wrong."""


@dataclass
class Status:
    """Tasks by what there is of them."""

    done: List[Task]
    failed: List[Task]
    missing: List[Task]


def _processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Sweep:
    """Tasks for every combination of parameters and seeds.

    task: ``task(params, seed)`` gets a dict and a whole number of 63 bits, and returns a dict of numbers, texts, arrays, and
    worlds, of which the hashes of model and state are kept. It must depend on nothing else.
    grid: names and lists of values, for all combinations. points: a list of dicts; with a grid, each × all of it.
    seeds: how many, or a list of their numbers. The seed follows from root_seed, the parameters and its number; paired: not
    from the parameters, so that all points get the same seeds.
    """

    def __init__(self, task: Callable[[Dict[str, Any], int], Mapping[str, Any]], *,
                 grid: Optional[Mapping[str, Iterable]] = None, points: Optional[Iterable[Mapping[str, Any]]] = None,
                 seeds: Union[int, Iterable[int]] = 1, root_seed: int = 0, paired: bool = False):
        if not callable(task):
            raise SweepError(f"Sweep: expected a function task(params, seed), got {type(task).__name__}")
        self.task = task
        self.tasks: List[Task] = list(make_tasks(grid, points, seeds, root_seed, paired))

    def __len__(self) -> int:
        return len(self.tasks)

    def __repr__(self) -> str:
        return f"<tenon.sweep.Sweep of '{self._name()}': {len(self)} tasks>"

    def _name(self) -> str:
        return getattr(self.task, "__qualname__", type(self.task).__qualname__)

    def _stamp(self) -> Dict[str, str]:
        """What results say about where they come from."""
        own = getattr(self.task, "source_hash", None)
        return {"task": self._name(), "source": own() if own else source_hash(self.task), **versions()}

    def _claim(self, folder: Folder, stamp: Dict[str, str], other: Optional[str]) -> None:
        """Sees to it that the results in a folder are of this task; other: "redo" or "keep" those of another one."""
        path = folder.path / MANIFEST
        try:
            there = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            there = None
        except ValueError:
            raise SweepError(f"{path}: this file is not of a sweep") from None
        if there == stamp:
            return
        changed = [text for name, text in COMPARED.items() if there and there.get(name) != stamp[name]]
        changed = changed if any(name.endswith(SUFFIX) for name in folder.names()) else []
        if changed and other is None:
            raise SweepError(f"{folder.path} has results of another task: the {' and the '.join(changed)} changed. "
                             f"Take another folder, or redo them (--redo, other='redo'), or keep them "
                             f"(--keep, other='keep')")
        if changed and other == "redo":
            folder.clear()
        folder.write(path, (json.dumps(stamp, indent=1) + "\n").encode())

    def run(self, out: Path, *, jobs: Optional[int] = None, backend: str = "local", only: Optional[Iterable[int]] = None,
            other: Optional[str] = None, report: Optional[Callable[[Summary, Task, Optional[str]], None]] = None) -> Summary:
        """Does the tasks that have no result in the folder `out`, those that failed before among them.

        jobs: processes, None: one for each processor, 0: in this one. backend: "local" or "ray". only: indices of tasks.
        other: "redo" or "keep" results of an earlier text of the task. report: is called after each task, with what went
        wrong or None. An interrupt leaves whole files only; the next run goes on."""
        if backend not in ("local", "ray"):
            raise SweepError(f"backend: expected 'local' or 'ray', got {backend!r}")
        if other not in (None, "redo", "keep"):
            raise SweepError(f"other: expected 'redo' or 'keep', got {other!r}")
        if jobs is not None and jobs < 0:
            raise SweepError(f"jobs: expected 0 or more, got {jobs}")
        wanted = self._chosen(only)
        folder, stamp = Folder(out), self._stamp()
        folder.prepare()
        self._claim(folder, stamp, other)
        there = folder.names()
        waiting = [task for task in wanted if folder.result(task).name not in there]
        summary = Summary(len(wanted), len(wanted) - len(waiting))
        if not waiting:
            return summary
        if backend == "ray":
            outcomes = on_ray(self.task, stamp, waiting, folder, jobs)
        elif jobs == 0:
            outcomes = in_this_process(self.task, stamp, waiting, folder)
        else:
            outcomes = in_processes(self.task, stamp, waiting, folder, jobs or _processors())
        for task, error in outcomes:
            if error:
                summary.failed.append((task, error))
            else:
                summary.done += 1
            if report:
                report(summary, task, error)
        return summary

    def _chosen(self, only: Optional[Iterable[int]]) -> List[Task]:
        if only is None:
            return self.tasks
        places = sorted(set(only))
        for place in places:
            if not 0 <= place < len(self):
                raise SweepError(f"there is no task {place}; the sweep has tasks 0 to {len(self) - 1}")
        return [self.tasks[place] for place in places]

    def status(self, out: Path) -> Status:
        """Which tasks are done, failed or missing."""
        folder, status = Folder(out), Status([], [], [])
        there = folder.names()
        for task in self.tasks:
            if folder.result(task).name in there:
                status.done.append(task)
            elif folder.failure(task).name in there:
                status.failed.append(task)
            else:
                status.missing.append(task)
        return status

    def collect(self, out: Path) -> Dict[str, np.ndarray]:
        """The results that are there as columns, one row for each task, in the order of the sweep: `index`, the parameters,
        `number`, `seed`, what tasks returned, `NAME_model` and `NAME_state` for worlds, `tenon`, `source`. What some tasks
        lack, or return in different shapes, is left out."""
        folder = Folder(out)
        rows = []
        for task in self.status(out).done:
            result = read(folder.result(task))
            row: Dict[str, Any] = {"index": task.index, **task.params, "number": task.number, "seed": task.seed}
            row.update(result.values)
            for name, hashes in result.about["worlds"].items():
                row[f"{name}_model"], row[f"{name}_state"] = hashes["model"], hashes["state"]
            row["tenon"], row["source"] = result.about["tenon"], result.about["source"]
            rows.append(row)
        columns = {}
        for name in rows[0] if rows else ():
            cells = [np.asarray(row[name]) for row in rows if name in row]
            if len(cells) == len(rows) and len({cell.shape for cell in cells}) == 1 and cells[0].dtype.kind != "O":
                columns[name] = np.stack(cells)
        return columns
