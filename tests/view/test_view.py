"""tenon view: keys, mouse and what they do to the simulation, in a window on a display of its own."""
import json
import math
import os
import signal
import subprocess
import unittest
import xml.etree.ElementTree

import viewtest
from viewtest import HEIGHT, LOOK_AT_BOX, WIDTH, ViewTest, colors, environment, pycheck, xdotool


class Time(ViewTest):
    def test_watching_changes_no_bit(self):
        run, _ = self.tenon("run", self.model, "--duration", "0.5", "--json")
        window = self.view("--duration", "0.5", focus=False)
        finished = window.wait("finished")
        self.assertEqual(finished["step"], 50)
        self.assertEqual(finished["hash"], json.loads(run)["state_hash"])
        last, code = window.end(key=None)
        self.assertEqual((last["hash"], code), (finished["hash"], 0))

    def test_pause_step_and_back_reproduce_the_state(self):
        window = self.view("--paused", "--key", "high")
        self.assertTrue(window.started["paused"])
        steps = [window.key("Right", "step") for _ in range(4)]
        self.assertEqual([event["step"] for event in steps], [1, 2, 3, 4])
        self.assertEqual(len({event["hash"] for event in steps}), 4)
        back = [window.key("Left", "back") for _ in range(3)]
        self.assertEqual([event["hash"] for event in back], [steps[i]["hash"] for i in (2, 1, 0)])
        self.assertLess(back[-1]["time"], steps[-1]["time"])
        again = [window.key("Right", "step") for _ in range(3)]
        self.assertEqual([event["hash"] for event in again], [event["hash"] for event in steps[1:]])
        running = window.key("space", "running")
        self.assertEqual(running["step"], 4)
        window.wait("frames", lambda event: event["step"] > 4)
        paused = window.key("space", "paused")
        self.assertGreater(paused["step"], 4)
        before = window.key("Left", "back")
        self.assertEqual(before["step"], paused["step"] - 1)
        self.assertEqual(window.key("Right", "step")["hash"], paused["hash"])

    def test_no_step_back_before_the_start(self):
        window = self.view("--paused")
        self.assertEqual(window.key("Left", "no_back")["step"], 0)

    def test_speed_doubles_and_halves(self):
        window = self.view("--paused", "--speed", "0.5")
        self.assertEqual(window.key("plus", "speed")["speed"], 1)
        self.assertEqual(window.key("plus", "speed")["speed"], 2)
        self.assertEqual(window.key("minus", "speed")["speed"], 1)

    def test_reset_and_keyframes(self):
        window = self.view("--paused")
        window.key("Right", "step")
        start = window.key("BackSpace", "reset")
        self.assertEqual((start["time"], start["step"], start["key"]), (0, 0, 0))
        high = window.key("1", "reset")
        swung = window.key("Next", "reset")
        self.assertEqual((high["key"], swung["key"]), (1, 2))
        self.assertEqual(len({start["hash"], high["hash"], swung["hash"]}), 3)
        self.assertEqual(window.key("Prior", "reset")["hash"], high["hash"])
        window.key("Right", "step")
        self.assertEqual(window.key("BackSpace", "reset")["hash"], high["hash"])  # back to the key chosen last

    def test_divergence_pauses_and_gives_exit_code_1(self):
        # the first step's speed is beyond the largest double
        self.write("wild.xml", viewtest.MODEL.replace('timestep="0.01"', 'timestep="1e300"'))
        window = self.open("view", "wild.xml", "--paused")
        diverged = window.key("Right", "diverged")
        self.assertEqual(diverged["time"], 0)
        last, code = window.end()
        self.assertEqual((last["hash"], last["diverged"], code), (diverged["hash"], True, 1))
        self.assertIn("diverged", window.stderr())


