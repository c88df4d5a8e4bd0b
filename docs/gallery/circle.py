"""An arm of three joints draws a circle by inverse kinematics."""
import numpy as np
import tenon

arm = tenon.World(tenon.Model.from_string("""
<mujoco><option timestep="0.01" gravity="0 0 0"/><default><geom type="capsule" size="0.02" rgba="0.8 0.4 0.2 1"/></default>
<worldbody><geom type="plane" size="1 1 1" rgba="0.6 0.63 0.66 1"/>
  <body pos="0 0 0.05"><joint axis="0 0 1"/><geom fromto="0 0 0 0 0 0.2"/>
    <body pos="0 0 0.2"><joint axis="0 1 0" ref="40"/><geom fromto="0 0 0 0.3 0 0.1"/>
      <body name="tip" pos="0.3 0 0.1"><joint axis="0 1 0"/><geom fromto="0 0 0 0.25 0 -0.15"/>
        <site name="pen" pos="0.25 0 -0.15"/></body>
</body></body></worldbody></mujoco>"""))
for k in range(200):
    target = 0.4 + 0.08 * np.cos(0.05 * k), 0.1 * np.sin(0.05 * k), 0.2
    pen = arm.site_pose("pen")[0]
    arm.qvel[:] = np.linalg.solve(arm.jacobian("tip", pen)[:3], 10 * (target - pen))
    arm.step()
