"""Pictures as arrays; skipped where there is no EGL or the module was built without."""
import struct
import zlib

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


def test_a_texture_from_bytes_and_a_light_in_calls():
    def png(pixels):
        """2 × 2 pixels as a file."""
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        rows = b"".join(b"\0" + bytes(row) for row in pixels)
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

    b = tenon.Builder()
    b.texture(name="four", type="2d", pictures=[png([[255, 0, 0, 0, 255, 0], [0, 0, 255, 255, 255, 255]])])
    b.material(name="m", texture="four", specular=0)
    b.light(type="directional", diffuse=(0.9, 0.9, 0.9))
    b.geom(body="world", type="plane", size=(1, 1, 1), rgba=(1, 1, 1, 1), material="m")
    # the same picture on a mesh, by its coordinates
    corners = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, -1]]
    b.mesh(name="plate", vertices=corners, triangles=[[0, 1, 2], [0, 2, 3]],
           texcoords=[[[0, 1], [1, 1], [1, 0]], [[0, 1], [1, 0], [0, 0]]])
    b.geom(body="world", type="mesh", mesh="plate", pos=(3, 0, 0), rgba=(1, 1, 1, 1), material="m",
           contact_type=0, contact_affinity=0)
    world = tenon.World(b.build())
    for x in (0, 3):
        picture = world.render(64, 64, eye=(x, 0, 2), target=(x, 0.001, 0)).astype(int)
        upper_left, upper_right = picture[12, 12], picture[12, 52]
        lower_left, lower_right = picture[52, 12], picture[52, 52]
        assert upper_left[0] > upper_left[1:].max() + 100 and upper_right[1] > upper_right[[0, 2]].max() + 100
        assert lower_left[2] > lower_left[:2].max() + 100 and lower_right.min() > 150
    with pytest.raises(tenon.UsageError, match="one or six pictures"):
        b.texture(pictures=[b"x"] * 3)


@pytest.mark.parametrize("threads", [1, 2])
def test_pictures_of_all_worlds_are_those_of_each(ball, threads):
    batch = tenon.Batch(ball.model, 3, threads=threads)
    batch.qpos[:, 0] = (0, 0.5, -1)
    colour = batch.render(32, 24, "above")
    for i, world in enumerate(batch):
        assert np.array_equal(colour[i], world.render(32, 24, "above"))
    batch.set_geom_size("ball", [(0.5, 0, 0), (0.3, 0, 0), (0.5, 0, 0)])
    batch.set_geom_local_pose("ball", pos=[(0, 0, 0), (0, 0, 0), (0, 1, 0)])
    depth, geoms = (batch.render(32, 24, "above", **kind) for kind in (dict(depth=True), dict(segmentation=True)))
    eyes = np.array([(0, -4, 1), (0, -3, 1), (1, -4, 2.0)])
    free = batch.render(32, 24, eye=eyes, target=(0, 0, 1), depth=True)
    assert colour.shape == (3, 24, 32, 3) and depth.shape == geoms.shape == (3, 24, 32)
    assert colour.dtype == np.uint8 and depth.dtype == np.float32 and geoms.dtype == np.int32
    for i, world in enumerate(batch):
        assert np.array_equal(depth[i], world.render(32, 24, "above", depth=True))
        assert np.array_equal(geoms[i], world.render(32, 24, "above", segmentation=True))
        assert np.array_equal(free[i], world.render(32, 24, eye=eyes[i], target=(0, 0, 1), depth=True))
        assert i == 0 or not np.array_equal(geoms[i], geoms[0])
    # y is upwards in this picture: the ball that was moved by 1 m is in its upper half of 12 rows
    rows = np.nonzero((geoms[2] == ball.model.geom("ball")).any(axis=1))[0]
    assert rows.mean() < 8
    coarse = batch.render(32, 24, "above", samples=1, shadows=False)
    assert np.array_equal(coarse[0], batch[0].render(32, 24, "above", samples=1, shadows=False))
    assert not np.array_equal(coarse[0], colour[0])
    with pytest.raises(tenon.UsageError, match="samples must be 1, 2, 4 or 8, got 3"):
        batch.render(32, 24, samples=3)
    with pytest.raises(tenon.UsageError, match="eye: expected numbers of shape"):
        batch.render(32, 24, eye=np.zeros((2, 3)))
    batch.close()
    with pytest.raises(tenon.UsageError, match="closed"):
        batch.render(32, 24)
