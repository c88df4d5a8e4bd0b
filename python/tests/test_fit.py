"""Fits: against another engine, logs from files, what is refused, the page and the command."""
import numpy as np
import pytest
import tenon

PENDULUM = """
<mujoco>
  <option timestep="{h}"/>
  <worldbody>
    <body name="upper" pos="0 0 1"><joint name="one" axis="0 1 0" damping="0.02"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02" mass="0.5" contype="0" conaffinity="0"/>
      <body name="lower" pos="0 0 -0.3"><joint name="two" axis="0 1 0" damping="0.01"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.02" mass="0.3" contype="0" conaffinity="0"/>
        <site name="end" pos="0 0 -0.25"/></body></body>
  </worldbody>
  <actuator><motor name="push" joint="one"/></actuator>
</mujoco>
"""
ROBOT = """
<mujoco>
  <option timestep="{h}"/>
  <worldbody>
    <body name="turret" pos="0 0 0.3"><joint name="pan" axis="0 0 1" damping="0.4" armature="0.05" frictionloss="0.3"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.1" size="0.05" mass="2" contype="0" conaffinity="0"/>
      <body name="upper" pos="0 0 0.1"><joint name="lift" axis="0 1 0" damping="0.6" armature="0.08" frictionloss="0.5"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04" mass="1.5" contype="0" conaffinity="0"/>
        <body name="lower" pos="0.3 0 0"><joint name="bend" axis="0 1 0" damping="0.2" armature="0.02" frictionloss="0.2"/>
          <geom type="capsule" fromto="0 0 0 0.25 0 0" size="0.03" mass="0.8" contype="0" conaffinity="0"/></body></body></body>
  </worldbody>
  <actuator>
    <motor name="pan" joint="pan"/><motor name="lift" joint="lift"/><motor name="bend" joint="bend"/>
  </actuator>
</mujoco>
"""


def mujoco_log(text, qpos, ctrl, seconds, every, noise, seed, h=2e-4):
    """What MuJoCo simulates with a short step, with noise; rows every so many seconds."""
    mujoco = pytest.importorskip("mujoco")
    # dry friction as hard as it can be had: it is soft there, and creeps
    text = text.format(h=h).replace("<option ", '<option integrator="implicitfast" ')
    text = text.replace("<joint ", '<joint solreffriction="0.0005 1" solimpfriction="0.9999 0.9999 1" ')
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    rows, per = int(round(seconds / every)) + 1, int(round(every / h))
    time = every * np.arange(rows)
    u, q = np.empty((rows, model.nu)), np.empty((rows, model.nq))
    for k in range(rows):
        q[k] = data.qpos
        data.ctrl[:] = u[k] = ctrl(time[k], data.qpos, data.qvel)
        mujoco.mj_step(model, data, per)
    q += noise * np.random.default_rng(seed).standard_normal(q.shape)
    return {"time": time, "ctrl": u, "qpos": q}


def test_masses_and_damping_of_a_double_pendulum_that_mujoco_simulated():
    log = mujoco_log(PENDULUM, [1.0, -0.5], lambda t, q, v: [0.5 * np.sin(5 * t)], 3.0, 0.01, 2e-3, 1)
    model = tenon.Model.from_string(PENDULUM.format(h=0.002))
    truth = {"mass:upper": 0.5, "mass:lower": 0.3, "damping:one": 0.02, "damping:two": 0.01}
    found = tenon.fit(model, log, [{"of": name, "start": value * f} for (name, value), f in
                                   zip(truth.items(), (1.6, 0.6, 2.0, 0.5))], sigma=2e-3)
    assert found.end == "converged" and not found.unseen
    for name, value in truth.items():
        assert abs(found.values[name] - value) < 4 * found.sigma[name] + 2e-3 * value, found  # two engines, steps of 2 ms
        assert found.sigma[name] < 0.2 * value
    # 602 numbers of noise less 8 unknowns: ± 35 is one deviation
    assert abs(found.chi2 - (found.measurements - found.unknowns)) < 180
    world = found.world()
    assert world.model.body_info("lower")["own_mass"] == pytest.approx(0.3)  # the model is shared, the world has its own
    unknown = tenon.fit(model, log, list(truth))  # the noise is found, too
    assert unknown.noise["one.q0"] == pytest.approx(2e-3, rel=0.2)


