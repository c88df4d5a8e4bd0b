"""Models from stages of USD, made here by usd-core: against formulas, and against the same models in MJCF."""
import math
import warnings

import numpy as np
import pytest
import tenon

pytest.importorskip("pxr", reason="the package usd-core is not installed")
import tenon.usd  # noqa: E402
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade  # noqa: E402

BODY, COLLIDER, MASS = UsdPhysics.RigidBodyAPI, UsdPhysics.CollisionAPI, UsdPhysics.MassAPI


class Make:
    """A stage, in metres with z up unless said."""

    def __init__(self, folder, up="Z", meter=1.0):
        self.path, self.stage = str(folder / "made.usda"), Usd.Stage.CreateInMemory()
        UsdGeom.SetStageUpAxis(self.stage, up)
        UsdGeom.SetStageMetersPerUnit(self.stage, meter)

    def prim(self, kind, path, *apis, pos=None, turn=None, scale=None, **attributes):
        schema = getattr(UsdGeom, kind).Define(self.stage, path)
        if pos is not None:
            schema.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*map(float, pos)))
        if turn is not None:
            schema.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Rotation(Gf.Vec3d(*turn[0]), turn[1]).GetQuat())
        if scale is not None:
            schema.AddScaleOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*map(float, scale)))
        for api in apis:
            api.Apply(schema.GetPrim())
        for name, value in attributes.items():
            schema.GetPrim().GetAttribute(name).Set(value)
        return schema.GetPrim()

    def mass(self, prim, mass, inertia=None, center=None):
        about = MASS.Apply(prim)
        about.CreateMassAttr(mass)
        if inertia is not None:
            about.CreateDiagonalInertiaAttr(Gf.Vec3f(*inertia))
        if center is not None:
            about.CreateCenterOfMassAttr(Gf.Vec3f(*center))

    def joint(self, kind, path, body0=None, body1=None, pos0=(0, 0, 0), pos1=(0, 0, 0), axis=None, **attributes):
        schema = getattr(UsdPhysics, kind + "Joint").Define(self.stage, path)
        for rel, body in ((schema.CreateBody0Rel(), body0), (schema.CreateBody1Rel(), body1)):
            if body:
                rel.SetTargets([body])
        schema.CreateLocalPos0Attr(Gf.Vec3f(*pos0))
        schema.CreateLocalPos1Attr(Gf.Vec3f(*pos1))
        if axis:
            schema.CreateAxisAttr(axis)
        for name, value in attributes.items():
            schema.GetPrim().GetAttribute("physics:" + name).Set(value)
        return schema

    def load(self, *expected):
        """The model. Its warnings are those that are expected, one each, in any order."""
        self.stage.GetRootLayer().Export(self.path)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = tenon.usd.load(self.path)
        told = sorted(str(warning.message) for warning in caught)
        assert len(told) == len(expected), told
        for words in expected:
            assert sum(words in text for text in told) == 1, (words, told)
        return model


@pytest.fixture
def make(tmp_path):
    return Make(tmp_path)


@pytest.mark.parametrize("up, meter", [("Z", 1.0), ("Y", 0.01), ("Y", 0.5)])
def test_a_box_falls_and_rests(tmp_path, up, meter):
    """The same box in metres with z up, in centimetres with y up, or half metres, with y up."""
    make = Make(tmp_path, up, meter)
    UsdPhysics.SetStageKilogramsPerUnit(make.stage, 0.001)
    height = np.roll([0, 0, 0.5 / meter], {"Z": 0, "Y": 2}[up])
    UsdPhysics.Scene.Define(make.stage, "/physics")
    make.prim("Plane", "/floor", COLLIDER, axis=up)
    make.prim("Xform", "/group", scale=(2, 2, 2))  # nested: the box has sides of 0.2 m
    box = make.prim("Cube", "/group/box", BODY, COLLIDER, pos=height / 2, size=0.1 / meter)
    make.mass(box, 3000.0)
    model = make.load()
    world = tenon.World(model)
    body = model.body("box")
    assert model.body_info(body)["own_mass"] == pytest.approx(3, rel=1e-6)  # single precision
    assert np.allclose(model.body_info(body)["own_inertia"][:3], 3 / 6 * 0.2**2, rtol=1e-6)
    assert np.allclose(world.qpos[:3], (0, 0, 0.5), atol=1e-7)
    for _ in range(20):  # free fall for 0.2 s, which the midpoint rule has exactly
        world.step()
    assert world.qpos[2] == pytest.approx(0.5 - 9.81 / 2 * 0.2**2, abs=1e-6)
    world.step(100)
    assert world.qpos[2] == pytest.approx(0.1, abs=1e-4) and np.abs(world.qvel).max() < 1e-3


