"""What the tests of the programs share: their paths (`tenon` is the first argument, `tenon-bench` the second), small models, a
folder to work in."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import pycheck  # noqa: E402,F401

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build", "tenon")
BENCH = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else os.path.join(ROOT, "build", "tenon-bench")

# a pendulum with a motor, two sensors and a keyframe; a free ball on a plane; an unnamed slide
MODEL = """<mujoco model="small \\&quot;one&quot;">
  <option timestep="0.01"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="rod" pos="0 0 1">
      <joint name="swing" type="hinge" axis="0 1 0"/>
      <geom type="sphere" size="0.05" pos="0.5 0 0" mass="2"/>
    </body>
    <body name="ball" pos="2 0 0.1">
      <freejoint/>
      <geom type="sphere" size="0.1" mass="1"/>
    </body>
    <body pos="4 0 1">
      <joint type="slide" axis="1 0 0"/>
      <geom type="sphere" size="0.1" mass="3"/>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="swing" gear="2"/></actuator>
  <sensor>
    <jointpos name="angle" joint="swing"/>
    <framepos name="where" objtype="xbody" objname="ball"/>
  </sensor>
  <keyframe><key name="up" qpos="-1.5 2 0 0.1 1 0 0 0 0.25"/></keyframe>
</mujoco>
"""
# numbers in qpos, qvel and ctrl of MODEL
QPOS, DOF, CTRL = 9, 8, 1


class CliTest(unittest.TestCase):
    program = PROGRAM

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.model = self.write("small.xml", MODEL)

    def tearDown(self):
        self.temporary.cleanup()

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def tenon(self, *arguments, code=0):
        """Runs the program in an empty folder; (stdout, stderr). A crash has a negative or large code and fails.
        code: what it must end with, or several that it may."""
        done = subprocess.run([self.program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder, timeout=300)
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        self.assertIn(done.returncode, code if isinstance(code, tuple) else (code,), f"{self.program} {' '.join(map(str, arguments))}\n{out}{err}")
        return out, err

    def tenon_json(self, *arguments, code=0):
        out, _ = self.tenon(*arguments, "--json", code=code)
        # NaN and Infinity are no JSON; Python would let them pass
        return json.loads(out, parse_constant=lambda name: self.fail(f"{name} in JSON"))

    def refused(self, *arguments, code=2, says=()):
        """A run that must fail with a message on stderr and nothing on stdout."""
        out, err = self.tenon(*arguments, code=code)
        self.assertEqual(out, "")
        for part in says:
            self.assertIn(part, err)
        return err


class BenchTest(CliTest):
    program = BENCH
