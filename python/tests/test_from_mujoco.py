"""Each row of docs/from-mujoco.md runs, both sides agree where both are numbers, and the table of names has no other ones.
Our sides of the other pages for those who come from elsewhere run, too."""
import ast
import pathlib
import re

import numpy as np
import pytest
import tenon
from tenon import _words

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def rows_of(name):
    return [line.split(" | ", 1) for line in re.findall(r"^\| (`.*) \|$", (DOCS / name).read_text(encoding="utf-8"), re.M)]


ROWS = rows_of("from-mujoco.md")
OTHERS = [row for name in ("from-pybullet.md", "from-drake.md", "from-ros.md") for row in rows_of(name)]

MODEL = """
<mujoco model="arm">
  <option timestep="0.005"/>
  <worldbody>
    <camera name="front" pos="0 -2 1" fovy="50"/>
    <geom name="floor" type="plane" size="2 2 1"/>
    <body name="box" pos="0.3 -0.6 0.2"><freejoint name="free"/><geom name="box" type="box" size="0.1 0.1 0.1" friction="0.7 0.01 0.001"/></body>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" damping="0.1" armature="0.02" frictionloss="0.03" stiffness="2" range="-170 170"/>
      <geom name="upper" type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
      <body name="lower" pos="0.3 0 0">
        <joint name="elbow" axis="0 1 0" damping="0.1"/>
        <geom name="lower" type="capsule" fromto="0 0 0 0.2 0 0" size="0.03"/>
        <site name="tip" pos="0.2 0 0"/>
      </body>
    </body>
    <body name="hand" mocap="true" pos="0 1 0.5"><geom name="hand" size="0.05"/></body>
    <body name="held" pos="0 1.2 0.5"><freejoint/><geom name="held" size="0.05"/></body>
  </worldbody>
  <equality><weld name="grasp" body1="hand" body2="held" active="false"/></equality>
  <actuator>
    <position name="shoulder" joint="shoulder" kp="20" gear="2" ctrlrange="-5 5" forcerange="-30 30"/>
    <general name="elbow" joint="elbow" dyntype="filter" dynprm="0.05"/>
  </actuator>
  <sensor><jointpos name="angle" joint="shoulder"/><framepos name="tip" objtype="site" objname="tip"/></sensor>
  <keyframe><key name="up" time="3" qpos="0.3 -0.6 0.5 1 0 0 0  -1 0.5  0 1.2 0.5 1 0 0 0" ctrl="1 0"/></keyframe>
</mujoco>"""


def codes(cell):
    return re.findall(r"`([^`]*)`", cell)


def run(code, names):
    """The value of an expression; statements give None."""
    tree = ast.parse(code)
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
        return eval(compile(ast.Expression(tree.body[0].value), code, "eval"), names)
    exec(compile(tree, code, "exec"), names)
    return None


def numbers(value):
    """All numbers of a value in a row; None: it has something else."""
    if isinstance(value, (bool, int, float, np.number)):
        return np.array([value], float)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fi":
        return value.astype(float).ravel()
    if isinstance(value, (tuple, list)) and value:
        parts = [numbers(part) for part in value]
        return None if any(part is None for part in parts) else np.concatenate(parts)
    return None


@pytest.fixture
def ours(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.xml").write_text(MODEL)
    model = tenon.Model.from_string(MODEL)
    world = tenon.World(model)
    rng = np.random.default_rng(1)
    world.qpos[7:9], world.qvel[:], world.ctrl[:], world.act[:] = (0.4, -0.7), rng.normal(size=model.nv), (0.3, 0.2), 0.1
    return dict(np=np, tenon=tenon, model=model, world=world, text=MODEL, point=(0.1, 0, 1))


@pytest.fixture
def theirs(ours):
    mujoco = pytest.importorskip("mujoco")
    m = mujoco.MjModel.from_xml_string(MODEL)
    d = mujoco.MjData(m)
    world = ours["world"]
    d.qpos[:], d.qvel[:], d.ctrl[:], d.act[:] = world.qpos, world.qvel, world.ctrl, world.act
    mujoco.mj_forward(m, d)
    d.qacc[:] = 0  # for mj_inverse, and compared with inverse dynamics at no acceleration
    mujoco.mj_inverse(m, d)

    def full(m, d):
        dense = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, dense)
        return dense

    def jacobian(m, d):
        parts = np.zeros((2, 3, m.nv))
        mujoco.mj_jacBody(m, d, *parts, 3)
        return parts.reshape(6, m.nv)

    return dict(np=np, mujoco=mujoco, m=m, d=d, text=MODEL, full=full, jacobian=jacobian)


@pytest.mark.parametrize("row", ROWS + OTHERS, ids=lambda row: codes(row[0])[0])
def test_our_side_runs(row, ours):
    for code in codes(row[1]):
        if re.search(r"[(\[.]", code):  # not a lone name or keyword in a remark
            try:
                run(code, ours)
            except tenon.Error as error:
                if "render" not in code:  # no EGL on this machine
                    raise
                print(error)


# rows whose sides are numbers of another kind: the words of the right column say so
DIFFERENT = {"d.xmat[3]", "d.xipos[3]", "d.cvel", "d.site_xmat[0]", "d.geom_xmat[2]", "d.qfrc_actuator", "d.M", "m.jnt_type",
             "mujoco.mj_getTotalmass(m)"}


def test_both_sides_agree(ours, theirs):
    compared = 0
    for left, right in ROWS:
        code, other = codes(left)[0], (codes(right) or [""])[0]
        # what MuJoCo has only after a step, or at other places, or by several lines
        if not re.search(r"^(m\.|np\.radians|d\.|full|jacobian|mujoco\.mj_(name2id|geomDistance|getTotalmass))", code):
            continue
        value = run(code, theirs)
        if code in DIFFERENT or not other:
            continue
        a, b = numbers(value), numbers(run(other, ours))
        if a is None or b is None or re.match(r"d\.(efc|qfrc_con|cfrc|solver|eq_)", code):
            continue
        assert a.shape == b.shape, (code, a, b)
        # both are double precision; distances of MuJoCo come from an iteration with a tolerance of 1e-6
        assert a == pytest.approx(b, rel=1e-5 if "Distance" in code else 1e-9, abs=1e-9), code
        compared += 1
    assert compared >= 40


def test_the_page_has_every_name_that_is_answered():
    left = " ".join(code for row in ROWS for cell in row for code in codes(cell))
    for name in {**_words.WORLD, **_words.MODEL, **_words.MODULE}:
        assert re.search(rf"\b{name}\b", left), name