def test_gravity_is_that_of_the_scene(tmp_path):
    make = Make(tmp_path, "Y", 0.01)
    scene = UsdPhysics.Scene.Define(make.stage, "/physics")
    scene.CreateGravityDirectionAttr(Gf.Vec3f(0, 0, -2))  # -z of the stage is y of the model
    scene.CreateGravityMagnitudeAttr(300)
    make.prim("Sphere", "/ball", BODY, COLLIDER, radius=10.0)
    world = tenon.World(make.load())
    world.step(10)
    assert np.allclose(world.qvel[:3], np.array([0, 3, 0]) * world.time, atol=1e-6)


def test_a_pendulum_has_its_period(make):
    """2 π √((I + m l²) / (m g l)), with inertia that no shape has, and an anchor that is not the body's origin."""
    mass, inertia, length = 2.0, 0.05, 0.4
    rod = make.prim("Xform", "/rod", BODY, pos=(0, 0, 1 - length))
    make.mass(rod, mass, (0.04, inertia, 0.03))
    make.joint("Revolute", "/hinge", None, "/rod", (0, 0, 1), (0, 0, length), "Y")
    world = tenon.World(make.load())
    world.qpos[0] = swing = 0.02
    times, before = [], swing
    for _ in range(600):
        world.step()
        if before > 0 >= world.qpos[0] or before < 0 <= world.qpos[0]:
            times.append(world.time - 0.01 * world.qpos[0] / (world.qpos[0] - before))
        before = world.qpos[0]
    period = 2 * math.pi * math.sqrt((inertia + mass * length**2) / (mass * 9.81 * length))
    found = 2 * (times[-1] - times[0]) / (len(times) - 1)
    # the midpoint rule has (π h / period)² / 3 too much, 1e-4 here; the swing 0.02²/16
    assert found == pytest.approx(period * (1 + (math.pi * 0.01 / period) ** 2 / 3 + swing**2 / 16), rel=3e-5)


def test_a_slide_keeps_its_limits(make):
    block = make.prim("Cube", "/block", BODY, COLLIDER, pos=(0, 0, 1.5), size=0.2)
    make.mass(block, 1.0)
    make.joint("Prismatic", "/rail", None, "/block", (0, 0, 1), axis="Z", lowerLimit=0.2, upperLimit=0.8)
    model = make.load()
    info = model.joint_info("rail")
    assert info["type"] == "slide" and np.allclose(info["range"], (0.2, 0.8), atol=1e-7)
    world = tenon.World(model)
    assert world.qpos[0] == pytest.approx(0.5)  # where the stage has it
    world.step(200)
    assert world.qpos[0] == pytest.approx(0.2, abs=1e-4)
    assert world.body_pose("block")[0][2] == pytest.approx(1.2, abs=1e-4)


