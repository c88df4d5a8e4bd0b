"""A laser scanner turns in a room with posts and sees by rays.

Look for: the distances to the walls are those of a rectangle, and the picture is the room as the scanner sees it."""
import numpy as np
import tenon
from common import dots, options, save

POSTS = ((1.2, 0.8, 0.15), (-1.4, -0.5, 0.25), (0.4, -1.1, 0.1), (-0.6, 1.2, 0.2))
HALF = np.array([2.5, 1.8])  # m, of the room


def room():
    walls = "".join(f'<geom name="wall{k}" type="box" pos="{x} {y} 0.5" size="{sx} {sy} 0.5" rgba="0.8 0.8 0.85 1"/>'
                    for k, (x, y, sx, sy) in enumerate(((2.6, 0, 0.1, 2), (-2.6, 0, 0.1, 2), (0, 1.9, 2.7, 0.1),
                                                        (0, -1.9, 2.7, 0.1))))
    posts = "".join(f'<geom name="post{k}" type="cylinder" pos="{x} {y} 0.5" size="{r} 0.5" rgba="0.8 0.3 0.2 1"/>'
                    for k, (x, y, r) in enumerate(POSTS))
    return f"""<mujoco model="room"><worldbody><geom type="plane" size="3 3 1"/>{walls}{posts}
      <body name="robot" pos="0 0 0.1"><freejoint/>
        <geom type="cylinder" size="0.12 0.1" rgba="0.2 0.4 0.7 1"/><site name="scanner" pos="0 0 0.15"/></body>
    </worldbody></mujoco>"""


def main():
    args = options(__doc__)
    world = tenon.World(tenon.Model.from_string(room()))
    world.step(10)
    angle = np.linspace(0, 2 * np.pi, 360 if args.quick else 1440, endpoint=False)
    along = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1)
    start = world.site_pose("scanner")[0]
    hits = world.cast_rays(np.tile(start, (len(angle), 1)), along, exclude="robot")
    points = start + hits["distance"][:, None] * along

    with np.errstate(divide="ignore"):
        wall = np.min((HALF - np.sign(along[:, :2]) * start[:2]) / np.abs(along[:, :2]), axis=1)
    names = np.array(world.model.names("geom"))[hits["geom"]]
    free = np.char.startswith(names, "wall")
    print(f"{len(angle)} rays: {free.sum()} reach a wall, {len(angle) - free.sum()} a post")
    assert np.abs(hits["distance"][free] - wall[free]).max() < 1e-9
    for k, (x, y, radius) in enumerate(POSTS):
        seen = points[names == f"post{k}", :2]
        assert len(seen) > 3 and np.abs(np.linalg.norm(seen - (x, y), axis=1) - radius).max() < 1e-9
    if args.picture:
        view = world.render(300, 300, eye=(0, -4, 6.5), target=(0, -0.1, 0))
        scan = dots((300, 400), points[:, 0] / 5.6 + 0.5, points[:, 1] / 4.2 + 0.5, (200, 60, 40))
        save(args.picture, np.hstack([view, dots((300, 400), [0.5], [0.5], (40, 90, 170), scan, size=3)]))


main()
