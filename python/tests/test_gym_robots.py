"""Tasks that take a robot's model from a file: a quadruped of our own, and Go2 where TENON_MENAGERIE names a folder with MuJoCo
Menagerie."""
import os
import pathlib
import warnings

import numpy as np
import pytest
import tenon

gymnasium = pytest.importorskip("gymnasium", reason="the extra tenon-physics[gym] is not installed")
import tenon.gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from tenon.gym import TenonEnv, TenonVectorEnv  # noqa: E402
from tenon.gym.robots import rough_ground  # noqa: E402
from tenon.gym.tasks.legged import Legged  # noqa: E402

LENGTH = 0.213  # m, of thigh and calf, as of Go2


def leg(name, x, y):
    return f"""
      <body name="{name}_hip" pos="{x} {y} 0"><joint name="{name}_hip" axis="1 0 0" range="-1 1"/>
        <geom type="sphere" size="0.04" mass="0.7" contype="0" conaffinity="0"/>
        <body name="{name}_thigh" pos="0 {np.sign(y) * 0.095} 0"><joint name="{name}_thigh" axis="0 1 0" range="-1.5 3.4"/>
          <geom type="capsule" fromto="0 0 0 0 0 -{LENGTH}" size="0.015" mass="1.1" contype="0" conaffinity="0"/>
          <body name="{name}_calf" pos="0 0 -{LENGTH}"><joint name="{name}_calf" axis="0 1 0" range="-2.7 -0.8"/>
            <geom type="capsule" fromto="0 0 0 0 0 -{LENGTH}" size="0.01" mass="0.2" contype="0" conaffinity="0"/>
            <geom name="{name}" size="0.022" pos="0 0 -{LENGTH}" mass="0.05"/></body></body></body>"""


PARTS = {"FL": (0.19, 0.05), "FR": (0.19, -0.05), "RL": (-0.19, 0.05), "RR": (-0.19, -0.05)}
MOTORS = "".join(f'<motor name="{n}_{p}" joint="{n}_{p}" ctrlrange="{-t} {t}" ctrllimited="true"/>'
                 for n in PARTS for p, t in (("hip", 23.7), ("thigh", 23.7), ("calf", 45.0)))
BODIES = f"""<body name="base" pos="0 0 0.445"><freejoint/><geom type="box" size="0.19 0.05 0.06" mass="7"/>
{"".join(leg(n, *at) for n, at in PARTS.items())}</body>"""
ROBOT = f"""<mujoco model="four legs"><compiler angle="radian" autolimits="true"/>
<default><joint damping="0.5" armature="0.01"/><geom friction="0.8"/></default>
<worldbody>{{0}}</worldbody><actuator>{MOTORS}</actuator>
<sensor><actuatorfrc actuator="FL_hip"/></sensor>
<keyframe><key name="home" qpos="0 0 0.287 1 0 0 0 {"0 0.9 -1.8 " * 4}" ctrl="{"0 0.9 -1.8 " * 4}"/></keyframe></mujoco>"""


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("robot")
    (folder / "bodies.xml").write_text(f"<mujocoinclude>{BODIES}</mujocoinclude>")
    (folder / "robot.xml").write_text(ROBOT.replace("{0}", '<include file="bodies.xml"/><geom name="floor" type="plane" size="1 1 1"/>'))
    return folder / "robot.xml"


def bent(x, z):
    """Angles of thigh and calf for a foot at (x, z) from the hip."""
    knee = -2.0 * np.arccos(np.hypot(x, z) / (2.0 * LENGTH))
    return np.arctan2(-x, -z) - 0.5 * knee, knee


def trot(seconds, frequency=2.5, reach=0.08, lift=0.06, height=0.265):
    """Targets of a trot: the feet of a diagonal are on the ground and go back, those of the other one swing ahead."""
    action = np.zeros(12)
    for k, begin in enumerate((0.0, 0.5, 0.5, 0.0)):
        phase = (frequency * seconds + begin) % 1.0
        swing = 2.0 * (phase - 0.5)
        x, z = (reach * (1.0 - 4.0 * phase), -height) if phase < 0.5 else (
            -reach * np.cos(np.pi * swing), -height + lift * np.sin(np.pi * swing))
        thigh, calf = bent(x, z)
        action[3 * k + 1], action[3 * k + 2] = (thigh - 0.9) / 0.4, (calf + 1.8) / 0.4
    return action


