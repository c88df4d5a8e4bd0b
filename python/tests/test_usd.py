"""Recordings as USD: what usd-core reads is where the recording has it."""
import numpy as np
import pytest
import tenon

pxr = pytest.importorskip("pxr", reason="the package usd-core is not installed")
from pxr import Usd, UsdGeom, UsdShade  # noqa: E402


def points_of(prim, time):
    """In the world."""
    mesh = UsdGeom.Mesh(prim)
    matrix = np.array(UsdGeom.XformCache(Usd.TimeCode(time)).GetLocalToWorldTransform(prim))
    points = np.array(mesh.GetPointsAttr().Get(Usd.TimeCode(time)), float)
    return points @ matrix[:3, :3] + matrix[3, :3]


@pytest.fixture
def run(arm, tmp_path):
    world = tenon.World(arm)
    world.ctrl[0] = 2.0
    with tenon.Recorder(tmp_path / "run.tnr", world) as recorder:
        for _ in range(40):
            world.step()
            recorder.write()
    return tenon.Recording(tmp_path / "run.tnr")


@pytest.mark.parametrize("ending", [".usda", ".usdc"])
def test_bodies_are_where_the_recording_has_them(run, tmp_path, ending):
    stage = Usd.Stage.Open(run.to_usd(tmp_path / f"run{ending}", fps=0))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert stage.GetTimeCodesPerSecond() == 1000 and stage.GetEndTimeCode() == pytest.approx(1000 * run.times[-1])
    poses, moved = run.poses, 0
    for k in (0, 7, 39):
        cache = UsdGeom.XformCache(Usd.TimeCode(1000 * run.times[k]))
        for body, name in enumerate(run.body_names[1:], 1):
            prim = stage.GetPrimAtPath(f"/scene/{name}")
            matrix = np.array(cache.GetLocalToWorldTransform(prim))
            w, x, y, z = poses[k, body, 3:]
            turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                             [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                             [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
            # numbers up to 2 in single precision
            assert np.abs(matrix[3, :3] - poses[k, body, :3]).max() < 1e-6
            assert np.abs(matrix[:3, :3].T - turn).max() < 2e-6
            moved = max(moved, np.abs(poses[k, body] - poses[0, body]).max())
    assert moved > 0.01


def test_shapes_have_their_sizes_and_colours(run, tmp_path):
    stage = Usd.Stage.Open(run.to_usd(tmp_path / "run.usd"))
    box = next(prim for prim in stage.GetPrimAtPath("/scene/box").GetChildren())
    points = points_of(box, 0)
    assert np.allclose(np.ptp(points, axis=0), 0.2, atol=1e-6)
    material, _ = UsdShade.MaterialBindingAPI(box).ComputeBoundMaterial()
    assert material and material.ComputeSurfaceSource()[0].GetInput("opacity").Get() == 1
    with pytest.raises(ValueError, match="must end in .usd"):
        run.to_usd(tmp_path / "run.abc")
    with pytest.raises(tenon.FileError, match="cannot be written"):
        run.to_usd(tmp_path / "nowhere" / "run.usda")


def test_soft_bodies_have_points_at_their_times(tmp_path):
    world = tenon.World(tenon.Model.from_file(tenon.scene_path("gripper")))
    with tenon.Recorder(tmp_path / "run.tnr", world) as recorder:
        for _ in range(10):
            world.step()
            recorder.write()
    run = tenon.Recording(tmp_path / "run.tnr")
    stage = Usd.Stage.Open(run.to_usd(tmp_path / "run.usdc", fps=0))
    soft = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh) and UsdGeom.Mesh(prim).GetPointsAttr().GetNumTimeSamples() > 1]
    assert len(soft) == 1
    for k in (0, 9):
        found = points_of(soft[0], 1000 * run.times[k])
        nearest = np.sqrt(((found[:, None] - run.points[k][None]) ** 2).sum(axis=2)).min(axis=1)
        assert nearest.max() < 2e-6  # a difference in single precision and its sum