ARM = """
<mujoco>
  <worldbody>
    <body name="base" pos="0 0 0.1"><geom type="box" size="0.1 0.1 0.1"/>
      <body name="upper" pos="0.2 0 0.1">
        <joint name="shoulder" pos="-0.2 0 0" axis="0 1 0" range="-90 90" limited="true"/>
        <geom type="capsule" size="0.03 0.2" euler="0 90 0"/>
        <body name="lower" pos="0.35 0 0">
          <joint name="elbow" pos="-0.15 0 0" axis="0 0 1"/>
          <geom type="cylinder" size="0.02 0.15" euler="0 90 0" density="500"/>
          <body name="tip" pos="0.2 0 0"><joint name="wrist" type="ball" pos="-0.05 0 0"/>
            <geom type="ellipsoid" size="0.05 0.03 0.04"/></body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="shoulder" joint="shoulder" kp="40" kv="2" forcerange="-9 9"/>
    <velocity name="elbow" joint="elbow" kv="3"/>
  </actuator>
</mujoco>
"""


def arm_of(make, reverse=False, meter=1.0, kilogram=1.0):
    """With lengths in `meter` and masses in `kilogram`."""
    UsdGeom.SetStageMetersPerUnit(make.stage, meter)
    UsdPhysics.SetStageKilogramsPerUnit(make.stage, kilogram)

    def at(*numbers):
        return tuple(number / meter for number in numbers)

    make.prim("Xform", "/arm")
    make.prim("Cube", "/arm/base", BODY, COLLIDER, pos=at(0, 0, 0.1), size=1.0, scale=at(0.2, 0.2, 0.2))
    make.prim("Xform", "/arm/upper", BODY, pos=at(0.2, 0, 0.2))
    make.prim("Capsule", "/arm/upper/shape", COLLIDER, axis="X", radius=0.03 / meter, height=0.4 / meter)
    make.prim("Xform", "/arm/lower", BODY, MASS, pos=at(0.55, 0, 0.2))
    MASS(make.stage.GetPrimAtPath("/arm/lower")).CreateDensityAttr(500 * meter**3 / kilogram)
    make.prim("Cylinder", "/arm/lower/shape", COLLIDER, axis="X", radius=0.02 / meter, height=0.3 / meter)
    make.prim("Sphere", "/arm/tip", BODY, COLLIDER, pos=at(0.75, 0, 0.2), radius=0.5, scale=at(0.1, 0.06, 0.08))
    make.joint("Fixed", "/arm/held", "/arm/base" if reverse else None, None if reverse else "/arm/base",
               (0, 0, 0) if reverse else at(0, 0, 0.1), at(0, 0, 0.1) if reverse else (0, 0, 0))
    hinge = make.joint("Revolute", "/arm/shoulder", "/arm/base", "/arm/upper", (0, 0, 0.5), at(-0.2, 0, 0), "Y",
                       lowerLimit=-90.0, upperLimit=90.0)  # 0.5 of a cube scaled by 0.2
    # the frame's x stands along the body's z
    elbow = make.joint("Revolute", "/arm/elbow", "/arm/upper", "/arm/lower", at(0.2, 0, 0), at(-0.15, 0, 0), "X")
    for attribute in (elbow.CreateLocalRot0Attr(), elbow.CreateLocalRot1Attr()):
        attribute.Set(Gf.Quatf(math.sqrt(0.5), 0, -math.sqrt(0.5), 0))
    make.joint("Spherical", "/arm/wrist", "/arm/lower", "/arm/tip", at(0.15, 0, 0), (-0.5, 0, 0))
    torque = kilogram * meter**2
    drive = UsdPhysics.DriveAPI.Apply(hinge.GetPrim(), "angular")
    drive.CreateStiffnessAttr(40 / torque * math.pi / 180)
    drive.CreateDampingAttr(2 / torque * math.pi / 180)
    drive.CreateMaxForceAttr(9 / torque)
    drive.CreateTargetPositionAttr(30)
    UsdPhysics.DriveAPI.Apply(elbow.GetPrim(), "angular").CreateDampingAttr(3 / torque * math.pi / 180)
    return make