def strict(task):
    """An environment in which trouble of a step is an error."""
    task.options = {**task.options, "on_trouble": "raise"}
    return TenonEnv(task)


def walk(task, seconds):
    env = strict(task)
    env.reset(seed=0)
    start = env.simulation.qpos[0, 0]
    for k in range(round(seconds / task.seconds)):
        _, _, fallen, _, info = env.step(trot(k * task.seconds))
        assert not fallen and not info["diverged"], k
    return (env.simulation.qpos[0, 0] - start) / seconds, env


@pytest.mark.parametrize("ground", ["flat", "rough"])
def test_a_trot_walks(robot, ground):
    velocity, env = walk(Legged(robot, ground, stiffness=4.0), 3.0)
    # feet that did not slip and servos without lag would take it along at 4 × 0.08 m × 2.5/s = 0.8 m/s; with damped joints that
    # lag behind their targets about two thirds are left on level ground, and less where patches stop a foot
    print(velocity)
    assert (0.3 if ground == "flat" else 0.1) < velocity < 0.8
    assert env.simulation.qpos[0, 2] > 0.2


def test_the_servos_have_the_limits_of_the_motors(robot):
    task = Legged(robot, stiffness=2.0, damping=0.05)
    assert task.model.nu == 12 and task.model.nsensor == 0 and list(task.feet) == [4, 7, 10, 13]
    assert task.model.timestep == 0.005 and task.height == 0.287
    for a, limit in enumerate((23.7, 23.7, 45.0) * 4):
        info = task.model.actuator_info(a)
        assert info["force_range"] == (-limit, limit) and info["ctrl_range"] is None
        assert (info["gain"], *info["bias"]) == pytest.approx((2 * limit, 0, -2 * limit, -0.1 * limit))
    world = tenon.World(task.model, key="home")
    world.ctrl[:] = 100.0
    world.step()
    assert np.array_equal(np.abs(world.actuator_force), np.tile((23.7, 23.7, 45.0), 4))


def test_it_sees_its_motion_in_its_own_axes(robot):
    env = TenonVectorEnv(Legged(robot), 2)
    env.reset(seed=0)
    sim, task = env.simulation, env.task
    sim.qpos[:, 3:7] = np.array([(np.cos(0.5), 0, 0, np.sin(0.5)), (np.cos(0.3), np.sin(0.3), 0, 0)])  # 1 rad left; 0.6 rad to the right
    sim.qvel[:, :6] = (1.0, 0, 0, 0.1, 0.2, 0.3)
    sim.look()
    velocity, turning, down = task.motion(sim)
    assert velocity[0] == pytest.approx((np.cos(1.0), -np.sin(1.0), 0), abs=1e-12)
    assert turning[0] == pytest.approx((0.1, 0.2, 0.3)) and down[0] == pytest.approx((0, 0, -1), abs=1e-12)
    assert velocity[1] == pytest.approx((1, 0, 0), abs=1e-12) and down[1] == pytest.approx((0, -np.sin(0.6), -np.cos(0.6)))


def test_it_sees_the_ground_as_rays_do(robot):
    task = Legged(robot, "rough", step=0.08)
    env = TenonVectorEnv(task, 2)
    seen, _ = env.reset(seed=0)
    sim = env.simulation
    assert seen.shape == (2, 12 + 3 * 12 + 35)
    assert np.ptp(task.ground.heights) == pytest.approx(0.08) and task.ground.heights.min() == 0.0
    # over the nodes of the field, where it is exact
    nodes = np.random.default_rng(0).integers(5, 195, (50, 2)) * 0.1 - 10.0 + 1e-7
    origins = np.concatenate([nodes, np.full((50, 1), 5.0)], axis=1)
    hits = sim.batch[0].cast_rays(origins, np.tile((0.0, 0.0, -1.0), (50, 1)), exclude="base")
    ground = hits["geom"] == task.model.geom("ground")
    assert ground.sum() > 40
    # heights are written with 9 digits, and 1e-7 m beside a node there is a slope of up to 0.8
    assert 5.0 - hits["distance"][ground] == pytest.approx(task.ground.below(*nodes.T)[ground], abs=1e-6)
    assert np.ptp(task.heights(sim)) > 0.03


