"""Worlds: arrays, questions, forces, saving, errors."""
import gc
import pickle

import numpy as np
import pytest
import tenon


def test_arrays_are_live_and_made_once(world):
    qpos, qvel = world.qpos, world.qvel
    before = qpos.copy()
    world.step()
    assert world.qpos is qpos and not np.array_equal(qpos, before)
    assert qpos.dtype == np.float64 and qvel.shape == (14,)
    assert world.time == 0.005
    world.step(9)
    assert world.time == pytest.approx(0.05) and world.report.converged
    world.reset()
    assert np.array_equal(qpos, before) and world.time == 0


def test_writing_an_element_equals_setting_the_state(arm):
    one, two = tenon.World(arm), tenon.World(arm)
    for w in (one, two):
        w.step(5)
    one.qpos[7] = -0.3
    one.ctrl[0] = 1.5
    new = two.qpos.copy()
    new[7] = -0.3
    two.qpos = new
    two.ctrl = [1.5, 0]
    for w in (one, two):
        assert w.joint_qpos("shoulder")[0] == -0.3
        w.step(5)
    assert one.hash() == two.hash()
    one.qvel += 0.1  # in place, and assigned to itself
    two.qvel = two.qvel + 0.1
    one.step()
    two.step()
    assert one.hash() == two.hash()


def test_arrays_are_right_whoever_has_them(arm):
    """One world whose arrays are taken, kept, cut and dropped at random, and one whose arrays are always held."""
    rng = np.random.default_rng(7)
    one, two = tenon.World(arm), tenon.World(arm)
    held = (two.qpos, two.qvel, two.ctrl, two.act)
    state, kept = one.save(), []
    for _ in range(400):
        choice, k, number = rng.integers(9), rng.integers(7, 9), rng.normal()
        if choice == 0:
            kept.append(one.qpos[5:9])
        elif choice == 1:
            kept.append(memoryview(one.qvel))
        elif choice == 2:
            kept.clear()
        elif choice == 3:
            one.qpos[k] = two.qpos[k] = number
        elif choice == 4:
            one.ctrl[k - 7] = two.ctrl[k - 7] = number
        elif choice == 5 and kept and isinstance(kept[-1], np.ndarray):
            kept[-1][2] = held[0][7] = number
            kept.pop()  # nobody has it any more when the world looks
        elif choice == 6:
            for world in (one, two):
                world.restore(state) if number > 1 else world.reset() if number < -1 else world.apply_wrench("box", (1, 0, 0))
        elif choice == 7:
            assert one.energy.total == two.energy.total and np.array_equal(one.sensors, two.sensors, equal_nan=True)
        count = int(rng.integers(3))
        one.step(count)
        two.step(count)
        for part in kept:
            same = two.qpos[5:9] if isinstance(part, np.ndarray) else two.qvel
            assert np.array_equal(np.asarray(part), same)
        assert one.hash() == two.hash() and one.time == two.time
    assert np.array_equal(one.qpos, held[0]) and np.array_equal(one.act, held[3])


def test_slips_of_the_pen_are_noticed(world):
    with pytest.raises(AttributeError, match="World has no 'qpso'; did you mean 'qpos'"):
        world.qpso = np.zeros(16)
    with pytest.raises(AttributeError):
        world.report = 3


def test_a_device_that_is_not_there_is_named(arm):
    with pytest.raises(tenon.Error, match="device"):  # the package is built without CUDA
        tenon.World(arm, device="cuda")
    with pytest.raises(tenon.UsageError, match="'gpu' is not one of cpu, cuda, cuda64"):
        tenon.World(arm, device="gpu")
    assert tenon.World(arm, device="cpu").time == 0


def test_questions_see_what_was_written(world):
    world.qpos[0:3] = 0.1, 0.2, 3.0
    pos, quat = world.body_pose("box")
    assert pos.tolist() == [0.1, 0.2, 3.0] and quat.tolist() == [1, 0, 0, 0]
    world.qvel[0:3] = 1, 2, 3
    assert world.body_velocity("box")[0] == pytest.approx([1, 2, 3])


def test_activations(world):
    world.ctrl[1] = 1.0
    world.step()
    assert 0 < world.act[0] < 0.2
    world.act[0] = 0.5
    world.step()
    assert world.act[0] > 0.5


