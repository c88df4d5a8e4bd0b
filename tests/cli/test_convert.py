"""tenon convert, and URDF files on the command line."""
import os
import subprocess

from cli import CliTest, pycheck

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "io", "data")
ARM = os.path.join(DATA, "packages", "arm_description", "urdf", "arm.urdf")
LOST = """<robot name="r"><link name="a"><collision><geometry>
<mesh filename="package://arm_description/meshes/block.stl"/></geometry></collision></link></robot>
"""


class Convert(CliTest):
    def test_urdf_becomes_mjcf_that_evaluates_the_same(self):
        out, err = self.tenon("convert", ARM, "-o", "arm.xml")
        self.assertIn("arm.xml: 7 bodies, 4 joints", out)
        self.assertIn("same bits", out)
        self.assertEqual(err, "")
        state = ["--qpos", "0.1,0.2,0.01,0.02", "--qvel", "1,2,3,4"]
        a, b = (self.tenon_json("eval", path, *state) for path in (ARM, "arm.xml"))
        self.assertEqual(a["mass_matrix"], b["mass_matrix"])
        self.assertEqual(a["bias"], b["bias"])
        self.assertEqual(a["body_poses"], b["body_poses"])

    def test_a_free_base_and_packages_are_options(self):
        walker = os.path.join(DATA, "humanoid.urdf")
        self.assertEqual(self.tenon_json("info", walker)["dof"], 2)
        self.assertEqual(self.tenon_json("info", walker, "--free-base")["dof"], 8)
        self.tenon("convert", walker, "--free-base", "-o", "walker.xml", "--quiet")
        self.assertEqual(self.tenon_json("info", "walker.xml")["dof"], 8)
        lost = self.write("lost.urdf", LOST)
        self.refused("convert", lost, "-o", "lost.xml", code=3, says=["lost.urdf:2:7", "--package-path"])
        self.tenon("convert", lost, "-o", "lost.xml", "--package-path", os.path.join(DATA, "packages"))

    def test_folders_are_made_and_files_lie_beside(self):
        self.tenon("convert", os.path.join(DATA, "track.xml"), "-o", "new/folder/track.xml")
        self.assertIn("track_track.csv", os.listdir(os.path.join(self.folder, "new", "folder")))

    def test_a_full_disk_leaves_what_was_there(self):
        """The limit of a file's size stands for the disk."""
        model = self.write("many.xml", "<mujoco><worldbody>" + '<geom size="1"/>' * 1000 + "</worldbody></mujoco>")
        old = self.write("out.xml", "<mujoco/>")
        limit = "trap '' XFSZ; ulimit -f 8; exec \"$@\""
        done = subprocess.run(["sh", "-c", limit, "sh", self.program, "convert", model, "-o", old], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(b"out.xml: cannot be written: File too large", done.stderr)
        with open(old, encoding="utf-8") as file:
            self.assertEqual(file.read(), "<mujoco/>")
        self.assertEqual(sorted(os.listdir(self.folder)), ["many.xml", "out.xml", "small.xml"])
        self.refused("convert", model, "-o", "/dev/full", "--no-check", code=4, says=["/dev/full: cannot be written: No space"])

    def test_wrong_usage_is_told(self):
        self.refused("convert", ARM, code=2, says=["-o OUT.xml is missing"])
        model = self.write("self.xml", "<mujoco/>")
        self.refused("convert", model, "-o", model, code=2, says=["written over itself"])
        self.refused("convert", "missing.urdf", "-o", "x.xml", code=4, says=["missing.urdf"])
        self.refused("convert", ARM, "-o", "/proc/no/x.xml", code=4, says=["/proc/no/x.xml"])

    def test_a_urdf_runs(self):
        self.tenon("run", ARM, "--duration", "0.1", "--quiet")


if __name__ == "__main__":
    pycheck.main()
