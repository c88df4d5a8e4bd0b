"""What a world does about a step in trouble: on_trouble, warnings, errors."""
import warnings

import numpy as np
import pytest
import tenon

# a hand on a servo of 1e9 N/m, driven into a post that cannot give way
HAND = """<mujoco><option timestep="0.005"/><worldbody>
  <geom name="post" type="cylinder" size="0.05 0.5" pos="0 0 0.5"/>
  <body name="hand" pos="0.3 0 0.5"><joint name="x" type="slide" axis="1 0 0"/>
    <geom name="palm" type="box" size="0.02 0.05 0.05"/></body>
</worldbody><actuator><position name="x" joint="x" kp="1e9"/></actuator></mujoco>"""
WAY = 0.003  # m per step


def push(world, steps=100):
    for k in range(steps):
        world.ctrl[0] = -WAY * k
        world.step()


def spoil(world):
    """Its next step is rejected."""
    world.apply_wrench("hand", force=(1e300, 0, 0))


def told(**options):
    world = tenon.World(tenon.Model.from_string(HAND), **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        push(world)
    return world, [str(warning.message) for warning in caught if issubclass(warning.category, tenon.TroubleWarning)]


def test_a_hand_driven_into_a_post_warns_once_and_names_the_contact():
    world, texts = told()
    assert len(texts) == 1 and "geom 'palm'" in texts[0] and "geom 'post'" in texts[0] and "force_range" in texts[0]
    assert world.trouble["kind"] == "force"
    # the servo is 0.07 m behind: the hand stops at 0.3 - 0.05 - 0.02 m = 0.23 m of way, the target is at 0.297 m
    force = np.linalg.norm(world.contacts["force"].sum(axis=0))
    assert force == pytest.approx(1e9 * (WAY * 99 - 0.23), rel=1e-3)


def test_the_warning_is_given_where_the_step_was_asked_for():
    world = tenon.World(tenon.Model.from_string(HAND))
    with pytest.warns(tenon.TroubleWarning) as caught:
        push(world)
    assert caught[0].filename == __file__
    with pytest.warns(tenon.TroubleWarning, match="^world 1: step at t = ") as caught:
        batch = tenon.Batch(tenon.Model.from_string(HAND), 2)
        spoil(batch[1])
        batch.step()
    assert caught[0].filename == __file__


def test_raise_stops_at_the_step_and_ignore_is_silent():
    world = tenon.World(tenon.Model.from_string(HAND), on_trouble="raise")
    with pytest.raises(tenon.TroubleError, match="contact force of .* at contact of geom 'palm' with geom 'post'"):
        push(world)
    assert 76 * 0.005 < world.time < 85 * 0.005  # the way to the post takes 77 steps
    stopped = world.time
    with pytest.raises(ArithmeticError):  # of many steps, too: forces are looked at in every eighth
        world.step(100)
    assert world.time <= stopped + 8.5 * 0.005
    world, texts = told(on_trouble="ignore")
    assert not texts and world.trouble["kind"] == "force"
    with pytest.raises(tenon.UsageError, match="on_trouble: 'loud' is not one of warn, raise, ignore"):
        tenon.World(tenon.Model.from_string(HAND), on_trouble="loud")


def test_a_warning_that_is_made_an_error_leaves_the_world_usable():
    world = tenon.World(tenon.Model.from_string(HAND))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(tenon.TroubleWarning):
            push(world)
    time = world.time
    world.step()
    assert world.time > time


def test_heavy_blows_and_piles_are_no_trouble():
    # 20 m/s into the floor, at a step of 0.1 ms: the force is that of the impulse, m v / h
    model = tenon.Model.from_string("""<mujoco><option timestep="1e-4"/><worldbody><geom type="plane" size="5 5 1"/>
      <body pos="0 0 0.12"><freejoint/><geom size="0.1" mass="3"/></body></worldbody></mujoco>""")
    world = tenon.World(model, on_trouble="raise")
    world.qvel[2] = -20
    largest = 0.0
    for _ in range(20):
        world.step()
        largest = max(largest, np.abs(world.contacts["force"]).max(initial=0.0))
    assert largest == pytest.approx(3 * 20 / 1e-4, rel=1e-2)
    for name in ("tower", "stir", "gripper"):
        tenon.World(tenon.Model.from_file(tenon.scene_path(name)), on_trouble="raise").step(20)


def test_a_batch_tells_of_its_first_world_in_trouble():
    model = tenon.Model.from_string(HAND)
    batch = tenon.Batch(model, 4, on_trouble="raise")
    spoil(batch[2]), spoil(batch[3])
    with pytest.raises(tenon.TroubleError, match=r"world 2 \(and 1 more\): step at t = 0 s: .*'hand'"):
        batch.step()
    assert batch.diverged.tolist() == [False, False, True, True]
    batch.reset()
    batch.step(3)  # the others had taken their step, and go on
    quiet = tenon.Batch(model, 2, on_trouble="ignore")
    spoil(quiet[0]), spoil(quiet[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet.rollout(length=2)
    assert quiet.diverged.all()
