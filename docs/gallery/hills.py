"""Balls roll over hills: a height field."""
import numpy as np
import tenon

b = tenon.Builder()
x = np.linspace(-1, 1, 41)
heights = 0.12 * (1 + np.cos(6 * x[None, :]) * np.cos(5 * x[:, None]))
field = b.height_field(name="hills", heights=heights, half=(1, 1), base=0.05)
b.geom(type="plane", size=(2, 2, 1))
b.geom(type="mesh", mesh=field, rgba=(0.45, 0.6, 0.4, 1))
for k in range(40):
    ball = b.body(pos=(-0.8 + 0.22 * (k % 8), -0.6 + 0.3 * (k // 8), 0.4))
    b.joint(body=ball, type="free")
    b.geom(body=ball, size=(0.04,), rgba=(0.9, 0.3 + 0.01 * k, 0.2, 1))
world = tenon.World(b.build())
world.step(250)
