"""A cable over a post: friction multiplies the force.

Look for: over half a turn with friction μ, a weight holds another one up to exp(π μ) times as heavy (Euler, Eytelwein).
Below this ratio the cable holds; above it the heavier weight falls as fast as the same formula says."""
import numpy as np
import tenon
from common import options, save

RADIUS, THICK, FRICTION, LIGHT = 0.1, 0.003, 0.3, 0.5  # m, m, 1, kg
ARC, TAIL = 36, 24  # segments on the post and in each tail


def model(ratio):
    """Two weights on a cable over a post; the one on the right is `ratio` times as heavy."""
    around = (RADIUS + THICK) / np.cos(np.pi / ARC / 2)  # segments touch the post with their middles
    angle, length = np.linspace(np.pi, 0, ARC + 1), 2 * around * np.sin(np.pi / ARC / 2)
    drop = length * np.arange(1, TAIL + 1)
    x = np.concatenate([np.full(TAIL, -around), around * np.cos(angle), np.full(TAIL, around)])
    z = np.concatenate([-drop[::-1], around * np.sin(angle), -drop])
    weights = "".join(f"""
    <body name="{name}" pos="{side * around} 0 {-drop[-1] - size}"><freejoint/>
      <geom type="box" size="{size} {size} {size}" mass="{mass}" contype="0" conaffinity="0" rgba="{rgba} 1"/></body>"""
                      for name, side, size, mass, rgba in (("light", -1, 0.03, LIGHT, "0.2 0.45 0.7"),
                                                           ("heavy", 1, 0.04, LIGHT * ratio, "0.85 0.35 0.2")))
    return tenon.Model.from_string(f"""
<mujoco model="capstan"><option timestep="0.002"/>
  <worldbody>
    <geom type="capsule" fromto="0 -0.15 0 0 0.15 0" size="{RADIUS}" friction="{FRICTION} 0 0" rgba="0.7 0.6 0.5 1"/>{weights}
  </worldbody>
  <equality>
    <connect body1="light" body2="cable_0" anchor="0 0 0.03"/>
    <connect body1="heavy" body2="cable_{ARC + 2 * TAIL - 1}" anchor="0 0 0.04"/>
  </equality>
  <tenon>
    <rod name="cable" points="{' '.join(f'{a:.9f} 0 {b:.9f}' for a, b in zip(x, z))}" radius="{THICK}" density="100"
      young="1e8" bend="5e6" twist="5e6" damping="0.01" friction="{FRICTION} 0 0" rgba="0.25 0.25 0.3 1"/>
  </tenon>
</mujoco>""")


def main():
    args = options(__doc__)
    limit, views = np.exp(np.pi * FRICTION), []  # friction acts on the surface of a thick cable, tension in its middle:
    thick = np.exp(np.pi * FRICTION * RADIUS / (RADIUS + THICK))
    for ratio in (0.9 * limit, 1.2 * limit):
        world, speeds = tenon.World(model(ratio)), []
        for _ in range(100 if args.quick else 150):
            world.step()
            speeds.append(-world.body_velocity("heavy")[0][2])
        falls = 9.81 * max(0, (ratio - thick) / (ratio + thick))
        measured = np.polyfit(0.002 * np.arange(50, len(speeds)), speeds[50:], 1)[0]
        print(f"{ratio:.3f} times as heavy (limit {limit:.3f}, of this thickness {thick:.3f}): {measured:.3f} m/s², expected {falls:.3f}")
        assert abs(measured - falls) < 0.05  # 1.002 with shorter steps: the cable is stiff, and bends in front of the post
        if args.picture:
            views.append(world.render(230, 300, eye=(0.3, -0.75, 0.05), target=(0, 0, -0.12)))
    if args.picture:
        save(args.picture, np.hstack(views))


main()
