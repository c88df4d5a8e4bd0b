"""The solver alone: answers that are known, the judge, sparse matrices, files, messages."""
import numpy as np
import pytest
import tenon

CONTACT = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]  # of a point mass: the normal is z


def test_a_point_that_sticks_slips_and_lifts():
    mass, mu = 2.0, 0.5
    rows = [tenon.Rows(CONTACT, set="friction", mu=mu)]
    stick = tenon.solve([mass * np.eye(3)], rows, b=[1.0, 0.0, -4.0])
    assert stick.converged and stick.v == pytest.approx([0, 0, 0], abs=1e-6)  # the tolerance
    assert stick.forces == pytest.approx([4, -1, 0], abs=2e-6)
    slip = tenon.solve([mass * np.eye(3)], rows, b=[3.0, 0.0, -4.0])
    assert slip.v == pytest.approx([0.5, 0, 0], abs=1e-6)
    assert slip.forces == pytest.approx([4, -2, 0], abs=2e-6)
    lift = tenon.solve([mass * np.eye(3)], rows, b=[3.0, 0.0, 4.0])
    assert lift.v == pytest.approx([1.5, 0, 2]) and not lift.forces.any()
    assert slip.velocities[0] is not None and np.shares_memory(slip.velocities[0], slip.v)


def test_every_law():
    one = [np.array([[2.0]])]
    assert tenon.solve(one, [dict(J=[[1.0]], e=-3)], b=[0.0]).v == pytest.approx([3])
    assert tenon.solve(one, [dict(J=[[1.0]], e=1, set="inequality")], b=[-6.0]).v == pytest.approx([-1])
    soft = tenon.solve(one, [dict(J=[[1.0]], e=0.1, k=8, alpha=0.25, set="soft")], b=[4.0])
    assert soft.v == pytest.approx([(4 - 0.8) / (2 + 8 * 0.25)])  # 2 v = 4 - 8 (0.1 + v / 4)
    box = tenon.solve(one, [dict(J=[[1.0]], lower=-1, upper=1, set="box")], b=[4.0])
    assert box.v == pytest.approx([1.5]) and box.forces == pytest.approx([-1])
    spin = tenon.solve([np.eye(4)], [dict(J=np.eye(4)[:3], set="friction", mu=1),
                                     dict(J=np.eye(4)[3:], set="spin", mu=0.1, contact=0)], b=[-2, 0, 0, 5])
    assert spin.v == pytest.approx([0, 0, 0, 4.8], abs=1e-6) and spin.forces[3] == pytest.approx(-0.2, abs=1e-6)


def pile(rng, bodies=30):
    """A column of blocks of six unknowns, each in contact with the next at random points."""
    blocks, J = [], np.zeros((3 * bodies, 6 * bodies))
    for i in range(bodies):
        root = rng.normal(size=(6, 6))
        blocks.append(root @ root.T + 6 * np.eye(6))
        J[3 * i:3 * i + 3, 6 * i:6 * i + 6] = rng.normal(size=(3, 6))
        if i:
            J[3 * i:3 * i + 3, 6 * i - 6:6 * i] = rng.normal(size=(3, 6))
    return blocks, J, rng.normal(size=6 * bodies)


def test_the_judge_agrees_and_sparse_matrices_give_the_same_bits():
    sparse = pytest.importorskip("scipy.sparse")
    blocks, J, b = pile(np.random.default_rng(3))
    e = 0.1 * np.random.default_rng(4).normal(size=90)
    solver = tenon.Solver(blocks, [tenon.Rows(J, e, "friction", mu=np.linspace(0.1, 0.9, 30))])
    found = solver.solve(b)
    verdict = solver.judge(found.v, found.forces, b=b)
    assert found.converged and verdict["natural_map"] < 1e-6 and verdict["dynamics"] < 1e-12
    assert verdict["natural_map"] == pytest.approx(found.error, abs=1e-12)
    worse = solver.judge(found.v, found.forces + 0.1, b=b)
    assert worse["natural_map"] > 1e-3 and worse["dynamics"] > 1e-3
    # v from A v = b + Jᵀ λ, which NumPy can solve, too
    full = np.zeros((180, 180))
    for i, block in enumerate(blocks):
        full[6 * i:6 * i + 6, 6 * i:6 * i + 6] = block
    assert found.v == pytest.approx(np.linalg.solve(full, b + J.T @ found.forces), abs=1e-12)
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        again = tenon.solve(blocks, [tenon.Rows(kind(J), e, "friction", mu=np.linspace(0.1, 0.9, 30))], b=b)
        assert np.array_equal(again.v, found.v) and np.array_equal(again.forces, found.forces)
    one = tenon.solve([sparse.csr_matrix(full)], [tenon.Rows(J, e, "friction", mu=np.linspace(0.1, 0.9, 30))], b=b)
    assert one.v == pytest.approx(found.v, abs=1e-4)  # one block instead of thirty, each to 1e-6 of the contacts


