"""A pole is balanced on a cart by four gains."""
import tenon

world = tenon.World(tenon.Model.from_string("""
<mujoco><option timestep="0.01"/><worldbody>
  <geom type="plane" size="3 3 1"/><geom type="capsule" fromto="-1 0 0.3 1 0 0.3" size="0.01" contype="0" conaffinity="0"/>
  <body pos="0 0 0.3"><joint name="cart" type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.06 0.04" mass="1" rgba="0.2 0.4 0.7 1"/>
    <body><joint name="pole" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.6" size="0.015" mass="0.2" rgba="0.85 0.4 0.2 1"
      contype="0" conaffinity="0"/></body></body>
</worldbody><actuator><motor joint="cart"/></actuator></mujoco>"""))
world.qpos[:] = -0.5, 0.3
for _ in range(400):
    (x, angle), (speed, rate) = world.qpos, world.qvel
    world.ctrl[:] = 2 * x + 4 * speed + 45 * angle + 9 * rate
    world.step()
print(world.qpos)
