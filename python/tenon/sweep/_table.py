"""Columns of results as a file: CSV or NPZ."""

import csv
import pathlib
from typing import Any, Dict, List

import numpy as np

from ._tasks import SweepError

WIDEST = 16  # numbers of an array that become columns of a CSV file


def write(columns: Dict[str, np.ndarray], path) -> List[str]:
    """Returns the names of columns that do not fit into the file."""
    path = pathlib.Path(path)
    if path.suffix == ".npz":
        with open(path, "wb") as file:
            fit: Dict[str, Any] = {name: column for name, column in columns.items() if name != "file"}
            np.savez(file, **fit)
        return ["file"] if "file" in columns else []
    if path.suffix != ".csv":
        raise SweepError(f"{path.name}: expected a file .csv or .npz")
    flat, left = {}, []
    for name, column in columns.items():
        if column.ndim == 1:
            flat[name] = column
        elif column.ndim == 2 and column.shape[1] <= WIDEST:
            flat.update({f"{name}.{i}": column[:, i] for i in range(column.shape[1])})
        else:
            left.append(name)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(flat)
        writer.writerows(zip(*(column.tolist() for column in flat.values())))
    return left
