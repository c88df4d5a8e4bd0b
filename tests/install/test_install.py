"""The installed library as others use it: installs into an empty prefix, builds the examples with CMake and
one with pkg-config, and runs them.

    test_install.py CMAKE BUILD_FOLDER C_COMPILER GENERATOR
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))
import pycheck  # noqa: E402
from process import run  # noqa: E402

CMAKE, BUILD, COMPILER, GENERATOR = sys.argv[1:5]


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        # installed in one place, used in another: nothing may remember the first
        first = os.path.join(cls.folder.name, "first")
        cls.prefix = os.path.join(cls.folder.name, "prefix")
        run(CMAKE, "--install", BUILD, "--prefix", first)
        os.rename(first, cls.prefix)
        cls.libdir = next(where for where, _, names in os.walk(cls.prefix) if "libtenon.so" in names)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_examples_build_with_cmake_and_run(self):
        build = os.path.join(self.folder.name, "example-cmake")
        run(CMAKE, "-S", os.path.join(ROOT, "examples"), "-B", build, "-G", GENERATOR,
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={COMPILER}")
        run(CMAKE, "--build", build)
        shared = run(os.path.join(build, "hello_world"))
        static = run(os.path.join(build, "hello_world_static"))
        self.assertIn("the ball rests", shared)
        self.assertEqual(shared, static)
        self.assertIn("the tip stuck, then slid", run(os.path.join(build, "own_dynamics")))
        camera = os.path.join(build, "camera")
        if os.path.exists(camera):  # there are headers of OpenGL; a driver may still be missing
            done = subprocess.run([camera, os.path.join(build, "camera.ppm")], stdout=subprocess.PIPE, text=True, timeout=300)
            self.assertRegex(done.stdout, "no pictures: " if done.returncode else "the ball is 1.500 m away")

    @unittest.skipUnless(shutil.which("pkg-config"), "there is no pkg-config")
    def test_example_builds_with_pkg_config_and_runs(self):
        where = {"PKG_CONFIG_PATH": os.path.join(self.libdir, "pkgconfig")}
        version = run("pkg-config", "--modversion", "tenon", **where).strip()
        self.assertEqual(run(os.path.join(self.prefix, "bin", "tenon"), "--version").strip(), f"tenon {version}")
        flags = run("pkg-config", "--cflags", "--libs", "tenon", **where).split()
        program = os.path.join(self.folder.name, "example-pkg-config")
        run(COMPILER, os.path.join(ROOT, "examples", "hello_world.c"), "-o", program, *flags)
        self.assertIn("the ball rests", run(program, LD_LIBRARY_PATH=self.libdir))

    @unittest.skipUnless(shutil.which("pkg-config"), "there is no pkg-config")
    def test_example_links_the_static_library_through_pkg_config(self):
        where = {"PKG_CONFIG_PATH": os.path.join(self.libdir, "pkgconfig")}
        flags = run("pkg-config", "--static", "--cflags", "--libs", "tenon", **where).split()
        flags = [os.path.join(self.libdir, "libtenon.a") if flag == "-ltenon" else flag for flag in flags]
        program = os.path.join(self.folder.name, "example-static")
        run(COMPILER, os.path.join(ROOT, "examples", "hello_world.c"), "-o", program, *flags)
        self.assertIn("the ball rests", run(program))

    def test_every_installed_header_compiles_alone_as_c_and_cpp(self):
        include = os.path.join(self.prefix, "include")
        headers = sorted(os.listdir(os.path.join(include, "tenon")))
        self.assertIn("tenon.h", headers)
        source = os.path.join(self.folder.name, "alone.c")
        for header in headers:
            with open(source, "w", encoding="utf-8") as file:
                file.write(f"#include <tenon/{header}>\n")
            run(COMPILER, "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{include}", "-fsyntax-only", source)
            if shutil.which("c++"):
                run("c++", "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{include}", "-fsyntax-only", source)

    @unittest.skipUnless(shutil.which("nm"), "there is no nm")
    def test_shared_library_exports_the_public_functions_and_nothing_else(self):
        include = os.path.join(self.prefix, "include", "tenon")
        public = {"tenon": set(), "tenon_render": set()}
        for header in os.listdir(include):
            with open(os.path.join(include, header), encoding="utf-8") as file:
                public["tenon_render" if header == "render.h" else "tenon"] |= set(
                    re.findall(r"^TN_API\b[^;(]*?(\w+)\(", file.read(), re.MULTILINE))
        for library, functions in public.items():
            if functions:  # render.h comes with its library
                table = run("nm", "-D", "--defined-only", os.path.join(self.libdir, f"lib{library}.so"))
                self.assertEqual({line.split()[-1] for line in table.splitlines()}, functions)

    @unittest.skipUnless(shutil.which("nm"), "there is no nm")
    def test_the_library_calls_nothing_that_rounds_differently_elsewhere(self):
        # docs/determinism.md; src/math/own_math.h has the library's own
        differ = set()
        for name in ("sin cos tan sincos asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 "
                     "log10 log1p pow cbrt hypot erf erfc lgamma tgamma fmin fmax fma j0 j1 y0 y1").split():
            differ |= {name, name + "f", name + "l"}
        table = run("nm", "-D", "--undefined-only", os.path.join(self.libdir, "libtenon.so"))
        called = {line.split()[-1].split("@")[0] for line in table.splitlines()}
        self.assertIn("malloc", called)  # the table is as expected
        self.assertEqual(called & differ, set())

    def test_installed_program_runs_and_finds_the_scenes(self):
        program = os.path.join(self.prefix, "bin", "tenon")
        self.assertRegex(run(program, "--version"), r"^tenon \d+\.\d+\.\d+")
        if not os.path.exists(os.path.join(ROOT, "scenes", "stir.xml")):
            self.skipTest("there is no scenes/stir.xml")
        run(program + "-bench", "scene", "stir", "--duration", "0.02", "--repeats", "1", "--aav-samples", "0", "--quiet")


if __name__ == "__main__":
    pycheck.main()
