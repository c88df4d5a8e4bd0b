"""A wrecking ball on a rod goes through a wall of bricks."""
import tenon

bricks = "".join(f'<body pos="0 {0.205 * (c - 3) + 0.1 * (r % 2)} {0.05 + 0.1 * r}"><freejoint/>'
                 f'<geom type="box" size="0.05 0.1 0.05" mass="1" rgba="{0.75 - 0.03 * r} {0.35 + 0.02 * c} 0.25 1"/></body>'
                 for r in range(8) for c in range(7))
world = tenon.World(tenon.Model.from_string(f"""
<mujoco><option timestep="0.005"/><worldbody>
  <geom type="plane" size="3 3 1"/>{bricks}
  <body pos="0 0 2"><joint name="swing" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -1.4" size="0.01" contype="0" conaffinity="0"/>
    <geom size="0.15" pos="0 0 -1.5" mass="30" rgba="0.3 0.3 0.35 1"/></body>
</worldbody></mujoco>"""))
world.joint_qpos("swing")[:] = 1.2
world.step(260)
