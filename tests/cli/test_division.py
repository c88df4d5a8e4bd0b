"""--division: how cables are divided into subsystems, and how `tenon info` tells of it."""
from cli import BENCH, PROGRAM, CliTest, pycheck

SEGMENTS = 10
# two sliders that hold the ends of a cable, and a free ball
CABLE = """<mujoco>
  <worldbody>
    <body name="left" pos="0 0 1"><joint type="slide" axis="1 0 0"/><geom size="0.02" contype="0" conaffinity="0"/></body>
    <body name="right" pos="0.5 0 1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
      <geom size="0.02" contype="0" conaffinity="0"/></body>
    <body name="ball" pos="0 0 3"><freejoint/><geom size="0.1"/></body>
    <composite type="cable" prefix="rope" initial="free" curve="s" count="11" size="0.5" offset="0 0 1">
      <geom type="capsule" size="0.01"/>
    </composite>
  </worldbody>
  <equality>
    <weld body1="ropeB_first" body2="left"/>
    <weld body1="ropeB_last" body2="right"/>
  </equality>
  <tenon%s><rod name="rope" group="%d"/></tenon>
</mujoco>
"""


class Division(CliTest):
    def setUp(self):
        super().setUp()
        self.cable = self.write("cable.xml", CABLE % ("", 0))

    def groups(self, *arguments, model=None):
        r = self.tenon_json("info", model or self.cable, *arguments)
        division = r["division"]
        self.assertEqual(r["subsystems"], sum(g["count"] for g in division["groups"]))
        return division["name"], division["bonds"], [(g["count"], g["what"]) for g in division["groups"]]

    def test_a_whole_cable_is_one_with_the_robots_that_hold_it(self):
        # the two segments at the ends move with the robots and have no unknowns of their own
        whole = [(1, "free body: 6 unknowns"),
                 (1, f"rope (10 segments) with left (1), right (2): {6 * (SEGMENTS - 2) + 3} unknowns")]
        self.assertEqual(self.groups(), ("auto", 0, whole))
        self.assertEqual(self.groups("--division", "auto"), ("auto", 0, whole))
        self.assertEqual(self.groups("--division=whole"), ("whole", 0, whole))

    def test_groups_are_summed_up_and_robots_apart(self):
        apart = [(1, "free body: 6 unknowns"), (1, "robot left: 1 unknown"), (1, "robot right: 2 unknowns")]
        paper = apart + [(2, "groups of 4 segments of rope: 24 unknowns each"),
                         (1, "group of 2 segments of rope: 12 unknowns")]
        # two cuts, two welds
        self.assertEqual(self.groups("--division", "paper"), ("paper", 4, paper))
        self.assertEqual(self.groups("--division", "4"), ("4", 4, paper))
        self.assertEqual(self.groups("--division", "1"),
                         ("1", 11, apart + [(10, "groups of 1 segment of rope: 6 unknowns each")]))

    def test_the_option_comes_before_the_model_and_that_before_its_rods(self):
        model = self.write("paper.xml", CABLE % (' division="paper"', 5))
        self.assertEqual(self.groups(model=model)[:2], ("paper", 4))
        self.assertEqual(self.groups("--division", "whole", model=model)[:2], ("whole", 0))
        model = self.write("rod.xml", CABLE % ("", 5))
        name, bonds, lines = self.groups(model=model)
        self.assertEqual((name, bonds), ("auto", 1))
        self.assertEqual(lines[1:], [(1, "rope (5 of 10 segments) with left (1): 25 unknowns"),
                                     (1, "rope (5 of 10 segments) with right (2): 26 unknowns")])

    def test_many_robots_alike_share_a_line(self):
        arms = "".join(f'<body name="arm{i}"><joint/><geom size="1" contype="0" conaffinity="0"/></body>' for i in range(9))
        model = self.write("arms.xml", f"<mujoco><worldbody>{arms}</worldbody></mujoco>")
        self.assertEqual(self.groups(model=model)[2], [(9, "robots (arm0, arm1, arm2, arm3, ...): 1 unknown each")])

    def test_the_text_has_the_lines_and_the_reason(self):
        out, _ = self.tenon("info", self.cable, "--division", "paper")
        for part in ("division paper", "  2      groups of 4 segments of rope: 24 unknowns each", "bonds iterated",
                     "as in the paper", "robots of other subsystems, iterated: 2"):
            self.assertIn(part, out)

    def test_every_command_that_simulates_takes_it(self):
        counts = [self.tenon_json("run", self.cable, "--duration", "0.02", "--division", how)["subsystems"]
                  for how in ("auto", "paper", "5")]
        self.assertEqual(counts, [2, 6, 5])
        self.assertEqual(self.tenon_json("run", self.cable, "--duration", "0.02", "--division", "5")["division"], "5")
        self.program = BENCH
        r = self.tenon_json("scene", self.cable, "--duration", "0.02", "--division", "paper", "--iterations", "5",
                            "--repeats", "1")
        self.assertEqual(r["runs"][0]["subsystems"], 6)

    def test_anything_else_is_refused(self):
        for self.program, command in ((PROGRAM, "run"), (PROGRAM, "info"), (BENCH, "scene")):
            for value in ("half", "0", "-4", "1000001", "2.5", "4x", "", " 4", "99999999999999999999"):
                self.refused(command, self.cable, f"--division={value}",
                             says=["--division", "must be auto, whole, paper", "1 ... 1000000"])
            self.refused(command, self.cable, "--division", "papr", says=["did you mean 'paper'?"])


if __name__ == "__main__":
    pycheck.main()
