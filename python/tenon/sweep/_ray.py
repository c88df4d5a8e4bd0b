"""Tasks on a cluster of Ray. Contents of files come back to this process, which writes them: workers need no common disk.
Ray starts a task again whose worker has died; a task that ends its worker every time fails after a few."""

import contextlib
import logging
import os
import sys
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from ._results import Folder, ended, perform
from ._tasks import SweepError, Task

TRIES = 3      # of a task, after its worker died
IN_FLIGHT = 4  # tasks per processor that Ray knows of at a time

Outcome = Tuple[Task, Optional[str]]


@contextlib.contextmanager
def _sent_whole(ray, call: Callable):
    """The module of the task travels with it: workers need not be able to import it."""
    module = sys.modules.get(getattr(call, "__module__", ""))
    if module is None or module.__name__ == "__main__" or module.__name__.startswith("tenon."):
        yield  # Ray sends __main__ whole by itself
        return
    ray.cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        ray.cloudpickle.unregister_pickle_by_value(module)


def on_ray(call: Callable, stamp: Mapping[str, Any], tasks: List[Task], folder: Folder,
           jobs: Optional[int]) -> Iterator[Outcome]:
    """Yields each task as it is done, with what went wrong. A cluster that runs is used (RAY_ADDRESS, or ray.init before);
    otherwise one of `jobs` processes is started here, and ended."""
    try:
        import ray
    except ImportError:
        raise SweepError("backend 'ray' needs the package ray: pip install ray") from None
    begun = not ray.is_initialized()
    if begun:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody asked for a report to its makers
        here: Dict[str, Any] = {"num_cpus": jobs or None, "include_dashboard": False}
        ray.init(logging_level=logging.ERROR, **({} if os.environ.get("RAY_ADDRESS") else here))
    try:
        with _sent_whole(ray, call):
            shared = ray.put(call)
        remote = ray.remote(num_cpus=1, max_retries=TRIES)(perform)
        most = IN_FLIGHT * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting = list(reversed(tasks))
        running: Dict[Any, Task] = {}
        while waiting or running:
            while waiting and len(running) < most:
                task = waiting.pop()
                running[remote.remote(shared, task, stamp)] = task
            for answer in ray.wait(list(running))[0]:
                task = running.pop(answer)
                try:
                    error, content = ray.get(answer)
                except ray.exceptions.RayError as problem:
                    error, content = ended(task, stamp, f"Ray gave up: {problem}".strip())
                folder.store(task, error, content)
                yield task, error
    finally:
        if begun:
            ray.shutdown()
