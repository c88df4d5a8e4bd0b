"""tenon-bench hard and its scenes: keys, starts without overlap, the weights that force errors are measured by."""
import math
import os
import re
import subprocess
import sys

from cli import PROGRAM, ROOT, BenchTest, pycheck

SCENES = os.path.join(ROOT, "scenes")
FILES = {"tower": "tower20", "heavy": "heavy", "doubling": "doubling", "pyramid": "pyramid", "wall": "wall",
         "arch": "arch-0.12", "thin_arch": "arch-0.095", "cards": "cards", "pinch": "pinch-5kg-12N",
         "press": "arm", "cradle": "cradle-air"}
SMALL = "tower10,tower20,tower50,heavy,doubling,pyramid,wall,arch,cards,pinch,arm,cradle,cradle-air"
KEYS = ("scene", "seed", "bodies", "steps", "contacts_mean", "start_penetration_m", "step_us", "error_max",
        "error_median", "not_converged", "force_error", "sink_m", "move_m", "tilt_rad", "creep_m_per_s",
        "islands_warm", "islands_subadmm", "islands_assembled", "islands_newton", "newton_steps_mean", "asleep", "weights_N",
        "fell_at_s", "must_fall", "fallen", "diverged", "verdict")
G = 9.81


def arch_limit(count):
    """The least t/R at which a semicircular arch of `count` wedges (an even number) carries itself without tension.

    Of one half, from the crown's joint down to joint k, the thrust H at height z and the weight W must go through
    that joint between its inner and its outer edge: two inequalities that are linear in H and H z. The arch stands
    where all of them have a common point; if they have, then at a corner, where two of them are equalities."""
    def conditions(t):
        edges, weight, moment, out = (1 - t / 2, 1 + t / 2), 0.0, 0.0, []
        for k in range(count // 2 + 1):
            angle = math.pi / 2 - math.pi * k / count
            if k:
                last = angle + math.pi / count
                ring = [(r * math.cos(a), r * math.sin(a)) for r, a in
                        ((edges[0], angle), (edges[1], angle), (edges[1], last), (edges[0], last))]
                for p, q in zip(ring, ring[1:] + ring[:1]):
                    cross = p[0] * q[1] - q[0] * p[1]
                    weight += cross / 2
                    moment += (p[0] + q[0]) * cross / 6
            for r, side in zip(edges, (1, -1)):
                x, z = r * math.cos(angle), r * math.sin(angle)
                out.append((-side * z, side, side * (moment - x * weight)))
        return out

    def stands(t):
        rows = conditions(t)
        for i, (a, b, c) in enumerate(rows):
            for d, e, f in rows[:i]:
                det = a * e - d * b
                if abs(det) < 1e-14:
                    continue
                h, hz = (b * f - c * e) / det, (c * d - a * f) / det
                # 1e-12 of the radius: rounding at the two rows that are equalities
                if h > 0 and all(p * h + q * hz + r > -1e-12 for p, q, r in rows):
                    return True
        return False

    low, high = 0.05, 0.2
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if stands(middle) else (middle, high)
    return high


class Hard(BenchTest):
    def test_json_has_the_documented_keys(self):
        r = self.tenon_json("hard", "--only", "tower10", "--duration", 0.5, "--quiet")
        self.assertEqual((len(r["rows"]), len(r["runs"])), (1, 1))
        for key in KEYS:
            self.assertIn(key, r["rows"][0])
        row = r["rows"][0]
        self.assertEqual((row["scene"], row["bodies"], row["steps"]), ("tower10", 10, 50))
        self.assertEqual(set(row), set(KEYS))

    def test_table_has_a_row_per_scene_and_families_are_names(self):
        out, err = self.tenon("hard", "--only", "pinch,heavy,doubling", "--duration", 0.1, "--iterations", 5)
        self.assertEqual(err, "")
        self.assertEqual([line.split()[0] for line in out.splitlines()[2:]],
                         ["heavy", "doubling", *(f"pinch-{m}kg-{f}N" for m in ("0.1", "5") for f in (12, 30, 60))])

    def test_unknown_scenes_are_refused(self):
        self.refused("hard", "--only", "towr10", says=["no scene 'towr10'", "tower10"])
        self.refused("hard", "--noise", "-1", says=["--noise"])
        self.refused("hard", "--seeds", "0", says=["--seeds"])

    def test_help_defines_every_column(self):
        out, _ = self.tenon("hard", "--help")
        heading = self.tenon("hard", "--only", "heavy", "--duration", 0.1)[0].splitlines()[1]
        for word in re.split(r"  +", heading.strip())[2:]:
            self.assertIn("\n  " + word, out)

    def test_scenes_start_without_overlap_and_in_touch(self):
        r = self.tenon_json("hard", "--only", SMALL, "--duration", 0.01, "--iterations", 1)
        for row in r["rows"]:
            # places are rounded to 1e-16 of a metre or two; hulls to 1e-12 of a stone
            self.assertLess(row["start_penetration_m"], 1e-12, row["scene"])
            # what does not touch is listed up to 1 mm away; four points between two boxes
            boxes = {"tower10": 40, "tower20": 80, "tower50": 200, "heavy": 8, "doubling": 40, "arch-0.12": 84,
                     "arch-0.095": 84, "arm": 5}
            if row["scene"] in boxes:
                self.assertEqual(row["contacts_mean"], boxes[row["scene"]], row["scene"])

    def test_cuts_of_the_doubling_tower_carry_what_is_above(self):
        r = self.tenon_json("hard", "--only", "doubling,heavy,pinch-5kg-12N", "--duration", 0.01,
                            "--iterations", 1)
        heavy, doubling, pinch = (row["weights_N"] for row in r["rows"])
        self.assertEqual(len(doubling), 10)
        for i, weight in enumerate(doubling):  # 2^i + ... + 2^9 kg
            self.assertAlmostEqual(weight, (2 ** 10 - 2 ** i) * G, delta=1e-9)
        for weight, expected in zip(heavy, (1001 * G, 1000 * G)):
            self.assertAlmostEqual(weight, expected, delta=1e-9)
        for weight, expected in zip(pinch, (12, 12, 0.045 * G)):
            self.assertAlmostEqual(weight, expected, delta=1e-12)

    def test_seeds_differ_and_the_row_has_the_worst(self):
        r = self.tenon_json("hard", "--only", "tower10,heavy", "--duration", 0.3, "--seeds", 3)
        self.assertEqual([(run["scene"], run["seed"]) for run in r["runs"]],
                         [("tower10", 1), ("tower10", 2), ("tower10", 3), ("heavy", 1)])
        self.assertEqual([row.get("seeds") for row in r["rows"]], [3, None])
        for key in ("force_error", "tilt_rad", "move_m"):
            values = [run[key] for run in r["runs"][:3]]
            self.assertEqual(r["rows"][0][key], max(values))
        self.assertEqual(len({run["tilt_rad"] for run in r["runs"][:3]}), 3)

    def test_noise_is_part_of_what_contacts_must_carry(self):
        # 5 % of the weight of each of two boxes; converged contacts carry it to the solver's tolerance, while a
        # comparison with the weight alone would be off by about 3 %
        r = self.tenon_json("hard", "--only", "heavy", "--duration", 0.5, "--noise", 0.05,
                            "--tolerance", "1e-8")
        self.assertLess(r["rows"][0]["force_error"], 1e-3)
        # bodies may lift at 10 %
        r = self.tenon_json("hard", "--only", "heavy", "--duration", 0.5, "--noise", 0.2)
        self.assertIsNone(r["rows"][0]["force_error"])

    def test_balls_hand_an_impact_on_whether_they_touch_or_not(self):
        r = self.tenon_json("hard", "--only", "cradle,cradle-air", "--tolerance", "1e-6")
        for row in r["rows"]:
            for speed, expected in zip(row["speeds"], (0, 0, 0, 0, 1)):
                self.assertAlmostEqual(speed, expected, delta=0.01)  # balls have turned by 3 degrees when judged

    def test_arch_stands_above_and_falls_below_its_limit(self):
        limit = arch_limit(20)
        self.assertAlmostEqual(limit, 0.10735, delta=1e-5)     # docs/scenes.md
        self.assertAlmostEqual(arch_limit(60), 0.1075, delta=1e-4)  # Milankovitch's, of a smooth arch
        r = self.tenon_json("hard", "--only", "arch", "--duration", 2, "--tolerance", "1e-6")
        self.assertEqual([(row["fallen"], row["must_fall"]) for row in r["rows"]], [(0, False), (1, True)])

    def test_generator_writes_the_files_in_scenes(self):
        subprocess.run([sys.executable, os.path.join(SCENES, "make_hard.py"), "--folder", self.folder], check=True,
                       timeout=120)
        pattern = r"(?<![\w.])-?\d+\.?\d*(?:e-?\d+)?"
        for name in FILES:
            texts = []
            for folder in (SCENES, self.folder):
                with open(os.path.join(folder, name + ".xml"), encoding="utf-8") as file:
                    texts.append(file.read())
            self.assertEqual(*(re.sub(pattern, "#", text) for text in texts), name)
            for a, b in zip(*(re.findall(pattern, text) for text in texts)):
                # other mathematical libraries may round a last digit differently
                self.assertLessEqual(abs(float(a) - float(b)), 1e-12, name)

    def test_files_are_what_bench_hard_builds(self):
        names = ",".join(FILES.values())
        r = self.tenon_json("hard", "--only", names, "--duration", 0.01, "--iterations", 1)
        built = {row["scene"]: row for row in r["rows"]}
        self.program = PROGRAM
        for name, scene in FILES.items():
            path = os.path.join(SCENES, name + ".xml")
            self.tenon("validate", path)
            run = self.tenon_json("run", path, "--duration", 0.01, "--iterations", 1)
            self.assertLess(run["penetration_max_m"], 1e-12, name)
            self.assertEqual(run["contacts_mean"], built[scene]["contacts_mean"], name)


if __name__ == "__main__":
    pycheck.main()
