#!/usr/bin/env python3
"""What the thresholds of src/ do: each is halved and doubled, and a fixed set of models is run.

    tools/thresholds.py FOLDER [--jobs N] [--seeds N] [--only NAME,...] [--markdown FILE]

FOLDER is a scratch folder: a copy of the tree is built there in which every #define of src/ whose
value is a real number reads a table. So one build serves all. A number that the compiler must know
stays as it is, and is listed. Of numbers between 0.5 and 1, which are cosines and shares, the
distance to 1 is halved and doubled. Models are the scenes of scenes/ and random ones
(tests/search), on one thread. Only those that read a threshold at all are run for it; which do is
seen in one run of all."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import step_path

ROOT = step_path.ROOT
DEFINE = re.compile(r"^([ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+)(\(?-?[\d.][-+*/\d.eE ()]*)(/\*.*)?$")
STEPS = {"beam": 4, "knot": 4, "stir": 15, "cloth": 6, "drape": 6, "cable": 10, "wall": 10,
         "press": 8, "pinch": 20}  # of the scenes that take long; 30 of others
SECONDS = 120  # for a variant: with the thresholds as they are the longest takes 10
TABLE = """#include <stdio.h>
#include <stdlib.h>
double tn_tuned[{count}] = {{{values}}};
unsigned char tn_tuned_read[{count}];
__attribute__((constructor)) static void tune(void)
{{
    const char *text = getenv("TN_TUNE");
    int k;
    double value;
    if (text && sscanf(text, "%d:%lf", &k, &value) == 2) tn_tuned[k] = value;
}}
"""
HEAD = """# Notes: thresholds

