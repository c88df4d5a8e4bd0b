"""``python -m tenon`` and ``tenon``: the program, with the commands `demo`, `scenes` and `sweep` of the package."""

import os
import signal
import sys

USAGE = """
Commands of the Python package:
  demo [NAME]  show a scene of the package: in a window, or as a page that plays it
  scenes       list the scenes of the package with their paths
  sweep        run many simulations: parameters and seeds as tasks, one result file each
"""


def main(arguments=None) -> int:
    """Runs the program; returns its exit code."""
    from . import _core, _show

    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] == ["sweep"]:
        from .sweep.__main__ import main as sweep

        return sweep(arguments[1:])
    # what the program expects of its signals; Python has changed them
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if arguments == ["scenes"]:
        for name in _show.scenes():
            print(f"{name:14}{_show.scene_path(name)}")
        return 0
    if arguments[:1] == ["demo"] and len(arguments) <= 2 and not arguments[-1].startswith("-"):
        return _demo(*arguments[1:])
    _show.find_glfw()
    sys.stdout.flush()
    code = _core.main([b"tenon", *map(os.fsencode, arguments)])
    if arguments in (["--help"], ["-h"], ["help"]):
        print(USAGE, end="")
    return code


def _demo(name: str = "stir") -> int:
    from . import _show

    try:
        _show.demo(name)
    except KeyError as error:
        print(f"tenon demo: {error.args[0]}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
