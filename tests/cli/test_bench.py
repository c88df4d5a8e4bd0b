"""tenon-bench scene and scaling: its keys, its rows, where it finds scenes. Times are only asked to be positive."""
import os
import shutil

import cli
from cli import BenchTest, pycheck

SHORT = ("--duration", "0.1", "--repeats", "2", "--aav-samples", "2")
KEYS = ("solver", "iterations", "threads", "subsystems", "contacts_mean", "step_ms_mean", "solver_ms_mean",
        "us_per_iteration", "ns_per_contact_iteration", "aac", "aal", "aav", "diverged")


class Bench(BenchTest):
    def test_json_is_one_object_with_all_runs(self):
        r = self.tenon_json("scene", self.model, *SHORT)
        self.assertEqual((r["scene"], r["dof"], r["iterations"]), (self.model, cli.DOF, 60))
        self.assertEqual([(run["weights"], run["iterations"]) for run in r["runs"]],
                         [(w, n) for w in ("compliance", "paper") for n in (30, 60, 90)])
        for run in [r, *r["runs"]]:
            for key in KEYS:
                self.assertIn(key, run)
            self.assertTrue(run["deterministic"])
            self.assertGreater(run["step_ms_mean"], 0)
            self.assertGreater(run["us_per_iteration"], 0)

    def test_batches_have_the_same_bits_for_any_number_of_threads(self):
        r = self.tenon_json("batch", self.model, "--worlds", "3", "--threads", "1,2", "--steps", "4", "--settle", "2",
                            "--stagger", "2", "--repeats", "1")
        self.assertEqual([run["threads"] for run in r["runs"]], [1, 2])
        self.assertEqual(r["runs"][0]["hash"], r["runs"][1]["hash"])
        for run in r["runs"]:
            for key in ("step_ms", "rollout_ms", "steps_per_second", "rollout_steps_per_second", "speed_up"):
                self.assertGreater(run[key], 0)
        self.refused("batch", self.model, "--worlds", "0", says=["--worlds"])
        self.refused("batch", self.model, "--threads", "65", says=["--threads"])

    def test_lasting_contacts_last_and_their_twins_keep_the_motion(self):
        r = self.tenon_json("lasting", "block", "--twins")
        self.assertEqual([scene["scene"] for scene in r["scenes"]], ["block", "block twin"])
        for scene in r["scenes"]:
            self.assertEqual((len(scene["kept"]), len(scene["lag_rad"]), scene["not_converged"]), (5, 5, 0))
        self.assertEqual([scene["open_steps"] for scene in r["scenes"]], [0, -1])
        for kept in r["scenes"][1]["kept"]:  # the midpoint rule; ranges are read every 0.5 ms
            self.assertAlmostEqual(kept, 1, delta=1e-4)
        out, _ = self.tenon("lasting", "tippe")
        self.assertEqual(len(out.splitlines()), 3)
        self.refused("lasting", "blok", says=["no scene 'blok'"])

    def test_one_iteration_count_is_the_top_level(self):
        r = self.tenon_json("scene", self.model, *SHORT, "--iterations", "7", "--weights", "paper", "--threads", "2")
        self.assertEqual((r["iterations"], r["weights"], r["threads"], len(r["runs"])), (7, "paper", 2, 1))

    def test_solvers_and_forms_that_the_library_has_not(self):
        for what, told in (("--solver pj", ("pj", "reduced", "compliance")),
                           ("--solver nnewton", ("nnewton", "reduced", "compliance")),
                           ("--solver fadmm", ("assembled", "reduced", "compliance")),
                           ("--admm-form paper --weights compliance", ("subadmm", "paper", "compliance")),
                           ("--admm-form paper --weights paper", ("subadmm", "paper", "paper"))):
            r = self.tenon_json("scene", self.model, *SHORT, "--iterations", "7", *what.split())
            self.assertEqual((r["solver"], r["admm_form"], r["weights"]), told)
            self.assertEqual((r["iterations_mean"], len(r["runs"])), (7, 1))
        self.refused("scene", self.model, "--solver", "pj", "--weights", "paper", says=["SubADMM's, not those of pj"])

    def test_table_has_a_row_per_run_and_tells_how_far_v_star_converged(self):
        out, err = self.tenon("scene", self.model, *SHORT, "--iterations", "5,10")
        self.assertEqual(err, "")
        lines = out.splitlines()
        self.assertEqual([line.split()[:2] for line in lines[2:-1]],
                         [["compliance", "5"], ["compliance", "10"], ["paper", "5"], ["paper", "10"]])
        self.assertRegex(lines[-1], r"AAv: 2 steps, .* residual of at most \d")

    def test_a_tolerance_is_one_row_that_tells_what_ran(self):
        r = self.tenon_json("scene", self.model, *SHORT, "--tolerance", "1e-4")
        self.assertEqual((r["method"], r["tolerance"], r["iterations"], r["weights"], len(r["runs"])),
                         ("auto", 1e-4, 60, "compliance", 1))
        self.assertLessEqual({"started", "subadmm", "assembled", "newton"}, set(r["islands_by_method"]))
        out, _ = self.tenon("scene", self.model, *SHORT, "--tolerance", "1e-4", "--method", "subadmm", "--iterations", "9")
        lines = out.splitlines()
        self.assertEqual(lines[1].split()[:3], ["method", "at", "most"])
        self.assertEqual(lines[2].split()[:2], ["subadmm", "9"])
        self.assertIn("tolerance 0.0001", lines[3])
        self.assertIn("islands per step", lines[4])
        # without a tolerance it is the fixed counts as ever
        r = self.tenon_json("scene", self.model, *SHORT, "--tolerance", "0", "--weights", "compliance")
        self.assertEqual([(run["tolerance"], run["iterations"], run["error_max"]) for run in r["runs"]],
                         [(0, n, None) for n in (30, 60, 90)])

    def test_scene_is_found_by_name_in_the_current_folder(self):
        os.mkdir(os.path.join(self.folder, "scenes"))
        shutil.copy(self.model, os.path.join(self.folder, "scenes", "tiny.xml"))
        r = self.tenon_json("scene", "tiny", *SHORT, "--iterations", "5")
        self.assertEqual(r["scene"], "tiny")
        self.assertTrue(r["model"].endswith("scenes/tiny.xml"))

    def test_unknown_scene_is_an_io_error(self):
        self.refused("scene", "nowhere", code=4, says=["there is no scene 'nowhere'"])
        self.refused("scene", "nowhere.xml", code=4, says=["cannot be read"])

    def test_wrong_lists_of_iterations_are_refused(self):
        for text in ("", "0", "5,", ",5", "5,,6", "5;6", "1.5"):
            self.refused("scene", self.model, "--iterations", text, says=["--iterations"])

    def test_piles_compares_ways_to_step_stir_with_a_reference(self):
        r = self.tenon_json("piles", "--of", "stir", "--duration", "1.02", "--seeds", "1", "--quiet")
        rows = {row["name"]: row for row in r["stir"]}
        self.assertEqual(r["stir"][0]["name"], "10 parts, R 100")
        self.assertEqual(rows["10 parts, R 100"]["steps"], 20)  # two frames from one second on
        self.assertEqual(rows["2 parts, R 60"]["steps"], 4)
        for row in r["stir"]:
            self.assertGreater(row["frame_ms"], 0)
            self.assertTrue(0.02 < row["height_m"] < 0.06)  # two to six radii: the box is filled three to four deep
        for row in (rows["10 parts, R 100"], rows["2 parts, R 60"]):
            self.assertEqual(row["missed"], 0)
            self.assertGreater(row["rigid_error_max"], row["error_max"])

    def test_ranks_tell_what_each_has_to_do(self):
        r = self.tenon_json("ranks", "--bodies", "60", "--ranks", "1,2", "--settle", "3", "--steps", "2", "--iterations", "5",
                            "--quiet", "--json")
        self.assertEqual([(run["ranks"], run["bodies"], len(run["shares"])) for run in r["runs"]], [(1, 60, 1), (2, 120, 2)])
        self.assertEqual(sum(share["own_bodies"] for share in r["runs"][1]["shares"]), 120)

    def test_threads_make_the_same_steps(self):
        r = self.tenon_json("threads", "--only", "spheres1000", "--threads", "1,3", "--iterations", "5", "--steps", "2",
                            "--repeats", "1", "--quiet")
        self.assertEqual([(s["scene"], s["same_state"]) for s in r["scenes"]], [("spheres1000", True)])
        self.assertEqual([t["threads"] for t in r["scenes"][0]["threads"]], [1, 3])
        self.assertEqual(r["scenes"][0]["threads"][0]["ratio"], 1)
        self.assertGreater(r["scenes"][0]["contacts"], 1000)  # more than half of those that have settled
        self.refused("threads", "--only", "sphere1000", says=["did you mean 'spheres1000'?"])

    def test_scaling_builds_piles_and_fits_a_line(self):
        r = self.tenon_json("scaling", "--of", "spheres", "--sizes", "8,27,64", "--settle", "20", "--steps", "5")
        self.assertEqual([run["spheres"] for run in r["runs"]], [8, 27, 64])
        self.assertEqual([run["subsystems"] for run in r["runs"]], [8, 27, 64])
        self.assertTrue(r["deterministic"])
        self.assertFalse(r["diverged"])
        self.assertTrue(0 <= r["r_squared"] <= 1)
        for run in r["runs"]:
            self.assertGreaterEqual(run["contacts_mean"], run["spheres"])  # they lie on each other
            self.assertLess(run["penetration_max_m"], 0.002)  # a fifth of the radius

    def test_scaling_of_a_cable_has_contacts_in_proportion(self):
        r = self.tenon_json("scaling", "--of", "cable", "--sizes", "20,40,80", "--settle", "20", "--steps", "3")
        self.assertEqual([(run["segments"], run["subsystems"]) for run in r["runs"]], [(20, 1), (40, 1), (80, 1)])
        self.assertFalse(r["diverged"])
        for run in r["runs"]:  # one bar under every fifth segment
            self.assertGreaterEqual(run["contacts_mean"], run["segments"] / 5)
            self.assertLess(run["penetration_max_m"], 0.0004)  # a tenth of the radius
        self.refused("scaling", "--of", "cable", "--sizes", "1", says=["at least 2 segments"])
        self.refused("scaling", "--of", "cables", says=["did you mean 'cable'?"])

    def test_cables_are_measured_in_both_divisions(self):
        cable = self.write("rope.xml", """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
          <composite type="cable" prefix="rope" initial="free" curve="s" count="13" size="0.5" offset="0 0 0.011">
          <geom type="capsule" size="0.01"/></composite></worldbody></mujoco>""")
        r = self.tenon_json("scene", cable, *SHORT, "--iterations", "20,60")
        self.assertEqual([(run["division"], run["subsystems"], run["bonds"], run["weights"], run["iterations"])
                          for run in r["runs"]],
                         [(how, n, n - 1, "compliance", i) for how, n in (("auto", 1), ("paper", 3)) for i in (20, 60)])
        self.assertNotIn("paper", r)
        r = self.tenon_json("scene", cable, *SHORT, "--iterations", "20", "--weights", "both", "--division", "6")
        self.assertEqual([(run["division"], run["weights"]) for run in r["runs"]], [("6", "compliance"), ("6", "paper")])
        out, _ = self.tenon("scene", cable, *SHORT, "--iterations", "20")
        self.assertEqual([line.split()[:4] for line in out.splitlines()[2:4]],
                         [["auto", "0", "compliance", "20"], ["paper", "2", "compliance", "20"]])

    def test_scaling_of_a_beam_tells_memory_and_exponents(self):
        how = ("scaling", "--of", "beam", "--sizes", "200,600,2000", "--settle", "2", "--steps", "2")
        plot = os.path.join(self.folder, "beams.svg")
        r = self.tenon_json(*how, "--plot", plot)
        self.assertFalse(r["diverged"])
        self.assertTrue(r["deterministic"])
        self.assertIsInstance(r["time_exponent"], float)
        if "asan" not in cli.PROGRAM:  # whose own memory hides what a run takes
            self.assertTrue(0.5 < r["memory_exponent"] < 2)  # matrices of a slender body: about 1
        for run, wanted in zip(r["runs"], (200, 600, 2000)):
            self.assertTrue(0.5 * wanted < run["elements"] < 2 * wanted)
            self.assertGreater(run["contacts_mean"], 0)  # the shelf
        with open(plot) as file:
            self.assertIn("<svg", file.read())
        out, _ = self.tenon(*how)
        self.assertRegex(out, r"to the power of .*, memory " + ("nan" if "asan" in cli.PROGRAM else "[0-9.]+") + " ")
        self.refused("scaling", "--of", "beam", "--sizes", "5", says=["at least 6"])

    def test_soft_bodies_are_measured_in_both_divisions(self):
        beam = self.write("beam.xml", """<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody>
          <tenon><soft name="bar" box="0.1 0.02 0.02" cells="10 2 2" pos="0 0 0.019"/></tenon></mujoco>""")
        r = self.tenon_json("scene", beam, *SHORT, "--iterations", "20,60")
        self.assertEqual([(run["division"], run["weights"], run["iterations"]) for run in r["runs"]],
                         [(how, "compliance", i) for how in ("auto", "paper") for i in (20, 60)])
        self.assertEqual([run["subsystems"] for run in r["runs"]], [1, 1, 20, 20])
        for run in r["runs"]:
            self.assertFalse(run["diverged"])
            self.assertGreater(run["contacts_mean"], 0)

    def test_steps_with_few_contacts_do_not_count(self):
        # the ball lies on the plane in each step; the first finds it as it is built
        some = self.tenon_json("scene", self.model, *SHORT, "--iterations", "5", "--least-contacts", "1")
        self.assertTrue(0 < some["steps"] <= 10)
        self.assertGreaterEqual(some["contacts_mean"], 1)
        settled = self.tenon_json("scene", self.model, *SHORT, "--iterations", "5", "--settle", "0.2")
        self.assertEqual(settled["steps"], 10)
        self.refused("scene", self.model, *SHORT, "--iterations", "5", "--least-contacts", "50",
                     says=["no step had 50 contacts"])

    def test_scaling_table_tells_the_fit(self):
        out, _ = self.tenon("scaling", "--of", "spheres", "--sizes", "1,8", "--settle", "0", "--steps", "2")
        self.assertIn("R\u00b2", out)


if __name__ == "__main__":
    pycheck.main()
