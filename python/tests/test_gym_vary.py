"""What differs from one episode to the next: parameters, delays, noise."""
import numpy as np
import pytest
import tenon

pytest.importorskip("gymnasium", reason="the extra tenon-physics[gym] is not installed")
import tenon.gym  # noqa: E402
from tenon.gym import TenonEnv, TenonVectorEnv, Vary  # noqa: E402
from tenon.gym.vary import normal  # noqa: E402

MODEL = tenon.Model.from_string("""
<mujoco><option timestep="0.01"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
  <body name="cart" pos="0 0 0.5"><joint name="x" type="slide" axis="1 0 0" damping="0.5"/>
    <geom name="box" type="box" size="0.1 0.1 0.1" mass="2"/><site name="imu" pos="0.1 0 0"/>
    <body name="pole"><joint name="pin" axis="0 1 0" damping="0.1" armature="0.01"/>
      <geom name="rod" type="capsule" fromto="0 0 0 0 0 0.4" size="0.02" mass="0.3"/></body></body>
</worldbody><actuator><position name="drive" joint="x" kp="20" kv="2"/></actuator>
<sensor><framepos objtype="site" objname="imu"/></sensor></mujoco>""")


class Cart(tenon.gym.Task):
    model, action_size, timestep, repeat, camera = MODEL, 1, 0.01, 4, None

    def __init__(self, *randomize):
        self.randomize = randomize

    def start(self, rng, row):
        row.qpos[1] = rng.uniform(-0.1, 0.1)

    def control(self, sim, action):
        sim.ctrl[:] = action

    def observe(self, sim):
        return np.concatenate([sim.qpos, sim.qvel, sim.sensors], axis=1)

    def potential(self, sim):
        return sim.qpos[:, 0].copy()

    def succeeds(self, sim):
        return np.zeros(len(sim), dtype=bool)


ALL = (Vary("geom_friction", "floor", scale=(0.5, 1.5)), Vary("geom_size", "box", scale=(0.9, 1.1)),
       Vary("geom_pos", "rod", add=(-0.01, 0.01)), Vary("site_pos", "imu", add=(-0.02, 0.02)),
       Vary("body_mass", "*", scale=(0.5, 2.0), together=True), Vary("body_com", "pole", add=((0, 0, 0), (0, 0, 0.02))),
       Vary("joint_damping", "*", value=(0.1, 0.9)), Vary("joint_armature", "pin", scale=(1, 2)),
       Vary("actuator_strength", scale=(0.8, 1.2)), Vary("gravity", add=((-1, 0, 0), (1, 0, 0))),
       Vary("control_delay", value=(0.0, 0.06)), Vary("observation_delay", value=(0.0, 0.08)),
       Vary("observation_noise", value=(0.01, 0.02)))


def test_worlds_have_what_was_drawn_and_it_is_within_bounds():
    envs = TenonVectorEnv(Cart(*ALL), 32, threads=2)
    envs.reset(seed=1)
    sim, worlds = envs.simulation, list(envs.simulation.batch)
    varied = sim.varied
    for i, w in enumerate(worlds):
        assert w.geom_friction("floor") == tuple(varied["geom_friction:floor"][i])
        assert w.geom_size("box") == tuple(varied["geom_size:box"][i])
        assert w.geom_local_pose("rod")[0] == tuple(varied["geom_pos:rod"][i])
        assert w.site_local_pose("imu")[0] == tuple(varied["site_pos:imu"][i])
        for body in ("cart", "pole"):
            assert w.body_mass(body)[0] == pytest.approx(varied[f"body_mass:{body}"][i, 0], rel=1e-15)
        assert w.body_mass("pole")[1] == pytest.approx(tuple(varied["body_com:pole"][i]), abs=1e-15)
        for joint in ("x", "pin"):
            assert w.joint_forces(joint)["damping"] == varied[f"joint_damping:{joint}"][i, 0]
        assert w.joint_forces("pin")["armature"] == varied["joint_armature:pin"][i, 0]
        strength = varied["actuator_strength:drive"][i, 0]
        assert w.actuator_gains("drive") == (20 * strength, (0.0, -20 * strength, -2 * strength))
        assert w.gravity == tuple(varied["gravity"][i])
    friction = varied["geom_friction:floor"] / MODEL.geom_info("floor")["friction"]
    assert np.ptp(friction, axis=1).max() < 1e-12  # one factor for all three numbers
    # of 32 uniform numbers the smallest is in the lowest fifth but for 0.8 of 1000 seeds, and this one is fixed
    assert 0.5 <= friction.min() < 0.7 and 1.3 < friction.max() <= 1.5
    assert np.ptp(varied["body_mass:cart"] / varied["body_mass:pole"]) < 1e-12  # together
    assert np.ptp(varied["joint_damping:x"] - varied["joint_damping:pin"]) > 0.1  # each for itself
    mass = varied["body_mass:cart"].copy()
    envs.reset(options={"reset_mask": np.arange(32) < 16})
    assert (varied["body_mass:cart"][:16] != mass[:16]).all() and np.array_equal(varied["body_mass:cart"][16:], mass[16:])
    # each episode draws from the model's numbers: factors do not pile up
    assert (varied["body_mass:cart"] <= 2 * 2.0).all() and (varied["body_mass:cart"] >= 0.5 * 2.0).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_many_have_the_bits_of_single_ones(threads):
    actions = np.random.default_rng(0).uniform(-1, 1, (12, 3, 1)).astype(np.float32)
    envs = TenonVectorEnv(Cart(*ALL), 3, threads=threads, max_episode_steps=5)
    rows = [envs.reset(seed=7)[0]] + [envs.step(action)[0] for action in actions]
    for i in range(3):
        env, at = TenonEnv(Cart(*ALL)), 0
        seen = [env.reset(seed=7 + i)[0]]
        for action in actions:
            if at == 5:  # the step after the last one begins again
                seen.append(env.reset()[0])
                at = 0
                continue
            seen.append(env.step(action[i])[0])
            at += 1
        assert np.array_equal(np.array(rows)[:, i], seen)


