"""The builder: the same bits as from a file, keywords as in the headers, messages."""
import pathlib
import pickle
import re

import numpy as np
import pytest
import tenon

ROOT = pathlib.Path(__file__).resolve().parents[2]
XML = """
<mujoco model="all">
  <compiler angle="radian"/>
  <option timestep="0.004" gravity="0 0 -9"/>
  <asset><mesh name="wedge" vertex="0 0 0  0.2 0 0  0 0.2 0  0 0 0.2"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1" friction="0.7 0.005 0.0001"/>
    <site name="post" pos="0 0 1.5"/>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" damping="0.1" range="-1 1" limited="true"/>
      <geom name="upper" type="capsule" size="0.03 0.15" pos="0.15 0 0" quat="0.7071067811865476 0 0.7071067811865476 0"/>
      <body name="lower" pos="0.3 0 0">
        <joint name="elbow" axis="0 1 0" stiffness="2" armature="0.01"/>
        <geom name="lower" type="box" size="0.1 0.03 0.02" density="500"/>
        <site name="tip" pos="0.2 0 0"/>
      </body>
    </body>
    <body name="wedge" pos="-0.5 0 0.3"><freejoint name="free"/><geom name="wedge" type="mesh" mesh="wedge"/></body>
    <body name="hand" mocap="true" pos="0 1 0.5"><geom name="hand" type="sphere" size="0.05"/></body>
    <body name="held" pos="0 1.2 0.5" quat="0.8 0 0.6 0"><inertial pos="0 0 0" mass="2" diaginertia="0.1 0.2 0.2"/>
      <freejoint/><geom name="held" type="sphere" size="0.05"/></body>
    <camera name="eye" pos="0 -3 1"/>
  </worldbody>
  <contact><exclude body1="upper" body2="lower"/><pair geom1="wedge" geom2="floor" friction="0.2 0.2 0 0 0"/></contact>
  <tendon>
    <fixed name="both"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-0.5"/></fixed>
    <spatial name="string" stiffness="3"><site site="post"/><site site="tip"/></spatial>
  </tendon>
  <equality><weld name="grasp" body1="hand" body2="held"/></equality>
  <actuator>
    <motor name="shoulder" joint="shoulder" ctrlrange="-5 5" ctrllimited="true"/>
    <position name="elbow" joint="elbow" kp="20"/>
    <general name="slow" tendon="both" dyntype="filter" dynprm="0.05"/>
  </actuator>
  <sensor><jointpos name="angle" joint="shoulder"/><framepos name="tip" objtype="site" objname="tip"/>
    <contact name="touch" geom1="wedge" num="2" data="found force"/></sensor>
  <keyframe><key name="up" qpos="0.5 -0.3 -0.5 0 0.3 1 0 0 0  0 1.2 0.5 0.8 0 0.6 0" ctrl="1 0.2 0"/></keyframe>
</mujoco>
"""


