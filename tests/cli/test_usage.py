"""Help, version, unknown names, ranges: what the programs say before they look at a model."""
import os
import re
import subprocess

from cli import ROOT, BenchTest, CliTest, pycheck

TENON_COMMANDS = ("run", "view", "render", "replay", "export", "plot", "info", "validate", "convert", "eval", "solve", "plan")
BENCH_COMMANDS = ("scene", "hard", "simbench", "table", "convergence", "scaling", "threads", "ranks", "piles", "batch", "lasting", "gpu", "gpu_batch")


class Usage(CliTest):
    def test_help_goes_to_stdout_and_names_every_command(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            out, err = self.tenon(*arguments)
            self.assertEqual(err, "")
            for command in TENON_COMMANDS:
                self.assertIn(f"  {command} ", out)
            self.assertIn("Exit codes", out)

    def test_every_command_has_help_with_examples(self):
        for command in ("run", "info", "eval", "validate", "solve"):
            out, err = self.tenon(command, "--help")
            self.assertEqual(err, "")
            self.assertRegex(out, f"(Usage:|      ) tenon {command} ")
            self.assertIn("Examples:", out)
            self.assertIn("--json", out)
        self.assertEqual(self.tenon("help", "run"), self.tenon("run", "--help"))

    def test_plot_has_help_that_starts_from_a_recording(self):
        out, err = self.tenon("plot", "--help")
        self.assertEqual(err, "")
        for part in ("Usage: tenon plot DATA.csv", "Examples:", "tenon run", "--csv", "--fit power"):
            self.assertIn(part, out)

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

    def test_devices_are_listed_and_one_that_is_not_there_is_refused_in_words(self):
        out, _ = self.tenon("info", "--devices")
        self.assertRegex(out, r"(?m)^ *cpu ")
        self.assertRegex(out, r"(?m)^ *cuda, cuda64 ")
        if "no CUDA back end" in out:
            self.refused("run", self.model, "--device", "cuda", says=["no CUDA back end", "-DTENON_CUDA=ON"])
        self.refused("run", self.model, "--device", "tpu", says=["'tpu'", "--device"])

    def test_missing_and_extra_arguments_are_wrong_usage(self):
        for command in ("run", "info", "eval", "validate"):
            self.refused(command, says=["MODEL is missing"])
            self.refused(command, self.model, "another.xml", says=["unexpected argument 'another.xml'"])
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

    def test_methods_that_need_a_tolerance_say_so_before_the_model_is_read(self):
        for command in ("run", "view", "render"):
            output = ("-o", "a.png") if command == "render" else ()
            self.refused(command, "missing.xml", *output, "--method", "newton", "--tolerance", "0",
                         says=["--solver newton", "--tolerance 1e-6"])

    def test_what_is_there_to_compare_with_is_in_the_other_program(self):
        for command, what in (("run", "--solver pj"), ("run", "--solver=nnewton"), ("solve", "--solver auto,pj"),
                              ("run", "--admm-form paper"), ("run", "--weights=paper"), ("view", "--weights paper")):
            self.refused(command, "missing.xml", *what.split(), says=["tenon-bench scene\n"])

    def test_commands_that_moved_say_in_one_line_where_they_are(self):
        for was, now in (("bench hard --only tower", "tenon-bench hard"), ("bench simbench", "tenon-bench simbench"),
                         ("bench scaling", "tenon-bench scaling --of spheres"), ("bench", "tenon-bench scene SCENE"),
                         ("bench stir --json", "tenon-bench scene SCENE"), ("table --help", "tenon-bench table"),
                         ("scaling", "tenon-bench scaling"), ("convergence stir", "tenon-bench convergence"),
                         ("help table", "tenon-bench table")):
            err = self.refused(*was.split(), says=[f"was replaced by '{now}'\n"])
            self.assertEqual(err.count("\n"), 1)
        self.refused("sweep", "study.py", says=["a command of the Python package: 'python3 -m tenon.sweep --help'\n"])


class RunScript(CliTest):
    """./run up to where it would install and build."""

    def script(self, *arguments):
        return subprocess.run([os.path.join(ROOT, "run"), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.folder, timeout=60)

    def test_help_names_its_options(self):
        done = self.script("beam", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("Usage: ./run [SCENE]", "--film", "--no-window", "tenon run"):
            self.assertIn(part, done.stdout)

    def test_an_unknown_scene_is_refused_before_anything_is_built(self):
        done = self.script("stirr")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there is no scenes/stirr.xml", done.stderr)


class BenchUsage(BenchTest):
    def test_help_names_every_command_and_each_has_help_with_examples(self):
        out, err = self.tenon("--help")
        self.assertEqual(err, "")
        self.assertEqual(re.findall(r"^  (\w+) +\w", out.split("Commands:")[1].split("Examples:")[0], re.MULTILINE), list(BENCH_COMMANDS))
        for command in BENCH_COMMANDS:
            out, err = self.tenon(command, "--help")
            self.assertEqual(err, "")
            for part in (f"Usage: tenon-bench {command} ", "Examples:", f"  tenon-bench {command}", "--json"):
                self.assertIn(part, out)
        for command in ("scene", "scaling", "table", "convergence"):
            self.assertIn("--plot FILE.svg", self.tenon(command, "--help")[0])

    def test_messages_name_the_program(self):
        self.assertRegex(self.tenon("--version")[0], r"^tenon-bench \d+\.\d+\.\d+\n$")
        self.refused(says=["tenon-bench: a command is missing", "Try 'tenon-bench --help'"])
        self.refused("tabel", says=["tenon-bench: unknown command 'tabel'; did you mean 'table'?"])
        self.refused("scene", says=["tenon-bench scene: SCENE is missing", "Try 'tenon-bench scene --help'"])
        self.refused("scene", self.model, "--key", "down", says=["tenon-bench scene: the model has no key 'down'"])

    def test_methods_that_need_a_tolerance_say_so_before_the_model_is_read(self):
        self.refused("scene", "missing.xml", "--method", "newton", "--tolerance", "0",
                     says=["--solver newton", "--tolerance 1e-6"])

    def test_ranges(self):
        self.refused("scene", self.model, "--iterations", "30,0", says=["1 ... 1000000"])
        self.refused("scene", self.model, "--iterations", "30,,60", says=["--iterations"])
        self.refused("scene", self.model, "--repeats", "0", says=["1 ... 1000"])
        self.refused("scaling", "--repeats", "1001", says=["1 ... 1000"])
        self.refused("scene", self.model, "--plot", "", says=["--plot"])
        self.refused("scaling", "--sizes", "0", says=["--sizes"])


if __name__ == "__main__":
    pycheck.main()
