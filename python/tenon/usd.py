"""Models from USD, and recordings as USD, for Omniverse, Blender and usdview.

    import tenon.usd

    model = tenon.usd.load("robot.usda")                        # bodies, colliders and joints of UsdPhysics
    tenon.usd.write("run.usdc", tenon.Recording("run.tnr"))     # or recording.to_usd("run.usdc")

Needs the package usd-core, which tenon does not install. docs/usd.md describes load. The scene of write is that of Recording.export("run.glb"): bodies with
their shapes, cables, soft bodies, as docs/recordings.md describes it.
"""

import json
import os
import re
import struct
import tempfile
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

try:
    from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade, Vt  # type: ignore[import-not-found, unused-ignore]
except ImportError as error:
    raise ImportError("tenon.usd needs USD, which is not installed: pip install usd-core") from error

from ._errors import FileError, UsageError
from ._recording import Recording
from ._usd_load import load

__all__ = ["load", "write"]

ENDINGS = (".usd", ".usda", ".usdc")
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
USUAL = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}


class _Document:
    """A .glb of tenon's own: its JSON, and its numbers as arrays."""

    def __init__(self, path: str):
        with open(path, "rb") as file:
            data = file.read()
        size = struct.unpack("<I", data[12:16])[0]
        self.about: Dict[str, Any] = json.loads(data[20:20 + size])
        self._bytes = data[28 + size:]
        self.nodes: List[Dict[str, Any]] = self.about["nodes"]
        self.start: float = self.about["asset"]["extras"]["start"]
        self.channels: Dict[Tuple[int, str], Tuple[np.ndarray, np.ndarray]] = {}
        for animation in self.about.get("animations", []):
            for channel in animation["channels"]:
                sampler, target = animation["samplers"][channel["sampler"]], channel["target"]
                self.channels[target["node"], target["path"]] = (self.numbers(sampler["input"])[:, 0],
                                                                 self.numbers(sampler["output"]))

    def numbers(self, index: int) -> np.ndarray:
        accessor = self.about["accessors"][index]
        view = self.about["bufferViews"][accessor["bufferView"]]
        width = WIDTHS[accessor["type"]]
        form = "<f4" if accessor["componentType"] == 5126 else "<u4"
        return np.frombuffer(self._bytes, form, width * accessor["count"], view["byteOffset"]).reshape(-1, width)


