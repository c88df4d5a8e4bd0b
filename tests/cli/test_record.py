"""tenon run --record, tenon info of a recording, tenon export."""
import base64
import csv
import math
import os
import resource
import signal
import struct
import subprocess
import time
import unittest
import xml.etree.ElementTree as xml
import zipfile

import cli
import tnr
from cli import CliTest, pycheck

# MODEL's timestep is 0.01 s: 50 frames per second are every other step
ACCOUNT = ("actuators", "applied", "friction", "damping", "impacts", "step_loss", "created", "push_out", "unsolved")


def read_npy(data):
    """(type, shape, numbers) of a .npy file; enough for what the program writes."""
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError("no .npy of version 1.0")
    length, = struct.unpack("<H", data[8:10])
    if (10 + length) % 64 != 0 or data[9 + length:10 + length] != b"\n":
        raise ValueError("header is not aligned")
    header = eval(data[10:10 + length].decode("ascii"), {})  # a literal dictionary
    kind, shape = header["descr"], header["shape"]
    count = math.prod(shape)
    body = data[10 + length:]
    if kind.startswith("<U"):
        width = 4 * int(kind[2:])
        values = [body[width * i:width * (i + 1)].decode("utf-32-le").rstrip("\0") for i in range(count)]
        size = width
    else:
        form = {"<f8": "d", "<f4": "f", "<i4": "i", "<i8": "q"}[kind]
        size = struct.calcsize(form)
        values = list(struct.unpack(f"<{count}{form}", body))
    if len(body) != count * size:
        raise ValueError("wrong length")
    return kind, shape, values


