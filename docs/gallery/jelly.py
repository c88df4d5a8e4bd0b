"""Cubes of jelly fall onto a ball."""
import tenon

jelly = """<soft name="jelly{k}" box="0.12 0.12 0.12" cells="4 4 4" pos="{x} {y} {z}" young="{e}" poisson="0.4" density="1000"
  damping="0.01" friction="0.6 0 0" rgba="{c} 1"/>"""
world = tenon.World(tenon.Model.from_string(f"""
<mujoco><option timestep="0.01"/><worldbody>
  <geom type="plane" size="2 2 1"/><geom size="0.1" pos="0 0 0.1" rgba="0.3 0.35 0.4 1"/>
</worldbody><tenon>
  {jelly.format(k=0, x=0.02, y=0.0, z=0.35, e=2e4, c="0.85 0.25 0.2")}
  {jelly.format(k=1, x=-0.06, y=0.03, z=0.55, e=6e4, c="0.25 0.6 0.3")}
  {jelly.format(k=2, x=0.05, y=-0.02, z=0.75, e=2e5, c="0.2 0.4 0.8")}
</tenon></mujoco>"""))
world.step(150)
