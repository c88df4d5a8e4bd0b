"""Batches against lone worlds."""
import pickle

import numpy as np
import pytest
import tenon


@pytest.fixture
def controls(arm):
    return 0.5 * np.random.default_rng(7).normal(size=(5, 12, arm.nu))


@pytest.fixture
def alone(arm, controls):
    """qpos after each control, of lone worlds."""
    states = []
    for i in range(5):
        world = tenon.World(arm)
        for ctrl in controls[i]:
            world.ctrl[:] = ctrl
            world.step()
            states.append(world.qpos.copy())
    return np.array(states).reshape(5, 12, arm.nq)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_steps_and_rollouts_equal_lone_worlds(arm, controls, alone, threads):
    batch = tenon.Batch(arm, 5, threads=threads)
    assert batch.qpos.shape == (5, arm.nq) and len(batch) == 5
    for k in range(12):
        batch.ctrl[:] = controls[:, k]
        batch.step()
        assert np.array_equal(batch.qpos, alone[:, k])
    assert not batch.diverged.any()
    batch.reset()
    result = batch.rollout(controls, want=("qpos", "qvel", "sensors", "time", "act"))
    assert np.array_equal(result["qpos"], alone)
    assert result["sensors"].shape == (5, 12, arm.nsensordata) and result["act"].shape == (5, 12, 1)
    assert np.array_equal(result["sensors"][:, -1], batch.sensors)
    assert result["time"][3] == pytest.approx(0.005 * np.arange(1, 13))
    assert np.array_equal(result["qvel"][:, -1], batch.qvel)


def test_repeat(arm, controls):
    one, two = tenon.Batch(arm, 5), tenon.Batch(arm, 5)
    one.rollout(controls, repeat=3)
    two.rollout(np.repeat(controls, 3, axis=1))
    assert np.array_equal(one.qpos, two.qpos)


def test_masks(arm):
    batch = tenon.Batch(arm, 3, threads=2)
    batch.step(mask=[True, False, True])
    assert batch.time.tolist() == [0.005, 0, 0.005]
    batch.reset(mask=np.array([True, False, False]), key="up")
    assert batch.time.tolist() == [3.0, 0, 0.005]
    with pytest.raises(ValueError, match=r"mask: expected bool of shape \(3,\), got bool of shape \(2,\)"):
        batch.step(mask=[True, False])
    with pytest.raises(ValueError, match="mask: expected bool"):
        batch.step(mask=[1, 0, 1])


def test_a_world_that_diverges_says_so(arm):
    batch = tenon.Batch(arm, 3, threads=2)
    batch.step(2)
    before = batch.qpos[1].copy()
    batch.ctrl[1, 1] = 1e300
    batch.act[1, 0] = 1e300
    batch.step(3)
    assert batch.diverged.tolist() == [False, True, False]
    assert np.array_equal(batch.qpos[1], before) and batch.time[0] == pytest.approx(0.025)
    assert batch.report(1).diverged
    batch.reset(batch.diverged.copy())
    batch.step()
    assert not batch.diverged.any()


def test_bad_rows_name_their_world(arm, controls):
    batch = tenon.Batch(arm, 5)
    batch.ctrl[3, 0] = np.nan
    with pytest.raises(tenon.UsageError, match=r"world 3: .*ctrl\[0\] is not finite"):
        batch.step()
    assert batch.time.tolist() == [0] * 5 and batch.ctrl[3, 0] == 0
    with pytest.raises(ValueError, match=r"ctrl: expected numbers \(float64\) of shape \(5, n, 2\), got shape \(5, 2\)"):
        batch.rollout(controls[:, 0])
    controls[2, 4, 1] = np.inf
    with pytest.raises(ValueError, match=r"ctrl\[2, 4, 1\] is not finite"):
        batch.rollout(controls)
    with pytest.raises(ValueError, match="no 'states'"):
        batch.rollout(controls, want="states")
    with pytest.raises(ValueError, match=r"qpos: expected .* \(5, 16\), got shape \(16,\)"):
        batch.qpos = np.zeros(16)
    with pytest.raises(ValueError):
        batch.time[0] = 3  # read-only


