"""Keeps the picture of the architecture true: reads the #include lines of src/ and apps/ and fails on any edge that the
tables below do not allow. Dependencies are transitive. The tables stand in docs/architecture.md, too, and must be the same
there."""
import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import pycheck  # noqa: E402

# folder of src/ -> folders that it may include directly
TABLE = {
    "base": [],
    "math": ["base"],
    "model": ["math"],
    "state": ["model"],
    "subsystem": ["state"],
    "collision": ["math", "model"],
    "constraint": ["collision", "subsystem", "solver"],
    "solver": ["base", "math"],
    "gpu": ["constraint"],
    "step": ["constraint", "solver", "world", "kinds", "impact", "account", "ranks", "device", "query"],
    "world": ["step", "query"],
    "kinds": ["step"],
    "impact": ["step"],
    "account": ["step"],
    "ranks": ["step"],
    "device": ["step", "gpu"],
    "query": ["step"],
    "derive": ["step"],
    "fit": ["derive"],
    "batch": ["step"],
    "plan": ["derive"],
    "io": ["base"],
    "mpi": ["base"],
}
# rooms of one layer: they include each other
LAYER = {"step", "world", "kinds", "impact", "account", "ranks", "device", "query"}
# folder of apps/ -> folders that it may include directly
APPS = {
    "plot": [],
    "render": [],
    "common": ["plot"],
    "export": ["common", "render"],
    "view": ["common", "render"],
    "live": ["export", "view"],
    "trials": ["common"],
    "verify": ["trials"],
    "tenon": ["export", "verify", "view"],
    "bench": ["trials", "verify"],
    "mpi": ["tenon"],
}
# what bench/baselines may include of src/
BASELINES = ["base", "math", "solver"]
# edges that are open for these headers only
NARROW = {("constraint", "solver"): {"problem.h"}, ("step", "query"): {"reaction.h"}, ("world", "query"): {"reaction.h"}}
# folders within a folder that the rest of it sees by one header only
SEAMS = {("solver", "block"): "block.h", ("solver", "law"): "law.h"}
# public header -> the folder whose words it speaks: who may not include the folder may not include the header
PUBLIC = {"base.h": "base", "ranks.h": "base", "mpi.h": "mpi", "model.h": "model", "model_info.h": "model", "definitions.h": "model", "tet_mesh.h": "model", "collide.h": "model", "solver.h": "solver", "world.h": "world", "batch.h": "batch", "derivatives.h": "derive", "fit.h": "fit", "plan.h": "plan",
          "scene.h": "io", "record.h": "io", "problem_file.h": "io"}
# these may include every public header
SEES_ALL_PUBLIC = {"io", "step", "world", "kinds", "impact", "account", "ranks", "device", "query", "derive", "fit", "batch", "plan"}
# headers of systems, and the one folder of src/ that includes them: all else has its verbs
PLATFORM = "base/platform"
OF_SYSTEMS = re.compile(r"(pthread|unistd|fcntl|dirent|dlfcn|signal|spawn|locale|strings|sched|malloc|glob|windows|io|direct|process)\.h$|sys/|mach|linux/")
# what measures the heap of glibc, memory that processes of Linux share, pictures and the window
OF_ONE_SYSTEM = {"apps/bench/measure.c", "apps/common/team_model.c", "apps/render/child_posix.c", "apps/render/child_windows.c",
                 "apps/render/system.c", "apps/tenon/cmd_render.c", "apps/view/viewer.c"}
# libraries that belong to one folder
ONLY_IN = {"expat.h": "io", "expat_external.h": "io", "zlib.h": "io", "mpi.h": "mpi"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def closure(table):
    """Every folder with all that it may include, itself too."""
    def reach(folder, seen):
        if folder not in seen:
            seen.add(folder)
            for other in table[folder]:
                reach(other, seen)
        return seen
    return {folder: reach(folder, set()) for folder in table}


def includes(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)
    for match in INCLUDE.finditer(text):
        yield match.group(1) == "<", match.group(2), text.count("\n", 0, match.start(2)) + 1


def source_files(folder):
    for where, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".c", ".h", ".cu", ".inc")):
                yield os.path.join(where, name)


