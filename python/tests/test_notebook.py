"""What a notebook shows, in a real browser; skipped where node, its playwright-core or Chromium are missing."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest
import tenon

HERE = pathlib.Path(__file__).resolve().parent
WEB = HERE.parents[1] / "web"


def test_worlds_show_themselves_and_recordings_play(arm, tmp_path):
    names = (os.environ.get("TENON_CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    browser = next((path for path in map(shutil.which, filter(None, names)) if path), None)
    if not browser or not shutil.which("node") or not (WEB / "node_modules" / "playwright-core").is_dir():
        pytest.skip("node, playwright-core (npm ci in web/) or chromium is missing")
    world = tenon.World(arm)
    with tenon.Recorder(tmp_path / "run.tnr", world) as recorder:
        for _ in range(200):
            world.step()
            recorder.write()
    outputs = (world._repr_html_(), tenon.Recording(tmp_path / "run.tnr")._repr_html_())
    page = tmp_path / "notebook.html"
    page.write_text("<!doctype html><meta charset=utf-8><title>a notebook</title>" + "<div>".join(outputs), encoding="utf-8")
    done = subprocess.run(["node", str(HERE / "notebook.mjs"), str(WEB), browser, str(tmp_path / "profile"), str(page)],
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["trouble"] == []
    still, moving = answer["seen"]
    assert still["first"]["ready"] and still["first"]["frameCount"] == 1 and still["first"]["width"] > 300
    assert still["first"]["bar"] == 0 and moving["first"]["bar"] > 0  # only what plays has the bar to play it
    assert moving["first"]["playing"] and moving["later"]["time"] > moving["first"]["time"]
    assert moving["first"]["frameCount"] == 31  # 1 s at 30 frames per second
    assert moving["first"]["end"] == pytest.approx(1.0)
