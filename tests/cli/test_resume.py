"""Runs that are killed, interrupted or short of disk: what is left of them is whole, and --resume goes on with the same bits.

TENON_KILLS=100 in the environment kills as many runs; without it a few."""
import csv
import json
import os
import random
import signal
import stat
import subprocess
import time

import cli
import pycheck

KILLS = int(os.environ.get("TENON_KILLS", "3"))
# rolling, sliding, a robot under control and a cable: warm starts, contacts and controls must all come back
SCENE = """<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 1"/>
    <body name="arm" pos="0 0 0.5"><joint name="turn" type="hinge" axis="0 0 1" damping="0.1"/>
      <geom type="capsule" fromto="0 0 -0.3 0.5 0 -0.35" size="0.03" mass="1"/>
      <body name="hand" pos="0.5 0 -0.3"><joint name="lift" type="slide" axis="0 0 1" range="-0.1 0.1" limited="true"/>
        <geom type="box" size="0.05 0.05 0.05" mass="0.3"/></body></body>
    <replicate count="8" euler="0 0 0.6"><body pos="0.4 0 0.12"><freejoint/><geom type="sphere" size="0.05" mass="0.2"/></body></replicate>
    <body name="box" pos="0.6 0.2 0.1"><freejoint/><geom type="box" size="0.08 0.05 0.06" mass="0.5"/></body>
  </worldbody>
  <actuator><motor name="push" joint="turn" gear="1"/></actuator>
  <tenon>
    <rod name="rope" start="-0.5 -0.5 0.3" end="0.5 -0.5 0.3" segments="12" radius="0.01" young="1e6"/>
    <track file="track.csv" loop_from="0"/>
  </tenon>
</mujoco>
"""
TRACK = """time,push
0,1
0.7,-1
1.1,1
"""
DURATION = 1


