"""A spinning top does not fall: it goes around."""
import tenon

world = tenon.World(tenon.Model.from_string("""
<mujoco><option timestep="0.002"/><worldbody>
  <geom type="plane" size="1 1 1"/><geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.01"/>
  <body pos="0 0 0.2"><joint name="tip" type="ball"/>
    <geom type="capsule" fromto="0 0 0 0.15 0 0" size="0.005" mass="0.02" contype="0" conaffinity="0"/>
    <geom type="cylinder" fromto="0.148 0 0 0.16 0 0" size="0.06" mass="0.3" rgba="0.85 0.6 0.2 1"/>
    <geom type="box" size="0.007 0.055 0.008" pos="0.154 0 0" mass="0" rgba="0.2 0.3 0.6 1"/></body>
</worldbody></mujoco>"""))
world.joint_qvel("tip")[:] = 120, 0, 0   # rad/s about its axle
world.step(1500)