def rows_of(n):
    """Arguments of each set_… method with a row per world."""
    x = 1 + 0.1 * np.arange(n)
    return {
        "set_gravity": dict(gravity=np.outer(x, (0.1, 0, -9))),
        "set_timestep": dict(timestep=0.004 * x),
        "set_geom_friction": dict(geom="floor", friction=np.outer(x, (0.1, 0.001, 0))),
        "set_geom_size": dict(geom="box", size=np.outer(x, (0.1, 0.08, 0.1))),
        "set_geom_local_pose": dict(geom="held", pos=np.outer(x, (0.01, 0, 0))),
        "set_site_local_pose": dict(site="tip", pos=np.outer(x, (0.1, 0, 0)), quat=np.outer(x, (1, 0.1, 0, 0))),
        "set_actuator": dict(actuator="shoulder", gain=x, bias=np.outer(x, (0.1, 0, -0.1))),
        "set_joint_forces": dict(joint="shoulder", stiffness=x, damping=0.2 * x),
        "set_body_mass": dict(body="lower", mass=x, com=np.outer(x, (0.1, 0, 0)), inertia=np.outer(x, (0.1, 0.1, 0.1, 0, 0, 0))),
    }


@pytest.mark.parametrize("threads", [1, 2])
def test_parameters_of_each_world(arm, controls, threads):
    batch, mask = tenon.Batch(arm, 5, threads=threads), np.array([True, True, False, True, True])
    for method, given in rows_of(5).items():
        getattr(batch, method)(**given, mask=mask)
    result = batch.rollout(controls, want="qpos")["qpos"]
    for i in range(5):
        world = tenon.World(arm)
        for method, given in rows_of(5).items():
            if mask[i]:
                getattr(world, method)(**{name: x[i] if isinstance(x, np.ndarray) else x for name, x in given.items()})
        for k, ctrl in enumerate(controls[i]):
            world.ctrl[:] = ctrl
            world.step()
            assert np.array_equal(world.qpos, result[i, k])
    assert not np.array_equal(result[0], result[1])
    again = pickle.loads(pickle.dumps(batch))
    again.step(3)
    batch.step(3)
    assert np.array_equal(again.qpos, batch.qpos)


def test_parameters_for_all_and_wrong_ones(arm):
    batch = tenon.Batch(arm, 3)
    batch.set_gravity((0, 0, 0))
    batch.set_joint_forces("elbow", damping=0.3)
    batch.step()
    assert (batch.qvel[:, 2] == 0).all()
    with pytest.raises(tenon.UsageError, match=r"mass: expected numbers of shape \(3,\) or \(\), got \(2,\)"):
        batch.set_body_mass("box", [1, 2])
    with pytest.raises(tenon.UsageError, match=r"friction: expected numbers of shape \(3, 3\) or \(3,\), got 'high'"):
        batch.set_geom_friction("box", "high")
    with pytest.raises(tenon.UsageError, match="mask: expected bool"):
        batch.set_gravity((0, 0, 0), mask=[1, 0, 1])
    with pytest.raises(KeyError, match="bux"):
        batch.set_body_mass("bux", 1.0)
    with pytest.raises(TypeError, match="no 'stifness'"):
        batch.set_joint_forces("elbow", stifness=1.0)
    with pytest.raises(tenon.UsageError, match="world 1: .*mass must be positive"):
        batch.set_body_mass("box", [1.0, -1.0, 2.0])
    again = pickle.loads(pickle.dumps(batch))  # the other two have theirs
    for some in (batch, again):
        some[0].apply_wrench("box", force=(1, 0, 0))
        some[2].apply_wrench("box", force=(1, 0, 0))
        some.step()
        assert some.qvel[0, 0] == pytest.approx(0.005) and some.qvel[2, 0] == pytest.approx(0.0025)


def test_where_rollouts_start(arm, controls):
    batch = tenon.Batch(arm, 5, threads=2)
    batch.step(7)
    one, all_of_them = batch[3].save(), batch.save()
    first = batch.rollout(controls)
    for start in (one, all_of_them):  # the worlds were alike by then
        again = batch.rollout(controls, start=start, want=("qpos", "diverged"))
        assert np.array_equal(again["qpos"], first["qpos"]) and not again["diverged"].any()
    there = batch.qpos[2].copy()
    a = batch.rollout(controls, start=dict(qpos=there, qvel=np.zeros((5, arm.nv))))["qpos"]
    batch.step(3)
    b = batch.rollout(controls, start=dict(qpos=there, qvel=np.zeros(arm.nv)))["qpos"]
    assert np.array_equal(a, b)
    world = tenon.World(arm)
    world.qpos[:] = there
    world.ctrl[:] = controls[4, 0]
    world.step()
    assert np.array_equal(world.qpos, a[4, 0])
    time = batch.time[1]
    batch.rollout(controls, start=one, mask=np.arange(5) != 1)
    assert batch.time[1] == time
    with pytest.raises(tenon.UsageError, match="no 'ctrl'; there are qpos"):
        batch.rollout(controls, start=dict(ctrl=0))
    with pytest.raises(tenon.UsageError, match="expected 5 states, got 2"):
        batch.restore([one, one])
    with pytest.raises(tenon.UsageError, match="world 0: .*too short"):
        batch.rollout(controls, start=b"no state")


