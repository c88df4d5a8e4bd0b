"""A model built by a program: a spiral of dominoes, which the first one topples.

Look for: dominoes four times as large fall twice as slowly, as gravity's only scale of time, sqrt(size / g), says."""
import numpy as np
import tenon
from common import options, save

HEIGHT, SPACING = 0.048, 0.02  # m, of the small ones
COLOURS = ((0.85, 0.3, 0.2, 1), (0.95, 0.75, 0.3, 1), (0.2, 0.5, 0.75, 1))


def spiral(count, scale):
    """Places and directions, one spacing apart."""
    angle, places = 2.5 * np.pi, []
    for _ in range(count):
        radius = 0.012 * angle
        places.append((radius * np.cos(angle) * scale, radius * np.sin(angle) * scale, angle))
        angle += SPACING / radius
    return places


def build(count, scale):
    b = tenon.Builder("dominoes")
    b.option(timestep=0.002 * np.sqrt(scale))
    b.geom(type="plane", size=(1, 1, 0.1), rgba=(0.9, 0.9, 0.92, 1))
    for i, (x, y, angle) in enumerate(spiral(count, scale)):
        turn = (np.cos(angle / 2), 0, 0, np.sin(angle / 2))  # its thin side is along the path
        body = b.body(name=f"domino{i}", pos=(x, y, HEIGHT / 2 * scale), quat=turn)
        b.joint(body=body, type="free", name="push" if i == 0 else None)
        b.geom(body=body, type="box", size=np.array([0.012, 0.0037, HEIGHT / 2]) * scale, friction=(0.3, 0, 0),
               density=1000 / scale**3, rgba=COLOURS[i % 3])
    return b.build()


def topple(count, scale, last):
    """The world when this domino leans by 30 degrees."""
    world = tenon.World(build(count, scale))
    pushed = world.joint_qvel("push")  # about its lower edge, forwards
    turn, angle = 4 / np.sqrt(scale), spiral(1, scale)[0][2]
    pushed[:] = *(turn * HEIGHT / 2 * scale * np.array([-np.sin(angle), np.cos(angle), 0])), -turn, 0, 0
    leaning = np.sin(np.pi / 12)  # of the quaternion: half the angle
    while np.hypot(*world.body_pose(f"domino{last}")[1][1:3]) < leaning:
        world.step()
        assert world.report.converged and world.time < 5 * np.sqrt(scale)
    return world


def main():
    args = options(__doc__)
    count = 20 if args.quick else 90
    small, large = (topple(count, scale, count - 1) for scale in (1, 4))
    print(f"{count} dominoes of {1e3 * HEIGHT:.0f} mm: the last one falls after {small.time:.3f} s; "
          f"four times as large: after {large.time:.3f} s")
    assert abs(large.time / small.time - 2) < 0.02  # one step of 0.5 s
    if args.picture:
        save(args.picture, topple(90, 1, 50).render(380, 217, eye=(0.05, -0.4, 0.22), target=(0, -0.02, 0)))


main()
