"""``tenon fit``: parameters of a model from logs."""

import argparse
import sys
from typing import Any, Dict, List

from ._errors import Error
from ._fit import METHODS, UNSEEN, fit
from ._model import Model

ABOUT = """Finds parameters of a model with which simulations do what logs measured, with standard errors; and says what the
logs do not show."""
MORE = """
A log is a CSV file (a header with names, then numbers; an empty field is a missing measurement) or an NPZ file:
  time                   s; equally spaced, by a whole number of timesteps (else: --resample)
  ACTUATOR.ctrl          controls; a row's control acts until the next row
  JOINT.q0 JOINT.v0      measured positions and velocities of joints
  SENSOR.s0 SITE.x       measured sensors; places of sites in the world
These are the names that 'tenon run --csv' writes. A robot's log needs its columns renamed, and nothing else.

A parameter is KIND:NAME or KIND:NAME:INDEX, with =START where the model's own value is no good start:
  mass com:…:0-2 inertia:…:0-5                  of a body
  friction:…:0-2 size:…:0-2                     of a geom
  stiffness spring_ref damping armature friction_loss    of a joint
  gain bias:…:0-2                               of an actuator
  gravity:0-2                                   of the world
What cannot be negative is fitted by its logarithm, so it must start above 0.

Examples:
  tenon fit arm.xml log.csv --parameters damping:elbow,friction_loss:elbow=0.1
  tenon fit arm.xml a.csv b.csv --parameters mass:hand --sigma .q0=1e-3 --report fit.html
  tenon fit box.xml film.csv --parameters friction:floor --measure box.x,box.y --start known
  tenon fit arm.xml robot.npz --parameters armature:elbow,mass:hand --resample --unseen refuse

If a direction is not shown: move more, faster, in other poses; log forces or torques (without any, only ratios of
masses, springs and dampers show); or leave a parameter out. Exit codes: 0; 1 nothing was found; 2 wrong usage, or a
log that cannot be used; 4 a file cannot be read or written.
"""


def _number_or_names(text: str) -> Any:
    if "=" not in text:
        return float(text)
    return {name: float(value) for name, _, value in (part.rpartition("=") for part in text.split(","))}


def _parameter(text: str) -> Dict[str, Any]:
    name, equals, value = text.partition("=")
    return {"of": name, "start": float(value)} if equals else {"of": name}


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="tenon fit", description=ABOUT, epilog=MORE,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL", help="MJCF or URDF")
    parser.add_argument("logs", metavar="LOG", nargs="+", help="CSV or NPZ; several runs of one model")
    parser.add_argument("--parameters", metavar="P,…", required=True, help="what to find; see below")
    parser.add_argument("--measure", metavar="COLUMN,…", help="columns that count; default all that are known")
    parser.add_argument("--sigma", metavar="S", type=_number_or_names,
                        help="standard deviation of measurements: a number, or COLUMN=S,… (.q0=S: all that end so); "
                        "default: found from what is left")
    parser.add_argument("--start", choices=("free", "known", "model"), default="free",
                        help="where runs start: fitted, too (default), as the first row says, or the reference pose")
    parser.add_argument("--segment", metavar="S", type=float, help="start anew from the log every S seconds")
    parser.add_argument("--resample", action="store_true", help="interpolate a log with other times than the model's steps")
    parser.add_argument("--ctrl-of", choices=("after", "before"), default="after",
                        help="a row's control acts after its time (default), or has led to it, as in logs of 'tenon run'")
    parser.add_argument("--method", choices=METHODS, default="differences", help="of slopes; default differences")
    parser.add_argument("--unseen", choices=UNSEEN, default="keep",
                        help="what the logs do not show stays (default), is an error, or is tied to the start")
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="that share the simulations; default 1")
    parser.add_argument("--report", metavar="FILE", help="write a page (HTML) with table, curves and singular values")
    given = parser.parse_args(arguments)
    try:
        result = fit(Model.from_file(given.model), given.logs, [_parameter(p) for p in given.parameters.split(",")],
                     measure=given.measure.split(",") if given.measure else None, sigma=given.sigma, start=given.start,
                     segment=given.segment, resample=given.resample, ctrl_of=given.ctrl_of, method=given.method,
                     unseen=given.unseen, threads=given.threads)
        print(result)
        if given.report:
            print(f"wrote {result.report(given.report)}")
    except (Error, OSError, KeyError, ValueError) as error:
        print(f"tenon fit: {error}", file=sys.stderr)
        return 4 if isinstance(error, OSError) else 2
    return 1 if result.end == "nothing shown" else 0