class ResumeTest(cli.CliTest):
    def setUp(self):
        super().setUp()
        self.scene = self.write("scene.xml", SCENE)
        self.write("track.csv", TRACK)
        self.saved = os.path.join(self.folder, "run.tnc")

    def arguments(self, name, *more):
        return ["run", self.scene, "--duration", DURATION, "--csv", f"{name}.csv", "--npz", f"{name}.npz", "--record", f"{name}.tnr",
                "--record-state", "--checkpoint", self.saved, "--every", 0.08, *more]

    def start(self, *arguments):
        return subprocess.Popen([self.program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.folder)

    def content(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def frames(self, name):
        """All that a recording has but the times that steps took."""
        self.tenon("export", name, "-o", name + ".csv")
        with open(os.path.join(self.folder, name + ".csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        timed = {i for i, column in enumerate(rows[0]) if column == "step_time"}
        self.assertEqual(len(timed), 1)
        return [[x for i, x in enumerate(row) if i not in timed] for row in rows]

    def check_same(self, name, whole):
        self.assertEqual(self.content(name + ".csv"), whole["csv"])
        self.assertEqual(self.content(name + ".npz"), whole["npz"])
        self.assertEqual(self.frames(name + ".tnr"), whole["tnr"])

    def unbroken(self):
        report = self.tenon_json(*self.arguments("whole"))
        self.assertEqual(report["resumed_after_steps"], 0)
        os.remove(self.saved)
        return {"hash": report["state_hash"], "steps": report["steps"], "csv": self.content("whole.csv"),
                "npz": self.content("whole.npz"), "tnr": self.frames("whole.tnr")}

    def test_killed_at_any_moment_it_goes_on_as_if_nothing_was(self):
        began = time.monotonic()
        whole = self.unbroken()
        took = time.monotonic() - began
        chance = random.Random(22)
        killed = 0
        while killed < KILLS:
            name = f"run{killed}"
            for file in (self.saved, self.saved + ".part"):
                if os.path.exists(file):
                    os.remove(file)
            # killed once or twice; the last one may end
            for _ in range(chance.choice((1, 1, 2))):
                resume = ["--resume", self.saved] if os.path.exists(self.saved) else []
                run = self.start(*self.arguments(name, "--quiet", "--threads", chance.choice((1, 2)), *resume))
                try:
                    run.wait(timeout=chance.uniform(0, took))
                except subprocess.TimeoutExpired:
                    run.kill()
                run.communicate()
                killed += run.returncode == -signal.SIGKILL
            resume = ["--resume", self.saved] if os.path.exists(self.saved) else []
            report = self.tenon_json(*self.arguments(name, *resume))
            self.assertEqual(report["state_hash"], whole["hash"])
            self.assertEqual(report["steps"] + report["resumed_after_steps"], whole["steps"])
            self.check_same(name, whole)

    def until_saved(self, run, step=1):
        """Waits for a checkpoint behind the start."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and run.poll() is None:
            if os.path.exists(self.saved) and self.saved_step() >= step:
                return
            time.sleep(0.01)
        self.fail("no checkpoint")

    def saved_step(self):
        with open(self.saved, "rb") as file:
            return int.from_bytes(file.read(48)[40:], "little")

    def test_a_signal_ends_it_with_a_checkpoint_of_that_very_step(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for file in ("run.tnc", "cut.csv", "cut.npz", "cut.npz.rows", "cut.tnr"):
                if os.path.exists(os.path.join(self.folder, file)):
                    os.remove(os.path.join(self.folder, file))
            run = self.start(*self.arguments("cut", "--duration", 1e5, "--every", 0.01, "--json"))
            self.until_saved(run, 5)
            run.send_signal(number)
            out, err = run.communicate(timeout=60)
            self.assertEqual(run.returncode, code, err)
            report = json.loads(out)
            self.assertEqual((report["interrupted"], report["steps"]), (True, self.saved_step()))
            with open(os.path.join(self.folder, "cut.csv"), encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 1 + report["steps"])
            end = report["steps"] * 0.005 + 0.1
            more = self.tenon_json(*self.arguments("cut", "--duration", end, "--resume", self.saved))
            self.assertEqual(more["steps"] + report["steps"], more["resumed_after_steps"] + 20)
            once = self.tenon_json("run", self.scene, "--duration", end, "--csv", "once.csv", "--npz", "once.npz")
            self.assertEqual(more["state_hash"], once["state_hash"])
            for kind in ("csv", "npz"):
                self.assertEqual(self.content("cut." + kind), self.content("once." + kind))

    def test_other_threads_go_on_with_the_same_bits(self):
        wanted = self.tenon_json("run", self.scene, "--duration", 0.4)["state_hash"]
        self.tenon("run", self.scene, "--duration", 0.2, "--checkpoint", self.saved)
        found = self.tenon_json("run", self.scene, "--duration", 0.4, "--resume", self.saved, "--threads", 2)
        self.assertEqual((found["state_hash"], found["resumed_after_steps"], found["steps"]), (wanted, 40, 40))

    def test_what_does_not_fit_is_refused(self):
        run = ("run", self.scene, "--duration", 0.1)
        self.tenon(*run, "--checkpoint", self.saved, "--csv", "log.csv", "--record", "log.tnr")
        good = self.content("run.tnc")
        resume = (*run, "--resume", self.saved)
        self.refused("run", self.model, "--resume", self.saved, code=4, says=["belongs to another model"])
        heavier = self.write("heavier.xml", SCENE.replace('mass="0.5"', 'mass="0.6"'))
        self.refused("run", heavier, "--resume", self.saved, code=4, says=["belongs to another model"])
        renamed = self.write("renamed.xml", SCENE.replace('name="box"', 'name="crate"'))
        self.tenon("run", renamed, "--duration", 0.1, "--resume", self.saved)
        _, err = self.tenon(*resume, "--tolerance", 1e-3, "--quiet")
        self.assertIn("other options of the solver", err)
        self.refused(*resume, "--csv", "log.csv", "--log", "energy", code=4, says=["log.csv is not the log of the run"])
        self.refused(*resume, "--record", "scene.xml", code=2, says=["is the model itself"])
        self.refused(*run, "--every", 1, says=["--every needs --checkpoint"])
        self.refused(*run, "--resume", "nothing.tnc", code=4, says=["nothing.tnc cannot be read: No such file"])
        self.refused(*run, "--resume", self.folder, code=4, says=["cannot be read"])
        wrong = {"cut": (good[:-1], "cut short"), "short": (good[:50], "is not a checkpoint"), "empty": (b"", "is not a checkpoint"),
                 "long": (good + b"x", "cut short or damaged"), "head": (good[:60] + b"\xff" + good[61:], "is damaged"),
                 "state": (good[:-9] + bytes([good[-9] ^ 1]) + good[-8:], "damaged"),
                 "version": (good[:8] + b"\x63" + good[9:], "another version")}
        for name, (data, says) in wrong.items():
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(data)
            self.refused(*run, "--resume", name, code=4, says=[says])

    def test_a_second_run_does_not_write_the_same_checkpoint(self):
        run = self.start("run", self.scene, "--duration", 1e5, "--every", 0.01, "--checkpoint", self.saved, "--quiet")
        self.until_saved(run, 2)
        self.refused("run", self.scene, "--duration", 1, "--checkpoint", self.saved, "--quiet", code=4,
                     says=["another run writes", "another name"])
        at = self.saved_step()
        self.until_saved(run, at + 1)  # the first one goes on
        run.kill()
        run.communicate()
        self.tenon("run", self.scene, "--duration", 0.01, "--checkpoint", self.saved, "--quiet")  # a dead one is no obstacle

    def test_a_forged_place_is_refused(self):
        """Numbers that no run comes to, with a checksum that fits."""
        self.tenon("run", self.scene, "--duration", 0.1, "--checkpoint", self.saved, "--csv", "log.csv", "--record", "log.tnr")
        good = self.content("run.tnc")
        size = int.from_bytes(good[12:16], "little")  # of the head, whose last number is its checksum
        for k in range((size - 48) // 8):
            for value in (b"\xff" * 7 + b"\x7f", b"\0" * 7 + b"\x80", b"\0" * 6 + b"\xf8\x7f"):  # 2^63-1, -2^63 or -0, NaN
                at = 40 + 8 * k
                head = good[:at] + value + good[at + 8:size - 8]
                total = 14695981039346656037
                for byte in head:
                    total = (total ^ byte) * 1099511628211 % 2 ** 64
                with open(os.path.join(self.folder, "forged"), "wb") as file:
                    file.write(head + total.to_bytes(8, "little") + good[size:])
                if value[-1] == 0x80 and 7 <= k < (size - 48) // 8 - 1:
                    continue  # -0 is as good as 0
                self.refused("run", self.scene, "--resume", "forged", code=4, says=["forged is damaged; start again"])

    def test_a_run_that_is_past_its_end_says_so(self):
        self.tenon("run", self.scene, "--duration", 0.1, "--checkpoint", self.saved)
        out, err = self.tenon("run", self.scene, "--duration", 0.05, "--resume", self.saved)
        self.assertIn("the checkpoint is at step 20, beyond the 10 steps of --duration 0.05", err)
        self.assertNotIn("nan", out)

    def test_another_name_starts_another_log_from_there(self):
        run = ("run", self.scene, "--quiet", "--checkpoint", self.saved)
        self.tenon(*run, "--duration", 0.1, "--csv", "a.csv", "--record", "a.tnr")
        self.tenon(*run, "--duration", 0.2, "--csv", "b.csv", "--record", "b.tnr", "--resume", self.saved)
        with open(os.path.join(self.folder, "b.csv"), encoding="utf-8") as file:
            rows = file.readlines()
        self.assertEqual((rows[0][:5], len(rows)), ("time,", 21))
        self.assertAlmostEqual(float(rows[1].split(",")[0]), 0.105, 12)
        self.assertAlmostEqual(float(self.frames("b.tnr")[1][0]), 0.1, 12)
        self.assertEqual(len(self.frames("a.tnr")), 1 + 6)  # it was left alone

    def test_places_that_cannot_be_written(self):
        run = ("run", self.scene, "--duration", 0.1, "--quiet")
        os.mkdir(os.path.join(self.folder, "folder"))
        self.refused(*run, "--checkpoint", "folder", code=4, says=["folder cannot be written"])
        self.refused(*run, "--checkpoint", self.scene, says=["is the model itself"])
        if os.path.exists("/dev/full"):
            before = os.stat("/dev/full")
            self.refused(*run, "--checkpoint", "/dev/full", code=4, says=["/dev/full cannot be written"])
            self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
            self.assertEqual(before.st_rdev, os.stat("/dev/full").st_rdev)
            self.assertFalse(os.path.exists("/dev/full.part"))
        self.tenon(*run, "--checkpoint", "deep/er/run.tnc")  # folders are made
        good = self.content("deep/er/run.tnc")
        os.symlink("deep/er/run.tnc", os.path.join(self.folder, "link"))
        self.tenon(*run, "--checkpoint", "link")
        self.assertTrue(os.path.islink(os.path.join(self.folder, "link")))
        self.assertEqual(self.content("deep/er/run.tnc"), good)
        if os.geteuid() != 0:  # nothing is read-only for root
            os.chmod(os.path.join(self.folder, "deep", "er"), 0o500)
            self.refused(*run, "--checkpoint", "deep/er/run.tnc", code=4, says=["cannot be written"])
            os.chmod(os.path.join(self.folder, "deep", "er"), 0o700)

    def test_a_full_disk_leaves_the_last_checkpoint(self):
        """The limit of a file's size stands for the disk: the first checkpoints fit, the log does not."""
        limits = "ulimit -f 64; exec \"$@\""  # blocks of 512 or 1024 bytes
        run = subprocess.run(["sh", "-c", limits, "sh", self.program, *map(str, self.arguments("full", "--every", 0.02))],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, timeout=60)
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertIn(b"cannot be written", run.stderr)
        self.assertGreater(self.saved_step(), 0)
        self.assertFalse(os.path.exists(self.saved + ".part"))
        whole = self.unbroken_from_there()
        self.assertEqual(self.content("full.csv"), whole)

    def unbroken_from_there(self):
        """Goes on with more room, and tells what one run would have logged."""
        self.tenon(*self.arguments("full", "--every", 0.02, "--resume", self.saved, "--quiet"))
        self.tenon("run", self.scene, "--duration", DURATION, "--csv", "one.csv", "--quiet")
        return self.content("one.csv")

    def test_a_reader_that_leaves_is_an_error_and_files_are_whole(self):
        run = self.start("run", self.scene, "--duration", 1e5, "--csv", "-", "--quiet", "--record", "pipe.tnr", "--checkpoint",
                         self.saved)
        run.stdout.readline()
        run.stdout.close()
        err = run.stderr.read().decode()
        run.stderr.close()
        self.assertEqual(run.wait(timeout=60), 4)
        self.assertIn("stdout: cannot be written: Broken pipe", err)
        info = json.loads(self.tenon("info", "pipe.tnr", "--json")[0])
        self.assertFalse(info["cut_off"])


if __name__ == "__main__":
    pycheck.main()
