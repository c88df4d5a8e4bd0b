"""Names that users bring along: wrong keywords, and what MuJoCo calls things, answered with ours.

docs/from-mujoco.md has the same pairs as code that runs; python/tests/test_from_mujoco.py compares the two."""

from __future__ import annotations

import difflib
import functools
import inspect
from typing import Any, Callable, Dict, Iterable, Sequence, Type, TypeVar

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])

# attributes of MjData and functions of it: on World (and Batch)
WORLD: Dict[str, str] = {
    "xpos": "body_pose(body)[0], of all bodies body_poses[:, :3]",
    "xquat": "body_pose(body)[1], of all bodies body_poses[:, 3:]",
    "xmat": "body_pose(body)[1], a quaternion",
    "xipos": "body_pose(body) and model.body_info(body)['com']",
    "cvel": "body_velocity(body)",
    "site_xpos": "site_pose(site)[0], of all sites site_poses[:, :3]",
    "site_xmat": "site_pose(site)[1], a quaternion",
    "geom_xpos": "geom_pose(geom)[0]",
    "geom_xmat": "geom_pose(geom)[1], a quaternion",
    "sensordata": "sensors; of one sensor sensor(name)",
    "qacc": "the change of qvel over a step; an accelerometer has that of a site",
    "qfrc_bias": "eval(want='bias')['bias']",
    "qfrc_passive": "eval(want='passive')['passive']",
    "qfrc_actuator": "actuator_force, before gears",
    "qfrc_inverse": "inverse_dynamics(qacc)",
    "qfrc_applied": "apply_wrench(body, force, torque)",
    "xfrc_applied": "apply_wrench(body, force, torque), which holds for one step",
    "qfrc_constraint": "joint_reaction(joint), contacts",
    "cfrc_ext": "contact_force(body), of all bodies contact_wrenches",
    "cfrc_int": "body_reaction(body)",
    "efc_force": "contacts['force'], joint_reaction(joint), equality_reaction(equality)",
    "contact": "contacts, a structured array",
    "ncon": "len(contacts)",
    "M": "mass_matrix()",
    "qM": "mass_matrix()",
    "mocap_pos": "set_mocap(body, pos, quat); mocap(body) returns it",
    "mocap_quat": "set_mocap(body, pos, quat); mocap(body) returns it",
    "eq_active": "equality_active(name), set_equality(name, active)",
    "solver_niter": "report.iterations",
    "warning": "trouble",
    "opt": "timestep, gravity; others are options of World(model, …)",
}
# on Batch
BATCH: Dict[str, str] = {
    **WORLD,
    "xpos": "body_poses[:, :, :3]",
    "xquat": "body_poses[:, :, 3:]",
    "cvel": "body_velocities",
    "site_xpos": "site_poses[:, :, :3]",
    "geom_xpos": "geom_poses[:, :, :3]",
    "cfrc_ext": "contact_wrenches",
    "contact": "contacts(most), (n, most)",
    "ncon": "contact_counts",
}
# attributes of MjModel: on Model
MODEL: Dict[str, str] = {
    "from_xml_path": "Model.from_file(path)",
    "from_xml_string": "Model.from_string(text)",
    "opt": "timestep, gravity; a world sets its own: world.set_timestep, world.set_gravity",
    "njnt": "njoint",
    "ntendon": "len(names('tendon'))",
    "ncam": "len(names('camera'))",
    "nmesh": "len(names('mesh'))",
    "neq": "len(names('equality'))",
    "body_mass": "body_info(body)['own_mass']",
    "body_inertia": "body_info(body)['own_inertia']",
    "body_ipos": "body_info(body)['own_com']",
    "jnt_range": "joint_info(joint)['range']",
    "jnt_axis": "joint_info(joint)['axis']",
    "jnt_type": "joint_info(joint)['type']",
    "jnt_qposadr": "joint_info(joint)['qpos'], a slice",
    "jnt_dofadr": "joint_info(joint)['qvel'], a slice",
    "jnt_stiffness": "joint_info(joint)['stiffness']",
    "dof_damping": "joint_info(joint)['damping']",
    "dof_armature": "joint_info(joint)['armature']",
    "dof_frictionloss": "joint_info(joint)['friction_loss']",
    "geom_size": "geom_info(geom)['size']",
    "geom_friction": "geom_info(geom)['friction']",
    "geom_rgba": "geom_info(geom)['rgba']",
    "geom_bodyid": "geom_info(geom)['body']",
    "actuator_gainprm": "actuator_info(actuator)['gain']",
    "actuator_biasprm": "actuator_info(actuator)['bias']",
    "actuator_gear": "actuator_info(actuator)['gear']",
    "actuator_ctrlrange": "actuator_info(actuator)['ctrl_range']",
    "actuator_forcerange": "actuator_info(actuator)['force_range']",
    "sensor_adr": "sensor_slice(sensor)",
    "cam_fovy": "camera_info(camera)['fovy']",
    "key_qpos": "World(model, key=name).qpos",
}
# names of the module mujoco: on tenon
MODULE: Dict[str, str] = {
    "MjModel": "tenon.Model: Model.from_file(path), Model.from_string(text)",
    "MjData": "tenon.World(model)",
    "MjSpec": "tenon.Builder, tenon.Builder.from_file(path)",
    "Renderer": "World.render(width, height, camera)",
    "MjvCamera": "World.render(eye=…, target=…)",
    "viewer": "tenon.view(world), tenon.Viewer(world)",
    "rollout": "Batch.rollout(controls)",
    "mj_step": "World.step()",
    "mj_step1": "World.step(): there is one step, not two halves",
    "mj_step2": "World.step(): there is one step, not two halves",
    "mj_forward": "nothing: poses, sensors and forces are up to date when they are asked for",
    "mj_kinematics": "nothing: poses are up to date when they are asked for",
    "mj_inverse": "World.inverse_dynamics(qacc)",
    "mj_resetData": "World.reset()",
    "mj_resetDataKeyframe": "World.reset(key)",
    "mj_name2id": "Model.body(name), Model.joint(name), Model.index(kind, name)",
    "mj_id2name": "Model.names(kind)[index]",
    "mj_fullM": "World.mass_matrix()",
    "mj_jac": "World.jacobian(body, point)",
    "mj_jacBody": "World.jacobian(body)",
    "mj_jacSite": "World.site_jacobian(site)",
    "mj_contactForce": "World.contacts['force'], world axes",
    "mj_ray": "World.cast_rays(origins, directions)",
    "mj_multiRay": "World.cast_rays(origins, directions)",
    "mj_geomDistance": "World.geom_distance(geom1, geom2)",
    "mj_objectVelocity": "World.body_velocity(body), site_velocity, geom_velocity",
    "mj_applyFT": "World.apply_wrench(body, force, torque)",
    "mjd_transitionFD": "World.linearize()",
    "mj_getState": "World.save()",
    "mj_setState": "World.restore(state)",
    "mj_copyData": "World.copy()",
    "mj_saveLastXML": "Model.write(path)",
    "mj_energyPos": "World.energy.potential",
    "mj_energyVel": "World.energy.kinetic",
    "mj_getTotalmass": "Model.total_mass",
}


