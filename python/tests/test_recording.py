"""Recordings that are read: arrays, frames, parts, pages, pictures."""
import shutil
import subprocess

import numpy as np
import pytest
import tenon


@pytest.fixture
def run(arm, tmp_path):
    """A recording of 20 steps and what the world was after each."""
    world = tenon.World(arm)
    world.ctrl[0] = 1.0
    kept = []
    with tenon.Recorder(tmp_path / "run.tnr", world, state=True) as recorder:
        for _ in range(20):
            world.step()
            recorder.write()
            poses = [np.concatenate(world.body_pose(body)) for body in range(arm.nbody)]
            kept.append((world.time, world.qpos.copy(), poses, world.sensors.copy(), world.contacts.copy(),
                         world.energy.kinetic))
    return tenon.Recording(tmp_path / "run.tnr"), kept


def test_arrays_are_what_the_world_was(run, arm):
    recording, kept = run
    assert len(recording) == 20 and recording.name == "arm" and recording.timestep == 0.005
    assert recording.body_names[1:] == arm.names("body")[1:] and not recording.cut_off
    assert np.array_equal(recording.times, [k[0] for k in kept])
    assert np.array_equal(recording.qpos, [k[1] for k in kept])  # the state is exact
    assert recording.qvel.shape == (20, arm.nv) and (recording.ctrl[:, 0] == 1.0).all()
    poses = np.array([k[2] for k in kept])
    assert recording.poses.shape == poses.shape
    assert np.abs(recording.poses[..., :3] - poses[..., :3]).max() <= recording.resolution
    turned = np.abs((recording.poses[..., 3:] * poses[..., 3:]).sum(-1))  # q and -q are one rotation
    assert np.abs(turned - 1).max() < 1e-9  # the square of the grid, 2^-18
    sensors = np.array([k[3] for k in kept])
    assert np.allclose(recording.sensors, sensors, rtol=1e-6, atol=1e-30)  # float32
    assert np.array_equal(recording.signal("angle.s0"), recording.sensors[:, 0])
    assert np.array_equal(recording.figures["kinetic"], [k[5] for k in kept])


def test_frames_and_parts(run):
    recording, kept = run
    frame = recording[-1]
    assert frame.time == kept[-1][0] and recording[19].time == frame.time
    assert np.array_equal(frame.poses, recording.poses[-1])
    assert np.array_equal(frame.body_pose("lower")[0], frame.poses[recording.body("lower"), :3])
    assert frame.signals["angle.s0"] == recording.signal("angle.s0")[-1]
    assert [f.time for f in recording] == recording.times.tolist()
    assert len(frame.contacts) == len(kept[-1][4])
    assert np.array_equal(frame.contacts["geom2"], kept[-1][4]["geom2"])
    part = recording[4:12:2]
    assert len(part) == 4 and np.array_equal(part.poses, recording.poses[4:12:2]) and part[1].time == recording[6].time
    assert recording[5:5].poses.shape == (0, len(recording.body_names), 7)


def test_points_of_cables(tmp_path):
    world = tenon.World(tenon.Model.from_file(tenon.scene_path("drape")))
    with tenon.Recorder(tmp_path / "run.tnr", world) as recorder:
        recorder.write()
    with tenon.Recording(tmp_path / "run.tnr") as recording:
        assert recording.points.shape[0] == 1 and recording.points.shape[1] > 10 and recording.points.shape[2] == 3
        assert np.array_equal(recording[0].points, recording.points[0]) and np.ptp(recording.points) > 0.1
        with pytest.raises(ValueError, match="no qpos: record with state=True"):
            recording.qpos


def test_pages(run, world, tmp_path):
    recording, _ = run
    path = recording.to_html(tmp_path / "run.html", title="a <title>")
    page = open(path, encoding="utf-8").read()
    assert "<title>a &lt;title&gt;</title>" in page
    shown = recording._repr_html_()
    assert shown.startswith("<iframe") and len(shown) < 0.5 * len(page)
    assert world.to_html(tmp_path / "world.html") and world._repr_html_().startswith("<iframe")
    assert world.time == 0
    with pytest.raises(tenon.FileError, match="cannot be written"):
        recording.to_html("/proc/page.html")
    with pytest.raises(ValueError, match="color must be model"):
        recording.to_html(tmp_path / "run.html", color="red")
    with pytest.raises(ValueError, match="fps must be positive"):
        recording.to_html(tmp_path / "run.html", fps=0)
    with pytest.raises(ValueError, match="no frames"):
        recording[3:3].to_html(tmp_path / "run.html")


