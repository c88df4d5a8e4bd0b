"""What places a stage of USD and its colliders in a model: units, frames, shapes, densities, materials."""

import math
import warnings
from typing import Any, Dict, Optional, Set, Tuple

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade  # type: ignore[import-not-found, unused-ignore]

from ._builder import Builder
from ._errors import ModelError

AXES = {"X": 0, "Y": 1, "Z": 2}
TURNS = {"X": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]), "Y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
         "Z": np.eye(3)}  # z to the axis of a shape
UP = {"Y": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]), "Z": np.eye(3)}  # the stage's up axis to z
FIRST = Usd.TimeCode.EarliestTime()

def error(prim: Any, what: str) -> ModelError:
    return ModelError(f"{prim.GetPath()}: {what}")


def remark(prim: Any, what: str) -> None:
    warnings.warn(f"{prim.GetPath()}: {what}", UserWarning, stacklevel=2)


def number(prim: Any, attribute: Any, what: str, *, default: float = 0.0, least: float = -math.inf,
            infinite: bool = False) -> float:
    value = attribute.Get(FIRST)
    value = default if value is None else float(value)
    if math.isnan(value) or (math.isinf(value) and not infinite) or value < least:
        raise error(prim, f"{what} is {value:g}, expected a {'' if infinite else 'finite '}number"
                           + (f" >= {least:g}" if least > -math.inf else ""))
    return value


def vector(prim: Any, value: Any, what: str) -> np.ndarray:
    value = np.array(value, float)
    if not np.all(np.isfinite(value)):
        raise error(prim, f"{what} has numbers that are not finite: {value.tolist()}")
    return value


def axis_of(prim: Any, schema: Any) -> str:
    axis = str(schema.GetAxisAttr().Get(FIRST))
    if axis not in AXES:
        raise error(prim, f"axis is '{axis}', expected X, Y or Z")
    return axis


def rigid(turn: np.ndarray, place: np.ndarray) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, place
    return pose


def inverse(pose: np.ndarray) -> np.ndarray:
    return rigid(pose[:3, :3].T, -pose[:3, :3].T @ pose[:3, 3])


def quat_of(turn: np.ndarray) -> np.ndarray:
    """w x y z: the eigenvector of the largest eigenvalue, which is exact for all angles."""
    (a, b, c), (d, e, f), (g, h, i) = turn
    k = np.array([[a + e + i, h - f, c - g, d - b], [h - f, a - e - i, b + d, c + g],
                  [c - g, b + d, e - a - i, f + h], [d - b, c + g, f + h, i - a - e]])
    q = np.linalg.eigh(k)[1][:, 3]
    return q if q[0] >= 0 else -q


def turn_of(prim: Any, quat: Any, what: str) -> np.ndarray:
    """Of a quaternion of USD; its matrix, orthonormal in double precision."""
    q = vector(prim, (quat.GetReal(), *quat.GetImaginary()), what)
    size = np.linalg.norm(q)
    if size == 0:
        return np.eye(3)  # as it stands where nothing is said
    w, x, y, z = q / size
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


