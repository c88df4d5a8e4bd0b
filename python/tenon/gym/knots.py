"""Whether curves are knotted, and how much they wind about themselves."""

import numpy as np


def writhe(points: np.ndarray) -> np.ndarray:
    """(n,): the writhe of open curves through points (n, k, 3): signed crossings, mean over all directions of view. For
    each pair of segments it is the signed solid angle of the directions in which they cross, over 2π (Klenin and
    Langowski, 2000)."""
    count = points.shape[1] - 1
    i, j = np.triu_indices(count, 2)
    r13, r14 = points[:, j] - points[:, i], points[:, j + 1] - points[:, i]
    r23, r24 = points[:, j] - points[:, i + 1], points[:, j + 1] - points[:, i + 1]
    faces = [np.cross(r13, r14), np.cross(r14, r24), np.cross(r24, r23), np.cross(r23, r13)]
    faces = [face / np.maximum(1e-12, np.sqrt((face * face).sum(axis=2)))[..., None] for face in faces]
    solid = sum(np.arcsin(np.clip((faces[k] * faces[(k + 1) % 4]).sum(axis=2), -1.0, 1.0)) for k in range(4))
    sign = np.sign((np.cross(r24 - r23, r23 - r13) * r13).sum(axis=2))
    return (solid * sign).sum(axis=1) / (2.0 * np.pi)


def crossings(points: np.ndarray):
    """Where a curve (k, 3) crosses itself as seen from above: (over, under), parameters along the curve."""
    a, b = points[:-1, None], points[1:, None]
    c, d = points[None, :-1], points[None, 1:]
    u, v, w = (b - a), (d - c), (c - a)
    area = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = (w[..., 0] * v[..., 1] - w[..., 1] * v[..., 0]) / area
        t = (w[..., 0] * u[..., 1] - w[..., 1] * u[..., 0]) / area
    meets = (s >= 0.0) & (s < 1.0) & (t >= 0.0) & (t < 1.0)
    i, j = np.nonzero(np.triu(meets, 2))
    s, t = s[i, j], t[i, j]
    above = points[i, 2] + s * (points[i + 1, 2] - points[i, 2]) > points[j, 2] + t * (points[j + 1, 2] - points[j, 2])
    return np.where(above, i + s, j + t), np.where(above, j + t, i + s)


def determinant(points: np.ndarray) -> int:
    """The knot determinant of a curve (k, 3) whose ends are led up and joined high above: 1 for no knot, 3 for the overhand
    knot. It is a minor of the matrix with a row 2 over - under - under for each crossing and a column for each arc."""
    top = points[:, 2].max() + 1.0
    up = points[[-1, 0]] * (1.0, 1.0, 0.0) + (0.0, 0.0, top)
    curve = np.concatenate([points, up, points[:1]])
    # the two vertical parts have no length in this view; the part between them is over everything
    over, under = crossings(curve)
    if len(over) < 3:
        return 1
    ends = np.sort(under)  # arcs reach from one crossing below to the next
    arc = np.searchsorted(ends, over, side="left") % len(ends)
    before = np.searchsorted(ends, under, side="left")
    matrix = np.zeros((len(over), len(over)))
    rows = np.arange(len(over))
    np.add.at(matrix, (rows, arc), 2.0)
    np.add.at(matrix, (rows, before), -1.0)
    np.add.at(matrix, (rows, (before + 1) % len(ends)), -1.0)
    return int(round(abs(np.linalg.det(matrix[1:, 1:]))))
