"""The sum of all tests must never hide a failure: summary.py on logs written by hand."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import pycheck  # noqa: E402
import summary  # noqa: E402


def section(number, name, output, status):
    return (f"{number}/9 Testing: {name}\n{number}/9 Test: {name}\nCommand: \"x\"\nDirectory: /x\n"
            f"Output:\n----------------------------------------------------------\n{output}<end of output>\n"
            f"Test time =   0.01 sec\n----------------------------------------------------------\n{status}\n"
            f"\"{name}\" end time: x\n\n")


class Summary(unittest.TestCase):
    def test_counts_of_a_passing_program_are_read(self):
        log = section(1, "a", "ok  x\n3 passed, 0 failed\n", "Test Passed.")
        self.assertEqual(summary.read_log(log), [("a", 3, 0, 0, "")])

    def test_skipped_tests_are_counted(self):
        log = section(1, "a", "3 passed, 0 failed, 2 skipped\n", "Test Passed.")
        self.assertEqual(summary.read_log(log)[0][1:4], (3, 0, 2))

    def test_last_closing_line_wins(self):
        log = section(1, "a", "1 passed, 0 failed\n5 passed, 0 failed\n", "Test Passed.")
        self.assertEqual(summary.read_log(log)[0][1], 5)

    def test_crash_without_closing_line_is_a_failure(self):
        log = section(1, "a", "ok  x\n", "Test Failed.")
        self.assertEqual(summary.read_log(log)[0][2], 1)

    def test_pass_without_closing_line_is_a_failure(self):
        log = section(1, "a", "ok  x\n", "Test Passed.")
        self.assertEqual(summary.read_log(log)[0][2], 1)

    def test_crash_after_the_closing_line_is_a_failure(self):
        log = section(1, "a", "3 passed, 0 failed\n", "Test Failed.")
        self.assertEqual(summary.read_log(log)[0][1:3], (3, 1))

    def test_log_that_breaks_off_is_a_failure(self):
        log = section(1, "a", "3 passed, 0 failed\n", "Test Passed.") + "2/9 Testing: b\n2/9 Test: b\nOutput:\n"
        self.assertEqual([test[2] for test in summary.read_log(log)], [0, 1])

    def test_program_that_prints_a_heading_of_ctest_is_not_taken_for_one(self):
        log = section(1, "a", "7/9 Test: fake\n3 passed, 0 failed\n", "Test Passed.")
        self.assertEqual(len(summary.read_log(log)), 1)

    def test_last_line_is_the_sum_and_failures_of_repeated_runs_count(self):
        with tempfile.TemporaryDirectory() as folder:
            first, again = os.path.join(folder, "first"), os.path.join(folder, "again")
            with open(first, "w", encoding="utf-8") as file:
                file.write(section(1, "a", "3 passed, 0 failed, 2 skipped\n", "Test Passed."))
            with open(again, "w", encoding="utf-8") as file:
                file.write(section(1, "a", "2 passed, 1 failed\n", "Test Failed."))
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                code = summary.main([f"first={first}", "--again", f"again={again}"])
        lines = printed.getvalue().splitlines()
        self.assertEqual((code, lines[-1]), (1, "3 passed, 1 failed"))
        self.assertIn("first: 3 passed, 0 failed, 2 skipped in 1 programs", lines)


if __name__ == "__main__":
    pycheck.main()