def test_what_is_paid(robot):
    """Standing still is worth more to a robot that was asked to stand, and shuffling feet are not paid for steps."""
    def total(command):
        task = Legged(robot, command=(command, command))
        env = TenonEnv(task)
        env.reset(seed=1)
        return sum(env.step(np.zeros(12))[1] for _ in range(50))

    still, ahead = total((0, 0, 0)), total((1, 0, 0))
    assert still > 1.2 > 0.75 > ahead > 0.0  # at most 1.5 per second; exp(-4) of the velocity's part is left
    task = Legged(robot, command=((0.5, 0, 0), (0.5, 0, 0)))
    env = TenonEnv(task)
    env.reset(seed=0)
    for k in range(60):
        env.step(trot(k * 0.02))
    air = env.simulation.goal[0, 3 + 24:]
    assert ((air > 0).sum() in (1, 2, 3)) and air.max() < 0.4  # a diagonal swings, for 0.2 s


def test_a_fall_ends_an_episode(robot):
    env = TenonEnv(Legged(robot))
    env.reset(seed=0)
    env.simulation.qpos[0, 3:7] = (0, 1, 0, 0)  # on its back
    assert env.step(np.zeros(12))[2]


@pytest.mark.parametrize("threads", [1, 2])
def test_many_have_the_bits_of_single_ones(robot, threads):
    envs = TenonVectorEnv(Legged(robot, "rough"), 3, threads=threads)
    actions = np.random.default_rng(0).uniform(-0.5, 0.5, (10, 3, 12))
    rows = [envs.reset(seed=3)[0]]
    paid = []
    for action in actions:
        seen, reward, *_ = envs.step(action)
        rows.append(seen)
        paid.append(reward)
    env = TenonEnv(Legged(robot, "rough"))
    assert np.array_equal(env.reset(seed=4)[0], rows[0][1])
    for k, action in enumerate(actions):
        seen, reward, *_ = env.step(action[1])
        assert np.array_equal(seen, rows[k + 1][1]) and reward == paid[k][1]


def test_it_is_made_by_gymnasium(robot):
    env = gymnasium.make("tenon/Legged-v0", model=robot, ground="flat", command=((0, 0, 0), (0, 0, 1)))
    assert env.reset(seed=0)[0].shape == (48,) and env.spec.max_episode_steps == 1000
    env.close()


@pytest.mark.parametrize("make, text", [
    (lambda robot: tenon.gym.make_task("Legged"), "give the path of the robot's MJCF"),
    (lambda robot: Legged(robot.parent / "none.xml"), "there is no such file; a robot's task takes the path"),
    (lambda robot: Legged(robot, "sandy"), "expected 'flat' or 'rough', got 'sandy'"),
    (lambda robot: Legged(robot, command=(0, 1)), "two bounds of three numbers"),
    (lambda robot: Legged(fixed(robot)), "the first joint must be free"),
    (lambda robot: Legged(limitless(robot)), "has no limit of force"),
    (lambda robot: Legged(lying(robot)), "give a keyframe in which the robot stands"),
    (lambda robot: Legged(untouched(robot)), "no geom of the robot collides with the ground"),
])
def test_errors(robot, make, text):
    with pytest.raises(tenon.Error, match=text):
        make(robot)


def fixed(robot):
    path = robot.parent / "fixed.xml"
    path.write_text(ROBOT.replace("{0}", BODIES.replace("<freejoint/>", "")).replace("0 0 0.287 1 0 0 0 ", ""))
    return path


def limitless(robot):
    path = robot.parent / "limitless.xml"
    path.write_text(ROBOT.replace("{0}", BODIES).replace('ctrllimited="true"', 'ctrllimited="false"'))
    return path