def test_joints_of_a_robot_that_mujoco_simulated():
    def ctrl(t, q, v):  # torques of a controller at 100 Hz, which the log has
        to = np.array([0.8 * np.sin(3.1 * t), -0.4 + 0.6 * np.sin(2.3 * t + 1), 0.7 * np.sin(4.3 * t + 2)])
        return np.array([30, 60, 20]) * (to - q) - np.array([2, 4, 1]) * v

    log = mujoco_log(ROBOT, [0, 0, 0], ctrl, 1.5, 0.01, 1e-3, 2)
    model = tenon.Model.from_string(ROBOT.format(h=0.001))
    truth = {f"{kind}:{joint}": value for kind, values in {"damping": (0.4, 0.6, 0.2), "armature": (0.05, 0.08, 0.02),
                                                            "friction_loss": (0.3, 0.5, 0.2)}.items()
             for joint, value in zip(("pan", "lift", "bend"), values)}
    found = tenon.fit(model, log, [{"of": name, "start": 1.4 * value} for name, value in truth.items()], sigma=1e-3,
                      max_iterations=30)
    for name, value in truth.items():
        assert abs(found.values[name] - value) < 4 * found.sigma[name] + 5e-3 * value, found  # two engines
        assert found.sigma[name] < 0.1 * value
    assert found.chi2 < 1.3 * found.measurements  # of 453: ± 7 % is one deviation


@pytest.fixture(scope="module")
def swing():
    """A log of the pendulum, made with tenon, without noise."""
    world = tenon.World(tenon.Model.from_string(PENDULUM.format(h=0.002)), tolerance=1e-10)
    world.qpos[:] = 0.8, -0.2
    time, q, end = [], [], []
    for _ in range(120):
        time.append(world.time)
        q.append(world.qpos.copy())
        end.append(world.site_pose("end")[0].copy())
        world.step(5)
    q, end = np.array(q), np.array(end)
    return {"time": np.array(time), "one.q0": q[:, 0], "two.q0": q[:, 1], "end.x": end[:, 0], "end.z": end[:, 2]}


@pytest.fixture(scope="module")
def model():
    return tenon.Model.from_string(PENDULUM.format(h=0.002))


OFF = {"of": "damping:one", "start": 0.05}


