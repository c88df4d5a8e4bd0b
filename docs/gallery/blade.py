"""A blade, moved by the program, sweeps grains together."""
import tenon

grains = "".join(f'<body pos="{0.05 * i - 0.4} {0.05 * j - 0.2} {0.02 + 0.045 * k}"><freejoint/><geom size="0.02" '
                 f'rgba="{0.3 + 0.1 * j / 2} 0.5 {0.8 - 0.03 * i} 1"/></body>' for i in range(12) for j in range(9) for k in range(2))
world = tenon.World(tenon.Model.from_string(f"""
<mujoco><option timestep="0.01"/><default><geom friction="0.5 0 0"/></default><worldbody>
  <geom type="plane" size="2 2 1"/>{grains}
  <body name="blade" mocap="true" pos="-0.6 0 0.08"><geom type="box" size="0.015 0.3 0.08" euler="0 15 0" rgba="0.9 0.7 0.2 1"/></body>
</worldbody></mujoco>"""))
for k in range(200):
    world.set_mocap("blade", (-0.6 + 0.005 * k, 0, 0.085))
    world.step()