@pytest.mark.parametrize("name, value, text", [
    ("qpos", np.zeros(3), r"qpos: expected numbers \(float64\) of shape \(16,\), got shape \(3,\)"),
    ("qpos", np.zeros((16, 1)), r"got shape \(16, 1\)"),
    ("qvel", 1.0, r"qvel: .* of shape \(14,\), got shape \(\)"),
    ("ctrl", "full", "ctrl: .*got dtype <U4"),
    ("ctrl", [1j, 0], "ctrl: .*got dtype complex128"),
    ("ctrl", [[1], [1, 2]], "ctrl: expected"),
    ("ctrl", [np.nan, 0], r"ctrl\[0\] is not finite"),
    ("qpos", [0] * 16, "zero quaternion"),
])
def test_wrong_arrays_say_what_was_expected(world, name, value, text):
    before = getattr(world, name).copy()
    with pytest.raises(ValueError, match=text):
        setattr(world, name, value)
    assert np.array_equal(getattr(world, name), before)
    world.step()


def test_a_bad_element_is_refused_at_the_next_step_and_taken_back(world):
    before = world.qpos[1]
    world.qpos[1] = np.inf
    with pytest.raises(tenon.UsageError, match=r"qpos\[1\] is not finite"):
        world.step()
    assert world.qpos[1] == before and world.time == 0
    world.step()


def test_contacts_have_fields(world):
    world.step(200)  # the box falls and rests
    contacts = world.contacts
    assert contacts.dtype == tenon.CONTACT
    box, floor = world.model.geom("box"), world.model.geom("floor")
    mine = contacts[(contacts["geom1"] == box) & (contacts["geom2"] == floor)]
    assert len(mine) == 4
    # the box presses on the floor; a step is solved to 1e-6 of gravity × timestep
    assert mine["force"].sum(axis=0) == pytest.approx([0, 0, -8 * 9.81], abs=1e-4 * 8 * 9.81)
    assert np.allclose(mine["normal"], [0, 0, -1])


def test_sensors(world):
    assert np.isnan(world.sensor("felt")).all()  # accelerations need a step
    world.step(3)
    assert world.sensors.shape == (7,)
    assert world.sensor("angle")[0] == world.joint_qpos("shoulder")[0]
    assert np.array_equal(world.sensor("tip"), world.site_pose("tip")[0])
    assert np.isfinite(world.sensor("felt")).all()


def test_energy_and_momentum(world):
    start = world.energy
    world.step(20)
    change = world.energy.total - start.total
    a = world.energy_account
    balance = a.actuators + a.applied + a.push_out - a.friction - a.damping - a.impacts - a.step - a.unsolved + a.created
    assert change == pytest.approx(balance, abs=1e-9 * abs(start.total))  # sums of twenty differences
    bodies = range(1, len(world.model.names("body")))
    losses = {world.body_loss(body) for body in bodies}  # bodies of a robot have the same
    assert sum(losses) == pytest.approx(a.step, abs=1e-9 * abs(start.total))
    assert len(world.report.corrected_momentum) == 3 and world.report.corrected_energy <= abs(start.total)
    assert world.momentum[0].shape == (3,)
    assert "kinetic" in repr(world.energy)


def test_save_and_restore_go_on_with_the_same_bits(world):
    world.ctrl[:] = 0.5, -0.2
    world.step(10)
    state = world.save()
    assert isinstance(state, bytes)
    world.step(10)
    end = world.hash()
    world.restore(state)
    assert world.time == pytest.approx(0.05) and world.ctrl[0] == 0.5
    world.step(10)
    assert world.hash() == end
    for bad in (b"", b"nonsense" * 100, state[:-8]):
        with pytest.raises(tenon.UsageError, match="saved state"):
            world.restore(bad)


def test_pickles_and_copies_have_state_and_parameters(arm):
    world = tenon.World(arm, threads=2, substeps=2)
    world.set_gravity((0, 0, -3))
    world.set_body_mass("box", 3.0)
    world.set_joint_forces("elbow", damping=0.7)
    world.set_joint_forces("elbow", stiffness=1.0)
    world.set_geom_friction("box", (0.2, 0, 0))
    world.set_actuator("shoulder", 2.0)
    world.ctrl[0] = 1
    world.step(30)
    others = [world.copy(), pickle.loads(pickle.dumps(world))]
    world.step(30)
    for other in others:
        other.step(30)
        assert other.hash() == world.hash() and other.time == world.time
    plain = tenon.World(arm, substeps=2)
    plain.ctrl[0] = 1
    plain.step(60)
    assert plain.hash() != world.hash()


