"""``python -m tenon.sweep``: sweeps from a shell."""

import argparse
import os
import signal
import sys
import time
from typing import List, Optional

from .._errors import Error
from . import _slurm, _table
from ._results import Folder
from ._spec import load
from ._sweep import Summary, Sweep
from ._tasks import SweepError, Task

EXAMPLES = """
Examples:
  tenon sweep study.py --jobs 4              do what is missing, in 4 processes; Ctrl-C and the same line go on
  tenon sweep study.py --status              how many tasks are done, failed, missing
  tenon sweep study.py --collect study.csv   all results as a table
  tenon sweep study.py --backend ray         on the Ray cluster of RAY_ADDRESS, or on one that is started here
  tenon sweep study.py --slurm > job.sh      a job array of Slurm: sbatch job.sh

SPEC is a Python file with a tenon.sweep.Sweep, or a .toml or .json file with a model and a grid (docs/sweep.md).
Exit codes: 0 all tasks asked for are done; 1 some failed or are missing; 2 wrong usage; 4 a file cannot be read or written;
130 interrupted.
"""


def _indices(text: str) -> List[int]:
    """"3", "0-9", "1,4,7-9"."""
    result: List[int] = []
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            result += range(int(first), int(last or first) + 1)
    except ValueError:
        result = []
    if not result:
        raise argparse.ArgumentTypeError(f"expected indices such as 3 or 0-9 or 1,4,7-9, got '{text}'")
    return result


def _share(text: str):
    try:
        part, parts = (int(number) for number in text.split("/"))
        if 0 <= part < parts:
            return part, parts
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"expected K/N with K from 0 to N-1, got '{text}'")


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected a whole number, got '{text}'")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tenon sweep", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
        description="Does the tasks of a sweep, one result file each. Tasks that have a result are not done again.")
    parser.add_argument("spec", metavar="SPEC")
    parser.add_argument("--out", metavar="FOLDER",
                        help="folder of the results (default: SPEC without its suffix, and -results)")
    parser.add_argument("--jobs", metavar="N", type=_count,
                        help="processes (default: one for each processor); 0: all in this process, for a debugger")
    parser.add_argument("--backend", choices=("local", "ray"), default="local", help="where tasks run (default: local)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--index", metavar="LIST", type=_indices, help="only these tasks: 3 or 0-9 or 1,4,7-9")
    which.add_argument("--share", metavar="K/N", type=_share, help="only tasks K, K+N, K+2N, …; K from 0")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--redo", dest="other", action="store_const", const="redo",
                       help="do tasks again whose results are of an earlier text of the task")
    other.add_argument("--keep", dest="other", action="store_const", const="keep", help="keep such results")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="print the tasks: index, key, parameters")
    what.add_argument("--status", action="store_true",
                      help="print how many tasks are done, failed, missing, and why they failed")
    what.add_argument("--collect", metavar="FILE", help="gather the results in a .csv or .npz file")
    what.add_argument("--slurm", metavar="N", type=_count, nargs="?", const=0,
                      help=f"print a job array script with N elements (default: one for each task, at most {_slurm.MOST})")
    parser.add_argument("--quiet", action="store_true", help="print failures only")
    return parser


class _Progress:
    """One line on a terminal, and a line for each failure."""

    def __init__(self, quiet: bool):
        self.line = not quiet and sys.stderr.isatty()
        self.start = time.monotonic()

    def __call__(self, summary: Summary, task: Task, error: Optional[str]) -> None:
        clear = "\r\033[K" if self.line else ""
        if error:
            print(f"{clear}task {task.index} ({task}) failed: {error.splitlines()[0]}", file=sys.stderr)
        if self.line:
            begun = summary.done + len(summary.failed)
            left = summary.tasks - summary.skipped - begun
            seconds = (time.monotonic() - self.start) / begun * left
            print(f"{clear}{summary.skipped + begun} of {summary.tasks}, {seconds:.0f} s left", end="", file=sys.stderr,
                  flush=True)

    def end(self) -> None:
        if self.line:
            print("\r\033[K", end="", file=sys.stderr)


def _print_status(sweep: Sweep, out: str) -> int:
    status = sweep.status(out)
    print(f"{out}: {len(sweep)} tasks, {len(status.done)} done, {len(status.failed)} failed, {len(status.missing)} missing")
    for task in status.failed:
        print(f"task {task.index} ({task}) failed: {Folder(out).reason(task)}")
    return 0 if len(status.done) == len(sweep) else 1


def _collect(sweep: Sweep, out: str, path: str) -> int:
    columns = sweep.collect(out)
    count = len(columns["index"]) if columns else 0
    if not count:
        print(f"tenon sweep: {out} has no results", file=sys.stderr)
        return 1
    left = _table.write(columns, path)
    print(f"{path}: {count} of {len(sweep)} tasks", file=sys.stderr)
    if left:
        print(f"left out, as they do not fit into a table: {', '.join(left)}; a .npz file has them", file=sys.stderr)
    return 0 if count == len(sweep) else 1


def _run(sweep: Sweep, out: str, options: argparse.Namespace) -> int:
    only = options.index
    if options.share:
        only = range(options.share[0], len(sweep), options.share[1])
    progress = _Progress(options.quiet)
    try:
        summary = sweep.run(out, jobs=options.jobs, backend=options.backend, only=only, other=options.other, report=progress)
    except KeyboardInterrupt:
        progress.end()
        done = len(sweep.status(out).done)
        print(f"interrupted: {done} of {len(sweep)} tasks are done; the same command goes on", file=sys.stderr)
        return 130
    progress.end()
    if not options.quiet:
        print(f"{out}: {summary.done} done, {summary.skipped} were there, {len(summary.failed)} failed", file=sys.stderr)
    return 1 if summary.failed else 0


def _interrupt(*_) -> None:
    raise KeyboardInterrupt


def main(arguments: Optional[List[str]] = None) -> int:
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)  # what Slurm sends at the time limit
    try:
        sweep = load(options.spec)
        out = options.out or os.path.splitext(os.path.basename(options.spec))[0] + "-results"
        if options.list:
            for task in sweep.tasks:
                print(f"{task.index} {task.key} {task}")
            return 0
        if options.status:
            return _print_status(sweep, out)
        if options.collect:
            return _collect(sweep, out, options.collect)
        if options.slurm is not None:
            shares = min(options.slurm or _slurm.MOST, len(sweep))
            print(_slurm.script(options.spec, out, len(sweep), shares, options.jobs or 1), end="")
            return 0
        return _run(sweep, out, options)
    except BrokenPipeError:  # as in `tenon sweep study.py --list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SweepError as error:
        print(f"tenon sweep: {error}", file=sys.stderr)
        return 2
    except (Error, OSError) as error:
        print(f"tenon sweep: {error}", file=sys.stderr)
        return 4 if isinstance(error, OSError) else 3


if __name__ == "__main__":
    sys.exit(main())
