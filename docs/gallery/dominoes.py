"""Dominoes: a ball pushes the first of thirty."""
import numpy as np
import tenon

def domino(k):
    angle = 0.12 * k
    x, y = 0.6 * np.sin(angle), 0.6 - 0.6 * np.cos(angle)
    return (f'<body pos="{x} {y} 0.05" euler="0 0 {angle}"><freejoint/>'
            f'<geom type="box" size="0.006 0.025 0.05" rgba="{0.9 - 0.02 * k} {0.3 + 0.015 * k} 0.3 1"/></body>')

world = tenon.World(tenon.Model.from_string(f"""
<mujoco><compiler angle="radian"/><option timestep="0.005"/><default><geom friction="0.4 0 0"/></default><worldbody>
  <geom type="plane" size="2 2 1"/>
  <body name="ball" pos="-0.15 0 0.07"><freejoint/><geom type="sphere" size="0.03" rgba="0.2 0.4 0.8 1"/></body>
  {"".join(domino(k) for k in range(30))}
</worldbody></mujoco>"""))
world.qvel[:3] = 1.6, 0, 0
world.step(300)
