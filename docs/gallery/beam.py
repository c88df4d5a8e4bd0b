"""A robot pushes a rubber beam through a gap narrower than the beam."""
import tenon

world = tenon.World(tenon.Model.from_file(tenon.scene_path("beam")), on_trouble="ignore")
world.step(420)
