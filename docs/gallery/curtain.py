"""A ball flies into a curtain that hangs from a bar."""
import numpy as np
import tenon

b = tenon.Builder("curtain")
b.option(timestep=0.005)
b.geom(type="plane", size=(3, 3, 1))
b.geom(type="capsule", size=0.02, between=[(0, -0.6, 1.3), (0, 0.6, 1.3)], rgba=(0.3, 0.3, 0.3, 1))
nodes, triangles = tenon.sheet_mesh((0.5, 0.5), (20, 20))
top = np.flatnonzero(nodes[:, 1] > 0.499)     # y of the mesh is z of the world
b.soft(name="curtain", mesh=(nodes, triangles), pos=(0, 0, 0.8), quat=(0.5, 0.5, 0.5, 0.5), holds={0: top}, thickness=0.002,
       youngs_modulus=2e5, density=300, damping_stiffness=0.005, radius=0.01, rgba=(0.7, 0.15, 0.2, 1))
b.body(name="ball", pos=(-0.9, 0.1, 0.8))
b.joint(body="ball", type="free")
b.geom(body="ball", size=0.08, mass=0.15, rgba=(0.95, 0.8, 0.2, 1))
world = tenon.World(b.build())
world.qvel[:3] = 4, 0, 1.5                    # m/s
world.step(240)
