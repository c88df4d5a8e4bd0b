"""tenon-bench table, scaling and convergence: what they write, that all solvers start from the same states, what they refuse.
Times are only asked to be positive."""
import csv
import json
import math
import os

import cli
from cli import BenchTest, pycheck

SOLVERS = ["pgs", "pj", "fadmm", "nnewton", "subadmm", "auto"]
QUICK = ("--quick", "--duration", "0.2", "--quiet")
ROPE = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <composite type="cable" prefix="rope" initial="free" curve="s" count="13" size="0.5" offset="0 0 0.011">
  <geom type="capsule" size="0.01"/></composite></worldbody></mujoco>"""


class Table(BenchTest):
    def path(self, name):
        return os.path.join(self.folder, name)

    def read_json(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file, parse_constant=lambda text: self.fail(f"{text} in JSON"))

    def read_csv(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def is_svg(self, name, *parts):
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("<svg"))
        for part in parts:
            self.assertIn(part, text)

    def check_runs(self, r):
        """Both configurations with all solvers, figures that are numbers, and the same states throughout."""
        for scene in r["scenes"]:
            for c in scene["configurations"]:
                runs = [run for run in r["runs"]
                        if (run["scene"], run["configuration"]) == (scene["scene"], c["configuration"])]
                found = list(dict.fromkeys(run["solver"] for run in runs))
                self.assertEqual(found, SOLVERS if c["configuration"] == "defaults" else SOLVERS[:5])
                self.assertEqual({run["states"] for run in runs}, {c["states"]})
                self.assertEqual(len({step["state"] for step in c["steps"]}), len(c["steps"]))
                for run in runs:
                    self.assertEqual((run["refused"], run["deterministic"]), (0, True))
                    self.assertGreater(run["solver_ms"], 0)
                    self.assertGreater(run["step_ms"], run["solver_ms"])
                    for key in ("aac", "aal") + (("aav",) if c["v_star_steps"] else ()):
                        self.assertTrue(math.isfinite(run[key]), (run, key))
                for solver in found:
                    wanted = [3, 6, 9] if solver == "nnewton" else [30, 60, 90]
                    columns = [run for run in runs if run["solver"] == solver and run["column"] >= 0]
                    if solver == "auto":
                        self.assertEqual([run["tolerance"] for run in columns], [1e-2, 1e-4, 1e-6, 1e-6])  # the last: as it comes
                    else:
                        self.assertEqual([run["iterations"] for run in columns], wanted)

    def test_all_solvers_start_from_the_same_states_and_their_figures_are_numbers(self):
        r = self.tenon_json("table", self.model, *QUICK)
        self.check_runs(r)
        self.assertEqual([len(c["steps"]) for c in r["scenes"][0]["configurations"]], [2, 2])
        self.assertGreater(r["machine"]["cores"], 0)
        self.assertEqual((r["reference"]["solver"], r["reference"]["tolerance"]), ("auto", 1e-6))

    def test_a_cable_is_divided_as_in_the_paper_and_left_whole(self):
        rope = self.write("rope.xml", ROPE)
        r = self.tenon_json("table", rope, *QUICK)
        self.check_runs(r)
        self.assertEqual([(c["configuration"], c["subsystems"], c["bonds"]) for c in r["scenes"][0]["configurations"]],
                         [("paper", 3, 2), ("defaults", 1, 0)])
        # v* is that of the undivided cable: SubADMM gets there, with either division
        for c in r["scenes"][0]["configurations"]:
            self.assertEqual(c["v_star_steps"], 2)
        # cold ties would leave the step of a rope at rest with hardly a digit
        best = max(run["aav"] for run in r["runs"] if (run["configuration"], run["solver"]) == ("defaults", "subadmm"))
        self.assertGreater(best, 5)

    def test_files_have_every_run(self):
        out, err = self.tenon("table", self.model, *QUICK, "--csv", "out/t.csv", "--json", "out/t.json", "--plot", "out/t.svg")
        self.assertEqual(err, "")
        self.assertIn("as in the paper", out)
        r, rows = self.read_json("out/t.json"), self.read_csv("out/t.csv")
        self.assertEqual([(row["solver"], row["iterations"], row["states"]) for row in rows],
                         [(run["solver"], str(run["iterations"] or ""), run["states"]) for run in r["runs"]])
        for row in rows:
            self.assertGreater(float(row["solver_ms"]), 0)
        self.is_svg("out/t.svg", "SubADMM", "AAv")

    def test_times_to_an_accuracy_are_the_least_of_the_runs_that_have_it(self):
        r = self.tenon_json("table", self.write("rope.xml", ROPE), *QUICK)
        for t in r["times_to"]:
            of_solver = [run for run in r["runs"]
                         if (run["configuration"], run["solver"]) == (t["configuration"], t["solver"])]
            reached = [run["solver_ms"] for run in of_solver if run["aav"] is not None and run["aav"] >= t["aav"]]
            self.assertEqual(t["solver_ms"], min(reached, default=None))
            self.assertEqual(t["best_aav"], max(run["aav"] for run in of_solver))
        self.assertEqual({t["aav"] for t in r["times_to"]}, {3, 4, 5, 6})

    def test_columns_only_measures_nothing_else(self):
        r = self.tenon_json("table", self.model, *QUICK, "--columns-only")
        self.assertEqual({run["column"] for run in r["runs"]}, {0, 1, 2, 3})

    def test_stir_stands_beside_the_papers_figures(self):
        r = self.tenon_json("table", "stir", *QUICK, "--columns-only", "--samples", "1")
        self.check_runs(r)
        shown = [(run["paper_ms"], run["paper_aa"]) for run in r["runs"]
                 if (run["configuration"], run["solver"]) == ("paper", "subadmm")]
        self.assertEqual(shown, [(3.489, 4.069), (5.94, 4.579), (8.705, 5.023)])
        out, _ = self.tenon("table", "stir", *QUICK, "--columns-only")
        self.assertIn("paper AT", out)

    def test_what_is_wrong_is_said(self):
        self.refused("table", "nowhere", code=4, says=["there is no scene 'nowhere'"])
        self.refused("table", "nowhere.xml", code=4, says=["cannot be read"])
        self.refused("table", self.model, "--plot", "-", says=["--plot needs a file"])
        self.refused("table", self.model, *QUICK, "--least-contacts", "50", says=["contacts enough"])
        self.refused("table", self.model, "--csv", self.model, says=["is the model itself"])
        self.refused("table", *(["stir"] * 9), says=["unexpected argument"])
        self.refused("table", self.model, "--samples", "0", says=["1 ... 1000"])

    def test_convergence_has_rising_iterations_from_one_state(self):
        r = self.tenon_json("convergence", self.write("rope.xml", ROPE), "--step", "10", "--limit", "2", "--repeats", "1", "--quiet")
        self.assertEqual((r["step"], list(dict.fromkeys(run["solver"] for run in r["runs"]))), (10, SOLVERS))
        self.assertEqual({run["states"] for run in r["runs"]}, {r["states"]})
        for solver in SOLVERS[:5]:
            runs = [run for run in r["runs"] if run["solver"] == solver]
            for run in runs:
                self.assertTrue(math.isfinite(run["aac"] + run["aal"] + run["aav"]))
        subadmm = [run for run in r["runs"] if run["solver"] == "subadmm"]
        self.assertEqual([run["iterations"] for run in subadmm[:5]], [1, 2, 3, 5, 7])
        self.assertGreater(subadmm[-1]["aav"], subadmm[0]["aav"])

    def test_convergence_writes_files(self):
        how = ("convergence", self.model, "--time", "0.1", "--limit", "2", "--repeats", "1", "--quiet")
        self.tenon(*how, "--show", "aac", "--csv", "c.csv", "--json", "c.json", "--plot", "c.svg")
        r = self.read_json("c.json")
        self.assertEqual(r["step"], 11) # the first begins at 0
        self.assertEqual(len(self.read_csv("c.csv")), len(r["runs"]))
        self.is_svg("c.svg", "iterations", "solver time")
        self.refused("convergence", self.model, "--step", "3", "--time", "1", says=["not both"])
        self.refused("convergence", says=["SCENE is missing"])
        self.refused("convergence", "nowhere", code=4, says=["there is no scene"])

    def test_scaling_fits_spheres_and_cables(self):
        self.refused("scaling", "--sizes", "8,27", says=["--sizes needs --of"])
        r = self.tenon_json("scaling", "--of", "cable", "--sizes", "20,40,80", "--settle", "2", "--steps", "2")
        self.assertEqual([run["segments"] for run in r["runs"]], [20, 40, 80])
        out, _ = self.tenon("scaling", "--of", "spheres", "--sizes", "8,27,64", "--settle", "2", "--steps", "2",
                            "--csv", "s.csv", "--json", "s.json", "--plot", "s.svg")
        self.assertIn("R\u00b2", out)
        self.assertEqual([row["size"] for row in self.read_csv("s.csv")], ["8", "27", "64"])
        self.assertTrue(0 <= self.read_json("s.json")["r_squared"] <= 1)
        self.is_svg("s.svg", "spheres")


if __name__ == "__main__":
    pycheck.main()
