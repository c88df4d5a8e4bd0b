"""Two gears: an equality ties their angles, and a weight drives them."""
import tenon

gear = """<body pos="{x} 0 0.5"><joint name="{n}" axis="0 1 0" damping="0.02"/><geom type="cylinder" size="{r} 0.02" euler="90 0 0"
  rgba="{c} 1"/><geom type="box" size="{s} 0.025 0.01" rgba="0.9 0.9 0.9 1"/>{more}</body>"""
weight = '<geom size="0.05" pos="0.2 0 0" mass="1" rgba="0.3 0.3 0.35 1"/>'
world = tenon.World(tenon.Model.from_string(f"""
<mujoco><option timestep="0.005"/><default><geom contype="0" conaffinity="0"/></default><worldbody><geom type="plane" size="1 1 1"/>
  {gear.format(x=-0.15, n="large", r=0.2, s=0.19, c="0.8 0.5 0.2", more=weight)}
  {gear.format(x=0.15, n="small", r=0.1, s=0.09, c="0.2 0.5 0.7", more="")}
</worldbody><equality><joint joint1="small" joint2="large" polycoef="0 -2 0 0 0"/></equality></mujoco>"""))
world.step(300)
print(world.joint_qpos("small") / world.joint_qpos("large"))