class Mouse(ViewTest):
    def test_drags_turn_and_move_the_view(self):
        window = self.view("--paused", *LOOK_AT_BOX)
        first = self.picture(window)
        window.drag(1, 100, 0)
        turned = window.wait("camera")
        self.assertGreater(abs(turned["forward"][0]), 0.1)  # it looked along +y before
        self.assertNotEqual(self.picture(window)[2], first[2])
        window.drag(3, 60, 30)
        moved = window.wait("camera")
        self.assertEqual(moved["forward"], turned["forward"])
        self.assertNotEqual(moved["eye"], turned["eye"])
        xdotool("click", 4)  # the wheel, upwards
        nearer = window.wait("camera")
        way = sum((a - b) * f for a, b, f in zip(nearer["eye"], moved["eye"], moved["forward"]))
        self.assertGreater(way, 0)
        window.drag(2, 0, 60)
        farther = window.wait("camera")
        way = sum((a - b) * f for a, b, f in zip(farther["eye"], nearer["eye"], moved["forward"]))
        self.assertNotEqual(way, 0)
        self.assertEqual(window.key("a", "camera")["name"], "free")

    def test_double_click_selects_and_escape_clears(self):
        window = self.view("--paused", *LOOK_AT_BOX)
        xdotool("click", "--repeat", 2, "--delay", 30, 1)
        self.assertEqual(window.wait("select")["body"], "box")
        self.assertEqual(window.key("Escape", "select")["body"], "")

    def test_a_pulled_body_goes_to_the_mouse(self):
        window = self.view("--paused", *LOOK_AT_BOX)
        xdotool("keydown", "ctrl")
        window.drag(3, 60, -90, release=False)
        xdotool("keyup", "ctrl")
        self.assertEqual(window.wait("select")["body"], "box")
        pulls = []
        for _ in range(60):
            xdotool("key", "Right")
            pulls.append(window.wait("pull"))
        first, last = pulls[0], pulls[-1]
        self.assertEqual(first["body"], "box")
        way = [t - a for t, a in zip(first["target"], first["at"])]
        self.assertGreater(way[2], 0.1)  # the mouse went upwards
        self.assertGreater(sum(w * f for w, f in zip(way, first["force"])), 0)
        self.assertEqual(first["target"], last["target"])
        self.assertLess(last["distance"], 0.5 * first["distance"])
        self.assertGreater(last["at"][2], first["at"][2])
        xdotool("mouseup", 3)
        window.wait("release")
        before = window.key("Right", "step")
        self.assertEqual(before["event"], "step")
        self.assertNotIn("pull", [event["event"] for event in window.seen[-1:]])

    def test_a_pulled_soft_body_goes_to_the_mouse_and_is_coloured_by_stress(self):
        model = self.write("soft.xml", """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="2 2 0.1"/></worldbody><tenon>
          <soft name="block" box="0.2 0.2 0.2" cells="3 3 3" pos="0 0 0.2" young="1e5" density="50"/></tenon></mujoco>""")
        window = self.open("view", model, "--paused", "--screenshots", self.folder, *LOOK_AT_BOX)
        self.assertTrue(window.key("x", "option")["value"])
        xdotool("keydown", "ctrl")
        window.drag(3, 60, -90, release=False)
        xdotool("keyup", "ctrl")
        pulls = []
        for _ in range(60):
            xdotool("key", "Right")
            pulls.append(window.wait("pull"))
        first, last = pulls[0], pulls[-1]
        self.assertEqual((first["soft"], first["torque"]), ("block", [0, 0, 0]))
        self.assertLess(last["distance"], 0.5 * first["distance"])
        self.assertGreater(last["at"][2], first["at"][2])
        xdotool("mouseup", 3)
        window.wait("release")
        width, height, rgb = viewtest.read_png(window.key("p", "screenshot")["path"])
        self.assertEqual((width, height), (viewtest.WIDTH, viewtest.HEIGHT))

    def test_a_turned_body_turns(self):
        window = self.view("--paused", *LOOK_AT_BOX)
        xdotool("keydown", "ctrl")
        window.drag(1, 90, 0, release=False)
        xdotool("keyup", "ctrl")
        xdotool("key", "Right")
        turn = window.wait("turn")
        self.assertEqual(turn["body"], "box")
        # to the right about the view's up, which leans back by 20 degrees from z
        self.assertGreater(turn["torque"][2], 0)
        self.assertAlmostEqual(math.dist(turn["force"], (0, 0, 0)), 0)
        xdotool("mouseup", 1)
        window.wait("release")


