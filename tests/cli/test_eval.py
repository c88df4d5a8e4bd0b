"""tenon eval and tenon info: the model at one state, compared with what one can work out by hand."""
import math

import cli
from cli import CliTest, pycheck

# the bob of MODEL: 2 kg, radius 5 cm, half a metre from the hinge
BOB_INERTIA = 2 * (0.5 ** 2 + 0.4 * 0.05 ** 2)


class Eval(CliTest):
    def poses(self, r):
        return {body["name"]: body for body in r["body_poses"]}

    def test_reference_pose_is_the_default(self):
        r = self.tenon_json("eval", self.model)
        self.assertEqual([body["name"] for body in r["body_poses"]], ["world", "rod", "ball", "body4"])
        self.assertEqual(self.poses(r)["ball"]["pos"], [2, 0, 0.1])
        self.assertEqual(self.poses(r)["ball"]["quat"], [1, 0, 0, 0])
        self.assertEqual(r["qvel"], [0] * cli.DOF)

    def test_mass_matrix_is_that_of_a_pendulum_a_ball_and_a_slider(self):
        m = self.tenon_json("eval", self.model)["mass_matrix"]
        self.assertEqual([len(row) for row in m], [cli.DOF] * cli.DOF)
        expected = [BOB_INERTIA] + [1] * 3 + [0.4 * 0.1 ** 2] * 3 + [3]
        for i in range(cli.DOF):
            for j in range(cli.DOF):
                # a few roundings of numbers of order one
                self.assertAlmostEqual(m[i][j], expected[i] if i == j else 0, delta=1e-12)

    def test_bias_is_gravity_at_rest(self):
        bias = self.tenon_json("eval", self.model, "--qpos", "0.3,2,0,0.1,1,0,0,0,0")["bias"]
        # the hinge's axis is +y and the bob points to +x: gravity turns it by +m g l cos q, bias is what holds it
        self.assertAlmostEqual(bias[0], -2 * 9.81 * 0.5 * math.cos(0.3), delta=1e-12)
        self.assertAlmostEqual(bias[3], 9.81, delta=1e-12)

    def test_actuator_and_sensors_are_evaluated(self):
        r = self.tenon_json("eval", self.model, "--qpos", "0.3,2,1,0.1,1,0,0,0,0", "--ctrl", "1.5")
        self.assertEqual([s["name"] for s in r["sensors"]], ["angle", "where"])
        self.assertEqual(r["sensors"][0]["value"], [0.3])
        self.assertEqual(r["sensors"][1]["value"], [2, 1, 0.1])
        self.assertEqual(r["actuator_force"], [1.5])

    def test_forces_are_those_of_one_step(self):
        r = self.tenon_json("eval", self.model, "--qpos", "0,2,0,0.1,1,0,0,0,0", "--forces")["forces"]
        joints = {joint["name"]: joint for joint in r["joints"]}
        self.assertEqual(sorted(joints), ["joint3", "swing"])
        self.assertEqual([body["name"] for body in r["bodies"]], ["rod", "body4"])
        self.assertEqual(r["equalities"], [])
        self.assertAlmostEqual(joints["joint3"]["force"][2], 3 * 9.81, delta=1e-12)  # the slider is across
        # let go from the horizontal: what is left of the weight, 1 - m l^2 / I; a step of 10 ms turns by (g/l) t^2 / 2
        left = 2 * 9.81 * (1 - 2 * 0.5 ** 2 / BOB_INERTIA)
        self.assertAlmostEqual(joints["swing"]["force"][2], left, delta=1e-3 * 2 * 9.81)
        self.assertIn("forces of joints", self.tenon("eval", self.model, "--forces")[0])
        self.assertNotIn("forces", self.tenon_json("eval", self.model))

    def test_force_sensors_need_a_step(self):
        text = cli.MODEL.replace('pos="0.5 0 0" mass="2"/>', 'pos="0.5 0 0" mass="2"/><site name="s" pos="0.1 0 0"/>')
        text = text.replace("<sensor>", '<sensor><force site="s" name="f"/><torque site="s" name="t"/>'
                            '<actuatorfrc actuator="push"/><jointactuatorfrc joint="swing"/>')
        model = self.write("sensors.xml", text)
        bare = {s["name"]: s["value"] for s in self.tenon_json("eval", model, "--ctrl", "1.5")["sensors"]}
        self.assertEqual(bare["f"], [None] * 3)
        # the bob hangs straight down at a quarter turn; the site's x is down
        hanging = str(math.pi / 2) + ",2,0,0.1,1,0,0,0,0"
        r = self.tenon_json("eval", model, "--forces", "--qpos", hanging, "--ctrl", "0")
        told = [s["value"] for s in r["sensors"]]
        for x, y in zip(told[0] + told[1], [-2 * 9.81, 0, 0, 0, 0, 0]):
            self.assertAlmostEqual(x, y, delta=1e-9)
        r = self.tenon_json("eval", model, "--ctrl", "1.5")
        self.assertEqual([s["value"] for s in r["sensors"]][2:4], [[1.5], [3.0]])

    def test_lists_may_be_separated_by_commas_or_blanks(self):
        numbers = ["-0.5", "2", "0", "1e-1", "1", "0", "0", "0", ".25"]
        forms = [["--qpos", ",".join(numbers)], ["--qpos", " ".join(numbers)], ["--qpos=" + ", ".join(numbers)],
                 ["--qpos", *numbers]]
        results = [self.tenon_json("eval", self.model, *form) for form in forms]
        self.assertEqual(results[0]["qpos"], [-0.5, 2, 0, 0.1, 1, 0, 0, 0, 0.25])
        for other in results[1:]:
            self.assertEqual(other, results[0])

    def test_wrong_length_tells_the_right_one(self):
        self.refused("eval", self.model, "--qpos", "1,2", says=["--qpos", str(cli.QPOS), "2 were given"])
        self.refused("eval", self.model, "--qvel", "1", says=["--qvel", str(cli.DOF)])
        self.refused("eval", self.model, "--ctrl", "1,2", says=["--ctrl", str(cli.CTRL)])
        self.refused("eval", self.model, "--ctrl", "", says=["0 were given"])

    def test_wrong_numbers_are_refused(self):
        for text in ("1,2,x", "nan", "1,inf", "1,,2", "1,2,", "1e999"):
            self.refused("eval", self.model, "--qpos", text, says=["--qpos"])

    def test_quaternions_are_normalized_and_zero_is_refused(self):
        r = self.tenon_json("eval", self.model, "--qpos", "0,2,0,0.1,0,0,3,0,0")
        self.assertEqual(self.poses(r)["ball"]["quat"], [0, 0, 1, 0])
        self.refused("eval", self.model, "--qpos", "0,2,0,0.1,0,0,0,0,0", says=["quaternion", "joint2"])

    def test_key_gives_the_state(self):
        self.assertEqual(self.tenon_json("eval", self.model, "--key", "up")["qpos"][0], -1.5)

    def test_text_names_the_parts(self):
        out, _ = self.tenon("eval", self.model)
        for part in ("body poses", "mass matrix", "bias force", "actuator force", "sensors", "ball", "angle"):
            self.assertIn(part, out)


class Info(CliTest):
    def test_json_counts_and_names(self):
        r = self.tenon_json("info", self.model)
        self.assertEqual((r["bodies"], r["joint_count"], r["qpos"], r["dof"]), (3, 3, cli.QPOS, cli.DOF))
        self.assertEqual((r["subsystems"], r["free_bodies"], r["trees"]), (3, 1, 2))
        self.assertAlmostEqual(r["mass"], 6, delta=1e-12)
        self.assertEqual([j["name"] for j in r["joints"]][::2], ["swing", "joint3"])
        self.assertEqual([j["type"] for j in r["joints"]], ["hinge", "free", "slide"])
        self.assertEqual((r["actuators"], r["keys"]), (["push"], ["up"]))
        self.assertEqual([s["name"] for s in r["sensors"]], ["angle", "where"])
        self.assertEqual(r["option"]["timestep"], 0.01)
        self.assertEqual(r["option"]["gravity"], [0, 0, -9.81])

    def test_text_names_the_parts(self):
        out, _ = self.tenon("info", self.model)
        for part in ("degrees of freedom", "subsystems", "moving mass", "swing", "push", "up", "angle"):
            self.assertIn(part, out)


if __name__ == "__main__":
    pycheck.main()
