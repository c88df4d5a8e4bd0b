"""tenon inside another CMake project: the library alone, under the names of the installed package, with nothing switched on
that the other project did not ask for.

    test_subproject.py CMAKE BUILD_FOLDER C_COMPILER GENERATOR

The library's objects are those of BUILD_FOLDER: a compiler launcher copies them, so nothing of it is compiled twice; what
is tested is the project files, the linking and the program that comes out."""
import os
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

LAUNCHER = r"""#!/bin/sh
for argument; do
    case $before in
    -o) out=$argument ;;
    -MF) : >"$argument" ;;
    esac
    before=$argument
done
case $out in
*/tenon_objects.dir/*) exec cp "{objects}/${{out##*/tenon_objects.dir/}}" "$out" ;;
esac
exec "$@"
"""
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(outside LANGUAGES C)
{get_tenon}
foreach(kind tenon static)
  add_executable(hello_${{kind}} {hello})
  target_link_libraries(hello_${{kind}} PRIVATE tenon::${{kind}})
endforeach()
"""
ADD = 'add_subdirectory("{root}" tenon)'
FETCH = """include(FetchContent)
FetchContent_Declare(tenon SOURCE_DIR "{root}")
FetchContent_MakeAvailable(tenon)"""


class Subproject(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.build = os.path.join(self.folder, "build")

    def tearDown(self):
        self.temporary.cleanup()

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def configure(self, get_tenon):
        self.write("CMakeLists.txt", PROJECT.format(get_tenon=get_tenon.format(root=ROOT),
                                                    hello=os.path.join(ROOT, "examples", "hello_world.c")))
        launcher = self.write("launcher", LAUNCHER.format(objects=os.path.join(BUILD, "CMakeFiles", "tenon_objects.dir")))
        os.chmod(launcher, 0o755)
        run(CMAKE, "-S", self.folder, "-B", self.build, "-G", GENERATOR, f"-DCMAKE_C_COMPILER={COMPILER}",
            f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}")

    def test_added_as_a_folder_it_builds_the_library_alone_and_programs_run(self):
        self.configure(ADD)
        run(CMAKE, "--build", self.build)
        shared, static = (run(os.path.join(self.build, f"hello_{kind}")) for kind in ("tenon", "static"))
        self.assertIn("the ball rests", shared)
        self.assertEqual(shared, static)
        made = {name for _, _, names in os.walk(self.build) for name in names}
        self.assertIn("libtenon.a", made)
        for stranger in ("tenon", "tenon-bench", "search", "test_world", "tenonConfig.cmake"):
            self.assertNotIn(stranger, made)
        with open(os.path.join(self.build, "CMakeCache.txt"), encoding="utf-8") as file:
            cache = file.read()
        self.assertRegex(cache, r"(?m)^CMAKE_BUILD_TYPE:\w+=$")  # the outer project's own choice: none
        self.assertRegex(cache, r"(?m)^TENON_BUILD_TESTS:BOOL=OFF$")

    def test_fetched_it_has_the_same_names(self):
        self.configure(FETCH)  # fails where a target is unknown


if __name__ == "__main__":
    pycheck.main()
