#!/usr/bin/env python3
"""Shows commits whose messages are not as CONTRIBUTING.md asks, newest first. A warning, not a gate: it exits 0.

    tools/check_commits.py [RANGE]          default: what is not on main, or the last 50 commits of main

A subject is at most 72 characters long, names its area (`solver: what it does now`), and is about finished work.
Merges are left out."""
import re
import subprocess
import sys

LONGEST = 72  # what git log, mail and web pages show without a cut
UNFINISHED = re.compile(r"^(fixup|squash|amend)!|\b(wip|tmp)\b", re.IGNORECASE)
AREA = re.compile(r"^[\w./+-]+(, [\w./+-]+)*: \S")


def faults(subject):
    """What is wrong with a subject, in words."""
    found = []
    if len(subject) > LONGEST:
        found.append(f"{len(subject)} characters")
    if UNFINISHED.search(subject):
        found.append("unfinished")
    elif not subject.startswith("Revert ") and not AREA.match(subject):
        found.append("no area")
    return found


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def commits(arguments):
    """(hash, subject) of the commits to check."""
    shown = [arguments[0]] if arguments else ["main..HEAD"]
    try:
        text = git("log", "--no-merges", "--format=%h %s", *shown)
        if not text and not arguments:
            text = git("log", "--no-merges", "--format=%h %s", "-50")
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr.strip())
    return [line.split(" ", 1) for line in text.splitlines()]


def main():
    listed = commits(sys.argv[1:])
    wrong = [(name, subject, faults(subject)) for name, subject in listed if faults(subject)]
    for name, subject, reasons in wrong:
        print(f"{name} {', '.join(reasons)}: {subject}")
    print(f"{len(listed)} commits, {len(wrong)} to look at")


if __name__ == "__main__":
    main()
