"""A four-bar linkage, driven by a motor: a loop closed by an equality."""
import tenon

world = tenon.World(tenon.Model.from_string("""
<mujoco><option timestep="0.005"/><default><geom type="capsule" size="0.012" contype="0" conaffinity="0"/></default><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body pos="-0.2 0 0.4"><joint name="crank" axis="0 1 0" damping="0.02"/><geom fromto="0 0 0 0.1 0 0" rgba="0.8 0.3 0.2 1"/>
    <body pos="0.1 0 0"><joint axis="0 1 0"/><geom fromto="0 0 0 0.3 0 0.2" rgba="0.3 0.6 0.3 1"/>
      <site name="a" pos="0.3 0 0.2"/></body></body>
  <body pos="0.2 0 0.4"><joint axis="0 1 0"/><geom fromto="0 0 0 0 0 0.2" rgba="0.2 0.4 0.8 1"/><geom fromto="0 0 0.2 0 0 0.3"
    size="0.008" rgba="0.2 0.4 0.8 1"/><site name="b" pos="0 0 0.2"/></body>
</worldbody>
<equality><connect site1="a" site2="b"/></equality>
<actuator><velocity joint="crank" kv="1"/></actuator></mujoco>"""))
world.ctrl[:] = 5
world.step(400)
