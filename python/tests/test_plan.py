"""Plans: the C tests have the formulas; here is what Python adds to them."""
import threading

import numpy as np
import pytest
import tenon
from tenon import Cost

RAIL = """
<mujoco>
  <option timestep="0.02" gravity="0 0 0"/>
  <worldbody>
    <body name="cart"><joint name="rail" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/><site name="nose" pos="0.1 0 0"/></body>
    <body name="other" pos="0 5 0"><joint name="free" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/></body>
  </worldbody>
  <actuator><motor name="push" joint="rail" ctrllimited="true" ctrlrange="-20 20"/></actuator>
  <sensor><jointpos name="at" joint="rail"/></sensor>
</mujoco>
"""
COSTS = [Cost("point", 10, site="nose", goal=(0.6, 0, 0), name="nose"), Cost("velocity", 0.2, 10), Cost("ctrl", 1e-3)]


@pytest.fixture
def world():
    return tenon.World(tenon.Model.from_string(RAIL))


def test_a_plan_drives_the_world_to_its_goal(world):
    plan = tenon.Plan(world.model, COSTS, horizon=30)
    costs = []
    for found in plan.drive(world, 2.0, every=2):
        assert found.cost <= found.start_cost and np.all(np.abs(found.ctrl) <= 20)
        costs.append(found.cost)
    # 2 s are more than three times what the horizon has; the end is reached to a share of a millimetre
    assert world.site_pose("nose")[0][0] == pytest.approx(0.6, abs=1e-3)
    assert plan.off(world, "nose") < 1e-3 and plan.off(world, 0) == plan.off(world, "nose")
    assert len(costs) == 50 and costs[-1] < 1e-3 * costs[0]
    assert world.time == pytest.approx(2.0)


def test_results_have_the_roll_out_and_its_parts(world):
    plan = tenon.Plan(world.model, COSTS, horizon=12, repeat=2)
    found = plan.solve(world)
    assert found.ctrl.shape == (12, 1) and found.qpos.shape == (13, 2) and found.gains.shape == (12, 1, 4)
    assert found.knot == pytest.approx(0.04)
    assert sum(found.costs.values()) == pytest.approx(found.cost)
    assert set(found.costs) == {"nose", "velocity", "ctrl"} and "cost" in repr(found)
    assert found.step_equivalents == found.steps + found.derivative_steps > 0
    for k in range(12):
        world.ctrl[:] = found.ctrl[k]
        world.step(2)
        assert np.array_equal(world.qpos, found.qpos[k + 1]) and np.array_equal(world.qvel, found.qvel[k + 1])


@pytest.mark.parametrize("method", ["ddp", "mppi", "cem"])
def test_methods_and_threads_have_their_own_bits(world, method):
    one, two = (tenon.Plan(world.model, COSTS, method=method, samples=16, threads=n).solve(world) for n in (1, 2))
    assert np.array_equal(one.ctrl, two.ctrl) and one.cost == two.cost < one.start_cost


def test_goals_weights_and_guesses_change(world):
    plan = tenon.Plan(world.model, COSTS + [Cost("sensor", 5, sensor="at", goal=0.5, name="sensor")], horizon=20)
    ahead = plan.solve(world).ctrl[0, 0]
    plan.set_goal("nose", (-0.4, 0, 0))
    plan.set_goal("sensor", -0.5)
    assert ahead > 0 > plan.solve(world).ctrl[0, 0]
    plan.set_weight("nose", 0)
    plan.set_weight("sensor", 0)
    plan.set_ctrl(np.full((20, 1), 3.0))
    assert plan.result.ctrl[0, 0] == 3 and abs(plan.solve(world).ctrl[0, 0]) < 1e-6
    assert plan.policy(0, world).shape == (1,)


def test_a_tail_makes_a_short_plan_like_a_long_one(world):
    costs = [Cost("position", 10, joint="rail", goal=0.5), Cost("velocity", 0.2, joint="rail"), Cost("ctrl", 1e-3)]
    tail = Cost("tail", 0, 1, goal=(0.5, 0))
    with pytest.raises(tenon.UsageError, match="running must be 0"):
        tenon.Plan(world.model, costs + [tail._replace(running=1.0)])
    long = tenon.Plan(world.model, costs, horizon=200, iterations=50).solve(world)
    short = tenon.Plan(world.model, costs + [tail], horizon=20, iterations=50, tolerance=1e-6, seeds=4).solve(world)
    # the force is at its limit for a moment, which the tail does not see; 20 knots are enough to leave it
    assert short.cost == pytest.approx(long.cost, rel=1e-3) and short.costs["tail"] > 0


def test_what_cannot_be_planned_is_refused(world):
    model = world.model
    for costs, options, words in (
            ([], {}, "no costs"), (COSTS, dict(horizon=0), "horizon"), (COSTS, dict(method="mpc"), "method"),
            ([Cost("point", 1, site="nose", goal=(np.nan, 0, 0))], {}, "not finite"),
            ([Cost("speed", 1)], {}, "no kind 'speed'"),
            ([("point", 1)], {}, "tenon.Cost"), ([Cost("position", 1, joint="rail", goal=(1, 2))], {}, "needs 1"),
            (COSTS, dict(no_such_option=1), "no_such_option")):
        with pytest.raises(tenon.UsageError, match=words):
            tenon.Plan(model, costs, **options)
    with pytest.raises(KeyError, match="tail"):
        tenon.Plan(model, [Cost("point", 1, site="tail")])
    plan = tenon.Plan(model, COSTS)
    with pytest.raises(tenon.UsageError, match="no cost 'nase'"):
        plan.set_goal("nase", 0)
    with pytest.raises(tenon.UsageError, match="another model"):
        plan.solve(tenon.World(tenon.Model.from_string(RAIL.replace("<joint name=\"free\" type=\"slide\" axis=\"1 0 0\"/>", ""))))


def test_a_cost_out_of_reach_is_named(world):
    found = tenon.Plan(world.model, COSTS + [Cost("position", 1, joint="free", goal=1, name="other")]).solve(world)
    assert found.unmoved == ["other"] and "'other'" in found.remark


def test_a_plan_is_solved_in_a_thread_of_its_own(world):
    plan, apart = (tenon.Plan(world.model, COSTS, horizon=40, iterations=5) for _ in range(2))
    expected = apart.solve(world)
    found, twin = [], world.copy()
    thread = threading.Thread(target=lambda: found.append(plan.solve(twin)))
    thread.start()
    world.step(20)
    thread.join()
    assert np.array_equal(found[0].ctrl, expected.ctrl)