def check_sources(root):
    """Forbidden edges of root/src as text, and the number of files read."""
    src = os.path.join(root, "src")
    allowed = closure(TABLE)
    problems, count = [], 0
    for path in source_files(src):
        count += 1
        place = os.path.relpath(path, root)
        folder = room_of(path, src)
        if folder not in TABLE:
            problems.append(f"{place}: folder {folder} is not in the architecture")
            continue
        for angled, name, line in includes(path):
            where = f"{place}:{line}: "
            if angled and OF_SYSTEMS.match(name) and not of_platform(path, src):
                problems.append(f"{where}<{name}> belongs to src/{PLATFORM}")
            elif ONLY_IN.get(name, folder) != folder:
                problems.append(f"{where}{name} belongs to src/{ONLY_IN[name]}")
            elif angled and name.startswith("tenon/"):
                owner = PUBLIC.get(name[len("tenon/"):])
                if folder not in SEES_ALL_PUBLIC and owner not in allowed[folder]:
                    problems.append(f"{where}src/{folder} may not include <{name}>")
            elif not angled:
                target = find_quoted(path, src, name)
                if target is None:
                    problems.append(f"{where}\"{name}\" is nowhere in src/")
                elif target not in allowed[folder]:
                    problems.append(f"{where}src/{folder} may not include src/{target} (\"{name}\")")
                elif os.path.basename(name) not in NARROW.get((folder, target), {os.path.basename(name)}):
                    problems.append(f"{where}src/{folder} may not include \"{name}\", of src/{target} only "
                                    + ", ".join(sorted(NARROW[folder, target])))
                elif behind_seam(path, src, name):
                    problems.append(f"{where}\"{name}\" is behind {behind_seam(path, src, name)}")
    return problems, count


def of_platform(path, src):
    return path.startswith(os.path.join(src, PLATFORM) + os.sep)


def behind_seam(path, src, name):
    """The seam that this include goes around, or None."""
    target = os.path.normpath(os.path.join(os.path.dirname(path), name))
    for (folder, inner), header in SEAMS.items():
        home = os.path.join(src, folder, inner) + os.sep
        if target.startswith(home) and not path.startswith(home) and target != home + header:
            return f"{folder}/{inner}/{header}"
    return None


def find_quoted(path, src, name):
    """The folder of src/ that a quoted include leads to."""
    for base in (os.path.dirname(path), src):
        target = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(target) and target.startswith(src + os.sep):
            return room_of(target, src)
    return None


def room_of(path, src):
    """The row of the table that a file belongs to: its folder. The verbs of a kind of subsystem over a step, kind*.c, stand in
    the folder of the kind, and belong to the layer of the step."""
    parts = os.path.relpath(path, src).split(os.sep)
    return "kinds" if parts[0] == "subsystem" and parts[-1].startswith("kind") else parts[0]


def tables_in_text(text):
    """The tables of docs/architecture.md, that of src/ and that of apps/: rows `| `folder/` | what it holds | `a`, `b` (only `c.h`) |`."""
    middle = text.index("\n## Seeing it")
    return table_in_text(text[:middle]), table_in_text(text[middle:])


def table_in_text(text):
    rows = re.findall(r"^\| `(\w+)/?` \|.*\| ([^|]*) \|$", text, re.MULTILINE)
    table = {folder: re.findall(r"`(\w+)`", others) for folder, others in rows}
    narrow = {(folder, other): set(re.findall(r"`(\w+\.h)`", only))
              for folder, others in rows for other, only in re.findall(r"`(\w+)` \(only ([^)]*)\)", others)}
    return table, narrow


def check_apps(root):
    """Forbidden edges between folders of root/apps, and the number of files read."""
    apps = os.path.join(root, "apps")
    allowed = closure(APPS)
    problems, count = [], 0
    for path in source_files(apps):
        count += 1
        place = os.path.relpath(path, root)
        folder = os.path.relpath(path, apps).split(os.sep)[0]
        if folder not in APPS:
            problems.append(f"{place}: folder {folder} is not in the architecture")
            continue
        for angled, name, line in includes(path):
            target = None if angled else find_quoted(path, apps, name)
            if target and target not in allowed[folder]:
                problems.append(f"{place}:{line}: apps/{folder} may not include apps/{target} (\"{name}\")")
    return problems, count


def check_baselines(root):
    """What is compared with (bench/baselines) sees itself and what BASELINES lists of src/, by the same seams."""
    home, src = os.path.join(root, "bench", "baselines"), os.path.join(root, "src")
    problems, count = [], 0
    for path in source_files(home):
        count += 1
        for angled, name, line in includes(path):
            target = None if angled else find_quoted(path, src, name)
            own = os.path.isfile(os.path.join(home, name))
            if not angled and not own and (target not in BASELINES or behind_seam(os.path.join(src, "-"), src, name)):
                problems.append(f"{os.path.relpath(path, root)}:{line}: bench/baselines may not include \"{name}\"")
    return problems, count


