"""The package tenon-physics for npm: packed, installed from the tarball into an empty folder, used with Node.js; its types
checked; and tenon.wasm called from another runtime, wasmtime.

  test_package.py TENON ENGINE

ENGINE is tenon.wasm (cmake/wasm.sh). Parts are skipped where the engine, npm, tsc (npm ci in web/) or wasmtime is missing.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SCENES = os.path.join(ROOT, "scenes")
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))
import models  # noqa: E402
import pycheck  # noqa: E402

TENON, ENGINE = map(os.path.abspath, sys.argv[1:3])
TSC = os.path.join(ROOT, "web", "node_modules", ".bin", "tsc")
NEEDS_ENGINE = unittest.skipUnless(os.path.exists(ENGINE), "there is no tenon.wasm: cmake --build build --target tenon_wasm")


def run(*command, cwd=None):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, cwd=cwd, text=True)
    if done.returncode:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def portable_hashes():
    """By scene, after 30 steps; the first column is the portable kernels'."""
    with open(os.path.join(ROOT, "tests", "hashes", "table.txt"), encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    return {row[0]: row[1] for row in rows if len(row) >= 2}


@NEEDS_ENGINE
@unittest.skipUnless(shutil.which("npm") and shutil.which("node"), "there is no npm")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        package, cls.empty = (os.path.join(cls.temporary.name, name) for name in ("package", "empty"))
        os.mkdir(cls.empty)
        run("node", os.path.join(ROOT, "web", "npm", "build.mjs"), ENGINE, package)
        cls.packed = json.loads(run("npm", "pack", "--json", "--offline", cwd=package))[0]
        with open(os.path.join(cls.empty, "package.json"), "w", encoding="utf-8") as file:
            json.dump({"name": "empty", "private": True, "type": "module"}, file)
        tarball = os.path.join(package, cls.packed["filename"])
        run("npm", "install", "--offline", "--no-audit", "--no-fund", tarball, cwd=cls.empty)
        with open(os.path.join(cls.empty, "robot.urdf"), "w", encoding="utf-8") as file:
            file.write(models.URDF)
        with open(os.path.join(cls.empty, "link.stl"), "wb") as file:
            file.write(models.tetrahedron())
        for name in ("package_use.mjs", "types.ts"):
            shutil.copy(os.path.join(HERE, name), cls.empty)
        stir, cable = (os.path.join(SCENES, name + ".xml") for name in ("stir", "cable"))
        cls.seen = json.loads(run("node", "package_use.mjs", stir, cable, cls.empty, cwd=cls.empty))

    def test_the_package_has_what_it_needs_and_no_more(self):
        names = sorted(file["path"] for file in self.packed["files"])
        self.assertEqual(names, ["LICENSE", "README.md", "engine.js", "files.js", "index.d.ts", "index.js", "package.json", "tenon.wasm"])
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            self.assertIn(f"VERSION {self.packed['version']} ", file.read())

    def test_states_have_the_bits_of_the_portable_kernels(self):
        hashes = portable_hashes()
        self.assertEqual(self.seen["stir"]["hash"], hashes["stir"])
        self.assertEqual(self.seen["cable"]["hash"], hashes["cable"])

    def test_a_plan_drives_the_world(self):
        plan = self.seen["plan"]
        self.assertEqual(plan["none"], [False, "there is no plan", "there is no such goal"])
        self.assertEqual(plan["plan"], {"horizon": 15, "knot": 0.02, "every": 2, "goals": [
            {"cost": 0, "name": "goal", "place": [0.2, 0, 0.15], "axes": [1, 0, 1]}]})
        self.assertAlmostEqual(plan["box"], 0.1, delta=0.03)  # as the task asks
        self.assertEqual((plan["held"], plan["planning"]), (True, False))
        self.assertIn("task.txt:2: the model has no site or body 'bax'", plan["wrong"])
        self.assertEqual(plan["goal"], "there is no such goal")  # the first finger's place is not one in the world

    def test_a_restored_world_goes_on_with_the_same_bits(self):
        stir = self.seen["stir"]
        self.assertEqual((stir["restored"], stir["again"]), (stir["hash"], stir["later"]))

    def test_a_ball_falls(self):
        ball = self.seen["ball"]
        self.assertAlmostEqual(ball["z"], 1 - 0.5 * 9.81 * 0.2 ** 2, delta=1e-12)  # exact for constant force, but for rounding
        self.assertEqual(ball["poses"], [0, 0, ball["z"]])
        self.assertAlmostEqual(ball["held"], 1, delta=1e-12)
        self.assertAlmostEqual(ball["slow"], 5 - 0.5, delta=1e-12)

    def test_model_and_contacts_are_described(self):
        stir = self.seen["stir"]
        self.assertEqual(stir["bodies"], 226)
        self.assertGreater(stir["contacts"], 400)
        self.assertEqual(sorted(stir["contact"]), ["force", "gap", "geom1", "geom2", "normal", "pos"])
        self.assertAlmostEqual(sum(x * x for x in stir["contact"]["normal"]), 1, delta=1e-12)
        self.assertTrue(stir["report"]["converged"])
        self.assertEqual(self.seen["cable"]["cables"][0]["segments"], 640)

    def test_a_urdf_is_loaded_from_memory(self):
        urdf = self.seen["urdf"]
        self.assertEqual((urdf["fixed"], urdf["free"]), (1, 8))
        self.assertEqual([(joint["name"], joint["type"]) for joint in urdf["joints"]], [("turn", "hinge")])

    def test_what_is_wrong_is_said(self):
        wrong = self.seen["wrong"]
        for name, words in (("model", "model.xml:1"), ("file", "/nowhere/model.xml"), ("missing", "a.stl"), ("length", "0 numbers"),
                            ("state", "7 numbers"), ("friction", "negative"), ("body", "no such body"), ("key", "home"),
                            ("bytes", ""), ("text", "not a text")):
            self.assertIn(words, wrong[name], name)
            self.assertNotEqual(wrong[name], "nothing was wrong", name)
        self.assertIn("closed", self.seen["closed"])

    @unittest.skipUnless(os.path.exists(TSC), "there is no tsc: npm ci in web/")
    def test_types_say_what_there_is(self):
        run(TSC, "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "types.ts", cwd=self.empty)
        # every method that the declarations name is there, and the other way round
        with open(os.path.join(self.empty, "node_modules", "tenon-physics", "index.d.ts"), encoding="utf-8") as file:
            declared = file.read()
        listed = run("node", "--input-type=module", "-e", """
            import { World } from 'tenon-physics';
            const names = (one) => Object.getOwnPropertyNames(one);
            const base = Object.getPrototypeOf(World);
            console.log(JSON.stringify([...names(World.prototype), ...names(base.prototype)]));""", cwd=self.empty)
        inner = {"constructor", "string", "lend", "text", "doubles", "failed", "need", "numbers", "exactly", "calls", "describe", "scene", "frame"}
        for name in set(json.loads(listed)) - inner:
            self.assertRegex(declared, rf"\b{name}\b")


@NEEDS_ENGINE
class OtherRuntime(unittest.TestCase):
    def test_wasmtime_gives_the_same_bits(self):
        candidates = (os.environ.get("TENON_ZIG_PYTHON"), os.path.join(ROOT, ".venv", "bin", "python"), sys.executable)
        for python in candidates:
            if python and os.path.exists(python) and subprocess.run([python, "-c", "import wasmtime"], stderr=subprocess.DEVNULL).returncode == 0:
                break
        else:
            self.skipTest("there is no wasmtime: pip install -r tests/platforms/requirements.txt")
        out = run(python, os.path.join(HERE, "package_wasmtime.py"), ENGINE, SCENES, "stir.xml", 30)
        self.assertEqual(out.strip(), portable_hashes()["stir"])


if __name__ == "__main__":
    del sys.argv[1:]
    pycheck.main()
