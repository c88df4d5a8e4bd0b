"""Cables in the arrays of a simulation."""

import numpy as np
import tenon


def segment_slice(model: tenon.Model, name: str, segments: int) -> slice:
    """Where the segments of a cable are in qpos: 7 numbers each, position and quaternion."""
    owner = {model.joint_info(j)["body"]: j for j in range(model.njoint)}
    first = model.joint_info(owner[model.body(f"{name}_0")])["qpos"].start
    last = model.joint_info(owner[model.body(f"{name}_{segments - 1}")])["qpos"].stop
    assert last - first == 7 * segments, "the segments of a cable are not one after the other"
    return slice(first, last)


def positions(qpos: np.ndarray, where: slice) -> np.ndarray:
    """(n, segments, 3): the middles of the segments."""
    rows = qpos[:, where]
    return rows.reshape(len(rows), -1, 7)[:, :, :3]


def vertices(qpos: np.ndarray, where: slice, length: float) -> np.ndarray:
    """(n, segments + 1, 3): the ends of the cable and the points between its segments, which are `length` long."""
    rows = qpos[:, where]
    rows = rows.reshape(len(rows), -1, 7)
    place, (w, x, y, z) = rows[..., :3], np.moveaxis(rows[..., 3:], 2, 0)
    half = 0.5 * length * np.stack([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z], axis=2)
    middle = 0.5 * (place[:, :-1] + half[:, :-1] + place[:, 1:] - half[:, 1:])
    return np.concatenate([place[:, :1] - half[:, :1], middle, place[:, -1:] + half[:, -1:]], axis=1)
