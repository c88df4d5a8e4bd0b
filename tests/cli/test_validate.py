"""tenon validate: every problem with its place, and the exit codes."""
import os
import re

from cli import CliTest, pycheck

TWO_ERRORS = """<mujoco>
  <worldbody>
    <nonsense/>
    <body>
      <joint type="screw"/>
      <geom size="0.1"/>
    </body>
  </worldbody>
</mujoco>
"""


class Validate(CliTest):
    def test_good_model_is_valid(self):
        out, err = self.tenon("validate", self.model)
        self.assertIn("valid", out)
        self.assertNotIn("not valid", out)
        self.assertEqual(err, "")

    def test_all_errors_are_listed_with_their_lines(self):
        bad = self.write("bad.xml", TWO_ERRORS)
        out, _ = self.tenon("validate", bad, code=3)
        self.assertIn("bad.xml:3:", out)
        self.assertIn("bad.xml:5:", out)
        self.assertIn("not valid", out)

    def test_what_does_not_fit_the_list_is_counted(self):
        bad = self.write("bad.xml", "<mujoco><worldbody>" + "\n<nonsense/>" * 1000 + "</worldbody></mujoco>")
        out, _ = self.tenon("validate", bad, code=3)
        self.assertIn("1000 errors", out)
        for text in (out, self.refused("run", bad, code=3)):
            self.assertEqual(text.count("unknown element"), 1)
            alike, left = map(int, re.search(r"; (\d+) more like this: lines 3, 4, .*and (\d+) more", text, re.S).groups())
            self.assertEqual(1 + alike + left, 1000)
        r = self.tenon_json("validate", bad, code=3)
        self.assertEqual(sum(cause["count"] for cause in r["error_causes"]), r["error_count"])
        self.assertEqual(len(r["errors"]), r["error_causes"][0]["count"])

    def test_problems_of_one_cause_are_one_line(self):
        meshes = "".join(f'\n<mesh name="m{i}" file="part{i}.stl"/>' for i in range(9))
        bad = self.write("bad.xml", f"<mujoco><asset>{meshes}</asset><worldbody><nonsense/></worldbody></mujoco>")
        out, _ = self.tenon("validate", bad, code=3)
        lines = out.splitlines()
        self.assertEqual(len(lines), 4, out)
        self.assertRegex("\n".join(lines), r"part0\.stl': no such file; 8 more like this: lines 3, 4, 5, 6, 7, 8, 9, 10\n")
        self.assertIn("hint: files are looked for beside the model", out)
        r = self.tenon_json("validate", bad, code=3)
        self.assertEqual(sorted(cause["count"] for cause in r["error_causes"]), [1, 9])
        self.assertEqual((r["error_count"], len(r["errors"])), (10, 10))

    def test_json_lists_the_errors(self):
        bad = self.write("bad.xml", TWO_ERRORS)
        r = self.tenon_json("validate", bad, code=3)
        self.assertFalse(r["valid"])
        self.assertEqual(r["error_count"], 2)
        self.assertEqual(len(r["errors"]), 2)
        good = self.tenon_json("validate", self.model)
        self.assertTrue(good["valid"])
        self.assertEqual((good["errors"], good["error_count"]), ([], 0))

    def test_remarks_count_only_with_strict(self):
        r = self.tenon_json("validate", self.model)
        self.tenon("validate", self.model, "--strict", code=3 if r["remark_count"] else 0)
        self.assertEqual(len(r["remarks"]), r["remark_count"])

    def test_malformed_files_are_wrong_models(self):
        for text in ("", "no xml", "<mujoco>", "<mujoco/><mujoco/>", "\0\0\0"):
            self.tenon("validate", self.write("bad.xml", text), code=3)

    def test_info_names_every_kind_of_sensor(self):
        kinds = ("accelerometer", "magnetometer", "gyro", "velocimeter", "force", "torque")
        frames = ("framepos", "framexaxis", "framelinvel", "frameangacc")
        model = self.write("sensors.xml", "<mujoco><worldbody><body name='b'><freejoint/><geom size='.1'/><site name='s'/>"
                           "</body></worldbody><sensor>" + "".join(f"<{kind} site='s'/>" for kind in kinds)
                           + "".join(f"<{kind} objtype='site' objname='s'/>" for kind in frames)
                           + "<subtreeangmom body='b'/><clock/></sensor></mujoco>")
        types = [sensor["type"] for sensor in self.tenon_json("info", model)["sensors"]]
        self.assertEqual(types, [*kinds, *(f"{kind} of site" for kind in frames), "subtreeangmom", "clock"])

    def test_files_in_reach_are_those_of_run(self):
        part = "<mujoco><worldbody><body><geom size='.1'/></body></worldbody></mujoco>"
        for folder in ("a", "a/b", "a/b/own"):
            os.mkdir(os.path.join(self.folder, folder))
        for name in ("a/far.xml", "a/b/near.xml", "a/b/own/part.xml"):
            self.write(name, part)
        for file, reaches in (("part.xml", ("folder", "near", "any")), ("../near.xml", ("near", "any")), ("../../far.xml", ("any",))):
            model = self.write("a/b/own/m.xml", f"<mujoco><include file='{file}'/></mujoco>")
            for reach in ("folder", "near", "any"):
                code = 0 if reach in reaches else 3
                self.tenon("run", model, "--duration", "0.01", "--files", reach, code=code)
                out, _ = self.tenon("validate", model, "--files", reach, code=code)
                self.assertIn("not in the model's folder" if code else "valid, 0 errors", out)

    def test_missing_file_is_an_io_error(self):
        self.refused("validate", "missing.xml", code=4, says=["missing.xml"])


if __name__ == "__main__":
    pycheck.main()
