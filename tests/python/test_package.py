"""The Python package as others get it: a wheel, installed into an empty environment, and the tests of python/tests there.

    test_package.py BUILD_FOLDER

The library inside is that of BUILD_FOLDER, so nothing of it is compiled twice. Everything is skipped where the tools of
python/requirements.txt are missing (./test installs them into .venv)."""
import glob
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(sys.argv[1])
PYTHON = os.path.join(ROOT, ".venv", "bin", "python")
LARGEST = 15e6  # bytes: what a wheel may have
# python/src/old_glibc.c keeps the wheel on the glibc of manylinux_2_17. Systems after this have names that nobody tried.
GLIBC, TRIED = (2, 17), (2, 37)
TOOLS = """
import os, sys, sysconfig
import nanobind, numpy, pytest, scikit_build_core
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(0 if os.path.exists(header) else f"{header} is missing (python3-dev)")
"""


def finish(passed, failed, skipped=0):
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed else 0)


def run(*command, cwd):
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=clean, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=560)
    return done.returncode, done.stdout


def must(*command, cwd):
    status, output = run(*command, cwd=cwd)
    if status:
        print(f"{' '.join(command)}: exit code {status}\n{output}")
        finish(0, 1)
    return output


def missing():
    """Why there is nothing to test with, or ''."""
    if not os.path.exists(PYTHON):
        return "there is no .venv"
    status, output = run(PYTHON, "-c", TOOLS, cwd=HERE)
    return output.strip().splitlines()[-1] if status else ""


def build_wheel(folder):
    must(PYTHON, "-m", "pip", "wheel", ROOT, "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
         "-w", folder, f"--config-settings=cmake.define.TENON_PREBUILT={BUILD}",
         f"--config-settings=build-dir={BUILD}/python", cwd=folder)
    wheel, = glob.glob(os.path.join(folder, "*.whl"))
    kept = os.path.join(BUILD, "python-wheel")  # for test_learning.py
    shutil.rmtree(kept, ignore_errors=True)
    os.makedirs(kept)
    shutil.copy(wheel, kept)
    return wheel


def check_wheel(wheel):
    """What is wrong with the file, one line each."""
    names = zipfile.ZipFile(wheel).namelist()
    problems = [f"the wheel has no {name}" for name in ("tenon/__init__.py", "tenon/py.typed", "tenon/_core.pyi",
                                                        "tenon/scenes/stir.xml", "tenon/scenes/stir_track.csv")
                if name not in names]
    if os.path.getsize(wheel) > LARGEST:
        problems.append(f"the wheel has {os.path.getsize(wheel)} bytes, more than {LARGEST:g}")
    return problems + check_module(wheel, next(name for name in names if name.endswith(".so")))


def check_module(wheel, module):
    """The module needs libc and libm alone, and no newer one than the tag of the wheel promises."""
    if not shutil.which("objdump") or platform.machine() != "x86_64":
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = zipfile.ZipFile(wheel).extract(module, folder)
        needed = must("objdump", "-p", path, cwd=folder)
        symbols = must("objdump", "-T", path, cwd=folder)
    libraries = set(re.findall(r"NEEDED +(\S+)", needed))
    problems = [f"the module needs {name}" for name in libraries - {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}]
    system = tuple(map(int, re.findall(r"\d+", platform.libc_ver()[1])))
    if platform.libc_ver()[0] == "glibc" and system <= TRIED:
        newest = {tuple(map(int, version.split("."))): name for version, name in re.findall(r"GLIBC_([\d.]+)\)? +(\S+)", symbols)}
        problems += [f"the module needs {name} of glibc {'.'.join(map(str, version))}"
                     for version, name in newest.items() if version > GLIBC]
    return problems


def install(wheel, folder):
    """An environment with nothing but the wheel; NumPy and pytest are seen from where they are."""
    must(PYTHON, "-m", "venv", "--without-pip", folder, cwd=HERE)
    python = os.path.join(folder, "bin", "python")
    must(PYTHON, "-m", "pip", "--python", python, "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index",
         wheel, cwd=HERE)
    ask = "import sysconfig; print(sysconfig.get_path('platlib'))"
    tools = must(PYTHON, "-c", ask, cwd=HERE).strip()
    own = must(python, "-c", ask, cwd=HERE).strip()
    with open(os.path.join(own, "tools.pth"), "w", encoding="utf-8") as file:
        file.write(tools + "\n")
    return python


def main():
    why = missing()
    if why:
        print(f"skipped: {why}")
        finish(0, 0, 1)
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(folder)
        problems = check_wheel(wheel)
        python = install(wheel, os.path.join(folder, "empty"))
        _, output = run(python, "-m", "pytest", "-q", "--import-mode=importlib", "-p", "no:cacheprovider",
                        os.path.join(ROOT, "python", "tests"), cwd=folder)
    print(output)
    for problem in problems:
        print(problem)
    last = output.strip().splitlines()[-1] if output.strip() else ""
    count = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|error)", last)}
    failed = count.get("failed", 0) + count.get("error", 0) + len(problems)
    if not count.get("passed"):
        failed = max(failed, 1)
    finish(count.get("passed", 0), failed, count.get("skipped", 0))


main()
