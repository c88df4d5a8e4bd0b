"""Writes the pages of the C reference, one per header.

    c_pages.py HEADERS_FOLDER PAGES_FOLDER"""
import pathlib
import sys

# In the order of the list; headers without a title here come last, under their name.
TITLES = {
    "base": "Errors and versions",
    "model": "Building models",
    "model_info": "Looking into models",
    "world": "Worlds",
    "batch": "Batches",
    "derivatives": "Derivatives",
    "ranks": "Several processes",
    "mpi": "Processes of MPI",
    "render": "Pictures",
    "record": "Recordings",
    "scene": "Scenes to draw",
    "collide": "Shapes against shapes",
    "tet_mesh": "Tetrahedral meshes",
    "solver": "The solver alone",
    "problem_file": "Problem files",
    "definitions": "What a builder holds",
}

INDEX = """# Reference of the C library

[Getting started](../../docs/getting-started.md#from-c) has a first program, [the world](../../docs/world.md) explains what
belongs together. Here every header has a page, made from its comments. `#include <tenon/tenon.h>` includes what most
programs need:

```{{literalinclude}} ../../include/tenon/tenon.h
:language: c
```

| header | content |
|---|---|
{rows}

```{{toctree}}
:hidden:

{names}
```
"""

PAGE = """# {title}

```{{eval-rst}}
.. doxygenfile:: {name}.h
   :sections: detaileddescription define enum typedef var func innerclass public-attrib user-defined
```
"""


def main():
    headers, pages = map(pathlib.Path, sys.argv[1:])
    there = {path.stem for path in headers.glob("*.h")} - {"tenon"}
    names = [name for name in TITLES if name in there] + sorted(there - set(TITLES))
    titles = {name: TITLES.get(name, f"tenon/{name}.h") for name in names}
    pages.mkdir(parents=True, exist_ok=True)
    for name, title in titles.items():
        (pages / f"{name}.md").write_text(PAGE.format(name=name, title=title), encoding="utf-8")
    rows = "\n".join(f"| [tenon/{name}.h]({name}.md) | {title} |" for name, title in titles.items())
    (pages / "index.md").write_text(INDEX.format(rows=rows, names="\n".join(names)), encoding="utf-8")


main()
