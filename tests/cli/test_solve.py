"""tenon solve: problems from files, of both formats; tenon run --dump-problem, which makes some."""
import csv
import glob
import os
import re

from cli import DOF, ROOT, CliTest, pycheck

DATA = os.path.join(ROOT, "tests", "io", "data", "problems")
# real problems of Siconos lie beside the project at some places; TENON_PROBLEMS may name a folder of them
REAL = os.environ.get("TENON_PROBLEMS", os.path.join(os.path.dirname(ROOT), "shared", "problems"))

# one contact, W = 1: slides, lambda = (1, -0.5, 0)
SLIDES = "3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 1 0\n0.5\n"


def data(name):
    return os.path.join(DATA, name)


class Solve(CliTest):
    def test_every_small_problem_is_solved_and_told(self):
        for name, kind in (("local_dense.dat", "siconos local"), ("global_sparse.dat", "siconos global"),
                           ("plane.dat", "siconos local"), ("rolling.dat", "siconos local rolling"),
                           ("rolling_global.dat", "siconos global rolling"), ("no_contacts.dat", "siconos global")):
            told = self.tenon_json("solve", data(name))
            self.assertEqual(told["format"], kind)
            self.assertTrue(told["reached"])
            self.assertEqual(told["error"], told["siconos_error"])
            self.assertLessEqual(told["error"], 1e-8)
            self.assertEqual(told["solver"], "auto")
        told = self.tenon_json("solve", data("every_kind.tnp"))
        self.assertEqual((told["format"], told["contacts"], told["unknowns"], told["rows"]), ("tenon", 1, 11, 10))
        self.assertIsNone(told["siconos_error"])
        self.assertLessEqual(told["natural_map"], 1e-8 * told["velocity_scale"])

    def test_text_has_what_json_has(self):
        out, err = self.tenon("solve", data("global_dense.dat"))
        self.assertEqual(err, "")
        for part in ("siconos global", "asymmetry               0.0025", "natural map", "cone error", "as read",
                     "dynamics residual", "reached                 yes"):
            self.assertIn(part, out)

    def test_error_as_read_and_symmetric_differ_where_the_matrix_is_not_symmetric(self):
        told = self.tenon_json("solve", data("global_dense.dat"))
        # M misses symmetry by 0.0025 of its largest entry; the solution is that of the symmetric one
        self.assertGreater(told["siconos_error_as_read"], 1e-6)
        self.assertLess(told["siconos_error"], 1e-8)

    def test_a_matrix_that_is_indefinite_by_rounding_is_solved_as_it_stands(self):
        # two contacts in the same place, coupled by 1e-7 too much: with the shift alone, the error would stay near it
        path = self.write("redundant.dat", "2 2 0 4 4 4 4 1 0 1.0000001 0 0 1 0 0 1.0000001 0 1 0 0 0 0 1 "
                          "-1 0.25 -1 0 0.5 0.5")
        for solver in ("auto", "subadmm"):
            self.assertLess(self.tenon_json("solve", path, "--solver", solver)["siconos_error"], 1e-8)

    def test_a_missed_tolerance_is_exit_code_1(self):
        path = self.write("one.dat", SLIDES)
        told = self.tenon_json("solve", path, "--solver", "subadmm", "--iterations", 2, "--tolerance", 1e-12, code=1)
        self.assertFalse(told["reached"])
        self.assertEqual(told["end"], "out of iterations")
        self.assertGreater(told["error"], 1e-12)

    def test_units_make_no_difference_to_what_is_reached(self):
        """Lengths, masses and times scaled: the same number of iterations, the same error in shares."""
        plain = self.tenon_json("solve", data("every_kind.tnp"), "--solver", "subadmm")
        text = ["tenon-problem 1", "blocks 1", "block dense 2", "A 2 0 0 3", "b 1 -4", "constraints 1",
                "constraint inequality sides 1 e -1", "side 1 all", "J 1 1", "end"]
        told = []
        for length, mass in ((1, 1), (1024, 1), (1, 2 ** -10)):  # powers of two: the same bits
            scaled = list(text)
            scaled[3] = f"A {2 * mass} 0 0 {3 * mass}"
            scaled[4] = f"b {mass * length} {-4 * mass * length}"
            scaled[6] = f"constraint inequality sides 1 e {-length}"
            told.append(self.tenon_json("solve", self.write("scaled.tnp", "\n".join(scaled)), "--solver", "subadmm"))
        self.assertEqual({t["iterations"] for t in told}, {told[0]["iterations"]})
        self.assertEqual(told[1]["velocity_scale"], 1024 * told[0]["velocity_scale"])
        self.assertTrue(plain["reached"])

    def test_several_files_and_solvers_are_a_table_with_counts(self):
        out, _ = self.tenon("solve", data("plane.dat"), data("local_dense.dat"), "--solver", "auto,fadmm", "--csv",
                            "out/rows.csv")
        self.assertEqual(len([line for line in out.splitlines() if " yes " in line]), 4)
        self.assertIn("solved to 1e-08: auto 2, assembled 2; any of them 2; of 2 files", out)
        with open(os.path.join(self.folder, "out", "rows.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["file"], row["solver"], row["reached"]) for row in rows],
                         [("plane.dat", "auto", "1"), ("plane.dat", "assembled", "1"),
                          ("local_dense.dat", "auto", "1"), ("local_dense.dat", "assembled", "1")])
        self.assertIn(",", rows[1]["form"])  # quoted, or the columns behind it would be others
        told = self.tenon_json("solve", data("plane.dat"), "--solver", "auto,newton")
        self.assertEqual(told["solved"], {"auto": 1, "newton": 1, "any": 1})
        self.assertEqual(len(told["rows"]), 2)

    def test_all_runs_every_solver(self):
        told = self.tenon_json("solve", data("local_dense.dat"), "--all", "--iterations", 2000)
        self.assertEqual([row["solver"] for row in told["rows"]],
                         ["auto", "subadmm", "assembled", "newton", "pgs"])

    def test_wrong_files_are_3_and_missing_ones_4(self):
        for text, says in ((SLIDES.replace("0 1 0", "0 one 0"), ":8: the first matrix at (1, 1) must be a finite number"), ("hello", "no problem file"),
                           (SLIDES[:-5], "is it complete?"), ("", "the file is empty")):
            path = self.write("bad.dat", text)
            self.refused("solve", path, code=3, says=[path + ":", says])
        self.refused("solve", "nowhere.dat", code=4, says=["nowhere.dat", "no such file"])
        # a matrix that is not positive definite: the file says what nobody can solve
        path = self.write("bad.tnp", "tenon-problem 1 blocks 1 block dense 2 A 1 0 0 -1 b 0 0 constraints 0 end")
        self.refused("solve", path, code=3, says=["bad.tnp", "positive definite"])

    def test_a_wrong_file_among_others_does_not_stop_them(self):
        bad = self.write("bad.dat", "3 x")
        out, err = self.tenon("solve", bad, data("plane.dat"), code=3)
        self.assertIn("plane.dat", out)
        self.assertIn("bad.dat:1:", err)

    def test_wrong_usage_is_2(self):
        self.refused("solve", says=["FILE is missing"])
        self.refused("solve", data("plane.dat"), "--solver", "newtom", says=["did you mean 'newton'?"])
        self.refused("solve", data("plane.dat"), "--all", "--solver", "pgs", says=["remove --solver"])
        self.refused("solve", data("plane.dat"), "--tolerance", 0, says=["--tolerance"])
        path = self.write("one.dat", SLIDES)
        self.refused("solve", path, "--csv", path, says=["is one of the problem files"])

    def test_help_teaches(self):
        out, _ = self.tenon("solve", "--help")
        for part in ("Usage: tenon solve FILE", "reaches the tolerance", "Exit codes", "Examples:", "--time-limit"):
            self.assertIn(part, out)


class Dump(CliTest):
    def test_a_dumped_step_is_a_problem_that_can_be_solved(self):
        self.tenon("run", self.model, "--duration", 0.1, "--dump-problem", "2,7", "--quiet")
        for step in (2, 7):
            told = self.tenon_json("solve", f"small-step{step}.tnp")
            self.assertEqual((told["format"], told["unknowns"], told["contacts"]), ("tenon", DOF, 1))
            self.assertTrue(told["reached"])
            self.assertGreater(told["iterations"], 0)

    def test_a_dump_changes_nothing_in_the_run(self):
        plain = self.tenon_json("run", self.model, "--duration", 0.1)
        dumped = self.tenon_json("run", self.model, "--duration", 0.1, "--dump-problem", 5, "--dump-to", "out/five.tnp")
        self.assertEqual(plain["state_hash"], dumped["state_hash"])
        with open(os.path.join(self.folder, "out", "five.tnp"), encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("tenon-problem 1\n"))

    def test_a_step_beyond_the_run_is_wrong_usage(self):
        self.refused("run", self.model, "--duration", 0.1, "--dump-problem", 11, says=["the run has 10 steps"])
        self.refused("run", self.model, "--dump-to", "a.tnp", says=["needs --dump-problem"])
        self.refused("run", self.model, "--dump-problem", "1,2", "--dump-to", "a.tnp", says=["names one file"])
        self.assertEqual(glob.glob(os.path.join(self.folder, "*.tnp")), [])

    def test_a_file_that_cannot_be_written_is_4(self):
        self.write("file", "")
        _, err = self.tenon("run", self.model, "--duration", 0.1, "--dump-problem", 3, "--dump-to", "file/a.tnp",
                            code=4)
        self.assertIn("file/a.tnp", err)

    def test_some_lines_of_python_read_a_problem(self):
        """The reader that docs/problem-files.md shows."""
        with open(os.path.join(ROOT, "docs", "problem-files.md"), encoding="utf-8") as file:
            code = file.read().split("```python\n")[1].split("```")[0]
        space = {}
        exec(code, space)
        blocks, constraints, v, lam = space["read_problem"](data("every_kind.tnp"))
        self.assertEqual([b["kind"] for b in blocks], ["dense", "banded", "sparse", "inverse"])
        self.assertEqual(blocks[2]["A"], [[(0, 2.0), (1, 0.25)], [(0, 0.25), (1, 2.0)], [(2, 5.0)]])
        self.assertEqual([c["set"] for c in constraints],
                         ["friction", "equality", "inequality", "soft", "box", "spin", "roll"])
        self.assertEqual(constraints[4]["upper"], float("inf"))
        self.assertEqual(constraints[0]["sides"][1], (2, [0, 2], [-1.0, 0.0, 0.0, -1.0, 0.0, 0.0]))
        self.assertEqual((len(v), len(lam), lam[0]), (11, 10, 0.1))


# contacts, numbers of a contact, unknowns
SIZES = {"BoxesStack1-i100000-32.hdf5.dat": (52, 3, 156), "Capsules-i100-889.dat": (276, 3, 828),
         "FC2D_SliderCrankLagrangian00000.dat": (2, 2, 4), "FC3D_Example1_SBM.dat": (3, 3, 9),
         "FrictionContactProblem00237.dat": (376, 2, 752), "GFC3D_OneContact.dat": (1, 3, 39),
         "RockPile_tob1.dat": (463, 3, 1389), "fc2d_granularflowonwall_00667_00000.dat": (667, 2, 1334),
         "gfc2d_granularflowonwall_00000_00117.dat": (0, 2, 900), "gfc2d_granularflowonwall_00069_00350.dat": (69, 2, 900)}


class RealProblems(CliTest):
    def setUp(self):
        super().setUp()
        if not glob.glob(os.path.join(REAL, "*.dat")):
            self.skipTest("no folder of Siconos problems; set TENON_PROBLEMS to one")

    def test_all_are_read_with_their_sizes(self):
        told = self.tenon_json("solve", *sorted(glob.glob(os.path.join(REAL, "*.dat"))), "--solver", "subadmm",
                               "--iterations", 1, "--tolerance", 1e6)  # nearly no work but reading
        sizes = {os.path.basename(row["file"]): (row["contacts"], row["dimension"], row["unknowns"])
                 for row in told["rows"]}
        self.assertEqual(len(sizes), len(told["rows"]))
        for name, size in SIZES.items():
            if name in sizes:
                self.assertEqual(sizes[name], size, name)

    def test_the_small_ones_are_solved(self):
        small = [path for path in sorted(glob.glob(os.path.join(REAL, "*.dat"))) if os.path.getsize(path) < 60000]
        told = self.tenon_json("solve", *small)
        self.assertEqual(told["solved"]["any"], len(small))

    def test_subadmm_alone_solves_four_of_five_to_1e_8(self):
        # iterations and no time decide, so that load does not; those left out take longest, and count as not solved
        every = sorted(glob.glob(os.path.join(REAL, "*.dat")))
        paths = [path for path in every if not re.search("RockPile|Problem00237|Problem00727", path)]
        out = os.path.join(self.folder, "solved.csv")
        self.tenon("solve", *paths, "--solver", "subadmm", "--iterations", 3000, "--time-limit", 1e6, "--csv", out,
                   code=(0, 1))
        with open(out) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(paths))
        self.assertGreaterEqual(sum(row["reached"] == "1" for row in rows), 0.8 * len(every))


if __name__ == "__main__":
    pycheck.main()