def test_logs_come_from_files_and_other_times_are_resampled_if_that_is_said(tmp_path, model, swing):
    csv, npz = str(tmp_path / "log.csv"), str(tmp_path / "log.npz")
    names = list(swing)
    np.savetxt(csv, np.stack(list(swing.values()), axis=1), delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    np.savez(npz, time=swing["time"], joints=np.stack([swing["one.q0"], swing["two.q0"]], axis=1),
             joints_names=["one.q0", "two.q0"])
    for log in (csv, npz):
        assert tenon.fit(model, log, [OFF], sigma=1e-3).values["damping:one"] == pytest.approx(0.02, rel=1e-5)
    points = tenon.fit(model, csv, [OFF], measure=["end.x", "end.z"], sigma=1e-3, start="known")
    assert points.columns == ["end.x", "end.z"] and points.values["damping:one"] == pytest.approx(0.02, rel=1e-5)
    other = {name: np.interp(np.arange(0, 1.19, 0.0073), swing["time"], a) for name, a in swing.items()}
    with pytest.raises(tenon.UsageError, match="no multiple of the timestep"):
        tenon.fit(model, other, [OFF], sigma=1e-3)
    # lines between rows of 10 ms miss curves by up to a²/8 = 1e-3
    assert tenon.fit(model, other, [OFF], sigma=1e-3, resample=True).values["damping:one"] == pytest.approx(0.02, rel=0.05)
    gap = {name: np.delete(a, range(40, 60)) for name, a in swing.items()}
    with pytest.raises(tenon.UsageError, match="gap: from row 39 to row 40"):
        tenon.fit(model, gap, [OFF], sigma=1e-3)
    assert tenon.fit(model, gap, [OFF], sigma=1e-3, resample=True).values["damping:one"] == pytest.approx(0.02, rel=1e-4)


def test_segments_start_anew_from_the_log(model, swing):
    found = tenon.fit(model, swing, [OFF], measure=["one.q0", "two.q0"], sigma=1e-3, segment=0.3)
    assert len(found.times) == 4 and found.values["damping:one"] == pytest.approx(0.02, rel=1e-4)
    with pytest.raises(tenon.UsageError, match="segments start where the log says; it has no two.q0"):
        tenon.fit(model, {name: a for name, a in swing.items() if name != "two.q0"}, [OFF], segment=0.3)


@pytest.mark.parametrize("change, parameters, options, says", [
    ({}, ["mass:box"], {}, "no body 'box'"),
    ({}, ["weight:upper"], {}, "must be one of"),
    ({}, [{"of": "mass:upper", "low": 1.0}], {}, "not within its bounds"),
    ({}, [{"of": "mass:upper", "begin": 1.0}], {}, "not begin"),
    ({}, [("stiffness", "one")], {}, "starts at 0; it is fitted by its logarithm"),
    ({}, [OFF], {"measure": ["three.q0"]}, "nothing that the model can measure"),
    ({}, [OFF], {"sigma": {"one.q0": 1e-3}}, "there is none of 'two.q0'"),
    ({}, [OFF], {"unseen": "ignore"}, "expected 'keep' or"),
    ({}, [OFF], {"start": "anywhere"}, "expected 'free'"),
    ({}, [("gravity", 0), "gravity:0"], {}, "given twice"),
    ({"time": None}, [OFF], {}, "no column 'time'"),
    ({"one.q0": np.zeros(3)}, [OFF], {}, "'one.q0' has 3 rows"),
    ({"qpos": np.zeros((120, 5))}, [OFF], {}, "qpos has 5 columns"),
])
def test_what_cannot_be_used_is_refused(model, swing, change, parameters, options, says):
    log = {name: a for name, a in dict(swing, **change).items() if a is not None}
    with pytest.raises(tenon.UsageError, match=says):
        tenon.fit(model, log, parameters, **options)


def test_a_result_says_what_the_data_do_not_show_and_makes_a_page(tmp_path, model, swing):
    # nothing but ratios of masses and dampings shows in a motion without a known force; gravity: their scale does not
    found = tenon.fit(model, swing, ["mass:upper", "mass:lower", "damping:one", "damping:two"], sigma=1e-3, threads=2)
    assert len(found.unseen) == 1 and all(name in found.unseen[0] for name in found.values)
    assert "not shown by the data: 0.50 mass:upper" in repr(found) and "chi2" in repr(found)
    page = open(found.report(tmp_path / "fit.html"), encoding="utf-8").read()
    assert page.count("<svg") == 4 and "Not shown: 0.50 mass:upper" in page and "http" not in page
    with pytest.raises(tenon.UsageError, match="the data do not show"):
        tenon.fit(model, swing, ["mass:upper", "mass:lower", "damping:one", "damping:two"], sigma=1e-3, unseen="refuse")
    weak = tenon.fit(model, swing, ["mass:upper", "mass:lower", "damping:one", "damping:two"], sigma=1e-3, unseen="regularize")
    assert not weak.unseen and 0.3 < weak.sigma["mass:upper"] / 0.5 < 1.0


def test_a_function_that_builds_the_model_fits_what_worlds_cannot_change():
    def build(values):
        return tenon.Model.from_string(f"""
            <mujoco><option timestep="0.005"/><worldbody>
              <body name="rod" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
                <geom type="capsule" fromto="0 0 0 {values['length']} 0 0" size="0.02" mass="1"/>
                <site name="end" pos="{values['length']} 0 0"/></body></worldbody></mujoco>""")

    world = tenon.World(build({"length": 0.4}))
    time, x = [], []
    for _ in range(60):
        time.append(world.time)
        x.append(world.site_pose("end")[0][0])
        world.step(2)
    found = tenon.fit(build, {"time": np.array(time), "end.x": np.array(x)}, {"length": 0.6}, sigma=1e-3)
    assert found.values["length"] == pytest.approx(0.4, rel=1e-4) and "converged" in repr(found)
    assert found.model.site_info("end")["pos"][0] == pytest.approx(found.values["length"])
    with pytest.raises(tenon.UsageError, match="each above 0"):
        tenon.fit(build, {"time": np.array(time), "end.x": np.array(x)}, {"length": -1.0})


def test_bending_and_damping_of_a_cable_are_found_from_points_of_a_film():
    def build(values):
        b = tenon.Builder()
        b.option(timestep=0.005)
        b.rod(name="cable", segment_count=10, start=(0, 0, 1), end=(0.4, 0, 1), radius=0.004, youngs_modulus=1e7,
              bend_modulus=values["bending"], damping_time=values["damping"])
        b.equality(type="weld", body1="world", body2="cable_0")
        return b.build()

    truth, rng = {"bending": 1e6, "damping": 0.02}, np.random.default_rng(0)
    world, log = tenon.World(build(truth)), {"time": [], "cable_5.x": [], "cable_5.z": [], "cable_9.x": [], "cable_9.z": []}
    for _ in range(61):
        log["time"].append(world.time)
        for name in ("cable_5", "cable_9"):
            pos = world.body_pose(name)[0] + 1e-3 * rng.standard_normal(3)
            log[f"{name}.x"].append(pos[0])
            log[f"{name}.z"].append(pos[2])
        world.step(2)
    found = tenon.fit(build, log, {"bending": 2e6, "damping": 0.04}, sigma=1e-3, start="model")
    for name, value in truth.items():
        assert abs(found.values[name] - value) < 4 * found.sigma[name] and found.sigma[name] < 0.05 * value, found
    assert 0.7 < found.chi2 / found.measurements < 1.3  # of 244: ± 9 % is one deviation


def test_the_command_prints_the_table_and_says_what_is_wrong(tmp_path, swing, capsys):
    from tenon.__main__ import main

    model, csv = tmp_path / "pendulum.xml", tmp_path / "log.csv"
    model.write_text(PENDULUM.format(h=0.002), encoding="utf-8")
    np.savetxt(csv, np.stack(list(swing.values()), axis=1), delimiter=",", header=",".join(swing), comments="", fmt="%.17g")
    line = ["fit", str(model), str(csv), "--parameters", "damping:one=0.05,damping:two"]
    assert main(line + ["--sigma", ".q0=1e-3,.x=1e-3,.z=1e-3", "--report", str(tmp_path / "fit.html")]) == 0
    said = capsys.readouterr().out
    assert "damping:two" in said and "converged" in said and (tmp_path / "fit.html").exists()
    assert main(["fit", str(model), str(tmp_path / "none.csv"), "--parameters", "mass:upper"]) == 4
    assert main(["fit", str(model), str(csv), "--parameters", "mass:box"]) == 2
    assert "no body 'box'" in capsys.readouterr().err
    csv.write_text("time,one.q0\n0,1\n0.01,x\n", encoding="utf-8")
    assert main(line) == 4 and "'x' is not a number" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["fit", "--help"])
    assert "tenon fit arm.xml log.csv" in capsys.readouterr().out