class Drawing(ViewTest):
    OPTIONS = {"c": "contact_points", "f": "contact_forces", "j": "joint_axes", "b": "frames", "i": "inertia",
               "n": "mass_centers", "h": "hulls", "t": "transparent", "w": "wireframe", "u": "subsystem_colors",
               "l": "labels", "v": "tendons", "s": "shadows", "g": "ground_grid", "k": "sky", "o": "fog", "F1": "help",
               "F2": "info", "F4": "profiler", "F6": "physics", "F10": "menus"}

    def test_each_option_has_its_key(self):
        window = self.view("--paused")
        for key, name in self.OPTIONS.items():
            first = window.key(key, "option")
            second = window.key(key, "option")
            self.assertEqual((first["name"], second["name"]), (name, name))
            self.assertNotEqual(first["value"], second["value"], name)
        for group in range(6):
            event = window.key(f"shift+{group}", "option")
            self.assertEqual((event["name"], event["value"]), (f"group {group}", group > 2))

    def test_options_change_the_picture(self):
        window = self.view("--paused", *LOOK_AT_BOX)
        window.key("Right", "step")  # contacts
        plain = self.picture(window)[2]
        for key in ("c", "f", "j", "b", "i", "n", "t", "w", "u", "l", "s", "g", "k", "F2", "F4", "F6", "shift+0"):
            window.key(key, "option")
            self.assertNotEqual(self.picture(window)[2], plain, key)
            window.key(key, "option")
        self.assertEqual(self.picture(window)[2], plain)

    def test_screenshots_are_numbered_and_not_blank(self):
        window = self.view("--paused", "--screenshots", self.folder)
        paths = [window.key(key, "screenshot")["path"] for key in ("p", "F12")]
        self.assertEqual([os.path.basename(path) for path in paths], ["tenon-0001.png", "tenon-0002.png"])
        width, height, rows = viewtest.read_png(paths[0])
        self.assertEqual((width, height), (WIDTH, HEIGHT))
        self.assertGreater(len(colors(rows)), 20)

    def test_cameras_of_the_model(self):
        window = self.view("--paused")
        self.assertEqual(window.key("bracketright", "camera")["name"], "above")
        self.assertEqual(window.key("bracketright", "camera")["name"], "side")
        self.assertEqual(window.key("bracketright", "camera")["name"], "free")
        side = window.key("bracketleft", "camera")
        self.assertEqual(side["name"], "side")
        for value, expected in zip(side["eye"] + side["forward"], (0, -3, 0.5, 0, 1, 0)):
            self.assertAlmostEqual(value, expected, 9)
        self.assertEqual(window.key("Escape", "camera")["name"], "free")

    def test_resize(self):
        window = self.view("--paused")
        xdotool("windowsize", window.id, 640, 300)
        event = window.wait("resize")
        self.assertEqual((event["width"], event["height"]), (640, 300))
        self.assertEqual(self.picture(window)[:2], (640, 300))


# a motor and a servo on two joints, a sensor
ROBOT = """<mujoco model="robot">
  <option timestep="0.01" gravity="0 0 0"/>
  <worldbody>
    <body name="arm" pos="0 0 0.6">
      <joint name="swing" type="hinge" axis="0 1 0" range="-60 120" limited="true"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" mass="1"/>
      <body name="hand" pos="0 0 -0.4">
        <joint name="slide" type="slide" axis="0 0 1"/>
        <geom type="box" size="0.1 0.1 0.1" mass="1"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="swing" ctrlrange="0 4" ctrllimited="true"/></actuator>
  <sensor><jointpos name="angle" joint="swing"/></sensor>
</mujoco>
"""


