"""The scenes of the package, the window, and the demonstration."""

from __future__ import annotations

import os
import sys
from typing import List, Optional, Union

from . import _core
from ._errors import Error, FileError, UsageError
from ._model import Model
from ._recording import Recording, record
from ._world import World

_FOLDER = os.path.join(os.path.dirname(__file__), "scenes")


def scenes() -> List[str]:
    """Names of the scenes that the package has."""
    return sorted(name[:-4] for name in os.listdir(_FOLDER) if name.endswith(".xml"))


def scene_path(name: str) -> str:
    """The model file of a scene: ``tenon.Model.from_file(tenon.scene_path("stir"))``."""
    if name not in scenes():
        raise KeyError(f"there is no scene '{name}'; there are {', '.join(scenes())}")
    return os.path.join(_FOLDER, f"{name}.xml")


def find_glfw() -> None:
    """Points to the libglfw of the Python package glfw, if that is installed and nothing else was chosen."""
    if "TENON_GLFW" in os.environ:
        return
    import importlib.util
    found = importlib.util.find_spec("glfw")
    if found is None or not found.origin:
        return
    kind = "x11" if os.environ.get("DISPLAY") else "wayland"
    library = os.path.join(os.path.dirname(found.origin), kind, "libglfw.so")
    if os.path.exists(library):
        os.environ["TENON_GLFW"] = library


def _has_display() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _check_window(what: str, world: World, width: int, height: int) -> None:
    """Raises what is wrong before a window is tried."""
    if not isinstance(world, World):
        raise TypeError(f"{what}: expected a tenon.World, got {type(world).__name__}")
    if world.closed:
        raise UsageError("the world is closed")
    if not (0 < width <= 16384 and 0 < height <= 16384):
        raise UsageError(f"{what}: width and height must be 1 to 16384, got {width} and {height}")
    if not _core.has_window:
        raise Error("this build of tenon has no window: the headers of GLFW were missing; " + _OTHERWISE)
    if not _has_display():
        raise Error(f"{what}: there is no display (DISPLAY and WAYLAND_DISPLAY are not set); {_OTHERWISE}")
    earlier = _open() if _open else None
    if earlier is not None and earlier.is_open:
        raise UsageError(f"{what}: another window is open; close it first")
    find_glfw()


def view(world: World, *, speed: float = 1.0, paused: bool = False, width: int = 1280, height: int = 720,
         title: Optional[str] = None, duration: float = 0.0) -> None:
    """Opens a window on the world and returns when it is closed.

    In the window the world goes on from its present state, in real time × speed: Space pauses, the mouse turns the view
    and pulls bodies, F1 shows the keys. Afterwards the world is what it was when the window was closed. duration: s,
    simulated, after which the window closes; 0: never. Needs a display and GLFW (``pip install glfw``, or the package
    libglfw3 of the system); without, this is a tenon.Error. Viewer is a window for a world that your loop runs.
    """
    if not 1 / 1024 <= speed <= 1024:
        raise UsageError(f"view: speed must be 1/1024 to 1024, got {speed}")
    if not duration >= 0:
        raise UsageError(f"view: duration must be 0 or more, got {duration}")
    _check_window("view", world, width, height)
    steps = max(1, round(duration / world.model.timestep)) if duration else 0
    try:
        interrupted = _core._view(world._handle(), title, speed, paused, width, height, steps)
    except FileError as error:
        raise Error(f"view: {error}; {_OTHERWISE}") from None
    if interrupted:
        raise KeyboardInterrupt


class Viewer:
    """A window that watches a world which your loop runs:

        with tenon.Viewer(world) as viewer:
            while viewer.is_open:
                world.ctrl[:] = policy(world.qpos)
                world.step()
                viewer.sync()

    sync() shows the world as it is now. It waits so that simulated time does not run faster than real time × speed; None:
    it never waits. There is one window at a time. What it needs is what view() needs.
    """

    def __init__(self, world: World, *, speed: Optional[float] = 1.0, width: int = 1280, height: int = 720,
                 title: Optional[str] = None):
        global _open
        if speed is not None and not speed > 0:
            raise UsageError(f"Viewer: speed must be positive or None, got {speed}")
        _check_window("Viewer", world, width, height)
        import weakref
        try:
            self._window = _core.Watcher(world._handle(), title, width, height)
        except FileError as error:
            raise Error(f"Viewer: {error}; {_OTHERWISE}") from None
        self._world, self._speed, self._start = world, speed, None
        self._finalize = weakref.finalize(self, self._window.close)  # also when Python ends
        _open = weakref.ref(self)

    @property
    def is_open(self) -> bool:
        """False after the window was closed, by the user or by close()."""
        return self._window.is_open

    def sync(self) -> None:
        """Shows the world as it is now. Does nothing if the window is closed."""
        self._window._show()
        if self._speed is None:
            return
        import time
        now, simulated = time.monotonic(), self._world.time
        if self._start is None or simulated < self._start[1]:  # the first time, or after a reset
            self._start = (now, simulated)
        due = self._start[0] + (simulated - self._start[1]) / self._speed
        if due > now:
            time.sleep(due - now)
        elif now - due > 0.1:  # what is late is not made up for
            self._start = (now, simulated)

    def close(self) -> None:
        """Closes the window."""
        self._finalize()

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *problem) -> None:
        self.close()


_open = None  # a weak reference to the Viewer that was opened last
_OTHERWISE = "world.to_html(path) writes a page instead, world.render() draws a picture"


def _in_notebook() -> bool:
    """Whether what is returned is shown by a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def demo(name: str = "stir", *, duration: float = 10.0,
         path: Union[str, os.PathLike, None] = None) -> Union[Recording, str, None]:
    """Shows a scene of the package (`tenon.scenes()`).

    In a notebook it returns a recording of `duration` seconds, which the notebook plays. With a display it opens a window.
    Otherwise, or if `path` is given, it writes a page that plays the recording, says where, and returns its path.
    """
    world = World(Model.from_file(scene_path(name)))
    if _in_notebook() and path is None:
        return _recorded(world, name, duration)
    if _has_display() and path is None:
        try:
            return view(world)
        except Error as error:
            print(f"{error}", file=sys.stderr)
    return _write_page(world, name, duration, path)


def recorded(name: str, duration: float) -> Recording:
    """A recording of a scene of the package."""
    return _recorded(World(Model.from_file(scene_path(name))), name, duration)


def _recorded(world: World, name: str, duration: float) -> Recording:
    import tempfile
    folder = tempfile.TemporaryDirectory(prefix="tenon-")
    recording = record(world, os.path.join(folder.name, f"{name}.tnr"), duration, 25.0)
    recording._keep = folder
    return recording


def _write_page(world: World, name: str, duration: float, path) -> str:
    import tempfile
    if path is None:
        path = os.path.join(tempfile.mkdtemp(prefix="tenon-"), f"{name}.html")
    print(f"simulating {duration:g} s of {name} ...")
    with _recorded(world, name, duration) as recording:
        page = os.path.abspath(recording.to_html(path, title=name))
    print(f"open {page} in a browser")
    if _has_display():
        import pathlib
        import webbrowser
        webbrowser.open(pathlib.Path(page).as_uri())
    return page
