"""Names that users bring along: MuJoCo's, MJCF's spellings, wrong keywords."""
import inspect

import numpy as np
import pytest
import tenon


@pytest.mark.parametrize("ask, text", [
    (lambda m, w: w.xpos, r"World has no 'xpos': MuJoCo's xpos is body_pose\(body\)\[0\]"),
    (lambda m, w: setattr(w, "qfrc_applied", 1), "MuJoCo's qfrc_applied is apply_wrench"),
    (lambda m, w: m.njnt, "Model has no 'njnt': MuJoCo's njnt is njoint here"),
    (lambda m, w: tenon.Model.from_xml_path, "has no attribute 'from_xml_path'|from_file"),
    (lambda m, w: tenon.mj_step, r"tenon has no 'mj_step': MuJoCo's mj_step is World.step\(\)"),
    (lambda m, w: tenon.MjModel, "Model.from_file"),
    (lambda m, w: w.qpso, "World has no 'qpso'; did you mean 'qpos'"),
    (lambda m, w: tenon.Wrold, "did you mean 'World'"),
    (lambda m, w: tenon.Batch(m, 2).xpos, r"Batch has no 'xpos': MuJoCo's xpos is body_poses"),
])
def test_names_are_answered_with_ours(arm, world, ask, text):
    with pytest.raises(AttributeError, match=text):
        ask(arm, world)


@pytest.mark.parametrize("call, text", [
    (lambda m, w: tenon.World(m, tol=1e-3), "World: there is no 'tol'; did you mean 'tolerance'. There are model, threads"),
    (lambda m, w: tenon.Batch(m, 2, thraeds=2), "Batch: there is no 'thraeds'; did you mean 'threads'"),
    (lambda m, w: w.render(widht=3), "render: there is no 'widht'; did you mean 'width'"),
    (lambda m, w: tenon.Model.from_string("", file={}), "from_string: there is no 'file'; did you mean 'files'"),
    (lambda m, w: w.set_joint_forces("elbow", dampnig=1), "did you mean 'damping'"),
    (lambda m, w: tenon.Builder().geom(solref=(0.02, 1)), "there is no 'solref': contacts, limits and equalities are rigid"),
    (lambda m, w: tenon.Builder().body(euler=(0, 0, 1)), "quaternions"),
    (lambda m, w: tenon.Builder().option(integrator="RK4"), "there is one scheme"),
])
def test_wrong_keywords_are_answered(arm, world, call, text):
    with pytest.raises(TypeError, match=text):
        call(arm, world)


def test_spellings_of_mjcf_are_taken():
    def build(**spelled):
        b = tenon.Builder()
        b.geom(type="plane", size=(1, 1, 1))
        b.body(name="a", pos=(0, 0, 1), **spelled["body"])
        b.joint(name="j", body="a", axis=(0, 1, 0), **spelled["joint"])
        b.geom(body="a", type="capsule", size=0.05, **spelled["geom"])
        b.actuator(joint="j", **spelled["actuator"])
        b.sensor(object="j", **spelled["sensor"])
        return b.build()

    mjcf = build(body=dict(gravcomp=0.5), joint=dict(frictionloss=0.1, springref=0.2, stiffness=3, actuatorfrcrange=(-2, 2)),
                 geom=dict(fromto=(0, 0, 0, 0.3, 0, 0), condim=4, contype=2, conaffinity=3),
                 actuator=dict(ctrlrange=(-1, 1), forcerange=(-3, 3), dyntype="filterexact"), sensor=dict(type="jointpos"))
    ours = build(body=dict(gravity_compensation=0.5),
                 joint=dict(friction_loss=0.1, spring_ref=0.2, stiffness=3, actuator_range=(-2, 2)),
                 geom=dict(between=[(0, 0, 0), (0.3, 0, 0)], contact_dim=4, contact_type=2, contact_affinity=3),
                 actuator=dict(ctrl_range=(-1, 1), force_range=(-3, 3), activation="filter_exact"),
                 sensor=dict(type="joint_pos"))
    assert mjcf._written() == ours._written()
    with pytest.raises(tenon.UsageError, match="geom: size is given twice|ctrl_range is given twice, also as ctrlrange"):
        tenon.Builder().actuator(ctrl_range=(0, 1), ctrlrange=(0, 1))


def test_help_has_signatures_and_units():
    import inspect
    signature = inspect.signature(tenon.Builder.joint)
    assert signature.parameters["type"].default == "hinge" and signature.parameters["damping"].default == 0.0
    assert len(str(signature)) < 600, "a signature fits on a screen"
    text = inspect.getdoc(tenon.Builder.joint)
    assert "damping (float): N·m·s/rad or N·s/m" in text and "'free', 'ball', 'slide' or 'hinge'" in text
    assert "threads: int = 1" in str(inspect.signature(tenon.Batch))
    for line in text.splitlines():
        assert len(line) <= 120


def test_recordings_take_own_curves(world, tmp_path):
    path = tmp_path / "run.tnr"
    with tenon.Recorder(path, world) as recorder:
        for k in range(5):
            world.step()
            recorder.write(tension=0.5 * k, reward=np.float64(-k))
        with pytest.raises(tenon.UsageError, match="every frame has the curves of the first one: tension reward"):
            recorder.write(tension=1.0)
        with pytest.raises(tenon.UsageError, match="tension: expected a number"):
            recorder.write(tension="much", reward=1.0)
    run = tenon.Recording(path)
    assert len(run) == 5 and run.signal("tension").tolist() == [0, 0.5, 1, 1.5, 2] and run.signal("reward")[-1] == -4
    assert run.signal_names[-2:] == ["tension", "reward"] and run[-1].signals["tension"] == 2
    assert run.signal("angle.s0").any() and run.signal("elbow.ctrl").shape == (5,)
    with tenon.Recorder(tmp_path / "other.tnr", world) as recorder:
        with pytest.raises(tenon.UsageError, match="the model has a signal 'angle.s0'"):
            recorder.write(**{"angle.s0": 1.0})
        recorder.write()
        with pytest.raises(tenon.UsageError, match="of the first one: none"):
            recorder.write(late=1.0)


def test_signatures_can_be_read():
    seen = 0
    for thing in [getattr(tenon, name) for name in dir(tenon) if name[0] != "_"]:
        for member in [thing] + [getattr(thing, name) for name in dir(thing) if name[0] != "_" and isinstance(thing, type)]:
            try:
                text = str(inspect.signature(member))
            except (TypeError, ValueError):  # no function, or one of the module in C++, whose text begins with it
                continue
            assert "_typing" not in text and ": '" not in text and "NoneType" not in text, (member, text)
            seen += "ArrayLike" in text
    assert seen > 20
    assert "qpos: npt.ArrayLike, site: Optional[Which] = None" in str(inspect.signature(tenon.Model.ik))


def test_slips_in_optional_arguments_are_answered(world):
    with pytest.raises(TypeError, match="apply_wrench: there is no 'forc'; did you mean 'force'"):
        world.apply_wrench("box", forc=(1, 0, 0))
    with pytest.raises(TypeError, match="reset: there is no 'keyframe'"):
        world.reset(keyframe="up")
