"""The package of ros2/ against a stand-in for ROS 2 (ros_stub.hpp), and its messages against the definitions of ROS 2 that the
package rosbags has. Nothing here shows that it runs under ROS.

    test_ros2.py ROS2_RUN CMAKE BUILD_FOLDER
"""
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import pycheck  # noqa: E402

try:
    import numpy as np
    import rosbags.typesys
except ImportError:
    rosbags = None
    PYTHON = ROOT / ".venv" / "bin" / "python"  # which ./test installs it for
    if PYTHON.exists() and pathlib.Path(sys.prefix).resolve() != PYTHON.parent.parent.resolve():
        os.execv(PYTHON, [str(PYTHON), *sys.argv])

STEP = 0.002
# a cart on a slide with a motor (gear 2), a wheel with a velocity servo, an arm with a position servo, a ball, a cable, a camera
MODEL = f"""<mujoco model="ros"><option timestep="{STEP}" gravity="0 0 0"/>
<worldbody>
  <geom name="wall" type="box" size="1 0.1 1" pos="0 3.1 1" rgba="0.8 0.1 0.1 1"/>
  <body name="cart" pos="0 0 1"><joint name="slide" type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.1 0.1" mass="2"/>
    <camera name="eye" pos="0 0.2 0.3" xyaxes="1 0 0 0 0 1" fovy="60"/>
    <body name="arm" pos="0.2 0 0.1"><joint name="lift" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.1"/>
      <body pos="0.3 0 0"><geom size="0.03" mass="0.01"/></body></body></body>
  <body name="wheel" pos="2 0 1"><joint name="spin" axis="0 0 1"/><geom type="cylinder" size="0.1 0.02" mass="1"/></body>
  <body name="ball" pos="-2 0 1" quat="0 0 0 1"><freejoint/><geom size="0.1" mass="1"/></body>
</worldbody>
<actuator><motor name="push" joint="slide" gear="2"/><velocity name="turn" joint="spin" kv="4"/>
  <position name="hold" joint="lift" kp="50" kv="5" gear="3"/></actuator>
<tenon><rod name="cable" start="0 -2 1" end="1 -2 1" segments="4" radius="0.01" young="1e7"/></tenon></mujoco>"""


