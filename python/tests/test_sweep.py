"""Sweeps: tasks, seeds, files, processes, interrupts, Ray, Slurm, the example."""
import csv
import importlib.util
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys

import numpy as np
import pytest
import tenon
from tenon.sweep import Sweep, SweepError, model_hash, read
from tenon.sweep.__main__ import main

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A box slides until friction stops it. Task 3 misbehaves as the test asks, once.
STUDY = '''
import os, signal
import numpy as np
import tenon
from tenon.sweep import Sweep

FOLDER = {folder!r}
MODEL = """
<mujoco>
  <worldbody>
    <geom type="plane" size="2 2 1" friction="{{friction}} 0 0"/>
    <body name="box" pos="0 0 0.05"><freejoint/><geom type="box" size="0.1 0.05 0.05" friction="{{friction}} 0 0"/></body>
  </worldbody>
</mujoco>"""


def note(text):
    with open(os.path.join(FOLDER, "log"), "a") as file:
        file.write(text + "\\n")


def once(name):
    try:
        os.close(os.open(os.path.join(FOLDER, name), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def task(params, seed):
    note(f"begin {{seed}}")
    world = tenon.World(tenon.Model.from_string(MODEL.format(**params)))
    world.qvel[0] = 1 + 0.1 * np.random.default_rng(seed).standard_normal()
    world.step(50)
    if params["friction"] == 0.4 and {trouble!r} and once("trouble"):
        {trouble}
    world.step(450)
    note(f"end {{seed}}")
    return {{"distance": world.qpos[0], "qvel": world.qvel, "world": world}}


study = Sweep(task, grid={{"friction": [0.2, 0.3, 0.5, 0.4, 0.6]}})
'''


@pytest.fixture
def study(tmp_path):
    def make(trouble="pass", name="study"):
        path = tmp_path / f"{name}.py"
        path.write_text(STUDY.format(folder=str(tmp_path), trouble=trouble))
        return path
    return make


def shell(*arguments, cwd):
    """python -m tenon.sweep in a process of its own."""
    return subprocess.run([sys.executable, "-m", "tenon.sweep", *map(str, arguments)], cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=200)


def files(folder):
    """Contents of all results; nothing else may lie there."""
    names = sorted(os.listdir(folder))
    assert all(re.fullmatch(r"[0-9a-f]{16}\.npz|sweep\.json", name) for name in names), names
    return {name: (folder / name).read_bytes() for name in names}


def square(params, seed):
    return {"square": params["x"] ** 2, "seed_seen": seed}


# -- tasks and seeds


def test_keys_and_seeds_do_not_depend_on_the_order_or_on_other_tasks():
    few = Sweep(square, grid={"x": [1.5, 2]}, seeds=2)
    many = Sweep(square, grid={"x": [3, 2, 1.5]}, seeds=[5, 1, 0])
    listed = Sweep(square, points=[{"x": np.float64(2)}, {"x": np.array(1.5)}], seeds=2)
    known = {(t.params["x"], t.number): (t.key, t.seed) for t in many.tasks}
    assert len(many) == 9
    for t in few.tasks + listed.tasks[2:]:
        assert known[t.params["x"], t.number] == (t.key, t.seed)
    assert len({t.seed for t in many.tasks}) == 9 and all(0 <= t.seed < 2 ** 63 for t in many.tasks)
    others = Sweep(square, grid={"x": [1.5, 2]}, seeds=2, root_seed=1)
    assert {t.seed for t in others.tasks}.isdisjoint(t.seed for t in few.tasks)
    # these numbers must stay: results of earlier versions are found by them
    assert (few.tasks[0].key, few.tasks[0].seed) == ("3d6a70a8287c1e9f", 289619429578762197)


def test_paired_seeds_are_the_same_at_all_points():
    paired = Sweep(square, grid={"x": [1, 2, 3]}, seeds=2, paired=True)
    assert len({t.seed for t in paired.tasks}) == 2 and len({t.key for t in paired.tasks}) == 6


