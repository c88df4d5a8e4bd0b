"""Derivatives of steps: what they say, and that they are kept apart."""
import numpy as np
import pytest
import tenon

SLIDE = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1" friction="0.3"/>
    <body name="block" pos="0 0 0.05"><freejoint name="free"/>
      <geom name="block" type="box" size="0.5 0.5 0.05" mass="1" friction="0.1"/></body>
    <body name="cart" pos="0 3 1"><joint name="rail" type="slide" axis="1 0 0" damping="0.5"/>
      <geom size="0.1" mass="2" contype="0" conaffinity="0"/></body>
  </worldbody>
  <actuator><motor name="push" joint="rail" gear="3"/></actuator>
</mujoco>
"""


@pytest.fixture
def world():
    world = tenon.World(tenon.Model.from_string(SLIDE), tolerance=1e-10)
    world.qvel[0] = 2
    return world


def test_linearize_is_what_the_step_does(world):
    A, B = world.linearize()
    assert A.shape == (14, 14) and B.shape == (14, 1)
    assert A[7, 7] == pytest.approx(1, abs=1e-8) and A[0, 7] == pytest.approx(0.01, abs=1e-8)
    # midpoint rule of 2 v' = 3 u - v/2
    assert B[13, 0] == pytest.approx(0.01 * 3 / (2 + 0.0025), rel=1e-7)
    before = world.qpos.copy(), world.qvel.copy()
    d = world.derivatives()
    assert np.array_equal(world.qpos, before[0]) and np.array_equal(world.qvel, before[1])
    world.step()
    assert d.qpos == pytest.approx(world.qpos, abs=1e-9) and d.qvel == pytest.approx(world.qvel, abs=1e-8)


def test_parameters_are_columns(world):
    d = world.derivatives(parameters=[("friction", "floor", 0), ("mass", "block"), ("damping", "rail"), ("gravity", 2),
                                      "timestep"])
    assert d.P.shape == (14, 5)
    assert d.P[7, 0] == pytest.approx(-0.0981, abs=1e-9)
    assert d.P[7, 1] == pytest.approx(0, abs=1e-8)
    assert d.P[7, 3] == pytest.approx(0.003, abs=1e-9)
    assert d.P[7, 4] == pytest.approx(-0.3 * 9.81, abs=1e-6)


def test_adjoint_is_the_transpose(world):
    d = world.derivatives(parameters=[("friction", "floor")])
    g = np.arange(14.0)
    gx, gu, gp = d.adjoint(g)
    assert np.array_equal(gx, g @ d.A) and np.array_equal(gu, g @ d.B) and np.array_equal(gp, g @ d.P)
    assert all(np.array_equal(a, b) for a, b in zip(world.adjoint(g, parameters=[("friction", "floor")]), (gx, gu, gp)))


def test_a_column_says_where_it_comes_from(world):
    assert set(world.derivatives().columns) == {"implicit"}
    assert set(world.derivatives(method="differences").columns) == {"differences"}
    assert "implicit" in repr(world.derivatives())
    coarse = tenon.World(world.model, tolerance=0, iterations=60)
    assert "fixed count" in coarse.derivatives().why


def test_changed_parameters_count(world):
    world.set_geom_friction("floor", (0.6, 0, 0))
    world.qvel[0] = 2
    assert world.derivatives(parameters=[("gravity", 2)]).P[7, 0] == pytest.approx(0.006, abs=1e-9)


def test_smoothed_contacts_are_felt(world):
    world.qvel[:] = 0
    world.step(5)
    exact, smooth = world.derivatives().A, world.derivatives(smoothing=1.0).A
    assert abs(exact[6 + 1, 7]) < 1e-6 < smooth[7, 7]  # friction holds; smoothed it gives a little


def test_batches_have_one_more_axis(world):
    batch = tenon.Batch(world.model, 3, threads=2)
    batch.qvel[:, 0] = (1, 2, 3)
    batch.ctrl[:, 0] = 1
    d = batch.derivatives(parameters=[("friction", "floor")])
    assert d.A.shape == (3, 14, 14) and d.B.shape == (3, 14, 1) and d.P.shape == (3, 14, 1)
    assert d.P[:, 7, 0] == pytest.approx(np.full(3, -0.0981), abs=1e-6)
    alone = tenon.World(world.model)
    alone.qvel[0], alone.ctrl[0] = 2, 1
    assert np.array_equal(alone.derivatives().A, d.A[1])
    g = np.ones((3, 14))
    assert d.adjoint(g)[0][1] == pytest.approx(d.worlds[1].adjoint(g[1])[0])


def test_tangents_of_states(world):
    q = world.qpos.copy()
    way = np.array([0.1, 0.2, 0.3, 0.01, -0.02, 0.03, 0.5])
    back = tenon.difference(world.model, q, tenon.displace(world.model, q, way))
    assert back == pytest.approx(way, abs=1e-5)  # the Cayley map is of second order
    assert back[[0, 1, 2, 6]] == pytest.approx(way[[0, 1, 2, 6]], abs=1e-15)


@pytest.mark.parametrize("options, why", [
    ({"parameters": [("mas", "block")]}, "no kind"),
    ({"parameters": [("mass", "nothing")]}, "nothing"),
    ({"parameters": ["mass"]}, "needs the name"),
    ({"parameters": [("friction", "floor", 7)]}, "index"),
    ({"parameters": [("damping", "free")]}, "free body"),
    ({"method": "magic"}, "method"),
    ({"smoothing": -1.0}, "smoothing"),
    ({"smoothing": 1.0, "method": "differences"}, "smoothed"),
    ({"step": 0.0}, "step"),
    ({"threads": 0}, "thread_count"),
])
def test_bad_options_are_refused(world, options, why):
    with pytest.raises((tenon.Error, KeyError), match=why):
        world.derivatives(**options)


def test_closed_worlds_have_none(world):
    world.derivatives()
    world.close()
    with pytest.raises(tenon.UsageError, match="closed"):
        world.derivatives()


def test_torch_is_optional():
    try:
        import torch  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pip install torch"):
            import tenon.torch  # noqa: F401


def test_gradients_through_torch(world):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    import tenon.torch
    model = world.model
    sliding = tenon.World(model, tolerance=1e-12)
    q = torch.tensor(world.qpos.copy())
    q[2] += 0.3  # in the air, turning
    v = torch.tensor(np.array([2.0, 0, 0, 0.3, -0.4, 0.5, 0.1]))
    u = torch.tensor([0.4], dtype=torch.float64)
    inputs = tuple(x.requires_grad_() for x in (q, v, u))
    assert torch.autograd.gradcheck(lambda *x: tenon.torch.step(sliding, *x), inputs, eps=1e-5, atol=1e-5)
    batch = tenon.Batch(model, 2, tolerance=1e-12)
    rows = tuple(torch.stack([x.detach(), x.detach()]).requires_grad_() for x in inputs)
    assert torch.autograd.gradcheck(lambda *x: tenon.torch.step(batch, *x), rows, eps=1e-5, atol=1e-5)