def test_forms_of_blocks():
    A = np.diag([2.0, 3.0, 4.0]) + np.diag([0.5, 0.5], 1) + np.diag([0.5, 0.5], -1)
    rows = [dict(J=[[1.0, 0, 1.0]], set="inequality")]
    b = [-1.0, 2.0, -3.0]
    plain = tenon.solve([A], rows, b=b)
    banded = np.array([[2, 3, 4], [0.5, 0.5, 0]])
    for block in (dict(A=A), dict(A_banded=banded), dict(A_inverse=np.linalg.inv(A))):
        assert tenon.solve([block], rows, b=b).v == pytest.approx(plain.v, abs=1e-6)  # the tolerance


def test_repeated_solves_and_files(tmp_path):
    blocks, J, b = pile(np.random.default_rng(5), 10)
    solver = tenon.Solver(blocks, [tenon.Rows(J, 0, "friction", mu=0.4)], tolerance=1e-9)
    first = solver.solve(b)
    assert np.array_equal(solver.solution[0], first.v) and solver.dims == [6] * 10 and solver.sets == ["friction"] * 10
    solver.write(tmp_path / "pile.tnp")
    again = tenon.Solver.from_file(tmp_path / "pile.tnp", tolerance=1e-9)
    assert np.array_equal(again.solution[1], first.forces)
    assert again.solve(b).v == pytest.approx(first.v, abs=1e-8)
    solver.start()
    solver.set(method="subadmm", tolerance=0, iterations=7)
    rough = solver.solve(b)
    assert rough.iterations == 7 and np.isnan(rough.error)
    with pytest.raises(tenon.FileError, match="no such file"):
        tenon.Solver.from_file(tmp_path / "nothing.tnp")


def test_the_problem_of_a_step(world):
    with pytest.raises(tenon.UsageError, match="no step"):
        world.problem()
    world.step(60)  # the box has landed
    problem = world.problem()
    v, forces = problem.solution
    assert "friction" in problem.sets and len(v) == sum(problem.dims)
    assert problem.judge(v, forces)["natural_map"] < 1e-6 * 9.81 * 0.005 * 1.01  # the world's tolerance, and rounding


@pytest.mark.parametrize("blocks, rows, kind, text", [
    ([np.zeros((2, 3))], [], ValueError, r"block 0: expected a square matrix, got shape \(2, 3\)"),
    ([np.eye(2), "x"], [], ValueError, "block 1: expected numbers"),
    ([-np.eye(2)], [], ValueError, "positive"),
    ([np.array([[1, 2], [3, 4.0]])], [], ValueError, "symmetric"),
    ([dict(A=np.eye(2), b=[1])], [], ValueError, "expected a matrix, or a dict with one of A"),
    ([np.eye(2)], [dict(J=np.eye(3))], ValueError, r"rows 0: J: expected 2 columns, .* got shape \(3, 3\)"),
    ([np.eye(2)], [dict(J=np.eye(2), set="friction")], ValueError, "'friction' has 3 rows per constraint, got 2"),
    ([np.eye(2)], [dict(J=np.eye(2), set="glue")], ValueError, "'glue' is not one of equality"),
    ([np.eye(2)], [dict(J=np.eye(2), e=[1, 2, 3])], ValueError, r"e: expected one number or 2, got shape \(3,\)"),
    ([np.eye(2)], [dict(J=np.eye(2), nu=1)], TypeError, "there is no 'nu'; there are J, e"),
    ([np.eye(2)], [dict(e=1)], ValueError, "J is missing"),
    ([np.eye(2)], [3], TypeError, "expected tenon.Rows or a dict, got int"),
    ([np.eye(2)], [dict(J=np.zeros((1, 2)))], ValueError, "constraint 0: its rows are empty or zero"),
    ([np.eye(2)] * 5, [dict(J=np.ones((1, 10)))], ValueError, "acts on 5 blocks; at most 4"),
    ([np.eye(2)], [dict(J=[[np.nan, 1]])], ValueError, "finite"),
    ([np.eye(2)], [dict(J=[[1, 1]], set="spin", contact=7)], ValueError, "contact"),
    ([np.eye(3)], [dict(J=CONTACT, set="friction", mu=-1)], ValueError, "mu"),
])
def test_wrong_problems_say_what_is_expected(blocks, rows, kind, text):
    with pytest.raises(kind, match=text):
        tenon.solve(blocks, rows)


def test_wrong_settings():
    with pytest.raises(tenon.UsageError, match="'quick' is not one of auto"):
        tenon.solve([np.eye(2)], method="quick")
    with pytest.raises(tenon.UsageError, match=r"b: expected .* of shape \(2,\), got shape \(3,\)"):
        tenon.solve([np.eye(2)], b=np.zeros(3))
    with pytest.raises(tenon.UsageError, match="finite"):
        tenon.solve([np.eye(2)], b=[np.nan, 0])
    with pytest.raises(tenon.UsageError, match="iterations"):
        tenon.solve([np.eye(2)], iterations=0)
