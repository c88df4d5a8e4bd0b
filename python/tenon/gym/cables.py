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
