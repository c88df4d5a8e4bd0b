"""Pictures as arrays; skipped where there is no EGL or the module was built without."""
import numpy as np
import pytest
import tenon

BALL = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/>
<camera name="above" pos="0 0 5" fovy="40"/>
<body pos="0 0 1"><freejoint/><geom name="ball" size="0.5" rgba="1 0 0 1"/></body></worldbody></mujoco>"""


@pytest.fixture
def ball():
    world = tenon.World(tenon.Model.from_string(BALL))
    try:
        world.render(8, 8)
    except tenon.Error as error:
        pytest.skip(str(error))
    return world


def test_colour_depth_and_segmentation(ball):
    picture = ball.render(64, 48, "above")
    assert picture.shape == (48, 64, 3) and picture.dtype == np.uint8
    red, green, blue = picture[24, 32].astype(int)
    assert red > green + 50 and red > blue + 50
    depth = ball.render(64, 48, "above", depth=True)
    assert depth.dtype == np.float32
    # the pixel is 0.1 m wide, and within it the sphere falls by 0.01 m
    assert depth[24, 32] == pytest.approx(3.5, abs=0.02) and depth[0, 0] == pytest.approx(5.0, abs=0.02)
    segments = ball.render(64, 48, "above", segmentation=True)
    assert segments[24, 32] == ball.model.geom("ball") and segments[0, 0] == ball.model.geom("floor")


def test_pictures_follow_the_world_and_change_nothing(ball):
    before = ball.hash()
    one = ball.render(32, 32, "above", segmentation=True)
    assert ball.hash() == before
    ball.qpos[0] = 3.0
    assert not np.array_equal(ball.render(32, 32, "above", segmentation=True), one)
    sky = ball.render(32, 32, eye=(0, 0, 2), target=(0, 0, 4), segmentation=True)
    assert (sky == -1).all()


def test_a_free_camera_stands_upright(ball):
    level = ball.render(32, 32, eye=(0, -4, 1), target=(0, 0, 1), segmentation=True)
    assert np.array_equal(level, level[:, ::-1])  # the scene is the same left and right
    assert (level[0] == -1).all() and (level[-1] == ball.model.geom("floor")).all()


def test_wrong_pictures(ball):
    with pytest.raises(ValueError, match="1 to 16384"):
        ball.render(0, 10)
    with pytest.raises(KeyError, match="no camera 'abov'; did you mean 'above'"):
        ball.render(camera="abov")
    with pytest.raises(ValueError, match="either depth"):
        ball.render(depth=True, segmentation=True)
    ball.close()
    with pytest.raises(ValueError, match="closed"):
        ball.render()
