"""Parameters are read as they were set; forces by body and actuator; inverse kinematics of bodies."""
import pickle

import numpy as np
import pytest
import tenon


def test_what_was_set_is_read(arm):
    world = tenon.World(arm)
    assert world.gravity == (0.0, 0.0, -9.81) and world.timestep == 0.005
    assert world.joint_forces("elbow") == dict(stiffness=0.0, spring_ref=0.0, damping=0.1, armature=0.0, friction_loss=0.0)
    assert world.geom_friction("box") == (1.0, 0.005, 0.0001)
    assert world.actuator_gains("shoulder") == (1.0, (0.0, 0.0, 0.0))
    mass, com, inertia = world.body_mass("box")
    assert mass == pytest.approx(8.0) and com == (0.0, 0.0, 0.0)
    assert inertia == pytest.approx((8 * 0.04 / 6,) * 3 + (0, 0, 0))  # m a² / 6 of a cube

    world.gravity = (0, 0, -1.6)
    world.timestep = 0.002
    world.set_joint_forces("elbow", stiffness=3, armature=0.2)
    world.set_geom_friction("box", (0.4, 0.01, 0.001))
    world.set_geom_size("box", (0.1, 0.2, 0.3))
    world.set_actuator("shoulder", 5.0, (1, -2, -3))
    world.set_body_mass("box", 2.0, com=(0.01, 0.02, 0.03), inertia=(0.03, 0.04, 0.05, 0.001, 0.002, 0.003))
    twin = pickle.loads(pickle.dumps(world))
    for of in (world, twin):
        assert of.gravity == (0.0, 0.0, -1.6) and of.timestep == 0.002
        assert of.joint_forces("elbow") == dict(stiffness=3.0, spring_ref=0.0, damping=0.1, armature=0.2, friction_loss=0.0)
        assert of.geom_friction("box") == (0.4, 0.01, 0.001) and of.geom_size("box") == (0.1, 0.2, 0.3)
        assert of.actuator_gains("shoulder") == (5.0, (1.0, -2.0, -3.0))
        mass, com, inertia = of.body_mass("box")
        assert mass == 2.0 and com == pytest.approx((0.01, 0.02, 0.03))
        assert inertia == pytest.approx((0.03, 0.04, 0.05, 0.001, 0.002, 0.003))
    assert arm.gravity == (0.0, 0.0, -9.81) and arm.joint_info("elbow")["stiffness"] == 0.0  # the model stays
    assert arm.geom_info("box")["friction"] == (1.0, 0.005, 0.0001) and arm.geom_info("box")["contact_dim"] == 3
    assert arm.actuator_info("shoulder")["gear"] == 1.0 and arm.actuator_info("shoulder")["force_range"] is None


def test_what_is_read_can_be_set_again(arm):
    """Also of a body that hangs turned and shifted on the one with the joint: its own axes."""
    model = tenon.Model.from_string("""<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/>
      <body name="b" pos="0.3 0.1 0" euler="30 40 50"><geom type="box" size="0.1 0.05 0.02" pos="0.02 0.01 0"/></body>
    </body></worldbody></mujoco>""")
    world = tenon.World(model)
    before = world.mass_matrix()
    mass, com, inertia = world.body_mass("b")
    side = np.array([0.2, 0.1, 0.04]) ** 2
    assert mass == pytest.approx(8 * 0.1 * 0.05 * 0.02 * 1000) and com == pytest.approx((0.02, 0.01, 0))
    assert inertia[:3] == pytest.approx(mass / 12 * (side.sum() - side))
    world.set_body_mass("b", mass, com, inertia)
    assert np.abs(world.mass_matrix() - before).max() < 1e-12  # kg·m², of about 0.1: rounding


