"""Every example of docs/examples.md runs in its short form, is short itself, and has a picture."""
import os
import pathlib
import re
import subprocess
import sys

import pytest
import tenon

ROOT = pathlib.Path(__file__).resolve().parents[2]
GALLERY = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
EXAMPLES = [ROOT / "examples" / "python" / name for name in re.findall(r"\*\*\[(\w+\.py)\]\(", GALLERY)]


def can_draw():
    try:
        tenon.World(tenon.Model.from_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")).render(8, 8)
    except tenon.Error:
        return False
    return True


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path):
    if path.stem == "cameras" and not can_draw():
        pytest.skip("pictures cannot be drawn here")
    done = subprocess.run([sys.executable, "-B", path, "--quick"], cwd=tmp_path, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    assert done.stdout.strip(), "an example prints what it found"
    assert list(tmp_path.iterdir()) == [], "a short run writes nothing"


def test_examples_are_short_and_shown():
    assert len(EXAMPLES) >= 10
    users = [path for path in (ROOT / "examples" / "python").glob("*.py") if "from common import" in path.read_text(encoding="utf-8")]
    assert sorted(users) == sorted(EXAMPLES), "an example is missing in docs/examples.md"
    for path in EXAMPLES:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 60, path
        assert f"(pictures/examples/{path.stem}.png)" in GALLERY, path
        picture = ROOT / "docs" / "pictures" / "examples" / f"{path.stem}.png"
        assert picture.stat().st_size <= 60e3, picture


def test_an_example_draws_its_picture(tmp_path):
    if not can_draw():
        pytest.skip("pictures cannot be drawn here")
    bare = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    for options, count in (([], 1), (["--no-picture"], 0)):
        folder = tmp_path / f"temporary{count}"
        folder.mkdir()
        done = subprocess.run([sys.executable, "-B", ROOT / "examples" / "python" / "lidar.py", *options], check=True, text=True,
                              stdout=subprocess.PIPE, timeout=300, cwd=tmp_path, env={**bare, "TMPDIR": str(folder)})
        written = list(folder.rglob("*.png"))
        assert len(written) == count and ("picture: " in done.stdout) == bool(count)
    picture = tmp_path / "picture.png"
    subprocess.run([sys.executable, "-B", ROOT / "examples" / "python" / "lidar.py", "--quick", "--picture", picture], check=True,
                   stdout=subprocess.DEVNULL, timeout=300)
    head = picture.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(head[16:20], "big") == 700
