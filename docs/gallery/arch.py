"""A thin arch of stones falls by its hinges: it is a ninth thinner than limit analysis allows."""
import tenon

world = tenon.World(tenon.Model.from_file(tenon.scene_path("thin_arch")))
world.step(40)
print(world.report)
