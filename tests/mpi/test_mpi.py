"""tenon-mpi: the same bits for any number of processes; files, failures and restarts."""
import csv
import json
import os
import pathlib
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
HEAD_BYTES_AT, TIME_AT = 12, 72  # bytes: in the head of a checkpoint, its size; in the saved state behind it, the time

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
            data = file.read()
            head = struct.unpack_from("<I", data, HEAD_BYTES_AT)[0]
            return struct.unpack_from("<d", data, head + TIME_AT)[0]
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
                self.check_report(self.report(count, model, *options), wanted)

    def check_report(self, found, wanted):
        for key in ("state_hash", "steps", "contacts_mean"):
            self.assertEqual(found[key], wanted[key], key)

    def check_files(self, model, ranks, *options, tables=()):
        """Hashes, recordings and tables of one process and of several; the last ones' checkpoint goes on elsewhere."""
        for count in (None, *ranks):
            name = self.path(str(count))
            more = ("--csv", name + ".csv", *tables) if tables else ()
            found = self.report(count, model, *options, "--record", name + ".tnr", "--checkpoint", name, *more)
            if count is None:
                wanted = found
            self.check_report(found, wanted)
            exported = run(None, "export", name + ".tnr", "-o", name + "_rec.csv")
            self.assertEqual(exported.returncode, 0, exported.stderr)
            for end in ("_rec.csv", ".csv")[:2 if tables else 1]:
                self.assertEqual(self.places(str(count) + end), self.places("None" + end), end)
        return wanted, [self.path(str(count)) for count in (None, *ranks)]

    def test_grain_in_a_drum_has_the_same_hash_while_it_tumbles(self):
        self.check_hashes(self.make("drum", 200), (2, 4), "--duration", 0.7, *FIXED)

    def test_a_scene_solved_to_a_tolerance_has_the_same_hash(self):
        self.check_hashes(os.path.join(SCENES, "stir.xml"), (3,), "--duration", 0.1)

    def test_boxes_on_rollers_have_the_same_hash(self):
        self.check_hashes(self.make("conveyor", 24), (1, 3), "--duration", 0.3, *FIXED)

    def test_files_are_those_of_one_process(self):
        _, names = self.check_files(os.path.join(SCENES, "pyramid.xml"), (2,), "--duration", 0.5,
                                    tables=("--log", "joints"))
        info = json.loads(run(None, "info", names[1] + ".tnr", "--json").stdout)
        self.assertEqual((info["files"], info["frames"]), (2, 26))

    def test_a_scene_in_parts_has_the_same_hash_and_files_and_goes_on_on_other_ranks(self):
        model = self.make("hopper", 300)
        _, names = self.check_files(model, (2, 3), "--decompose", "--duration", 0.2, *FIXED, tables=("--log", "bodies"))
        wanted = self.report(None, model, "--decompose", "--duration", 0.25, *FIXED)
        for ranks, saved in ((4, names[1]), (None, names[2])):
            found = self.report(ranks, model, "--decompose", "--duration", 0.25, "--resume", saved, *FIXED)
            self.assertEqual(found["resumed_after_steps"] + found["steps"], wanted["steps"])
            self.assertEqual(found["state_hash"], wanted["state_hash"], ranks)
        self.check_hashes(model, (3,), "--decompose", "--duration", 0.05)  # to the tolerance

    def test_an_arm_that_ploughs_has_the_same_hash_and_files_in_parts(self):
        self.check_files(self.make("plough", 300), (2, 4), "--decompose", "--duration", 0.5, *FIXED)

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

    def test_what_parts_do_not_know_is_named_once(self):
        model = os.path.join(SCENES, "pyramid.xml")
        for option in (("--sleep", "all"), ("--strict-energy",), ("--resume", self.path("nothing"))):
            done = run(2, "run", model, "--decompose", *option)
            self.assertNotEqual(done.returncode, 0)
            told = [line for line in done.stderr.splitlines() if line.startswith("tenon-mpi run:")]
            self.assertEqual(len(told), 1, done.stderr)

    def kill_one_of_three(self, model, saved, *options):
        """A job of which a process is killed after its first checkpoint: memory maps of all, and what is said."""
        job = subprocess.Popen(command(3, "run", model, "--duration", 1e5, "--checkpoint", saved, "--every", 0.05,
                                       "--quiet", *options), env=ENVIRONMENT, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        try:
            while time_of(saved) <= 0 and job.poll() is None:
                time.sleep(0.02)
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(job.pid)], capture_output=True, text=True).stdout.split()
            maps = [pathlib.Path(f"/proc/{child}/maps").read_text(encoding="utf-8") for child in children]
            os.kill(int(children[-1]), signal.SIGKILL)
            _, message = job.communicate(timeout=120)
        finally:
            job.kill()
        self.assertNotEqual(job.returncode, 0)
        return maps, message

    def test_a_killed_process_ends_the_job_and_its_checkpoint_goes_on_elsewhere(self):
        model = self.make("drum", 100)
        for parts in ((), ("--decompose",)):
            saved = self.path("drum.state" + "".join(parts))
            maps, message = self.kill_one_of_three(model, saved, *parts, *FIXED)
            self.assertIn("signal 9", message)
            for text in maps:  # one of them has read the model, which in parts the others never see
                self.assertEqual("memfd:tenon-model" in text, not parts)
            end = time_of(saved) + 0.05
            wanted = self.report(None, model, "--duration", end, *parts, *FIXED)
            for ranks in (None, 2)[len(parts):]:
                found = self.report(ranks, model, "--duration", end, "--resume", saved, *parts, *FIXED)
                self.assertEqual(found["resumed_after_steps"] + found["steps"], wanted["steps"])
                self.assertGreater(found["resumed_after_steps"], 0)
                self.assertEqual(found["state_hash"], wanted["state_hash"], ranks)


if __name__ == "__main__":
    del sys.argv[1:]
    pycheck.main()
