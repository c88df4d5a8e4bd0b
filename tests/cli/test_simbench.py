"""tenon-bench simbench: its scenes, keys and errors."""
from cli import BenchTest, pycheck


class Simbench(BenchTest):
    def test_json_has_the_documented_keys(self):
        r = self.tenon_json("simbench", "--only", "momentum,energy", "--duration", 1.5, "--timesteps", "0.01")
        self.assertEqual([run["scene"] for run in r["runs"]], ["momentum", "energy"])
        for run in r["runs"]:
            self.assertEqual(set(run), {"scene", "timestep", "measure", "error", "worst", "steps", "seconds",
                                        "not_converged", "diverged"})
            self.assertEqual(run["steps"], 150)
            # momentum and energy are balanced in every step; rounding
            self.assertLess(run["error"], 1e-16)

    def test_balls_keep_what_they_must(self):
        r = self.tenon_json("simbench", "--only", "rolling,bouncing", "--duration", 1, "--timesteps", "0.01")
        # 1e-6 of g t in each step; rounding of 24 kJ
        self.assertLess(r["runs"][0]["error"], 1e-10)
        self.assertLess(r["runs"][1]["error"], 1e-14)

    def test_a_table_has_a_line_per_run(self):
        out, _ = self.tenon("simbench", "--only", "pd", "--duration", 0.1, "--timesteps", "0.005,0.01")
        self.assertEqual([line.split()[:2] for line in out.splitlines()[1:]], [["pd", "0.005"], ["pd", "0.01"]])

    def test_wrong_options_are_refused(self):
        self.refused("simbench", "--only", "bounced", says=["no scene 'bounced'"])
        self.refused("simbench", "--timesteps", "0", says=["--timesteps"])


if __name__ == "__main__":
    pycheck.main()
