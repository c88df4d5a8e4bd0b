"""An arm stirs 216 spheres."""
import tenon

world = tenon.World(tenon.Model.from_file(tenon.scene_path("stir")), iterations=60)
world.step(350)
print(len(world.contacts), "contacts;", round(1000 * world.report.times["total"], 2), "ms for the last step")
