"""The environments of tenon.gym, as Gymnasium and its clients use them."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest
import tenon

gymnasium = pytest.importorskip("gymnasium", reason="the extra tenon-physics[gym] is not installed")
import tenon.gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from tenon.gym import knots, scripts  # noqa: E402
from tenon.gym.cleanrl import CleanRlEnvs  # noqa: E402
from tenon.gym.vector_env import AutoresetMode  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = list(tenon.gym.TASKS)
has_modes = hasattr(gymnasium.vector, "AutoresetMode")  # since Gymnasium 1.1


def make(name, **options):
    return gymnasium.make(f"tenon/{name}-v0", **options)


def make_vec(name, n, **options):
    return gymnasium.make_vec(f"tenon/{name}-v0", num_envs=n, vectorization_mode="vector_entry_point", **options)


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_of_gymnasium_has_nothing_to_say(name):
    env = make(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)
    env.close()


@pytest.mark.parametrize("module", ("tenon", "tenon.gym"))
def test_the_name_of_the_module_in_the_id_is_enough(module):
    code = f"import gymnasium; print(gymnasium.make('{module}:tenon/Reacher-v0').spec.max_episode_steps)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["50"]


@pytest.mark.parametrize("name", NAMES)
def test_many_have_the_bits_of_single_ones(name):
    n, steps = 3, 4
    envs = make_vec(name, n, threads=2)
    rng = np.random.default_rng(5)
    actions = rng.uniform(-1, 1, (steps, n, *envs.single_action_space.shape)).astype(np.float32)
    seen, infos = envs.reset(seed=20)
    rows = [(seen, None, infos)]
    for action in actions:
        seen, reward, terminated, truncated, infos = envs.step(action)
        assert not (terminated | truncated).any()
        rows.append((seen, reward, infos))
    envs.close()
    env = make(name)
    for i in range(n):
        single, info = env.reset(seed=20 + i)
        assert np.array_equal(single, rows[0][0][i])
        for k, action in enumerate(actions[:, i]):
            single, reward, _, _, info = env.step(action)
            seen, rewards, infos = rows[k + 1]
            assert np.array_equal(single, seen[i]) and reward == rewards[i]
            assert all(value == infos[key][i] for key, value in info.items())
    env.close()


def test_the_same_seed_gives_the_same_bits_whatever_was_before():
    env = make("CableRouting")
    runs = []
    for _ in range(2):
        seen, _ = env.reset(seed=3)
        rows = [seen]
        for _ in range(3):
            rows.append(env.step(np.array([0.5, -1.0], dtype=np.float32))[0])
        runs.append(np.array(rows))
    assert np.array_equal(*runs)
    other, _ = env.reset(seed=4)
    assert not np.array_equal(other, runs[0][0])
    env.close()


def same(a, b):
    """Whether two infos have the same entries."""
    assert set(a) == set(b)
    for key in a:
        if isinstance(a[key], dict):
            same(a[key], b[key])
        elif a[key].dtype == object:
            for x, y in zip(a[key], b[key]):
                assert (x is None) == (y is None) and (x is None or np.array_equal(x, y))
        else:
            assert np.array_equal(a[key], b[key]), key


@pytest.mark.skipif(not has_modes, reason="Gymnasium 1.0 has no modes")
@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
def test_episodes_begin_again_as_in_the_vector_environment_of_gymnasium(mode):
    n = 3
    ours = tenon.gym.TenonVectorEnv("Humanoid", n, autoreset_mode=mode, max_episode_steps=14)
    theirs = gymnasium.vector.SyncVectorEnv([lambda: make("Humanoid", max_episode_steps=14)] * n, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is mode
    both = ours, theirs
    (a, first), (b, second) = (envs.reset(seed=7) for envs in both)
    assert np.array_equal(a, b)
    same(first, second)
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(34):
        action = rng.uniform(-1, 1, ours.action_space.shape).astype(np.float32)
        action[0] = 1.0  # the first one falls, the others run out of time
        results = [envs.step(action) for envs in both]
        for x, y in zip(results[0][:4], results[1][:4]):
            assert np.array_equal(x, y) and x.dtype == y.dtype
        same(results[0][4], results[1][4])
        over = results[0][2] | results[0][3]
        ends += over.sum()
        if mode == AutoresetMode.DISABLED and over.any():
            with pytest.raises(tenon.UsageError, match="is over"):
                ours.step(action)
            a, b = (envs.reset(options={"reset_mask": over.copy()})[0] for envs in both)
            assert np.array_equal(a, b)
    assert ends >= 2 * n
    for envs in both:
        envs.close()


def test_a_world_that_diverges_ends_its_episode_and_no_other():
    envs = make_vec("Stacking", 3)
    envs.reset(seed=0)
    still = np.zeros((3, 4), dtype=np.float32)
    envs.simulation.qvel[1, 5:8] = 1e200
    seen, reward, terminated, truncated, info = envs.step(still)
    assert list(truncated) == [False, True, False] and not terminated.any()
    assert list(info["diverged"]) == [False, True, False]
    assert np.isfinite(seen).all() and np.isfinite(reward).all()
    seen, _, terminated, truncated, info = envs.step(still)  # it begins again
    assert not (terminated | truncated | info["diverged"]).any()
    assert list(envs.simulation.steps) == [2, 0, 2]
    envs.close()


@pytest.mark.parametrize("name", list(scripts.SCRIPTS))
def test_a_script_does_the_task_and_chance_does_not(name):
    env = make(name)
    with warnings.catch_warnings():
        if name not in ("Levelling", "Stirring"):
            warnings.simplefilter("error", tenon.TroubleWarning)
        for seed in (2, 3, 4):  # rounding differs between processors, and grain is chaotic: one of three
            reached, info, _ = scripts.play(env, name, seed)
            if info["success"]:
                break
    assert info["success"]
    env.reset(seed=2)
    env.action_space.seed(2)
    total = 0.0
    for _ in range(60):
        _, reward, terminated, _, info = env.step(env.action_space.sample())
        total += reward
        if terminated:
            break
    assert not info["success"] and reached > total + 5.0  # 5 is what success pays
    env.close()


def test_a_hasty_hand_loses_the_block():
    """Friction is tight: what the fingers can hold is 1.4 times the weight of the block."""
    env = make("Stacking").unwrapped
    seen, _ = env.reset(seed=2)
    policy = scripts.stacking(seen.astype(float))
    action = next(policy)
    while not (action[3] == 1.0 and action[2] > 0.2):  # until it would be lifted
        seen, *_ = env.step(action)
        action = policy.send(seen.astype(float))
    held = seen[15]
    jerk = env.world.model.actuator("z")
    env.simulation.ctrl[0, jerk] += 0.1
    env.world.step(20)
    env.simulation.look()
    lower = env.task.observe(env.simulation)[0, 15]
    assert lower < held - 0.01
    env.close()


@pytest.mark.skipif(not has_modes, reason="Gymnasium 1.0 has no modes")
def test_scripts_of_cleanrl_find_what_their_own_environments_have():
    """Returns and lengths of episodes are those of Gymnasium's wrapper around single environments."""
    n, steps = 3, 25
    ours = CleanRlEnvs("tenon/Reacher-v0", n, normalize=False, max_episode_steps=9, torch_threads=None)
    record = gymnasium.wrappers.RecordEpisodeStatistics
    theirs = gymnasium.vector.SyncVectorEnv([lambda: record(make("Reacher", max_episode_steps=9))] * n,
                                            autoreset_mode=AutoresetMode.SAME_STEP)
    both, rng, ends = (ours, theirs), np.random.default_rng(0), 0
    (a, _), (b, _) = (envs.reset(seed=1) for envs in both)
    assert np.array_equal(a, b)
    for _ in range(steps):
        action = rng.uniform(-1.5, 1.5, (n, 2)).astype(np.float32)
        (a, paid, *_, info), (b, due, *_, true) = ours.step(action), theirs.step(np.clip(action, -1, 1))
        assert np.array_equal(a, b) and np.array_equal(paid, due)
        assert ("final_info" in info) == ("final_info" in true)
        if "final_info" in info:
            mine, its = info["final_info"], true["final_info"]
            assert np.array_equal(mine["_episode"], its["_episode"]) and np.array_equal(mine["episode"]["l"], its["episode"]["l"])
            assert mine["episode"]["r"] == pytest.approx(its["episode"]["r"], rel=1e-5)  # theirs is single precision
            assert all(np.array_equal(x, y) for x, y in zip(info["final_obs"], true["final_obs"]))
            ends += mine["_episode"].sum()
    assert ends == 2 * n
    ours.close()
    theirs.close()


