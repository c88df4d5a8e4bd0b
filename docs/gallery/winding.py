"""Two robots on wheels wind a cable around a post."""
import tenon

world = tenon.World(tenon.Model.from_file(tenon.scene_path("cable")))
world.step(900)
print(len(world.contacts), "contacts;", world.report)
