"""What a robot's camera sees: colour, depth and the geom of each pixel.

Look for: the depth of each pixel of the ball is that of a sphere in front of a pinhole camera."""
import numpy as np
import tenon
from common import options, save

MODEL = """
<mujoco model="table">
  <worldbody>
    <camera name="eye" pos="0 -1.2 0.5" xyaxes="1 0 0 0 0.35 1" fovy="50"/>
    <geom name="table" type="box" pos="0 0 -0.05" size="0.7 0.5 0.05" rgba="0.6 0.45 0.3 1"/>
    <geom name="ball" pos="0 -0.1 0.12" size="0.12" rgba="0.85 0.3 0.2 1"/>
    <geom name="box" type="box" pos="-0.35 0.1 0.1" size="0.1 0.1 0.1" euler="0 0 30" rgba="0.2 0.5 0.75 1"/>
    <geom name="can" type="cylinder" pos="0.35 0.05 0.12" size="0.07 0.12" rgba="0.3 0.65 0.35 1"/>
  </worldbody>
</mujoco>"""
WIDTH, HEIGHT = 260, 200


def main():
    args = options(__doc__)
    model = tenon.Model.from_string(MODEL)
    world = tenon.World(model)
    colour = world.render(WIDTH, HEIGHT, "eye")
    depth = world.render(WIDTH, HEIGHT, "eye", depth=True)
    geoms = world.render(WIDTH, HEIGHT, "eye", segmentation=True)

    # The ray of each pixel in the camera's axes (x right, y up, depth along -z), and where it meets the ball.
    focal = HEIGHT / 2 / np.tan(np.radians(50) / 2)
    x, y = (np.arange(WIDTH) + 0.5 - WIDTH / 2) / focal, (HEIGHT / 2 - np.arange(HEIGHT) - 0.5) / focal
    rays = np.stack([*np.meshgrid(x, y), -np.ones((HEIGHT, WIDTH))], axis=-1)
    up = np.array([0, 0.35, 1]) / np.hypot(0.35, 1)
    axes = np.array([[1, 0, 0], up, np.cross([1, 0, 0], up)])
    centre = axes @ (np.array([0, -0.1, 0.12]) - (0, -1.2, 0.5))
    a, b, c = (rays**2).sum(-1), rays @ centre, centre @ centre - 0.12**2
    ball = geoms == model.geom("ball")
    inner = ball & (b**2 - a * c > 0.002 * b**2)  # not at the rim, where half a pixel matters
    expected = (b - np.sqrt(np.maximum(b**2 - a * c, 0))) / a
    error = np.abs(depth[inner] - expected[inner]).max()
    print(f"ball: {ball.sum()} pixels, depth {depth[ball].min():.3f} to {depth[ball].max():.3f} m, error {1e3 * error:.2f} mm")
    assert inner.sum() > 1000 and error < 2e-3  # the ball is drawn as flat faces
    if args.picture:
        near, far = depth.min(), depth[np.isfinite(depth)].max()
        shade = np.where(np.isfinite(depth), 255 * (far - depth) / (far - near), 0).astype(np.uint8)
        palette = np.array([[235, 235, 240], [150, 110, 80], [220, 80, 60], [60, 120, 190], [80, 160, 90]], np.uint8)
        save(args.picture, np.hstack([colour, np.repeat(shade[..., None], 3, axis=2), palette[geoms + 1]]))


main()
