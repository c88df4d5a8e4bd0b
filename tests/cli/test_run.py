"""tenon run: table, JSON, CSV, what a failure leaves behind."""
import csv
import json
import math
import os
import pty
import signal
import subprocess
import time
import unittest
import zipfile
from unittest import mock

import cli
from cli import CliTest, pycheck
from test_record import read_npy

HEADER = ["time", "swing.q0", "swing.v0", "joint3.q0", "joint3.v0", "ball.x", "ball.y", "ball.z", "ball.qw", "ball.qx",
          "ball.qy", "ball.qz", "ball.vx", "ball.vy", "ball.vz", "ball.wx", "ball.wy", "ball.wz"]
SENSORS = ["angle.s0", "where.s0", "where.s1", "where.s2"]
SIGNALS = SENSORS + ["push.ctrl", "push.force"]
ACCOUNT = ["actuators", "applied", "friction", "damping", "impacts", "step_loss", "created"]
ENERGY = ["kinetic", "potential", "elastic", "total", *ACCOUNT, "created_sum", "created_share", "push_out", "unsolved",
          "corrected_energy", "corrected_px", "corrected_py", "corrected_pz"]
# two boxes, one in the other: parting them makes energy
OVERLAP = """<mujoco>
  <option timestep="0.002" gravity="0 0 0"/>
  <worldbody>
    <body name="heavy"><freejoint/><geom type="box" size="0.5 0.5 0.5" mass="50"/></body>
    <body name="light" pos="0.6 0 0"><freejoint/><geom type="box" size="0.5 0.5 0.5" mass="1"/></body>
  </worldbody>
</mujoco>
"""

# A weld that a spring and a hinge contradict.
WELD = """<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <body name="base" euler="-47 22 -23">
      <joint name="swing" type="hinge" axis="-0.3 0 0.1" frictionloss="0.2"/>
      <geom type="box" size="0.05 0.04 0.05" pos="0.05 0 0" density="1600"/>
      <body name="tip" pos="0.11 0 0" euler="-17 -53 -29">
        <joint type="hinge" axis="0 -0.15 0.2" stiffness="2.7" springref="-6"/>
        <geom type="box" size="0.06 0.05 0.05" pos="0.06 0 0"/>
      </body>
    </body>
  </worldbody>
  <equality>
    <weld body1="base" body2="tip" relpose="0.1 0 0 1 0 0 0"/>
  </equality>
</mujoco>
"""

SLIDE = """<mujoco>
  <tenon theta="1"/>
  <worldbody>
    <geom type="plane" size="5 5 1" friction="0.3"/>
    <body name="sled" pos="0 0 0.05"><freejoint/><geom type="box" size="0.2 0.2 0.05" friction="0.3"/></body>
  </worldbody>
  <keyframe><key name="start" qvel="1 0 0 0 0 0"/></keyframe>
</mujoco>
"""


