"""tenon convert, and URDF files on the command line."""
import os

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
