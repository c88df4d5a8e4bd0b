"""Models from stages of USD: rigid bodies, colliders and joints of UsdPhysics, through tenon.Builder."""

import math
import os
import re
import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from pxr import Tf, Usd, UsdGeom, UsdPhysics  # type: ignore[import-not-found, unused-ignore]

from ._builder import Builder
from ._errors import FileError, ModelError
from ._model import Model
from ._usd_shapes import AXES, FIRST, Shapes, axis_of, error, inverse, number, quat_of, remark, rigid, turn_of, vector

JOINTS = {"PhysicsFixedJoint": None, "PhysicsRevoluteJoint": "hinge", "PhysicsPrismaticJoint": "slide",
          "PhysicsSphericalJoint": "ball"}
KNOWN = ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "PhysicsMaterialAPI",
         "PhysicsArticulationRootAPI", "PhysicsDriveAPI")
EXTRA = ("Physics", "Physx", "Newton", "Mjc", "Isaac")  # how the names of schemas that say more begin
APART = (1e-4, 1e-3)  # m, rad: joint frames that are farther apart are told; USD has them in single precision
LEVER = 0.1  # m: between the two points that stand for the axis of a hinge in a loop


def _about(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def _drives(prim: Any) -> List[str]:
    """The motions that a joint's drives are for."""
    return [schema.partition(":")[2] for schema in prim.GetAppliedSchemas() if schema.startswith("PhysicsDriveAPI:")]


class _Joint:
    """Two frames, one on each body (None: the world), and how they move: frame 1 = frame 0 · motion(q)."""

    def __init__(self, stage: Shapes, prim: Any):
        schema = UsdPhysics.Joint(prim)
        self.prim, self.kind = prim, JOINTS[prim.GetTypeName()]
        self.last = bool(schema.GetExcludeFromArticulationAttr().Get(FIRST))
        self.collide = bool(schema.GetCollisionEnabledAttr().Get(FIRST))
        self.bodies: List[Optional[str]] = []
        self.frames: List[np.ndarray] = []  # in the axes of their bodies
        for end, (rel, pos, rot) in enumerate(((schema.GetBody0Rel(), schema.GetLocalPos0Attr(), schema.GetLocalRot0Attr()),
                                               (schema.GetBody1Rel(), schema.GetLocalPos1Attr(), schema.GetLocalRot1Attr()))):
            targets = rel.GetForwardedTargets()
            if len(targets) > 1:
                raise error(prim, f"body{end} names {len(targets)} prims, expected one")
            target = stage.stage.GetPrimAtPath(targets[0]) if targets else stage.stage.GetPseudoRoot()
            if not target:
                raise error(prim, f"body{end} is {targets[0]}, which the stage does not have")
            linear, place = stage.place(target)
            turn, _ = stage.split(target)
            local = rigid(turn @ turn_of(prim, rot.Get(FIRST), f"localRot{end}"),
                           linear @ vector(prim, pos.Get(FIRST), f"localPos{end}") + place)
            body = stage.body_of(target)
            self.bodies.append(body)
            self.frames.append(inverse(stage.pose(body)) @ local)
        if self.bodies[0] == self.bodies[1]:
            raise error(prim, "body0 and body1 are both the world" if self.bodies[0] is None else
                         f"body0 and body1 are the same body, {self.bodies[0]}")
        self.axis = np.zeros(3)
        self.range: Optional[Tuple[float, float]] = None
        unit = {"hinge": math.pi / 180, "slide": stage.meter}.get(self.kind or "", 0.0)
        if unit:
            special = (UsdPhysics.RevoluteJoint if self.kind == "hinge" else UsdPhysics.PrismaticJoint)(prim)
            self.axis[AXES[axis_of(prim, special)]] = 1.0
            low = number(prim, special.GetLowerLimitAttr(), "lowerLimit", default=-math.inf, infinite=True) * unit
            high = number(prim, special.GetUpperLimitAttr(), "upperLimit", default=math.inf, infinite=True) * unit
            if not low < high:
                raise error(prim, f"lowerLimit {low / unit:g} is not below upperLimit {high / unit:g}; "
                                   "a joint that does not move is a PhysicsFixedJoint")
            if low > -math.inf or high < math.inf:
                self.range = (max(low, -1e6), min(high, 1e6))  # the far end of a limit on one side
        self.q = 0.0
        self.motion = np.eye(4)
        apart = (inverse(stage.pose(self.bodies[0]) @ self.frames[0]) @ stage.pose(self.bodies[1]) @ self.frames[1])
        if self.kind == "hinge":
            w, *xyz = quat_of(apart[:3, :3])
            self.q = 2 * math.atan2(self.axis @ xyz, w)
            self.q = (self.q + math.pi) % (2 * math.pi) - math.pi
            if self.range and not self.range[0] <= self.q <= self.range[1]:
                turns = [self.q + 2 * math.pi * k for k in (-1, 1)]
                self.q = next((q for q in turns if self.range[0] <= q <= self.range[1]), self.q)
        elif self.kind == "slide":
            self.q = self.axis @ apart[:3, 3]
        if abs(self.q) < 1e-6:
            self.q = 0.0  # single precision of the frames
        if self.kind == "hinge":
            self.motion[:3, :3] = _about(self.axis, self.q)
        elif self.kind == "slide":
            self.motion[:3, 3] = self.axis * self.q
        elif self.kind == "ball":
            self.motion[:3, :3] = apart[:3, :3]
        rest = inverse(self.motion) @ apart
        angle = 2 * math.asin(min(1.0, float(np.linalg.norm(quat_of(rest[:3, :3])[1:]))))
        self.apart = (float(np.linalg.norm(rest[:3, 3])), angle)
        for name in ("breakForce", "breakTorque"):
            if (schema.GetBreakForceAttr() if name == "breakForce" else schema.GetBreakTorqueAttr()).Get(FIRST) < 1e37:
                remark(prim, f"{name} is not kept: the joint does not break")
        if self.kind is None and _drives(prim):
            remark(prim, "its drives are not kept: the joint does not move")
        if self.kind == "ball":
            ball = UsdPhysics.SphericalJoint(prim)
            if max(ball.GetConeAngle0LimitAttr().Get(FIRST), ball.GetConeAngle1LimitAttr().Get(FIRST)) >= 0:
                remark(prim, "the cone limit is not kept: the joint turns freely")


class _Stage(Shapes):
    # -- masses

    def inertia(self, prim: Any, shapes: Optional[Dict[str, Any]]) -> Dict[str, Any]:
        """What a body says of its mass, and for the rest what its shapes have; shapes None: it has none."""
        mass, center, moments, axes = 0.0, None, None, np.eye(3)
        if prim.HasAPI(UsdPhysics.MassAPI):
            about = UsdPhysics.MassAPI(prim)
            mass = number(prim, about.GetMassAttr(), "mass", least=0) * self.kilogram
            said = about.GetCenterOfMassAttr().Get(FIRST)
            if not all(math.isinf(x) for x in said):
                center = self.split(prim)[0].T @ self.place(prim)[0] @ vector(prim, said, "centerOfMass")
            found = vector(prim, about.GetDiagonalInertiaAttr().Get(FIRST), "diagonalInertia")
            if np.any(found != 0):
                if np.any(found <= 0):
                    raise error(prim, f"diagonalInertia is {found.tolist()}, expected numbers > 0, or 0 0 0 for that of its shapes")
                moments = found * self.kilogram * self.meter**2
                axes = turn_of(prim, about.GetPrincipalAxesAttr().Get(FIRST), "principalAxes")
        if mass == 0 and center is None and moments is None and shapes:
            return {}
        own = shapes or {"own_mass": 1.0, "own_com": np.zeros(3), "own_inertia": [0.004, 0.004, 0.004, 0, 0, 0]}
        if not shapes and (mass == 0 or moments is None):
            remark(prim, "a body without colliders" + (" has no mass: 1 kg" if mass == 0 else "")
                    + ("" if moments is not None else " has no inertia: that of a ball of 0.1 m"))
        mass = mass or own["own_mass"]
        if moments is not None:
            tensor = axes @ np.diag(moments) @ axes.T
        else:
            xx, yy, zz, xy, xz, yz = own["own_inertia"]
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) * (mass / own["own_mass"])
            if center is not None:  # the shapes' mass seen from there, as UsdPhysics says
                d = center - np.array(own["own_com"])
                tensor = tensor + mass * (d @ d * np.eye(3) - np.outer(d, d))
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
        return dict(has_inertia=True, mass=mass, inertia_pos=own["own_com"] if center is None else center,
                    use_inertia_full=True, inertia_full=(xx, yy, zz, xy, xz, yz))

    def masses(self, geoms: Dict[Optional[str], List[Dict[str, Any]]]) -> Dict[str, Dict[str, Any]]:
        """Of each body. What the shapes have is that of a model in which nothing moves."""
        probe = Builder._of_files(self.builder.build()._written())
        order = {path: probe.body() for path in self.bodies}
        for path, index in order.items():
            for keywords in geoms.get(path, []):
                probe.geom(body=index, **keywords)
        model = probe.build()
        return {path: self.inertia(prim, model._info("body", order[path]) if geoms.get(path) else None)
                for path, prim in self.bodies.items()}

    # -- joints

    def tree(self, joints: List[_Joint]) -> Tuple[List[Tuple[str, Optional[_Joint]]], List[_Joint]]:
        """Bodies, each after the one that carries it, with the joint that carries it (None: none), and the joints that
        close loops. Joints that are excluded from articulations carry a body only if no other does."""
        order: List[Tuple[str, Optional[_Joint]]] = []
        seen: Dict[Optional[str], bool] = {None: True}
        left = sorted(joints, key=lambda joint: joint.last)
        seconds = {joint.bodies[1] for joint in joints}

        def rank(path: str) -> int:
            return 0 if self.bodies[path].HasAPI(UsdPhysics.ArticulationRootAPI) else 1 if path not in seconds else 2

        roots = sorted(self.bodies, key=rank)
        while True:
            joint = next((j for j in left if (j.bodies[0] in seen) != (j.bodies[1] in seen)), None)
            if joint is not None:
                path = joint.bodies[1] if joint.bodies[0] in seen else joint.bodies[0]
                left.remove(joint)
            else:
                path = next((root for root in roots if root not in seen), None)
            if path is None:
                return order, left
            seen[path] = True
            order.append((path, joint))

    def drive(self, joint: _Joint, index: int, targets: List[float]) -> None:
        """A servo: force = stiffness · (target - q) + damping · (target velocity - velocity)."""
        for axis in _drives(joint.prim):
            drive = UsdPhysics.DriveAPI(joint.prim, axis)
            if axis != {"hinge": "angular", "slide": "linear"}.get(joint.kind or ""):
                remark(joint.prim, f"the drive '{axis}' is not kept: the joint has no such motion")
                continue
            if str(drive.GetTypeAttr().Get(FIRST)) != "force":
                remark(joint.prim, f"the drive '{axis}' is not kept: it is of type acceleration, expected force")
                continue
            angle = 180 / math.pi if joint.kind == "hinge" else 1.0  # gains are per degree
            unit = self.kilogram * (self.meter**2 if joint.kind == "hinge" else 1.0)
            length = math.pi / 180 if joint.kind == "hinge" else self.meter
            kp = number(joint.prim, drive.GetStiffnessAttr(), f"stiffness of the drive '{axis}'", least=0) * unit * angle
            kv = number(joint.prim, drive.GetDampingAttr(), f"damping of the drive '{axis}'", least=0) * unit * angle
            to = number(joint.prim, drive.GetTargetPositionAttr(), "targetPosition") * length
            speed = number(joint.prim, drive.GetTargetVelocityAttr(), "targetVelocity") * length
            most = number(joint.prim, drive.GetMaxForceAttr(), "maxForce", default=math.inf, least=0, infinite=True)
            if kp == 0 and kv == 0:
                continue
            keywords: Dict[str, Any] = dict(name=self.name(joint.prim, "actuator"), joint=index)
            if most < 1e37:
                force = most * self.kilogram * self.meter * (self.meter if joint.kind == "hinge" else 1.0)
                keywords.update(force_limited=True, force_range=(-force, force))
            if kp > 0:
                self.builder.actuator(gain=kp, bias=(kv * speed, -kp, -kv), **keywords)
            else:
                self.builder.actuator(gain=kv, bias=(0.0, 0.0, -kv), **keywords)
            targets.append(to if kp > 0 else speed)

    def close(self, joint: _Joint, indices: Dict[Optional[str], int]) -> None:
        """A joint that closes a loop, as constraints of its frames."""
        if joint.kind == "slide":
            raise error(joint.prim, "a prismatic joint closes a loop: exclude another joint of the loop from the articulation "
                                     "(physics:excludeFromArticulation)")
        if joint.range or _drives(joint.prim):
            remark(joint.prim, "closes a loop: its limits and drives are not kept; exclude another joint of the loop from the "
                                "articulation (physics:excludeFromArticulation)")
        name = self.name(joint.prim, "equality")
        for part, shift in enumerate((np.zeros(3), LEVER * joint.axis) if joint.kind == "hinge" else (np.zeros(3),)):
            sites = [self.builder.site(name=f"{name}:{part}{end}", body=indices[body], quat=quat_of(frame[:3, :3]),
                                       pos=frame[:3, 3] + frame[:3, :3] @ shift)
                     for end, (body, frame) in enumerate(zip(joint.bodies, joint.frames))]
            self.builder.equality(name=name if part == 0 else f"{name}:{part}", type="connect" if joint.kind else "weld",
                                  site1=sites[0], site2=sites[1])

    # -- all

    def options(self) -> None:
        scenes = [prim for prim in self.prims if prim.IsA(UsdPhysics.Scene)]
        down, size = self.up.T @ (0, 0, -1), 9.81
        for scene in scenes[1:]:
            remark(scene, f"a second PhysicsScene is not kept: gravity is that of {scenes[0].GetPath()}")
        if scenes:
            schema = UsdPhysics.Scene(scenes[0])
            said = vector(scenes[0], schema.GetGravityDirectionAttr().Get(FIRST), "gravityDirection")
            if np.any(said != 0):
                down = said / np.linalg.norm(said)
            most = number(scenes[0], schema.GetGravityMagnitudeAttr(), "gravityMagnitude", default=-math.inf, infinite=True)
            if most > -math.inf:
                size = most * self.meter
        # all pairs that do not touch are told one by one, as USD has them
        self.builder.option(gravity=self.up @ down * size, parents_collide=True)

    def remarks(self) -> None:
        """What no part of the model comes from."""
        for wrong in self.stage.GetCompositionErrors():  # a reference without its file and the like
            warnings.warn(f"{self.title}: {str(wrong).strip()}", UserWarning, stacklevel=2)
        schemas: Dict[str, List[Any]] = {}
        seen = []
        for prim in self.prims:
            listed = prim.GetMetadata("apiSchemas")
            for schema in set(prim.GetAppliedSchemas()) | set(listed.GetAddedOrExplicitItems() if listed else ()):
                if schema.startswith(EXTRA) and schema.split(":")[0] not in KNOWN:
                    schemas.setdefault(schema.split(":")[0], []).append(prim)
            kind = str(prim.GetTypeName())
            if kind.startswith(EXTRA) and kind != "PhysicsScene" and not prim.IsA(UsdPhysics.Joint):
                schemas.setdefault(kind, []).append(prim)
            if prim.HasAPI(UsdPhysics.MassAPI) and not (prim.HasAPI(UsdPhysics.RigidBodyAPI) or prim.HasAPI(UsdPhysics.CollisionAPI)):
                remark(prim, "PhysicsMassAPI is not kept: the prim is neither a rigid body nor a collider")
            if prim.IsA(UsdGeom.Gprim) and not prim.HasAPI(UsdPhysics.CollisionAPI):
                seen.append(prim)
        for schema, prims in sorted(schemas.items()):
            remark(prims[0], f"{schema} is not kept" + (f" ({len(prims)} prims)" if len(prims) > 1 else ""))
        if seen:
            remark(seen[0], "shapes without PhysicsCollisionAPI are not kept" + (f" ({len(seen)} prims)" if len(seen) > 1 else ""))

    def model(self) -> Model:
        self.options()
        self.remarks()
        joints = []
        for prim in self.prims:
            if not prim.IsA(UsdPhysics.Joint):
                continue
            if prim.GetTypeName() not in JOINTS:
                raise error(prim, f"a joint of type {prim.GetTypeName()}; there are {', '.join(JOINTS)}")
            if not UsdPhysics.Joint(prim).GetJointEnabledAttr().Get(FIRST):
                remark(prim, "the joint is not kept: it is not enabled")
                continue
            joints.append(_Joint(self, prim))
        geoms: Dict[Optional[str], List[Dict[str, Any]]] = {}
        for prim in self.prims:
            if prim.HasAPI(UsdPhysics.CollisionAPI):
                keywords = self.geom(prim)
                if keywords is not None:
                    geoms.setdefault(self.body_of(prim), []).append(keywords)
        for path, prim in self.bodies.items():
            if any(keywords["type"] == "plane" for keywords in geoms.get(path, [])):
                raise error(prim, "a Plane, which has no end, collides on a body that moves")
        masses = self.masses(geoms)
        order, loops = self.tree(joints)
        jointed = {path for joint in joints for path in joint.bodies}
        indices: Dict[Optional[str], int] = {None: 0}
        targets: List[float] = []
        for keywords in geoms.get(None, []):
            self.builder.geom(body=0, **keywords)
        for path, joint in order:
            prim = self.bodies[path]
            indices[path] = self.add(prim, joint, indices, masses[path], path in jointed, targets)
            for keywords in geoms.get(path, []):
                self.builder.geom(body=indices[path], **keywords)
        for joint in loops:
            self.close(joint, indices)
        for joint in joints:
            if not joint.collide and None not in joint.bodies:
                self.builder.exclude(body1=indices[joint.bodies[0]], body2=indices[joint.bodies[1]])
        if any(targets):
            self.builder.key(name="drives", ctrl=targets)
        return self.builder.build()

    def add(self, prim: Any, joint: Optional[_Joint], indices: Dict[Optional[str], int], mass: Dict[str, Any], jointed: bool,
            targets: List[float]) -> int:
        """A body, its joint and drives."""
        schema, path = UsdPhysics.RigidBodyAPI(prim), str(prim.GetPath())
        for attribute in (schema.GetVelocityAttr(), schema.GetAngularVelocityAttr()):
            if np.any(vector(prim, attribute.Get(FIRST), attribute.GetName()) != 0):
                remark(prim, f"{attribute.GetName()} is not kept: worlds begin at rest")
        parent, pose, back = None, self.pose(path), False
        if joint is not None:
            back = joint.bodies[0] == path
            parent = joint.bodies[1] if back else joint.bodies[0]
            pose = joint.frames[0] @ joint.motion @ inverse(joint.frames[1])
            pose = inverse(pose) if back else pose
            if joint.apart[0] > APART[0] or joint.apart[1] > APART[1]:
                remark(joint.prim, f"its frames are {joint.apart[0]:.3g} m and {joint.apart[1]:.3g} rad apart: {path} is moved to them")
        held = bool(schema.GetKinematicEnabledAttr().Get(FIRST))
        if held and jointed:
            raise error(prim, "a kinematic body has a joint: tenon moves kinematic bodies without joints alone")
        index = self.builder.body(name=self.name(prim, "body"), parent=indices[parent], pos=pose[:3, 3], quat=quat_of(pose[:3, :3]),
                                  mocap=held, **mass)
        if joint is None and not held:
            self.builder.joint(name=self.name(prim, "joint"), body=index, type="free")
        elif joint is not None and joint.kind:
            frame = joint.frames[0 if back else 1]
            keywords: Dict[str, Any] = {}
            if joint.kind != "ball":
                keywords = dict(axis=frame[:3, :3] @ joint.axis * (-1 if back else 1), ref=joint.q)
            if joint.range:
                keywords.update(limited=True, range=joint.range)
            made = self.builder.joint(name=self.name(joint.prim, "joint"), body=index, type=joint.kind, pos=frame[:3, 3], **keywords)
            self.drive(joint, made, targets)
        return index


def load(path: Any) -> Model:
    """Reads a stage of USD with UsdPhysics (.usd, .usda, .usdc, .usdz) as a model, z up, in SI units. What is not kept is
    told by a warning with the path of its prim; docs/usd.md has the list. Targets of drives are the controls of the key
    "drives": ``world.reset("drives")``."""
    path = os.fspath(path)
    if not os.path.isfile(path):
        raise FileError(f"usd.load: there is no file {path}")
    try:
        stage = Usd.Stage.Open(path)
    except Tf.ErrorException as wrong:
        raise FileError(f"usd.load: {path} cannot be read as USD: {str(wrong).strip().splitlines()[-1].strip()}") from None
    try:
        return _Stage(stage, os.path.splitext(os.path.basename(path))[0]).model()
    except ModelError as wrong:
        calls = re.compile(r"\S*_usd_\w+\.py:\d+:\d+: ")  # an error of the builder names the line of its call
        raise ModelError(f"{path}: {calls.sub('', str(wrong))}") from None
