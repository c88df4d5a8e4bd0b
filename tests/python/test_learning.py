"""Stable-Baselines3, rsl_rl and skrl learn in environments of tenon.gym, with the wheel that test_package.py made.

    test_learning.py BUILD_FOLDER

The environment .venv-learning has the oldest versions that the package works with (./test makes it). Skipped where it or the
wheel is missing."""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PYTHON = os.path.join(ROOT, ".venv-learning", "bin", "python")
TESTS = [os.path.join(HERE, "learning", "test_sb3.py"), os.path.join(HERE, "learning", "test_adapters.py"),
         os.path.join(ROOT, "python", "tests", "test_gym.py")]
# of the second file: what depends on the versions of NumPy and Gymnasium
CHOSEN = "not small_loop and (learn or bits or checker and (Reacher or Ant or CableInsertion) or diverges or expected)"


def skip(why):
    print(f"skipped: {why}\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)


def run(*command, **settings):
    done = subprocess.run(command, env={**os.environ, **settings}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=560)
    return done.returncode, done.stdout


def main():
    wheels = glob.glob(os.path.join(os.path.abspath(sys.argv[1]), "python-wheel", "*.whl"))
    if not os.path.exists(PYTHON):
        skip("there is no .venv-learning")
    if not wheels:
        skip("there is no wheel: the test python_package makes it")
    status, output = run(PYTHON, "-c", "import stable_baselines3, torch")
    if status:
        skip(output.strip().splitlines()[-1])
    with tempfile.TemporaryDirectory() as folder:
        status, output = run(PYTHON, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", folder, wheels[0])
        if status:
            skip(f"the wheel is for another Python: {output.strip().splitlines()[-1]}")
        _, output = run(PYTHON, "-m", "pytest", "-q", "--import-mode=importlib", "-p", "no:cacheprovider", "-k", CHOSEN,
                        *TESTS, PYTHONPATH=folder)
    print(output)
    last = output.strip().splitlines()[-1]
    count = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|error)", last)}
    failed = count.get("failed", 0) + count.get("error", 0) + (not count.get("passed"))
    print(f"{count.get('passed', 0)} passed, {failed} failed, {count.get('skipped', 0)} skipped")
    sys.exit(1 if failed else 0)


main()
