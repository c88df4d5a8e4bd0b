"""A robot arm stirs 216 grains in a box.

Look for: in every step the forces of box and rod on the grains, less their weight, are what changes their momentum, as
well as the step's error allows. Grains overlap by hundredths of a millimetre, and each step says how exact
it was."""
import numpy as np
import tenon
from common import options, save

OUTSIDE = ("ground", "wall_front", "wall_back", "wall_left", "wall_right", "rod")


def main():
    args = options(__doc__)
    model = tenon.Model.from_file(tenon.scene_path("stir"))
    world = tenon.World(model, substeps=1)  # the scene has a control track: the arm knows what to do
    grains = [k for k, name in enumerate(model.names("body")) if name.startswith("s") and name[1:].isdigit()]
    mass = sum(model.body_info(k)["mass"] for k in grains)
    outside = np.zeros(model.ngeom, bool)
    outside[[model.geom(name) for name in OUTSIDE]] = True
    world.step(100)

    def upwards():
        """m/s: the mean velocity of the grains, all of one mass."""
        return np.mean([world.body_velocity(k)[0][2] for k in grains])

    wrong, depths, errors = [], [], []
    while world.time < (1.5 if args.quick else 4.0):
        before = upwards()
        world.step()
        contacts = world.contacts  # force: on geom2
        push = contacts["force"][outside[contacts["geom1"]], 2].sum() - contacts["force"][outside[contacts["geom2"]], 2].sum()
        wrong.append(push - 9.81 * mass - mass * (upwards() - before) / model.timestep)
        depths.append(world.report.mean_penetration)
        errors.append(world.report.error)
    print(f"{len(grains)} grains weigh {9.81 * mass:.3f} N; their momentum is wrong by {np.mean(np.abs(wrong)):.1e} N on average")
    print(f"{len(world.contacts)} contacts, mean overlap {1e3 * np.mean(depths):.4f} mm, mean error {np.mean(errors):.1e} of "
          "gravity x timestep")
    assert np.mean(np.abs(wrong)) < 5e-3 * 9.81 * mass  # of a thousand contacts, each solved to 1e-4
    assert np.mean(depths) < 5e-5
    if args.picture:
        save(args.picture, world.render(340, 260, "bed"))


main()
