"""A four-legged robot under PD control stands, then trots.

Look for: at rest the feet carry the weight, in the trot too, on average over a period; two diagonal feet in turn."""
import numpy as np
import tenon
from common import options, save

PERIOD, STRIDE, LIFT, HEIGHT, LINK = 0.5, 0.1, 0.05, 0.32, 0.2  # s, m
LEGS = (("FL", 0.22, 0.12, 0.0), ("FR", 0.22, -0.12, 0.5), ("HL", -0.22, 0.12, 0.5), ("HR", -0.22, -0.12, 0.0))  # phase last


def robot():
    legs = "".join(f"""<body pos="{x} {y} 0"><joint name="{n}_roll" axis="1 0 0"/><geom size="0.045" mass="0.5"/>
      <body><joint name="{n}_hip" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -{LINK}" size="0.025" mass="0.6" rgba="0.2 0.45 0.7 1"/>
        <body pos="0 0 -{LINK}"><joint name="{n}_knee" axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0 0 0 -{LINK}" size="0.015" mass="0.15" rgba="0.3 0.3 0.35 1"/>
          <geom name="{n}" pos="0 0 -{LINK}" size="0.02" mass="0.05" friction="1 0 0" contype="1" rgba="0.9 0.4 0.2 1"/>
    </body></body></body>""" for n, x, y, _ in LEGS)
    motors = "".join(f'<position joint="{n}_{j}" kp="150" kv="4"/>' for n, *_ in LEGS for j in ("roll", "hip", "knee"))
    return f"""<mujoco model="quadruped"><option timestep="0.002"/>
      <default><geom contype="0" conaffinity="0"/><joint damping="0.1" armature="0.01"/></default>
      <worldbody><geom name="ground" type="plane" size="0 0 1" conaffinity="1"/>
        <body name="trunk" pos="0 0 {HEIGHT + 0.02}"><freejoint/><geom type="box" size="0.26 0.09 0.05" mass="8"/>{legs}
      </body></worldbody><actuator>{motors}</actuator></mujoco>"""


def gait(t, stride):
    """The angles of all legs: half a period on the ground and backwards, half in the air and forwards."""
    for *_, shift in LEGS:
        phase = 2 * ((t / PERIOD + shift) % 1)
        x = stride * (0.5 - phase if phase < 1 else phase - 1.5)
        z = HEIGHT - LIFT * stride / STRIDE * max(0, -np.sin(np.pi * phase))
        knee = 2 * np.arccos(np.hypot(x, z) / (2 * LINK))
        yield from (0, knee / 2 - np.arctan2(x, z), -knee)


def main():
    args = options(__doc__)
    world = tenon.World(tenon.Model.from_string(robot()))
    world.ctrl[:] = world.qpos[7:] = list(gait(0, 0))
    world.step(1000)
    weight, carried = 9.81 * world.model.total_mass, np.abs(world.contacts["force"][:, 2]).sum()
    print(f"standing: {len(world.contacts)} feet carry {carried:.3f} N of {weight:.3f} N")
    assert abs(carried - weight) < 1e-3 * weight
    places, forces, begin = [], [], world.time
    for _ in range(1000 if args.quick else 2000):
        world.ctrl[:] = list(gait(world.time - begin, STRIDE * min(1, world.time - begin)))
        world.step()
        places.append(world.qpos[:3].copy())
        forces.append(np.abs(world.contacts["force"][:, 2]).sum())
    speed = (places[-1][0] - places[-251][0]) / 0.5  # in the last period
    print(f"trotting: {speed:.3f} m/s, height {places[-1][2]:.3f} m, mean force {np.mean(forces[-250:]):.1f} N")
    assert speed > 0.2 and places[-1][2] > 0.25 and abs(np.mean(forces[-250:]) / weight - 1) < 0.01
    if args.picture:
        save(args.picture, world.render(360, 250, eye=places[-1] + (0.8, -0.8, 0.3), target=places[-1] - (0, 0, 0.12)))


if __name__ == "__main__":
    main()
