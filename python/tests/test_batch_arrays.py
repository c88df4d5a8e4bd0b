"""Arrays of all worlds: each row is what a lone world answers."""
import pickle

import numpy as np
import pytest
import tenon

N = 5


def moving(arm, threads):
    batch = tenon.Batch(arm, N, threads=threads)
    batch.qvel[:, 0] = np.linspace(-1, 1, N)
    batch.ctrl[:, 0] = np.linspace(0, 3, N)
    batch.step(60)
    return batch


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_are_what_each_world_answers(arm, threads):
    batch = moving(arm, threads)
    got = batch.arrays(["body_poses", "body_velocities", "body_reactions", "contact_wrenches", "site_poses", "site_velocities",
                        "geom_poses", "geom_velocities", "actuator_force", "sensors", "contacts", "contact_counts"], contacts=3)
    jacobians, of_site = batch.jacobian("lower"), batch.site_jacobian("tip")
    for i, world in enumerate(batch):
        for b in range(arm.nbody):
            assert np.array_equal(got["body_poses"][i, b], np.concatenate(world.body_pose(b)))
            assert np.array_equal(got["body_velocities"][i, b], np.concatenate(world.body_velocity(b)))
            assert np.array_equal(got["body_reactions"][i, b], np.concatenate(world.body_reaction(b)), equal_nan=True)
        for g in range(arm.ngeom):
            assert np.array_equal(got["geom_poses"][i, g], np.concatenate(world.geom_pose(g)))
            assert np.array_equal(got["geom_velocities"][i, g], np.concatenate(world.geom_velocity(g)))
        assert np.array_equal(got["site_poses"][i, 0], np.concatenate(world.site_pose("tip")))
        assert np.array_equal(got["site_velocities"][i, 0], np.concatenate(world.site_velocity("tip")))
        assert np.array_equal(got["contact_wrenches"][i], world.contact_wrenches)
        for body in ("box", "lower", 0):
            assert np.allclose(got["contact_wrenches"][i, arm.body(body), :3], world.contact_force(body), rtol=0, atol=1e-12)
        assert np.array_equal(got["actuator_force"][i], world.actuator_force)
        assert np.allclose(world.actuator_force, world.eval(want="actuator_force")["actuator_force"], rtol=0, atol=1e-12)
        assert np.array_equal(got["sensors"][i], world.sensors)
        assert np.array_equal(jacobians[i], world.jacobian("lower"))
        assert np.array_equal(of_site[i], world.site_jacobian("tip"))
        assert np.allclose(of_site[i] @ world.qvel, np.concatenate(world.site_velocity("tip")), rtol=0, atol=1e-12)
        there = world.contacts
        assert got["contact_counts"][i] == len(there)
        order = np.argsort(-np.linalg.norm(there["force"], axis=1), kind="stable")[:3]
        row = got["contacts"][i][:len(order)]
        for field in there.dtype.names:
            assert np.array_equal(row[field], there[field][order])
        assert np.array_equal(row["body2"], [arm.geom_info(int(g))["body"] for g in row["geom2"]])
        assert (got["contacts"][i][len(order):]["geom1"] == -1).all() and (got["contacts"][i][len(order):]["body2"] == -1).all()
    assert (got["contact_counts"] > 0).all()
    assert np.array_equal(batch.body_poses, got["body_poses"]) and np.array_equal(batch.contacts(3), got["contacts"])


def test_what_was_written_shows_at_once(arm):
    batch = moving(arm, 2)
    batch.qpos[2, :3] = (9, 8, 7)
    assert np.array_equal(batch.body_poses[2, arm.body("box"), :3], (9, 8, 7))


def test_memory_is_taken_again_and_masks_leave_rows(arm):
    batch = moving(arm, 1)
    first = batch.arrays(["body_poses", "contacts"], contacts=2)
    kept = first["body_poses"].copy()
    batch.qpos[:, 2] += 1
    mask = np.array([True, False, True, True, True])
    second = batch.arrays(["body_poses", "contacts"], contacts=2, out=first, mask=mask)
    assert second["body_poses"] is first["body_poses"] and second["contacts"] is first["contacts"]
    assert (batch.arrays("contacts", contacts=2, mask=mask)["contacts"]["geom1"][1] == -1).all()
    assert np.array_equal(first["body_poses"][1], kept[1]) and not np.array_equal(first["body_poses"][0], kept[0])