@pytest.mark.parametrize("steps", [0, 1, 3, 4, 6, 9])
def test_controls_come_late_by_whole_steps(steps):
    env = TenonEnv(Cart(Vary("control_delay", value=steps * 0.01)))
    world = tenon.World(MODEL)
    env.reset(seed=3)
    world.qpos = env.world.qpos
    given = [0.0] * steps
    for action in (0.5, -1.0, 0.25, 1.0, -0.5):
        given += [action] * 4
        env.step(np.array([action], np.float32))
        assert env.simulation.ctrl[0, 0] == action  # what was asked for
    for k in range(20):
        world.ctrl[0] = given[k]
        world.step()
    assert np.array_equal(env.simulation.qpos[0], world.qpos) and np.array_equal(env.simulation.qvel[0], world.qvel)
    assert np.array_equal(env.simulation.sensors[0], world.sensors)


def now(env):
    return env.simulation.task.observe(env.simulation)[0].astype(np.float32)


def test_what_is_seen_is_late_by_whole_actions():
    env = TenonEnv(Cart(Vary("observation_delay", value=0.08)))
    seen, true = [env.reset(seed=2)[0]], [now(env)]
    for action in (1.0, -1.0, 0.5, 0.7):
        seen.append(env.step(np.array([action]))[0])
        true.append(now(env))
    assert np.array_equal(seen[:3], [true[0]] * 3) and np.array_equal(seen[3:], true[1:3])


def test_noise_has_the_deviation_that_was_asked_for():
    x = normal(np.arange(200, dtype=np.uint64) * np.uint64(12345), np.full(200, 3), 500)
    # of 1e5 numbers the mean has a deviation of 0.003, the standard deviation of 0.0022, the mean of x⁴ of 0.03: four of each
    assert abs(x.mean()) < 0.013 and abs(x.std() - 1) < 0.009 and abs((x**4).mean() - 3) < 0.13
    # and neighbours in any direction have nothing to do with each other
    assert abs((x[1:] * x[:-1]).mean()) < 0.013 and abs((x[:, 1:] * x[:, :-1]).mean()) < 0.013
    y = normal(np.arange(200, dtype=np.uint64) * np.uint64(12345), np.full(200, 4), 500)
    assert abs((x * y).mean()) < 0.013
    env = TenonEnv(Cart(Vary("observation_noise", value=[np.full(7, 0.1), np.full(7, 0.1)])))
    difference = [env.reset(seed=5)[0] - now(env)]
    for _ in range(400):
        difference.append(env.step(np.zeros(1))[0] - now(env))
    # 2807 numbers: a deviation of 1.3 %
    assert np.std(difference) == pytest.approx(0.1, rel=0.06)
    again = TenonEnv(Cart(Vary("observation_noise", value=0.1)))
    assert not np.array_equal(again.reset(seed=5)[0], again.reset()[0])


def test_any_environment_can_be_varied():
    import gymnasium
    env = gymnasium.make("tenon/Reacher-v0", randomize=[Vary("joint_damping", "*", scale=(0.5, 2))])
    env.reset(seed=0)
    assert len(env.unwrapped.simulation.varied) == 2
    env.close()


@pytest.mark.parametrize("make, text", [
    (lambda: Vary("geom_frction", scale=1), "did you mean 'geom_friction'"),
    (lambda: Vary("geom_size", "a"), "give one of scale, add and value"),
    (lambda: Vary("geom_size", "a", scale=1, add=1), "give one of"),
    (lambda: Vary("body_mass", scale=(2, 1)), "in order"),
    (lambda: Vary("body_mass", scale=(1, 2, 3)), "a number or two bounds"),
    (lambda: Vary("body_mass", add=(0, np.inf)), "finite"),
    (lambda: Vary("control_delay", value=(-1, 1)), "negative"),
    (lambda: Vary("control_delay", scale=(1, 1)), r"expected value=\(low, high\)"),
    (lambda: Vary("actuator_strength", add=1), "expected scale"),
    (lambda: Vary("gravity", "x", add=1), "no name"),
    (lambda: TenonEnv(Cart(Vary("geom_size", "bxo", scale=1))), "the model has no geom 'bxo'; did you mean 'box'"),
    (lambda: TenonEnv(Cart(Vary("geom_size", "box", scale=1), Vary("geom_size", "*", scale=2))), "declared twice"),
    (lambda: TenonEnv(Cart(Vary("geom_size", "floor", scale=1))).reset(), "sizes of planes"),
    (lambda: TenonEnv(Cart(Vary("observation_noise", value=[[0, 0], [1, 1]]))).reset(), "2 numbers for 7"),
])
def test_errors(make, text):
    with pytest.raises(tenon.UsageError, match=text):
        make()
