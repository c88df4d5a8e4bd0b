"""Makes, uses and drops models, worlds, batches, builders and solvers many times, and says how much memory is left of them.

    leaks.py [COUNT]

By hand, with the installed package; COUNT is 100000 by default. test_process.py does the same for a shorter while."""
import os
import pickle
import sys

import numpy as np
import tenon

MODEL = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="b" pos="0 0 0.1"><freejoint/>
<geom name="g" size="0.1"/></body></worldbody><actuator><motor site="s"/></actuator></mujoco>""".replace(
    '<geom name="g"', '<site name="s"/><geom name="g"')


def resident():
    """Bytes of memory that the process has now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def life(model, k):
    """One of everything; the dear ones not every time."""
    world = tenon.World(model, threads=1 + (k % 50 == 0))
    world.step()
    qpos, ctrl = world.qpos, world.ctrl
    ctrl[0] = 0.1
    world.step(2)
    world.contacts, world.sensors, world.body_pose("b"), world.report, world.energy
    world.apply_wrench("b", force=(0, 0, 1))
    world.eval(want=("bias",))
    for wrong in (lambda: world.body_pose("nobody"), lambda: setattr(world, "qpos", [1]), lambda: world.step(-1)):
        try:
            wrong()
            raise AssertionError("it was taken")
        except (KeyError, tenon.UsageError):
            pass
    del world
    assert np.isfinite(qpos).all()
    if k % 5:
        return
    builder = tenon.Builder("x")
    builder.body(name="b", pos=(0, 0, 1))
    builder.joint(body="b", type="free")
    builder.mesh(name="m", vertices=np.vstack([np.zeros(3), np.eye(3)]))
    builder.geom(body="b", type="mesh", mesh="m")
    built = builder.build()
    builder.geom(body="b", size=0.1)
    try:
        builder.geom(body="b", siez=0.1)
        raise AssertionError("it was taken")
    except TypeError:
        pass
    again = pickle.loads(pickle.dumps(tenon.World(built)))
    again.step()
    tenon.solve([np.eye(3)], [dict(J=np.eye(3), set="friction", mu=0.5)], b=[-1.0, 1, 0])
    batch = tenon.Batch(model, 2, threads=1 + (k % 50 == 0))
    batch.step()
    batch[1].step()
    try:
        tenon.Model.from_string("<mujoco><oops/></mujoco>")
        raise AssertionError("it was taken")
    except tenon.ModelError:
        pass


def grown(count, warm_up):
    """Bytes that `count` lives leave behind, after some that fill what is kept on purpose."""
    model = tenon.Model.from_string(MODEL)
    for k in range(warm_up):
        life(model, k)
    before = resident()
    for k in range(count):
        life(model, k)
    return resident() - before


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    print(f"{grown(number, 1000)} bytes more after {number} lives")
