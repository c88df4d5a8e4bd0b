"""A ball flies into a curtain that hangs on a bar."""
import tenon

b = tenon.Builder("curtain")
b.option(timestep=0.005)
b.geom(type="plane", size=(3, 3, 1))
b.geom(type="capsule", size=0.015, between=[(0, -0.55, 1.3), (0, 0.55, 1.3)], rgba=(0.3, 0.3, 0.3, 1))
b.soft(name="curtain", mesh=tenon.sheet_mesh((0.55, 0.5), (20, 20)), pos=(0, 0, 0.78), quat=(0.5, 0.5, 0.5, 0.5), thickness=0.002,
       youngs_modulus=2e5, density=300, damping_time=0.01, friction=(0.4, 0, 0), rgba=(0.7, 0.15, 0.2, 1), contact_radius=0.005)
b.pin("curtain", box=((0, 0, 1.28), (0.1, 0.6, 0.01)))
b.body(name="ball", pos=(-0.9, 0.1, 0.9))
b.joint(body="ball", type="free")
b.geom(body="ball", size=0.08, mass=0.15, rgba=(0.95, 0.8, 0.2, 1))
world = tenon.World(b.build())
world.qvel[:3] = 4, 0, 1.5     # m/s
world.step(160)
