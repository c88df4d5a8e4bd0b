"""An arch of loose stones stands by friction alone; a thinner one falls.

Look for: the arch of 12 % thickness stands still, the one of 9.5 % falls by its hinges. Limit analysis says that a
half-circle needs at least 10.75 % (Milankovitch 1907)."""
import numpy as np
import tenon
from common import options, save


def main():
    args = options(__doc__)
    views = []
    for name, stands in (("arch", True), ("thin_arch", False)):
        world = tenon.World(tenon.Model.from_file(tenon.scene_path(name)))
        start, stones = world.qpos.copy(), world.model.njoint
        for k in range(60 if args.quick else 200):
            world.step()
            if k == 50:
                ground = world.model.geom("ground")
                on_ground = world.contacts[(world.contacts["geom1"] == ground) | (world.contacts["geom2"] == ground)]
                thrust = np.abs(on_ground["force"][:, 0]).sum() / 2
                if args.picture:
                    views.append(world.render(300, 220, eye=(0.8, -3.2, 1.0), target=(0, 0, 0.45)))
        moved = np.abs(world.qpos - start).max()
        print(f"{name}: {stones} stones, {9.81 * world.model.total_mass:.0f} N; pushes sideways with {thrust:.0f} N; "
              f"moved by {moved:.1e} m in {world.time:.1f} s")
        assert (moved < 1e-6) if stands else (moved > 0.02)
    if args.picture:
        save(args.picture, np.hstack(views))


main()
