"""``python -m tenon`` and ``tenon``: the program, with the commands `demo`, `fit`, `scenes` and `sweep` of the package."""

import os
import signal
import sys

USAGE = """
Commands of the Python package:
  demo [NAME]  show a scene of the package: in a window, or as a page that plays it; see 'tenon demo --help'
  fit          find parameters of a model from logs, with standard errors; see 'tenon fit --help'
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
    if arguments[:1] == ["fit"]:
        from ._fit_command import main as fit

        return fit(arguments[1:])
    # what the program expects of its signals; Python has changed them
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):  # Windows has none
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if arguments == ["scenes"]:
        for name in _show.scenes():
            print(f"{name:14}{_show.scene_path(name)}")
        return 0
    if arguments[:1] == ["demo"]:
        return _demo(arguments[1:])
    _show.find_glfw()
    sys.stdout.flush()
    code = _core.main([b"tenon", *map(os.fsencode, arguments)])
    if arguments in (["--help"], ["-h"], ["help"]):
        print(USAGE, end="")
    return code


def _demo(arguments) -> int:
    import argparse

    from . import _show
    from ._errors import Error

    parser = argparse.ArgumentParser(
        prog="tenon demo", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Shows a scene of the package: in a window where there is a display, otherwise as a page (HTML) that\n"
                    "plays in any browser, without a network.",
        epilog=f"scenes: {', '.join(_show.scenes())}\n\nexamples:\n  tenon demo                                 an arm stirs spheres\n"
               "  tenon demo knot --page knot.html           a page, no window\n"
               "  tenon demo cable --film cable.mp4          a film; needs ffmpeg")
    parser.add_argument("name", nargs="?", default="stir", metavar="NAME", help="a scene; default stir")
    parser.add_argument("--duration", type=float, default=10.0, metavar="S", help="simulated seconds of a page or film; default 10")
    parser.add_argument("--page", metavar="FILE", help="write the page there, and open no window")
    parser.add_argument("--film", metavar="FILE", help="write a film (.mp4, .webm, .gif), and open no window")
    given = parser.parse_args(arguments)
    if not 0 < given.duration < 1e6:
        parser.error(f"--duration must be positive, got {given.duration:g}")
    try:
        if given.film:
            with _show.recorded(given.name, given.duration) as recording:
                print(f"wrote {recording.to_film(given.film, width=960, height=540)}")
        if given.page or not given.film:
            _show.demo(given.name, duration=given.duration, path=given.page)
    except KeyError as error:
        print(f"tenon demo: {error.args[0]}", file=sys.stderr)
        return 2
    except Error as error:
        print(f"tenon demo: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
