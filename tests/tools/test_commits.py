"""tools/check_commits.py sees subjects that are too long, unfinished or without an area, and no others."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]
import check_commits
import pycheck


class Subjects(unittest.TestCase):
    def test_good_subjects_have_no_faults(self):
        for subject in ("solver: warm-start lambda across contact changes", "world, model: one name for passes",
                        "src/step: x", 'Revert "solver: y"', "a: " + "x" * 69):
            self.assertEqual(check_commits.faults(subject), [], subject)

    def test_long_subjects_are_seen(self):
        self.assertEqual(check_commits.faults("a: " + "x" * 70), ["73 characters"])

    def test_unfinished_work_is_seen(self):
        for subject in ("wip", "WIP: x", "solver: wip", "fixup! solver: x"):
            self.assertEqual(check_commits.faults(subject), ["unfinished"], subject)

    def test_words_that_only_contain_wip_are_fine(self):
        self.assertEqual(check_commits.faults("base: wipe the arena"), [])

    def test_subjects_without_area_are_seen(self):
        self.assertEqual(check_commits.faults("make it faster"), ["no area"])


pycheck.main()