def test_exports_for_other_programs(run, tmp_path):
    recording, _ = run
    arrays = np.load(recording.export(tmp_path / "run.npz"))
    assert np.array_equal(arrays["time"], recording.times) and np.array_equal(arrays["qpos"], recording.qpos)
    part = np.load(recording[3:9].export(tmp_path / "part.npz"))
    assert np.array_equal(part["time"], recording.times[3:9])
    assert len(open(recording.export(tmp_path / "run.csv", fps=40)).readlines()) == 1 + 5  # 20 frames of 5 ms, the last one too
    assert open(recording.export(tmp_path / "run.glb", title="an arm"), "rb").read(4) == b"glTF"
    assert open(recording.export(tmp_path / "run.mcap"), "rb").read(5) == b"\x89MCAP"
    with pytest.raises(tenon.FileError, match="cannot be written"):
        recording.export("/proc/run.glb")
    with pytest.raises(ValueError, match="must end in .npz, .csv"):
        recording.export(tmp_path / "run.abc")
    with pytest.raises(ValueError, match=".csv files have no title"):
        recording.export(tmp_path / "run.csv", title="x")
    with pytest.raises(ValueError, match="fps must not be negative"):
        recording.export(tmp_path / "run.glb", fps=-1)
    with pytest.raises(ValueError, match="no frames"):
        recording[3:3].export(tmp_path / "run.glb")


def test_pictures_are_those_of_the_world(arm, tmp_path):
    world = tenon.World(arm)
    try:
        picture = world.render(64, 48, eye=(2, -2, 2), target=(0, 0, 0.5), segmentation=True)
    except tenon.Error as error:
        pytest.skip(str(error))
    with tenon.Recorder(tmp_path / "run.tnr", world) as recorder:
        recorder.write()
    recording = tenon.Recording(tmp_path / "run.tnr")
    again = recording.render(0, 64, 48, eye=(2, -2, 2), target=(0, 0, 0.5), segmentation=True)
    assert np.mean(again != picture) < 0.01  # poses are rounded: pixels at edges
    assert recording[0].render(32, 24).shape == (24, 32, 3)
    assert recording.render(0, 32, 24, depth=True).dtype == np.float32
    with pytest.raises(IndexError, match="1 frames, not 1"):
        recording.render(1)
    with pytest.raises(KeyError, match="no camera 'front'"):
        recording.render(camera="front")


def test_wrong_recordings(run, tmp_path):
    recording, _ = run
    with pytest.raises(tenon.FileError, match="none.tnr"):
        tenon.Recording(tmp_path / "none.tnr")
    (tmp_path / "bad.tnr").write_text("no recording")
    with pytest.raises(tenon.Error, match="bad.tnr"):
        tenon.Recording(tmp_path / "bad.tnr")
    whole = (tmp_path / "run.tnr").read_bytes()
    (tmp_path / "cut.tnr").write_bytes(whole[:-100])
    cut = tenon.Recording(tmp_path / "cut.tnr")
    assert cut.cut_off and len(cut) < 20 and cut.poses.shape[0] == len(cut)
    with pytest.raises(IndexError, match="20 frames, not 20"):
        recording[20]
    with pytest.raises(KeyError, match="no signal 'angl.s0'; did you mean 'angle.s0'"):
        recording.signal("angl.s0")
    with pytest.raises(KeyError, match="no body 'lowe'"):
        recording[0].body_pose("lowe")
    recording.close()
    with pytest.raises(ValueError, match="closed"):
        recording.poses


def test_a_page_needs_a_path(world):
    with pytest.raises(tenon.FileError):
        world.to_html("")


def test_films(world, tmp_path):
    path = tmp_path / "run.tnr"
    with tenon.Recorder(path, world) as recorder:
        for _ in range(20):
            world.step(2)
            recorder.write()
    run = tenon.Recording(path)
    for wrong, text in ((dict(fps=0), "must be positive"), (dict(width=321), "must be even"), (dict(heigth=2), "mean 'height'")):
        with pytest.raises((tenon.UsageError, TypeError), match=text):
            run.to_film(tmp_path / "x.mp4", **wrong)
    if not shutil.which("ffmpeg"):
        with pytest.raises(tenon.Error, match="no program ffmpeg"):
            run.to_film(tmp_path / "x.mp4")
        pytest.skip("there is no ffmpeg")
    try:
        world.render(8, 8)
    except tenon.Error:
        pytest.skip("pictures cannot be drawn here")
    film = run[2:].to_film(tmp_path / "run.mp4", width=64, height=48, fps=50, speed=0.5, eye=(2, 2, 2), target=(0, 0, 0.5))
    asked = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                            "stream=width,height,nb_read_frames", "-of", "csv=p=0", film], capture_output=True, text=True, check=True)
    # 17 frames of 0.01 s at half speed last 0.34 s: 17 pictures of 0.02 s and the first
    assert asked.stdout.strip() == "64,48,18"
    with pytest.raises(tenon.FileError, match="ffmpeg could not write"):
        run.to_film(tmp_path / "nowhere" / "run.mp4", width=64, height=48)