class Ros2(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "robot.xml").write_text(MODEL)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def run_program(cls, *arguments, code=0):
        done = subprocess.run([os.path.abspath(sys.argv[1]), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, cwd=cls.folder, timeout=120)
        if done.returncode != code:
            raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    @classmethod
    def messages(cls, topic, lines):
        return [plain(line["message"]) for line in lines if line.get("topic") == topic]

    def test_the_clock_and_the_joints(self):
        lines, _ = self.run_program("node", "robot.xml", 0.4, "", "all", "slide", "effort", 3, "lift", "position", 0.25, "spin", "velocity", -2)
        self.assertEqual([line for line in lines if "said" in line], [])
        end = next(i for i, line in enumerate(lines) if "reset" in line)
        clock = [m["clock"] for m in self.messages("/clock", lines[:end])]
        self.assertEqual([(c["sec"], c["nanosec"]) for c in clock], [(0, 20_000_000 * k) for k in range(21)])
        states = self.messages("joint_states", lines[:end])
        self.assertEqual([s["header"]["stamp"] for s in states], clock)
        last = states[-1]
        self.assertEqual(last["name"], ["slide", "lift", "spin"])
        # a motor's effort is that of the joint, whatever its gear. All that is on the slide has 2.11 kg; the arm has come to rest
        # and carries nothing sideways. Semi-implicit Euler: x = a h² n (n + 1) / 2
        self.assertAlmostEqual(last["effort"][0], 3.0, delta=1e-12)
        n = 200
        self.assertAlmostEqual(last["velocity"][0], 3.0 / 2.11 * n * STEP, delta=2e-3)  # the arm swings a little
        self.assertAlmostEqual(last["position"][0], 3.0 / 2.11 * STEP**2 * n * (n + 1) / 2, delta=2e-3)
        # servos: kp = 50 · 3², kv = 5 · 3² at the joint; the arm's inertia of 0.004 kg·m² follows with kv/kp = 0.1 s, e⁻⁴ is left
        self.assertAlmostEqual(last["position"][1], 0.25, delta=0.25 * 0.03)
        self.assertAlmostEqual(last["velocity"][2], -2.0, delta=1e-6)  # 4 N·m·s/rad on 0.005 kg·m²: 80 times its time constant
        # the service puts it back: one timer call later the time is that of one call
        after = self.messages("/clock", lines[end:])
        self.assertEqual(after[-1]["clock"], {"sec": 0, "nanosec": 20_000_000})
        self.assertEqual(self.messages("joint_states", lines[end:])[-1]["effort"][0], 0.0)

    def test_frames(self):
        lines, _ = self.run_program("node", "robot.xml", 1.0, "", "all", "slide", "effort", 1, "lift", "position", 0.5)
        end = next(i for i, line in enumerate(lines) if "reset" in line)
        frames = {t["child_frame_id"]: t for t in self.messages("/tf", lines[:end])[-1]["transforms"]}
        states = self.messages("joint_states", lines[:end])[-1]
        q = dict(zip(states["name"], states["position"]))
        self.assertEqual({name: t["header"]["frame_id"] for name, t in frames.items()},
                         {"cart": "world", "arm": "cart", "body4": "arm", "wheel": "world", "ball": "world"})  # no segments of the cable
        near = dict(places=12)
        self.assertAlmostEqual(frames["cart"]["transform"]["translation"]["x"], q["slide"], **near)
        arm = frames["arm"]["transform"]
        self.assertGreater(q["lift"], 0.4)
        for name, value in (("x", 0.2), ("y", 0.0), ("z", 0.1)):
            self.assertAlmostEqual(arm["translation"][name], value, **near)
        for name, value in (("x", 0.0), ("y", math.sin(q["lift"] / 2)), ("z", 0.0), ("w", math.cos(q["lift"] / 2))):
            self.assertAlmostEqual(arm["rotation"][name], value, **near)
        self.assertAlmostEqual(abs(frames["ball"]["transform"]["rotation"]["z"]), 1.0, **near)  # x y z w
        lines, _ = self.run_program("node", "robot.xml", 0.02, "", "bases")  # beside robot_state_publisher
        self.assertEqual([[t["child_frame_id"] for t in m["transforms"]] for m in self.messages("/tf", lines)], [["ball"]] * 3)
        lines, _ = self.run_program("node", "robot.xml", 0.02, "", "none")
        self.assertEqual(self.messages("/tf", lines), [])
        _, text = self.run_program("node", "robot.xml", 0.02, "", "some", code=1)
        self.assertIn("tf: expected all, bases or none, got 'some'", text)

    def test_wrong_commands_are_told(self):
        lines, _ = self.run_program("node", "robot.xml", 0.02, "", "all", "slide", "position", 1, "elbow", "effort", 1)
        self.assertEqual([line["said"] for line in lines if "said" in line],
                         ["joint_commands: joint 'slide' takes no position command", "joint_commands: joint 'elbow' takes no effort command"])
        _, text = self.run_program("node", "robot.xml", 0.02, "nose", "all", code=1)
        self.assertIn("the model has no camera 'nose'", text)
        _, text = self.run_program("node", "none.xml", 0.02, "", "all", code=1)
        self.assertIn("none.xml", text)

    def test_pictures(self):
        try:
            lines, _ = self.run_program("node", "robot.xml", 0.4, "eye", "all")
        except AssertionError as error:
            if re.search("OpenGL|EGL", str(error)):
                self.skipTest("nothing draws here")
            raise
        end = next(i for i, line in enumerate(lines) if "reset" in line)
        color, depth, info = (self.messages(f"eye/{name}", lines[:end]) for name in ("image_raw", "depth/image_raw", "camera_info"))
        self.assertEqual([m["header"]["stamp"]["nanosec"] for m in color], [0, 200_000_000, 400_000_000])
        self.assertEqual((len(depth), len(info)), (3, 3))
        first = color[0]
        self.assertEqual((first["width"], first["height"], first["encoding"], first["step"]), (64, 48, "rgb8", 192))
        self.assertEqual(first["header"]["frame_id"], "eye_optical_frame")
        middle = 3 * (24 * 64 + 32)
        red, green, blue = first["data"][middle:middle + 3]
        self.assertTrue(red > 2 * green and red > 2 * blue, (red, green, blue))  # the wall
        metres, = struct.unpack_from("<f", bytes(depth[0]["data"]), 4 * (24 * 64 + 32))
        self.assertAlmostEqual(metres, 3.0 - 0.2, delta=1e-3)
        self.assertEqual((depth[0]["encoding"], depth[0]["step"], len(depth[0]["data"])), ("32FC1", 256, 256 * 48))
        f = 24 / math.tan(math.radians(30))
        for got, value in zip(info[0]["k"], (f, 0, 32, 0, f, 24, 0, 0, 1)):
            self.assertAlmostEqual(got, value, places=9)
        # the camera's x is the cart's, its y is the cart's z: it sees along the cart's y. So z of the optical frame is y
        fixed, = self.messages("/tf_static", lines[:end])[0]["transforms"]
        r = fixed["transform"]["rotation"]
        self.assertEqual(fixed["header"]["frame_id"], "cart")
        ahead = (2 * (r["x"] * r["z"] + r["w"] * r["y"]), 2 * (r["y"] * r["z"] - r["w"] * r["x"]), 1 - 2 * (r["x"]**2 + r["y"]**2))
        for got, value in zip(ahead, (0.0, 1.0, 0.0)):
            self.assertAlmostEqual(got, value, places=9)

    def test_hardware_of_ros2_control(self):
        lines, _ = self.run_program("hardware", "robot.xml", 0.9, "lift", "position", 0.3, "spin", "velocity", 1.5)
        self.assertEqual({line["activated"]: line["value"] for line in lines if "activated" in line},
                         {"lift/position": 0.0, "spin/velocity": 0.0})
        state = {line["state"]: line["value"] for line in lines if "state" in line}
        self.assertEqual(set(state), {f"{joint}/{what}" for joint in ("lift", "spin") for what in ("position", "velocity", "effort")})
        self.assertAlmostEqual(state["lift/position"], 0.3, delta=0.3 * 0.002)  # e⁻⁹ is left
        self.assertAlmostEqual(state["spin/velocity"], 1.5, delta=1e-6)
        # 300 cycles of 3 ms are 450 steps of 2 ms; the wheel lags behind by its time constant and one step
        self.assertEqual([(line["cycles"], line["good"]) for line in lines if "cycles" in line], [(300, True)])
        self.assertAlmostEqual(state["spin/position"], 1.5 * 0.9, delta=1.5 * 0.004)

    def test_hardware_that_does_not_fit_is_refused(self):
        lines, _ = self.run_program("hardware", "robot.xml", 0.1, "slide", "position", 1, "elbow", "effort", 1, code=1)
        self.assertEqual([line["said"] for line in lines],
                         ["no actuator of joint 'slide' takes position commands", "the model has no hinge or slide 'elbow'"])

    def test_messages_are_those_of_ros(self):
        """Names, order and types of all fields, and a round trip through CDR."""
        if not rosbags:
            self.skipTest("there is no package rosbags (tests/bridges/requirements.txt)")
        try:
            lines, _ = self.run_program("node", "robot.xml", 0.02, "eye", "all")
        except AssertionError:  # nothing draws
            lines, _ = self.run_program("node", "robot.xml", 0.02, "", "all")
        for name in ("ROS2_HUMBLE", "ROS2_JAZZY"):
            store = rosbags.typesys.get_typestore(getattr(rosbags.typesys.Stores, name))
            types = set()
            for line in lines:
                if "topic" not in line:
                    continue
                kind = line["type"]
                types.add(kind)
                check_fields(self, store, kind, line["message"])
                message = build(store, kind, plain(line["message"]))
                back = store.deserialize_cdr(store.serialize_cdr(message, kind), kind)
                self.assertEqual(store.serialize_cdr(back, kind), store.serialize_cdr(message, kind))
            self.assertLessEqual({"rosgraph_msgs/msg/Clock", "sensor_msgs/msg/JointState", "tf2_msgs/msg/TFMessage"}, types)


class Package(unittest.TestCase):
    def test_the_files_of_the_package_agree(self):
        package = xml.parse(ROOT / "ros2" / "package.xml").getroot()
        wanted = {element.text for element in package.findall("depend")}
        text = (ROOT / "ros2" / "CMakeLists.txt").read_text()
        messages = re.search(r"set\(MESSAGES ([^)]*)\)", text)[1].split()
        found = set(messages) | set(re.search(r"foreach\(package ([^)]*)\)", text)[1].replace("${MESSAGES}", "").split())
        self.assertEqual(found, wanted)
        used = set()
        for folder in ("src", "include/tenon_ros2"):
            for path in (ROOT / "ros2" / folder).iterdir():
                used |= set(re.findall(r"#include <(\w+)/", path.read_text()))
        self.assertEqual(used - {"tenon"}, wanted)
        plugin = xml.parse(ROOT / "ros2" / "tenon_hardware.xml").getroot()
        self.assertIn(f"add_library({plugin.get('path')} SHARED", text)
        self.assertIn("class TenonSystem", (ROOT / "ros2" / "include" / "tenon_ros2" / "hardware.hpp").read_text())
        self.assertEqual(package.findtext("version"), re.search(r"project\(tenon VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1])

    def test_cmake_accepts_its_lists(self):
        """With packages that have the functions of ament, and no code."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            names = [element.text for element in xml.parse(ROOT / "ros2" / "package.xml").getroot().findall("depend")]
            for name in [*names, "ament_cmake", "tenon"]:
                (folder / name).mkdir()
                (folder / name / f"{name}Config.cmake").write_text("")
            (folder / "tenon" / "tenonConfig.cmake").write_text("add_library(tenon::tenon INTERFACE IMPORTED)\n")
            (folder / "ament_cmake" / "ament_cmakeConfig.cmake").write_text(
                # as ament does: the signature without keywords, which does not mix with the other one
                "function(ament_target_dependencies target)\n  target_link_libraries(${target} m)\nendfunction()\n"
                "function(pluginlib_export_plugin_description_file category file)\n"
                "  if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})\n    message(FATAL_ERROR ${file})\n  endif()\nendfunction()\n"
                "function(ament_package)\nendfunction()\n")
            done = subprocess.run([sys.argv[2], "-S", ROOT / "ros2", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={folder}",
                                   *(f"-D{name}_DIR={folder / name}" for name in [*names, "ament_cmake", "tenon"])],
                                  capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


def plain(message):
    """Values without types: a message is {"name": [type, value]}."""
    if isinstance(message, list):
        return [plain(part) for part in message]
    return {name: plain(value) for name, (_, value) in message.items()} if isinstance(message, dict) else message


def check_fields(test, store, kind, message):
    """Names, order and types, as the definition has them."""
    defined = store.fielddefs[kind][1]
    test.assertEqual(list(message), [name for name, _ in defined], kind)
    for name, definition in defined:
        got, value = message[name]
        test.assertEqual(got, spelled(definition), f"{kind}.{name}")
        inner = got.split("[")[0]
        if "/" in inner:
            for part in value if got.endswith("]") else [value]:
                check_fields(test, store, inner, part)


def spelled(definition):
    """A type as the stand-in spells it."""
    kind, of = definition
    if kind.name == "BASE":
        return of[0]
    if kind.name == "NAME":
        return of
    inner, count = of
    return f"{spelled(inner)}[{count if kind.name == 'ARRAY' else ''}]"


def build(store, kind, message):
    """A message of the package rosbags."""
    return store.types[kind](**{name: convert(store, definition, message[name]) for name, definition in store.fielddefs[kind][1]})


def convert(store, definition, value):
    kind, of = definition
    if kind.name == "BASE":
        return value
    if kind.name == "NAME":
        return build(store, of, value)
    inner, _ = of
    if inner[0].name == "BASE" and inner[1][0] != "string":
        return np.array([math.nan if x is None else x for x in value], dtype=inner[1][0])
    return [convert(store, inner, part) for part in value]


if __name__ == "__main__":
    pycheck.main()
