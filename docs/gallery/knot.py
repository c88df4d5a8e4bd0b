"""A rope is pulled into an overhand knot."""
import tenon

world = tenon.World(tenon.Model.from_file(tenon.scene_path("knot")), on_trouble="ignore")
world.step(330)
tension = max(abs(contact["force"][2]) for contact in world.contacts)
print(f"the rope presses on itself with up to {tension:.2f} N")
