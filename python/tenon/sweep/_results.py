"""Result files. KEY.npz has what a task returned, and `about`, a JSON text that says where it comes from. It has neither
time nor machine, so equal results are equal files. KEY.failed.json says why a task failed.

A file is written under another name, synchronized, and renamed: under its own name it is whole."""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import platform
import secrets
import tempfile
import time
import traceback
import zipfile
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Union

import numpy as np

from .. import _core
from .._errors import FileError
from .._model import Model
from .._world import World
from ._tasks import KEY_LENGTH, SweepError, Task

ABOUT = "about"
SUFFIX, FAILED, PARTIAL = ".npz", ".failed.json", ".partial"
LEFT_BEHIND = 86400.0  # s: partial files older than that belong to nobody


@dataclass(frozen=True)
class Result:
    """What a task returned."""

    params: Dict[str, Any]
    number: int
    seed: int
    values: Dict[str, np.ndarray]
    about: Dict[str, Any]
    """task, source (hash of its text), tenon, numpy, python (versions), worlds (name: hashes of model and state)."""

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]


def model_hash(model: Model) -> str:
    """SHA-256 of the model as Model.write writes it, with its meshes. Names of files and folders do not count."""
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory(prefix="tenon-") as folder:
        model.write(os.path.join(folder, "model.xml"))
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file():
                content = path.read_bytes()
                digest.update(f"{path.relative_to(folder)} {len(content)}\n".encode())
                digest.update(content)
    return digest.hexdigest()


def versions() -> Dict[str, str]:
    return {"tenon": _core.version(), "numpy": np.__version__, "python": platform.python_version()}


def _check_name(name: Any, params: Mapping[str, Any]) -> None:
    if not isinstance(name, str) or not name or "/" in name:
        raise SweepError(f"a result needs a text without '/' as its name, got {name!r}")
    if name == ABOUT or name in params or name in ("number", "seed"):
        raise SweepError(f"a result cannot have the name '{name}': it is taken")


def _pack(result: Any, task: Task, stamp: Mapping[str, Any]) -> bytes:
    if not isinstance(result, Mapping):
        raise SweepError(f"the task must return a dict of numbers and arrays, got {type(result).__name__}")
    arrays, worlds = {}, {}
    for name, value in result.items():
        _check_name(name, task.params)
        if isinstance(value, World):
            worlds[name] = {"model": model_hash(value.model), "state": f"{value.hash():016x}"}
            continue
        array = np.asarray(value)
        if array.dtype.kind not in "biufcU":
            raise SweepError(f"the result '{name}' is no number, text or array of them: {type(value).__name__}")
        arrays[name] = array
    about = {"params": task.params, "number": task.number, "seed": task.seed, **stamp, "worlds": worlds}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:  # as numpy.savez, which lacks a way to name an array "file"
        for name, array in {ABOUT: np.array(json.dumps(about)), **arrays}.items():
            with archive.open(zipfile.ZipInfo(name + ".npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return file.getvalue()


def _failure(task: Task, stamp: Mapping[str, Any], error: str, details: str) -> bytes:
    about = {"params": task.params, "number": task.number, "seed": task.seed, **stamp, "error": error, "details": details}
    return (json.dumps(about, indent=1) + "\n").encode()


def perform(call: Callable, task: Task, stamp: Mapping[str, Any]) -> Tuple[Optional[str], bytes]:
    """Does a task. Returns what went wrong, or None, and the content of its file."""
    try:
        return None, _pack(call(json.loads(json.dumps(task.params)), task.seed), task, stamp)
    except Exception as problem:
        error = "".join(traceback.format_exception_only(type(problem), problem)).strip()
        return error, _failure(task, stamp, error, traceback.format_exc())


def ended(task: Task, stamp: Mapping[str, Any], error: str) -> Tuple[str, bytes]:
    """What perform would have returned, for a process that ended while it did the task."""
    return error, _failure(task, stamp, error, error)


class Folder:
    """The result files of a sweep."""

    def __init__(self, path: Union[str, os.PathLike]):
        self.path = pathlib.Path(path).absolute()  # tasks may go to another folder

    def result(self, task: Task) -> pathlib.Path:
        return self.path / (task.key + SUFFIX)

    def failure(self, task: Task) -> pathlib.Path:
        return self.path / (task.key + FAILED)

    def reason(self, task: Task) -> str:
        """Why a task failed, in one line."""
        try:
            return json.loads(self.failure(task).read_text(encoding="utf-8"))["error"].splitlines()[0]
        except (OSError, ValueError, LookupError):
            return f"{self.failure(task)} cannot be read"

    def names(self) -> set:
        try:
            return set(os.listdir(self.path))
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise FileError(f"{self.path}: {error.strerror}") from None

    def clear(self) -> None:
        """Removes all results."""
        for name in self.names():
            if name.endswith((SUFFIX, FAILED)) and len(name.split(".")[0]) == KEY_LENGTH:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.path / name)

    def store(self, task: Task, error: Optional[str], content: bytes) -> None:
        """Writes a result or a failure. A result takes the place of an earlier failure."""
        self.write(self.failure(task) if error else self.result(task), content)
        if not error:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.failure(task))

    def write(self, path: pathlib.Path, content: bytes) -> None:
        partial = self.path / f".{secrets.token_hex(12)}{PARTIAL}"
        try:
            with open(partial, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(partial)
            raise
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)  # so that the name is on the disk, too
        finally:
            os.close(folder)

    def prepare(self) -> None:
        """Makes the folder, and removes what killed processes left there."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{self.path}: {error.strerror}") from None
        for path in self.path.glob(".*" + PARTIAL):
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < time.time() - LEFT_BEHIND:
                    path.unlink()


def read(path: Union[str, os.PathLike]) -> Result:
    """Reads a result file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            values = {name: file[name] for name in file.files if name != ABOUT}
            about = json.loads(str(file[ABOUT]))
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file") from None
    except Exception as problem:  # NumPy and zipfile have many
        raise FileError(f"{path}: not a result of a sweep ({problem})") from None
    return Result(about.pop("params"), about.pop("number"), about.pop("seed"), values, about)
