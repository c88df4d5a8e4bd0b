"""The programs of the gallery run, for their first steps, are short, and are what the page shows."""
import pathlib
import runpy
import sys

import pytest
import tenon

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "docs" / "gallery").glob("*.py"))
STEPS = 3  # of each call; the whole motion is looked at when the pictures are made


class Brief(tenon.World):
    def step(self, n=1):
        super().step(min(n, STEPS))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_runs(path, monkeypatch):
    monkeypatch.setattr(tenon, "World", Brief)
    assert any(isinstance(thing, Brief) and thing.time > 0 for thing in runpy.run_path(str(path)).values())


def test_programs_are_short_and_on_the_page(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import make_gallery
    assert all(len(path.read_text(encoding="utf-8").splitlines()) <= 20 for path in PROGRAMS)
    assert {path.stem for path in PROGRAMS} == {name for _, names in make_gallery.GROUPS for name in names}
    assert (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8") == make_gallery.page(), "tools/make_gallery.py writes it"
    assert all((make_gallery.PICTURES / f"{path.stem}.webp").exists() for path in PROGRAMS)
    sys.modules.pop("make_gallery")
