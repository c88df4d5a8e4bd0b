"""Recordings (.tnr) that are read: arrays, pictures, and the page that plays them."""

from __future__ import annotations

import operator
import os
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core, _page
from ._errors import Error, FileError, UsageError
from ._words import knows_its_keywords
from ._world import CONTACT, Recorder, World, Which

FIGURES = ("kinetic", "potential", "elastic", "residual", "mean_penetration", "max_penetration")
COLORS = ("model", "subsystem", "stress")


class Frame:
    """One frame of a recording: what there was at one time."""

    def __init__(self, recording: "Recording", index: int):
        self._recording, self._index = recording, index

    def __repr__(self) -> str:
        return f"<tenon.Frame {self._index} at {self.time:g} s>"

    def _read(self, what: str) -> np.ndarray:
        return self._recording._file._read([self._recording._frames[self._index]], what)[0]

    @property
    def time(self) -> float:
        """s."""
        return float(self._recording.times[self._index])

    @property
    def poses(self) -> np.ndarray:
        """(bodies, 7): position and quaternion (w, x, y, z) of every body; body 0 is the world."""
        return self._read("poses").reshape(-1, 7)

    @property
    def points(self) -> np.ndarray:
        """(points, 3): points of cables, tendons and soft bodies, m."""
        return self._read("points").reshape(-1, 3)

    @property
    def contacts(self) -> np.ndarray:
        """Contacts, a structured array as that of World."""
        return self._recording._file._contacts(self._recording._frames[self._index]).view(CONTACT)

    @property
    def signals(self) -> Dict[str, float]:
        """Joints, sensors, controls and forces of actuators by name."""
        return dict(zip(self._recording.signal_names, self._read("signals").tolist()))

    def body_pose(self, which: Which) -> Tuple[np.ndarray, np.ndarray]:
        """Position and quaternion (w, x, y, z) of a body."""
        pose = self.poses[self._recording.body(which)]
        return pose[:3], pose[3:]

    def render(self, width: int = 640, height: int = 480, camera: Optional[Which] = None,
               **options: Any) -> np.ndarray:
        """A picture of this frame; see Recording.render."""
        return self._recording.render(self._index, width, height, camera, **options)


