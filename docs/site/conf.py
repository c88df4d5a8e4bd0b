"""Sphinx's settings for the site; docs/build runs it."""
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

project = "tenon"
author = "the authors of tenon"
copyright = author
version = release = re.search(r"project\(tenon VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe"]
root_doc = "index"
include_patterns = ["index.md", "reference/**.md", "docs/*.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md",
                    "examples/README.md", "bench/*.md"]
exclude_patterns = ["docs/README.md"]  # the table of contents for those who read the files: the site has its own

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

html_theme = "furo"
html_title = "tenon"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
highlight_language = "none"  # commands and formulas; other blocks say their language

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
default_role = "code"

toc_object_entries = False  # the reference has a thousand entries, too many for the table beside a page

breathe_projects = {"tenon": os.environ.get("TENON_DOXYGEN_XML", str(ROOT / "build" / "docs" / "doxygen" / "xml"))}
breathe_default_project = "tenon"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False


FOLDED = r"""
<details><summary>\2.py</summary>

```{literalinclude} ../examples/python/\2.py
:language: python
```

</details>
"""


def to_site(app, docname, source):
    """Links to headers lead to the reference of C; links that show a file's name show the title of its page."""
    up = "../" * docname.count("/")
    text = re.sub(r"\]\((?:\.\./)*include/tenon/(?:tenon\.h)?\)", rf"]({up}reference/c/index.md)", source[0])
    text = re.sub(r"\]\((?:\.\./)*include/tenon/(\w+)\.h\)", rf"]({up}reference/c/\1.md)", text)
    text = re.sub(r"\]\((?:\.\./)*docs/README\.md\)", rf"]({up}index.md)", text)
    text = re.sub(r"\]\(README\.md\)", "](../index.md)", text) if docname.startswith("docs/") else text
    if docname == "index":  # pages that no section names go to the end of the last one
        rest = sorted(page for page in app.env.found_docs if page.startswith("docs/") and not re.search(rf"\b{page}\b", text))
        text = re.sub(r"\n```\s*$", "".join(f"\n{page}" for page in rest) + "\n```\n", text)
    if docname == "docs/examples":  # the programs themselves, folded
        text = re.sub(r"(\n!\[.*\]\(pictures/examples/(\w+)\.png\)\n)", r"\1" + FOLDED, text)
    source[0] = re.sub(r"\[(?:\.\./)*[\w/-]+\.md\]\(", "[](", text)


def plain_docstrings(_app, _what, _name, _thing, _options, lines):
    """Docstrings are text with `code`: indented lines after a colon and an empty line are code, and no other mark of reST
    has a meaning."""
    code = False
    for i, line in enumerate(lines):
        code = code and (not line.strip() or line.startswith("    "))
        if code:
            continue
        parts = re.split(r"(`+[^`]*`+)", line)
        parts[::2] = [re.sub(r"(?<=\w)_(?!\w)|[*|]", r"\\\g<0>", part) for part in parts[::2]]
        lines[i] = "".join(parts)
        following = lines[i + 1:i + 3]
        if len(following) == 2 and line.endswith(":") and not following[0].strip() and following[1].startswith("    "):
            lines[i] += ":"
            code = True


def setup(app):
    app.connect("source-read", to_site)
    app.connect("autodoc-process-docstring", plain_docstrings)
