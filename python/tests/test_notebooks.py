"""Every notebook of examples/notebooks/ runs from its first cell to its last, without Jupyter, and is committed without outputs."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks").glob("*.ipynb"))


def cells(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["metadata"]["language_info"]["name"]) == (4, "python")
    return notebook["cells"]


def test_notebooks_are_found():
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, tmp_path):
    code = [cell for cell in cells(path) if cell["cell_type"] == "code"]
    assert len({cell["id"] for cell in cells(path)}) == len(cells(path))
    assert code and not any(cell["outputs"] or cell["execution_count"] for cell in code), "clear the outputs before you commit"
    text = "\n".join(f"# cell {k + 1}\n" + "".join(cell["source"]) for k, cell in enumerate(code))
    (tmp_path / "cells.py").write_text(text + "\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-B", "cells.py"], cwd=tmp_path, env={**os.environ, "MPLBACKEND": "agg", "TMPDIR": str(tmp_path)},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
    print(done.stdout)
