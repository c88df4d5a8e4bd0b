"""Newton's cradle: a ball swings in, one swings out."""
import tenon

ball = """<body pos="{x} 0 0.1"><joint name="j{k}" axis="0 1 0" pos="0 0 0.3"/>
  <geom name="b{k}" size="0.02" mass="0.25" rgba="0.6 0.65 0.7 1" friction="0"/>
  <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.001" mass="0" contype="0" conaffinity="0"/></body>"""
world = tenon.World(tenon.Model.from_string(f"""
<mujoco><option timestep="0.002"/><worldbody>
  <geom type="plane" size="1 1 1"/><geom type="capsule" fromto="-0.15 0 0.4 0.2 0 0.4" size="0.006"/>
  {"".join(ball.format(k=k, x=0.041 * k - 0.08) for k in range(5))}
</worldbody>
<tenon>{"".join(f'<geom name="b{k}" restitution="1"/>' for k in range(5))}</tenon></mujoco>"""))
world.joint_qpos("j0")[:] = 0.7
world.step(1300)