class Shapes:
    """A stage, its frames and its colliders as geoms."""

    def __init__(self, stage: Any, name: str):
        self.stage, self.cache = stage, UsdGeom.XformCache(FIRST)
        self.builder, self.title = Builder(name), name
        self.meter = UsdGeom.GetStageMetersPerUnit(stage)
        self.kilogram = UsdPhysics.GetStageKilogramsPerUnit(stage)
        if not (0 < self.meter < math.inf and 0 < self.kilogram < math.inf):
            raise ModelError(f"{name}: metersPerUnit and kilogramsPerUnit must be > 0, got {self.meter:g}, {self.kilogram:g}")
        self.up = UP[str(UsdGeom.GetStageUpAxis(stage))]
        self.prims = list(stage.Traverse(Usd.TraverseInstanceProxies()))
        self.bodies = {str(prim.GetPath()): prim for prim in self.prims if prim.HasAPI(UsdPhysics.RigidBodyAPI)
                       and UsdPhysics.RigidBodyAPI(prim).GetRigidBodyEnabledAttr().Get(FIRST)}
        self.names: Dict[str, str] = {}
        self.told: Set[Any] = set()  # materials

    # -- where things are

    def place(self, prim: Any) -> Tuple[np.ndarray, np.ndarray]:
        """From a prim's own coordinates to the world's, z up and in metres: matrix and shift."""
        matrix = vector(prim, self.cache.GetLocalToWorldTransform(prim), "its transform")
        return self.meter * self.up @ matrix[:3, :3].T, self.meter * self.up @ matrix[3, :3]

    def split(self, prim: Any) -> Tuple[np.ndarray, np.ndarray]:
        """The turn of a prim's axes and their lengths, in metres per unit of its own."""
        linear, _ = self.place(prim)
        sizes = np.linalg.norm(linear, axis=0)
        if not np.all(sizes > 0):
            raise error(prim, "a scale of 0")
        turn = linear / sizes
        if np.abs(turn.T @ turn - np.eye(3)).max() > 1e-5:
            raise error(prim, "its axes are sheared (an unequal scale above a rotation): apply the scale to the shape itself")
        if np.linalg.det(turn) < 0:
            turn = -turn  # mirrored: the shapes with axes are their own mirror images
        left, _, right = np.linalg.svd(turn)
        return left @ right, sizes

    def body_of(self, prim: Any) -> Optional[str]:
        """The rigid body that a prim is or belongs to."""
        while prim:
            if str(prim.GetPath()) in self.bodies:
                return str(prim.GetPath())
            prim = prim.GetParent()
        return None

    def pose(self, body: Optional[str]) -> np.ndarray:
        return np.eye(4) if body is None else rigid(self.split(self.bodies[body])[0], self.place(self.bodies[body])[1])

    def name(self, prim: Any, kind: str) -> str:
        """The prim's own name, or its path where another thing of the kind has that name."""
        key, path = f"{kind} {prim.GetName()}", str(prim.GetPath())
        return prim.GetName() if self.names.setdefault(key, path) == path else path[1:]

    # -- shapes

    def density(self, prim: Any, owner: Optional[Any], material: Any) -> float:
        unit = self.kilogram / self.meter**3
        for source, api in ((prim, UsdPhysics.MassAPI), (owner, UsdPhysics.MassAPI), (material, UsdPhysics.MaterialAPI)):
            if source and source.HasAPI(api):
                value = number(source, api(source).GetDensityAttr(), "density", least=0.0)
                if value > 0:
                    return value * unit
        return 1000.0

    def shape(self, prim: Any) -> Optional[Tuple[Dict[str, Any], np.ndarray, np.ndarray]]:
        """Keywords of a geom, and its turn and place in the world."""
        kind = str(prim.GetTypeName())
        if kind == "Mesh":
            return self.mesh(prim)
        if kind not in ("Cube", "Sphere", "Capsule", "Cylinder", "Plane"):
            remark(prim, f"a collider of type {kind or 'none'} is not kept; "
                          "there are Cube, Sphere, Capsule, Cylinder, Plane and Mesh")
            return None
        (turn, sizes), (_, place) = self.split(prim), self.place(prim)
        if kind == "Cube":
            return dict(type="box", size=number(prim, UsdGeom.Cube(prim).GetSizeAttr(), "size", least=0) / 2 * sizes), turn, place
        if kind == "Sphere":
            radii = number(prim, UsdGeom.Sphere(prim).GetRadiusAttr(), "radius", least=0) * sizes
            if np.ptp(sizes) <= 1e-5 * sizes.max():
                return dict(type="sphere", size=(radii.mean(),)), turn, place
            return dict(type="ellipsoid", size=radii), turn, place
        schema = getattr(UsdGeom, kind)(prim)
        token = axis_of(prim, schema)
        turn = turn @ TURNS[token]
        if kind == "Plane":
            return dict(type="plane", size=(0.0, 0.0, 1.0)), turn, place  # without end
        along, across = sizes[AXES[token]], np.delete(sizes, AXES[token])
        if np.ptp(across) > 1e-5 * across.max():
            raise error(prim, f"a {kind} scaled unequally across its axis: use a Mesh")
        if kind == "Capsule" and abs(along - across[0]) > 1e-5 * along:
            remark(prim, "the scale along the capsule's axis is that of its cylinder alone; its ends stay round")
        radius = number(prim, schema.GetRadiusAttr(), "radius", least=0) * across.mean()
        return dict(type=kind.lower(), size=(radius, number(prim, schema.GetHeightAttr(), "height", least=0) / 2 * along)), turn, place

    def mesh(self, prim: Any) -> Optional[Tuple[Dict[str, Any], np.ndarray, np.ndarray]]:
        schema = UsdGeom.Mesh(prim)
        linear, place = self.place(prim)
        points = np.array(schema.GetPointsAttr().Get(FIRST) or [], float).reshape(-1, 3)
        counts = np.array(schema.GetFaceVertexCountsAttr().Get(FIRST) or [], int)
        corners = np.array(schema.GetFaceVertexIndicesAttr().Get(FIRST) or [], int)
        if len(points) < 4:
            raise error(prim, f"a mesh of {len(points)} points, expected at least 4")
        if counts.sum() != len(corners) or np.any(corners < 0) or np.any(corners >= len(points)):
            raise error(prim, "faceVertexIndices do not fit faceVertexCounts and points")
        way = "none"
        if prim.HasAPI(UsdPhysics.MeshCollisionAPI):
            way = str(UsdPhysics.MeshCollisionAPI(prim).GetApproximationAttr().Get(FIRST))
        if way == "none" and self.body_of(prim):
            remark(prim, "a mesh of a body that moves collides as its convex hull; the approximation convexDecomposition keeps its hollows")
            way = "convexHull"
        elif way not in ("none", "convexHull", "convexDecomposition"):
            remark(prim, f"the approximation {way} is not kept: the mesh collides as its convex hull")
        collision = {"none": "triangles", "convexDecomposition": "pieces"}.get(way, "hull")
        triangles, start = [], 0
        for count in counts if collision != "hull" else ():  # fans
            triangles += [(corners[start], corners[start + k], corners[start + k + 1]) for k in range(1, count - 1)]
            start += count
        if (schema.GetOrientationAttr().Get(FIRST) == "leftHanded") != (np.linalg.det(linear) < 0):
            triangles = [triangle[::-1] for triangle in triangles]
        moved = vector(prim, points, "points") @ linear.T
        index = self.builder.mesh(vertices=moved, triangles=triangles or None, name=self.name(prim, "mesh"),
                                  collision=collision, inertia="exact" if triangles and self.body_of(prim) else "convex")
        return dict(type="mesh", mesh=index), np.eye(3), place

    def geom(self, prim: Any) -> Optional[Dict[str, Any]]:
        """Keywords of a collider's geom, in the axes of its body."""
        found = self.shape(prim)
        if found is None:
            return None
        keywords, turn, place = found
        body = self.body_of(prim)
        local = inverse(self.pose(body)) @ rigid(turn, place)
        keywords.update(name=self.name(prim, "geom"), pos=local[:3, 3], quat=quat_of(local[:3, :3]))
        bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        material = bound.GetPrim() if bound and bound.GetPrim().HasAPI(UsdPhysics.MaterialAPI) else None
        if material:
            schema = UsdPhysics.MaterialAPI(material)
            slip = number(material, schema.GetDynamicFrictionAttr(), "dynamicFriction", least=0)
            stick = number(material, schema.GetStaticFrictionAttr(), "staticFriction", least=0)
            if stick != slip and material.GetPath() not in self.told:
                self.told.add(material.GetPath())
                remark(material, "staticFriction is not kept: dynamicFriction holds at rest, too")
            keywords.update(friction=(slip, 0.005, 0.0001),
                            restitution=number(material, schema.GetRestitutionAttr(), "restitution", least=0))
        mass = 0.0
        if prim.HasAPI(UsdPhysics.MassAPI):
            mass = number(prim, UsdPhysics.MassAPI(prim).GetMassAttr(), "mass", least=0) * self.kilogram
            about = UsdPhysics.MassAPI(prim)
            if body != str(prim.GetPath()) and (about.GetDiagonalInertiaAttr().HasAuthoredValue()
                                                or about.GetCenterOfMassAttr().HasAuthoredValue()):
                remark(prim, "inertia and centre of mass of a collider are not kept: those of its shape count")
        if mass > 0 and body != str(prim.GetPath()):
            keywords["mass"] = mass
        else:
            keywords["density"] = self.density(prim, self.bodies[body] if body else None, material)
        if not UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get(FIRST):
            keywords.update(contact_type=0, contact_affinity=0)
        colors = UsdGeom.Gprim(prim).GetDisplayColorAttr().Get(FIRST)
        if colors:
            keywords["rgba"] = (*map(float, colors[0]), 1.0)
        return keywords
