"""A rope bridge: 25 planks hang between two towers, and balls fall on it."""
import tenon

z = [0.5 + 0.2 * ((k - 12) / 12) ** 2 for k in range(26)]
planks = "".join(f"""<body name="p{k}" pos="{0.08 * k} 0 {z[k]}"><freejoint/><geom type="box" size="0.03 0.15 0.008" mass="0.1"
  rgba="0.6 0.45 0.3 1"/></body>""" for k in range(25))
links = "".join(f'<connect body1="p{k}" body2="p{k + 1}" anchor="0.04 {y} {(z[k + 1] - z[k]) / 2}"/>'
                for k in range(24) for y in (-0.14, 0.14))
ends = "".join(f'<connect body1="p{k}" body2="world" anchor="{x} {y} 0"/>'
               for k, x in ((0, -0.04), (24, 0.04)) for y in (-0.14, 0.14))
balls = "".join(f'<body pos="{0.5 + 0.25 * k} {0.05 * (-1) ** k} {0.9 + 0.1 * k}"><freejoint/><geom size="0.05" '
                'rgba="0.8 0.3 0.2 1"/></body>' for k in range(5))
world = tenon.World(tenon.Model.from_string(f"""
<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="3 3 1"/>{planks}{balls}
  <geom type="box" size="0.1 0.2 0.35" pos="-0.16 0 0.35"/><geom type="box" size="0.1 0.2 0.35" pos="2.08 0 0.35"/>
</worldbody><equality>{links}{ends}</equality></mujoco>"""))
world.step(200)
