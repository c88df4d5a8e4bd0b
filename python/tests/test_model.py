"""Models: loading, names, evaluation, errors."""
import pickle

import numpy as np
import pytest
import tenon

PENDULUM = """<mujoco><worldbody><body name="bob">
  <joint name="pin" axis="0 1 0"/><geom type="sphere" size="0.1" mass="2" pos="0.5 0 0"/></body></worldbody></mujoco>"""


def test_sizes_and_names(arm):
    assert (arm.nq, arm.nv, arm.nu, arm.na) == (16, 14, 2, 1)
    assert (arm.nbody, arm.njoint, arm.nsite, arm.nsensor, arm.nsensordata, arm.nkey, arm.nmocap) == (6, 4, 1, 3, 7, 1, 1)
    assert arm.name == "arm" and arm.timestep == 0.005 and arm.gravity == (0.0, 0.0, -9.81)
    assert arm.names("body") == ["world", "box", "upper", "lower", "hand", "held"]
    assert arm.body("lower") == 3 and arm.body(3) == 3 and arm.actuator("elbow") == 1
    assert arm.joint_info("elbow")["qpos"] == slice(8, 9)
    assert arm.joint_info("shoulder")["range"] == pytest.approx((-np.radians(170), np.radians(170)))
    assert arm.joint_info("elbow")["range"] is None
    assert arm.actuator_info("shoulder")["ctrl_range"] == (-5.0, 5.0)
    assert arm.body_info("box")["mass"] == pytest.approx(8.0)  # 1000 kg/m³ of 0.2³ m³
    assert arm.sensor_slice("tip") == slice(1, 4)
    assert "arm" in repr(arm)


def test_wrong_names_say_what_there_is(arm):
    with pytest.raises(KeyError, match="no body 'lowr'; did you mean 'lower'"):
        arm.body("lowr")
    with pytest.raises(IndexError, match="no joint 9; it has 4"):
        arm.joint(9)
    with pytest.raises(TypeError, match="expected a name or an index, got float"):
        arm.joint(1.5)
    with pytest.raises(KeyError, match="no kind"):
        arm.names("bodies")


def test_errors_of_files_have_their_place(tmp_path):
    with pytest.raises(tenon.FileError, match="no such file"):
        tenon.Model.from_file(tmp_path / "nothing.xml")
    with pytest.raises(OSError):
        tenon.Model.from_file(str(tmp_path / "nothing.xml"))
    path = tmp_path / "bad.xml"
    path.write_text("<mujoco>\n  <worldbody><boddy/></worldbody>\n</mujoco>")
    with pytest.raises(tenon.ModelError, match=r"bad.xml:2:14: boddy: .*did you mean 'body'"):
        tenon.Model.from_file(path)
    with pytest.raises(ValueError, match=r"^<string>:1:9: "):
        tenon.Model.from_string("<mujoco><nonsense/></mujoco>")


def test_a_model_reads_files_near_it(tmp_path):
    own = tmp_path / "a" / "b"
    own.mkdir(parents=True)
    part = '<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    (tmp_path / "part.xml").write_text(part)
    (tmp_path / "a" / "part.xml").write_text(part)
    for name, reach, fine in (("../part.xml", "near", True), ("../part.xml", "folder", False),
                              ("../../part.xml", "near", False), ("../../part.xml", "any", True)):
        (own / "m.xml").write_text(f'<mujoco><include file="{name}"/></mujoco>')
        if fine:
            assert tenon.Model.from_file(own / "m.xml", reach=reach).nq == 7
        else:
            with pytest.raises(tenon.ModelError, match="not in the model's folder"):
                tenon.Model.from_file(own / "m.xml", reach=reach)
    with pytest.raises(Exception, match="reach is"):
        tenon.Model.from_file(own / "m.xml", reach="everywhere")
    with pytest.raises(tenon.ModelError, match="2000000 segments"):
        tenon.Model.from_string('<mujoco><tenon><rod name="r" start="0 0 0" end="1 0 0" segments="9999999"/></tenon></mujoco>',
                                limit_factor=2)


