"""Grains run out of a funnel of four plates."""
import tenon

plates = "".join(f'<geom type="box" size="0.12 0.12 0.004" pos="{0.125 * x} {0.125 * y} 0.4" euler="{50 * y} {-50 * x} 0" '
                 'rgba="0.5 0.6 0.7 0.4"/>' for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))
grains = "".join(f'<body pos="{0.026 * (i - 2) + 0.001 * k} {0.026 * (j - 2)} {0.42 + 0.026 * k}"><freejoint/>'
                 f'<geom size="0.012" rgba="{0.8 - 0.06 * k} {0.5 + 0.03 * k} 0.2 1"/></body>'
                 for i in range(5) for j in range(5) for k in range(8))
world = tenon.World(tenon.Model.from_string(f"""
<mujoco><option timestep="0.005"/><default><geom friction="0.3 0 0" density="2000"/></default><worldbody>
  <geom type="plane" size="2 2 1"/>{plates}{grains}
</worldbody></mujoco>"""))
world.step(200)