def test_what_cleanrl_sees_is_normal():
    """Mean and deviation of all that was seen so far; the reward over the deviation of its discounted sum."""
    plain = CleanRlEnvs("Reacher", 4, normalize=False, torch_threads=None)
    envs = CleanRlEnvs("Reacher", 4, gamma=0.9, torch_threads=None)
    rows, sums, sum_ = [plain.reset(seed=0)[0]], [], np.zeros(4)
    envs.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(30):
        action = rng.uniform(-1, 1, (4, 2))
        (raw, reward, *_), (seen, paid, *_) = plain.step(action), envs.step(action)
        rows.append(raw)
        sum_ = 0.9 * sum_ + reward
        sums.append(sum_)
    every = np.concatenate(rows).astype(float)
    # the running numbers begin with a weight of 1e-4 at mean 0 and variance 1
    assert seen == pytest.approx(np.clip((raw - every.mean(axis=0)) / every.std(axis=0), -10, 10), abs=2e-3)
    assert paid == pytest.approx(np.clip(reward / np.std(sums), -10, 10), rel=1e-3)
    plain.close()
    envs.close()


def test_knots_are_told_apart():
    t = np.linspace(0, 2 * np.pi, 200)[:-3]
    circle = np.stack([np.cos(t), np.sin(t), 0.1 * t], axis=1)
    trefoil = np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)], axis=1)
    eight = np.stack([(2 + np.cos(2 * t)) * np.cos(3 * t), (2 + np.cos(2 * t)) * np.sin(3 * t), np.sin(4 * t)], axis=1)
    assert [knots.determinant(curve) for curve in (circle, trefoil, trefoil[::-1], eight)] == [1, 3, 3, 5]
    mirrored = trefoil * (1, 1, -1)
    assert knots.determinant(mirrored) == 3
    left, right = knots.writhe(np.stack([trefoil[::8], mirrored[::8]]))
    assert left == pytest.approx(-right) and abs(left) > 2.5  # three crossings of one sign from most sides


