"""A tendon bends a finger of three links around a ball."""
import tenon

link = """<body pos="{x} 0 0"><joint axis="0 1 0" stiffness="0.02" damping="0.01" range="-10 100"/>
  <geom type="capsule" fromto="0 0 0 0.05 0 0" size="0.01" mass="0.02" friction="1 0 0" rgba="0.85 0.7 0.6 1"/>
  <site name="s{k}" pos="0.025 0 -0.012"/>"""
world = tenon.World(tenon.Model.from_string(f"""
<mujoco><compiler autolimits="true"/><option timestep="0.002"/><worldbody>
  <geom type="plane" size="1 1 1" pos="0 0 -0.2"/><geom type="box" size="0.02 0.03 0.02" pos="-0.02 0 0"/>
  <site name="s0" pos="-0.01 0 -0.012"/>
  {link.format(k=1, x=0)}{link.format(k=2, x=0.055)}{link.format(k=3, x=0.055)}</body></body></body>
  <geom size="0.03" pos="0.05 0 -0.055" rgba="0.2 0.5 0.8 1"/>
</worldbody>
<tendon><spatial name="t" width="0.002" rgba="0.9 0.2 0.2 1">{"".join(f'<site site="s{k}"/>' for k in range(4))}</spatial></tendon>
<actuator><motor tendon="t"/></actuator></mujoco>"""))
world.ctrl[:] = -1     # N: it pulls
world.step(400)
