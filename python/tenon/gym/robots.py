"""Models of robots from files that users have, as MuJoCo Menagerie has them, prepared for tasks: position servos in place of
the motors of the file, and ground in place of its floor."""

import os
import pathlib
import xml.etree.ElementTree as xml
from typing import Any, List, Optional, Tuple, Union

import numpy as np
import tenon

from ..sweep._model import _expanded

Path = Union[str, os.PathLike]


def _found(path: Path) -> pathlib.Path:
    given = pathlib.Path(path).expanduser()
    if not given.is_file():
        raise tenon.FileError(f"{given}: there is no such file; a robot's task takes the path of its MJCF, such as "
                              "mujoco_menagerie/unitree_go2/go2.xml of a clone of MuJoCo Menagerie")
    return given.resolve()


def _limit(info: Any) -> float:
    """N or N·m: what an actuator pushes with at most; inf: no limit."""
    if info["force_range"] is not None:
        return float(max(abs(bound) for bound in info["force_range"]))
    motor = not any(info["bias"])
    if motor and info["ctrl_range"] is not None:
        return float(info["gain"] * max(abs(bound) for bound in info["ctrl_range"]))
    return np.inf


def _numbers(values: Any) -> str:
    return " ".join(f"{value:.9g}" for value in np.ravel(values))