def lying(robot):
    path = robot.parent / "lying.xml"
    path.write_text(ROBOT.replace("{0}", BODIES).replace("0 0.9 -1.8", "0 1.57 -2.7"))
    return path


def untouched(robot):
    path = robot.parent / "untouched.xml"
    path.write_text(ROBOT.replace("{0}", BODIES).replace('<geom friction="0.8"/>', '<geom contype="0" conaffinity="0"/>'))
    return path


def of_menagerie(robot, name):
    """The file, or one without meshes beside it; None: it is not there."""
    folder = pathlib.Path(os.environ.get("TENON_MENAGERIE") or "/nowhere") / robot
    found = [folder / file for file in (name, "physics.xml") if (folder / file).is_file()]
    for path in found:
        try:
            return tenon.Model.from_file(path) and path
        except tenon.Error:  # without its meshes
            continue
    return None


@pytest.mark.parametrize("ground", ["flat", "rough"])
def test_go2_walks(ground):
    path = of_menagerie("unitree_go2", "go2.xml")
    if path is None:
        pytest.skip("TENON_MENAGERIE names no folder with unitree_go2")
    velocity, _ = walk(Legged(path, ground, stiffness=4.0), 3.0)
    print(velocity)
    assert (0.2 if ground == "flat" else 0.05) < velocity < 0.8  # its joints are damped by 2 N·m·s/rad: it lags behind


# ---- arms ----

GANTRY = """<mujoco model="gantry"><compiler autolimits="true"/><option timestep="0.002"/>
<worldbody><geom type="plane" size="3 3 1"/>
  <body name="x" pos="0.5 0 0.25"><joint name="x" type="slide" axis="1 0 0" range="-0.3 0.3"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <body name="y"><joint name="y" type="slide" axis="0 1 0" range="-0.4 0.4"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <body name="z"><joint name="z" type="slide" axis="0 0 1" range="-0.25 0.2"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <body name="hand"><joint name="turn" axis="0 0 1" range="-90 90"/><inertial pos="0 0 0" mass="0.5" diaginertia="0.01 0.01 0.01"/>
    <body name="left" pos="0 0 -0.03"><joint name="left" type="slide" axis="0 1 0" range="0 0.04"/>
      <geom type="box" size="0.01 0.005 0.02" pos="0 0.005 0" mass="0.1" friction="1" condim="4"/></body>
    <body name="right" pos="0 0 -0.03"><joint name="right" type="slide" axis="0 -1 0" range="0 0.04"/>
      <geom type="box" size="0.01 0.005 0.02" pos="0 -0.005 0" mass="0.1" friction="1" condim="4"/></body>
  </body></body></body></body></worldbody>
<tendon><fixed name="split"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.5"/></fixed></tendon>
<equality><joint joint1="left" joint2="right"/></equality>
<actuator><position joint="x" kp="2000" kv="200" ctrlrange="-0.3 0.3"/><position joint="y" kp="2000" kv="200" ctrlrange="-0.4 0.4"/>
  <position joint="z" kp="2000" kv="200" ctrlrange="-0.25 0.2"/><position joint="turn" kp="50" kv="5" ctrlrange="-1.5 1.5"/>
  <general tendon="split" gainprm="0.8" biasprm="0 -200 -20" biastype="affine" ctrlrange="0 10" forcerange="-10 10"/></actuator>
<keyframe><key name="home" qpos="0 0 0 0 0.04 0.04" ctrl="0 0 0 0 10"/></keyframe></mujoco>"""
OFFSET = (0.0, 0.0, -0.03)


@pytest.fixture(scope="module")
def gantry(tmp_path_factory):
    path = tmp_path_factory.mktemp("gantry") / "gantry.xml"
    path.write_text(GANTRY)
    return path


