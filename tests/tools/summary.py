"""Adds up the closing lines of all test programs of one or more ctest runs.

    summary.py LABEL=LOG... [--again LABEL=LOG...]

LOG is ctest's LastTest.log. A program whose output has no closing line `N passed, N failed[, N skipped]`, or that
failed without saying so (a crash, a time limit), counts as one failure. Runs after --again repeat tests that were
counted already, under a sanitizer for example: only their failures are added. The last line printed is the sum,
`N passed, N failed`; what was skipped is told in the line of its run.
"""
import re
import sys

TEST = re.compile(r"^\d+/\d+ Test: (.+)$")
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$")


def read_log(text):
    """[(name, passed, failed, skipped, problem)] of one LastTest.log; problem is '' or why it counts as a failure."""
    tests = []
    name, counts, ended, problem = None, None, False, ""

    def close():
        if name is None:
            return
        passed, failed, skipped = counts or (0, 0, 0)
        why = problem
        if not ended:
            why = "did not run to its end"
        elif counts is None:
            why = why or "has no closing line"
        if why and failed == 0:
            failed = 1
        tests.append((name, passed, failed, skipped, why))

    inside = False
    for line in text.splitlines():
        match = TEST.match(line)
        if match and not inside:
            close()
            name, counts, ended, problem = match.group(1).strip(), None, False, ""
        elif line == "Output:":
            inside = True
        elif line == "<end of output>":
            inside = False
        elif inside:
            match = CLOSING.match(line)
            if match:
                counts = tuple(int(n or 0) for n in match.groups())
        elif name is not None and line.startswith("Test ") and not line.startswith("Test time"):
            ended = True
            if not line.startswith("Test Passed"):
                problem = "failed"
    close()
    return tests


def describe(passed, failed, skipped):
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def main(arguments):
    again = False
    sum_passed = sum_failed = 0
    for argument in arguments:
        if argument == "--again":
            again = True
            continue
        label, _, path = argument.partition("=")
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                tests = read_log(file.read())
        except OSError:
            tests = []
        if not tests:
            tests = [("all", 0, 1, 0, "no test ran")]
        for name, _, failed, _, problem in tests:
            if failed:
                print(f"FAILED {label}: {name} ({failed}{': ' + problem if problem else ''})")
        passed, failed, skipped = (sum(test[i] for test in tests) for i in (1, 2, 3))
        print(f"{label}: {describe(passed, failed, skipped)} in {len(tests)} programs")
        sum_failed += failed
        if not again:
            sum_passed += passed
    print(describe(sum_passed, sum_failed, 0))
    return 1 if sum_failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
