"""Pages that simulate: tenon export MODEL --live -o PAGE.html, in a browser; and what they say where the engine is missing.

  test_live.py TENON ENGINE

ENGINE is tenon.wasm (cmake/wasm.sh). What needs no browser is always tested; the rest is skipped where the engine, node,
playwright-core (npm ci in web/) or chromium is missing. TENON_CHROMIUM names another browser, TENON_PICTURES a folder for
screenshots to look at.
"""
import base64
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))
import models  # noqa: E402
import pycheck  # noqa: E402

TENON, ENGINE = map(os.path.abspath, sys.argv[1:3])
STIR = os.path.join(ROOT, "scenes", "stir.xml")
TASKS = os.path.join(ROOT, "examples", "tasks")
HAS_ENGINE = os.path.exists(ENGINE)

# one of each kind that can be pulled, an arm that follows its control, and a keyframe
PARTS = """<mujoco model="parts">
  <option timestep="{timestep}" gravity="0 0 -{gravity}"/>
  <default><geom friction="{friction} 0.005 0.0001"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 0.1"/>
    <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" rgba="0.8 0.4 0.2 1"/></body>
    <body name="arm" pos="0.35 0 0.3">
      <joint name="shoulder" type="hinge" axis="0 1 0" damping="1"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
      <body name="hand" pos="0.3 0 0"><geom type="sphere" size="0.05"/></body>
    </body>
    <composite type="cable" prefix="c" curve="s" count="21 1 1" size="0.5" offset="-0.25 -0.5 0.02" initial="free">
      <geom type="capsule" size="0.012" rgba="0.2 0.3 0.7 1" density="1000"/>
      <joint kind="main" damping="0.001"/>
    </composite>
    <flexcomp name="ball" type="grid" dim="3" count="4 4 4" spacing="0.06 0.06 0.06" pos="-0.45 0 0.1" mass="0.3" radius="0.004">
      <elasticity young="4e4" poisson="0.3"/><contact friction="{friction} 0.005 0.0001"/>
    </flexcomp>
  </worldbody>
  <actuator><position name="elbow" joint="shoulder" kp="50" ctrlrange="-1 1"/></actuator>
  <keyframe><key name="raised" ctrl="{ctrl}"/></keyframe>
</mujoco>
"""


