"""What the tests of exports to other programs share: their Python, the program, a folder with recordings."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import pycheck  # noqa: E402


def need(*packages):
    """Imports packages, with the Python that ./test installed them for; ends the test with a message where there are none."""
    try:
        return [__import__(name) for name in packages]
    except ImportError as error:
        python = ROOT / ".venv" / "bin" / "python"
        if python.exists() and pathlib.Path(sys.prefix).resolve() != python.parent.parent.resolve():
            os.execv(python, [str(python), *sys.argv])
        print(f"skipped: {error} (tests/bridges/requirements.txt)\n0 passed, 0 failed, 1 skipped")
        sys.exit(0)


class BridgeTest(unittest.TestCase):
    """One folder for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def tenon(cls, *arguments, code=0):
        done = subprocess.run([os.path.abspath(sys.argv[1]), *map(str, arguments)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, cwd=cls.folder, timeout=300)
        if done.returncode != code:
            raise AssertionError(f"tenon {' '.join(map(str, arguments))}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    @classmethod
    def record(cls, name, model, *options):
        """A recording NAME.tnr of a model (its text, or a path)."""
        if isinstance(model, str):
            path = cls.folder / f"{name}.xml"
            path.write_text(model)
        else:
            path = model
        cls.tenon("run", path, "--record", f"{name}.tnr", *options)


main = pycheck.main