class RobotTest(ViewTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("robot.xml", ROBOT)

    def saved_state(self, window):
        """The attributes of the keyframe that the key M saves, and its path."""
        path = window.key("m", "keyframe")["path"]
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            key = xml.etree.ElementTree.fromstring(file.read()).find("keyframe/key")
        return {name: [float(x) for x in text.split()] for name, text in key.attrib.items() if name != "name"}, path


class Signals(RobotTest):
    """The list at the right."""

    ROWS = {"push.ctrl", "swing.q0", "slide.q0", "angle.s0", "swing.v0", "slide.v0", "push.force"}

    def test_sliders_set_controls_and_joints_and_the_state_is_saved_as_a_keyframe(self):
        window = self.view("--paused")
        places = window.show("F3")
        self.assertLessEqual(self.ROWS, set(places))
        pixel = 1 / places["push.ctrl slider"]["width"]
        window.press("push.ctrl slider", 0.75)
        control = window.wait("slider")
        self.assertEqual(control["name"], "push.ctrl")
        self.assertAlmostEqual(control["value"], 3, delta=4 * pixel)
        window.press("swing.q0 slider", 0.5)
        joint = window.wait("slider")
        window.wait("set")
        self.assertEqual(joint["name"], "swing.q0")
        self.assertAlmostEqual(joint["value"], math.radians(30), delta=math.radians(180) * pixel)
        state, path = self.saved_state(window)
        self.assertEqual((state["qpos"], state["ctrl"], state["qvel"]), ([joint["value"], 0], [control["value"]], [0, 0]))
        window.end()
        # the file can be included and started from
        with open(self.model, encoding="utf-8") as file:
            self.write("again.xml", file.read().replace("</mujoco>", f'<include file="{path}"/></mujoco>'))
        out, _ = self.tenon("eval", "again.xml", "--key", "at_0_s", "--json")
        self.assertEqual(json.loads(out)["qpos"], state["qpos"])

    def test_joints_move_by_hand_only_while_paused(self):
        window = self.view()
        window.show("F3")
        window.press("swing.q0 slider", 0.9)
        window.press("push.ctrl slider", 0.25)  # a control moves
        self.assertEqual(window.wait("slider")["name"], "push.ctrl")
        self.assertNotIn("set", [event["event"] for event in window.seen])
        self.assertGreater(self.saved_state(window)[0]["ctrl"][0], 0.5)

    def test_a_press_on_a_name_shows_its_curve(self):
        window = self.view("--paused", "--curves", "angle.s0")
        self.assertEqual(window.wait("curve")["name"], "angle.s0")
        window.show("F3")
        for name in ("swing.q0", "slide.q0"):
            window.press(name, 0.02)
            event = window.wait("curve")
            self.assertEqual((event["name"], event["value"]), (name, True))
        window.press("slide.q0", 0.02)
        self.assertFalse(window.wait("curve")["value"])
        window.end()
        _, err = self.tenon("view", self.model, "--curves", "elbow.q0", code=2)
        self.assertIn("--curves: there is no signal 'elbow.q0'; the first is swing.q0", err)

    def test_the_model_is_loaded_again_and_the_camera_stays(self):
        window = self.view("--paused")
        window.drag(1, 90, 20)
        camera = window.wait("camera")
        self.write("robot.xml", ROBOT.replace('<sensor>', '<sensor><jointvel name="speed" joint="swing"/>'))
        self.assertTrue(window.key("F5", "reload")["value"])
        self.assertIn("speed.s0", window.show("F3"))
        window.show("F3")
        self.write("robot.xml", "<mujoco><nonsense/></mujoco>")
        self.assertFalse(window.key("F5", "reload")["value"])
        self.assertIn("speed.s0", window.show("F3"))  # the old one stays
        window.show("F3")
        self.assertEqual(window.key("Right", "step")["step"], 1)
        # a click tells where the camera is
        window.drag(1, 2, 0)
        after = window.wait("camera")
        self.assertLess(math.dist(camera["eye"], after["eye"]), 0.1)
        self.assertIn("robot.xml:1", window.stderr())


class Panels(RobotTest):
    """Menus and panels by the mouse, and what is only there by them."""

    def test_the_menus_have_what_the_help_has(self):
        out, _ = self.tenon("view", "--help")
        window = self.view("--paused")
        window.tell()
        xdotool("windowsize", window.id, 640, 600)  # where the longest menu fits
        window.wait("resize")
        for menu in ("File", "Time", "Camera", "Drawing", "Window"):
            rows = out.split(f"\n{menu}:\n")[1].split("\n\n")[0].splitlines()
            texts = [row[19:].strip() for row in rows]
            window.press(menu)
            window.wait("widgets_end")
            for text in texts:
                if text not in ("start from a keyframe", "a group of shapes", "go through the panels"):
                    self.assertIn(text, window.places)
        window.show("Escape")
        window.press("Drawing")
        window.wait("widgets_end")
        self.assertIn("group 5", window.places)
        for value in (True, False):  # it stays open
            window.press("inertia boxes")
            event = window.wait("option")
            self.assertEqual((event["name"], event["value"]), ("inertia", value))
        window.press("Time")
        window.wait("widgets_end")
        window.press("one step")
        self.assertEqual(window.wait("step")["step"], 1)

    def test_physics_is_changed_by_numbers_and_check_boxes(self):
        window = self.view("--paused")
        self.assertLessEqual({"gravity z, m/s\u00b2", "tolerance", "iterations"}, set(window.show("F6")))
        window.press("gravity z, m/s\u00b2", 0.9)
        xdotool("key", "minus", "1", "0")
        window.key("Return", "physics")
        window.press("timestep, s", 0.9)
        xdotool("type", "0.02")
        window.key("Return", "physics")
        step = window.key("Right", "step")
        self.assertAlmostEqual(step["time"], 0.02)
        # the slide carries the hand along z: v = -0.02 · 10, whatever the arm does in its upright pose
        state, _ = self.saved_state(window)
        self.assertAlmostEqual(state["qvel"][1], -0.2, delta=1e-9)  # the solver's tolerance is 1e-6 of g t
        window.press("push")
        window.wait("physics")

    def test_a_film_of_the_window(self):
        for variables in ({}, {"PATH": self.folder}):  # without ffmpeg: a folder
            window = self.view("--paused", "--screenshots", self.folder, **variables)
            start = window.key("F7", "film")
            self.assertTrue(start["value"])
            window.key("Right", "step")
            end = window.key("F7", "film")
            self.assertEqual((end["value"], end["path"]), (False, start["path"]))
            self.assertGreater(end["pictures"], 0)
            if os.path.isdir(end["path"]):
                self.assertEqual(len(os.listdir(end["path"])), end["pictures"])
            else:
                self.assertGreater(os.path.getsize(end["path"]), 500)
            window.end()
        self.assertTrue(end["path"].endswith("-film"))

    def test_recent_files_are_opened_from_the_menu(self):
        other = self.write("other.xml", viewtest.MODEL)
        self.open("view", other, "--paused").end()
        window = self.view("--paused")
        window.press("File")
        window.wait("widgets_end")
        window.press(next(name for name in window.places if name.endswith("other.xml")))
        event = window.wait("open")
        self.assertEqual((os.path.basename(event["path"]), event["value"]), ("other.xml", True))
        self.assertEqual(window.key("1", "reset")["key"], 1)  # a keyframe of the other model

    @unittest.skipUnless(viewtest.FAKE_GLFW, "GLFW cannot be linked")
    def test_a_dropped_file_is_shown_and_one_with_errors_is_not(self):
        drop = os.path.join(self.folder, "drop")
        window = self.view("--paused", TENON_GLFW=viewtest.FAKE_GLFW, FAKE_DROP=drop)
        for text, value in ((viewtest.MODEL, True), ("<mujoco><nonsense/></mujoco>", False)):
            path = self.write("dropped.xml", text)
            os.rename(self.write("dropping", path + "\n"), drop)  # whole at once
            event = window.wait("open")
            self.assertEqual((event["path"], event["value"]), (path, value))
        self.assertEqual(window.key("1", "reset")["key"], 1)

    @unittest.skipUnless(viewtest.FAKE_GLFW, "GLFW cannot be linked")
    def test_a_gamepad_moves_an_actuator(self):
        pad = os.path.join(self.folder, "pad")
        window = self.view("--paused", TENON_GLFW=viewtest.FAKE_GLFW, FAKE_PAD=pad)
        self.assertTrue(window.key("F8", "option")["value"])
        # half of what the stick has beyond its dead zone of 0.15; the range of the control is 0 to 4
        for axis, value in ((0.575, 3), (-1, 0), (0.1, 2)):
            os.rename(self.write("moved", f"{axis} 0 0 0 -1 -1\n"), pad)
            event = window.wait("slider")
            self.assertEqual(event["name"], "push.ctrl")
            self.assertAlmostEqual(event["value"], value, delta=1e-6)  # axes are floats
        os.rename(self.write("moved", "0 0 0 0 -1 -1 7\n"), pad)  # start
        window.wait("running")


class Ends(ViewTest):
    def test_quit_by_key(self):
        for key in ("q", "ctrl+q"):
            window = self.view("--paused")
            last, code = window.end(key)
            self.assertEqual((last["time"], code), (0, 0))

    def test_interrupt_gives_130(self):
        window = self.view("--paused")
        window.process.send_signal(signal.SIGINT)
        self.assertEqual(window.end(key=None)[1], 130)

    def test_no_display_is_said(self):
        out, err = self.tenon("view", self.model, code=4, DISPLAY="")
        self.assertEqual(out, "")
        self.assertIn("no display: set DISPLAY, or use 'tenon render', which needs no display", err)

    def test_wrong_use(self):
        self.assertIn("did you mean '--paused'", self.tenon("view", self.model, "--pause", code=2)[1])
        self.assertIn("'above', 'side'", self.tenon("view", self.model, "--camera", "nowhere", code=2)[1])
        self.assertIn("no key 'nowhere'", self.tenon("view", self.model, "--key", "nowhere", code=2)[1])
        self.tenon("view", "missing.xml", code=4)
        self.tenon("view", self.write("bad.xml", "<mujoco><worldbody><geom/></worldbody>"), code=3)
        self.assertIn("cannot be written", self.tenon("view", self.model, "--events", "no/such/folder", code=4)[1])

    def test_a_hidden_window_draws_where_egl_does_not(self):
        """Without a driver of EGL the same picture comes from a window of GLFW, and without a display there is none."""
        def picture(name, code=0, **more):
            _, err = self.tenon("render", self.model, "-o", name, "--size", "64x48", code=code, **more)
            path = os.path.join(self.folder, name)
            return open(path, "rb").read() if code == 0 else err

        no_driver = {"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent"}
        self.assertEqual(picture("window.png", **no_driver), picture("egl.png", TENON_GL="egl"))
        self.assertIn("no display", picture("none.png", code=4, DISPLAY="", **no_driver))
        self.assertIn("EGL finds no OpenGL driver", picture("none.png", code=4, TENON_GL="egl", **no_driver))
        self.assertIn("TENON_GL is cgl, not egl or glfw", picture("none.png", code=4, TENON_GL="cgl"))

    def test_help_teaches_mouse_and_keys(self):
        out, _ = self.tenon("view", "--help")
        for part in ("Ctrl+right drag", "Backspace", "contact forces", "--events", "--speed", "--threads", "--camera"):
            self.assertIn(part, out)


if __name__ == "__main__":
    pycheck.main()
