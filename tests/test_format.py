"""Every C file is as clang-format writes it (.clang-format). Other versions than the one named here format a little differently, so
they are not asked. And comments of the library are about things."""
import os
import re
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import pycheck  # noqa: E402

VERSION = "14"  # Debian 12
FOLDERS = ("apps", "bench", "examples", "include", "src", "tests")


def version_of(program):
    found = program and re.search(r"version (\d+)", subprocess.run([program, "--version"], capture_output=True, text=True).stdout)
    return found and found.group(1)


def c_files():
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            yield from (os.path.join(path, name) for name in sorted(names) if name.endswith((".c", ".h")))


class Format(unittest.TestCase):
    def test_files_are_formatted(self):
        program = shutil.which("clang-format-" + VERSION) or shutil.which("clang-format")
        if version_of(program) != VERSION:
            self.skipTest(f"there is no clang-format {VERSION}")
        files = list(c_files())
        self.assertGreater(len(files), 500)
        done = subprocess.run([program, "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True)
        wrong = sorted({line.split(":")[0] for line in done.stderr.splitlines() if "clang-format-violations" in line})
        self.assertEqual(wrong, [], "run clang-format -i on these")


class Words(unittest.TestCase):
    PERSONS = re.compile(r"\b(nobody|somebody|anybody|everybody|whoever|whom|who|wants|knows)\b", re.IGNORECASE)

    def test_bodies_and_steps_are_no_persons(self):
        found, lines = [], 0
        for path in c_files():
            if os.path.relpath(path, ROOT).split(os.sep)[0] in ("include", "src"):
                with open(path, encoding="utf-8") as file:
                    for number, line in enumerate(file, 1):
                        lines += 1
                        if self.PERSONS.search(line):
                            found.append(f"{os.path.relpath(path, ROOT)}:{number}: {line.strip()}")
        self.assertGreater(lines, 50000)
        self.assertEqual(found, [])


if __name__ == "__main__":
    pycheck.main()
