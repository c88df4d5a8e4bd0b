"""Work and accuracy of tenon.fit: both methods, with few and many parameters (docs/identification.md).

    python3 bench/fit.py

Data come from tenon itself, with 1 mrad of noise. Work is counted in simulations of all runs; time is compared with that of
one simulation in the same run."""
import time

import numpy as np
import tenon

JOINTS = ("pan", "lift", "bend")
ROBOT = """
<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <body name="turret" pos="0 0 0.3"><joint name="pan" axis="0 0 1" damping="0.4" armature="0.05" frictionloss="{f}"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.1" size="0.05" mass="2" contype="0" conaffinity="0"/>
      <body name="upper" pos="0 0 0.1"><joint name="lift" axis="0 1 0" damping="0.6" armature="0.08" frictionloss="{f}"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04" mass="1.5" contype="0" conaffinity="0"/>
        <body name="lower" pos="0.3 0 0"><joint name="bend" axis="0 1 0" damping="0.2" armature="0.02" frictionloss="{f}"/>
          <geom type="capsule" fromto="0 0 0 0.25 0 0" size="0.03" mass="0.8" contype="0" conaffinity="0"/></body></body></body>
  </worldbody>
  <actuator><motor name="pan" joint="pan"/><motor name="lift" joint="lift"/><motor name="bend" joint="bend"/></actuator>
</mujoco>
"""


def log_of(model, seconds=2.0):
    """A controller at 100 Hz; and how long the simulation alone takes, to the tolerance of fits."""
    world = tenon.World(model, tolerance=1e-12)
    rng, rows = np.random.default_rng(1), []
    took = 0.0
    for k in range(int(seconds * 100) + 1):
        t = 0.01 * k
        to = np.array([0.8 * np.sin(3.1 * t), -0.4 + 0.6 * np.sin(2.3 * t + 1), 0.7 * np.sin(4.3 * t + 2)])
        world.ctrl[:] = np.array([30, 60, 20]) * (to - world.qpos) - np.array([2, 4, 1]) * world.qvel
        rows.append((t, world.ctrl.copy(), world.qpos + 1e-3 * rng.standard_normal(3)))
        begin = time.perf_counter()
        world.step(10)
        took += time.perf_counter() - begin
    return {"time": np.array([r[0] for r in rows]), "ctrl": np.array([r[1] for r in rows]),
            "qpos": np.array([r[2] for r in rows])}, took


print(f"{'dry friction':>12} {'parameters':>10} {'method':>12} {'iterations':>10} {'simulations':>11} {'per it.':>8} "
      f"{'time per it.':>12} {'chi2/n':>7} {'worst off, sigmas':>18}")
for friction in (0.0, 0.3):
    model = tenon.Model.from_string(ROBOT.format(f=friction))
    log, simulation = log_of(model)
    kinds = ["damping", "armature"] + (["friction_loss"] if friction else [])
    names = [f"{kind}:{joint}" for kind in kinds for joint in JOINTS] + ["mass:lower", "mass:upper", "com:lower:0"]
    for count in (2, 6, len(names)):
        for method in ("differences", "implicit"):
            wanted = names[:count]
            truth = {name: tenon.fit(model, log, [name], sigma=1e-3, max_iterations=1, stages=1).start[name] for name in wanted}
            begin = time.perf_counter()
            found = tenon.fit(model, log, [{"of": name, "start": 1.3 * truth[name]} for name in wanted], sigma=1e-3,
                              method=method, start={"qpos": np.zeros(3), "qvel": np.zeros(3)})
            took = time.perf_counter() - begin
            off = max(abs(found.values[name] - truth[name]) / found.sigma[name] for name in wanted)
            print(f"{friction:12} {count:10} {method:>12} {found.iterations:10} {found.rollouts:11.0f} "
                  f"{found.rollouts / found.iterations:8.1f} {took / found.iterations / simulation:12.1f} "
                  f"{found.chi2 / found.measurements:7.2f} {off:18.1f}", flush=True)