def pick(task, target, seeds):
    """Above the cube, down, closed, up. target(env, z): the servos' targets with which the tool is there."""
    for seed in seeds:
        env = TenonEnv(task)
        env.reset(seed=seed)
        sim, paid, done = env.simulation, 0.0, False
        servos = task.servos
        for z, grip, steps in ((0.1, 1.0, 25), (0.02, 1.0, 25), (0.02, -1.0, 12), (0.2, -1.0, 40)):
            targets = target(env, z)
            for _ in range(steps):
                action = np.full(task.action_size, grip)
                action[servos] = np.clip((targets - sim.ctrl[0, servos]) / (task.speed * task.seconds), -1.0, 1.0)
                _, reward, done, _, info = env.step(action)
                paid += reward
                if done:
                    break
        assert done and info["success"] and info["lifted"] > 0.1, seed
        assert paid > 6.0  # 3.6 for the height, 5 for success, and what it was away from the cube


def yaw_of(env, task):
    w, _, _, z = env.simulation.qpos[0, task.place][3:]
    return 2.0 * np.arctan2(z, w)


def test_a_gantry_picks_up_the_cube(gantry):
    task = tenon.gym.make_task("ArmPick", model=gantry, tool=OFFSET)
    assert task.action_size == 5 and task.grips == [4] and task.model.timestep == 0.005

    def target(env, z):
        x, y = env.simulation.qpos[0, task.place][:2]
        return np.array([x - 0.5, y, z + 0.03 - 0.25, yaw_of(env, task)])

    pick(task, target, range(3))


def test_what_an_arm_sees_is_what_its_world_says(gantry):
    env = TenonVectorEnv(tenon.gym.make_task("ArmPick", model=gantry, tool=OFFSET), 3, threads=2)
    env.reset(seed=0)
    for _ in range(5):
        env.step(np.full((3, 5), 0.7))
    task, sim = env.task, env.simulation
    for i, world in enumerate(sim.batch):
        pos, quat = world.body_pose("hand")
        turn = 2.0 * np.arctan2(quat[3], quat[0])
        assert abs(turn) > 0.1
        assert task.point(sim)[i] == pytest.approx(pos + OFFSET, abs=1e-12)
    assert np.array_equal(sim.ctrl[:, 4], [8.5] * 3) and np.allclose(sim.ctrl[:, 0], 5 * 0.7 * 0.05)


@pytest.mark.parametrize("change, text", [
    (('tendon="split"', 'joint="left"'), "a gripper's actuator on a tendon"),
    ((' ctrlrange="-1.5 1.5"', ""), "has no ctrlrange"),
    (('name="hand"', 'name="palm"'), "no body 'hand'"),
])
def test_errors_of_arms(gantry, change, text):
    path = gantry.parent / "changed.xml"
    path.write_text(GANTRY.replace(*change))
    with pytest.raises((tenon.Error, KeyError), match=text):
        tenon.gym.make_task("ArmPick", model=path)


def test_panda_picks_up_the_cube():
    path = of_menagerie("franka_emika_panda", "panda.xml")
    if path is None:
        pytest.skip("TENON_MENAGERIE names no folder with franka_emika_panda")
    task = tenon.gym.make_task("ArmPick", model=path)

    def target(env, z):
        """By inverse kinematics, the hand upside down, with the fingers along a side of the cube."""
        model, place = task.model, env.simulation.qpos[0, task.place]
        best = None
        for turn in yaw_of(env, task) + np.arange(-2, 3) * np.pi / 2:
            quat = (0.0, np.cos(0.5 * turn), np.sin(0.5 * turn), 0.0)
            qpos, converged, *_ = model.ik(env.world.qpos, body=task.hand, point=task.tool, pos=(*place[:2], z), quat=quat)
            if converged and (best is None or abs(qpos[6] - task.home[6]) < abs(best[6] - task.home[6])):
                best = qpos
        assert best is not None
        return best[:7]

    pick(task, target, range(2))


# ---- hands ----