def check_outside(root, folder):
    """Programs, examples and public headers see the public headers and their own folder, nothing of src/. Programs see what
    differs between systems, too, and those that measure the header of bench/baselines."""
    baselines = os.path.join(root, "bench", "baselines", "baselines.h")
    measures = os.path.join(root, "apps", "bench") + os.sep
    problems, count = [], 0
    for path in source_files(os.path.join(root, folder)):
        count += 1
        for angled, name, line in includes(path):
            target = os.path.normpath(os.path.join(os.path.dirname(path), name))
            inside = os.path.isfile(target) and target.startswith(os.path.join(root, folder) + os.sep)
            inside = inside or target == baselines and path.startswith(measures)
            inside = inside or folder == "apps" and os.path.isfile(os.path.join(root, "src", "base", name)) \
                and re.match(r"platform/\w+\.h$", name)
            place = os.path.relpath(path, root)
            if folder == "apps" and angled and OF_SYSTEMS.match(name) and place not in OF_ONE_SYSTEM:
                problems.append(f"{place}:{line}: <{name}> belongs to src/{PLATFORM}")
            elif not angled and not inside or "src/" in name:
                problems.append(f"{os.path.relpath(path, root)}:{line}: {folder} may not include \"{name}\"")
            elif angled and name.startswith("tenon/") and not os.path.isfile(os.path.join(root, "include", name)):
                problems.append(f"{os.path.relpath(path, root)}:{line}: there is no <{name}>")
    return problems, count


class Tree(unittest.TestCase):
    def test_sources_follow_the_architecture(self):
        problems, count = check_sources(ROOT)
        self.assertGreater(count, 0)
        self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def test_apps_follow_the_architecture(self):
        problems, count = check_apps(ROOT)
        self.assertGreater(count, 0)
        self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def test_baselines_see_the_solver(self):
        problems, count = check_baselines(ROOT)
        self.assertGreater(count, 0)
        self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def test_apps_examples_and_public_headers_see_public_headers_only(self):
        for folder in ("apps", "examples", "include"):
            problems, count = check_outside(ROOT, folder)
            self.assertGreater(count, 0, folder)
            self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def test_documentation_has_the_same_tables(self):
        with open(os.path.join(ROOT, "docs", "architecture.md"), encoding="utf-8") as file:
            src, apps = tables_in_text(file.read())
        self.assertEqual(src, (TABLE, NARROW))
        self.assertEqual(apps, (APPS, {}))

    def test_tables_have_no_cycle(self):
        for table in (TABLE, APPS):
            reach = closure(table)
            for folder, others in table.items():
                for other in set(others) - (LAYER if folder in LAYER else set()):
                    self.assertNotIn(folder, reach[other], f"{folder} and {other} need each other")