def build():
    b = tenon.Builder("all")
    b.option(timestep=0.004)
    b.option(gravity=(0, 0, -9))  # what is not given stays
    b.mesh(name="wedge", vertices=[[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]], inertia="legacy")
    b.geom(name="floor", type="plane", size=(2, 2, 1), friction=(0.7, 0.005, 0.0001))
    b.site(name="post", pos=(0, 0, 1.5))
    upper = b.body(name="upper", pos=(0, 0, 1))
    assert upper == 1
    b.joint(name="shoulder", body=upper, axis=(0, 1, 0), damping=0.1, range=(-1, 1))
    b.geom(name="upper", body=upper, type="capsule", size=(0.03, 0.15), pos=(0.15, 0, 0), quat=(0.5**0.5, 0, 0.5**0.5, 0))
    b.body(name="lower", parent="upper", pos=(0.3, 0, 0))
    b.joint(name="elbow", body="lower", axis=(0, 1, 0), stiffness=2, armature=0.01)
    b.geom(name="lower", body="lower", type="box", size=np.array([0.1, 0.03, 0.02]), density=500)
    b.site(name="tip", body="lower", pos=(0.2, 0, 0))
    b.body(name="wedge", pos=(-0.5, 0, 0.3))
    b.joint(name="free", body="wedge", type="free")
    b.geom(name="wedge", body="wedge", type="mesh", mesh="wedge")
    b.body(name="hand", mocap=True, pos=(0, 1, 0.5))
    b.geom(name="hand", body="hand", size=0.05)
    b.body(name="held", pos=(0, 1.2, 0.5), quat=(0.8, 0, 0.6, 0), mass=2, inertia=(0.1, 0.2, 0.2))
    b.joint(body="held", type="free")
    b.geom(name="held", body="held", size=0.05)
    b.camera(name="eye", pos=(0, -3, 1))
    b.exclude(body1="upper", body2="lower")
    b.pair(geom1="wedge", geom2="floor", friction=(0.2, 0, 0))
    b.tendon(name="both", joints={"shoulder": 1, "elbow": -0.5})
    b.tendon(name="string", points=["post", {"site": "tip"}], stiffness=3)
    b.equality(name="grasp", type="weld", body1="hand", body2="held")
    b.actuator(name="shoulder", joint="shoulder", ctrl_range=(-5, 5))
    b.actuator(name="elbow", joint="elbow", gain=20, bias=(0, -20, 0))
    b.actuator(name="slow", tendon="both", activation="filter", time_constants=(0.05, 0, 0))
    b.sensor(name="angle", type="joint_pos", object="shoulder")
    b.sensor(name="tip", type="site_pos", object="tip")
    b.sensor(name="touch", type="contact", pick1=("geom", "wedge"), slots=2, fields=["found", "force"])
    b.key(name="up", qpos=[0.5, -0.3, -0.5, 0, 0.3, 1, 0, 0, 0, 0, 1.2, 0.5, 0.8, 0, 0.6, 0], ctrl=[1, 0.2, 0])
    return b


def run(model, **options):
    world = tenon.World(model, **options)
    if model.nu:
        world.ctrl = [1.0, 0.3, -0.2]
    world.step(100)
    return world.hash(), world.sensors.tolist()


def test_a_model_from_calls_has_the_bits_of_that_from_a_file():
    from_file, built = tenon.Model.from_string(XML), build().build()
    for kind in ("body", "joint", "geom", "site", "tendon", "actuator", "equality", "sensor", "key", "camera", "mesh"):
        assert built.names(kind) == from_file.names(kind)
    assert built.actuator_info("shoulder") == from_file.actuator_info("shoulder")
    assert built.camera_info("eye") == from_file.camera_info("eye")
    assert run(built) == run(from_file)
    assert run(built, key="up") == run(from_file, key="up")