def test_servos_have_kp_and_kv(arm):
    b = tenon.Builder()
    b.body(name="a", pos=(0, 0, 1))
    b.joint(name="j", body="a", axis=(0, 1, 0))
    b.geom(body="a", size=0.1)
    b.actuator(name="position", joint="j", type="position", kp=20, kv=2, ctrlrange=(-1, 1))
    b.actuator(name="velocity", joint="j", type="velocity", kv=3)
    b.actuator(name="plain", joint="j", kp=5)
    b.actuator(name="damper", joint="j", type="damper", kv=4)
    b.actuator(name="motor", joint="j", type="motor", gear=7)
    model = b.build()
    world = tenon.World(model)
    assert world.actuator_gains("position") == (20.0, (0.0, -20.0, -2.0))
    assert world.actuator_gains("velocity") == (3.0, (0.0, 0.0, -3.0))
    assert world.actuator_gains("plain") == (5.0, (0.0, -5.0, 0.0))
    assert model.actuator_info("position")["ctrl_range"] == (-1.0, 1.0) and model.actuator_info("motor")["gear"] == 7.0
    world.qpos[:], world.qvel[:], world.ctrl[:] = 0.1, 0.5, 1.0
    # gain u + bias · (1, q, q̇); a damper -kv u q̇; the motor has none
    assert world.actuator_force == pytest.approx([20 * 0.9 - 2 * 0.5, 3 * 0.5, 5 * 0.9, -4 * 0.5, 1.0])
    world.set_actuator("position", kp=50)
    assert world.actuator_gains("position") == (50.0, (0.0, -50.0, -2.0))
    world.set_actuator("position", kv=1)
    assert world.actuator_gains("position") == (50.0, (0.0, -50.0, -1.0))
    world.set_actuator("motor", 2.0)
    assert world.actuator_gains("motor") == (2.0, (0.0, 0.0, 0.0))
    with pytest.raises(tenon.UsageError, match="no position feedback"):
        world.set_actuator("motor", kp=1.0)
    for keywords, text in ((dict(type="servo"), "'servo' is not one of general, motor, position"),
                           (dict(kv=1.0), "type='position'"), (dict(type="motor", kp=1.0), "only position servos"),
                           (dict(type="position", kp=-1.0), "must be positive")):
        with pytest.raises(tenon.UsageError, match=text):
            b.actuator(joint="j", **keywords)


def test_builder_servos_are_those_of_files():
    body = '<body pos="0 0 1"><joint name="j" axis="0 1 0"/><geom size="0.1"/></body>'
    for element, keywords in (('<position joint="j" kp="30" kv="4"/>', dict(type="position", kp=30, kv=4)),
                              ('<velocity joint="j" kv="4"/>', dict(type="velocity", kv=4)),
                              ('<intvelocity joint="j" kp="9" kv="1" actrange="-1 1"/>',
                               dict(type="intvelocity", kp=9, kv=1, actrange=(-1, 1))),
                              ('<damper joint="j" kv="4" ctrlrange="0 1"/>', dict(type="damper", kv=4, ctrlrange=(0, 1)))):
        file = tenon.World(tenon.Model.from_string(
            f"<mujoco><worldbody>{body}</worldbody><actuator>{element}</actuator></mujoco>"))
        b = tenon.Builder.from_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
        b.actuator(joint="j", **keywords)
        calls = tenon.World(b.build())
        for world in (file, calls):
            world.qpos[0], world.qvel[0], world.ctrl[0] = 0.3, -0.2, 0.7
            world.act[:] = 0.4
        assert calls.actuator_force == pytest.approx(file.actuator_force) and np.all(file.actuator_force)
        calls.step(5), file.step(5)
        assert calls.qpos == pytest.approx(file.qpos)


def test_contact_forces_of_a_body():
    model = tenon.Model.from_string("""<mujoco><worldbody><geom type="plane" size="2 2 1"/>
      <body name="low" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="3"/></body>
      <body name="high" pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>
      <body name="away" pos="1 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>""")
    world = tenon.World(model)
    world.step(50)
    weight = 9.81  # N per kg
    assert world.contact_force("low") == pytest.approx([0, 0, 3 * weight], abs=1e-6)
    assert world.contact_force("high") == pytest.approx([0, 0, 2 * weight], abs=1e-6)
    assert world.contact_force("low", "high") == pytest.approx([0, 0, -2 * weight], abs=1e-6)
    assert world.contact_force("low", "world") == pytest.approx([0, 0, 5 * weight], abs=1e-6)
    assert world.contact_force("world") == pytest.approx([0, 0, -5 * weight], abs=1e-6)
    assert not world.contact_force("away").any()


def test_poses_of_all(world):
    world.step(10)
    assert world.body_poses.shape == (6, 7) and world.site_poses.shape == (1, 7)
    for i, pose in enumerate(world.body_poses):
        assert np.allclose(np.concatenate(world.body_pose(i)), pose, atol=1e-12)


def test_inverse_kinematics_of_bodies(arm):
    start = tenon.World(arm).qpos.copy()
    start[7:9] = 0.3, 0.4
    goal = start.copy()
    goal[7:9] = 0.8, -0.9
    tip, point = arm.eval(goal, want="site_poses")["site_poses"][0], (0.2, 0, 0)
    q, converged, error, _ = arm.ik(start, body="lower", point=point, pos=tip[:3])
    assert converged and error < 1e-6
    assert np.allclose(arm.eval(q, want="site_poses")["site_poses"][0, :3], tip[:3], atol=1e-6)
    by_site = arm.ik(start, "tip", tip[:3])
    assert np.allclose(q, by_site[0])
    with pytest.raises(tenon.UsageError, match="a site or a body"):
        arm.ik(start, pos=tip[:3])
    with pytest.raises(KeyError, match="no body 'lowr'; did you mean 'lower'"):
        arm.ik(start, body="lowr", pos=tip[:3])
