"""Pages agree with the sources: the five walks of docs/architecture.md lead to functions that are where the page says, and the
diagrams are as tools/make_diagrams.py writes them, with the phases of the step as it is."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]
import make_diagrams
import pycheck

STOP = re.compile(r"`([\w/]+\.c)`, `(\w+)`|`([\w/]+\.c)`|and `(\w+)`")


def stops(text):
    """(file, function) of each stop; "and `f`" is in the file of the stop before."""
    at, found = None, []
    for file, function, other, more in STOP.findall(text):
        at = file or other or at
        if function or more:
            found.append((at, function or more))
        else:
            found.append((at, None))
    return found


def defines(text, function):
    """Whether a line begins with the function's definition."""
    return re.search(rf"^[A-Za-z_][\w \*]*\b{function}\(", text, re.MULTILINE) is not None


class Walks(unittest.TestCase):
    def test_every_stop_is_there(self):
        page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
        walks = page.split("## Five walks\n")[1].split("\n## ")[0]
        self.assertEqual(len(re.findall(r"^\*\*.*\*\*$", walks, re.MULTILINE)), 5)
        listed = stops(walks)
        self.assertGreater(len([f for _, f in listed if f]), 25)
        for file, function in listed:
            path = ROOT / "src" / file
            self.assertTrue(path.is_file(), f"there is no src/{file}")
            if function:
                self.assertTrue(defines(path.read_text(encoding="utf-8"), function), f"src/{file} does not define {function}")

    def test_a_wrong_stop_is_seen(self):
        self.assertEqual(stops("`a/b.c`, `f` and `g`, or `c.c`"), [("a/b.c", "f"), ("a/b.c", "g"), ("c.c", None)])
        self.assertTrue(defines("static bool f(int a)\n{", "f"))
        self.assertFalse(defines("    if (f(1)) return;\n", "f"))


class Diagrams(unittest.TestCase):
    def test_committed_diagrams_are_those_of_the_script(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "tools" / "make_diagrams.py", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_phases_are_those_of_the_step(self):
        self.assertEqual(make_diagrams.phases()[:3], ["prepare", "assemble", "collide"])
        self.assertEqual(len(make_diagrams.phases()), 12)


pycheck.main()
