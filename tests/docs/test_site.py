"""The documentation builds without a warning, its links lead somewhere, and the check of links sees broken ones.

    test_site.py BUILD_FOLDER

Skipped where the tools of docs/requirements.txt or doxygen are missing (./test installs them)."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "docs" / "site")]
import check_links
import doxygen_filter
import publish
import pycheck

BUILD = sys.argv[1]
MISSING = 3  # exit code of docs/build where a tool is missing


class Site(unittest.TestCase):
    def test_site_builds_and_has_both_references(self):
        done = subprocess.run([ROOT / "docs" / "build", "--library", BUILD, "--no-install", "--quick"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=560)
        if done.returncode == MISSING:
            self.skipTest(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stdout)
        html = ROOT / "build" / "docs" / "html" / "reference"
        python = (html / "python" / "World.html").read_text(encoding="utf-8")
        self.assertIn('id="tenon.World.step"', python)
        self.assertIn("Ctrl-C works between steps", python)
        c = (html / "c" / "world.html").read_text(encoding="utf-8")
        for part in ("tn_world_step", "heap_fallbacks", "0 once warm"):  # a function, a field and its comment
            self.assertIn(part, c)
        text = (html.parent / "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(text[text.index("(") + 1:text.rindex(")")])
        for words, page in (("mj_step", "docs/from-mujoco"), ("camera intrins", "docs/how-do-i"), ("gradient", "docs/how-do-i")):
            for word in words.split():  # as stems, which the search of the site makes of what is typed
                found = [index[where].get(word, []) for where in ("terms", "titleterms")]
                pages = [page for pages in found for page in (pages if isinstance(pages, list) else [pages])]
                self.assertIn(page, [index["docnames"][k] for k in pages], word)
        self.assertIn("copybutton.js", (html.parent / "docs" / "python.html").read_text(encoding="utf-8"))


class Tools(unittest.TestCase):
    def test_broken_links_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "index.html"
            page.write_text('<p id="here"><a href="#here">1</a><a href="#there">2</a><img src="no.png">'
                            '<a href="https://example.org/x">3</a><a href="index.html#here">4</a></p>', encoding="utf-8")
            count, problems = check_links.broken(page.parent)
        self.assertEqual(count, 4)
        self.assertEqual(len(problems), 2, problems)
        self.assertIn("#there", problems[0])
        self.assertIn("no.png", problems[1])

    def test_versions_are_put_side_by_side(self):
        with tempfile.TemporaryDirectory() as folder:
            site, shown = pathlib.Path(folder, "html"), pathlib.Path(folder, "shown")
            site.mkdir()
            (site / "index.html").write_text("<p>new</p>", encoding="utf-8")
            for version, expected in (("0.9", ["0.9"]), ("0.10", ["0.10", "0.9"]), ("main", ["0.10", "0.9", "main"]),
                                      ("0.9", ["0.10", "0.9", "main"])):
                self.assertEqual(publish.publish(site, shown, version), expected)
            self.assertIn('["0.10", "0.9", "main"]', (shown / "versions.js").read_text(encoding="utf-8"))
            self.assertEqual(check_links.broken(shown)[1], [])
            self.assertIn('href="0.10/index.html"', (shown / "index.html").read_text(encoding="utf-8"))
            with self.assertRaises(SystemExit):
                publish.publish(site, shown, "../x")

    def test_comments_of_headers_become_doxygens(self):
        text = doxygen_filter.spread(doxygen_filter.rewrite(
            "/* x.h: all. */\n\n/* Above. */\nstruct A {\n    int a, b; /* m, see <b> */\n};\n"))
        self.assertTrue(text.startswith("/** @file\n x.h: all. */"), text)
        self.assertIn("/** Above. */", text)
        self.assertIn("int a; /**< m, see &lt;b> */\nint b; /**< m, see &lt;b> */", text)


pycheck.main()
