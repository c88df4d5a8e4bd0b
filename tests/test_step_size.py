"""How much a reader of one step has to hold does not grow: tools/step_path.py counts it."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

import pycheck  # noqa: E402
import step_path  # noqa: E402

MEMBERS = 25  # of TnStep
REAL_DEFINES = 213  # of src/, 19 of them of fits and plans; 120 is the aim: each change that takes some away lowers this


class StepSize(unittest.TestCase):
    def test_members_of_the_step(self):
        self.assertLessEqual(step_path.step_members(), MEMBERS)
        self.assertGreater(step_path.step_members(), 10, "nothing was counted")

    def test_real_numbers_that_decide_something(self):
        found = step_path.real_defines()
        self.assertLessEqual(len(found), REAL_DEFINES)
        self.assertIn("TN_NO_HELP", [name for _, _, name, _ in found], "nothing was counted")


if __name__ == "__main__":
    pycheck.main()