def test_rays(arm):
    batch = moving(arm, 2)
    origins = np.repeat(batch.body_poses[:, 1:3, :3] + (0, 0, 2), 2, axis=1)
    hits = batch.cast_rays(origins, (0, 0, -1), exclude="hand")
    assert hits.shape == (N, 4)
    for i, world in enumerate(batch):
        alone = world.cast_rays(origins[i], np.tile((0.0, 0.0, -1.0), (4, 1)), exclude="hand")
        assert np.array_equal(hits[i], alone)


def test_moved_geoms_and_sites_travel_by_pickle(arm):
    batch = tenon.Batch(arm, N)
    batch.set_geom_local_pose("held", pos=(0.01, 0, 0))
    batch.set_geom_local_pose("held", quat=(0, 0, 0, 2.0), mask=np.arange(N) < 2)
    batch[1].set_site_local_pose("tip", pos=(0.3, 0, 0))
    assert batch[1].geom_local_pose("held") == ((0.01, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    assert batch[2].geom_local_pose("held") == ((0.01, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    twin = pickle.loads(pickle.dumps(batch))
    assert np.array_equal(twin.geom_poses, batch.geom_poses) and np.array_equal(twin.site_poses, batch.site_poses)
    assert batch.site_poses[1, 0, 0] == pytest.approx(0.6)


@pytest.mark.parametrize("call, text", [
    (lambda b: b.arrays("xpos"), "there is no 'xpos'; there are body_poses"),
    (lambda b: b.arrays("contacts"), "say how many per world"),
    (lambda b: b.contacts(0), "say how many"),
    (lambda b: b.arrays("body_poses", out={"body_poses": np.zeros((2, 2))}), "out: 'body_poses' must be a writable"),
    (lambda b: b.arrays("body_poses", mask=[1, 0]), "mask: expected bool"),
    (lambda b: b.jacobian("lower", np.zeros((3, 3))), "point"),
    (lambda b: b.cast_rays(np.zeros((4, 3)), (0, 0, 1)), "origins: expected shape"),
    (lambda b: b.cast_rays(np.zeros((N, 2, 3)), (0, 1)), "directions: expected shape"),
    (lambda b: b.set_geom_local_pose("held", pos=(0, np.nan, 0)), "world 0: .*finite"),
    (lambda b: b.set_site_local_pose("tip", quat=(0, 0, 0, 0)), "not zero"),
])
def test_errors(arm, call, text):
    with pytest.raises(tenon.UsageError, match=text):
        call(tenon.Batch(arm, N))


def test_a_moved_geom_and_site_are_as_in_a_model_that_has_them_there():
    def model(geom, site):
        return tenon.Model.from_string(f"""<mujoco><compiler angle="radian"/><option timestep="0.005"/><worldbody>
          <geom name="floor" type="plane" size="1 1 1"/>
          <body pos="0 0 0.3"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
            <geom name="a" type="box" size="0.1 0.05 0.03"/>
            <body pos="0.1 0 0.1" euler="0.2 0 0.3"><geom name="b" type="capsule" size="0.03 0.1" mass="0" {geom}/>
              <site name="s" {site}/></body></body>
        </worldbody><sensor><framepos objtype="site" objname="s"/><accelerometer site="s"/></sensor></mujoco>""")

    there = tenon.World(model('pos="0.02 0.01 0.05" quat="0.8 0 0.6 0"', 'pos="0 0.1 0" quat="0 1 0 0"'))
    batch = tenon.Batch(model("", ""), 2)
    batch.set_geom_local_pose("b", pos=(0.02, 0.01, 0.05), quat=(0.8, 0, 0.6, 0), mask=np.array([False, True]))
    batch.set_site_local_pose("s", pos=(0, 0.1, 0), quat=(0, 1, 0, 0), mask=np.array([False, True]))
    batch.step(200)
    there.step(200)
    assert there.hash() == batch[1].hash() != batch[0].hash()
    assert np.array_equal(there.sensors, batch.sensors[1])
    assert there.report.contact_count > 0
