"""Every Python snippet of the documentation runs, page by page, as a reader would type them.

Snippets of one page share their names. `Save this as `NAME`:` before a block of XML makes that file. A line
`<!-- needs: MODULE … -->` before a snippet leaves it out where a module is missing; `<!-- after: tenon … -->` runs that
command before, by `python -m tenon`, and leaves the snippet out where the package has no program."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SNIPPET = re.compile(r"((?:^<!-- (?:needs|after): [^\n]+ -->\n)*)^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SAVED = re.compile(r"Save this as `([\w.]+)`:\s+```xml\n(.*?)^```", re.MULTILINE | re.DOTALL)
ELSEWHERE = ("sweep", "gallery")  # with its commands, in test_sweep.py; in test_gallery.py
PAGES = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "docs" / "site" / "index.md")
         if SNIPPET.search(path.read_text(encoding="utf-8")) and path.stem not in ELSEWHERE]


def there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


def program(text):
    """(a program with the snippets on the lines that they have in the page, commands before it, modules that are missing)"""
    lines, commands, missing = [""] * text.count("\n"), [], set()
    for marks, snippet in SNIPPET.findall(text):
        before = re.findall(r"after: tenon (.+?) -->", marks)
        needs = " ".join(re.findall(r"needs: (.+?) -->", marks)).split() + ["tenon.__main__"] * bool(before)
        absent = {module for module in needs if not there(module)}
        missing |= absent
        if not absent:
            commands += before
            first = text[:text.index("```python\n" + snippet)].count("\n") + 1
            lines[first:first + snippet.count("\n")] = snippet.splitlines()
    return "\n".join(lines) + "\n", commands, missing


def run(arguments, where):
    bare = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run([sys.executable, "-B", *arguments], cwd=where, env={**bare, "TMPDIR": str(where)},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0, f"{' '.join(arguments)}: lines are those of the page\n{done.stdout[-3000:]}"


def test_pages_are_found():
    assert {"README", "python", "tutorial", "index"} <= {path.stem for path in PAGES}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_snippets_run(path, tmp_path):
    text = path.read_text(encoding="utf-8")
    code, commands, missing = program(text)
    (tmp_path / "page.py").write_text(code, encoding="utf-8")
    for name, content in SAVED.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    for command in commands:
        run(["-m", "tenon", *command.split()], tmp_path)
    run(["page.py"], tmp_path)
    if missing:
        print(f"{path.name}: left out what needs {', '.join(sorted(missing))}")


def test_marks_are_understood():
    code, commands, missing = program("text\n\n```python\na = 1\n```\n\n<!-- needs: no_such_module -->\n```python\nb = 2\n```\n")
    assert code.splitlines()[3] == "a = 1" and "b = 2" not in code
    assert missing == {"no_such_module"} and not commands