# a palm that turns about the vertical, with a rim, and a finger whose two joints are in one place, where its shape overlaps the palm's
HAND = """<mujoco model="turning hand"><compiler autolimits="true"/><option timestep="0.002"/>
<worldbody><geom type="plane" size="3 3 1"/>{things}
  <body name="forearm" pos="0.2 0 0.1"><geom type="cylinder" size="0.02 0.03" mass="0.5"/>
  <body name="palm" pos="0 0 0.05"><joint name="turn" axis="0 0 1" range="-170 170" damping="0.1"/>
    <geom type="box" size="0.06 0.06 0.005" mass="0.4"/>
    <geom type="box" size="0.002 0.03 0.01" pos="0.036 0 0.015" mass="0.02"/><geom type="box" size="0.002 0.03 0.01" pos="-0.036 0 0.015" mass="0.02"/>
    <geom type="box" size="0.03 0.002 0.01" pos="0 0.036 0.015" mass="0.02"/><geom type="box" size="0.03 0.002 0.01" pos="0 -0.036 0.015" mass="0.02"/>
    <body name="knuckle" pos="0.06 0 0"><joint name="side" axis="0 0 1" range="-20 20" damping="0.05"/>
      <inertial pos="0 0 0" mass="0.01" diaginertia="1e-5 1e-5 1e-5"/>
      <body name="proximal"><joint name="bend" axis="0 -1 0" range="0 60" damping="0.05"/>
        <geom type="capsule" fromto="0 0 0 0.05 0 0" size="0.008" mass="0.03"/></body></body>
  </body></body></worldbody>
<actuator><position joint="turn" kp="20" kv="2" ctrlrange="-2.9 2.9"/><position joint="bend" kp="1" kv="0.05" ctrlrange="0 1"/></actuator>
</mujoco>"""
THING = """<body name="thing" pos="0.2 0 0.3"><freejoint/><geom size="0.02"/></body>"""
IN_PALM = (0.0, 0.0, 0.031)


@pytest.fixture(scope="module")
def hand(tmp_path_factory):
    path = tmp_path_factory.mktemp("hand") / "hand.xml"
    path.write_text(HAND.format(things=THING))
    return path


def turned(hand, seed, way):
    """Turns the palm by what is missing, or away from it: (return, the last info)."""
    env = strict(tenon.gym.make_task("HandTurn", model=hand, at=IN_PALM))
    env.reset(seed=seed)
    total, task = 0.0, env.task
    for _ in range(60):
        missing = task._missing(env.simulation)[0, 2]
        per_action = 0.5 * task.speed * task.seconds * 5.8
        _, reward, ended, _, info = env.step(np.array([way * np.clip(missing / per_action, -1.0, 1.0), 0.0]))
        total += reward
        if ended:
            break
    env.close()
    return total, info


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_hand_is_paid_for_turning_the_cube_the_right_way(hand, seed):
    total, info = turned(hand, seed, 1.0)
    assert info["success"] and info["angle"] < 0.2 and total > 5.0  # 5 for success, and the angle that it turned
    away, info = turned(hand, seed, -1.0)
    assert not info["success"] and away < -0.5


def test_things_of_the_file_are_left_out_and_shapes_of_one_joint_do_not_touch(hand):
    task = tenon.gym.make_task("HandTurn", model=hand, at=IN_PALM)
    assert "thing" not in task.model.names("body") and task.model.nq == 3 + 7
    env = TenonEnv(task)
    env.reset(seed=0)
    touching = {task.model.geom_info(int(g))["body"] for pair in env.world.contacts[["geom1", "geom2"]] for g in pair}
    assert touching == {task.palm, task.model.body("cube")}


def test_the_missing_rotation_is_that_to_the_goal(hand):
    env = TenonEnv(tenon.gym.make_task("HandTurn", model=hand, at=IN_PALM))
    env.reset(seed=0)
    sim, task = env.simulation, env.task
    for axis, angle in (((1.0, 0.0, 0.0), 0.7), ((0.0, 0.6, 0.8), -2.9)):
        sim.qpos[0, task.place][3:] = (np.cos(0.5), 0.0, 0.0, np.sin(0.5))  # 1 rad about z
        # the goal: what the cube has, then `angle` about `axis` of the world
        c, u = np.cos(angle / 2), np.sin(angle / 2) * np.array(axis)
        w, v = np.cos(0.5), np.array([0.0, 0.0, np.sin(0.5)])
        sim.goal[0] = (c * w - u @ v, *(c * v + w * u + np.cross(u, v)))
        sim.look()
        assert task._missing(sim)[0] == pytest.approx(angle * np.array(axis), abs=1e-12)


