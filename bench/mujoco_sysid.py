"""The same fit by tenon.fit and by mujoco.sysid, on the same noisy data of MuJoCo (docs/identification.md).

    pip install 'mujoco[sysid]'; python3 bench/mujoco_sysid.py

A double pendulum with a known torque: masses and damping, off by up to 1.4 at the start. Each engine fits its own model, with
steps of 1 ms; MuJoCo's are of fourth order, for its others make errors that
are larger than those of the noise."""
import time

import mujoco
import numpy as np
import tenon
from mujoco import rollout, sysid

XML = """
<mujoco>
  <option timestep="0.001" integrator="RK4"/>
  <worldbody>
    <body name="upper" pos="0 0 1"><joint name="one" axis="0 1 0" damping="0.02"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02" mass="0.5" contype="0" conaffinity="0"/>
      <body name="lower" pos="0 0 -0.3"><joint name="two" axis="0 1 0" damping="0.01"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.02" mass="0.3" contype="0" conaffinity="0"/></body></body>
  </worldbody>
  <actuator><motor name="push" joint="one"/></actuator>
  <sensor><jointpos name="one" joint="one"/><jointpos name="two" joint="two"/></sensor>
</mujoco>
"""
TRUTH = {"mass:upper": 0.5, "mass:lower": 0.3, "damping:one": 0.02, "damping:two": 0.01}
OFF = {"mass:upper": 1.4, "mass:lower": 0.75, "damping:one": 1.4, "damping:two": 0.75}
NOISE = 2e-3

spec = mujoco.MjSpec.from_string(XML)
mj = spec.compile()
data = mujoco.MjData(mj)
data.qpos[:] = 1.0, -0.5
t = 0.001 * np.arange(3001)
ctrl = (0.5 * np.sin(5 * t)).reshape(-1, 1)
start = sysid.create_initial_state(mj, data.qpos, data.qvel, data.act)
states, sensors = (np.squeeze(a, axis=0) for a in rollout.rollout(mj, data, start, ctrl[:-1]))
sensors = sensors + NOISE * np.random.default_rng(3).standard_normal(sensors.shape)


def change(name):
    kind, of = name.split(":")

    def modify(spec, p):
        if kind == "mass":
            spec.body(of).geoms[0].mass = p.value[0]
        else:
            spec.joint(of).damping = [p.value[0], 0, 0]
    return modify


parameters = sysid.ParameterDict()
for name, value in TRUTH.items():
    parameters.add(sysid.Parameter(name, nominal=value, min_value=0.1 * value, max_value=10 * value, modifier=change(name)))
    parameters[name].value[:] = OFF[name] * value
times = states[:, 0]
runs = sysid.ModelSequences("pendulum", spec, "run", start, sysid.TimeSeries(t, ctrl),
                            sysid.TimeSeries.from_names(times, sensors, mj))
begin = time.perf_counter()
theirs, _ = sysid.optimize(initial_params=parameters, residual_fn=sysid.build_residual_fn(models_sequences=[runs]),
                           optimizer="mujoco", verbose=False)
took = time.perf_counter() - begin

# a reading may be of the beginning of the step that led to a state
lag = int(np.abs(sensors[:, 0] - states[:, 1]).std() > np.abs(sensors[1:, 0] - states[:-1, 1]).std())
place = np.full((len(t), 2), np.nan)
place[1 - lag:len(t) - lag] = sensors
log = {"time": t, "push.ctrl": ctrl[:, 0], "one.q0": place[:, 0], "two.q0": place[:, 1]}
begin = time.perf_counter()
ours = tenon.fit(tenon.Model.from_string(XML.replace(' integrator="RK4"', "")), log, [{"of": name, "start": OFF[name] * value} for name, value in TRUTH.items()],
                 sigma=NOISE, start={"qpos": [1.0, -0.5], "qvel": [0.0, 0.0]})
ours_took = time.perf_counter() - begin
print(f"{'':14}{'truth':>9}{'tenon':>10}{'± sigma':>10}{'sysid':>10}{'apart, sigmas':>15}")
for name, value in TRUTH.items():
    other = float(theirs[name].value[0])
    print(f"{name:14}{value:9.4f}{ours.values[name]:10.5f}{ours.sigma[name]:10.2g}{other:10.5f}"
          f"{(ours.values[name] - other) / ours.sigma[name]:15.2f}")
print(f"tenon {ours_took:.1f} s ({ours.iterations} iterations, {ours.rollouts:.0f} simulations), sysid {took:.1f} s; lag {lag}")