def test_wrong_actions_and_options_say_what_was_expected():
    envs = make_vec("Reacher", 2)
    envs.reset(seed=0)
    with pytest.raises(tenon.UsageError, match=r"action of world 1 is not finite"):
        envs.step(np.array([[0, 0], [np.nan, 0]]))
    with pytest.raises(tenon.UsageError, match=r"expected shape \(2, 2\), got \(2, 3\)"):
        envs.step(np.zeros((2, 3)))
    with pytest.raises(tenon.UsageError, match="expected 2 seeds, got 3"):
        envs.reset(seed=[1, 2, 3])
    with pytest.raises(tenon.UsageError, match="reset_mask: expected bool"):
        envs.reset(options={"reset_mask": np.zeros(2, dtype=bool)})
    assert np.isfinite(envs.step(np.full((2, 2), 9.0))[0]).all()  # clipped
    envs.close()
    with pytest.raises(KeyError, match="there is no task 'Rope'; there are CableRouting"):
        tenon.gym.TenonEnv("Rope")
    with pytest.raises(ValueError, match="render_mode: expected one of human, rgb_array"):
        tenon.gym.TenonEnv("Reacher", render_mode="ascii")


@pytest.mark.parametrize("name", NAMES)
def test_there_is_a_picture_of_each(name):
    env = make(name, render_mode="rgb_array", width=96, height=72)
    env.reset(seed=0)
    try:
        picture = env.render()
    except tenon.Error as error:
        pytest.skip(str(error))
    assert picture.shape == (72, 96, 3) and picture.std() > 5
    env.close()


WINDOW = """
import gymnasium, tenon.gym, warnings
from gymnasium.utils.env_checker import check_env
warnings.simplefilter("error")
check_env(gymnasium.make("tenon/Reacher-v0").unwrapped)
env = gymnasium.make("tenon/Reacher-v0", render_mode="human")
env.reset(seed=0)
env.step(env.action_space.sample())
assert env.unwrapped._window.is_open
env.close()
"""


def test_human_mode_opens_a_window():
    if not shutil.which("Xvfb") or not tenon._core.has_window:
        pytest.skip("there is no Xvfb, or the package has no window")
    reader, writer = os.pipe()
    with subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24"], pass_fds=[writer],
                          stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        try:
            with os.fdopen(reader) as pipe:
                display = ":" + pipe.readline().strip()
            done = subprocess.run([sys.executable, "-c", WINDOW], env={**os.environ, "DISPLAY": display},
                                  capture_output=True, text=True)
        finally:
            server.terminate()
    assert done.returncode == 0, done.stderr


def test_a_small_loop_learns_to_insert_a_cable():
    def reached(steps):
        done = subprocess.run([sys.executable, str(ROOT / "examples" / "python" / "ppo.py"), "--steps", str(steps)],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        mean, successes = re.search(r"mean return (\S+), success in (\S+) %", done.stdout).groups()
        return float(mean), float(successes)

    assert reached(0)[0] < 1.0
    mean, successes = reached(16000)
    assert mean > 3.0 and successes > 40.0  # 5.0 to 6.9 and 72 to 100 for four seeds
