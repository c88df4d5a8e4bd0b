"""A batch of 64 worlds, each with its own mass and friction: how far does a box slide?

Look for: domain randomisation takes no loop over worlds, and each box stops where v² / (2 μ g) says, whatever its mass."""
import numpy as np
import tenon
from common import dots, options, save

MODEL = """
<mujoco model="sliding box">
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 1 1" friction="0.01 0 0"/>
    <body name="box" pos="0 0 0.05">
      <freejoint/><geom name="box" type="box" size="0.1 0.1 0.05" mass="1" rgba="0.9 0.5 0.2 1"/>
    </body>
  </worldbody>
</mujoco>"""
SPEED = 2.0  # m/s, at the start


def main():
    args = options(__doc__)
    count, random = 16 if args.quick else 64, np.random.default_rng(1)
    batch = tenon.Batch(tenon.Model.from_string(MODEL), count, threads=2)
    friction, mass = random.uniform(0.2, 0.9, count), random.uniform(0.1, 10, count)
    batch.set_geom_friction("box", np.stack([friction, 0 * friction, 0 * friction], axis=1))  # the larger of two geoms counts
    batch.set_body_mass("box", mass)
    batch.qvel[:, 0] = SPEED
    while np.abs(batch.qvel[:, 0]).max() > 1e-6:
        batch.step(20)
    distance, expected = batch.qpos[:, 0], SPEED**2 / (2 * friction * 9.81)
    print(f"{count} boxes slid {distance.min():.3f} to {distance.max():.3f} m; "
          f"largest error {np.abs(distance / expected - 1).max():.1e}")
    assert np.abs(distance - expected).max() < 2 * SPEED * 0.002  # a step more or less at full speed
    if args.picture:  # friction to the right, distance upwards; the curve is the formula
        curve = np.linspace(0.2, 0.9, 400)
        pixels = dots((300, 400), (curve - 0.15) / 0.8, SPEED**2 / (2 * curve * 9.81) / 1.1, (120, 120, 130), size=0)
        save(args.picture, dots((300, 400), (friction - 0.15) / 0.8, distance / 1.1, (220, 90, 40), pixels, size=2))


main()