What half and twice of each of {count} numbers of `src/` does to {scenes} scenes and {seeds} random models, each on one
thread. `tools/thresholds.py` writes this page. *a of b*: so many of the b models that read the number end with other
bits; then what that changes in these, as sums over all of their steps: steps beyond their tolerance, findings of the
random search, iterations, steps that were solved, and the deepest contact. Numbers between 0.5 and 1 are shares and
cosines: their distance to 1 is halved and doubled. *not read*: no model gets there; what only devices and processes by
MPI read is left out."""
PROBE = """
add_executable(probe ${PROJECT_SOURCE_DIR}/tools/thresholds/probe.c)
target_include_directories(probe PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(probe PRIVATE sketches tenon_static tenon_flags EXPAT::EXPAT ZLIB::ZLIB Threads::Threads m)
"""
Threshold = collections.namedtuple("Threshold", "file line name text value about")
Answer = collections.namedtuple("Answer", "hash iterations missed tries findings deepest")


def thresholds():
    """Of the CPU's library: what only devices and processes by MPI read cannot be run here."""
    found = []
    for file, line, name, _ in step_path.real_defines():
        text = (ROOT / file).read_text().splitlines()[line - 1]
        match = DEFINE.match(text)
        if match and not file.startswith(("src/gpu/", "src/mpi/")):
            value = match[3].strip()
            found.append(Threshold(file, line, name, value, float(eval(value)), reason(file, line)))
    return found


def reason(file, line):
    """The comment beside a threshold, or the one above it."""
    lines = (ROOT / file).read_text().splitlines()
    beside = re.search(r"/\*\s*(.*?)\s*(\*/|$)", lines[line - 1])
    if beside:
        return beside[1]
    k, text = line - 2, []
    while k >= 0 and lines[k].startswith("#define"):
        k -= 1
    if k < 0 or not lines[k].rstrip().endswith("*/"):
        return ""
    while k >= 0:
        text.insert(0, lines[k].strip(" /*"))
        if lines[k].lstrip().startswith("/*"):
            break
        k -= 1
    return re.split(r"(?<=\.) ", " ".join(text))[0]


def sources():
    """Lines of all files of src/, by path."""
    paths = [p for p in (ROOT / "src").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return {str(p.relative_to(ROOT)): p.read_text().splitlines() for p in paths}


def copy_tree(folder, plain, found, fixed):
    """The tree with thresholds as entries of a table, but for those that are fixed. Only src/ is
    copied."""
    tree = folder / "tree"
    tree.mkdir(exist_ok=True)
    for part in ROOT.iterdir():
        if part.name not in ("src", "CMakeLists.txt", "build") and not (tree / part.name).exists():
            (tree / part.name).symlink_to(part)
    texts = {file: list(lines) for file, lines in plain.items()}
    count = len(found)
    for k, t in enumerate(found):
        if (t.file, t.name) not in fixed:
            head = DEFINE.match(texts[t.file][t.line - 1])[1]
            texts[t.file][t.line - 1] = f"{head}(tn_tuned_read[{k}] = 1, tn_tuned[{k}])"
    texts["tuned.h"] = [f"extern double tn_tuned[{count}];",
                        f"extern unsigned char tn_tuned_read[{count}];"]
    values = ", ".join(repr(t.value) for t in found)
    texts["src/base/tuned.c"] = [TABLE.format(count=count, values=values)]
    texts["CMakeLists.txt"] = [(ROOT / "CMakeLists.txt").read_text(), PROBE]
    for file, lines in texts.items():
        write_if_other(tree / file, "\n".join(lines) + "\n")
    for path in (tree / "src").rglob("*"):
        if path.is_file() and str(path.relative_to(tree)) not in texts:
            path.unlink()
    return tree


def write_if_other(path, text):
    """What has not changed is not compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def build(folder, found, jobs):
    """The program, and the thresholds that the compiler must know."""
    plain, fixed, out = sources(), set(), folder / "build"
    while True:
        tree = copy_tree(folder, plain, found, fixed)
        subprocess.run(["cmake", "-S", tree, "-B", out, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DTENON_BUILD_TESTS=ON", "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG",
                        f"-DCMAKE_C_FLAGS=-w -include {tree}/tuned.h"], check=True,
                       stdout=subprocess.DEVNULL)
        done = subprocess.run(["ninja", "-C", out, "-k", "0", f"-j{jobs}", "probe"],
                              capture_output=True, text=True)
        if done.returncode == 0:
            return out / "probe", fixed
        where = set(re.findall(r"tree/(src/[\w/.]+):\d+:\d+: note: in expansion of macro .(\w+)",
                               done.stdout))
        names = {name for _, name in where}
        more = {(t.file, t.name) for t in found if t.name in names} - fixed
        if not more:
            sys.exit(done.stdout[-4000:])
        fixed |= more


def models(seeds):
    scenes = [f"{p}:{STEPS.get(p.stem, 30)}" for p in sorted((ROOT / "scenes").glob("*.xml"))]
    return scenes + [str(k) for k in range(1, seeds + 1)]


def ask(program, wanted, tune=None, tell=False):
    """Answers by model, or None where the program did not end well."""
    env = dict(os.environ)
    if tune:
        env["TN_TUNE"] = tune
    if tell:
        env["TN_TUNE_USED"] = "1"
    try:
        done = subprocess.run([program, *wanted], env=env, capture_output=True, text=True,
                              timeout=None if tell else SECONDS)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    rows = [line.split() for line in done.stdout.splitlines()]
    answers = [Answer(r[0], *map(int, r[1:5]), float(r[5])) for r in rows]
    return answers, [set(map(int, r[6:])) for r in rows]


def changed(value, factor):
    return 1.0 - factor * (1.0 - value) if 0.5 < value < 1.0 else factor * value


def effect(before, after):
    """In words, of the models that read the threshold."""
    if after is None:
        return "a run does not end"
    other = [(b, a) for b, a in zip(before, after) if b.hash != a.hash]
    if not other:
        return "none"
    text = f"{len(other)} of {len(before)}"
    for field, word in (("missed", "unconverged"), ("findings", "findings")):
        more = sum(getattr(a, field) - getattr(b, field) for b, a in other)
        if more:
            text += f", {word} {more:+d}"
    for field, word in (("iterations", "iterations"), ("tries", "solves")):
        first = sum(getattr(b, field) for b, _ in other)
        last = sum(getattr(a, field) for _, a in other)
        percent = 100.0 * (last - first) / max(first, 1)
        if abs(percent) >= 1:
            text += f", {word} {percent:+.0f} %"
    first, last = (max(x[k].deepest for x in other) for k in (0, 1))
    if abs(last - first) > 0.1 * first:
        text += f", deepest {first:.2g} → {last:.2g} mm"
    return text


def table(rows, fixed, scenes, seeds):
    """Markdown, a section per folder."""
    out, folder = [HEAD.format(count=len(rows), scenes=scenes, seeds=seeds)], None
    for t, halved, doubled in rows:
        here = str(pathlib.Path(t.file).parent)
        if here != folder:
            folder = here
            out += ["", f"## {here}", "", "| name | value | file | what it bounds | half | double |",
                    "|---|---|---|---|---|---|"]
        about = t.about.replace("|", "\\|").replace("<", "&lt;")
        name = pathlib.Path(t.file).name
        out.append(f"| `{t.name}` | {t.text} | {name} | {about} | {halved} | {doubled} |")
    if fixed:
        out += ["", "The compiler must know these, so they are not varied: " +
                ", ".join(f"`{name}`" for _, name in sorted(fixed)) + "."]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path, help="scratch folder; what it has is kept")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once; default 2")
    parser.add_argument("--seeds", type=int, default=45, help="random models; default 45")
    parser.add_argument("--only", default="", help="names of thresholds; default: all")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table here; default: print it")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    found = thresholds()
    program, fixed = build(args.folder.resolve(), found, args.jobs)
    wanted = models(args.seeds)
    print(f"{len(found)} thresholds, {len(wanted)} models", file=sys.stderr)
    before, read = ask(program, wanted, tell=True)
    chosen = [k for k, t in enumerate(found)
              if (t.file, t.name) not in fixed and (not args.only or t.name in args.only.split(","))]

    def vary(k, factor):
        used = [i for i, r in enumerate(read) if k in r]
        if not used:
            return "not read"
        value = changed(found[k].value, factor)
        got = ask(program, [f"{wanted[i]}={before[i].hash}" for i in used], f"{k}:{value!r}")
        # a random model is judged only where it changed: findings of the rest are those of before
        after = got and [a._replace(findings=before[i].findings) if a.hash == before[i].hash else a
                         for i, a in zip(used, got[0])]
        return effect([before[i] for i in used], after)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        tasks = [(k, pool.submit(vary, k, 0.5), pool.submit(vary, k, 2.0)) for k in chosen]
        rows = []
        for k, halved, doubled in tasks:
            rows.append((found[k], halved.result(), doubled.result()))
            print(f"{len(rows)} of {len(tasks)}: {found[k].file}:{found[k].name} "
                  f"half: {rows[-1][1]}; double: {rows[-1][2]}", file=sys.stderr, flush=True)
    rows.sort(key=lambda row: (str(pathlib.Path(row[0].file).parent), row[0].file, row[0].line))
    text = table(rows, fixed, len(wanted) - args.seeds, args.seeds)
    if args.markdown:
        args.markdown.write_text(text.lstrip() + "\n")
    else:
        print(text)


if __name__ == "__main__":
    sys.exit(main())
