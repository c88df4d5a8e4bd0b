"""Two discs roll on a wheel's law: no slip, no friction cone."""
import tenon

world = tenon.World(tenon.Model.from_file(tenon.scene_path("rolling_disc")), key="rolling")
world.step(400)