@knows_its_keywords
class Recording:
    """A recording (.tnr) that Recorder or ``tenon run --record`` wrote:

        run = tenon.Recording("run.tnr")
        run.times, run.poses                # (frames,), (frames, bodies, 7)
        run[-1].contacts                    # one frame
        run[100:200].to_html("part.html")   # some of the frames

    In a notebook it shows itself as a page that plays it. A part shares the file with the whole.
    """

    def __init__(self, path: Union[str, os.PathLike]):
        self._file = _core.Recording(os.fspath(path))
        self._about = self._file._about()
        self._frames: List[int] = list(range(len(self._about["times"])))
        self._renderer = None
        self._keep: object = None  # what must live as long as this
        self.path = os.fspath(path)

    def _part(self, frames: Sequence[int]) -> "Recording":
        part = object.__new__(type(self))
        part.__dict__.update(self.__dict__)
        part._frames = list(frames)
        return part

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, which):
        if isinstance(which, slice):
            return self._part(self._frames[which])
        index = operator.index(which)
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"the recording has {len(self)} frames, not {index}")
        return Frame(self, place)

    def __iter__(self) -> Iterator[Frame]:
        return (Frame(self, i) for i in range(len(self)))

    def __repr__(self) -> str:
        if self._file.closed:
            return "<tenon.Recording, closed>"
        times = self.times
        span = f", {times[0]:g} s to {times[-1]:g} s" if len(self) else ""
        return f"<tenon.Recording of '{self.name}': {len(self)} frames{span}>"

    # -- what it has

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._about["name"]

    @property
    def timestep(self) -> float:
        """s, of the simulation."""
        return self._about["timestep"]

    @property
    def body_names(self) -> List[str]:
        """Names of the bodies, "" where there is none; body 0 is the world."""
        return list(self._about["bodies"])

    @property
    def signal_names(self) -> List[str]:
        """Names of the signals: NAME.q0, NAME.v0 of joints, NAME.s0 of sensors, NAME.ctrl, NAME.force, NAME.act of
        actuators."""
        return list(self._about["signals"])

    @property
    def cameras(self) -> List[str]:
        """Names of the cameras."""
        return list(self._about["cameras"])

    @property
    def cut_off(self) -> bool:
        """The file ends early or is damaged; what is whole is read."""
        return self._about["cut_off"]

    @property
    def resolution(self) -> float:
        """m, to which positions are rounded."""
        return self._about["resolution"]

    def body(self, which: Which) -> int:
        """The index of a body."""
        return _index("body", which, self._about["bodies"])

    # -- numbers of all frames

    @property
    def times(self) -> np.ndarray:
        """(frames,), s."""
        return self._about["times"][self._frames]

    def _all(self, what: str) -> np.ndarray:
        return self._file._read(self._frames, what)

    @property
    def poses(self) -> np.ndarray:
        """(frames, bodies, 7): position and quaternion (w, x, y, z) of every body."""
        return self._all("poses").reshape(len(self), len(self._about["bodies"]), 7)

    @property
    def points(self) -> np.ndarray:
        """(frames, points, 3): points of cables, tendons and soft bodies, m."""
        return self._all("points").reshape(len(self), self._about["points"], 3)

    @property
    def stress(self) -> np.ndarray:
        """(frames, points): von Mises stress of soft bodies, Pa. (frames, 0) where it was not recorded."""
        return self._all("stress")

    @property
    def signals(self) -> np.ndarray:
        """(frames, signals), in the order of signal_names."""
        return self._all("signals").reshape(len(self), len(self._about["signals"]))

    def signal(self, name: str) -> np.ndarray:
        """(frames,): one signal by its name."""
        return self.signals[:, _index("signal", name, self._about["signals"])]

    @property
    def sensors(self) -> np.ndarray:
        """(frames, numbers of all sensors), in the order of the model: the signals that sensors gave."""
        kinds = np.array(self._about["signal_kinds"], dtype=str)
        return self.signals[:, kinds == "sensor"]

    @property
    def figures(self) -> Dict[str, np.ndarray]:
        """Arrays (frames,) by name: kinetic, potential, elastic (J), residual (m/s), mean_penetration, max_penetration
        (m)."""
        return {what: self._all(what).reshape(len(self)) for what in FIGURES}

    def _state(self, what: str) -> np.ndarray:
        if not self._about["has_state"]:
            raise UsageError(f"the recording has no {what}: record with state=True, or --record-state")
        return self._all(what)

    @property
    def qpos(self) -> np.ndarray:
        """(frames, nq), exact; only of recordings with state=True."""
        return self._state("qpos")

    @property
    def qvel(self) -> np.ndarray:
        """(frames, nv), exact; only of recordings with state=True."""
        return self._state("qvel")

    @property
    def ctrl(self) -> np.ndarray:
        """(frames, nu), exact; only of recordings with state=True."""
        return self._state("ctrl")

    # -- to look at

    def render(self, index: int = -1, width: int = 640, height: int = 480, camera: Optional[Which] = None, *,
               eye: Optional[npt.ArrayLike] = None, target: Optional[npt.ArrayLike] = None, fovy: float = 0.0, depth: bool = False, segmentation: bool = False) -> np.ndarray:
        """A picture of frame `index`, as World.render. segmentation: also cables and soft bodies are -2."""
        if not _core.can_render:
            raise Error("this build of tenon has no renderer: the headers of OpenGL and EGL were missing")
        if depth and segmentation:
            raise UsageError("render: either depth or segmentation")
        size = (operator.index(width), operator.index(height))
        if not (0 < size[0] <= 16384 and 0 < size[1] <= 16384):
            raise UsageError(f"render: width and height must be 1 to 16384, got {size[0]} and {size[1]}")
        frame = self._frames[self[index]._index]
        place = -1 if camera is None else _index("camera", camera, self._about["cameras"])
        if self._renderer is None or self._renderer[0] != size:
            self._renderer = (size, _core.FrameRenderer(self._file, *size))
        pixels = self._renderer[1]._draw(frame, place, eye, target, fovy, 1 if depth else 2 if segmentation else 0)
        if depth:
            return pixels.view(np.float32).reshape(size[1], size[0])
        if segmentation:
            return pixels.view(np.int32).reshape(size[1], size[0]) - 1
        return pixels.reshape(size[1], size[0], 3)

    def to_html(self, path: Union[str, os.PathLike], *, fps: Optional[float] = 30.0, title: Optional[str] = None,
                color: str = "model") -> str:
        """Writes one page that plays the frames in any browser, without a network; returns its path. At most `fps` frames
        per second (None: all). color: "model", "subsystem" or "stress"."""
        if color not in COLORS:
            raise UsageError(f"to_html: color must be {', '.join(COLORS)}, got {color!r}")
        if not len(self):
            raise UsageError("to_html: the recording has no frames")
        self._file._write_page(os.fspath(path), self._thinned(fps), title, color)
        return os.fspath(path)

    def export(self, path: Union[str, os.PathLike], *, fps: Optional[float] = None, title: Optional[str] = None) -> str:
        """Writes the frames for other programs, in the format that the name ends in, and returns its path: .glb, .gltf
        (animated 3D scene: Blender, viewers), .mcap (Foxglove), .npz (NumPy), .csv, .pvd (soft bodies, for ParaView), .html.
        At most `fps` frames per second (0: all; None: 30 for .html, .glb, .gltf and .mcap, all for the others). Scenes and
        pages may have a `title`."""
        if fps is not None and not fps >= 0:
            raise UsageError(f"export: fps must not be negative, got {fps}")
        if not len(self):
            raise UsageError("export: the recording has no frames")
        self._file._export(os.fspath(path), self._frames, -1.0 if fps is None else float(fps), title)
        return os.fspath(path)

    def to_usd(self, path: Union[str, os.PathLike], *, fps: float = 30.0) -> str:
        """Writes the frames as a USD stage with time samples (.usd, .usda, .usdc) and returns its path: bodies with their
        shapes, cables, soft bodies. At most `fps` frames per second (0: all). Needs the package usd-core."""
        from . import usd
        return usd.write(path, self, fps=fps)

    def to_film(self, path: Union[str, os.PathLike], *, fps: float = 30.0, speed: float = 1.0, width: int = 1280,
                height: int = 720, camera: Optional[Which] = None, eye: Optional[npt.ArrayLike] = None,
                target: Optional[npt.ArrayLike] = None) -> str:
        """Writes a film, by the program ffmpeg, in the format that the name ends in (.mp4, .webm, .gif); returns its path.
        Each of its `fps` pictures per second shows the nearest frame; speed 0.5 is slow motion. Camera, eye and target are
        those of render()."""
        if not (fps > 0 and speed > 0):
            raise UsageError(f"to_film: fps and speed must be positive, got {fps} and {speed}")
        if width % 2 or height % 2:
            raise UsageError(f"to_film: width and height must be even, got {width} and {height}")
        if not len(self):
            raise UsageError("to_film: the recording has no frames")
        path, times = os.fspath(path), self.times
        count = int(np.floor((times[-1] - times[0]) * fps / speed + 1e-6)) + 1
        wanted = times[0] + np.arange(count) * (speed / fps)
        after = np.clip(np.searchsorted(times, wanted), 1, max(len(times) - 1, 1)) if len(times) > 1 else np.zeros(count, int)
        nearest = after - (wanted - times[after - 1] < times[after] - wanted) if len(times) > 1 else after
        return _write_film(path, fps, (width, height),
                           (self.render(int(i), width, height, camera, eye=eye, target=target) for i in nearest))

    def _thinned(self, fps: Optional[float]) -> List[int]:
        if fps is None:
            return self._frames
        if not fps > 0:
            raise UsageError(f"to_html: fps must be positive, got {fps}")
        times, kept, due = self.times, [], -np.inf
        for frame, at in zip(self._frames, (times - times[0]) * fps + 1e-6):  # times are sums of steps
            if at >= due or frame == self._frames[-1]:
                kept.append(frame)
                due = np.floor(at) + 1
        return kept

    def _repr_html_(self) -> Optional[str]:
        if self._file.closed or not len(self):
            return None
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = self.to_html(os.path.join(folder, "page.html"))
            with open(path, encoding="utf-8") as file:
                return _page.frame(file.read())

    # -- the end

    def close(self) -> None:
        """Closes the file."""
        self._renderer = None
        self._file.close()

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *problem) -> None:
        self.close()


