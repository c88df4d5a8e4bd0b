"""Writes the pages of the Python reference from what the package exports: one per large class, one for the rest of each kind.

    python_pages.py PAGES_FOLDER     with the package in PYTHONPATH"""
import inspect
import pathlib
import sys

import tenon

LARGE = ("Model", "Builder", "World", "Batch", "Recorder", "Recording", "Viewer", "Solver")  # each has a page

INDEX = """# Reference of the Python package

[tenon from Python](../../docs/python.md) explains the package; here it is listed, from its docstrings.

| | |
|---|---|
{rows}

```{{toctree}}
:hidden:

{names}
```
"""


def autodoc(names):
    """Directives for things of the package."""
    text = ""
    for name in names:
        thing = getattr(tenon, name)
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            text += f".. autoclass:: tenon.{name}\n   :members:\n   :inherited-members:\n\n"
        elif inspect.isclass(thing):
            text += f".. autoexception:: tenon.{name}\n\n"
        elif callable(thing):
            text += f".. autofunction:: tenon.{name}\n\n"
        elif hasattr(thing, "fields"):  # a dtype of NumPy
            text += f".. py:data:: tenon.{name}\n\n   Fields of a structured array: {', '.join(thing.fields)}.\n\n"
        else:
            text += f".. autodata:: tenon.{name}\n\n"
    return text


def summary(name):
    """The first sentence of a docstring, in one line that a table can hold."""
    text = " ".join((inspect.getdoc(getattr(tenon, name)) or "").split("\n\n")[0].split())
    return text.split(". ")[0].rstrip(".:").replace("|", "\\|").replace("``", "`")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    names = [name for name in tenon.__all__ if not name.startswith("_")]
    large = [name for name in LARGE if name in names]
    rest = [name for name in names if name not in large]
    things = {name: getattr(tenon, name) for name in rest}
    errors = [name for name in rest if inspect.isclass(things[name]) and issubclass(things[name], Exception)]
    classes = [name for name in rest if inspect.isclass(things[name]) and name not in errors]
    functions = [name for name in rest if callable(things[name]) and not inspect.isclass(things[name])]
    data = [name for name in rest if name not in errors + classes + functions]
    pages = {name: (name, [name]) for name in large}
    pages.update({"functions": ("Functions", functions), "classes": ("Reports and other classes", classes),
                  "errors": ("Exceptions", errors), "types": ("Types of arrays", data)})
    pages = {page: content for page, content in pages.items() if content[1]}
    rows = []
    for page, (title, content) in pages.items():
        (folder / f"{page}.md").write_text(f"# {title}\n\n```{{eval-rst}}\n{autodoc(content)}```\n", encoding="utf-8")
        about = summary(page) if page in large else ", ".join(f"`{name}`" for name in content)
        rows.append(f"| [{title}]({page}.md) | {about} |")
    (folder / "index.md").write_text(INDEX.format(rows="\n".join(rows), names="\n".join(pages)), encoding="utf-8")


main()
