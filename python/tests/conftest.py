"""Models for the tests, and a check that the installed package is tested, not the folder of its sources."""
import pathlib

import pytest
import tenon

ROOT = pathlib.Path(__file__).resolve().parents[2]
assert ROOT / "python" not in pathlib.Path(tenon.__file__).resolve().parents, "install the wheel and test that"

ARM = """
<mujoco model="arm">
  <option timestep="0.005"/>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1"/>
    <body name="box" pos="0.3 -0.6 0.2"><freejoint name="free"/><geom name="box" type="box" size="0.1 0.1 0.1"/></body>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" damping="0.1" range="-170 170"/>
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
    <motor name="shoulder" joint="shoulder" ctrlrange="-5 5" ctrllimited="true"/>
    <general name="elbow" joint="elbow" dyntype="filter" dynprm="0.05"/>
  </actuator>
  <sensor>
    <jointpos name="angle" joint="shoulder"/>
    <framepos name="tip" objtype="site" objname="tip"/>
    <accelerometer name="felt" site="tip"/>
  </sensor>
  <keyframe><key name="up" time="3" qpos="0.3 -0.6 0.5 1 0 0 0  -1 0.5  0 1.2 0.5 1 0 0 0" ctrl="1 0"/></keyframe>
</mujoco>
"""


@pytest.fixture(scope="session")
def arm():
    return tenon.Model.from_string(ARM)


@pytest.fixture
def world(arm):
    return tenon.World(arm)


@pytest.fixture(scope="session")
def scenes():
    return ROOT / "scenes"
