"""A trampoline: a rubber sheet, held at its rim, throws a ball."""
import tenon

world = tenon.World(tenon.Model.from_string("""
<mujoco><option timestep="0.005"/><worldbody>
  <geom type="plane" size="2 2 1"/>
  <body pos="0.03 0 1.1"><freejoint/><geom size="0.08" mass="0.6" rgba="0.85 0.35 0.15 1"/></body>
  <flexcomp name="sheet" type="grid" dim="2" count="15 15 1" spacing="0.06 0.06 0.06" pos="0 0 0.5" mass="0.2" radius="0.006"
    rgba="0.2 0.4 0.7 1"><pin gridrange="0 0 14 0"/><pin gridrange="0 14 14 14"/><pin gridrange="0 0 0 14"/>
    <pin gridrange="14 0 14 14"/><elasticity young="2e6" poisson="0.3" thickness="0.002" elastic2d="both"/>
  </flexcomp>
</worldbody></mujoco>"""))
world.step(260)