@pytest.mark.parametrize("reverse, meter, kilogram", [(False, 1.0, 1.0), (True, 1.0, 1.0), (False, 0.01, 0.001)])
def test_an_arm_is_that_of_mjcf(make, reverse, meter, kilogram):
    model, oracle = arm_of(make, reverse, meter, kilogram).load(), tenon.Model.from_string(ARM)
    for kind in ("body", "joint", "actuator"):
        names = [name for name in oracle.names(kind) if name]
        assert [name for name in model.names(kind) if name] == names
    rng = np.random.default_rng(3)
    for _ in range(5):
        q = np.concatenate([rng.uniform(-1, 1, 2), rng.normal(size=4)])
        q[2:] /= np.linalg.norm(q[2:])
        v, ctrl = rng.normal(size=5), rng.normal(size=2)
        want = ("body_poses", "mass_matrix", "bias", "actuator_force")
        found, expected = model.eval(q, v, ctrl, want=want), oracle.eval(q, v, ctrl, want=want)
        for key in want:  # the stage is in single precision
            assert np.allclose(found[key], expected[key], rtol=1e-6, atol=1e-6), key
    assert np.allclose(model.joint_info("shoulder")["range"], (-math.pi / 2, math.pi / 2), atol=1e-7)
    assert model.actuator_info("shoulder")["force_range"] == pytest.approx((-9, 9))
    world = tenon.World(model)
    world.reset("drives")  # the targets
    assert np.allclose(world.ctrl, (math.pi / 6, 0), atol=1e-7)


def test_a_joint_may_name_its_bodies_in_either_order(make):
    """body1 carries body0: the coordinate keeps its sign."""
    for name, z in (("low", 0.0), ("high", 1.0)):
        make.prim("Cube", f"/{name}", BODY, COLLIDER, pos=(0, 0, z), turn=((1, 0, 0), 0 if name == "low" else 20), size=0.2)
    make.joint("Fixed", "/held", None, "/low")
    make.joint("Revolute", "/hinge", "/high", "/low", (0, 0, 0), (0, 0, 1), "X")
    model = make.load()
    world = tenon.World(model)
    assert world.qpos[0] == pytest.approx(math.radians(-20), abs=1e-6)  # of low seen from high
    assert np.allclose(np.concatenate(world.body_pose("high")), (0, 0, 1, math.cos(math.radians(10)), math.sin(math.radians(10)), 0, 0), atol=1e-6)
    poses = model.eval([0.0], want="body_poses")["body_poses"]
    assert np.allclose(poses[model.body("high")], (0, 0, 1, 1, 0, 0, 0), atol=1e-6)


def test_a_coordinate_is_in_its_range(make):
    """-170 degrees are 190, where the limits are 100 and 200."""
    make.prim("Cube", "/door", BODY, COLLIDER, turn=((0, 0, 1), -170), size=0.2)
    make.joint("Revolute", "/hinge", None, "/door", axis="Z", lowerLimit=100.0, upperLimit=200.0)
    assert tenon.World(make.load()).qpos[0] == pytest.approx(math.radians(190), abs=1e-6)


def test_a_drive_has_a_target_of_velocity_too(make):
    """1 N/m and 5 N·s/m: no force at the target and its velocity."""
    make.prim("Cube", "/block", BODY, COLLIDER, size=0.2)
    drive = UsdPhysics.DriveAPI.Apply(make.joint("Prismatic", "/rail", None, "/block", axis="X").GetPrim(), "linear")
    drive.CreateStiffnessAttr(1)
    drive.CreateDampingAttr(5)
    drive.CreateTargetPositionAttr(0.3)
    drive.CreateTargetVelocityAttr(2)
    model = make.load()
    for q, v in ((0.3, 2.0), (0.1, 0.5)):
        force = model.eval([q], [v], [0.3], want="actuator_force")["actuator_force"]
        assert np.allclose(force, 1 * (0.3 - q) + 5 * (2 - v), atol=1e-6)