def _write_film(path: str, fps: float, size: Tuple[int, int], pictures: Iterator[np.ndarray]) -> str:
    import shutil
    import subprocess
    program = shutil.which("ffmpeg")
    if program is None:
        raise Error("to_film: there is no program ffmpeg (apt-get install ffmpeg); to_html() writes a page that plays")
    yuv = [] if path.endswith((".gif", ".webp", ".png")) else ["-pix_fmt", "yuv420p"]  # what every player shows
    run = subprocess.Popen([program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}",
                            "-r", str(fps), "-i", "-", *yuv, path], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdin is not None
    try:
        for picture in pictures:
            run.stdin.write(picture.tobytes())
    except BrokenPipeError:
        pass  # ffmpeg says why
    except BaseException:
        run.kill()
        run.communicate()
        raise
    run.stdin, pipe = None, run.stdin
    try:
        pipe.close()
    except BrokenPipeError:
        pass
    _, said = run.communicate()
    if run.returncode:
        raise FileError(f"to_film: ffmpeg could not write {path}: {said.decode(errors='replace').strip()}")
    return path


def _index(kind: str, which: Which, names: Sequence[str]) -> int:
    if isinstance(which, str):
        if which and which in names:
            return names.index(which)
        import difflib
        near = difflib.get_close_matches(which, [name for name in names if name], 1)
        raise KeyError(f"there is no {kind} '{which}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    index = operator.index(which)
    if not 0 <= index < len(names):
        raise IndexError(f"there are {len(names)} of kind {kind}, not {index}")
    return index


def record(world: World, path: Union[str, os.PathLike], duration: float = 0.0, fps: float = 50.0) -> Recording:
    """Records the world as it is now and as it goes on, and opens the recording."""
    step = world.model.timestep
    every = max(1, round(1.0 / (fps * step)))
    with Recorder(path, world) as recorder:
        recorder.write()
        for _ in range(int(round(duration / step)) // every):
            world.step(every)
            recorder.write()
    return Recording(path)
