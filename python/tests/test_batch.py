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
    with pytest.raises(tenon.UsageError, match="no option 'colour'"):
        tenon.Batch(arm, 2, colour=1)
