"""A robot arm of six joints draws a circle: inverse kinematics and inverse dynamics.

Look for: the tip stays on the circle. The torques are those that the motion needs (inverse dynamics) plus a small
correction, so the error is far below what a servo alone leaves."""
import numpy as np
import tenon
from common import options, save

LINKS = ((0.3, "0 0 1"), (0.4, "0 1 0"), (0.35, "0 1 0"), (0.15, "1 0 0"), (0.12, "0 1 0"), (0.1, "0 0 1"))
CENTRE, RADIUS, PERIOD, STEP = np.array([0.55, 0, 0.6]), 0.15, 2.0, 0.002


def arm():
    inside = '<site name="tip" pos="0 0 0.1"/>'
    for k, (length, axis) in reversed(list(enumerate(LINKS))):
        size = 0.05 - 0.006 * k
        inside = f"""
        <body name="link{k}" pos="0 0 {LINKS[k - 1][0] if k else 0}">
          <joint name="joint{k}" axis="{axis}" damping="0.1" armature="0.01"/>
          <geom type="capsule" fromto="0 0 0 0 0 {length}" size="{size}" contype="0" conaffinity="0"
            rgba="{0.95 - 0.12 * (k % 2)} {0.93 - 0.1 * (k % 2)} 0.88 1"/>{inside}
        </body>"""
    dot = '<geom pos="{} {} {}" size="0.006" contype="0" conaffinity="0" rgba="0.9 0.3 0.2 1"/>'
    circle = "".join(dot.format(*path(t)) for t in np.arange(0, PERIOD, 0.05))
    motors = "".join(f'<motor joint="joint{k}"/>' for k in range(6))
    return f"""<mujoco model="arm"><option timestep="{STEP}"/>
      <worldbody><geom type="plane" size="0 0 1"/>{circle}{inside}</worldbody><actuator>{motors}</actuator></mujoco>"""


def path(t):
    return CENTRE + RADIUS * np.array([0, np.cos(2 * np.pi * t / PERIOD), np.sin(2 * np.pi * t / PERIOD)])


def main():
    args = options(__doc__)
    world = tenon.World(tenon.Model.from_string(arm()))
    model, count = world.model, 300 if args.quick else int(PERIOD / STEP)
    angles, q = [], np.array([0, 0.4, 1.2, 0, 0.4, 0])
    for k in range(count + 3):  # joint angles of the whole path, each from the one before
        q, converged, *_ = model.ik(q, "tip", pos=path(k * STEP), tolerance=1e-10)
        assert converged, f"no joint angles for the point at {k * STEP} s"
        angles.append(q)
    angles = np.array(angles)
    speeds, accelerations = np.gradient(angles, STEP, axis=0), np.gradient(np.gradient(angles, STEP, axis=0), STEP, axis=0)
    world.qpos[:], world.qvel[:] = angles[1], speeds[1]
    errors, drawn = [], []
    for k in range(1, count):
        wanted = accelerations[k] + 400 * (angles[k] - world.qpos) + 40 * (speeds[k] - world.qvel)
        world.ctrl[:] = world.inverse_dynamics(wanted) - world.eval(want="passive")["passive"]
        world.step()
        drawn.append(world.site_pose("tip")[0])
        errors.append(np.linalg.norm(drawn[-1] - path((k + 1) * STEP)))
    print(f"largest distance from the circle {1e3 * max(errors):.3f} mm, largest torque {np.abs(world.ctrl).max():.1f} N m")
    assert max(errors) < 1e-3
    if args.picture:
        save(args.picture, world.render(320, 260, eye=(1.4, -1.2, 0.9), target=(0.25, 0, 0.42), fovy=0.7))


main()
