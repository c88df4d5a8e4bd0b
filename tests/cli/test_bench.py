"""tenon bench: its keys, its rows, where it finds scenes. Times are only asked to be positive."""
import os
import shutil

import cli
from cli import CliTest, pycheck

SHORT = ("--duration", "0.1", "--repeats", "2", "--aav-samples", "2")
KEYS = ("solver", "iterations", "threads", "subsystems", "contacts_mean", "step_ms_mean", "solver_ms_mean",
        "us_per_iteration", "ns_per_contact_iteration", "aac", "aal", "aav", "diverged")


class Bench(CliTest):
    def test_json_is_one_object_with_all_runs(self):
        r = self.tenon_json("bench", self.model, *SHORT)
        self.assertEqual((r["scene"], r["dof"], r["iterations"]), (self.model, cli.DOF, 60))
        self.assertEqual([(run["weights"], run["iterations"]) for run in r["runs"]],
                         [(w, n) for w in ("compliance", "paper") for n in (30, 60, 90)])
        for run in [r, *r["runs"]]:
            for key in KEYS:
                self.assertIn(key, run)
            self.assertTrue(run["deterministic"])
            self.assertGreater(run["step_ms_mean"], 0)
            self.assertGreater(run["us_per_iteration"], 0)

    def test_one_iteration_count_is_the_top_level(self):
        r = self.tenon_json("bench", self.model, *SHORT, "--iterations", "7", "--weights", "paper", "--threads", "2")
        self.assertEqual((r["iterations"], r["weights"], r["threads"], len(r["runs"])), (7, "paper", 2, 1))

    def test_table_has_a_row_per_run_and_tells_how_far_v_star_converged(self):
        out, err = self.tenon("bench", self.model, *SHORT, "--iterations", "5,10")
        self.assertEqual(err, "")
        lines = out.splitlines()
        self.assertEqual([line.split()[:2] for line in lines[2:-1]],
                         [["compliance", "5"], ["compliance", "10"], ["paper", "5"], ["paper", "10"]])
        self.assertRegex(lines[-1], r"AAv: 2 steps, .* residual of at most \d")

    def test_scene_is_found_by_name_in_the_current_folder(self):
        os.mkdir(os.path.join(self.folder, "scenes"))
        shutil.copy(self.model, os.path.join(self.folder, "scenes", "tiny.xml"))
        r = self.tenon_json("bench", "tiny", *SHORT, "--iterations", "5")
        self.assertEqual(r["scene"], "tiny")
        self.assertTrue(r["model"].endswith("scenes/tiny.xml"))

    def test_unknown_scene_is_an_io_error(self):
        self.refused("bench", "nowhere", code=4, says=["there is no scene 'nowhere'"])
        self.refused("bench", "nowhere.xml", code=4, says=["cannot be read"])

    def test_wrong_lists_of_iterations_are_refused(self):
        for text in ("", "0", "5,", ",5", "5,,6", "5;6", "1.5"):
            self.refused("bench", self.model, "--iterations", text, says=["--iterations"])

    def test_scaling_builds_piles_and_fits_a_line(self):
        r = self.tenon_json("bench", "scaling", "--sizes", "8,27,64", "--settle", "20", "--steps", "5")
        self.assertEqual([run["spheres"] for run in r["runs"]], [8, 27, 64])
        self.assertEqual([run["subsystems"] for run in r["runs"]], [8, 27, 64])
        self.assertTrue(r["deterministic"])
        self.assertFalse(r["diverged"])
        self.assertTrue(0 <= r["r_squared"] <= 1)
        for run in r["runs"]:
            self.assertGreaterEqual(run["contacts_mean"], run["spheres"])  # they lie on each other
            self.assertLess(run["penetration_max_m"], 0.002)  # a fifth of the radius

    def test_scaling_table_tells_the_fit(self):
        out, _ = self.tenon("bench", "scaling", "--sizes", "1,8", "--settle", "0", "--steps", "2")
        self.assertIn("R\u00b2", out)


if __name__ == "__main__":
    pycheck.main()
