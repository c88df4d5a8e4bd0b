"""The program and the scenes that the package has, and how scenes are shown."""
import os
import shutil
import signal
import subprocess
import sys

import pytest
import tenon


def program(*arguments, **options):
    bare = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run([sys.executable, "-m", "tenon", *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          env=bare, **options)


def test_scenes_load():
    names = tenon.scenes()
    assert {"stir", "cable", "beam", "knot"} <= set(names)
    for name in names:
        assert tenon.Model.from_file(tenon.scene_path(name)).nq > 0
    with pytest.raises(KeyError, match="no scene 'stirr'; there are arch"):
        tenon.scene_path("stirr")


def test_the_program_runs_records_and_exports(tmp_path):
    done = program("run", tenon.scene_path("cradle"), "--duration", 0.2, "--record", "run.tnr", cwd=tmp_path)
    assert done.returncode == 0 and "steps" in done.stdout
    assert program("export", "run.tnr", "-o", "run.html", cwd=tmp_path).returncode == 0
    assert (tmp_path / "run.html").stat().st_size > 100e3  # the player is inside
    assert len(tenon.Recording(tmp_path / "run.tnr")) == 11


def test_the_program_says_what_is_wrong():
    assert program("--version").stdout == f"tenon {tenon.__version__}\n"
    done = program("runn")
    assert done.returncode == 2 and "did you mean 'run'" in done.stderr
    done = program("view", tenon.scene_path("heavy"))
    assert done.returncode == 4 and ("no display" in done.stderr or "no window" in done.stderr)
    help = program("demo", "--help")
    assert help.returncode == 0 and "--duration" in help.stdout and "cable" in help.stdout
    assert program("demo", "--duration", "-1").returncode == 2
    done = program("demo", "stirr")
    assert done.returncode == 2 and "there is no scene 'stirr'" in done.stderr


def test_signals_are_those_of_a_program():
    listing = subprocess.Popen([sys.executable, "-m", "tenon", "info", tenon.scene_path("wall")], stdout=subprocess.PIPE)
    listing.stdout.close()  # as `| head` does
    assert listing.wait(60) in (0, -signal.SIGPIPE)
    running = subprocess.Popen([sys.executable, "-m", "tenon", "run", tenon.scene_path("heavy"), "--duration", "1e6",
                                "--csv", "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    running.stdout.readline()
    running.stdout.readline()  # after the header a step: it runs
    running.send_signal(signal.SIGINT)
    while running.stdout.read(65536):
        pass
    assert running.wait(60) == 130


def test_a_demonstration_without_a_display_is_a_page(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    path = tenon.demo("cradle", duration=0.2, path=tmp_path / "cradle.html")
    assert path == str(tmp_path / "cradle.html") and "<title>cradle</title>" in open(path, encoding="utf-8").read()
    assert path in capsys.readouterr().out


def test_a_window_needs_a_display(monkeypatch, world):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(tenon.Error, match="no (display|window).*to_html"):
        tenon.view(world)
    monkeypatch.setenv("DISPLAY", ":no-such-display")
    with pytest.raises(tenon.Error, match="(?s)no (display|window).*to_html"):
        tenon.view(world)
    with pytest.raises(TypeError, match="expected a tenon.World"):
        tenon.view(world.model)
    with pytest.raises(ValueError, match="speed"):
        tenon.view(world, speed=0)
    world.close()
    with pytest.raises(ValueError, match="closed"):
        tenon.view(world)


@pytest.fixture
def display(monkeypatch):
    """A display of its own."""
    if not shutil.which("Xvfb"):
        pytest.skip("Xvfb is not installed")
    ready, to_server = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(to_server), "-screen", "0", "640x480x24", "-nolisten", "tcp"],
                              pass_fds=[to_server], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(to_server)
    with os.fdopen(ready) as answer:
        number = answer.readline().strip()
    try:
        if not number:
            pytest.skip("Xvfb does not start")
        monkeypatch.setenv("DISPLAY", f":{number}")
        yield
    finally:
        server.terminate()
        server.wait()


def test_the_world_goes_on_in_the_window(display, arm):
    one, two = tenon.World(arm), tenon.World(arm)
    for world in (one, two):
        world.ctrl[0] = 0.5
        world.step(3)
    try:
        tenon.view(one, duration=0.1, width=160, height=120, speed=1024)
    except tenon.Error as error:
        pytest.skip(str(error))
    two.step(20)
    assert one.hash() == two.hash() and one.time == two.time
    assert one.qpos[7] == two.qpos[7]  # the arrays know
    one.step()
    two.step()
    assert one.hash() == two.hash()
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler


def test_a_window_watches_a_world(display, arm):
    one, two = tenon.World(arm), tenon.World(arm)
    try:
        viewer = tenon.Viewer(one, speed=None, width=160, height=120)
    except tenon.Error as error:
        pytest.skip(str(error))
    with viewer:
        with pytest.raises(ValueError, match="another window is open"):
            tenon.Viewer(two)
        for _ in range(30):
            one.step()
            viewer.sync()
        assert viewer.is_open
    two.step(30)
    assert one.hash() == two.hash()
    assert not viewer.is_open
    viewer.sync()  # does nothing
    with tenon.Viewer(two, speed=100, width=160, height=120) as again:
        two.reset()
        again.sync()
        two.step()
        again.sync()
    with pytest.raises(ValueError, match="speed"):
        tenon.Viewer(two, speed=0)
