"""tenon-mpi: the same bits for any number of processes; files, failures and restarts."""
import csv
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import pycheck  # noqa: E402

TENON, TENON_MPI, MPIRUN = sys.argv[1:4]
SCENES = os.path.join(ROOT, "scenes")
FIXED = ("--tolerance", "0", "--iterations", "20")
TIME_IN_CHECKPOINT = 184 + 72  # bytes: the head of the file, and those before the time in a saved state

# Debian's Open MPI: more processes than cores, which wait without turning; and as root, in a container
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def command(ranks, *arguments):
    if ranks is None:
        return [TENON, *map(str, arguments)]
    return [MPIRUN, "-n", str(ranks), TENON_MPI, *map(str, arguments)]


def run(ranks, *arguments):
    return subprocess.run(command(ranks, *arguments), env=ENVIRONMENT, capture_output=True, text=True, timeout=300)


def time_of(saved):
    """Simulated time of a checkpoint, which a new one may replace meanwhile; 0: there is none yet."""
    try:
        with open(saved, "rb") as file:
            return struct.unpack_from("<d", file.read(), TIME_IN_CHECKPOINT)[0]
    except FileNotFoundError:
        return 0.0


class MpiTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, kind, count):
        path = self.path(kind + ".xml")
        subprocess.run([sys.executable, os.path.join(SCENES, "make_large.py"), kind, "--count", str(count), "--output",
                        path], check=True, timeout=120)
        return path

    def report(self, ranks, *arguments):
        more = () if ranks is None else ("--least-work", 0)
        done = run(ranks, "run", *arguments, "--json", "--quiet", "--no-accuracy", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def places(self, name):
        """Positions of bodies in a table; step times are in some, too."""
        with open(self.path(name), newline="", encoding="utf-8") as file:
            rows = [{k: v for k, v in row.items() if k.endswith((".x", ".y", ".z"))} for row in csv.DictReader(file)]
        self.assertTrue(rows and rows[0])
        return rows

    def check_hashes(self, model, ranks, *options):
        wanted = self.report(None, model, *options)
        for count in ranks:
            with self.subTest(model=os.path.basename(model), ranks=count, options=options):
                found = self.report(count, model, *options)
                self.assertEqual(found["state_hash"], wanted["state_hash"])
                self.assertEqual(found["steps"], wanted["steps"])
                self.assertEqual(found["contacts_mean"], wanted["contacts_mean"])

    def test_grain_in_a_drum_has_the_same_hash_while_it_tumbles(self):
        self.check_hashes(self.make("drum", 300), (1, 2, 4), "--duration", 1.5, *FIXED)

    def test_a_scene_solved_to_a_tolerance_has_the_same_hash(self):
        self.check_hashes(os.path.join(SCENES, "stir.xml"), (2, 3), "--duration", 0.2)

    def test_boxes_on_rollers_have_the_same_hash(self):
        self.check_hashes(self.make("conveyor", 24), (3,), "--duration", 0.3, *FIXED)

    def test_files_are_those_of_one_process(self):
        model = os.path.join(SCENES, "pyramid.xml")
        for ranks, name in ((None, "one"), (2, "two")):
            self.report(ranks, model, "--duration", 1, "--record", self.path(name + ".tnr"), "--csv",
                        self.path(name + ".csv"))
            exported = run(None, "export", self.path(name + ".tnr"), "-o", self.path(name + "_rec.csv"))
            self.assertEqual(exported.returncode, 0, exported.stderr)
        info = json.loads(run(None, "info", self.path("two.tnr"), "--json").stdout)
        self.assertEqual((info["files"], info["frames"]), (2, 51))
        for end in (".csv", "_rec.csv"):
            self.assertEqual(self.places("one" + end), self.places("two" + end), end)

    def test_a_scene_in_parts_has_the_same_hash_and_files(self):
        model = self.make("hopper", 400)
        options = ("--spread", "--duration", 0.3, *FIXED)
        self.check_hashes(model, (2, 3), *options)
        self.check_hashes(model, (2, 3), "--spread", "--duration", 0.1)  # to the tolerance
        for ranks, name in ((None, "one"), (2, "two")):
            self.report(ranks, model, *options, "--record", self.path(name + ".tnr"), "--checkpoint", self.path(name), "--csv",
                        self.path(name + ".csv"), "--log", "bodies")
            exported = run(None, "export", self.path(name + ".tnr"), "-o", self.path(name + "_rec.csv"))
            self.assertEqual(exported.returncode, 0, exported.stderr)
        for end in (".csv", "_rec.csv"):
            self.assertEqual(self.places("one" + end), self.places("two" + end), end)

    def test_an_arm_that_ploughs_has_the_same_hash_and_files_in_parts(self):
        model = self.make("plough", 300)
        options = ("--spread", "--duration", 0.8, *FIXED)
        self.check_hashes(model, (2, 4), *options)
        for ranks, name in ((None, "one"), (2, "two")):
            self.report(ranks, model, *options, "--record", self.path(name + ".tnr"))
            exported = run(None, "export", self.path(name + ".tnr"), "-o", self.path(name + "_rec.csv"))
            self.assertEqual(exported.returncode, 0, exported.stderr)
        self.assertEqual(self.places("one_rec.csv"), self.places("two_rec.csv"))

    def test_what_is_sent_is_counted(self):
        done = run(2, "run", self.make("hopper", 500), "--duration", 0.25, "--quiet", "--traffic", "--least-work", 0, *FIXED)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stderr.splitlines() if "exchanges" in line]
        self.assertEqual(len(lines), 2, done.stderr)
        for line in lines:  # with one neighbour each
            self.assertIn(", 48.0 per boundary body", line)

    def test_an_error_is_told_once(self):
        done = run(2, "run", self.path("nothing.xml"))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("nothing.xml"), 1, done.stderr)

    def test_a_killed_process_ends_the_job_and_its_checkpoint_goes_on_elsewhere(self):
        model, saved = self.make("drum", 100), self.path("drum.state")
        job = subprocess.Popen(command(3, "run", model, "--duration", 1e5, "--checkpoint", saved, "--every", 0.05,
                                       "--quiet", *FIXED), env=ENVIRONMENT, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        try:
            while time_of(saved) <= 0 and job.poll() is None:
                time.sleep(0.02)
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(job.pid)], capture_output=True, text=True)
            for child in children.stdout.split():  # one of them has read the model
                with open(f"/proc/{child}/maps", encoding="utf-8") as file:
                    self.assertIn("memfd:tenon-model", file.read())
            os.kill(int(children.stdout.split()[-1]), signal.SIGKILL)
            _, message = job.communicate(timeout=120)
        finally:
            job.kill()
        self.assertNotEqual(job.returncode, 0)
        self.assertIn("signal 9", message)
        end = time_of(saved) + 0.05
        wanted = self.report(None, model, "--duration", end, *FIXED)
        for ranks in (None, 2):
            found = self.report(ranks, model, "--duration", end, "--resume", saved, *FIXED)
            self.assertEqual(found["resumed_after_steps"] + found["steps"], wanted["steps"])
            self.assertGreater(found["resumed_after_steps"], 0)
            self.assertEqual(found["state_hash"], wanted["state_hash"], ranks)


if __name__ == "__main__":
    del sys.argv[1:]
    pycheck.main()