class Run(CliTest):
    def read_csv(self, path):
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def test_table_names_all_figures(self):
        out, err = self.tenon("run", self.model, "--duration", "0.1")
        self.assertEqual(err, "")  # a pipe: no progress line
        for label in ("bodies", "degrees of freedom", "subsystems", "mean contacts", "mean step", "dynamics", "collision",
                      "constraint", "factor", "iterate", "integrate", "real-time factor", "AAc", "AA\u03bb",
                      "mean penetration", "max penetration", "diverged"):
            self.assertIn(label, out)

    def test_json_has_the_figures_and_the_hash(self):
        r = self.tenon_json("run", self.model, "--duration", "0.1", "--iterations", "25", "--threads", "2")
        self.assertEqual((r["bodies"], r["dof"], r["subsystems"], r["steps"]), (3, cli.DOF, 3, 10))
        self.assertEqual((r["iterations"], r["threads"], r["diverged"]), (25, 2, False))
        self.assertEqual(r["name"], 'small \\"one"')
        self.assertRegex(r["state_hash"], r"^[0-9a-f]{16}$")
        for key in ("contacts_mean", "step_ms_mean", "dynamics_ms_mean", "collision_ms_mean", "constraint_ms_mean",
                    "factor_ms_mean", "iterate_ms_mean", "integrate_ms_mean", "real_time_factor", "penetration_mean_m",
                    "penetration_max_m", "aac", "aal"):
            self.assertIn(key, r)
        self.assertGreater(r["contacts_mean"], 0)

    def test_the_instruction_set_can_be_chosen(self):
        options = ("run", self.model, "--duration", "0.1")
        portable = self.tenon_json(*options, "--isa", "portable")
        self.assertEqual(portable["instruction_set"], "portable")
        with mock.patch.dict(os.environ, TENON_ISA="portable"):
            by_environment = self.tenon_json(*options)
        self.assertEqual(by_environment["instruction_set"], "portable")
        self.assertEqual(by_environment["state_hash"], portable["state_hash"])
        with mock.patch.dict(os.environ, TENON_ISA="sse9"):
            self.assertIn("expected best, portable, avx2 or avx512", self.refused(*options))

    def test_substeps_are_parts_of_the_same_steps(self):
        whole, parts = (self.tenon_json("run", self.model, "--duration", "0.1", *more) for more in ((), ("--substeps", "4")))
        self.assertEqual((whole["substeps"], parts["substeps"]), (1, 4))
        for key in ("steps", "timestep", "simulated_s"):
            self.assertEqual(parts[key], whole[key])
        self.assertNotEqual(parts["state_hash"], whole["state_hash"])
        out, _ = self.tenon("run", self.model, "--duration", "0.1", "--substeps", "4")
        self.assertRegex(out, r"sub-steps of each +4")

    def test_accuracy_in_time_is_asked_for_and_told(self):
        run = ("run", self.model, "--duration", "0.1")
        none, some = self.tenon_json(*run), self.tenon_json(*run, "--accuracy", "1e-4")
        self.assertEqual((none["parts_mean"], none["time_error_max"], none["inaccurate_steps"]), (1, None, 0))
        self.assertGreaterEqual(some["parts_mean"], 2)
        self.assertLessEqual(some["shortest_part_s"], 0.5 * some["timestep"])
        self.assertLessEqual(some["time_error_mean"], some["time_error_max"])
        self.assertEqual(some["inaccurate_steps"] > 0, some["time_error_max"] > 1e-4)
        out, _ = self.tenon(*run, "--accuracy", "1e-4")
        self.assertRegex(out, r"error in time +\S+ m/s in the mean")
        self.assertNotIn("error in time", self.tenon(*run)[0])
        for wrong in ("-1", "nan", "much"):
            self.assertIn("--accuracy", self.refused(*run, "--accuracy", wrong))

    def test_what_was_done_again_is_told_by_its_name(self):
        run = ("run", self.model, "--duration", "0.1", "--passes", "3")
        steps = self.tenon_json(*run)["steps"]
        self.assertEqual(self.tenon_json(*run)["passes"], {"fixed passes": {"asked": 2 * steps, "repeated": 2 * steps, "worst": 1}})
        out, _ = self.tenon(*run)
        self.assertRegex(out, rf"done again +because of\n +fixed passes +{2 * steps} of {2 * steps} times\n")
        self.assertEqual(self.tenon_json("run", self.model, "--duration", "0.1")["passes"], {})

    def test_old_names_of_passes_work_with_a_message(self):
        options = ("run", self.model, "--duration", "0.1", "--json")
        new, _ = self.tenon(*options, "--passes", "2")
        old, err = self.tenon(*options, "--relinearize", "2")
        self.assertEqual(json.loads(old)["state_hash"], json.loads(new)["state_hash"])
        self.assertIn("--relinearize is now --passes", err)
        _, err = self.tenon("run", self.model, "--duration", "0.01", "--spread")
        self.assertIn("--spread is now --decompose", err)
        self.assertNotEqual(json.loads(new)["state_hash"], self.tenon_json(*options)["state_hash"])
        for name in ("relinearize", "tree_passes"):
            path = self.write(f"{name}.xml", cli.MODEL.replace("<worldbody>", f'<tenon {name}="7"/><worldbody>'))
            self.assertEqual(self.tenon_json("info", path)["option"]["tree_passes"], 7)
        out, err = self.tenon("validate", os.path.join(self.folder, "relinearize.xml"))
        self.assertIn("relinearize is now tree_passes", out + err)

    def test_accuracy_is_null_where_not_measured(self):
        r = self.tenon_json("run", self.model, "--duration", "0.1", "--no-accuracy")
        self.assertIsNone(r["aac"])
        self.assertIsNone(r["aal"])

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.tenon("run", self.model, "--duration", "0.05", "--quiet"), ("", ""))

    def test_two_runs_have_the_same_hash_and_record_the_same_bytes(self):
        first = self.tenon_json("run", self.model, "--duration", "0.2", "--csv", "a.csv")
        second = self.tenon_json("run", self.model, "--duration", "0.2", "--csv", "b.csv", "--threads", "2")
        self.assertEqual(first["state_hash"], second["state_hash"])
        with open(os.path.join(self.folder, "a.csv"), "rb") as a, open(os.path.join(self.folder, "b.csv"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_solver_options_change_the_result(self):
        hashes = {self.tenon_json("run", self.model, "--duration", "0.3", *options)["state_hash"]
                  for options in ([], ["--key", "up"], ["--duration", "0.4"])}
        self.assertEqual(len(hashes), 3)

    def test_iterations_alone_are_a_fixed_count_and_with_a_tolerance_the_most(self):
        how = ("run", self.model, "--duration", "0.1")
        fixed = self.tenon_json(*how, "--iterations", "25")
        self.assertEqual((fixed["tolerance"], fixed["iterations"], fixed["iterations_mean"]), (0, 25, 25))
        self.assertEqual((fixed["error_max"], fixed["worst_step"], fixed["islands_mean"]), (None, None, None))
        self.assertEqual(self.tenon_json(*how, "--iterations", "5", "--solver", "pgs")["form"], "matrix-free on velocities")
        same = self.tenon_json(*how, "--iterations", "25", "--method", "subadmm", "--tolerance", "0")
        self.assertEqual(same["state_hash"], fixed["state_hash"])
        self.assertEqual(self.tenon_json(*how, "--solver", "subadmm", "--iterations", "25")["state_hash"],
                         fixed["state_hash"])
        for name in ("assembled", "fadmm"):  # two names of one solver, with a fixed count as well
            r = self.tenon_json(*how, "--solver", name, "--iterations", "25")
            self.assertEqual((r["solver"], r["tolerance"], r["iterations_mean"]), ("assembled", 0, 25))
        most = self.tenon_json(*how, "--iterations", "25", "--tolerance", "1e-3")
        self.assertEqual((most["tolerance"], most["iterations"], most["method"]), (1e-3, 25, "auto"))
        self.assertIsNotNone(most["error_max"])

    def test_a_tolerance_is_kept_and_what_ran_is_told(self):
        how = ("run", self.model, "--duration", "0.3", "--tolerance", "1e-6")
        r = self.tenon_json(*how)
        self.assertLess(r["error_max"], 1e-6)
        self.assertEqual((r["unconverged_steps"], r["method"], r["sleep"]), (0, "auto", "off"))
        self.assertEqual((r["worst_step"] is None), r["error_max"] == 0)  # a ball alone is solved exactly
        pinched = self.tenon_json("run", cli.ROOT + "/scenes/pinch.xml", "--duration", "0.3")
        self.assertTrue(1 <= pinched["worst_step"] <= 30 and 0 < pinched["error_max"] < 1e-6)
        self.assertIn("contact of geom", pinched["worst_constraint"])
        self.assertAlmostEqual(sum(r["islands_by_method"].values()), 30 * r["islands_mean"], delta=1e-9)
        self.assertEqual(sum(r["islands_by_reason"].values()), sum(r["islands_by_method"].values()))
        self.assertGreater(r["islands_mean"], 0)
        out, err = self.tenon(*how)
        self.assertEqual(err, "")
        for part in (r"mean islands +[\d.]+\n", r"solved by +[\d.]+ % ", r"largest error .* tolerance 1e-06\n",
                     r"steps not converged +0 of 30\n"):
            self.assertRegex(out, part)
        self.assertNotIn("asleep", out)
        self.assertIn("mean asleep", self.tenon(*how, "--sleep", "passive")[0])

    def test_a_missed_tolerance_names_the_constraint_and_is_code_0(self):
        # one iteration is not enough for the ball's first touch
        how = ("run", self.model, "--duration", "0.1", "--method", "subadmm", "--iterations", "1", "--tolerance", "1e-14")
        r = self.tenon_json(*how)
        self.assertTrue(0 < r["unconverged_steps"] <= 10)
        self.assertGreaterEqual(r["error_max"], 1e-14)
        line = r"steps not converged:? +\d+ of 10, worst [\d.e-]+ at step \d+: contact of geom .* with geom "
        self.assertRegex(self.tenon(*how)[0], line)
        out, err = self.tenon(*how, "--quiet")
        self.assertEqual(out, "")
        self.assertRegex(err, line)

    def test_steps_that_nothing_solves_are_warned_of_by_name(self):
        model = os.path.join(self.folder, "torn.xml")
        with open(model, "w") as file:
            file.write("<mujoco><worldbody><body name='torn'><freejoint/><geom size='.1'/></body></worldbody><equality>"
                       "<weld name='here' body1='torn' relpose='0 0 1 1 0 0 0'/>"
                       "<weld name='there' body1='torn' relpose='0 0 -1 1 0 0 0'/></equality></mujoco>")
        out, err = self.tenon("run", model, "--duration", "0.1", "--quiet")
        self.assertRegex(err, r"do not trust this run: \d+ of \d+ steps .*'(here|there)'")
        r = self.tenon_json("run", model, "--duration", "0.1")
        self.assertGreater(r["rough_steps"], 0)
        _, err = self.tenon("run", model, "--duration", "0.1")
        for said in (r["worst_constraint"], r["worst_help"]):
            self.assertIn(said, err)
        self.assertEqual(self.tenon_json("run", self.model, "--duration", "0.1")["rough_steps"], 0)

    def test_csv_of_a_run_with_a_tolerance_tells_what_the_solver_did(self):
        self.tenon("run", self.model, "--duration", "0.1", "--tolerance", "1e-6", "--csv", "out.csv")
        rows = self.read_csv(os.path.join(self.folder, "out.csv"))
        self.assertEqual(rows[0], HEADER + ENERGY + ["error", "islands", "started", "subadmm", "assembled", "newton",
                                            "pgs", "interior", "proximal", "small", "asleep"] + SIGNALS)
        for row in rows[1:]:
            error, islands, *by_method, asleep = map(float, row[len(HEADER + ENERGY):-len(SIGNALS)])
            self.assertLess(error, 1e-6)
            self.assertEqual(islands, sum(by_method))
            self.assertEqual(asleep, 0)

    def test_csv_has_the_columns_of_joints_then_free_bodies(self):
        self.tenon("run", self.model, "--duration", "0.1", "--tolerance", "0", "--csv", "new/folder/out.csv")
        rows = self.read_csv(os.path.join(self.folder, "new", "folder", "out.csv"))
        self.assertEqual(rows[0], HEADER + ENERGY + SIGNALS)
        self.assertEqual(len(rows), 11)
        for k, row in enumerate(rows[1:], 1):
            self.assertEqual(len(row), len(HEADER + ENERGY + SIGNALS))
            # time is a sum of k steps: k roundings of 1e-16
            self.assertAlmostEqual(float(row[0]), 0.01 * k, delta=1e-14)

    def energies(self, *arguments):
        """Lines of a run's CSV, as dictionaries of numbers."""
        self.tenon("run", *arguments, "--quiet", "--csv", "energy.csv")
        head, *rows = self.read_csv(os.path.join(self.folder, "energy.csv"))
        return [dict(zip(head, map(float, row))) for row in rows]

    def test_csv_accounts_for_the_energy_of_each_step(self):
        rows = self.energies(self.model, "--duration", "0.3", "--key", "up")
        created = 0
        for before, row in zip(rows, rows[1:]):
            made = (row["actuators"] + row["applied"] + row["push_out"] - row["friction"] - row["damping"] -
                    row["impacts"] - row["step_loss"] - row["unsolved"] + row["created"])
            self.assertAlmostEqual(row["total"] - before["total"], made, delta=1e-12)  # of 20 J
            self.assertEqual(row["total"], row["kinetic"] + row["potential"])
        for row in rows:
            created += row["created"]
            self.assertEqual((row["created_sum"], row["created_share"]), (created, 0))

    def test_json_has_the_account_of_energy(self):
        how = (self.model, "--duration", "0.3")
        rows, r = self.energies(*how), self.tenon_json("run", *how)
        for name in ACCOUNT + ["push_out", "unsolved"]:
            key = f"energy_{name.replace('_loss', '')}_J"
            self.assertAlmostEqual(r[key], sum(row[name] for row in rows), delta=1e-12)
        for name in ("kinetic", "potential", "elastic"):
            self.assertEqual(r[f"energy_{name}_J"], rows[-1][name])
        change = (r["energy_actuators_J"] + r["energy_applied_J"] + r["energy_push_out_J"] - r["energy_friction_J"] -
                  r["energy_damping_J"] - r["energy_impacts_J"] - r["energy_step_J"] - r["energy_unsolved_J"] +
                  r["energy_created_J"])
        self.assertAlmostEqual(r["energy_change_J"], change, delta=1e-12)
        self.assertEqual((r["energy_created_share_max"], r["energy_wrong_steps"]), (0, 0))
        self.assertEqual((r["energy_created_step"], r["energy_created_at"]), (None, None))
        out, _ = self.tenon("run", *how)
        for part in (r"energy +[\d.]+ J kinetic, [\d.]+ J potential\n", r"work +\S+ J actuators, ", r"losses +\S+ J friction, ",
                     r"created +\S+ J\n"):
            self.assertRegex(out, part)

    def test_energy_from_nowhere_is_told_once_and_code_1_only_where_asked(self):
        how = (self.write("weld.xml", WELD), "--duration", "0.25", "--tolerance", "0", "--iterations", "1", "--halvings", "0")
        line = (r"^tenon run: energy was created: \d+ of 50 steps created more than 1 % of the energy involved, "
                r"most at step \d+ \([\d.]+ s\): [\d.]+ % at body 'base' \(joint 'swing'\)\n$")
        for options, code in (([], 0), (["--strict-energy"], 1), (["--quiet", "--strict-energy"], 1)):
            out, err = self.tenon("run", *how, *options, code=code)
            self.assertRegex(err, line)
            self.assertEqual("around body 'base'" in out, "--quiet" not in options)
        r = self.tenon_json("run", *how, "--strict-energy", code=1)
        self.assertGreater(r["energy_created_J"] + r["energy_push_out_J"], 0)  # what closes a weld counts as push-out
        self.assertTrue(0.01 < r["energy_created_share_max"] <= 1)
        self.assertTrue(1 <= r["energy_wrong_steps"] <= 50 and 1 <= r["energy_created_step"] <= 50)
        self.assertEqual((r["energy_created_at"], r["diverged"]), ("body 'base' (joint 'swing')", False))
        self.assertEqual(self.tenon("run", self.model, "--duration", "0.1", "--quiet", "--strict-energy"), ("", ""))

    def test_what_pushes_overlaps_apart_and_who_lost_most_is_told(self):
        model = self.write("overlap.xml", OVERLAP)
        out, err = self.tenon("run", model, "--duration", "0.1", "--strict-energy")
        self.assertEqual(err, "")
        self.assertRegex(out, r"work +0 J actuators, 0 J applied forces, [\d.]+ J push-out\n")
        r = self.tenon_json("run", model, "--duration", "0.1")
        self.assertGreater(r["energy_push_out_J"], 0)
        self.assertAlmostEqual(r["energy_push_out_J"] - r["energy_step_J"], r["energy_kinetic_J"] - r["energy_created_J"],
                               delta=1e-9)  # of 1.3 J: some of it rubs
        floor = self.write("floor.xml", SLIDE)
        r = self.tenon_json("run", floor, "--duration", "0.1", "--key", "start")
        self.assertEqual(r["energy_step_most_at"], "body 'sled'")
        self.assertAlmostEqual(r["energy_step_most_J"], r["energy_step_J"], delta=1e-12)
        out, _ = self.tenon("run", floor, "--duration", "0.1", "--key", "start")
        self.assertRegex(out, r"step +most, [\d.]+ J, at body 'sled'\n")

    def test_csv_has_forces_and_sensors_where_asked_for(self):
        self.tenon("run", self.model, "--duration", "0.1", "--tolerance", "0", "--csv", "out.csv", "--forces", "--sensors")
        rows = self.read_csv(os.path.join(self.folder, "out.csv"))
        forces = [joint + part for joint in ("swing", "joint3") for part in (".fx", ".fy", ".fz", ".tx", ".ty", ".tz")]
        self.assertEqual(rows[0], HEADER + ENERGY + forces + SIGNALS)
        last = dict(zip(rows[0], map(float, rows[-1])))
        self.assertEqual(len(rows[-1]), len(rows[0]))
        self.assertAlmostEqual(last["joint3.fz"], 3 * 9.81, delta=1e-9)
        self.assertAlmostEqual(last["swing.ty"], 0, delta=1e-3)  # nothing drives it; second order
        self.assertEqual(last["angle.s0"], last["swing.q0"])
        self.refused("run", self.model, "--forces", says=["--forces", "--csv"])

    def test_log_chooses_the_columns_and_the_steps(self):
        how = ("run", self.model, "--duration", "0.1", "--quiet", "--csv", "out.csv")
        for what, columns in (("joints", HEADER), ("ctrl,sensors", ["time"] + SENSORS + ["push.ctrl"]),
                              ("energy", ["time"] + ENERGY), ("actuators", ["time", "push.force"])):
            self.tenon(*how, "--log", what)
            self.assertEqual(self.read_csv(os.path.join(self.folder, "out.csv"))[0], columns)
        self.tenon(*how, "--log", "bodies", "--log-every", "4")
        rows = self.read_csv(os.path.join(self.folder, "out.csv"))
        self.assertEqual([name.split(".")[0] for name in rows[0][1::13]], ["rod", "ball", "body4"])
        self.assertEqual([round(float(row[0]), 9) for row in rows[1:]], [0.04, 0.08])
        last = dict(zip(rows[0], map(float, rows[-1])))
        # the rod's centre of mass is half a metre from the hinge: v = w r
        self.assertAlmostEqual(math.hypot(last["rod.vx"], last["rod.vz"]), 0.5 * last["rod.wy"], delta=1e-12)
        self.refused("run", self.model, "--csv", "x.csv", "--log", "joint", says=["'joint' is not a group", "joints"])
        self.refused("run", self.model, "--log", "joints", says=["--log needs --csv FILE or --npz FILE"])

    def test_actuator_forces_are_those_of_the_controls(self):
        model = self.write("servo.xml", cli.MODEL.replace("<motor ", '<position kp="3" ').replace(
            'qpos="-1.5', 'ctrl="0.5" qpos="-1.5'))
        self.tenon("run", model, "--duration", "0.1", "--key", "up", "--quiet", "--csv", "out.csv", "--log", "all")
        head, *rows = self.read_csv(os.path.join(self.folder, "out.csv"))
        for row in rows:
            now = dict(zip(head, map(float, row)))
            self.assertEqual(now["push.ctrl"], 0.5)
            # a servo with gain 3 and gear 2 on the angle after the step
            self.assertAlmostEqual(now["push.force"], 3 * (0.5 - 2 * now["swing.q0"]), delta=1e-12)

    def test_activations_are_logged(self):
        model = self.write("filter.xml", cli.MODEL.replace('<motor name="push" joint="swing" gear="2"/>',
                           '<general name="push" joint="swing" dyntype="filter" dynprm="0.1"/>').replace(
                           '<key name="up"', '<key name="up" ctrl="1"'))
        self.tenon("run", model, "--duration", "0.1", "--key", "up", "--quiet", "--csv", "out.csv", "--log", "actuators")
        head, *rows = self.read_csv(os.path.join(self.folder, "out.csv"))
        self.assertEqual(head, ["time", "push.force", "push.act"])
        for k, row in enumerate(rows, 1):
            # explicit steps of 0.01 s towards the control 1 with 0.1 s
            self.assertAlmostEqual(float(row[2]), 1 - 0.9 ** k, delta=1e-12)

    def test_csv_on_stdout_is_alone_there(self):
        self.tenon("run", self.model, "--duration", "0.1", "--csv", "out.csv", "--quiet")
        with open(os.path.join(self.folder, "out.csv"), encoding="utf-8") as file:
            wanted = file.read()
        out, err = self.tenon("run", self.model, "--duration", "0.1", "--csv", "-")
        self.assertEqual(out, wanted)
        self.assertIn("mean step", err)
        self.assertEqual(self.tenon("run", self.model, "--duration", "0.1", "--csv", "-", "--quiet"), (wanted, ""))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "-")))
        self.refused("run", self.model, "--csv", "-", "--json", says=["--csv - and --json"])
        self.refused("run", self.model, "--npz", "-", says=["--npz needs a file"])

    def test_npz_has_the_numbers_and_names_of_the_csv(self):
        self.tenon("run", self.model, "--duration", "0.1", "--quiet", "--csv", "out.csv", "--npz", "new/out.npz", "--log", "all")
        head, *rows = self.read_csv(os.path.join(self.folder, "out.csv"))
        with zipfile.ZipFile(os.path.join(self.folder, "new", "out.npz")) as archive:
            self.assertIsNone(archive.testzip())
            arrays = {name[:-4]: read_npy(archive.read(name)) for name in archive.namelist()}
        self.assertEqual(os.listdir(os.path.join(self.folder, "new")), ["out.npz"])
        self.assertEqual(arrays["time"][1:], ((10,), [float(row[0]) for row in rows]))
        found = ["time"]
        for group in ("joints", "energy", "solver", "forces", "sensors", "ctrl", "actuators", "bodies"):
            names = arrays[group + "_names"][2]
            start, found = len(found), found + names
            numbers = [float(x) for row in rows for x in row[start:start + len(names)]]
            self.assertEqual(arrays[group][1:], ((10, len(names)), numbers))
        self.assertEqual(found, head)

    def test_npz_appears_only_when_it_is_whole(self):
        self.write("file", "")
        self.refused("run", self.model, "--npz", "file/out.npz", code=4, says=["tenon run: ", "cannot be written"])
        self.refused("run", self.model, "--npz", "small.xml", says=["is the model itself"])
        self.refused("run", self.model, "--npz", "a", "--csv", "a", says=["is the CSV file"])
        self.refused("run", self.model, "--npz", "a", "--record", "a", says=["is the NPZ file"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["file", "small.xml"])

    def test_csv_numbers_keep_all_their_digits(self):
        self.tenon("run", self.model, "--duration", "0.1", "--csv", "out.csv")
        row = self.read_csv(os.path.join(self.folder, "out.csv"))[-1]
        self.assertGreaterEqual(max(len(x.replace(".", "").lstrip("-0")) for x in row), 16)
        angle = float(row[HEADER.index("swing.q0")])
        self.assertEqual(f"{angle:.17g}", row[HEADER.index("swing.q0")])

    def test_csv_follows_the_motion(self):
        self.tenon("run", self.model, "--duration", "0.2", "--csv", "out.csv")
        row = self.read_csv(os.path.join(self.folder, "out.csv"))[-1]
        # a rod held sideways at 0.5 m falls with about g / 0.5 m: 0.5 * 19.6 * 0.2 ** 2 = 0.39 rad, a little less with inertia
        self.assertAlmostEqual(float(row[HEADER.index("swing.q0")]), 0.39, delta=0.03)
        self.assertAlmostEqual(float(row[HEADER.index("ball.z")]), 0.1, delta=1e-3)  # it rests
        self.assertEqual(float(row[HEADER.index("joint3.q0")]), 0)  # nothing pushes it

    def test_names_with_commas_are_quoted(self):
        model = self.write("comma.xml", cli.MODEL.replace('name="ball"', 'name="a,b"').replace('objname="ball"',
                                                                                            'objname="a,b"'))
        self.tenon("run", model, "--duration", "0.02", "--csv", "out.csv")
        rows = self.read_csv(os.path.join(self.folder, "out.csv"))
        self.assertEqual(rows[0][5], "a,b.x")
        self.assertEqual(len(rows[1]), len(rows[0]))

    def test_key_sets_the_start(self):
        self.tenon("run", self.model, "--duration", "0.01", "--key", "up", "--csv", "out.csv")
        row = self.read_csv(os.path.join(self.folder, "out.csv"))[-1]
        self.assertAlmostEqual(float(row[HEADER.index("joint3.q0")]), 0.25, delta=1e-12)
        self.refused("run", self.model, "--key", "down", says=["no key 'down'", "'up'"])

    def test_duration_rounds_up_to_whole_steps(self):
        for duration, steps in (("0.001", 1), ("0.01", 1), ("0.011", 2), ("0.07", 7), ("0.3", 30)):
            self.assertEqual(self.tenon_json("run", self.model, "--duration", duration)["steps"], steps)

    def test_failure_leaves_no_csv(self):
        bad = self.write("bad.xml", "<mujoco><worldbody><nonsense/></worldbody></mujoco>")
        self.refused("run", bad, "--csv", "sub/out.csv", code=3, says=["bad.xml:1"])
        self.refused("run", self.model, "--threads", "0", "--csv", "sub/out.csv")
        self.refused("run", self.model, "--key", "down", "--csv", "sub/out.csv")
        self.refused("run", "missing.xml", "--csv", "sub/out.csv", code=4, says=["missing.xml", "cannot be read"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "sub")))

    def test_recording_over_the_model_is_refused(self):
        os.link(self.model, os.path.join(self.folder, "same.xml"))
        for path in (self.model, "same.xml"):
            self.refused("run", self.model, "--csv", path, says=["is the model itself"])
        with open(self.model, encoding="utf-8") as file:
            self.assertEqual(file.read(), cli.MODEL)

    def test_divergence_keeps_the_last_good_state_and_is_code_1(self):
        # the first step's speed is beyond the largest double
        wild = self.write("wild.xml", cli.MODEL.replace('timestep="0.01"', 'timestep="1e300"'))
        out, err = self.tenon("run", wild, "--duration", "1", "--csv", "out.csv", code=1)
        self.assertIn("diverged", err)
        self.assertIn("yes, at 0 s", out)
        self.assertEqual(len(self.read_csv(os.path.join(self.folder, "out.csv"))), 1)
        r = self.tenon_json("run", wild, "--duration", "1", code=1)
        self.assertEqual((r["diverged"], r["simulated_s"]), (True, 0))
        self.assertEqual((r["energy_change_J"], r["energy_created_J"]), (0, 0))

    def test_a_state_beyond_sense_is_divergence(self):
        # finite, but 4e9 m/s after the first step, 1.2e10 m/s after the third
        far = self.write("far.xml", OVERLAP.replace('0.002" gravity="0 0 0"', '0.01" gravity="0 0 -4e11"'))
        r = self.tenon_json("run", far, "--duration", "1", code=1)
        self.assertEqual((r["diverged"], r["simulated_s"]), (True, 0.02))
        self.assertRegex(r["diverged_at"], "^body ")
        self.assertIn("not be finite", r["diverged_why"])
        _, err = self.tenon("run", far, "--duration", "1", code=1)
        for said in (r["diverged_at"], r["diverged_why"], r["diverged_help"]):
            self.assertIn(said, err)

    def on_a_terminal(self, *arguments):
        """What the program writes to a terminal that is its stderr."""
        try:
            master, terminal = pty.openpty()
        except OSError as problem:
            self.skipTest(f"there is no terminal: {problem}")
        process = subprocess.Popen([cli.PROGRAM, "run", self.model, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        text, ended = b"", False
        while not ended:
            try:
                part = os.read(master, 4096)
            except OSError:  # Linux reports the closed other end so
                part = b""
            text, ended = text + part, not part
            if b"ETA" in text and process.poll() is None:
                process.send_signal(signal.SIGINT)  # seen what we came for
        process.wait(timeout=60)
        os.close(master)
        return text.decode()

    def test_terminal_gets_a_progress_line_unless_quiet(self):
        text = self.on_a_terminal("--duration", "1000000")
        self.assertRegex(text, r"\[[#.]+\] +\d+ % .* ETA \d+ s +[\d.]+x real time")
        self.assertEqual(self.on_a_terminal("--duration", "0.05", "--quiet"), "")

    def test_folder_as_model_cannot_be_read(self):
        self.refused("run", self.folder, code=4, says=["cannot be read"])

    def test_unwritable_csv_is_an_io_error(self):
        self.write("file", "")
        self.refused("run", self.model, "--duration", "0.02", "--csv", "file/out.csv", code=4, says=["cannot be written"])
        os.mkdir(os.path.join(self.folder, "dir"))
        self.refused("run", self.model, "--duration", "0.02", "--csv", "dir", code=4, says=["cannot be written"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_full_disk_is_an_io_error(self):
        # short enough to fit the stream's buffer, and long enough not to
        for duration in ("0.02", "3"):
            self.refused("run", self.model, "--duration", duration, "--csv", "/dev/full", code=4,
                         says=["/dev/full", "No space left"])
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([cli.PROGRAM, "run", self.model, "--duration", "0.02"], stdout=full,
                                  stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"cannot be written", done.stderr)

    def test_interrupt_ends_with_the_table_and_code_130(self):
        process = subprocess.Popen([cli.PROGRAM, "run", self.model, "--duration", "1000000", "--csv", "long.csv"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder)
        recording = os.path.join(self.folder, "long.csv")
        # once the recording has a size, the handler is in place
        deadline = time.monotonic() + 60
        while not (os.path.exists(recording) and os.path.getsize(recording)) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("mean step", out.decode())
        rows = self.read_csv(recording)
        self.assertEqual(len(rows[-1]), len(rows[0]))  # the last line is whole


if __name__ == "__main__":
    pycheck.main()