def run(*command, code=0, env=None):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=540, env={**os.environ, **(env or {})}, text=True)
    if done.returncode != code:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Files(unittest.TestCase):
    """What needs no browser."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = os.path.join(folder.name, "page.html")
        self.model = os.path.join(folder.name, "parts.xml")
        with open(self.model, "w", encoding="utf-8") as file:
            file.write(PARTS.format(timestep=0.002, gravity=9.81, friction=1, ctrl=0.5))
        self.engine = os.path.join(folder.name, "tenon.wasm")
        with open(self.engine, "wb") as file:
            file.write(b"\0asm\1\0\0\0 and more")

    def test_a_page_has_the_engine_and_the_model_in_it(self):
        out = run(TENON, "export", self.model, "--live", "-o", self.page, "--engine", self.engine)
        self.assertIn("simulates", out)
        with open(self.page, encoding="utf-8") as file:
            text = file.read()
        head = json.loads(re.search(r'id="tenon-head">(.*?)</script>', text, re.S).group(1))
        packed = base64.b64decode(re.search(r'id="tenon-data">(.*?)</script>', text, re.S).group(1), validate=True)
        sections, start = {}, 0
        for section in head["sections"]:
            sections[section["name"]] = zlib.decompress(packed[start:start + section["bytes"]], wbits=-15)
            start += section["bytes"]
        self.assertEqual(sections["engine"], b"\0asm\1\0\0\0 and more")
        self.assertEqual(sum(file["bytes"] for file in head["files"]), len(sections["files"]))
        self.assertIn(b"<mujoco", sections["files"])
        self.assertTrue(head["live"])
        # it may compile and start a worker, and still load nothing
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
        self.assertTrue(policy.startswith("default-src 'none';"))
        self.assertIn("'wasm-unsafe-eval'", policy)
        self.assertNotIn("http", policy)

    def test_a_missing_engine_is_said_with_what_to_install(self):
        out = run(TENON, "export", self.model, "--live", "-o", self.page, "--engine", "/nowhere/tenon.wasm", code=4)
        self.assertIn("/nowhere/tenon.wasm", out)
        alone = os.path.join(os.path.dirname(self.page), "bin", "tenon")
        os.mkdir(os.path.dirname(alone))
        shutil.copy(TENON, alone)
        out = run(alone, "export", self.model, "--live", "-o", self.page, code=4, env={"TENON_ENGINE": ""})
        self.assertIn("pip install", out)
        self.assertIn("tenon_wasm", out)
        self.assertIn("is no WebAssembly", run(TENON, "export", self.model, "--live", "-o", self.page, "--engine", self.model, code=4))
        self.assertFalse(os.path.exists(self.page))

    def test_options_that_would_be_ignored_are_errors(self):
        live = (TENON, "export", self.model, "--live", "--engine", self.engine)
        self.assertIn("for recordings", run(*live, "-o", self.page, "--fps", 10, code=2))
        self.assertIn(".html", run(*live, "-o", self.page + ".csv", code=2))
        self.assertIn("--live", run(TENON, "export", self.model, "-o", self.page, "--free-base", code=2))
        self.assertIn("--live makes a page", run(TENON, "export", self.model, "-o", self.page, code=4))

    def test_a_task_is_in_the_page_and_a_wrong_one_is_said(self):
        task = os.path.join(os.path.dirname(self.model), "task.txt")
        page = (TENON, "export", task, "--live", "-o", self.page, "--engine", self.engine)
        for text, words in (("model parts.xml\ncost point box running 1 goal 0 0 1\n", None),
                            ("model parts.xml\ncost point bax running 1\n", "task.txt:2: the model has no site or body 'bax'"),
                            ("model parts.xml\n", "no costs"), ("model none.xml\n", "none.xml: cannot be read")):
            with open(task, "w", encoding="utf-8") as file:
                file.write(text)
            out = run(*page, code=0 if not words else 4 if "none" in words else 3)
            self.assertIn(words or "simulates", out)
        with open(self.page, encoding="utf-8") as file:
            self.assertIn('"task": "task.txt"', file.read())

    def test_the_example_is_that_of_the_documentation(self):
        with open(os.path.join(ROOT, "docs", "control.md"), encoding="utf-8") as file:
            text = file.read()
        with open(os.path.join(TASKS, "push.xml"), encoding="utf-8") as file:
            self.assertIn("```xml\n" + file.read() + "```", text)

    def test_a_wrong_model_is_said_as_everywhere(self):
        with open(self.model, "w", encoding="utf-8") as file:
            file.write("<mujoco><worldbody><geom type='cube'/></worldbody></mujoco>")
        out = run(TENON, "export", self.model, "--live", "-o", self.page, "--engine", self.engine, code=3)
        self.assertIn("parts.xml:1", out)


def why_not():
    if not HAS_ENGINE:
        return "there is no tenon.wasm: cmake --build build --target tenon_wasm"
    if not shutil.which("node"):
        return "there is no node"
    if not os.path.exists(os.path.join(ROOT, "web", "node_modules", "playwright-core")):
        return "there is no playwright-core: npm ci in web/"
    if not BROWSER:
        return "there is no chromium"
    return None


BROWSER = os.environ.get("TENON_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@unittest.skipIf(why_not(), why_not())
class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        at = lambda name: os.path.join(cls.temporary.name, name)  # noqa: E731
        cls.recording = at("saved.tnr")
        for name, values in (("parts", (0.002, 9.81, 1, 0.5)), ("changed", (0.005, 3.7, 0.5, 0.3))):
            timestep, gravity, friction, ctrl = values
            text = PARTS.format(timestep=timestep, gravity=gravity, friction=friction, ctrl=ctrl)
            if name == "changed":  # all three coefficients are half as large
                text = text.replace("0.5 0.005 0.0001", "0.5 0.0025 0.00005")
            with open(at(name + ".xml"), "w", encoding="utf-8") as file:
                file.write(text)
        with open(at("robot.urdf"), "w", encoding="utf-8") as file:
            file.write(models.URDF)
        with open(at("link.stl"), "wb") as file:
            file.write(models.tetrahedron())
        for model, page in ((STIR, "stir.html"), (at("parts.xml"), "parts.html"), (os.path.join(TASKS, "lift.txt"), "lift.html")):
            run(TENON, "export", model, "--live", "-o", at(page), "--engine", ENGINE)
        cls.changed = at("changed.xml")
        pictures = [os.environ["TENON_PICTURES"]] if os.environ.get("TENON_PICTURES") else []
        out = run("node", os.path.join(HERE, "live.mjs"), BROWSER, at("stir.html"), at("parts.html"), at("lift.html"), at("robot.urdf"),
                  at("link.stl"), cls.recording, *pictures)
        cls.seen = json.loads(out.strip().splitlines()[-1])

    def native(self, *arguments):
        return json.loads(run(TENON, "run", *arguments, "--isa", "portable", "--json"))

    def test_nothing_goes_wrong_and_nothing_is_loaded(self):
        for name, part in self.seen.items():
            self.assertEqual((part["trouble"], part["requests"]), ([], []), name)

    def test_a_hundred_steps_of_stir_have_the_bits_of_the_program(self):
        stir = self.seen["stir"]
        self.assertEqual(stir["after"]["hash"], self.native(STIR, "--duration", "1")["state_hash"])
        self.assertEqual(stir["again"]["hash"], stir["after"]["hash"])  # after running on and a reset
        self.assertEqual(stir["start"], 0)
        self.assertTrue(stir["running"])
        self.assertGreater(stir["contacts"], 400)

    def test_stir_takes_twenty_megabytes(self):
        # 16 MB when this was written; the engine's memory grows in pages of 64 kB
        self.assertLess(self.seen["stir"]["after"]["memory"], 20e6)

    def test_words_say_what_it_is_and_every_control_has_a_name(self):
        self.assertEqual(self.seen["stir"]["title"], "stir")
        self.assertIn("225 bodies in 217 subsystems", self.seen["stir"]["facts"])
        self.assertEqual(self.seen["stir"]["nameless"], [])

    def test_what_is_dragged_comes_along(self):
        parts = self.seen["parts"]
        for before, after in ((parts["free"], parts["pulled"]), (parts["softBefore"], parts["softAfter"]),
                              (parts["cableBefore"], parts["cableAfter"])):
            # 100 pixels up are about 0.3 m; the spring stands for a twentieth of the picture per weight below that
            self.assertGreater(after[2] - before[2], 0.05)
        moved = max(abs(a - b) for a, b in zip(parts["before"], parts["turned"]))
        self.assertGreater(moved, 0.01)  # beside all bodies a drag turns the view

    def test_sliders_change_the_world(self):
        parts = self.seen["parts"]
        self.assertAlmostEqual(parts["floating"][2], 0.1, delta=1e-6)  # no gravity: the box rests where it is
        self.assertAlmostEqual(parts["ctrl"][0], 0.2, delta=0.006)  # 40 of 400 places of its range, from the middle
        # without gravity the arm turns by its control: x = 0.35 + 0.3 cos 0.2, z = 0.3 - 0.3 sin 0.2; damping 1 and kp 50
        # leave 0.2 e^(-25) after 0.5 s
        self.assertAlmostEqual(parts["lifted"][2], 0.3 - 0.3 * 0.19867, delta=0.003)
        self.assertIn("friction", parts["note"])
        for part in ("gravity=0", "timestep=0.005", "friction=0.5", "tolerance=0.0001", "ctrl=0.2", "camera="):
            self.assertIn(part, parts["hash"])

    def test_a_recording_of_the_page_is_one_of_the_program(self):
        info = run(TENON, "info", self.recording)
        self.assertRegex(info, r"time +0\.5 s \.\.\. 0\.7 s")
        self.assertRegex(info, r"frames +6\n")  # 25 per second, with both ends
        self.assertRegex(info, r"cut off +no")

    def test_the_address_holds_the_state(self):
        address = self.seen["address"]
        native = self.native(self.changed, "--duration", "0.5", "--tolerance", "1e-4", "--key", "raised")
        self.assertEqual(address["state"]["hash"], native["state_hash"])
        self.assertAlmostEqual(address["state"]["time"], 0.5, delta=1e-9)
        for got, wanted in zip(address["camera"], (2, -1, 1.5)):
            self.assertAlmostEqual(got, wanted, delta=1e-6)
        self.assertEqual(address["note"], "")
        self.assertIn("t, colour", address["wrong"])
        self.assertEqual((address["ctrl"], address["keyed"]), ([0.3], [0.5]))

    def test_a_plan_has_the_bits_of_the_program(self):
        def planned(goal):
            task = os.path.join(self.temporary.name, "lift.txt")
            with open(os.path.join(TASKS, "lift.txt"), encoding="utf-8") as file:
                text = file.read().replace("goal 0.2 0 0.15", "goal " + goal)
            with open(task, "w", encoding="utf-8") as file:
                file.write(text.replace("model lift.xml", "model " + os.path.join(TASKS, "lift.xml")))
            out = run(TENON, "plan", task, "--duration", "2", "--json", env={"TENON_ISA": "portable"})
            return json.loads(out[:out.rindex("}") + 1])["state_hash"]
        plan = self.seen["plan"]
        self.assertEqual(plan["first"]["hash"], planned("0.2 0 0.15"))
        self.assertEqual(plan["reset"]["hash"], plan["first"]["hash"])  # after another goal and back
        self.assertEqual(plan["addressed"], planned("0.3 0 0.1"))

    def test_a_goal_is_dragged_and_the_box_comes_along(self):
        plan = self.seen["plan"]
        self.assertTrue(plan["first"]["plan"]["planning"])
        self.assertEqual(plan["first"]["plan"]["goals"], [[0.2, 0, 0.15]])
        [x, y, z], = plan["dragged"]["plan"]["goals"]
        self.assertEqual(y, 0)  # its cost does not weigh that direction
        self.assertLess(x, 0.1)
        self.assertGreater(z, 0.2)
        for part in ("first", "dragged", "typed"):  # as the task asks: within 0.03
            goal, box = plan[part]["plan"]["goals"][0], plan[part]["box"]
            self.assertLess(math.hypot(goal[0] - box[0], goal[2] - box[2]), 0.03, part)
        self.assertAlmostEqual(plan["typed"]["plan"]["goals"][0][0], 0.1)
        self.assertIn("goals=", plan["address"])
        # a control that is moved is taken from the plan, until the plan has them again
        self.assertFalse(plan["byHand"]["plan"]["planning"])
        self.assertEqual(plan["byHand"]["ctrl"][0], 0)
        self.assertTrue(plan["again"]["planning"])

    def test_models_of_the_user_are_loaded(self):
        files = self.seen["files"]
        self.assertEqual(files["urdf"]["bodies"][1:], ["base", "link"])
        self.assertEqual(files["urdf"]["canvases"], 1)
        self.assertIn("link.stl", files["missing"])
        self.assertIn("no model among these files", files["none"])
        self.assertEqual(files["still"][1:], ["base", "link"])  # what was there goes on

    def test_a_phone_shows_all_of_it_and_a_finger_pulls(self):
        phone = self.seen["phone"]
        self.assertTrue(phone["hidden"])
        self.assertLessEqual(phone["wide"], 390)
        self.assertLessEqual(max(phone["buttons"]), 390)
        self.assertLessEqual(phone["panel"]["x"] + phone["panel"]["width"], 390)
        self.assertGreater(phone["after"][2] - phone["before"][2], 0.02)  # 80 pixels of a smaller picture


if __name__ == "__main__":
    del sys.argv[1:]
    pycheck.main()
