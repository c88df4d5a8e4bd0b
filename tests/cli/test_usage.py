"""Help, version, unknown names, ranges: what the program says before it looks at a model."""
from cli import CliTest, pycheck


class Usage(CliTest):
    def test_help_goes_to_stdout_and_names_every_command(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            out, err = self.tenon(*arguments)
            self.assertEqual(err, "")
            for command in ("run", "info", "eval", "validate", "bench", "table", "scaling", "convergence"):
                self.assertIn(f"  {command} ", out)
            self.assertIn("Exit codes", out)

    def test_every_command_has_help_with_examples(self):
        for command in (["run"], ["info"], ["eval"], ["validate"], ["bench"], ["bench", "scaling"], ["table"], ["scaling"],
                        ["convergence"]):
            out, err = self.tenon(*command, "--help")
            self.assertEqual(err, "")
            self.assertRegex(out, f"(Usage:|      ) tenon {' '.join(command)} ")
            self.assertIn("Examples:", out)
            self.assertIn("--json", out)
        self.assertEqual(self.tenon("help", "run"), self.tenon("run", "--help"))

    def test_plot_has_help_that_starts_from_a_recording(self):
        out, err = self.tenon("plot", "--help")
        self.assertEqual(err, "")
        for part in ("Usage: tenon plot DATA.csv", "Examples:", "tenon run", "--csv", "--fit power"):
            self.assertIn(part, out)
        for command in (["bench"], ["bench", "scaling"]):
            self.assertIn("--plot FILE.svg", self.tenon(*command, "--help")[0])

    def test_help_wins_over_a_wrong_line(self):
        self.tenon("run", "--nonsense", "--help")

    def test_version_is_three_numbers(self):
        out, _ = self.tenon("--version")
        self.assertRegex(out, r"^tenon \d+\.\d+\.\d+\n$")

    def test_no_command_is_wrong_usage(self):
        self.refused(says=["--help"])

    def test_unknown_command_gets_a_suggestion(self):
        self.refused("rum", says=["'rum'", "did you mean 'run'?"])
        self.refused("validat", says=["did you mean 'validate'?"])
        self.assertNotIn("did you mean", self.refused("xyzzy"))

    def test_unknown_option_gets_a_suggestion(self):
        self.refused("run", self.model, "--iteration", "3", says=["did you mean '--iterations'?"])
        self.refused("run", self.model, "--treads=3", says=["did you mean '--threads'?"])
        self.refused("validate", self.model, "--strickt", says=["did you mean '--strict'?"])
        self.assertNotIn("did you mean", self.refused("run", self.model, "--colour", "red"))

    def test_missing_and_extra_arguments_are_wrong_usage(self):
        for command in ("run", "info", "eval", "validate"):
            self.refused(command, says=["MODEL is missing"])
            self.refused(command, self.model, "another.xml", says=["unexpected argument 'another.xml'"])
        self.refused("bench", says=["SCENE is missing"])
        self.refused("plot", says=["DATA.csv is missing"])
        self.refused("run", self.model, "--csv", says=["--csv needs a value"])
        self.refused("run", self.model, "--quiet=yes", says=["takes no value"])

    def test_options_out_of_range_tell_the_range(self):
        for option, values, part in (
                ("--threads", ("0", "65", "-1", "2.5", "two", "", "99999999999999999999"), "1 ... 64"),
                ("--iterations", ("0", "-1", "1000001", "1e3"), "1 ... 1000000"),
                ("--duration", ("0", "-1", "nan", "inf", "1e7", "5s", ""), "0 < S <= 1e+06"),
                ("--tolerance", ("-1e-9", "nan", "-inf"), "0 <= T"),
                ("--over-relaxation", ("0.9", "2", "nan"), "1 <= A < 2"),
                ("--anderson", ("-2", "17", "1.5", "automatic", ""), "-1 ... 16"),
                ("--weight-scale", ("0", "-2", "inf"), "0 < W"),
                ("--warm-start", ("-0.1", "1.1"), "0 <= W <= 1")):
            for value in values:
                self.refused("run", self.model, option, value, says=[option, part])
                self.refused("run", self.model, f"{option}={value}", says=[option, part])

    def test_unknown_choices_are_wrong_usage(self):
        self.refused("run", self.model, "--solver", "subadm", says=["did you mean 'subadmm'?"])
        self.refused("run", self.model, "--method", "newtn", says=["did you mean 'newton'?"])
        self.refused("run", self.model, "--method", "cg", says=["auto, subadmm, assembled, newton"])
        self.refused("run", self.model, "--sleep", "on", says=["off, passive, all"])
        self.refused("run", self.model, "--weights", "none", says=["compliance, paper"])
        self.refused("run", self.model, "--admm-form", "papers", says=["did you mean 'paper'?"])

    def test_methods_that_need_a_tolerance_say_so_before_the_model_is_read(self):
        for command in ("run", "bench", "view", "render"):
            output = ("-o", "a.png") if command == "render" else ()
            for method in ("assembled", "newton"):
                self.refused(command, "missing.xml", *output, "--method", method, "--tolerance", "0",
                             says=[f"--solver {method}", "--tolerance 1e-6"])

    def test_bench_ranges(self):
        self.refused("bench", self.model, "--iterations", "30,0", says=["1 ... 1000000"])
        self.refused("bench", self.model, "--iterations", "30,,60", says=["--iterations"])
        self.refused("bench", self.model, "--repeats", "0", says=["1 ... 1000"])
        self.refused("bench", "scaling", "--repeats", "1001", says=["1 ... 1000"])
        self.refused("bench", self.model, "--plot", "", says=["--plot"])
        self.refused("bench", "scaling", "--sizes", "0", says=["--sizes"])


if __name__ == "__main__":
    pycheck.main()