def test_an_accuracy_in_time_is_held_and_told(arm):
    world = tenon.World(arm, accuracy=1e-3)
    world.step()
    assert world.report.parts >= 2 and world.report.shortest <= 0.5 * arm.timestep
    assert world.report.time_error <= 1e-3 and not world.report.inaccurate
    assert world.copy().step() is None
    plain = tenon.World(arm)
    plain.step()
    assert plain.report.parts == 1 and np.isnan(plain.report.time_error)
    for wrong in (-1e-3, np.nan):
        with pytest.raises(tenon.UsageError, match="accuracy"):
            tenon.World(arm, accuracy=wrong)


def test_parameters_are_checked(world):
    with pytest.raises(tenon.UsageError, match="mass"):
        world.set_body_mass("box", -1.0)
    with pytest.raises(ValueError, match="gravity: expected"):
        world.set_gravity((0, 0))
    with pytest.raises(TypeError, match="no 'dampin'"):
        world.set_joint_forces("elbow", dampin=1)
    with pytest.raises(tenon.UsageError):
        world.set_timestep(0.0)


def test_options_are_checked(arm):
    with pytest.raises(tenon.UsageError, match="'nwton' is not one of auto, subadmm"):
        tenon.World(arm, solver="nwton")
    with pytest.raises(tenon.UsageError, match="thread_count is 99"):
        tenon.World(arm, threads=99)
    with pytest.raises(KeyError, match="no key 'down'"):
        tenon.World(arm, key="down")
    with pytest.raises(TypeError):
        tenon.World(arm, colour="red")
    with pytest.raises(TypeError, match="expected a tenon.Model"):
        tenon.World("arm.xml")
    world = tenon.World(arm, solver="subadmm", tolerance=0, iterations=7, key="up", measure_accuracy=True)
    assert world.time == 3.0 and world.ctrl[0] == 1.0 and world.qpos[7] == -1.0
    world.step(80)
    assert world.report.iterations == 7 and np.isfinite(world.report.aac)


def test_threads_do_not_change_bits(scenes):
    model = tenon.Model.from_file(scenes / "stir.xml")
    hashes = set()
    for threads in (1, 3):
        world = tenon.World(model, threads=threads)
        world.step(5)
        hashes.add(world.hash())
    assert len(hashes) == 1


def test_jacobian_times_velocity_is_velocity(world):
    rng = np.random.default_rng(1)
    world.qvel = rng.normal(size=14)
    for site in ("tip",):
        pos, _ = world.site_pose(site)
        v, omega = world.site_velocity(site)
        assert world.jacobian("lower", pos) @ world.qvel == pytest.approx(np.concatenate([v, omega]), abs=1e-12)
    assert world.jacobian("box").shape == (6, 14)


def test_evaluation_at_the_present_state(world):
    world.qvel[6:8] = 1, -2
    here, there = world.eval(), world.model.eval(world.qpos, world.qvel, world.ctrl)
    for name in ("mass_matrix", "bias", "passive", "body_poses"):
        assert np.array_equal(here[name], there[name])
    acceleration = np.linspace(-1, 1, 14)
    expected = here["mass_matrix"] @ acceleration + here["bias"]
    assert world.inverse_dynamics(acceleration) == pytest.approx(expected, abs=1e-9)
    world.set_body_mass("box", 16.0)
    assert world.mass_matrix()[0, 0] == pytest.approx(16)