def rough_ground(size: float = 10.0, cell: float = 0.1, step: float = 0.05, seed: int = 0) -> np.ndarray:
    """Heights (m) of a square of ground, 2 × `size` wide, in flat patches of some cells: 0 … `step`."""
    count = int(round(2.0 * size / cell)) + 1
    patches = np.random.default_rng(seed).uniform(0.0, 1.0, (count // 4 + 1, count // 4 + 1))
    heights = np.kron(patches, np.ones((4, 4)))[:count, :count]
    return step * (heights - heights.min()) / np.ptp(heights)


class Ground:
    """The ground of a task: level, or heights (m) at points of a square, rows along y."""

    def __init__(self, heights: Optional[np.ndarray] = None, size: float = 10.0):
        self.heights, self.size = heights, size

    def below(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height of the point of the field that is nearest; beyond its edge that of the edge."""
        if self.heights is None:
            return np.zeros(np.shape(x))
        last = len(self.heights) - 1
        column, row = (np.clip(np.rint((v / self.size + 1.0) * 0.5 * last), 0, last).astype(np.int64) for v in (x, y))
        return self.heights[row, column]


def with_servos(path: Path, *, ground: str = "flat", stiffness: float = 3.0, damping: float = 0.02, step: float = 0.05,
                timestep: float = 0.005) -> Tuple[tenon.Model, List[str], Ground]:
    """The model, the names of the joints that its actuators drive, in their order, and the ground.

    Each actuator becomes a position servo whose target is an angle in rad. `stiffness`: kp as a multiple of the motor's
    limit per rad; damping: kv as a multiple of kp, s. ground: "flat", or "rough" with patches of up to `step` m."""
    if ground not in ("flat", "rough"):
        raise tenon.UsageError(f"ground: expected 'flat' or 'rough', got {ground!r}")
    place = _found(path)
    plain = tenon.Model.from_file(place)
    root = _expanded(place, place.parent)
    joints, servos = [], xml.Element("actuator")
    for index, element in enumerate(element for section in root.iter("actuator") for element in section):
        info, name = plain.actuator_info(index), element.get("joint")
        if name is None:
            raise tenon.UsageError(f"{place.name}: actuator '{plain.names('actuator')[index]}' drives no joint")
        limit = _limit(info) * abs(info["gear"])
        if not np.isfinite(limit):
            raise tenon.UsageError(f"{place.name}: the actuator of joint '{name}' has no limit of force; give it a forcerange")
        kp = stiffness * limit
        joints.append(name)
        xml.SubElement(servos, "general", name=f"servo_{name}", joint=name, dyntype="none", gaintype="fixed", biastype="affine",
                       gainprm=_numbers(kp), biasprm=_numbers((0.0, -kp, -damping * kp)), gear="1", ctrllimited="false",
                       forcelimited="true", forcerange=_numbers((-limit, limit)))
    field = Ground(rough_ground(step=step) if ground == "rough" else None)
    _replace(root, servos, field, step, timestep)
    return _loaded(root, place, "with servos and ground"), joints, field


def with_cube(path: Path, *, half: float, mass: float, timestep: float, level: float = 0.0, condim: int = 4,
              apart: bool = False) -> Tuple[
        tenon.Model, np.ndarray, np.ndarray, List[Optional[str]]]:
    """A robot as its file has it, above ground at the height `level`, with a free cube, the last body. Also qpos and controls of the
    key "home" (or the first one), and the joint of each actuator; None: it drives none by itself, as that of a gripper. Free bodies
    of the file, things to be grasped, are left out, and the keyframes with them. apart: a body does not touch the parent of its
    parent, as fingers have two joints at one place, where their shapes overlap."""
    place = _found(path)
    plain = tenon.Model.from_file(place)
    root = _expanded(place, place.parent)
    joints = [element.get("joint") for section in root.iter("actuator") for element in section]
    things = [(world, body) for world in root.findall("worldbody") for body in world.findall("body") if _is_free(body)]
    for world, body in things:
        world.remove(body)
    keys = [] if things else plain.names("key")
    home = tenon.World(plain, key="home" if "home" in keys else 0 if keys else None)
    for section in root.findall("keyframe"):
        root.remove(section)
    if things:
        home = tenon.World(_loaded(root, place, "without its free bodies"))
    world = _without_ground(root)
    xml.SubElement(world, "geom", name="ground", type="plane", size="5 5 1", pos=_numbers((0.0, 0.0, level)))
    cube = xml.SubElement(world, "body", name="cube", pos=_numbers((0.5, 0.0, half)))
    xml.SubElement(cube, "freejoint", name="cube")
    xml.SubElement(cube, "geom", name="cube", type="box", size=_numbers((half, half, half)), mass=_numbers(mass),
                   rgba="0.8 0.25 0.2 1", friction="1 0.005 0.0001", condim=str(condim))
    if apart:
        _exclude_grandparents(root)
    _option(root).set("timestep", _numbers(timestep))
    return _loaded(root, place, "with ground and a cube"), home.qpos.copy(), home.ctrl.copy(), joints


def _is_free(body: xml.Element) -> bool:
    return body.find("freejoint") is not None or any(joint.get("type") == "free" for joint in body.findall("joint"))


def _exclude_grandparents(root: xml.Element) -> None:
    contact = xml.SubElement(root, "contact")
    for grand in (body for world in root.findall("worldbody") for body in world.iter("body")):
        for body in grand.findall("body/body"):
            if grand.get("name") and body.get("name"):
                xml.SubElement(contact, "exclude", body1=grand.get("name", ""), body2=body.get("name", ""))


def _loaded(root: xml.Element, place: pathlib.Path, how: str) -> tenon.Model:
    text = xml.tostring(root, encoding="unicode")
    try:  # in the place of the file, so that meshes are found
        return tenon.Model(os.fspath(place), text, {}, None, False, "near", 1.0)
    except tenon.Error as error:
        raise type(error)(str(error).replace(str(place), f"{place.name} ({how})")) from None


def _option(root: xml.Element) -> xml.Element:
    options = root.findall("option")
    return options[0] if options else xml.SubElement(root, "option")


def _without_ground(root: xml.Element) -> xml.Element:
    """The last <worldbody>, after planes and height fields were taken out of all."""
    worlds = root.findall("worldbody")
    for world in worlds:
        for geom in list(world):
            if geom.tag == "geom" and geom.get("type", "sphere") in ("plane", "hfield"):
                world.remove(geom)
    if not worlds:
        raise tenon.UsageError("the model has no <worldbody>")
    return worlds[-1]


def _replace(root: xml.Element, servos: xml.Element, ground: Ground, step: float, timestep: float) -> None:
    for tag in ("actuator", "sensor"):  # sensors of the file may name its actuators
        for element in root.findall(tag):
            root.remove(element)
    root.append(servos)
    for key in root.iter("key"):  # targets that the file's actuators had
        for name in ("ctrl", "act"):
            key.attrib.pop(name, None)
    world = _without_ground(root)
    heights = ground.heights
    if heights is None:
        xml.SubElement(world, "geom", name="ground", type="plane", size="40 40 1")
    else:
        asset = xml.SubElement(root, "asset")
        xml.SubElement(asset, "hfield", name="ground", nrow=str(len(heights)), ncol=str(len(heights[0])),
                       size=_numbers((ground.size, ground.size, step, 0.5)), elevation=_numbers(heights[::-1] / step))  # its first row is that of the largest y
        xml.SubElement(world, "geom", name="ground", type="hfield", hfield="ground")
    _option(root).set("timestep", _numbers(timestep))
