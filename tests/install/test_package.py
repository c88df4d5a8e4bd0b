"""The Debian package that `cpack -G DEB` makes: unpacked into a folder, its program runs and others build with its library.

    test_package.py CMAKE BUILD_FOLDER C_COMPILER GENERATOR
"""
import glob
import os
import shutil
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
CPACK = os.path.join(os.path.dirname(CMAKE), "cpack")

PROJECT = """cmake_minimum_required(VERSION 3.22)
project(outside LANGUAGES C)
find_package(tenon 0.1 REQUIRED)
add_executable(hello {hello})
target_link_libraries(hello PRIVATE tenon::tenon)
"""


@unittest.skipUnless(shutil.which("dpkg-deb") and os.path.exists(CPACK), "there is no dpkg-deb or no cpack")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        run(CPACK, "-G", "DEB", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", cls.folder,
            "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")  # quicker than the default, xz
        cls.package, = glob.glob(os.path.join(cls.folder, "*.deb"))
        cls.root = os.path.join(cls.folder, "root")
        run("dpkg-deb", "-x", cls.package, cls.root)
        cls.hello = os.path.join(ROOT, "examples", "hello_world.c")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_it_names_itself_its_version_and_what_it_needs(self):
        def field(name):
            return run("dpkg-deb", "-f", self.package, name).strip()
        version = run(os.path.join(self.root, "usr", "bin", "tenon"), "--version").split()[1]
        architecture = run("dpkg", "--print-architecture").strip()
        self.assertEqual(os.path.basename(self.package), f"tenon_{version}_{architecture}.deb")
        self.assertEqual([field("Package"), field("Version"), field("Architecture")], ["tenon", version, architecture])
        for library in ("libc6", "libexpat1", "zlib1g"):
            self.assertIn(library, field("Depends"))

    def test_all_of_it_is_below_usr_and_licences_come_with_it(self):
        self.assertEqual(os.listdir(self.root), ["usr"])
        licences = os.listdir(os.path.join(self.root, "usr", "share", "doc", "tenon"))
        self.assertEqual(sorted(licences), ["LICENSE", "LICENSE.font.txt", "LICENSE.three.txt"])

    def test_its_programs_find_the_scenes_and_run(self):
        program = os.path.join(self.root, "usr", "bin", "tenon")
        scene = os.path.join(self.root, "usr", "share", "tenon", "scenes", "stir.xml")
        page = os.path.join(self.folder, "stir.html")
        recording = os.path.join(self.folder, "stir.tnr")
        self.assertIn("stir", run(program, "run", scene, "--duration", "0.05", "--record", recording))
        run(program, "export", recording, "-o", page)
        self.assertGreater(os.path.getsize(page), 100_000)  # the player alone has more
        run(program + "-bench", "scene", "stir", "--duration", "0.02", "--repeats", "1", "--aav-samples", "0", "--quiet")

    @unittest.skipUnless(shutil.which("pkg-config"), "there is no pkg-config")
    def test_a_program_builds_with_pkg_config(self):
        pc, = glob.glob(os.path.join(self.root, "usr", "**", "tenon.pc"), recursive=True)
        flags = run("pkg-config", "--cflags", "--libs", "tenon", PKG_CONFIG_PATH=os.path.dirname(pc)).split()
        program = os.path.join(self.folder, "hello-pkg-config")
        run(COMPILER, self.hello, "-o", program, *flags)
        self.assertIn("the ball rests", run(program, LD_LIBRARY_PATH=os.path.dirname(os.path.dirname(pc))))

    def test_a_program_builds_with_cmake(self):
        with open(os.path.join(self.folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(PROJECT.format(hello=self.hello))
        build = os.path.join(self.folder, "build")
        run(CMAKE, "-S", self.folder, "-B", build, "-G", GENERATOR, f"-DCMAKE_PREFIX_PATH={self.root}/usr",
            f"-DCMAKE_C_COMPILER={COMPILER}")
        run(CMAKE, "--build", build)
        self.assertIn("the ball rests", run(os.path.join(build, "hello")))


if __name__ == "__main__":
    pycheck.main()