def test_a_mass_in_other_units_and_a_scaled_body(tmp_path):
    """Centre of mass in the prim's own coordinates, moments in g·cm² about turned axes."""
    make = Make(tmp_path, meter=0.01)
    UsdPhysics.SetStageKilogramsPerUnit(make.stage, 0.001)
    body = make.prim("Xform", "/body", BODY, scale=(2, 2, 2))
    make.mass(body, 1500.0, (4e5, 3e5, 2e5), (5, 0, -10))
    MASS(body).CreatePrincipalAxesAttr(Gf.Quatf(math.sqrt(0.5), 0, 0, math.sqrt(0.5)))
    info = make.load().body_info("body")
    assert info["own_mass"] == pytest.approx(1.5, rel=1e-6) and np.allclose(info["own_com"], (0.1, 0, -0.2), atol=1e-7)
    assert np.allclose(info["own_inertia"], (0.03, 0.04, 0.02, 0, 0, 0), atol=1e-7)  # x and y change places


def test_meshes_masses_and_materials(make):
    """A tetrahedron's mass is density · volume, mirrored and scaled as it stands; a mass that is given scales its inertia."""
    material = UsdShade.Material.Define(make.stage, "/rubber")
    about = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    about.CreateDynamicFrictionAttr(0.7)
    about.CreateStaticFrictionAttr(0.9)
    about.CreateRestitutionAttr(0.3)
    about.CreateDensityAttr(600)
    for name, way, scale in (("hull", "convexHull", (1, 2, 3)), ("mirrored", "convexDecomposition", (-1, 2, 3))):
        mesh = make.prim("Mesh", f"/{name}", BODY, COLLIDER, pos=(0, 0, 1 + 5 * (name == "hull")), scale=scale,
                         points=[(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)], faceVertexCounts=[3, 3, 3, 3],
                         faceVertexIndices=[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
        UsdPhysics.MeshCollisionAPI.Apply(mesh).CreateApproximationAttr(way)
        UsdShade.MaterialBindingAPI.Apply(mesh).Bind(material, materialPurpose="physics")
    heavy = make.prim("Cube", "/heavy", BODY, COLLIDER, pos=(3, 0, 1), size=0.2)
    make.mass(heavy, 7.0, center=(0.05, 0, 0))
    model = make.load("/rubber: staticFriction")
    for name, side in (("hull", 1), ("mirrored", -1)):
        # the axes of a mirrored prim are left-handed; those of its body point against them: here half a turn about x
        quat = tenon.World(model).body_pose(name)[1]
        assert np.allclose(np.abs(quat), (1, 0, 0, 0) if side == 1 else (0, 1, 0, 0), atol=1e-7)
        info = model.body_info(name)
        assert info["own_mass"] == pytest.approx(600 * 0.001, rel=1e-6)
        assert np.allclose(info["own_com"], np.array([1, 2, 3]) * side * 0.025, atol=1e-7)
        geom = model.geom_info(name)
        assert geom["friction"][0] == pytest.approx(0.7) and geom["restitution"] == pytest.approx(0.3)
    info = model.body_info("heavy")
    assert np.allclose(info["own_com"], (0.05, 0, 0), atol=1e-7)
    assert np.allclose(info["own_inertia"][:3], 7 * np.array([0.04 / 6, 0.04 / 6 + 0.0025, 0.04 / 6 + 0.0025]), rtol=1e-6)


@pytest.mark.parametrize("mass, density, center", [(0, 0, None), (5, 0, None), (0, 300, None), (4, 0, (0.1, 0.2, 0)),
                                                    (0, 0, (0.1, 0, 0))])
def test_masses_are_those_of_openusd(make, mass, density, center):
    """ComputeMassProperties of usd-core knows how masses and densities of bodies, colliders and materials combine."""
    body = make.prim("Xform", "/body", BODY, MASS, pos=(1, 2, 3), turn=((1, 2, 0), 40))
    cube = make.prim("Cube", "/body/cube", COLLIDER, MASS, pos=(0.2, 0, 0), turn=((0, 0, 1), 30), size=0.1)
    ball = make.prim("Sphere", "/body/ball", COLLIDER, MASS, pos=(0, 0.3, 0.1), radius=0.08)
    MASS(cube).CreateDensityAttr(700)
    MASS(ball).CreateMassAttr(1.5)
    make.prim("Sphere", "/body/other", COLLIDER, pos=(0, 0, -0.2), radius=0.05)
    MASS(body).CreateMassAttr(mass)
    MASS(body).CreateDensityAttr(density)
    if center:
        MASS(body).CreateCenterOfMassAttr(Gf.Vec3f(*center))

    def about(prim):
        shape = BODY.MassInformation()
        size = (UsdGeom.Cube(prim).GetSizeAttr() if prim == cube else UsdGeom.Sphere(prim).GetRadiusAttr()).Get()
        shape.volume = size**3 if prim == cube else 4 / 3 * math.pi * size**3
        shape.inertia = Gf.Matrix3f(1.0) * (shape.volume * size**2 * (1 / 6 if prim == cube else 0.4))
        matrix = UsdGeom.Xformable(prim).GetLocalTransformation()
        shape.centerOfMass, shape.localPos = Gf.Vec3f(0), Gf.Vec3f(matrix.ExtractTranslation())
        shape.localRot = Gf.Quatf(matrix.ExtractRotationQuat())
        return shape

    info = make.load().body_info("body")
    expected, moments, place, axes = BODY(body).ComputeMassProperties(about)
    turn = np.array(Gf.Matrix3d(Gf.Quatd(axes))).T
    xx, yy, zz, xy, xz, yz = info["own_inertia"]
    assert info["own_mass"] == pytest.approx(expected, rel=1e-6)  # all of usd-core's are in single precision
    assert np.allclose(info["own_com"], place, atol=1e-6)
    assert np.allclose([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], turn @ np.diag(moments) @ turn.T, rtol=1e-4, atol=1e-5 * xx)


@pytest.mark.parametrize("hinge", ["Revolute", "Spherical"])
def test_a_loop_is_closed_by_an_equality(make, hinge):
    """A parallelogram of two cranks and a bar: the bar goes round without turning."""
    for name, pos in (("left", (0, 0, 0.2)), ("right", (1, 0, 0.2)), ("bar", (0.5, 0, 0.4))):
        make.mass(make.prim("Xform", f"/{name}", BODY, pos=pos), 1.0, (0.02, 0.02, 0.02))
    make.joint("Revolute", "/a", None, "/left", (0, 0, 0), (0, 0, -0.2), "Y")
    make.joint("Revolute", "/b", None, "/right", (1, 0, 0), (0, 0, -0.2), "Y")
    make.joint("Revolute", "/c", "/left", "/bar", (0, 0, 0.2), (-0.5, 0, 0), "Y")
    make.joint(hinge, "/d", "/right", "/bar", (0, 0, 0.2), (0.5, 0, 0), "Y" if hinge == "Revolute" else None)
    model = make.load()
    assert model.nv == 3 and set(model.names("equality")) == ({"d", "d:1"} if hinge == "Revolute" else {"d"})
    world = tenon.World(model)
    place = {name: model.joint_info(name)["qvel"] for name in "abc"}
    for name, at in place.items():
        world.qvel[at] = -1.0 if name == "c" else 1.0
    world.step(60)
    q = {name: world.qpos[at][0] for name, at in place.items()}
    assert abs(q["a"]) > 0.5
    # a position error's share of 1/5 is removed per step; it stays below a step's own curvature, (ω h)² / 8 of 0.4 m
    assert q["a"] == pytest.approx(q["b"], abs=1e-3) and q["a"] + q["c"] == pytest.approx(0, abs=1e-3)


def test_a_hinge_in_a_loop_keeps_its_axis(make):
    """A body on a ball joint, which a hinge that closes a loop leaves one axis to turn about."""
    make.mass(make.prim("Xform", "/door", BODY), 1.0, (0.02, 0.03, 0.04), (0.3, 0.1, 0.2))
    make.joint("Spherical", "/ball", None, "/door")
    make.joint("Revolute", "/hinge", None, "/door", axis="Z")
    world = tenon.World(make.load())
    world.qvel[2] = 2
    world.step(50)
    w, x, y, z = world.body_pose("door")[1]
    assert abs(w) < 0.9 and max(abs(x), abs(y)) < 1e-4  # gravity would tip it at once
    assert world.qvel[2] == pytest.approx(2, abs=1e-3)  # about z there is no torque


def test_the_joint_that_is_no_part_of_the_articulation_closes_the_loop(make):
    make.mass(make.prim("Xform", "/a", BODY), 1.0, (1, 1, 1))
    make.mass(make.prim("Xform", "/b", BODY), 1.0, (1, 1, 1))
    make.joint("Fixed", "/aa", None, "/a", excludeFromArticulation=True)
    make.joint("Prismatic", "/bb", None, "/b", axis="X")
    slide = make.joint("Prismatic", "/cc", "/b", "/a", axis="Y")
    model = make.load()
    assert model.names("joint") == ["bb", "cc"] and model.names("equality") == ["aa"]
    slide.CreateExcludeFromArticulationAttr(True)
    make.stage.GetPrimAtPath("/aa").GetAttribute("physics:excludeFromArticulation").Set(False)
    make.stage.GetRootLayer().Export(make.path)
    with pytest.raises(tenon.ModelError, match="/cc: a prismatic joint closes a loop"):
        tenon.usd.load(make.path)


def test_bodies_that_a_joint_connects_do_not_touch_unless_it_says_so(make):
    for name, x in (("a", 0.0), ("b", 0.25)):
        make.prim("Sphere", f"/{name}", BODY, COLLIDER, pos=(x, 0, 0), radius=0.1)
    joint = make.joint("Prismatic", "/rail", "/a", "/b", axis="X")
    for collide, expected in ((False, 0.25 - 0.2), (True, 0.2)):  # 1 m/s for 0.2 s; the spheres touch at 0.2 m
        joint.CreateCollisionEnabledAttr(collide)
        world = tenon.World(make.load())
        assert world.qpos[7] == pytest.approx(0.25)
        world.qvel[6] = -1
        world.step(20)
        assert world.qpos[7] == pytest.approx(expected, abs=1e-5)


def test_kinematic_and_static_shapes(make):
    make.prim("Cube", "/hand", BODY, COLLIDER, pos=(0, 0, 1), size=0.2).GetAttribute("physics:kinematicEnabled").Set(True)
    make.prim("Cube", "/wall", BODY, COLLIDER, pos=(5, 0, 0)).GetAttribute("physics:rigidBodyEnabled").Set(False)
    model = make.load()
    assert model.nbody == 2 and model.body_info("hand")["mocap"] == 0
    assert model.geom_info("wall")["body"] == 0 and np.allclose(model.geom_info("wall")["pos"], (5, 0, 0))


def test_what_is_not_kept_is_told(make):
    UsdPhysics.Scene.Define(make.stage, "/one")
    UsdPhysics.Scene.Define(make.stage, "/two")
    make.prim("Cone", "/cone", BODY, COLLIDER)
    make.prim("Cube", "/seen")
    ball = make.prim("Sphere", "/ball", BODY, COLLIDER)
    ball.GetAttribute("physics:velocity").Set(Gf.Vec3f(1, 0, 0))
    ball.SetMetadata("apiSchemas", Sdf.TokenListOp.CreateExplicit(["PhysicsRigidBodyAPI", "PhysicsCollisionAPI",
                                                                   "PhysxRigidBodyAPI"]))
    off = make.joint("Fixed", "/off", None, "/ball")
    off.CreateJointEnabledAttr(False)
    bent = make.joint("Spherical", "/bent", None, "/ball", (0, 0, 0.5), coneAngle0Limit=20.0)
    drive = UsdPhysics.DriveAPI.Apply(bent.GetPrim(), "rotX")
    drive.CreateStiffnessAttr(1)
    make.stage.DefinePrim("/gear", "PhysxPhysicsGearJoint")
    make.prim("Xform", "/group", MASS).GetReferences().AddReference("missing.usda")
    model = make.load("/gear: PhysxPhysicsGearJoint", "/group: PhysicsMassAPI", "missing.usda", "/two: a second PhysicsScene", "/cone: a collider of type Cone", "/cone: a body without colliders",
                      "/seen: shapes without PhysicsCollisionAPI", "/ball: physics:velocity", "/ball: PhysxRigidBodyAPI",
                      "/off: the joint is not kept", "/bent: the cone limit", "/bent: the drive 'rotX'",
                      "/bent: its frames are 0.5 m")
    assert np.allclose(tenon.World(model).body_pose("ball")[0], (0, 0, 0.5))


def test_errors_name_the_prim(make, tmp_path):
    def fails(words, kind=tenon.ModelError):
        make.stage.GetRootLayer().Export(make.path)
        with pytest.raises(kind, match=words):
            tenon.usd.load(make.path)

    with pytest.raises(tenon.FileError, match="there is no file"):
        tenon.usd.load(tmp_path / "missing.usda")
    (tmp_path / "text.usda").write_text("a robot")
    with pytest.raises(tenon.FileError, match="cannot be read as USD"):
        tenon.usd.load(tmp_path / "text.usda")
    box = make.prim("Cube", "/box", BODY, COLLIDER)
    about = MASS.Apply(box)
    for mass in (math.nan, math.inf, -1.0):
        about.CreateMassAttr(mass)
        fails("/box: mass is ")
    about.CreateMassAttr(1.0)
    about.CreateDiagonalInertiaAttr(Gf.Vec3f(1, math.nan, 1))
    fails("/box: diagonalInertia")
    about.CreateDiagonalInertiaAttr(Gf.Vec3f(0, 0, 0))
    joint = make.joint("Revolute", "/hinge", "/box", "/gone")
    fails("/hinge: body1 is /gone, which the stage does not have")
    joint.GetBody1Rel().SetTargets([])
    joint.GetBody0Rel().SetTargets([])
    fails("/hinge: body0 and body1 are both the world")
    joint.GetBody1Rel().SetTargets(["/box"])
    joint.CreateLowerLimitAttr(10)
    joint.CreateUpperLimitAttr(-10)
    fails("/hinge: lowerLimit 10 is not below upperLimit -10")
    make.stage.RemovePrim("/hinge")
    make.joint("Distance", "/rope", None, "/box")
    fails("/rope: a joint of type PhysicsDistanceJoint")
    make.stage.RemovePrim("/rope")
    make.prim("Xform", "/bent", turn=((0, 1, 0), 30), scale=(1, 1, 1))
    make.prim("Xform", "/wide", scale=(1, 1, 3))
    make.prim("Cube", "/wide/skew", COLLIDER, turn=((0, 1, 0), 30))
    fails("/wide/skew: its axes are sheared")
    make.stage.RemovePrim("/wide")
    make.prim("Cylinder", "/skew", COLLIDER, axis="Q")
    fails("/skew: axis is 'Q'")
    make.stage.RemovePrim("/skew")
    make.prim("Cube", "/point", COLLIDER, size=0)
    fails("made.usda: geom 'point': size 1 must be positive")
    make.stage.RemovePrim("/point")
    make.prim("Mesh", "/flat", COLLIDER, points=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], faceVertexCounts=[4],
              faceVertexIndices=[0, 1, 3, 9])
    fails("/flat: faceVertexIndices do not fit")
