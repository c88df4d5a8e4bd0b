"""A cable falls over two bars and swings."""
import tenon

world = tenon.World(tenon.Model.from_string("""
<mujoco><option timestep="0.005"/><worldbody>
  <geom type="plane" size="2 2 1"/><geom type="box" size="0.02 0.2 0.25" pos="0.3 0 0.25"/>
  <geom type="capsule" fromto="-0.3 -0.2 0.5 -0.3 0.2 0.5" size="0.03" rgba="0.2 0.4 0.7 1"/>
  <geom type="capsule" fromto="0.3 -0.2 0.5 0.3 0.2 0.5" size="0.03" rgba="0.2 0.4 0.7 1"/>
</worldbody>
<tenon><rod name="cable" start="-0.75 0 0.65" end="0.75 0 0.6" segments="100" radius="0.008" young="1e6" density="1200"
  friction="0.5 0 0" rgba="0.9 0.4 0.15 1"/></tenon></mujoco>"""))
world.step(500)