def _prim_name(name: str, taken: Dict[str, int]) -> str:
    """A name that USD allows, and that no sibling has."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"
    if plain[0].isdigit():
        plain = "_" + plain
    taken[plain] = taken.get(plain, 0) + 1
    number = taken[plain]
    return plain if number == 1 else _prim_name(f"{plain}_{number}", taken)


def _quaternion(xyzw: Any) -> Any:
    """USD takes the angle from w alone, which near 1 says little in single precision: the largest part follows from the
    others."""
    q = np.array(xyzw, float)
    k = int(np.argmax(np.abs(q)))
    q[k] = np.copysign(np.sqrt(max(0.0, 1.0 - np.sum(np.delete(q, k) ** 2))), q[k])
    return Gf.Quatd(q[3], *q[:3])


class _Writer:
    def __init__(self, document: _Document, stage: Any, times: np.ndarray):
        self.document, self.stage, self.times = document, stage, times
        self.materials: Dict[int, Any] = {}

    def code(self, time: float) -> Any:
        """Of an animation's time: the recording's own, which is not rounded."""
        nearest = np.argmin(np.abs(self.times - (self.document.start + float(time))))
        return Usd.TimeCode(float(self.times[nearest]) * self.stage.GetTimeCodesPerSecond())

    def place(self, prim: Any, index: int) -> None:
        """Translation, rotation and scale, each at its times where it moves."""
        xform = UsdGeom.Xformable(prim)
        node = self.document.nodes[index]
        makers = {"translation": (xform.AddTranslateOp, lambda v: Gf.Vec3d(*map(float, v))),
                  "rotation": (xform.AddOrientOp, _quaternion),
                  "scale": (xform.AddScaleOp, lambda v: Gf.Vec3f(*map(float, v)))}
        precision = {"translation": UsdGeom.XformOp.PrecisionDouble, "rotation": UsdGeom.XformOp.PrecisionDouble}
        for path, (add, convert) in makers.items():
            moves = self.document.channels.get((index, path))
            value = node.get(path, USUAL[path])
            if moves is None and tuple(value) == USUAL[path]:
                continue
            op = add(precision.get(path, UsdGeom.XformOp.PrecisionFloat))
            if moves is None:
                op.Set(convert(value))
                continue
            for time, row in zip(*moves):
                op.Set(convert(row), self.code(time))

    def material(self, index: int) -> Any:
        if index in self.materials:
            return self.materials[index]
        about = self.document.about["materials"][index]
        pbr = about["pbrMetallicRoughness"]
        path = f"/looks/material{index + 1}"
        material = UsdShade.Material.Define(self.stage, path)
        shader = UsdShade.Shader.Define(self.stage, path + "/surface")
        shader.CreateIdAttr("UsdPreviewSurface")
        color = pbr["baseColorFactor"]
        shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(*color[:3]))
        shader.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(color[3])
        shader.CreateInput("metallic", Sdf.ValueTypeNames.Float).Set(pbr["metallicFactor"])
        shader.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(pbr["roughnessFactor"])
        if "emissiveFactor" in about:
            shader.CreateInput("emissiveColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(*about["emissiveFactor"]))
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        self.materials[index] = material
        return material

    def mesh(self, path: str, index: int) -> None:
        node = self.document.nodes[index]
        part = self.document.about["meshes"][node["mesh"]]["primitives"][0]
        mesh = UsdGeom.Mesh.Define(self.stage, path)
        corners = self.document.numbers(part["indices"])[:, 0].astype(np.int32)
        points = self.document.numbers(part["attributes"]["POSITION"])
        normals = self.document.numbers(part["attributes"]["NORMAL"])
        mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(corners))
        mesh.CreateFaceVertexCountsAttr(Vt.IntArray([3] * (len(corners) // 3)))
        mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        look = self.document.about["materials"][part["material"]]
        mesh.CreateDoubleSidedAttr(bool(look.get("doubleSided", False)))
        mesh.CreateDisplayColorAttr([Gf.Vec3f(*look["pbrMetallicRoughness"]["baseColorFactor"][:3])])
        mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        places, arrows = mesh.CreatePointsAttr(), mesh.CreateNormalsAttr()
        moves = self.document.channels.get((index, "weights"))
        frames: List[Tuple[Optional[float], np.ndarray, np.ndarray]] = [(None, points, normals)]
        if moves is not None:  # frame k is the first one and its own difference
            numbers = self.document.numbers
            frames = [(moves[0][0], points, normals)] + [
                (time, points + numbers(target["POSITION"]), normals + numbers(target["NORMAL"]))
                for time, target in zip(moves[0][1:], part["targets"])]
        for time, p, n in frames:
            at = Usd.TimeCode.Default() if time is None else self.code(time)
            places.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(p, np.float32)), at)
            arrows.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(n, np.float32)), at)
            mesh.GetExtentAttr().Set(Vt.Vec3fArray([Gf.Vec3f(*map(float, p.min(axis=0))), Gf.Vec3f(*map(float, p.max(axis=0)))]), at)
        UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(self.material(part["material"]))

    def children(self, above: str, index: int) -> None:
        taken: Dict[str, int] = {}
        for child in self.document.nodes[index].get("children", []):
            node = self.document.nodes[child]
            if "camera" in node:
                continue  # a camera of USD has a film, which a model does not say
            path = f"{above}/{_prim_name(node['name'], taken)}"
            if "mesh" in node:
                self.mesh(path, child)
            else:
                UsdGeom.Xform.Define(self.stage, path)
            prim = self.stage.GetPrimAtPath(path)
            prim.SetDisplayName(node["name"])
            self.place(prim, child)
            self.children(path, child)


def write(path: Union[str, os.PathLike], recording: Recording, *, fps: float = 30.0) -> str:
    """Writes the frames as a stage with time samples, and returns its path: .usda is text, .usd and .usdc are binary. At most
    `fps` frames per second, 0: all. Time codes are seconds of the recording times 1000. The stage has z up, as tenon."""
    path = os.fspath(path)
    if not path.endswith(ENDINGS):
        raise UsageError(f"to_usd: the name must end in {', '.join(ENDINGS)}, got '{path}'")
    with tempfile.TemporaryDirectory() as folder:
        document = _Document(recording.export(os.path.join(folder, "run.glb"), fps=fps))
    if os.path.isdir(path) or not os.access(os.path.dirname(os.path.abspath(path)), os.W_OK):
        raise FileError(f"to_usd: {path} cannot be written")
    layer = Sdf.Layer.CreateAnonymous(".usda" if path.endswith(".usda") else ".usdc")
    stage = Usd.Stage.Open(layer)
    stage.SetTimeCodesPerSecond(1000.0)  # steps of 1 ms have whole numbers
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    world = UsdGeom.Xform.Define(stage, "/scene")
    world.GetPrim().SetDisplayName(document.nodes[0]["name"])
    stage.SetDefaultPrim(world.GetPrim())
    writer = _Writer(document, stage, recording.times)
    writer.children("/scene", 0)  # without the root, which turns z up to y up
    times = recording.times
    stage.SetStartTimeCode(float(times[0]) * 1000.0)
    stage.SetEndTimeCode(float(times[-1]) * 1000.0)
    if not layer.Export(path):
        raise FileError(f"to_usd: {path} cannot be written")
    return path
