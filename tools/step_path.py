#!/usr/bin/env python3
"""What a reader of one step has to hold: the .c files whose functions run in one step of a scene, the
members of TnStep, and the thresholds that are real numbers.

    tools/step_path.py build/tenon [scenes/stir.xml] [--list]

The step is the one after 1 s, traced by valgrind (--tool=callgrind). A function belongs to the file
whose symbols it stands with in the program, so the program must not be stripped."""
import argparse
import bisect
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
REAL = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?-?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?f?\)?[ \t]*(/\*.*)?$")


def real_defines(root=ROOT):
    """(file, line, name, value) of every #define of src/ whose value is a real number."""
    found = []
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".c", ".h", ".cu", ".cuh"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = REAL.match(line)
            if match and ("." in match[2] or match[3]):
                found.append((str(path.relative_to(root)), number, match[1],
                              match[2] + (match[3] or "")))
    return found


def step_members(root=ROOT):
    """Number of members of TnStep."""
    text = (root / "src/step/step.h").read_text()
    body = re.search(r"typedef struct TnStep \{(.*?)\n\} TnStep;", text, re.S)[1]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    return sum(len(line.split(",")) for line in body.split(";") if line.strip())


def functions_of(program):
    """(address, name, file's base name) of the program's functions, ascending. Hidden ones stand with
    no file of theirs."""
    text = subprocess.run(["readelf", "-sW", program], capture_output=True, text=True,
                          check=True).stdout
    found, file = [], ""
    for line in text.splitlines():
        parts = line.split()
        if len(parts) < 8 or not parts[0].rstrip(":").isdigit():
            continue
        if parts[3] == "FILE":
            file = parts[7]
        elif parts[3] in ("FUNC", "IFUNC"):
            found.append((int(parts[1], 16), parts[7], file))
    return sorted(found)


def files_of(program):
    """Files of src/ that define a function of a name, from the objects beside the program."""
    defined = collections.defaultdict(set)
    build = pathlib.Path(program).resolve().parent
    objects = [o for o in build.rglob("tenon_objects.dir/src/**/*.c.o")]
    if not objects:
        sys.exit(f"{build} has no objects of the library: build the program there")
    for start in range(0, len(objects), 100):
        text = subprocess.run(["nm", "-A", "--defined-only", *objects[start:start + 100]],
                              capture_output=True, text=True, check=True).stdout
        for line in text.splitlines():
            match = re.match(r".*tenon_objects\.dir/(src/.*\.c)\.o:\S+ [TtWi] ([\w]+)", line)
            if match and (ROOT / match[1]).exists():  # not what an older build left
                defined[match[2]].add(match[1])
    return defined


def trace(program, model):
    """Addresses at which functions of the program run in the step after 1 s."""
    with tempfile.TemporaryDirectory() as folder:
        start, out = f"{folder}/start", f"{folder}/trace"
        run = [program, "run", model, "--quiet", "--no-accuracy", "--threads", "1"]
        subprocess.run(run + ["--duration", "1", "--checkpoint", start], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=tn_world_step",
                        "--dump-instr=yes", f"--callgrind-out-file={out}"] + run +
                       ["--resume", start, "--duration", "1.01"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return addresses(pathlib.Path(out).read_text(), pathlib.Path(program).name)


def addresses(text, name):
    """Of a file of callgrind, one per function of the object of that name."""
    found, objects, here, at, fresh, skip = set(), {}, False, 0, False, False
    for line in text.splitlines():
        match = re.match(r"(c?ob|c?fn|calls)=(?:\((\d+)\))?\s*(.*)", line)
        if match:
            if match[1] in ("ob", "cob") and match[3]:
                objects[match[2]] = match[3]
            if match[1] == "ob":
                here = pathlib.Path(objects[match[2]]).name == name
            fresh |= match[1] == "fn"
            skip = match[1] == "calls"
            continue
        match = re.match(r"(0x[0-9a-f]+|[+-]\d+|\*)\s", line)
        if not match:
            continue
        word = match[1]
        at = at if word == "*" else at + int(word) if word[0] in "+-" else int(word, 16)
        if fresh and here and not skip:
            found.add(at)
            fresh = False
        skip = False
    return found


def path_of_step(program, model):
    """.c files of the library with the functions of each that run."""
    functions, defined = functions_of(program), files_of(program)
    starts = [f[0] for f in functions]
    files = collections.defaultdict(set)
    for at in trace(program, model):
        _, name, base = functions[bisect.bisect_right(starts, at) - 1]
        name = name.split(".")[0]  # parts that the compiler split off
        homes = defined[name]
        if len(homes) > 1:
            homes = {h for h in homes if pathlib.Path(h).name == base}
        for home in homes:
            files[home].add(name)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    parser.add_argument("model", nargs="?", default=str(ROOT / "scenes/stir.xml"))
    parser.add_argument("--list", action="store_true", help="the files, and how many functions of each")
    args = parser.parse_args()
    files = path_of_step(args.program, args.model)
    if args.list:
        for file in sorted(files):
            lines = len((ROOT / file).read_text().splitlines())
            print(f"{len(files[file]):4} functions {lines:5} lines  {file}")
    print(f"{len(files)} .c files and {sum(map(len, files.values()))} functions run in one step")
    print(f"{step_members()} members of TnStep")
    print(f"{len(real_defines())} real-valued thresholds in src/")


if __name__ == "__main__":
    sys.exit(main())
