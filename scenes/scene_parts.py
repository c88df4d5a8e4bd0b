"""What the scene generators share: motions, cameras, control tracks, and where the files go."""

import argparse
import math
import os

from panda_arm import cross, number, numbers, sub


def ease(t, span):
    """0 to 1 within the span, without velocity and acceleration at both ends."""
    s = min(1.0, max(0.0, (t - span[0]) / (span[1] - span[0])))
    return s * s * s * (10 - 15 * s + 6 * s * s)


def camera_xml(name, eye, target):
    """A camera that looks from eye to target with the horizon level."""
    def unit(v):
        length = math.sqrt(sum(c * c for c in v))
        return [c / length for c in v]

    forward = unit(sub(target, eye))
    right = unit(cross(forward, [0, 0, 1]))
    up = cross(right, forward)
    return (f'    <camera name="{name}" pos="{numbers(eye)}" fovy="40" '
            f'xyaxes="{numbers(right)} {numbers(up)}"/>')


def track_csv(names, rows, row_time):
    lines = ["time," + ",".join(names)]
    for k, row in enumerate(rows):
        lines.append(f"{k * row_time:.2f}," + ",".join(number(c) for c in row))
    return "\n".join(lines + [""])


def parser_for(name, what):
    """A parser with --output, by default NAME.xml beside the generators."""
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=f"Write {what}.")
    parser.add_argument("--output", default=os.path.join(here, name + ".xml"), metavar="FILE.xml",
                        help=f"where to; the track goes to FILE_track.csv (default: {name}.xml "
                             "beside this script)")
    return parser


def track_path(parser, args):
    """The track's path for the scene's, in a folder that exists then."""
    if not args.output.endswith(".xml"):
        parser.error("--output must end in .xml")
    os.makedirs(os.path.dirname(os.path.abspath(args.output)), exist_ok=True)
    return args.output[:-len(".xml")] + "_track.csv"


def write(path, text):
    with open(path, "w", newline="\n") as out:
        out.write(text)
