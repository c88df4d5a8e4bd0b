"""Other processors under emulation, where qemu is installed (qemu-user-static, gcc-aarch64-linux-gnu), and other systems,
where zig is, with wasmtime or Wine: the quick part of tests/platforms/*.sh, which do all of it.

    test_platforms.py HASHES TABLE
"""
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import pycheck  # noqa: E402

HASHES, TABLE = sys.argv[1:3]
SCENES = ["cradle", "heavy", "pinch", "press", "rolling_disc"]  # those that take a tenth of a second
QEMU_X86 = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")
QEMU_ARM = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
ARM_COMPILER = shutil.which("aarch64-linux-gnu-gcc")


def run(*command, timeout=300):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=timeout)


@unittest.skipUnless(QEMU_X86 and platform.machine() == "x86_64", "there is no qemu-x86_64, or this is no x86-64")
class OldProcessors(unittest.TestCase):
    def hashes_on(self, processor):
        return run(QEMU_X86, "-cpu", processor, HASHES, TABLE, "2", *SCENES).stdout

    def test_without_avx_the_portable_kernels_run_and_give_their_hashes(self):
        # per scene: the hash, and two threads; two sets of kernels are not there
        self.assertIn("10 passed, 0 failed, 10 skipped", self.hashes_on("Nehalem"))

    def test_with_avx2_its_kernels_are_taken(self):
        out = self.hashes_on("Haswell")
        if "10 passed, 0 failed, 10 skipped" in out:
            self.skipTest("this qemu has no AVX2, or the table is of another compiler")
        self.assertIn("15 passed, 0 failed, 5 skipped", out)


@unittest.skipUnless(QEMU_ARM and ARM_COMPILER, "there is no qemu-aarch64 or no aarch64-linux-gnu-gcc")
class Arm(unittest.TestCase):
    def test_own_functions_have_the_bits_of_other_processors(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "test_own_math")
            names = ("arc", "exponential", "roots", "trigonometry")
            sources = [os.path.join(ROOT, "src", "math", name + ".c") for name in names]
            sources += [os.path.join(ROOT, "tests", "math", "test_own_math.c"), os.path.join(ROOT, "tests", "main.c")]
            built = run(ARM_COMPILER, "-std=c17", "-D_GNU_SOURCE", "-O2", "-ffp-contract=off", "-static",
                        "-I" + os.path.join(ROOT, "src"), *sources, "-o", program, "-lm")
            self.assertEqual(built.stdout, "")
            self.assertIn("1 passed, 0 failed", run(QEMU_ARM, program, "bits_are_the_same").stdout)


class Address(unittest.TestCase):
    def test_packages_get_the_address_of_their_repository(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("pyproject.toml", "CITATION.cff"):
                shutil.copy(os.path.join(ROOT, name), folder)
            shutil.copytree(os.path.join(ROOT, "packaging"), os.path.join(folder, "packaging"))
            script = os.path.join(folder, "packaging", "set_address.sh")
            self.assertEqual(run(script, "http://forge.test/tenon").returncode, 2)
            done = run(script, "https://forge.test/team/tenon")
            self.assertEqual(done.returncode, 0, done.stdout)
            text = {}
            for path, _, names in os.walk(folder):
                for name in names:
                    with open(os.path.join(path, name), encoding="utf-8") as file:
                        text[os.path.relpath(file.name, folder)] = file.read()
            for name in ("packaging/conan/conanfile.py", "packaging/conda-forge/recipe.yaml", "packaging/vcpkg/tenon/vcpkg.json",
                         "CITATION.cff", "pyproject.toml"):
                self.assertIn("https://forge.test/team/tenon", text[name], name)
                self.assertNotIn("example.org", text[name], name)
            # urls are a table of their own, and what follows is where it was
            before, urls, after = re.fullmatch(r"(.*)\[project.urls\]\n(.*?)\n\n(\[project.scripts\]\n.*)", text["pyproject.toml"], re.S).groups()
            self.assertEqual(len(urls.splitlines()), 3)
            with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as file:
                self.assertEqual(file.read(), before + after)
            self.assertEqual(run(script, "https://forge.test/team/tenon").returncode, 1)


class Systems(unittest.TestCase):
    """20 to 60 s each on two idle cores when built anew, 5 s when not."""

    def quick_part(self, script):
        done = run(os.path.join(HERE, script), "--quick", timeout=580)
        if done.returncode == 77:
            self.skipTest(done.stdout.strip().splitlines()[-1])
        self.assertEqual(done.returncode, 0, "\n" + done.stdout[-4000:])
        return done.stdout

    def test_webassembly_has_the_same_bits(self):
        # per scene: the hash, and two threads, of which there is one; two sets of kernels are not there
        self.assertIn("10 passed, 0 failed, 10 skipped", self.quick_part("wasm.sh"))

    def test_windows_has_the_same_bits(self):
        out = self.quick_part("windows.sh")
        self.assertIn("10 passed, 0 failed, 10 skipped", out)
        self.assertIn("films: passed", out)

    def test_macos_compiles_and_links(self):
        self.assertIn("aarch64-macos: compiled and linked", self.quick_part("macos.sh"))


if __name__ == "__main__":
    pycheck.main()