def test_rollouts_without_controls(arm):
    one, two = tenon.Batch(arm, 2), tenon.Batch(arm, 2)
    one.ctrl[:] = two.ctrl[:] = 0.3
    result = one.rollout(length=4, repeat=2, want=("time", "act"))
    two.step(8)
    assert np.array_equal(one.qpos, two.qpos) and result["time"][1, -1] == pytest.approx(0.04)
    assert np.array_equal(result["act"][:, -1], two.act)
    with pytest.raises(tenon.UsageError, match="expected ctrl, or length"):
        one.rollout()
    with pytest.raises(tenon.UsageError, match="length must be 1 or more"):
        one.rollout(length=0)


def test_a_rollout_with_a_world_that_diverges_and_with_nan(arm, controls):
    batch, calm = tenon.Batch(arm, 5, threads=2), tenon.Batch(arm, 5)
    expected = calm.rollout(controls)["qpos"]
    wild = controls.copy()
    wild[2, 6:, 1] = 1e300
    result = batch.rollout(wild, repeat=1, want=("qpos", "diverged", "time"))
    others = np.arange(5) != 2
    assert np.array_equal(result["qpos"][others], expected[others]) and not result["diverged"][others].any()
    when = int(np.argmax(result["diverged"][2]))
    assert result["diverged"][2, when:].all() and 6 <= when < 12 and batch.diverged.tolist() == [False, False, True, False, False]
    assert (result["qpos"][2, when:] == result["qpos"][2, when - 1]).all()
    wild[4, 11, 0] = np.nan  # refused before the first step
    before = batch.time.copy()
    with pytest.raises(tenon.UsageError, match=r"ctrl\[4, 11, 0\] is not finite"):
        batch.rollout(wild)
    assert np.array_equal(batch.time, before)
    batch.rollout(wild, mask=others & (np.arange(5) != 4))


def test_worlds_of_a_batch(arm):
    batch = tenon.Batch(arm, 3)
    batch[1].set_gravity((0, 0, 0))
    batch[1].apply_wrench("box", force=(8, 0, 0))
    batch.step()
    assert batch.qvel[1, 0] == pytest.approx(0.005) and batch.qvel[0, 0] == 0
    assert np.shares_memory(batch[2].qpos, batch.qpos)
    assert batch[-1] is batch[2] and [w.time for w in batch] == batch.time.tolist()
    state = batch[1].save()
    batch.step(4)
    batch[1].restore(state)
    assert batch.time[1] == 0.005
    with pytest.raises(IndexError):
        batch[3]
    batch[0].step(2)  # one alone
    assert batch.time[0] == pytest.approx(0.035)


def test_saving_and_pickling(arm, controls):
    batch = tenon.Batch(arm, 5, threads=2, substeps=2)
    batch[4].set_body_mass("lower", 5.0)
    batch.rollout(controls)
    states, again = batch.save(), pickle.loads(pickle.dumps(batch))
    batch.step(5)
    again.step(5)
    assert np.array_equal(again.qpos, batch.qpos)
    end = batch.qpos.copy()
    batch.restore(states)
    batch.step(5)
    assert np.array_equal(batch.qpos, end)


def test_closed_and_wrong(arm):
    with tenon.Batch(arm, 2) as batch:
        qpos = batch.qpos
    with pytest.raises(tenon.UsageError, match="closed"):
        batch.step()
    assert np.isfinite(qpos).all()
    with pytest.raises(tenon.UsageError, match="count is 0"):
        tenon.Batch(arm, 0)
    with pytest.raises(tenon.UsageError, match="thread_count"):
        tenon.Batch(arm, 2, threads=65)
    with pytest.raises(TypeError, match="Batch: there is no 'colour'"):
        tenon.Batch(arm, 2, colour=1)


def test_a_device_that_is_not_there_is_said(arm):
    with pytest.raises(tenon.Error, match="device"):
        tenon.Batch(arm, 4, device="cuda")
    with pytest.raises(tenon.Error, match="not one of cpu, cuda, cuda64"):
        tenon.Batch(arm, 4, device="tpu")
    batch = tenon.Batch(arm, 4, device="cpu")
    batch.fetch()  # nothing to do
    with pytest.raises(tenon.Error, match="not on a device"):
        batch.there.step()


def test_mocap_bodies_move_by_rows(arm):
    batch = tenon.Batch(arm, 3)
    batch.set_mocap("hand", [(0, 1, 0.5), (0, 1, 0.6), (0, 1, 0.7)], mask=np.array([True, True, False]))
    batch.step()
    assert [float(world.body_pose("hand")[0][2]) for world in batch] == pytest.approx([0.5, 0.6, 0.5])