@pytest.mark.parametrize("options, text", [
    ({"palm": "fist"}, "no body 'fist'"),
    ({"turn": (1.0, 0.5)}, "two bounds in order"),
])
def test_errors_of_hands(hand, options, text):
    with pytest.raises((tenon.Error, KeyError), match=text):
        tenon.gym.make_task("HandTurn", model=hand, **options)


def test_a_model_without_a_palm_says_so(gantry):
    with pytest.raises(tenon.UsageError, match="0 bodies have 'palm' in their name"):
        tenon.gym.make_task("HandTurn", model=gantry)


def test_shadow_hand_cups_the_cube_and_opens():
    path = of_menagerie("shadow_hand", "left_hand.xml")
    if path is None:
        pytest.skip("TENON_MENAGERIE names no folder with shadow_hand")
    env = strict(tenon.gym.make_task("HandTurn", model=path))
    env.reset(seed=0)
    task, sim = env.task, env.simulation
    bends = np.array(["J3" in name or "J0" in name for name in task.model.names("actuator")])
    assert task.action_size == 20 and bends.sum() == 9  # four fingers, and one joint of the thumb
    start = task._away(sim)[0].copy()
    for sign in (1.0, -1.0):
        for _ in range(25):
            *_, ended, cut, info = env.step(0.25 * sign * bends)
            assert not ended and not cut
        if sign > 0:
            assert task._away(sim)[0, 0] < start[0] - 0.003  # fingers that close push it to the wrist
    assert info["away"] < 0.05
    env.close()


@pytest.mark.parametrize("name", ["Legged", "ArmPick", "HandTurn"])
def test_the_checker_of_gymnasium_has_nothing_to_say_about_robots(name, robot, gantry, hand):
    options = {"Legged": {"model": robot, "ground": "rough"}, "ArmPick": {"model": gantry, "tool": OFFSET},
               "HandTurn": {"model": hand, "at": IN_PALM}}[name]
    env = gymnasium.make(f"tenon/{name}-v0", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)
    env.close()


def test_many_hands_have_the_bits_of_single_ones(hand):
    envs = TenonVectorEnv(tenon.gym.make_task("HandTurn", model=hand, at=IN_PALM), 3, threads=2)
    seen, _ = envs.reset(seed=5)
    actions = np.random.default_rng(0).uniform(-1, 1, (5, 3, 2))
    rows = [envs.step(action)[:2] for action in actions]
    env = TenonEnv(tenon.gym.make_task("HandTurn", model=hand, at=IN_PALM))
    assert np.array_equal(env.reset(seed=7)[0], seen[2])
    for (seen, reward), action in zip(rows, actions):
        single, paid, *_ = env.step(action[2])
        assert np.array_equal(single, seen[2]) and paid == reward[2]


@pytest.mark.parametrize("ground", ["flat", "rough"])
def test_h1_is_paid_for_the_velocity_that_is_asked_for(ground):
    path = of_menagerie("unitree_h1", "h1.xml")
    if path is None:
        pytest.skip("TENON_MENAGERIE names no folder with unitree_h1")
    env = strict(Legged(path, ground))
    task, sim = env.task, env.simulation
    assert task.action_size == 19 and [task.model.names("body")[foot][-10:] for foot in task.feet] == ["ankle_link"] * 2
    paid = {}
    for speed in (0.0, 1.0):  # of what is asked for
        env.reset(seed=0)
        sim.qvel[0, 0] = speed * sim.goal[0, 0]
        sim.look()
        paid[speed] = sum(env.step(np.zeros(19))[1] for _ in range(5))
    assert paid[1.0] > paid[0.0] > 0.0
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    for k in range(200):
        if env.step(rng.uniform(-1, 1, 19))[2]:
            break
    assert 20 < k < 199  # it falls when chance moves its joints, and no step is in trouble
