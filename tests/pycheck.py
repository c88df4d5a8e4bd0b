"""Runs the unittest cases of a script and prints the closing line that all tests of this project print."""
import sys
import unittest


class Result(unittest.TextTestResult):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main(module="__main__"):
    """Runs all cases of the module and exits."""
    suite = unittest.defaultTestLoader.loadTestsFromName(module)
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result)
    result = runner.run(suite)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped)
    if not result.passed and not failed and not skipped:
        failed = 1  # no test at all is a failure
    line = f"{result.passed} passed, {failed} failed"
    print(line + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed else 0)
