"""Every snippet of docs/python.md runs, one after the other, as a reader would type them."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_snippets_of_the_tutorial_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    snippets = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(snippets) >= 7
    names = {}
    for snippet in snippets:
        line = text[:text.index(snippet)].count("\n")
        exec(compile("\n" * line + snippet, "docs/python.md", "exec"), names)
    assert (tmp_path / "run.tnr").exists()
