"""A house of cards stands by friction."""
import tenon

world = tenon.World(tenon.Model.from_file(tenon.scene_path("cards")))
world.step(200)
print(world.report)
