"""A robot with four legs walks along x, as in Gymnasium's Ant: eight motors, a ball on four legs of two links."""

import tenon

from ..task import look
from .walkers import Walker


def _leg(name: str, x: float, y: float) -> str:
    front, left = x > 0, y > 0
    axis = "-1 1 0" if front == left else "1 1 0"
    bend = "0.53 1.22" if front else "-1.22 -0.53"
    return f"""
      <body name="{name}">
        <geom type="capsule" fromto="0 0 0 {x} {y} 0" size="0.08"/>
        <body pos="{x} {y} 0">
          <joint name="{name}_hip" axis="0 0 1" limited="true" range="-0.52 0.52"/>
          <geom type="capsule" fromto="0 0 0 {x} {y} 0" size="0.08"/>
          <body pos="{x} {y} 0">
            <joint name="{name}_ankle" axis="{axis}" limited="true" range="{bend}"/>
            <geom type="capsule" fromto="0 0 0 {2 * x} {2 * y} 0" size="0.08" rgba="0.25 0.45 0.75 1"/>
          </body>
        </body>
      </body>"""


LEGS = {"front_left": (0.2, 0.2), "back_left": (-0.2, 0.2), "back_right": (-0.2, -0.2), "front_right": (0.2, -0.2)}
MODEL = f"""
<mujoco model="ant">
  <compiler angle="radian"/>
  <option timestep="0.01"/>
  <default>
    <joint damping="1" armature="1"/>
    <geom density="5" friction="1 0.5 0.5" condim="3" contype="1" conaffinity="0" rgba="0.85 0.55 0.25 1"/>
    <motor gear="150" ctrllimited="true" ctrlrange="-1 1"/>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="40 40 1" contype="0" conaffinity="1" rgba="0.87 0.87 0.84 1"/>
    <body name="torso" pos="0 0 0.75">
      <camera name="overview" mode="trackcom" {look((0.3, -3.2, 2.0), (0.0, 0.0, -0.3))} fovy="40"/>
      <freejoint name="root"/>
      <geom type="sphere" size="0.25"/>{"".join(_leg(name, *place) for name, place in LEGS.items())}
    </body>
  </worldbody>
  <actuator>{"".join(f'<motor joint="{name}_{part}"/>' for name in LEGS for part in ("hip", "ankle"))}</actuator>
</mujoco>
"""


class Ant(Walker):
    """Starts with bent legs."""

    repeat, timestep, action_size = 5, 0.01, 8

    def __init__(self):
        self.model = tenon.Model.from_string(MODEL)

    def start(self, rng, row):
        row.qpos[7:] = (0.0, 1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0)
        super().start(rng, row)