@pytest.mark.parametrize("wrong, says", [
    (dict(grid={"x": 3}), "'x' must be a list"),
    (dict(grid={"x": []}), "'x' has no values"),
    (dict(grid={"x": [1, 1]}), "tasks 0 and 1 are the same"),
    (dict(grid={"x": [float("nan")]}), "NaN cannot be a parameter"),
    (dict(grid={"x": [object()]}), "got object"),
    (dict(grid={"x": [1]}, points=[{"x": 2}]), "in the grid and in a point"),
    (dict(points=[]), "no tasks"),
    (dict(points=[3]), "expected a list of dicts"),
    (dict(seeds=0), "seeds"),
    (dict(seeds=[1, 1]), "seeds"),
])
def test_a_wrong_description_is_refused(wrong, says):
    with pytest.raises(SweepError, match=re.escape(says)):
        Sweep(square, **wrong)


# -- files


def test_results_say_where_they_come_from(tmp_path, arm):
    def settle(params, seed):
        world = tenon.World(arm)
        world.step(params["n"])
        return {"z": world.qpos[2], "file": [1, 2, 3], "name": "box", "world": world}

    sweep = Sweep(settle, grid={"n": [2, 4]})
    summary = sweep.run(tmp_path, jobs=0)
    assert (summary.done, summary.skipped, summary.failed) == (2, 0, [])
    result = read(tmp_path / f"{sweep.tasks[1].key}.npz")
    world = tenon.World(arm)
    world.step(4)
    assert result["z"] == world.qpos[2] and list(result["file"]) == [1, 2, 3] and str(result["name"]) == "box"
    assert result.params == {"n": 4} and result.seed == sweep.tasks[1].seed
    assert result.about["tenon"] == tenon.__version__ and result.about["numpy"] == np.__version__
    assert result.about["worlds"]["world"] == {"model": model_hash(arm), "state": f"{world.hash():016x}"}
    assert np.load(tmp_path / f"{sweep.tasks[1].key}.npz")["z"] == world.qpos[2]


