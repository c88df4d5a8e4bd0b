"""Two fingers lift a soft ball and hold it by friction.

Look for: each finger carries half the weight, and the ball does not creep although nothing but friction holds it."""
import numpy as np
import tenon
from common import options, save

MODEL = """
<mujoco model="soft grasp"><option timestep="0.01"/>
  <default><geom condim="3" friction="0.8 0 0"/><position kp="2000" kv="60" forcerange="-40 40"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 0.05" contype="2"/>
    <body name="hand" pos="0 0 0.032"><joint name="lift" type="slide" axis="0 0 1" damping="20"/>
      <geom type="box" pos="0 0 0.09" size="0.02 0.08 0.012" mass="0.5" contype="0" conaffinity="0" rgba="0.8 0.82 0.85 1"/>
      {fingers}
    </body>
  </worldbody>
  <actuator><position name="lift" joint="lift" kp="20000" kv="800" forcerange="-200 200"/>
    <position name="left" joint="left"/><position name="right" joint="right"/></actuator>
  <tenon><soft name="ball" ball="0.03" cells="4" pos="0 0 0.0301" young="1e5" poisson="0.4" density="1000" damping="0.01"
    contype="1" conaffinity="2" friction="0.8 0 0" rgba="0.85 0.2 0.16 1"/></tenon>
</mujoco>"""
FINGER = """
      <body name="{name}" pos="0 {y} 0"><joint name="{name}" type="slide" axis="0 {inwards} 0" damping="5"/>
        <geom name="{name}" type="box" size="0.014 0.004 0.05" pos="0 0 0.03" mass="0.1" contype="2" rgba="0.2 0.22 0.26 1"/></body>"""


def main():
    args = options(__doc__)
    fingers = FINGER.format(name="left", y=0.045, inwards=-1) + FINGER.format(name="right", y=-0.045, inwards=1)
    world = tenon.World(tenon.Model.from_string(MODEL.format(fingers=fingers)))
    nodes = world.qpos[world.model.njoint:].reshape(-1, 3)  # live: the places of the ball's nodes
    weight = 9.81 * (world.model.total_mass - 0.7)

    def move(lift, grip, steps):
        start = world.ctrl.copy()
        for k in range(steps):
            world.ctrl[:] = start + (k + 1) / steps * (np.array([lift, grip, grip]) - start)
            world.step()

    move(0, 0.015, 50)  # close
    move(0.1, 0.015, 100)  # lift
    move(0.1, 0.015, 100)  # wait
    height = nodes[:, 2].mean()
    move(0.1, 0.015, 50 if args.quick else 500)
    creep, carried = height - nodes[:, 2].mean(), {"left": 0.0, "right": 0.0}
    for contact in world.contacts:
        for one, other, sign in (("geom1", "geom2", 1), ("geom2", "geom1", -1)):
            name = world.model.names("geom")[contact[one]]
            if name in carried:
                carried[name] += sign * contact["force"][2]
    print(f"the ball weighs {weight:.4f} N; the fingers carry {carried['left']:.4f} and {carried['right']:.4f} N; "
          f"it crept by {1e6 * creep:.3f} um")
    assert height > 0.1 and abs(sum(carried.values()) - weight) < 1e-3 * weight and abs(creep) < 1e-5
    if args.picture:
        save(args.picture, world.render(320, 260, eye=(0.3, -0.12, 0.22), target=(0, 0, 0.16), fovy=0.6))


main()