def test_capsules_between_two_points():
    text = """<mujoco><worldbody>{}</worldbody></mujoco>"""
    ends = [(0, 0, 0, 0.3, 0.1, -0.2), (0, 0, 0, 0, 0, -1), (1, 1, 1, 1, 1, 3)]
    expected = tenon.Model.from_string(text.format("".join(
        f"<geom type='capsule' size='0.1' fromto='{' '.join(map(str, e))}'/>" for e in ends)))
    b = tenon.Builder()
    for e in ends:
        b.geom(type="capsule", size=0.1, between=(e[:3], e[3:]))
    built = b.build()
    for i in range(len(ends)):
        one, two = built.geom_info(i), expected.geom_info(i)
        assert one["pos"] == pytest.approx(two["pos"]) and one["size"] == pytest.approx(two["size"])
        axis = [(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
                for w, x, y, z in (one["quat"], two["quat"])]
        # the axis of a capsule has no direction; rounding
        assert np.cross(*axis) == pytest.approx([0, 0, 0], abs=1e-12)
    for wrong, text in ((dict(between=[[0, 0, 0], [0, 0, 0]], type="capsule"), "apart"),
                        (dict(between=[[0, 0, 0], [0, 0, 1]]), "only capsules")):
        with pytest.raises(tenon.UsageError, match=text):
            b.geom(**wrong)


def soft_builder():
    b = tenon.Builder()
    b.geom(type="plane", size=(2, 2, 1))
    b.body(name="post", pos=(0, 0, 0.5))
    b.geom(body="post", type="box", size=(0.1, 0.1, 0.5))
    nodes, tets = tenon.box_mesh((0.1, 0.1, 0.1), (2, 2, 2))
    assert nodes.shape == (27, 3) and tets.shape == (40, 4)
    b.soft(name="jelly", mesh=(nodes + [0, 0, 1.1], tets), youngs_modulus=1e5, holds={"post": [0, 1, 2]})
    b.soft(name="cloth", mesh=tenon.sheet_mesh((0.2, 0.2), (4, 4)), pos=(1, 0, 0.3), thickness=0.002, radius=0.005)
    angles = np.linspace(0, 3, 13)
    b.rod(name="cable", points=np.stack([0.5 + 0.3 * np.cos(angles), 0.3 * np.sin(angles) - 1, 0 * angles + 0.2], axis=1))
    rod = b.rod(name="straight", start=(-1, 0, 0.1), end=(-0.5, 0, 0.1), segment_count=5, radius=0.02)
    assert list(b.rod_bodies(rod)) == [b.index("body", f"straight_{i}") for i in range(5)]
    b.body(name="late", pos=(-1, 1, 0.2))  # added between trees: indices are not in the order of a file
    b.joint(body="late", type="free")
    b.geom(body="late", size=0.1)
    hills = b.height_field(name="hills", heights=0.05 * np.random.default_rng(1).random((5, 4)), half=(1, 1), base=0.1)
    b.geom(type="mesh", mesh=hills, pos=(3, 0, 0))
    b.body(name="wheel", pos=(3, 3, 0.2))
    b.joint(body="wheel", type="free")
    b.geom(body="wheel", type="cylinder", size=(0.2, 0.02), quat=(0.5**0.5, 0.5**0.5, 0, 0), contact_type=0, contact_affinity=0)
    b.wheel(body="wheel", radius=0.2, keep_height=True)
    b.view(azimuth=1.0, elevation=-0.5)
    return b


def test_cables_soft_bodies_cloth_and_terrain():
    model = soft_builder().build()
    assert model.soft_info("cloth")["thickness"] == 0.002 and model.soft_info("jelly")["hold_count"] == 3
    assert model.rod_info("cable")["segment_count"] == 12 and model.wheel_info(0)["keep_height"]
    assert len(model.mesh_info("hills")["vertices"]) > 20
    world = tenon.World(model)
    world.step(10)
    assert world.report.converged and world.qvel.any()


def test_models_from_calls_are_pickled_with_their_indices():
    for builder in (build(), soft_builder()):
        model = builder.build()
        for again in (pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(builder)).build()):
            assert again.names("body") == model.names("body") and again.names("geom") == model.names("geom")
            assert run(again) == run(model)


def test_a_builder_goes_on_and_the_model_stays():
    b = soft_builder()
    first = b.build()
    before = run(first)
    b.body(name="more", pos=(0, 0, 3))
    b.joint(body="more", type="free")
    b.geom(body="more", size=0.1)
    second = b.build()
    assert second.nq == first.nq + 7 and second.body("more") == first.nbody
    assert run(first) == before and pickle.loads(pickle.dumps(first)).nq == first.nq
    changed = np.zeros(3)
    b.site(name="s", pos=changed)
    changed[:] = 5  # what was given is not looked at again
    b.build()
    b.site(name="t")
    assert b.build().site_info("s")["pos"] == (0, 0, 0)


def test_a_builder_may_begin_with_a_file(scenes):
    b = tenon.Builder.from_string(XML)
    b.geom(name="button", body="lower", size=0.01)
    model = b.build()
    assert model.names("geom")[:3] == ["floor", "upper", "lower"] and model.geom_info("button")["body"] == model.body("lower")
    assert pickle.loads(pickle.dumps(model)).geom("button") == model.geom("button")
    assert tenon.Builder.from_file(scenes / "stir.xml").count("body") > 200