class RecordTest(CliTest):
    def path(self, name):
        return os.path.join(self.folder, name)

    def record(self, *options, name="a.tnr", duration=0.5):
        self.tenon("run", self.model, "--duration", duration, "--quiet", "--record", name, *options)
        return self.path(name)

    def files(self):
        return sorted(os.listdir(self.folder))

    def read_csv(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def read_npz(self, name):
        with zipfile.ZipFile(self.path(name)) as archive:
            self.assertIsNone(archive.testzip())
            return {member[:-4]: read_npy(archive.read(member)) for member in archive.namelist()}


class Run(RecordTest):
    def test_hash_is_the_same_with_and_without_a_recording(self):
        alone = self.tenon_json("run", self.model, "--duration", "0.5")
        watched = self.tenon_json("run", self.model, "--duration", "0.5", "--record", "a.tnr", "--record-state")
        self.assertEqual(alone["state_hash"], watched["state_hash"])
        self.assertEqual(watched["recorded_frames"], 26)
        self.assertNotIn("recorded_frames", alone)

    def test_frames_come_at_the_rate_asked_for(self):
        for options, times in (([], [0.02 * k for k in range(26)]),
                               (["--record-fps", "10"], [0.1 * k for k in range(6)]),
                               (["--record-fps", "30"], None),
                               (["--record-fps", "1000"], [0.01 * k for k in range(51)])):
            _, frames = tnr.read(self.record(*options))
            found = [frame["time"] for frame in frames]
            if times is None:  # 30 does not divide 100: the nearest steps, none left out
                times = [round(100 * k / 30) / 100 for k in range(16)]
            self.assertEqual(len(found), len(times), options)
            for a, b in zip(found, times):
                self.assertAlmostEqual(a, b, delta=1e-12)

    def test_recording_read_by_its_description_has_the_motion_of_the_csv(self):
        path = self.record("--record-state", "--csv", "a.csv", "--key", "up", name="new/folder/a.tnr")
        rows = self.read_csv("a.csv")
        column = {name: k for k, name in enumerate(rows[0])}
        scene, frames = tnr.read(path)
        self.assertEqual([body[0] for body in scene["bodies"]][1:], ["rod", "ball", ""])
        self.assertEqual((scene["name"], scene["timestep"]), ('small \\"one"', 0.01))
        contacts = 0
        for frame in frames[1:]:
            row = [float(x) for x in rows[round(frame["time"] / 0.01)]]
            self.assertEqual(row[0], frame["time"])
            ball = [row[column[f"ball.{k}"]] for k in ("x", "y", "z")]
            for a, b in zip(frame["pos"][2], ball):
                self.assertAlmostEqual(a, b, delta=scene["resolution"] / 2)
            self.assertEqual(frame["state"][0], row[column["swing.q0"]])  # exact
            self.assertEqual(frame["state"][cli.QPOS], row[column["swing.v0"]])
            for contact in frame["contacts"]:
                contacts += 1
                # the ball's lowest point; it rests, so that the step before is no other place. 32 steps of the grid
                self.assertAlmostEqual(contact["pos"][2], 0, delta=1e-4)
                self.assertAlmostEqual(contact["pos"][0], ball[0], delta=1e-4)
                self.assertAlmostEqual(abs(contact["normal"][2]), 1, delta=1e-6)
        self.assertGreater(contacts, 0)
        # the ball of 1 kg rests and its contact carries it, to a percent after half a second
        weight = sum(c["force"][2] for c in frames[-1]["contacts"] if 3 in c["geoms"])
        self.assertAlmostEqual(abs(weight), 9.81, delta=0.1)

    def test_contacts_can_be_left_out(self):
        _, frames = tnr.read(self.record("--no-record-contacts"))
        self.assertNotIn("contacts", frames[-1])

    def test_append_goes_on_in_time(self):
        self.record(duration=0.1)
        path = self.record("--append", "--key", "up", duration=0.1)
        _, frames = tnr.read(path)
        self.assertEqual(len(frames), 12)
        for k, frame in enumerate(frames):
            self.assertAlmostEqual(frame["time"], 0.02 * k, delta=1e-12)
            self.assertEqual(frame["step"], 2 * k)

    def test_append_to_a_cut_off_recording_removes_the_tail(self):
        path = self.record("--record-fps", "100", duration=0.4)  # 41 frames in groups of 16
        size = os.path.getsize(path)
        os.truncate(path, size - 3)
        self.record("--append", duration=0.1)
        _, frames = tnr.read(path)
        self.assertEqual(len(frames), 32 + 6)

    def test_append_to_another_model_is_refused_and_leaves_it_alone(self):
        path = self.record(duration=0.1)
        with open(path, "rb") as file:
            before = file.read()
        other = self.write("other.xml", cli.MODEL.replace("0.01", "0.005"))
        self.refused("run", other, "--duration", "0.1", "--record", "a.tnr", "--append", says=["another scene"])
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_recording_over_the_model_or_the_csv_is_refused(self):
        with open(self.model, encoding="utf-8") as file:
            before = file.read()
        self.refused("run", self.model, "--record", "small.xml", says=["is the model itself"])
        self.refused("run", self.model, "--record", self.folder + "/./small.xml", says=["is the model itself"])
        with open(self.model, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)
        self.refused("run", self.model, "--record", "x", "--csv", "x", says=["is the CSV file"])
        self.assertEqual(self.files(), ["small.xml"])
        self.refused("run", self.model, "--record", "x", "--csv", "./x", says=["is the CSV file"])

    def test_options_of_recordings_need_one(self):
        for option in (["--append"], ["--record-state"], ["--no-record-contacts"], ["--record-fps", "20"]):
            self.refused("run", self.model, *option, says=[option[0], "needs --record"])
        self.refused("run", self.model, "--record", "x", "--record-fps", "0", says=["--record-fps"])

    def test_a_file_that_cannot_be_written_is_told(self):
        self.refused("run", self.model, "--record", "small.xml/a.tnr", code=4, says=["cannot be written"])
        self.refused("run", self.model, "--record", self.folder, code=4, says=["is a directory"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_full_device_is_told(self):
        self.refused("run", self.model, "--record", "/dev/full", code=4, says=["/dev/full", "no space left"])

    def test_full_disk_ends_the_run_with_its_table_and_a_readable_recording(self):
        whole = os.path.getsize(self.record("--record-fps", "100", duration=2, name="whole.tnr"))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (whole // 2, whole // 2))
        done = subprocess.run([cli.PROGRAM, "run", self.model, "--duration", "2", "--record", "a.tnr", "--record-fps", "100"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit, timeout=300)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(b"a.tnr: cannot be written: ", done.stderr)
        self.assertIn(b"mean step", done.stdout)
        _, frames = tnr.read(self.path("a.tnr"))
        self.assertGreater(len(frames), 16)
        self.assertLess(len(frames), 201)
        self.assertEqual(len(frames) % 16, 0)

    def test_interrupt_closes_the_recording(self):
        running = subprocess.Popen([cli.PROGRAM, "run", self.model, "--duration", "100000", "--quiet", "--record", "a.tnr"],
                                   cwd=self.folder)
        path = self.path("a.tnr")
        for _ in range(3000):
            if os.path.exists(path) and os.path.getsize(path) > 20000:
                break
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(timeout=60), 130)
        info = self.tenon_json("info", "a.tnr")
        self.assertFalse(info["cut_off"])
        self.assertGreater(info["frames"], 16)

    def test_killed_run_leaves_a_readable_recording(self):
        running = subprocess.Popen([cli.PROGRAM, "run", self.model, "--duration", "100000", "--quiet", "--record", "a.tnr"],
                                   cwd=self.folder)
        path = self.path("a.tnr")
        for _ in range(3000):
            if os.path.exists(path) and os.path.getsize(path) > 20000:
                break
            time.sleep(0.01)
        running.kill()
        running.wait(timeout=60)
        info = self.tenon_json("info", "a.tnr")
        self.assertGreater(info["frames"], 16)
        self.tenon("export", "a.tnr", "-o", "a.csv")


    def test_frames_have_the_account_of_energy_up_to_them(self):
        lines = self.tenon_json("run", self.model, "--duration", "0.5", "--csv", "a.csv", "--record", "a.tnr")
        head, *rows = self.read_csv("a.csv")
        _, frames = tnr.read(self.path("a.tnr"))
        self.assertEqual([frames[0][name] for name in ACCOUNT], [0] * 9)
        for name in ACCOUNT:
            column, sums = head.index(name), [0]
            for row in rows:
                sums.append(sums[-1] + float(row[column]))
            self.assertEqual([frame[name] for frame in frames], sums[::2])  # every other step
        self.assertEqual(frames[-1]["created"], lines["energy_created_J"])
        self.assertEqual([frame["elastic"] for frame in frames], [0] * 26)  # there are no springs

    def test_frames_have_joints_sensors_controls_and_forces(self):
        self.record("--csv", "a.csv", "--key", "up")
        scene, frames = tnr.read(self.path("a.tnr"))
        head, *rows = self.read_csv("a.csv")
        names = ["swing.q0", "swing.v0", "joint3.q0", "joint3.v0", "angle.s0", "where.s0", "where.s1", "where.s2", "push.ctrl",
                 "push.force"]
        self.assertEqual(scene["signals"], list(zip(names, (0, 1, 0, 1, 2, 2, 2, 2, 3, 4))))
        for frame, row in zip(frames[1:], rows[1::2]):  # every other step
            for name, value in zip(names, frame["signals"]):
                self.assertAlmostEqual(value, float(row[head.index(name)]), delta=1e-7 * max(1, abs(value)))  # 24 bits
        self.assertNotIn("signals", tnr.read(self.record("--no-record-signals"))[1][0])
        self.assertFalse(self.tenon_json("info", "a.tnr")["has_signals"])
        self.refused("run", self.model, "--record-signals", says=["--record-signals needs --record"])

    def test_many_signals_are_recorded_only_if_asked_for(self):
        bodies = "".join('<body><joint type="slide"/><geom type="sphere" size="0.1" contype="0"/></body>' for _ in range(257))
        model = self.write("many.xml", f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        for options, there in (([], False), (["--record-signals"], True)):
            self.tenon("run", model, "--duration", "0.01", "--quiet", "--record", "m.tnr", *options)
            self.assertEqual(self.tenon_json("info", "m.tnr")["has_signals"], there)

    def test_an_appended_run_goes_on_with_the_sums(self):
        _, first = tnr.read(self.record())
        _, both = tnr.read(self.record("--append"))
        for name in ACCOUNT:
            self.assertEqual(both[-1][name], 2 * first[-1][name])


class Info(RecordTest):
    def test_info_tells_what_a_recording_holds(self):
        path = self.record("--record-state")
        info = self.tenon_json("info", path)
        self.assertEqual((info["frames"], info["start"], info["cut_off"]), (26, 0, False))
        self.assertAlmostEqual(info["end"], 0.5, delta=1e-12)
        self.assertEqual((info["has_contacts"], info["has_state"], info["bodies"]), (True, True, 3))
        self.assertTrue(info["has_account"])
        self.assertEqual(info["bytes"], os.path.getsize(path))
        out, _ = self.tenon("info", path)
        for part in ("frames", "26", "duration", "0.5 s", "cut off", "no"):
            self.assertIn(part, out)

    def test_info_of_a_cut_off_recording_says_so(self):
        path = self.record()
        os.truncate(path, os.path.getsize(path) - 1)
        info = self.tenon_json("info", path)
        self.assertEqual((info["frames"], info["cut_off"]), (16, True))
        self.assertLess(info["bytes"], os.path.getsize(path))
        os.truncate(path, 40)
        self.refused("info", path, code=4, says=["nothing can be read"])


class Export(RecordTest):
    def test_npz_has_the_arrays_of_the_recording(self):
        scene, frames = tnr.read(self.record("--record-state"))
        self.tenon("export", "a.tnr", "-o", "out/a.npz")
        arrays = self.read_npz("out/a.npz")
        count, bodies = len(frames), len(scene["bodies"])
        self.assertEqual(arrays["time"], ("<f8", (count,), [f["time"] for f in frames]))
        self.assertEqual(arrays["step"], ("<i8", (count,), [f["step"] for f in frames]))
        self.assertEqual(arrays["iterations"][2], [f["iterations"] for f in frames])
        self.assertEqual(arrays["kinetic"][2], [f["kinetic"] for f in frames])
        self.assertEqual(arrays["elastic"][2], [f["elastic"] for f in frames])
        self.assertEqual(arrays["energy_account"][1:], ((count, 9), [f[name] for f in frames for name in ACCOUNT]))
        self.assertEqual(arrays["body_pos"][:2], ("<f8", (count, bodies, 3)))
        self.assertEqual(arrays["body_pos"][2], [x for f in frames for p in f["pos"] for x in p])
        self.assertEqual(arrays["body_quat"][1], (count, bodies, 4))
        for a, b in zip(arrays["body_quat"][2], (x for f in frames for q in f["quat"] for x in q)):
            self.assertAlmostEqual(a, b, delta=1e-15)  # both normalize
        self.assertEqual(arrays["body_names"], ("<U5", (4,), ["world", "rod", "ball", "body4"]))
        self.assertEqual(arrays["joint_names"][2], ["swing", "joint2", "joint3"])
        self.assertEqual(arrays["geom_body"], ("<i4", (4,), [0, 1, 2, 3]))
        self.assertEqual(arrays["step_times"][1], (count, 7))
        contacts = [c for f in frames for c in f["contacts"]]
        self.assertEqual(arrays["contact_count"][2], [len(f["contacts"]) for f in frames])
        self.assertEqual(arrays["contact_start"][1], (count + 1,))
        self.assertEqual((arrays["contact_start"][2][0], arrays["contact_start"][2][-1]), (0, len(contacts)))
        self.assertGreater(len(contacts), 0)
        self.assertEqual(arrays["contact_geom"][1:], ((len(contacts), 2), [g - 1 for c in contacts for g in c["geoms"]]))
        self.assertEqual(arrays["contact_gap"][2], [c["gap"] for c in contacts])
        self.assertEqual(arrays["contact_force"][1:], ((len(contacts), 3), [x for c in contacts for x in c["force"]]))
        for name in ("pos", "normal"):
            for a, b in zip(arrays["contact_" + name][2], (x for c in contacts for x in c[name])):
                self.assertAlmostEqual(a, b, delta=1e-14)  # computed by both, of metre size
        self.assertEqual(arrays["qpos"][1:], ((count, cli.QPOS), [x for f in frames for x in f["state"][:cli.QPOS]]))
        self.assertEqual(arrays["qvel"][1], (count, cli.DOF))
        self.assertEqual(arrays["ctrl"][1], (count, cli.CTRL))
        names = [name for name, _ in scene["signals"]]
        for array, start, end in (("joints", 0, 4), ("sensors", 4, 8), ("actuators", 9, 10)):
            self.assertEqual(arrays[array + "_names"][2], names[start:end])
            self.assertEqual(arrays[array][1:], ((count, end - start), [x for f in frames for x in f["signals"][start:end]]))
        self.assertEqual(arrays["ctrl_names"][2], ["push.ctrl"])
        self.assertNotIn("points", arrays)

    def test_npz_leaves_out_what_was_not_recorded(self):
        self.record("--no-record-contacts", "--no-record-signals")
        self.tenon("export", "a.tnr", "-o", "a.npz")
        arrays = self.read_npz("a.npz")
        self.assertEqual([name for name in arrays if name.startswith(("contact", "q", "ctrl", "joints", "sens"))], [])

    def test_csv_has_one_line_per_frame(self):
        _, frames = tnr.read(self.record())
        self.tenon("export", "a.tnr", "-o", "a.CSV")
        rows = self.read_csv("a.CSV")
        self.assertEqual(rows[0][:8], ["time", "rod.x", "rod.y", "rod.z", "rod.qw", "rod.qx", "rod.qy", "rod.qz"])
        self.assertEqual(rows[0][15:17], ["body4.x", "body4.y"])
        self.assertEqual(rows[0][22:25], ["step", "contacts", "iterations"])
        self.assertEqual(len(rows), 1 + len(frames))
        for row, frame in zip(rows[1:], frames):
            self.assertEqual(len(row), len(rows[0]))
            self.assertEqual(float(row[0]), frame["time"])
            self.assertAlmostEqual(float(row[10]), frame["pos"][2][2], delta=1e-11)  # twelve digits
            self.assertEqual(int(row[22]), frame["step"])
            self.assertEqual(int(row[23]), len(frame["contacts"]))
            for name in ACCOUNT:
                self.assertEqual(float(row[rows[0].index(name + "_sum")]), frame[name])
            self.assertEqual(float(row[rows[0].index("total")]), frame["kinetic"] + frame["potential"])
            for name, value in zip(("swing.q0", "angle.s0", "push.force"), (frame["signals"][k] for k in (0, 4, 9))):
                self.assertAlmostEqual(float(row[rows[0].index(name)]), value, delta=1e-8 * max(1, abs(value)))  # nine digits

    def test_frames_can_be_chosen(self):
        self.record()
        for options, times in ((["--from", "0.2", "--to", "0.3"], [0.2, 0.22, 0.24, 0.26, 0.28, 0.3]),
                               (["--every", "10"], [0, 0.2, 0.4]),
                               (["--from", "0.1", "--every", "15"], [0.1, 0.4]),
                               (["--to", "0.03"], [0, 0.02])):
            self.tenon("export", "a.tnr", "-o", "a.csv", *options)
            found = [float(row[0]) for row in self.read_csv("a.csv")[1:]]
            self.assertEqual([round(t, 9) for t in found], times)
        self.refused("export", "a.tnr", "-o", "b.csv", "--from", "9", says=["covers 0 s to 0.5 s"])
        self.assertNotIn("b.csv", self.files())

    def test_a_cut_off_recording_is_exported_with_a_remark(self):
        path = self.record()
        os.truncate(path, os.path.getsize(path) - 1)
        _, err = self.tenon("export", "a.tnr", "-o", "a.csv")
        self.assertIn("cut off", err)
        self.assertEqual(len(self.read_csv("a.csv")), 17)

    def test_wrong_usage_is_refused_and_writes_nothing(self):
        self.record()
        before = self.files()
        self.refused("export", "a.tnr", says=["-o is missing"])
        self.refused("export", "a.tnr", "-o", "a.mp3", says=["a.mp3", ".npz"])
        self.refused("export", "a.tnr", "-o", ".csv", says=[".csv"])
        self.refused("export", "a.tnr", "-o", "a.pvd", says=["VTU needs surfaces or tubes"])
        self.refused("export", "nothing.tnr", "-o", "a.csv", code=4, says=["nothing.tnr: cannot be read"])
        self.refused("export", self.model, "-o", "a.csv", code=4, says=["is not a recording"])
        self.refused("export", "a.tnr", "-o", "small.xml/a.csv", code=4, says=["cannot be written"])
        os.rename(self.path("a.tnr"), self.path("a.csv"))
        self.refused("export", "a.csv", "-o", "./a.csv", says=["is the recording itself"])
        os.rename(self.path("a.csv"), self.path("a.tnr"))
        self.assertEqual(self.files(), before)

    def test_full_disk_leaves_the_old_file(self):
        self.record(duration=2)
        self.soft()

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))
        for recording, name in (("a.tnr", "a.npz"), ("a.tnr", "a.csv"), ("soft.tnr", "soft.pvd")):
            self.write(name, "old")
            before = self.files()
            done = subprocess.run([cli.PROGRAM, "export", recording, "-o", name], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, preexec_fn=limit, timeout=300)
            self.assertEqual(done.returncode, 4, name)
            self.assertIn(b"cannot be written", done.stderr)
            with open(self.path(name), encoding="utf-8") as file:
                self.assertEqual(file.read(), "old")
            self.assertEqual(self.files(), before)

    def test_points_of_a_cable_have_the_subsystem_of_the_segment_that_begins_there(self):
        with open(self.path("cable.xml"), "w", encoding="utf-8") as file:
            file.write('''<mujoco><extension><plugin plugin="mujoco.elasticity.cable"/></extension><worldbody>
                <composite type="cable" prefix="c" initial="free" curve="s" count="5 1 1" size="0.4" offset="0 0 1">
                <plugin plugin="mujoco.elasticity.cable"><config key="bend" value="1e5"/>
                <config key="twist" value="1e5"/></plugin><geom type="capsule" size="0.01"/></composite>
                <body pos="0 1 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>''')
        self.tenon("run", "cable.xml", "--duration", 0.02, "--quiet", "--record", "cable.tnr")
        scene = tnr.read(self.path("cable.tnr"))[0]
        segments = [subsystem for name, subsystem in scene["bodies"] if name.startswith("c")]
        self.assertEqual(len(segments), 4)
        self.assertEqual(scene["points"], segments + segments[-1:])
        self.assertEqual({subsystem for _, subsystem in scene["bodies"]}, {0, 1, 2})  # the world, the ball, the cable

    # ---- surfaces and tubes: no model has them yet, so the recording is written by hand ----

    POINTS = [k * 1000 + k % 7 for k in range(3 * 10)]  # in steps of 2^-20 m

    def soft(self):
        """A tube of three points, a soft tetrahedron of four, two triangles on three points."""
        tnr.write_soft(self.path("soft.tnr"), tubes=[(0, 3, 0.25)],
                       surfaces=[(3, 4, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], [[0, 1, 2, 3]]),
                                 (7, 3, [[0, 1, 2], [2, 1, 0]], [])],
                       subsystems=[1] * 3 + [2] * 4 + [3] * 3,
                       frames=[(0.5 * k, [x + k for x in self.POINTS]) for k in range(3)])

    def decode(self, array):
        data = base64.b64decode(array.text, validate=True)
        length, = struct.unpack("<Q", data[:8])
        self.assertEqual(length, len(data) - 8)
        form = {"Float32": "f", "Int32": "i", "Int64": "q", "UInt8": "B"}[array.get("type")]
        return list(struct.unpack(f"<{length // struct.calcsize(form)}{form}", data[8:]))

    def test_vtu_has_triangles_tetrahedra_and_polylines(self):
        self.soft()
        self.assertEqual(self.tenon("export", "soft.tnr", "-o", "new/s & s.pvd"), ("", ""))
        self.assertEqual(sorted(os.listdir(self.path("new"))), ["s & s", "s & s.pvd"])
        collection = xml.parse(self.path("new/s & s.pvd")).getroot()
        self.assertEqual(collection.get("type"), "Collection")
        sets = collection.findall("Collection/DataSet")
        self.assertEqual([float(s.get("timestep")) for s in sets], [0, 0.5, 1])
        for k, dataset in enumerate(sets):
            root = xml.parse(os.path.join(self.path("new"), dataset.get("file"))).getroot()
            self.assertEqual((root.get("type"), root.get("byte_order"), root.get("header_type")),
                             ("UnstructuredGrid", "LittleEndian", "UInt64"))
            piece = root.find("UnstructuredGrid/Piece")
            self.assertEqual((piece.get("NumberOfPoints"), piece.get("NumberOfCells")), ("10", "4"))
            points = self.decode(piece.find("Points/DataArray"))
            self.assertEqual(points, [(x + k) * 2.0 ** -20 for x in self.POINTS])
            arrays = {a.get("Name"): self.decode(a) for a in piece.iter("DataArray")}
            self.assertEqual(arrays["types"], [10, 5, 5, 4])
            self.assertEqual(arrays["offsets"], [4, 7, 10, 13])
            self.assertEqual(arrays["connectivity"], [3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 0, 1, 2])
            self.assertEqual(arrays["radius"], [0, 0, 0, 0.25])
            cells = {a.get("Name"): self.decode(a) for a in piece.findall("CellData/DataArray")}
            self.assertEqual(cells["subsystem"], [2, 3, 3, 1])
            self.assertEqual(self.decode(piece.find("PointData/DataArray")), [1] * 3 + [2] * 4 + [3] * 3)

    def test_vtu_replaces_its_own_frames_and_nothing_else(self):
        self.soft()
        self.tenon("export", "soft.tnr", "-o", "s.pvd")
        self.tenon("export", "soft.tnr", "-o", "s.pvd", "--every", "2")
        self.assertEqual(sorted(os.listdir(self.path("s"))), ["000000.vtu", "000001.vtu"])
        self.assertEqual(self.files(), ["s", "s.pvd", "small.xml", "soft.tnr"])
        self.write("s/notes.txt", "mine")
        before = self.files()
        self.refused("export", "soft.tnr", "-o", "s.pvd", code=4, says=["contains other files"])
        self.assertEqual(self.files(), before)
        self.assertIn("notes.txt", os.listdir(self.path("s")))

    def test_a_recording_of_version_1_0_has_no_account(self):
        self.soft()
        self.assertFalse(self.tenon_json("info", "soft.tnr")["has_account"])
        for name in ("s.npz", "s.csv", "s.html"):
            self.tenon("export", "soft.tnr", "-o", name)
        self.assertFalse({"elastic", "energy_account"} & set(self.read_npz("s.npz")))
        self.assertNotIn("created_sum", self.read_csv("s.csv")[0])
        with open(self.path("s.html"), encoding="utf-8") as file:
            self.assertNotIn('"account"', file.read().rpartition("tenon-head")[2])

    def test_npz_has_points(self):
        self.soft()
        self.tenon("export", "soft.tnr", "-o", "s.npz", "--to", "0.1")
        self.assertEqual(self.read_npz("s.npz")["points"], ("<f4", (1, 10, 3), [x * 2.0 ** -20 for x in self.POINTS]))


if __name__ == "__main__":
    pycheck.main()
