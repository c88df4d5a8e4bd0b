"""A robot like a human walks along x, as in Gymnasium's Humanoid: 17 motors."""

import numpy as np
import tenon

from ..task import look
from .walkers import Walker


def _joint(name: str, axis: str, low: int, high: int, stiffness: float = 0.0) -> str:
    return (f'<joint name="{name}" axis="{axis}" limited="true" range="{np.radians(low):.4f} {np.radians(high):.4f}" '
            f'stiffness="{stiffness}"/>')


def _leg(side: str, y: float) -> str:
    out = "1" if y < 0 else "-1"
    return f"""
        <body name="{side}_thigh" pos="0 {y} -0.04">
          {_joint(f"{side}_hip_x", f"{out} 0 0", -25, 5, 10)}
          {_joint(f"{side}_hip_z", f"0 0 {out}", -60, 35, 10)}
          {_joint(f"{side}_hip_y", "0 1 0", -110, 20, 20)}
          <geom type="capsule" fromto="0 0 0 0 {-0.1 * y} -0.34" size="0.06"/>
          <body name="{side}_shin" pos="0 {-0.1 * y} -0.403">
            {_joint(f"{side}_knee", "0 -1 0", -160, -2, 1)}
            <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.049"/>
            <geom type="sphere" size="0.075" pos="0 0 -0.35" rgba="0.2 0.22 0.26 1"/>
          </body>
        </body>"""


def _arm(side: str, y: float) -> str:
    s = 1.0 if y > 0 else -1.0
    return f"""
      <body name="{side}_upper_arm" pos="0 {y} 0.06">
        {_joint(f"{side}_shoulder1", f"2 {s} {s}", -85, 60, 1)}
        {_joint(f"{side}_shoulder2", f"0 {-s} {s}", -85, 60, 1)}
        <geom type="capsule" fromto="0 0 0 0.16 {0.16 * s} -0.16" size="0.04"/>
        <body name="{side}_lower_arm" pos="0.18 {0.18 * s} -0.18">
          {_joint(f"{side}_elbow", f"0 -1 {-s}", -90, 50, 0)}
          <geom type="capsule" fromto="0.01 {-0.01 * s} 0.01 0.17 {-0.17 * s} 0.17" size="0.031"/>
          <geom type="sphere" size="0.04" pos="0.18 {-0.18 * s} 0.18" rgba="0.2 0.22 0.26 1"/>
        </body>
      </body>"""


GEARS = {"abdomen_z": 100, "abdomen_y": 100, "abdomen_x": 100,
         **{f"{side}_{joint}": gear for side in ("right", "left")
            for joint, gear in (("hip_x", 100), ("hip_z", 100), ("hip_y", 300), ("knee", 200))},
         **{f"{side}_{joint}": 25 for side in ("right", "left") for joint in ("shoulder1", "shoulder2", "elbow")}}

MODEL = f"""
<mujoco model="humanoid">
  <compiler angle="radian"/>
  <option timestep="0.003"/>
  <default>
    <joint armature="0.02" damping="1"/>
    <geom friction="1 0.1 0.1" condim="3" contype="1" conaffinity="0" rgba="0.85 0.65 0.5 1"/>
    <motor ctrllimited="true" ctrlrange="-0.4 0.4"/>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="40 40 1" contype="0" conaffinity="1" rgba="0.87 0.87 0.84 1"/>
    <body name="torso" pos="0 0 1.4">
      <camera name="overview" mode="trackcom" {look((1.2, -3.4, 1.0), (0.0, 0.0, -0.35))} fovy="40"/>
      <freejoint name="root"/>
      <geom type="capsule" fromto="0 -0.07 0 0 0.07 0" size="0.07" rgba="0.25 0.45 0.75 1"/>
      <geom type="sphere" size="0.09" pos="0 0 0.19"/>
      <geom type="capsule" fromto="-0.01 -0.06 -0.12 -0.01 0.06 -0.12" size="0.06" rgba="0.25 0.45 0.75 1"/>
      <body name="lower_waist" pos="-0.01 0 -0.26">
        {_joint("abdomen_z", "0 0 1", -45, 45, 20)}
        {_joint("abdomen_y", "0 1 0", -75, 30, 10)}
        <geom type="capsule" fromto="0 -0.06 0 0 0.06 0" size="0.06" rgba="0.25 0.45 0.75 1"/>
        <body name="pelvis" pos="0 0 -0.165">
          {_joint("abdomen_x", "1 0 0", -35, 35, 10)}
          <geom type="capsule" fromto="-0.02 -0.07 0 -0.02 0.07 0" size="0.09"/>
          {_leg("right", -0.1)}
          {_leg("left", 0.1)}
        </body>
      </body>
      {_arm("right", -0.17)}
      {_arm("left", 0.17)}
    </body>
  </worldbody>
  <actuator>{"".join(f'<motor joint="{joint}" gear="{gear}"/>' for joint, gear in GEARS.items())}</actuator>
</mujoco>
"""


class Humanoid(Walker):
    """Starts upright."""

    repeat, timestep, action_size = 5, 0.003, 17
    forward, upright, effort, strength = 1.25, 5.0, 0.016, 0.4
    heights, far, noise = (1.0, 2.0), 3.0, 0.01

    def __init__(self):
        self.model = tenon.Model.from_string(MODEL)
