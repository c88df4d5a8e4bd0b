"""The share of lines of src/ that ran in a build with TENON_COVERAGE, from the counts that gcc's programs leave.

    coverage.py BUILD_FOLDER [--lines FILE]     per folder and in all; --lines: those of src/FILE that did not run

A line counts where the compiler made code of it. A header's line ran if it did in any file that includes it."""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BATCH = 20


def objects(build):
    for folder, _, names in os.walk(os.path.join(build, "CMakeFiles", "tenon_objects.dir")):
        for name in names:
            if name.endswith(".gcno"):
                yield os.path.join(folder, name)


def counts_of(paths):
    """{file: {line: times}} of some objects; a file that never ran has zeros."""
    out = subprocess.run(["gcov", "--json-format", "--stdout", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         check=True, text=True).stdout
    found = collections.defaultdict(lambda: collections.defaultdict(int))
    for report in out.splitlines():
        report = json.loads(report)
        for file in report["files"]:
            path = os.path.relpath(os.path.join(report["current_working_directory"], file["file"]), os.path.join(ROOT, "src"))
            if path.startswith(".."):
                continue
            for line in file["lines"]:
                found[path][line["line_number"]] += line["count"]
    return {path: dict(lines) for path, lines in found.items()}


def read(build):
    paths = sorted(os.path.abspath(path) for path in objects(build))
    if not paths:
        raise SystemExit(f"{build}: not built with TENON_COVERAGE")
    total = collections.defaultdict(lambda: collections.defaultdict(int))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for part in pool.map(counts_of, [paths[i:i + BATCH] for i in range(0, len(paths), BATCH)]):
            for path, lines in part.items():
                for number, count in lines.items():
                    total[path][number] += count
    return total


def percent(ran, lines):
    return f"{100 * ran / lines:5.1f} %" if lines else "    –  "


def report(total):
    folders = collections.defaultdict(lambda: [0, 0])
    for path, lines in total.items():
        ran = sum(count > 0 for count in lines.values())
        for folder in (path.split(os.sep)[0], "all"):
            folders[folder][0] += ran
            folders[folder][1] += len(lines)
    missing = sorted(((sum(c == 0 for c in lines.values()), len(lines), path) for path, lines in total.items()), reverse=True)
    print("most lines that did not run:")
    for missed, lines, path in missing[:20]:
        print(f"  {missed:5d} of {lines:5d}  {path}")
    for folder, (ran, lines) in sorted(folders.items()):
        if folder != "all":
            print(f"{folder + '/':12s} {percent(ran, lines)} of {lines} lines")
    ran, lines = folders["all"]
    print(f"coverage of src/: {percent(ran, lines).strip()} of {lines} lines")


def ranges(numbers):
    """"3, 7-9" of 3, 7, 8, 9."""
    parts = []
    for n in sorted(numbers):
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--lines", metavar="FILE")
    arguments = parser.parse_args()
    total = read(arguments.build)
    if arguments.lines:
        if arguments.lines not in total:
            raise SystemExit(f"no code of src/{arguments.lines}")
        print(f"src/{arguments.lines}: {ranges(n for n, c in total[arguments.lines].items() if c == 0) or 'all lines ran'}")
        return
    report(total)


if __name__ == "__main__":
    main()
