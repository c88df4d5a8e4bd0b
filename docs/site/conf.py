"""Sphinx's settings for the site; docs/build runs it."""
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

project = "tenon"
author = "the authors of tenon"
copyright = author
version = release = re.search(r"project\(tenon VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "breathe", "sphinx_copybutton"]
root_doc = "index"
include_patterns = ["index.md", "reference/**.md", "docs/*.md", "docs/notes/*.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md",
                    "examples/README.md", "bench/*.md"]
exclude_patterns = ["docs/README.md"]  # the table of contents for those who read the files: the site has its own

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_dmath_allow_digits = False  # in text, $ is a dollar where a digit is beside it
mathjax_path = "tex-svg.js"

html_theme = "furo"
html_title = f"tenon {version}"
# MathJax is one file with its letters, so formulas need no network
html_static_path = ["static", str(ROOT / ".venv" / "site" / "node_modules" / "mathjax" / "es5" / "tex-svg.js")]
html_css_files = ["site.css"]
html_js_files = ["versions.js"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
copybutton_prompt_text = ">>> "  # what stands before input is not copied
pygments_style = "friendly"
pygments_dark_style = "github-dark"
highlight_language = "none"  # commands and formulas; other blocks say their language

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
default_role = "code"

toc_object_entries = False  # the reference has a thousand entries, too many for the table beside a page

breathe_projects = {"tenon": os.environ.get("TENON_DOXYGEN_XML", str(ROOT / "build" / "docs" / "doxygen" / "xml"))}
breathe_default_project = "tenon"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False


EXAMPLE = re.compile(r"(!\[.*?\]\(.*?\)) \*\*\[(\w+)\.py\]\(.*?\): (.*?)\.\*\* (.*?)[ |]*$")


def example(card):
    """A card of the examples as a section: picture, text, and the program, folded."""
    found = EXAMPLE.search(card.strip())
    if not found:
        return ""
    picture, name, title, about = found.groups()
    return (f"## {name}.py: {title}\n\n{picture}\n\n{about}\n\n<details><summary>{name}.py</summary>\n\n"
            f"```{{literalinclude}} ../examples/python/{name}.py\n:language: python\n```\n\n</details>\n\n")


PAGES = os.environ.get("TENON_PAGES")  # a folder of pages that simulate, which docs/build made; the site has them beside docs/
html_extra_path = [PAGES] if PAGES else []


def live_pages():
    """Links to the pages that simulate, as many to a row as there is room for."""
    names = sorted(path.stem for path in pathlib.Path(PAGES, "live").glob("*.html")) if PAGES else []
    links = " · ".join(f'<a href="../live/{name}.html">{name.replace("_", " ")}</a>' for name in names)
    return f"Play with the scenes here: {links}." if names else ""


CARD = re.compile(r"!\[([^]]*)\]\((pictures/gallery/(\w+)\.webp)\) \[([^]]*)\]")


def gallery_card(about, picture, name, title):
    """A card of the gallery as a section: picture, link to the page that plays, and the program."""
    text = (ROOT / "docs" / "gallery" / f"{name}.py").read_text(encoding="utf-8")
    code = text.split('"""', 2)[2].strip()
    play = f'<a href="../gallery/{name}.html">Play it</a>\n\n' if PAGES and pathlib.Path(PAGES, "gallery", f"{name}.html").exists() else ""
    more = f"{about}\n\n" if ":" in about else ""
    return f"### {title}\n\n![{about}]({picture})\n\n{more}{play}```python\n{code}\n```\n\n"


def to_site(app, docname, source):
    """Links to headers lead to the reference of C; links that show a file's name show the title of its page."""
    up = "../" * docname.count("/")
    text = re.sub(r"\]\((?:\.\./)*include/tenon/(?:tenon\.h)?\)", rf"]({up}reference/c/index.md)", source[0])
    text = re.sub(r"\]\((?:\.\./)*include/tenon/(\w+)\.h\)", rf"]({up}reference/c/\1.md)", text)
    text = re.sub(r"\]\((?:\.\./)*docs/README\.md\)", rf"]({up}index.md)", text)
    text = re.sub(r"\[([^]]*)\]\((?:\.\./)*(?:CITATION\.cff|web/npm/README\.md)\)", r"\1", text)  # the site does not have them
    if docname.startswith("docs/"):  # the table of contents of docs/, from its pages and those of notes/
        text = re.sub(r"\]\((?:\.\./)?README\.md\)", rf"]({up}index.md)", text)
    if docname == "index":  # pages that no section names go to the end of the last one
        rest = sorted(page for page in app.env.found_docs if page.startswith("docs/") and not re.search(rf"\b{page}\b", text))
        text = re.sub(r"\n```\s*$", "".join(f"\n{page}" for page in rest) + "\n```\n", text)
    if docname == "docs/examples":  # a section for each, with the program, folded
        text = re.sub(r"^\|---.*\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"^\| !.*\n", lambda row: "".join(map(example, row.group().split(" | "))), text, flags=re.MULTILINE)
    if docname == "docs/gallery":
        text = re.sub(r"^\|---.*\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"^\|.*\n", lambda row: "".join(gallery_card(*card) for card in CARD.findall(row.group())), text, flags=re.MULTILINE)
    if docname == "docs/live":
        text = text.replace("<!-- pages -->", live_pages())
    source[0] = re.sub(r"\[(?:\.\./)*[\w/-]+\.md\]\(", "[](", text)


def plain_docstrings(_app, _what, name, _thing, _options, lines):
    """Docstrings are text with `code`: indented lines after a colon and an empty line are code, and no other mark of reST
    has a meaning. Indented lines `name (type): text` are a list."""
    code = listed = False
    margin = "" if "Builder." in name and any(re.match(r"\w+ \(", line) for line in lines[2:3]) else "    "  # autodoc dedents
    for i, line in enumerate(lines):
        code = code and (not line.strip() or line.startswith("    "))
        if code:
            continue
        entry = re.match(rf"{margin}(\w+)( \(.*|)$", line)
        if entry and (listed or not lines[i - 1].strip()):
            line, listed = f"- `{entry.group(1)}`{entry.group(2)}", True
        elif listed and line.startswith(margin + "    "):
            line = "  " + line.strip()
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
