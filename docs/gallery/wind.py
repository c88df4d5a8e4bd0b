"""Wind: light plates tumble down in a gale, heavy ones fall."""
import tenon

plates = "".join(f'<body pos="{0.2 * (k % 5) - 0.9} {0.25 * (k // 5) - 0.5} 1.5" euler="{37 * k} {23 * k} 0"><freejoint/>'
                 f'<geom type="box" size="0.05 0.04 0.004" density="{(40, 2000)[k % 2]}" '
                 f'rgba="{(0.9, 0.3)[k % 2]} 0.5 {(0.3, 0.8)[k % 2]} 1"/></body>' for k in range(20))
world = tenon.World(tenon.Model.from_string(f"""
<mujoco><option timestep="0.005" density="1.2" viscosity="2e-5" wind="5 0 0"/><worldbody>
  <geom type="plane" size="5 5 1"/>{plates}
</worldbody></mujoco>"""))
world.step(110)
