"""A gripper holds a soft ball by friction alone."""
import tenon

world = tenon.World(tenon.Model.from_file(tenon.scene_path("gripper")))
world.step(400)
print("the ball does not creep:", world.report)
