"""A page that simulates a model in the browser."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Optional, Union

from . import _page
from ._errors import FileError
from ._model import Model

Path = Union[str, "os.PathLike[str]"]
_ENGINE = os.path.join(os.path.dirname(__file__), "tenon.wasm")


class LivePage:
    """One page with a model, the engine and the player in it; tenon.live() makes it. A notebook shows it."""

    def __init__(self, html: str):
        self.html: str = html  #: the text of the page

    def save(self, path: Path) -> str:
        """Writes the page, which opens from disk in any browser; returns its path."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)
        return os.fspath(path)

    def _repr_html_(self) -> str:
        return _page.frame(self.html, 640)

    def __repr__(self) -> str:
        return f"LivePage({len(self.html) / 1e6:.1f} MB; save(path) writes it)"


def live(model: Union[Model, Path], *, engine: Optional[Path] = None, title: Optional[str] = None) -> LivePage:
    """A page that simulates a model in any browser, without a server: bodies are pulled with the mouse or a finger.
    docs/live.md

        tenon.live(model)                                # in a notebook: shown below the cell
        tenon.live("robot.xml").save("robot.html")

    model: a Model, or the path of a model file, or of a task of `tenon plan` (.txt), whose plan then has the controls. engine: tenon.wasm (None: that of the package, of the variable
    TENON_ENGINE, or beside the program); without one this is a tenon.FileError that says how to make it.
    """
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(model, Model):
            source = os.path.join(folder, "model.xml")
            model.write(source)
        else:
            source = os.fspath(model)
        page = os.path.join(folder, "page.html")
        command = [sys.executable, "-m", "tenon", "export", source, "--live", "-o", page]
        if engine is None and "TENON_ENGINE" not in os.environ and os.path.exists(_ENGINE):
            engine = _ENGINE
        if engine is not None:
            command += ["--engine", os.fspath(engine)]
        if title is not None:
            command += ["--title", title]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise FileError(done.stdout.strip().replace("tenon export: ", "live: "))
        with open(page, encoding="utf-8") as file:
            return LivePage(file.read())