def test_a_text_may_have_files():
    text = '<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>'
    part = b'<mujocoinclude><body name="ball"><freejoint/><geom size="0.1"/></body></mujocoinclude>'
    assert tenon.Model.from_string(text, files={"part.xml": part}).nq == 7
    with pytest.raises(tenon.FileError, match="<string>:1:29: include: 'part.xml': no such file"):
        tenon.Model.from_string(text, files={"../part.xml": part})
    with pytest.raises(ValueError, match="files: part.xml: expected bytes, got str"):
        tenon.Model.from_string(text, files={"part.xml": part.decode()})


def test_evaluation_of_a_pendulum():
    model = tenon.Model.from_string(PENDULUM)
    result = model.eval([0.0])
    inertia = 2 * 0.5**2 + 0.4 * 2 * 0.1**2
    assert result["mass_matrix"] == pytest.approx(np.array([[inertia]]), rel=1e-12)  # rounding only
    assert result["bias"] == pytest.approx([-2 * 9.81 * 0.5], rel=1e-12)
    assert result["body_poses"].shape == (2, 7)
    torque = model.inverse_dynamics([0.0], [0.0], [3.0])
    assert torque == pytest.approx([3 * inertia - 2 * 9.81 * 0.5], rel=1e-12)
    jacobian = model.jacobian([0.0], "bob", (0.5, 0, 0))
    assert jacobian[:, 0] == pytest.approx([0, 0, -0.5, 0, 1, 0], abs=1e-15)
    assert list(model.eval([0.0], want="bias")) == ["bias"]
    with pytest.raises(tenon.UsageError, match="no 'bais'; there are body_poses"):
        model.eval([0.0], want="bais")
    with pytest.raises(ValueError, match=r"qpos: expected numbers \(float64\) of shape \(1,\), got shape \(2,\)"):
        model.eval([0.0, 1.0])


def test_inverse_kinematics(arm):
    start = arm.eval(tenon.World(arm).qpos, want="site_poses")
    qpos, converged, error, _ = arm.ik(tenon.World(arm).qpos, "tip", pos=(0.2, 0.0, 0.8))
    assert converged and error < 1e-6  # the tolerance that was asked for
    assert arm.eval(qpos, want="site_poses")["site_poses"][0, :3] == pytest.approx([0.2, 0, 0.8], abs=2e-6)
    assert start["site_poses"][0, :3] == pytest.approx([0.5, 0, 1.0])


def test_pickled_models_compute_the_same_bits(arm, scenes):
    for model in (arm, tenon.Model.from_file(scenes / "cable.xml")):
        again = pickle.loads(pickle.dumps(model))
        assert again.names("body") == model.names("body")
        one, two = tenon.World(model), tenon.World(again)
        one.step(3)
        two.step(3)
        assert one.hash() == two.hash()


def test_written_models_load_again(arm, tmp_path):
    arm.write(tmp_path / "copy.xml")
    assert tenon.Model.from_file(tmp_path / "copy.xml").nq == arm.nq
    with pytest.raises(tenon.FileError):
        arm.write(tmp_path / "no" / "folder.xml")


def test_many_missing_files_are_one_line(tmp_path):
    (tmp_path / "m.xml").write_text("<mujoco><asset>" + "\n".join(f'<mesh name="m{i}" file="part{i}.stl"/>' for i in range(40))
                                    + '</asset><worldbody><geom size="-1"/></worldbody></mujoco>')
    with pytest.raises(tenon.FileError) as caught:
        tenon.Model.from_file(tmp_path / "m.xml")
    first, *others = str(caught.value).splitlines()
    assert "m.xml:1:" in first and "part0.stl': no such file; and 39 more like it: " in first and "part2.stl" in first
    assert len(others) <= 1 and len(first) < 600