def test_rays(world):
    hits = world.cast_rays([[0.3, -0.6, 5], [5, 5, 5], [0.3, -0.6, 5]], [[0, 0, -1], [0, 0, 1], [0, 0, -2]])
    assert hits["distance"].tolist() == pytest.approx([4.7, -1, 2.35])
    assert hits["geom"].tolist() == [world.model.geom("box"), -1, world.model.geom("box")]
    assert hits["normal"][0] == pytest.approx([0, 0, 1])
    hits = world.cast_rays([[0.3, -0.6, 5]], [[0, 0, -1]], exclude="box")
    assert hits["geom"][0] == world.model.geom("floor")
    with pytest.raises(ValueError, match=r"directions: expected numbers \(float64\) of shape \(1, 3\), got shape \(2, 3\)"):
        world.cast_rays(np.zeros((1, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError):
        world.cast_rays([[0, 0, 0]], [[0, 0, 0]])
    assert len(world.cast_rays(np.zeros((0, 3)), np.zeros((0, 3)))) == 0


def test_distances(world):
    distance, point1, point2, normal = world.geom_distance("floor", "box")
    assert distance == pytest.approx(0.1) and normal == pytest.approx([0, 0, 1]) and point1[2] == pytest.approx(0)
    assert world.geom_distance("floor", "box", most=0.01) is None


def test_a_wrench_acts_for_one_step(world):
    world.set_gravity((0, 0, 0))
    world.apply_wrench("box", force=(8, 0, 0))
    world.step()
    assert world.qvel[0] == pytest.approx(0.005)  # 1 m/s² for one step
    world.step()
    assert world.qvel[0] == pytest.approx(0.005)
    with pytest.raises(ValueError, match=r"force: expected"):
        world.apply_wrench("box", force=8)
    with pytest.raises(ValueError, match="finite"):
        world.apply_wrench("box", torque=(0, np.nan, 0))


def test_mocap_and_grasp(world):
    world.set_gravity((0, 0, 0))
    assert not world.equality_active("grasp")
    world.attach("grasp")
    world.set_equality("grasp", True)
    for _ in range(20):
        pos, _ = world.mocap("hand")
        world.set_mocap("hand", pos + [0.001, 0, 0])
        world.step()
    assert world.body_pose("hand")[0] == pytest.approx([0.02, 1, 0.5])
    assert world.body_pose("held")[0] == pytest.approx([0.02, 1.2, 0.5], abs=1e-3)  # the weld follows a jerk in steps
    assert np.isfinite(world.equality_reaction("grasp")[0]).all()
    world.place_mocap("hand", (0, 2, 0))
    assert world.body_pose("hand")[0].tolist() == [0, 2, 0]
    with pytest.raises(tenon.UsageError, match="mocap"):
        world.set_mocap("box", (0, 0, 0))
    with pytest.raises(tenon.UsageError, match="mocap"):
        world.mocap("box")


def test_reactions(world):
    assert np.isnan(world.joint_reaction("shoulder")[0]).all()
    world.step()
    force, torque = world.joint_reaction("shoulder")
    assert np.isfinite(force).all() and torque.shape == (3,)


def test_a_rejected_step_keeps_the_state(world):
    world.step(3)
    before = world.qpos.copy()
    world.ctrl[1] = 1e300
    world.act[0] = 1e300
    world.step()
    assert world.report.diverged and np.array_equal(world.qpos, before)
    assert "diverged=True" in repr(world.report)
    assert world.trouble["kind"] in ("not finite", "indefinite") and world.trouble["where"] and world.trouble["help"]


def test_closed_worlds_raise(arm):
    with tenon.World(arm) as world:
        qpos = world.qpos
        world.step()
    assert world.closed and "closed" in repr(world)
    for call in (world.step, world.save, lambda: world.qpos, lambda: world.body_pose("box"), lambda: world.contacts,
                 world.reset, lambda: world.energy, lambda: world.time):
        with pytest.raises(tenon.UsageError, match="closed"):
            call()
    assert np.isfinite(qpos).all()  # arrays outlive their world
    world.close()


def test_arrays_outlive_their_world(arm):
    world = tenon.World(arm)
    world.step()
    qpos, copy = world.qpos, world.qpos.copy()
    del world
    gc.collect()
    assert np.array_equal(qpos, copy)
    qpos[:] = 1


def test_arrays_speak_dlpack(world):
    assert np.shares_memory(np.from_dlpack(world.qpos), world.qpos)


def test_wrong_counts_of_steps(world):
    with pytest.raises(ValueError, match="0 or more"):
        world.step(-1)
    with pytest.raises(TypeError):
        world.step("many")
    world.step(0)
    assert world.time == 0


def test_recordings(world, tmp_path):
    path = tmp_path / "run.tnr"
    with tenon.Recorder(path, world, state=True) as recorder:
        for _ in range(5):
            world.step()
            recorder.write()
    assert recorder.frames == 5 and recorder.closed and path.stat().st_size > 500
    with pytest.raises(tenon.UsageError, match="closed"):
        recorder.write()
    with pytest.raises(tenon.FileError):
        tenon.Recorder(tmp_path / "no" / "folder.tnr", world)