class Checker(unittest.TestCase):
    """The check itself can fail: small trees with one fault each."""

    def problems_of(self, check=check_sources, **files):
        with tempfile.TemporaryDirectory() as root:
            for place, text in {"src/base/base.h": "", "src/model/model.h": "", **files}.items():
                path = os.path.join(root, place)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            return check(root)[0]

    def test_allowed_edges_pass(self):
        self.assertEqual(self.problems_of(**{"src/state/a.c": '#include "../model/model.h"\n#include <math.h>\n'}), [])

    def test_forbidden_edge_is_found_with_its_line(self):
        problems = self.problems_of(**{"src/solver/a.c": '\n#include "../model/model.h"\n'})
        self.assertEqual(len(problems), 1)
        self.assertIn("a.c:2", problems[0])

    def test_forbidden_public_header_is_found(self):
        self.assertEqual(len(self.problems_of(**{"src/solver/a.c": "#include <tenon/world.h>\n"})), 1)

    def test_narrow_edge_is_open_for_its_header_only(self):
        solver = {"src/solver/problem.h": "", "src/solver/solve.h": ""}
        good, bad = '#include "../solver/problem.h"\n', '#include "../solver/solve.h"\n'
        self.assertEqual(self.problems_of(**solver, **{"src/constraint/a.c": good}), [])
        self.assertEqual(self.problems_of(**solver, **{"src/step/a.c": bad}), [])
        self.assertEqual(len(self.problems_of(**solver, **{"src/constraint/a.c": bad})), 1)

    def test_a_program_may_not_be_included_by_its_parts(self):
        tree = {"apps/tenon/commands.h": "", "apps/common/app.h": ""}
        good, bad = '#include "../common/app.h"\n', '#include "../common/app.h"\n#include "../tenon/commands.h"\n'
        self.assertEqual(self.problems_of(check_apps, **tree, **{"apps/tenon/a.c": good, "apps/view/a.c": good}), [])
        self.assertEqual(self.problems_of(check_apps, **tree, **{"apps/export/a.c": bad}),
                         ['apps/export/a.c:2: apps/export may not include apps/tenon ("../tenon/commands.h")'])
        self.assertEqual(len(self.problems_of(check_apps, **tree, **{"apps/bench/a.c": bad, "apps/other/a.c": ""})), 2)

    def test_seam_is_open_by_its_header_only(self):
        blocks = {"src/solver/block/block.h": "", "src/solver/block/chain.h": ""}
        good, bad = '#include "block/block.h"\n', '#include "block/chain.h"\n'
        self.assertEqual(self.problems_of(**blocks, **{"src/solver/a.c": good}), [])
        self.assertEqual(self.problems_of(**blocks, **{"src/solver/block/a.c": '#include "chain.h"\n'}), [])
        self.assertEqual(len(self.problems_of(**blocks, **{"src/solver/a.c": bad})), 1)

    def test_baselines_see_no_more_than_the_solver(self):
        tree = {"src/solver/solve.h": "", "src/solver/block/block.h": "", "src/solver/block/chain.h": "", "src/step/step.h": "",
                "bench/baselines/pj.h": ""}
        good = '#include "pj.h"\n#include "solver/solve.h"\n#include "solver/block/block.h"\n'
        self.assertEqual(self.problems_of(check_baselines, **tree, **{"bench/baselines/a.c": good}), [])
        for bad in ("step/step.h", "solver/block/chain.h", "nowhere.h"):
            self.assertEqual(len(self.problems_of(check_baselines, **tree, **{"bench/baselines/a.c": f'#include "{bad}"\n'})), 1)

    def test_programs_that_measure_see_one_header_of_the_baselines(self):
        tree = {"bench/baselines/baselines.h": "", "bench/baselines/pj.h": ""}
        include = '#include "../../bench/baselines/%s"\n'
        for place, header, count in (("bench", "baselines.h", 0), ("bench", "pj.h", 1), ("tenon", "baselines.h", 1)):
            files = {f"apps/{place}/a.c": include % header}
            self.assertEqual(len(self.problems_of(lambda root: check_outside(root, "apps"), **tree, **files)), count)

    def test_headers_of_systems_belong_to_the_platform(self):
        for name in ("pthread.h", "sys/stat.h", "windows.h", "locale.h", "signal.h"):
            text = f"#include <{name}>\n"
            self.assertEqual(self.problems_of(**{"src/base/platform/a.c": text}), [])
            self.assertEqual(len(self.problems_of(**{"src/base/a.c": text, "src/base/platform_a.c": text})), 2)
            self.assertEqual(len(self.problems_of(lambda root: check_outside(root, "apps"), **{"apps/tenon/a.c": text})), 1)

    def test_programs_see_the_platform_and_nothing_else_of_src(self):
        tree = {"src/base/platform/files.h": "", "src/base/pool.h": ""}
        for name, count in (("platform/files.h", 0), ("platform/nowhere.h", 1), ("pool.h", 1), ("platform/../pool.h", 1)):
            files = {"apps/tenon/a.c": f'#include "{name}"\n'}
            self.assertEqual(len(self.problems_of(lambda root: check_outside(root, "apps"), **tree, **files)), count, name)

    def test_include_in_a_comment_does_not_count(self):
        self.assertEqual(self.problems_of(**{"src/base/a.c": '/*\n#include "../model/model.h"\n*/\n'}), [])

    def test_unknown_folder_is_found(self):
        self.assertEqual(len(self.problems_of(**{"src/misc/a.c": ""})), 1)

    def test_missing_header_is_found(self):
        self.assertEqual(len(self.problems_of(**{"src/base/a.c": '#include "nowhere.h"\n'})), 1)

    def test_parser_library_outside_io_is_found(self):
        self.assertEqual(len(self.problems_of(**{"src/model/a.c": "#include <expat.h>\n"})), 1)


if __name__ == "__main__":
    pycheck.main()