def test_the_hash_of_a_model_is_that_of_its_content(arm):
    one = "<mujoco><worldbody><body><freejoint/><geom size='{}'/></body></worldbody></mujoco>"
    hashes = [model_hash(tenon.Model.from_string(one.format(size))) for size in (0.1, "0.10", 0.1000001)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_file_has_its_name_only_when_it_is_on_the_disk(tmp_path, monkeypatch):
    sweep = Sweep(square, grid={"x": [3]})
    result = tmp_path / f"{sweep.tasks[0].key}.npz"
    synchronize, seen = os.fsync, []

    def watched(handle):
        seen.append((stat.S_ISDIR(os.fstat(handle).st_mode), os.fstat(handle).st_size, result.exists()))
        synchronize(handle)

    monkeypatch.setattr(os, "fsync", watched)
    sweep.run(tmp_path, jobs=0)
    (of_folder, size, named), (after_of_folder, _, after_named) = seen[-2:]
    assert (of_folder, size, named) == (False, result.stat().st_size, False)
    assert (after_of_folder, after_named) == (True, True)

    def full(*_):
        raise OSError(28, "No space left on device")

    result.unlink()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        sweep.run(tmp_path, jobs=0)
    assert os.listdir(tmp_path) == ["sweep.json"]


def test_what_killed_processes_left_is_no_result_and_goes_after_a_day(tmp_path):
    sweep = Sweep(square, grid={"x": [3]})
    old, new = tmp_path / ".old.partial", tmp_path / ".new.partial"
    for path in (old, new):
        path.write_bytes(b"half a result")
    os.utime(old, (1e9, 1e9))
    assert sweep.run(tmp_path, jobs=0).done == 1
    assert not old.exists() and new.exists() and len(sweep.status(tmp_path).done) == 1


def test_columns(tmp_path):
    def two(params, seed):
        x = params["x"]
        return {"double": 2 * x, "pair": [1.0, x], "ragged": np.zeros(x), "big": np.zeros((9, 9))}

    sweep = Sweep(two, grid={"x": [2, 3], "y": ["a", "b"]})
    sweep.run(tmp_path, jobs=0, only=[1, 2])
    columns = sweep.collect(tmp_path)
    assert columns["index"].tolist() == [1, 2] and columns["y"].tolist() == ["b", "a"]
    assert columns["double"].tolist() == [4, 6] and columns["pair"].tolist() == [[1, 2], [1, 3]]
    assert "ragged" not in columns and columns["big"].shape == (2, 9, 9)


@pytest.mark.parametrize("result, says", [
    (3, "must return a dict"),
    ({"x": 1}, "'x': it is taken"),
    ({"about": 1}, "'about': it is taken"),
    ({"a/b": 1}, "without '/'"),
    ({"thing": object()}, "'thing' is no number"),
])
def test_a_wrong_result_is_a_failure_with_its_reason(tmp_path, result, says):
    summary = Sweep(lambda params, seed: result, grid={"x": [1]}).run(tmp_path, jobs=0)
    (task, error), = summary.failed
    assert says in error and says in json.loads((tmp_path / f"{task.key}.failed.json").read_text())["error"]


def test_a_changed_task_is_noticed(tmp_path):
    text = "from tenon.sweep import Sweep\nSCALE = {scale}\nOTHER = {other}\ndef half(x):\n  return SCALE * x {comment}\n" \
           "def task(params, seed):\n  return {{'half': half(params['x'])}}\nstudy = Sweep(task, grid={{'x': [{points}]}})\n"

    def run(name, *arguments, scale=0.5, other=1, comment="", points="1, 2"):
        (tmp_path / f"{name}.py").write_text(text.format(scale=scale, other=other, comment=comment, points=points))
        return main([str(tmp_path / f"{name}.py"), "--out", str(tmp_path / "out"), "--jobs", "0", *arguments])

    def results():
        return sorted(float(read(path)["half"]) for path in (tmp_path / "out").glob("*.npz"))

    assert run("first") == 0 and results() == [0.5, 1]
    assert run("longer", comment="# a comment", points="1, 2, 3", other=2) == 0 and results() == [0.5, 1, 1.5]
    assert run("refused", scale=0.25, points="1, 2, 3, 4") == 2 and len(results()) == 3
    assert run("kept", "--keep", scale=0.25, points="1, 2, 3, 4") == 0 and results() == [0.5, 1, 1, 1.5]
    assert run("redone", "--redo", scale=0.125, points="4") == 0 and results() == [0.5]  # none of the others is left
    assert run("extended", scale=0.125, points="4, 1") == 0 and results() == [0.125, 0.5]


# -- processes


def test_processes_do_every_task_once_and_a_dead_one_costs_its_task_only(study, tmp_path):
    path = study("os.kill(os.getpid(), signal.SIGKILL)")
    out = tmp_path / "out"
    first = shell(path, "--out", out, "--jobs", 1, cwd=tmp_path)
    assert first.returncode == 1 and "4 done, 0 were there, 1 failed" in first.stderr
    assert "task 3 (friction=0.4, seed 0) failed: the process was ended by signal 9 (SIGKILL)" in first.stderr
    status = shell(path, "--out", out, "--status", cwd=tmp_path)
    assert status.returncode == 1 and "5 tasks, 4 done, 1 failed, 0 missing" in status.stdout
    assert "SIGKILL" in status.stdout
    again = shell(path, "--out", out, "--jobs", 2, cwd=tmp_path)
    assert again.returncode == 0 and "1 done, 4 were there, 0 failed" in again.stderr
    log = (tmp_path / "log").read_text().split("\n")
    assert len(log) == 6 + 5 + 1 and len({line for line in log if line.startswith("end")}) == 5  # one began twice
    serial = shell(path, "--out", tmp_path / "serial", "--jobs", 0, cwd=tmp_path)
    assert serial.returncode == 0 and files(out) == files(tmp_path / "serial")
    # v²/2μg, with a start of 0.1 m/s noise and at steps of 2 ms
    table = tmp_path / "table.csv"
    done = subprocess.run([sys.executable, "-m", "tenon", "sweep", path, "--out", out, "--collect", table], timeout=100)
    assert done.returncode == 0
    for row in csv.DictReader(table.open()):
        speed = 1 + 0.1 * np.random.default_rng(int(row["seed"])).standard_normal()
        assert float(row["distance"]) == pytest.approx(speed ** 2 / 2 / 9.81 / float(row["friction"]), rel=0.02)


def test_an_interrupt_leaves_whole_files_and_the_next_run_goes_on(study, tmp_path):
    path = study("print('long', flush=True) or world.step(10**9)")
    out = tmp_path / "out"
    for number in (signal.SIGINT, signal.SIGTERM):
        (tmp_path / "trouble").unlink(missing_ok=True)
        child = subprocess.Popen([sys.executable, "-m", "tenon.sweep", str(path), "--out", str(out), "--jobs", "1",
                                  "--index", "0-3"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "long\n"
        child.send_signal(number)
        _, errors = child.communicate(timeout=100)
        assert child.returncode == 130 and "interrupted: 3 of 5 tasks are done; the same command goes on" in errors
        assert len(files(out)) == 3 + 1
    assert shell(path, "--out", out, "--jobs", 1, cwd=tmp_path).returncode == 0
    assert len(files(out)) == 5 + 1


def test_a_script_without_its_guard_and_a_function_of_a_prompt_say_what_to_do(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from tenon.sweep import Sweep\ndef task(params, seed):\n  return {}\n"
                      "Sweep(task).run('out', jobs=1)\n")
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, stderr=subprocess.PIPE, text=True, timeout=100)
    assert done.returncode == 1 and "if __name__ == '__main__':" in done.stderr.splitlines()[-1]
    with pytest.raises(SweepError, match="jobs=0"):
        Sweep(lambda params, seed: {}).run(tmp_path / "out", jobs=1)


def test_wrong_lines_say_so(study, tmp_path, capsys):
    path = str(study(name="wrong_lines"))
    out = ["--out", str(tmp_path / "out")]
    assert main([path, *out, "--index", "5"]) == 2 and "tasks 0 to 4" in capsys.readouterr().err
    assert main([path, *out, "--collect", str(tmp_path / "a.csv")]) == 1 and "no results" in capsys.readouterr().err
    assert main([str(tmp_path / "none.py")]) == 4 and "there is no such file" in capsys.readouterr().err
    (tmp_path / "empty_study.py").write_text("")
    assert main([str(tmp_path / "empty_study.py")]) == 2 and "expected one tenon.sweep.Sweep" in capsys.readouterr().err
    for arguments in (["--index", "a"], ["--share", "2/2"], ["--jobs", "-1"], ["--list", "--status"]):
        with pytest.raises(SystemExit) as ended:
            main([path, *arguments])
        assert ended.value.code == 2
    assert main([path, "--list"]) == 0 and capsys.readouterr().out.splitlines()[3].endswith("friction=0.4, seed 0")


# -- models with parameters

SLIDE = """
<mujoco model="slide">
  <include file="parts/option.xml"/>
  <asset><mesh name="wedge" file="../meshes/wedge.obj"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1"/>
    <body name="box" pos="0 0 0.05"><joint name="x" type="slide" axis="1 0 0" armature="1"/>
      <geom name="box.left" type="box" size="0.1 0.05 0.05" mass="1"/></body>
    <body pos="0 3 1"><joint axis="0 1 0"/><geom type="mesh" mesh="wedge"/></body>
  </worldbody>
  <actuator><motor name="push" joint="x"/></actuator>
  <sensor><jointpos name="x" joint="x"/><jointvel joint="x"/></sensor>
</mujoco>
"""
SETTINGS = """
model = "model/slide.xml"
seconds = 0.5
every = 5
noise = 0.1
seeds = 2
[world]
tolerance = 1e-8
[grid]
joint.x.damping = [0.5123456789, 2]
geom.box.left.mass = [1.0, 3.0]
option.timestep = [0.01]
"""


@pytest.fixture
def slide(tmp_path):
    for name, text in (("model/slide.xml", SLIDE), ("model/parts/option.xml", '<mujoco><option gravity="0 0 0"/></mujoco>'),
                       ("meshes/wedge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_model_with_parameters_needs_no_program(slide):
    pytest.importorskip("tomllib")
    (slide / "slide.toml").write_text(SETTINGS)
    assert main([str(slide / "slide.toml"), "--out", str(slide / "out"), "--jobs", "0"]) == 0
    assert main([str(slide / "slide.toml"), "--out", str(slide / "out"), "--collect", str(slide / "out.npz")]) == 0
    columns = np.load(slide / "out.npz")
    assert len(columns["index"]) == 8 and columns["path"].shape == (8, 10, 2) and not columns["diverged"].any()
    assert len(set(columns["world_model"])) == 4 and len(set(columns["world_state"])) == 8
    # v(t) = v0 e^(-dt/m), with the armature of 1 kg; noise moves the start
    decay = np.exp(-columns["joint.x.damping"] * 0.5 / (columns["geom.box.left.mass"] + 1))
    v0 = 0.1 * np.array([np.random.default_rng(int(seed)).standard_normal(2)[0] for seed in columns["seed"]])
    np.testing.assert_allclose(columns["sensor1"], v0 * decay, rtol=1e-4)  # midpoint rule, steps of 10 ms
    np.testing.assert_array_equal(columns["path"][:, -1, 0], columns["x"])


@pytest.mark.parametrize("change, says", [
    ({"grid": {"geom": {"bux": {"mass": [1]}}}}, "the model has no <geom> with the name 'bux'"),
    ({"grid": {"body": {"pos": [1]}}}, "the model has 2 <body>"),
    ({"grid": {"mass": [1]}}, "expected ELEMENT.NAME.ATTRIBUTE"),
    ({"grid": {"geom": {"floor": {"friction": ["slippery"]}}}}, "slide.xml (parameters put in):"),
    ({"grid": {"geom": {"floor": {"colour": ["red"]}}}}, "colour"),
])
def test_parameters_that_do_not_fit_fail_with_a_reason(slide, capsys, change, says):
    (slide / "wrong.json").write_text(json.dumps({"model": "model/slide.xml", "seconds": 0.1, **change}))
    assert main([str(slide / "wrong.json"), "--out", str(slide / "out"), "--jobs", "0"]) == 1
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("settings, says", [
    ({"model": "model/slide.xml"}, "'seconds' is missing"),
    ({"model": "model/slide.xml", "seconds": 1, "gird": {}}, "no setting 'gird'"),
    ({"model": "model/slide.xml", "seconds": 1, "seeds": 2}, "without noise"),
    ({"model": "model/slide.xml", "seconds": "long"}, "'seconds' must be a number"),
    ([], "expected an object"),
])
def test_wrong_settings_are_refused(slide, capsys, settings, says):
    (slide / "wrong.json").write_text(json.dumps(settings))
    assert main([str(slide / "wrong.json"), "--out", str(slide / "out")]) == 2
    assert says in capsys.readouterr().err


# -- Slurm and Ray

SBATCH = """#!/bin/bash
set -e  # every element of the array, one after the other, with nothing of the caller's environment
last=$(sed -n 's/^#SBATCH --array=0-//p' "$1")
for k in $(seq 0 "$last"); do env -i PATH="$PATH" SLURM_ARRAY_TASK_ID=$k bash "$1"; done
"""


def test_the_script_for_slurm_does_all_tasks(study, tmp_path):
    path, out = study(), tmp_path / "out folder"
    made = shell(path, "--out", out, "--slurm", 2, cwd=tmp_path)
    job, sbatch = tmp_path / "job.sh", tmp_path / "sbatch"
    job.write_text(made.stdout)
    sbatch.write_text(SBATCH)
    sbatch.chmod(sbatch.stat().st_mode | stat.S_IXUSR)
    assert subprocess.run(["bash", "-n", job], check=False).returncode == 0
    assert "#SBATCH --array=0-1\n" in made.stdout and "#SBATCH --cpus-per-task=1\n" in made.stdout
    alone = subprocess.run(["bash", job], stderr=subprocess.PIPE, text=True, timeout=100, env={"PATH": os.environ["PATH"]})
    assert alone.returncode != 0 and "SLURM_ARRAY_TASK_ID" in alone.stderr and not out.exists()
    done = subprocess.run([sbatch, job], stderr=subprocess.PIPE, text=True, timeout=100, check=True)
    assert "3 done" in done.stderr and "2 done" in done.stderr  # tasks 0 2 4, and 1 3
    again = subprocess.run([sbatch, job], stderr=subprocess.PIPE, text=True, timeout=100, check=True)
    assert "3 were there" in again.stderr and "2 were there" in again.stderr
    serial = shell(path, "--out", tmp_path / "serial", "--jobs", 0, cwd=tmp_path)
    assert serial.returncode == 0 and files(out) == files(tmp_path / "serial")


@pytest.fixture(scope="module")
def cluster():
    """A cluster of two worker processes on this machine."""
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield ray
    ray.shutdown()


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_on_ray_a_killed_worker_loses_nothing(study, tmp_path, cluster):
    module = load(study("os.kill(os.getpid(), signal.SIGKILL)", name="for_ray"))
    summary = module.study.run(tmp_path / "out", backend="ray")
    assert (summary.done, summary.failed) == (5, [])
    log = (tmp_path / "log").read_text().split()
    assert (log.count("begin"), log.count("end")) == (6, 5)  # one was killed and began again; each ended once
    assert len({seed for word, seed in zip(log, log[1:]) if word == "end"}) == 5
    module.study.run(tmp_path / "serial", jobs=0)
    assert files(tmp_path / "out") == files(tmp_path / "serial")
    assert module.study.run(tmp_path / "out", backend="ray").skipped == 5


def test_on_ray_a_task_that_always_kills_its_worker_fails(tmp_path, cluster):
    def task(params, seed):
        if params["x"]:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"fine": 1}

    summary = Sweep(task, grid={"x": [0, 1]}).run(tmp_path, backend="ray")
    assert summary.done == 1 and [t.index for t, _ in summary.failed] == [1]
    assert "Ray gave up" in summary.failed[0][1]


# -- the tutorial and the example


def test_the_tutorial_runs(tmp_path, monkeypatch, capsys, cluster):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    text = (ROOT / "docs" / "sweep.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    names, commands = {}, 0
    for kind, block in blocks:
        named = re.match(r"(?:# |<!-- )(\w+\.(?:py|toml|xml))", block)
        if named:
            (tmp_path / named[1]).write_text(block)
        if kind == "python":
            exec(compile(block, "docs/sweep.md", "exec"), names)
        for line in re.findall(r"^tenon sweep (.*)$", block, re.MULTILINE) if kind == "sh" else ():
            arguments, _, file = line.split("#")[0].partition(">")
            if "toml" in arguments and sys.version_info < (3, 11):
                continue
            assert main(arguments.split()) == 0, line
            commands += 1
            output = capsys.readouterr().out
            if file:
                (tmp_path / file.strip()).write_text(output)
    assert commands >= 7 and len(list(csv.reader((tmp_path / "study.csv").open()))) == 13
    np.testing.assert_allclose(names["table"]["distance"], names["expected"], rtol=0.35)  # noise of 0.05 at 0.5 m/s, 3 sigma
    assert files(tmp_path / "ray-results") == files(tmp_path / "study-results")
    assert "#SBATCH --array=0-3" in (tmp_path / "job.sh").read_text()


def test_the_random_search_finds_the_same_on_ray_and_here(tmp_path, monkeypatch, cluster):
    example = load(ROOT / "examples" / "python" / "random_search.py")
    monkeypatch.setattr(example, "CANDIDATES", 2)
    monkeypatch.setattr(example, "MOVE", 12)
    monkeypatch.setattr(example, "REST", 3)
    there = example.main(["--tasks", "1", "--out", str(tmp_path / "ray")])
    here = example.main(["--tasks", "1", "--out", str(tmp_path / "local"), "--jobs", "0", "--backend", "local"])
    assert files(tmp_path / "ray") == files(tmp_path / "local")
    assert there["scores"].shape == here["scores"].shape == (3, 2) and np.all(np.isfinite(there["scores"]))
    assert 0.02 < there["scores"].min() and there["scores"].max() < 1  # m: nowhere near the goal in so short a time