def nearest(name: str, known: Sequence[str]) -> str:
    """The name that was meant, "": none is like it. What begins so counts, too: tol, tolerance."""
    longer = [other for other in known if len(name) > 1 and other.startswith(name)]
    return (longer or difflib.get_close_matches(name, known, 1) or [""])[0]


def answer(owner: str, name: str, words: Dict[str, str], known: Sequence[str]) -> str:
    """What an AttributeError says of a name that there is not."""
    text = f"{owner} has no '{name}'"
    if name in words:
        return f"{text}: MuJoCo's {name} is {words[name]} here (docs/from-mujoco.md)"
    near = "" if name.startswith("_") else nearest(name, known)
    return text + (f"; did you mean '{near}'?" if near else "")


class _Annotation(str):
    """An annotation that is shown as it was written: npt.ArrayLike, not the twenty types that it stands for."""

    def __repr__(self) -> str:
        return str(self)


def takes_options_of(other: Callable[..., Any]) -> Callable[[Function], Function]:
    """For a function whose ``**options`` are keywords of another one: its signature lists them."""
    def decorate(function: Function) -> Function:
        own = inspect.signature(function)
        named = [parameter for parameter in own.parameters.values() if parameter.kind != parameter.VAR_KEYWORD]
        more = [parameter for name, parameter in inspect.signature(other).parameters.items()
                if parameter.kind == parameter.KEYWORD_ONLY and name not in own.parameters]
        shown = [parameter.replace(annotation=_Annotation(parameter.annotation)) for parameter in named + more]
        function.__signature__ = own.replace(parameters=shown)  # type: ignore[attr-defined]
        return function

    return decorate


def _checked(function: Callable[..., Any], owner: str) -> Callable[..., Any]:
    parameters = inspect.signature(function).parameters
    known = [name for name, parameter in parameters.items()
             if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD) and name not in ("self", "cls")]
    called = owner if function.__name__ == "__init__" else function.__name__

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        for name in keywords:
            if name not in known:
                near = nearest(name, known)
                raise TypeError(f"{called}: there is no '{name}'" + (f"; did you mean '{near}'? There" if near else "; there")
                                + f" are {', '.join(known)}")
        return function(*arguments, **keywords)

    return call


def knows_its_keywords(cls: Class) -> Class:
    """Methods with optional arguments answer wrong keywords with those that there are; those that take any keywords say so
    themselves."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_") and name != "__init__":
            continue
        inner = getattr(member, "__func__", member)
        if not inspect.isfunction(inner):
            continue
        parameters = inspect.signature(inner).parameters.values()
        if any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters):
            continue
        if all(parameter.default is parameter.empty for parameter in parameters):
            continue  # nothing that one would name
        checked = _checked(inner, cls.__name__)
        setattr(cls, name, classmethod(checked) if isinstance(member, classmethod) else checked)
    return cls


def show_as_written(things: Iterable[Any]) -> None:
    """Signatures of functions, and of the methods of classes, in help()."""
    for thing in things:
        for member in vars(thing).values() if isinstance(thing, type) else [thing]:
            function: Any = inspect.unwrap(getattr(member, "__func__", member)) if callable(member) or isinstance(
                member, (classmethod, staticmethod)) else None
            if inspect.isfunction(function):
                for name, written in function.__annotations__.items():
                    if type(written) is str:
                        function.__annotations__[name] = _Annotation(written.strip('"\''))


def attribute_error(thing: Any, name: str, words: Dict[str, str]) -> AttributeError:
    """For __getattr__ of a class."""
    kind: Type[Any] = type(thing)
    return AttributeError(answer(kind.__name__, name, words, [known for known in dir(kind) if known[0] != "_"]))
