"""A program whose types mypy checks (test_types.py); the tests also run it. Lines with `# type: ignore[…]` have to be wrong."""
from typing import Dict, Tuple

import numpy as np
import numpy.typing as npt
import tenon


def build(length: float) -> tenon.Model:
    b = tenon.Builder("pendulum")
    b.option(timestep=0.005, gravity=(0, 0, -9.81))
    arm: int = b.body(name="arm", pos=np.array([0.0, 0.0, 1.0]))
    b.joint(name="pin", body=arm, type="hinge", axis=(0, 1, 0))
    b.geom(name="rod", body="arm", type="capsule", size=(0.02, length / 2))
    b.actuator(name="motor", joint="pin", ctrl_range=(-1, 1))
    b.sensor(name="angle", type="joint_pos", object="pin")
    return b.build()


def simulate(model: tenon.Model, steps: int) -> Tuple[float, npt.NDArray[np.float64]]:
    with tenon.World(model, solver="newton", threads=1) as world:
        world.ctrl[0] = 0.5
        world.qpos = [0.1]
        world.step(steps)
        pose, turn = world.body_pose("arm")
        report: tenon.Report = world.report
        assert report.converged and pose.shape == (3,) and turn.shape == (4,)
        info: Dict[str, object] = model.geom_info("rod")
        assert info["type"] == "capsule"
        return world.time, world.qpos.copy()


def alone() -> npt.NDArray[np.float64]:
    rows = tenon.Rows(J=np.eye(3)[[2, 0, 1]], set="friction", mu=0.5)
    solution: tenon.Solution = tenon.solve([2.0 * np.eye(3)], [rows], b=[1.0, 0.0, -4.0])
    return solution.forces


def wrong(world: tenon.World, b: tenon.Builder) -> None:
    b.geom(siez=0.1)  # type: ignore[call-arg]
    b.geom(type="blob")  # type: ignore[arg-type]
    b.joint(damping="much")  # type: ignore[arg-type]
    world.step("many")  # type: ignore[arg-type]
    world.report.converged = True  # type: ignore[misc]
    tenon.solve([np.eye(3)], method="quick")  # type: ignore[arg-type]
    time: str = world.time  # type: ignore[assignment]
    print(time)


if __name__ == "__main__":
    print(simulate(build(0.5), 10), alone().round(5) + 0.0)
