"""A rope is let down onto the ground and folds to and fro."""
import tenon

world = tenon.World(tenon.Model.from_string("""
<mujoco><option timestep="0.005"/><worldbody>
  <geom type="plane" size="2 2 1"/>
  <body name="hand" mocap="true" pos="0 0 1.22"><geom type="box" size="0.03 0.03 0.02" contype="0" conaffinity="0"/></body>
</worldbody>
<equality><connect body1="rope_0" body2="hand" anchor="0 0 0"/></equality>
<tenon><rod name="rope" start="0 0 1.2" end="0.02 0 0.02" segments="120" radius="0.006" young="3e5" density="1100"
  damping="0.005" friction="0.6 0 0" self_contact="true" rgba="0.85 0.6 0.25 1"/></tenon></mujoco>"""))
for k in range(500):
    world.set_mocap("hand", pos=(0, 0, 1.22 - 0.0023 * k))
    world.step()
