"""A suction cup lifts a box, carries it over and lets it go."""
import tenon

world = tenon.World(tenon.Model.from_string("""
<mujoco><option timestep="0.005"/><worldbody>
  <geom type="plane" size="2 2 1"/><geom type="box" size="0.12 0.12 0.1" pos="0.5 0 0.1" rgba="0.4 0.45 0.5 1"/>
  <body pos="0 0 0.6"><joint name="x" type="slide" axis="1 0 0"/><geom type="box" size="0.06 0.06 0.03" mass="1"/>
    <body name="cup"><joint name="z" type="slide" axis="0 0 1"/><geom type="cylinder" size="0.015 0.15" pos="0 0 -0.18" mass="0.3"/>
      <geom name="cup" type="cylinder" size="0.04 0.01" pos="0 0 -0.34" mass="0.1" rgba="0.9 0.3 0.2 1"/></body></body>
  <body pos="0 0 0.06"><freejoint/><geom type="box" size="0.08 0.06 0.06" mass="0.5" rgba="0.2 0.5 0.8 1"/></body>
</worldbody>
<actuator><position joint="x" kp="800" kv="80"/><position joint="z" kp="3000" kv="150"/>
  <adhesion body="cup" gain="20" ctrlrange="0 1"/></actuator></mujoco>"""))
way = (0, -0.131, 0, 100), (0, -0.131, 1, 20), (0, 0.2, 1, 120), (0.5, 0.2, 1, 160), (0.5, 0.075, 1, 120), (0.5, 0.08, 0, 20), (0.5, 0.25, 0, 80)
for x, z, hold, steps in way:
    start = world.ctrl[:2].copy()
    for k in range(steps):
        world.ctrl[:] = *(start + (k + 1) / steps * ([x, z] - start)), hold
        world.step()
