"""A cloth drapes over a ball."""
import tenon

world = tenon.World(tenon.Model.from_file(tenon.scene_path("cloth")))
world.step(120)
