"""A tower of boxes stands: each contact carries what is above it."""
import tenon

boxes = "".join(f'<body name="b{k}" pos="0 0 {0.05 + 0.1 * k}"><freejoint/><geom type="box" size="0.08 0.08 0.05" mass="1" '
                f'rgba="{0.3 + 0.02 * k} {0.7 - 0.02 * k} 0.5 1"/></body>' for k in range(20))
world = tenon.World(tenon.Model.from_string(f"""
<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="2 2 1"/>{boxes}</worldbody></mujoco>"""))
world.step(300)
ground = sum(c["force"][2] for c in world.contacts if c["pos"][2] < 0.01)
print(f"the ground carries {abs(ground):.6f} N of {20 * 9.81} N")