@pytest.mark.parametrize("call, kind, text", [
    (lambda b: b.geom(siez=1), TypeError, "geom: there is no 'siez'; did you mean 'size'. There are name, body, type, "),
    (lambda b: b.geom(body="uper"), KeyError, "geom: body: there is no body 'uper'; did you mean 'upper'"),
    (lambda b: b.geom(body=99), IndexError, "there is no body 99; there are 6 so far"),
    (lambda b: b.geom(body=1.5), ValueError, "expected a name or an index of a body, got float"),
    (lambda b: b.geom(size=(1, 2, 3, 4)), ValueError, r"geom: size: expected .* of shape \(3,\), got shape \(4,\)"),
    (lambda b: b.geom(density="x"), ValueError, "geom: density: expected a number, got str"),
    (lambda b: b.geom(type="blob"), ValueError, "'blob' is not one of plane, "),
    (lambda b: b.geom(group=1.5), ValueError, "geom: group: expected an integer, got float"),
    (lambda b: b.geom(group=2**40), ValueError, "too large"),
    (lambda b: b.geom(shell="yes"), ValueError, "expected True or False, got str"),
    (lambda b: b.geom(name=3), ValueError, "geom: name: expected a text, got int"),
    (lambda b: b.geom(name="a\0b"), ValueError, "zero bytes"),
    (lambda b: b.geom(1), TypeError, "takes 1 positional argument but 2 were given"),
    (lambda b: b.mesh(vertices=np.zeros((4, 2))), ValueError, r"shape \(n, 3\), got shape \(4, 2\)"),
    (lambda b: b.mesh(vertices=np.zeros((4, 3)), triangles=[[0, 1, 2.5]]), ValueError, "expected whole numbers"),
    (lambda b: b.height_field(heights=[[0, 0], [0, 0]], half=(-1, 1)), ValueError, "impossible"),
    (lambda b: b.tendon(joints=[("shoulder",)]), ValueError, "expected a dict"),
    (lambda b: b.tendon(points=[{"place": 1}]), TypeError, "no 'place'"),
    (lambda b: b.actuator(pid={"kq": 1}), TypeError, "no 'kq'"),
    (lambda b: b.actuator(muscle=3), ValueError, "expected a dict, got int"),
    (lambda b: b.sensor(type="clock", object="upper"), ValueError, "'clock' has no object"),
    (lambda b: b.sensor(type="touch", object="nowhere"), KeyError, "no site 'nowhere'"),
    (lambda b: b.sensor(type="contact", fields=["fond"]), ValueError, "'fond' is not one of found"),
    (lambda b: b.sensor(type="contact", pick1="wedge"), ValueError, "expected .kind, name., got str"),
    (lambda b: b.soft(mesh=3), ValueError, "expected .nodes, elements."),
    (lambda b: b.soft(mesh=(np.zeros((4, 3)), [[0, 1, 2, 3]])), ValueError, "flat|volume"),
    (lambda b: b.soft(mesh=(np.eye(4, 3), [[0, 1, 2, 9]])), ValueError, "nodes that do not exist"),
    (lambda b: b.rod(segment_count=3, points=np.zeros((3, 3))), ValueError, "one point more"),
    (lambda b: b.track(times=[0, 1], ctrl=np.zeros((3, 3))), ValueError, "different lengths"),
    (lambda b: b.track(times=[0, 1], ctrl=np.zeros((2, 9))), ValueError, "a column for each actuator, 3 so far"),
    (lambda b: b.index("thing", 0), KeyError, "no kind 'thing'"),
])
def test_wrong_keywords_say_what_is_expected(call, kind, text):
    b = build()
    with pytest.raises(kind, match=text):
        call(b)
    b.build()


def test_errors_name_the_line_of_the_call():
    b = tenon.Builder()
    b.geom(type="box", size=-1)
    with pytest.raises(tenon.ModelError, match=r"test_builder.py:\d+:1: geom 1: size"):
        b.build()


def test_every_field_of_the_headers_is_a_keyword():
    header = re.sub(r"/\*.*?\*/", "", (ROOT / "include/tenon/model.h").read_text(encoding="utf-8"), flags=re.S)
    for method, struct in [("body", "Body"), ("joint", "Joint"), ("geom", "Geom"), ("actuator", "Actuator"), ("rod", "Rod"),
                           ("soft", "Soft"), ("sensor", "Sensor"), ("equality", "Equality"), ("tendon", "Tendon")]:
        body = re.search(rf"typedef struct Tn{struct}Def \{{(.*?)\}} Tn{struct}Def;", header, re.S).group(1)
        names = {name for line in body.split(";") for name in re.findall(r"(\w+)\s*(?:\[\d\])*(?:,|$)", line.strip())}
        names -= {"source"} | {name for name in names if name.endswith("_count") and name != "segment_count"}
        text = getattr(tenon.Builder, method).__doc__
        assert len(names) > 5 and [name for name in names if f" {name} (" not in text] == []
