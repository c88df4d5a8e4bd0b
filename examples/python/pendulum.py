"""A double pendulum and where its energy goes.

Look for: the account balances. What the bodies lose is what the dampers took plus what the time step lost, to rounding.
Without dampers, a small swing of one rod has the period that the textbook says."""
import numpy as np
import tenon
from common import options, save

MODEL = """
<mujoco model="double pendulum">
  <option timestep="{step}"/>
  <worldbody>
    <geom type="cylinder" fromto="0 0.02 1 0 0.06 1" size="0.03" rgba="0.3 0.3 0.35 1"/>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" damping="{damping}"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02" mass="1" rgba="0.13 0.47 0.71 1"/>
      <body name="lower" pos="0 0 -0.4">
        <joint name="elbow" axis="0 1 0" damping="{damping}"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02" mass="1" rgba="0.9 0.4 0.2 1"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""


def main():
    args = options(__doc__)
    world = tenon.World(tenon.Model.from_string(MODEL.format(step=0.002, damping=0.02)))
    world.qpos[:] = (2.5, 0.5)
    start, lost, pictures = world.energy.total, 0.0, []
    for k in range(500 if args.quick else 3000):
        if args.picture and k in (0, 160, 330):
            pictures.append(world.render(200, 260, eye=(0, -2.9, 1.2), target=(0, 0, 1), fovy=0.55))
        world.step()
        account = world.report.energy
        lost += account.damping + account.step - account.created
    now = world.energy.total
    print(f"{world.time:.1f} s: energy {start:.3f} J to {now:.3f} J, {lost:.3f} J in the account")
    assert abs(start - lost - now) < 1e-9 * abs(start)

    # A uniform rod of length l: T = 2 pi sqrt(I / (m g l/2)), and the elbow is locked by an inertia that nothing moves.
    model = tenon.Model.from_string(MODEL.format(step=0.001, damping=0).replace('name="elbow"', 'name="elbow" armature="1e6"'))
    world = tenon.World(model)
    matrix = world.mass_matrix()  # the shoulder's number is the inertia of both rods about it
    world.qpos[0] = 0.01
    stiffness = 9.81 * (1 * 0.2 + 1 * 0.6)
    period, crossings, before = 2 * np.pi * np.sqrt(matrix[0, 0] / stiffness), [], 0.01
    while len(crossings) < 3:
        world.step()
        if before * world.qpos[0] < 0:  # the moment between the two steps at which it was zero
            crossings.append(world.time - 0.001 * world.qpos[0] / (world.qpos[0] - before))
        before = float(world.qpos[0])
    print(f"period {crossings[2] - crossings[0]:.5f} s, expected {period:.5f} s")
    assert abs(crossings[2] - crossings[0] - period) < 1e-4 * period
    if args.picture:
        save(args.picture, np.hstack(pictures))


main()
