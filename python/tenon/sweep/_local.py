"""Tasks in processes of this machine. Each process does one task at a time and writes its file; one that dies takes only
its own task with it, and another takes its place."""

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
from typing import Any, Callable, Iterator, List, Mapping, Optional, Tuple

from ._results import Folder, ended, perform
from ._tasks import SweepError, Task

PATIENCE = 5.0  # s that a process has to end after it was told to
# What NumPy's linear algebra may use: several threads would compete, and sums over them differ in their last bits.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Outcome = Tuple[Task, Optional[str]]


def in_this_process(call: Callable, stamp: Mapping[str, Any], tasks: List[Task], folder: Folder) -> Iterator[Outcome]:
    for task in tasks:
        error, content = perform(call, task, stamp)
        folder.store(task, error, content)
        yield task, error


def _work(pipe, call: Callable, stamp: Mapping[str, Any], folder: Folder) -> None:
    """What a process does. Ctrl-C goes to the parent, which ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # Windows cannot make signals wait
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    pipe.send(None)
    with contextlib.suppress(EOFError, BrokenPipeError):  # the parent has gone
        while True:
            task = pipe.recv()
            error, content = perform(call, task, stamp)
            folder.store(task, error, content)
            pipe.send(error)


@contextlib.contextmanager
def _for_children():
    """What processes inherit that start meanwhile: one thread for linear algebra; Ctrl-C waits until they ignore it."""
    added = [name for name in ONE_THREAD if name not in os.environ]
    os.environ.update({name: "1" for name in added})
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for name in added:
            del os.environ[name]


class _Worker:
    def __init__(self, *arguments):
        context = multiprocessing.get_context("spawn")  # a fork would inherit threads and locks
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other, *arguments))
        self.task: Optional[Task] = None
        self.ready, self.alive = False, True
        with _for_children():
            try:
                self.process.start()
            except (AttributeError, TypeError, ImportError, ValueError) as error:  # what pickle raises, and PicklingError
                raise SweepError(f"the task cannot be sent to another process: {error}. Define it at the top level of a "
                                 f"file, or take jobs=0 or backend='ray'") from None
        other.close()

    def give(self, task: Task) -> None:
        self.task = task
        with contextlib.suppress(BrokenPipeError):  # if it has died meanwhile, answer() says so
            self.pipe.send(task)

    def answer(self) -> Optional[str]:
        """What went wrong with the task, which may be that the process is dead."""
        try:
            error = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.alive = False
            return self._ending()
        self.ready, self.task = True, None
        return error

    def _ending(self) -> str:
        self.process.join()
        code = self.process.exitcode
        how = f"was ended by signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"ended with exit code {code}"
        if not self.ready:
            raise SweepError(f"a process {how} before it took a task; what it printed says why. A script that runs a sweep "
                             f"needs the line: if __name__ == '__main__':")
        return f"the process {how}"

    def stop(self) -> None:
        self.pipe.close()
        if self.task is not None or not self.ready:
            self.process.terminate()
        self.process.join(PATIENCE)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()


def in_processes(call: Callable, stamp: Mapping[str, Any], tasks: List[Task], folder: Folder,
                 jobs: int) -> Iterator[Outcome]:
    """Yields each task as it is done, with what went wrong."""
    waiting = list(reversed(tasks))
    workers: List[_Worker] = []
    try:
        for _ in range(min(jobs, len(tasks))):
            workers.append(_Worker(call, stamp, folder))
        while workers:
            for pipe in multiprocessing.connection.wait([worker.pipe for worker in workers]):
                worker, = (worker for worker in workers if worker.pipe is pipe)
                task, error = worker.task, worker.answer()
                if worker.alive and waiting:
                    worker.give(waiting.pop())
                else:
                    workers.remove(worker)
                    worker.stop()
                    if waiting:
                        workers.append(_Worker(call, stamp, folder))
                if task is not None:
                    if not worker.alive:
                        folder.store(task, *ended(task, stamp, error or ""))
                    yield task, error
    finally:
        for worker in workers:
            worker.stop()
