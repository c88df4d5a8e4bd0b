#!/usr/bin/env python3
"""Writes the diagrams of docs/ as SVG: docs/pictures/step.svg, solver.svg, contact.svg, rod.svg, ladder.svg.

    tools/make_diagrams.py [--check]        --check: writes nothing, exits 1 if one is not as it would be written

The phases of the step are read from src/step/step.h."""
import html
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TO = ROOT / "docs" / "pictures"

INK, SOFT, BLUE, RED, GREEN = "#333", "#888", "#3b6fb6", "#c0504d", "#4f9d5d"
FILLS = {BLUE: "#e6eef8", RED: "#f8e7e6", GREEN: "#e6f3e8", INK: "#f4f4f4"}


class Svg:
    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="14" role="img">',
            f"<title>{html.escape(title)}</title>",
            "<defs>" + "".join(
                f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
                f'<path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
                for name, colour in (("ink", INK), ("red", RED), ("blue", BLUE), ("green", GREEN))) + "</defs>",
            f'<rect width="{width}" height="{height}" fill="#fff"/>']

    def text(self, x, y, text, colour=INK, anchor="middle", size=14, italic=False):
        style = ' font-style="italic"' if italic else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}" font-size="{size}"{style}>'
                          f"{html.escape(text)}</text>")

    def box(self, x, y, width, height, text, colour=INK, below=None):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" fill="{FILLS[colour]}" '
                          f'stroke="{colour}" stroke-width="1.5"/>')
        middle = y + height / 2 + (5 if below is None else -4)
        self.text(x + width / 2, middle, text)
        if below:
            self.text(x + width / 2, middle + 19, below, SOFT, size=12)

    def path(self, d, colour=INK, width=1.5, arrow=None, dash=None, fill="none"):
        more = (f' marker-end="url(#{arrow})"' if arrow else "") + (f' stroke-dasharray="{dash}"' if dash else "")
        self.parts.append(f'<path d="{d}" fill="{fill}" stroke="{colour}" stroke-width="{width:g}"{more}/>')

    def line(self, x1, y1, x2, y2, colour=INK, width=1.5, arrow=None, dash=None):
        self.path(f"M{x1:g} {y1:g}L{x2:g} {y2:g}", colour, width, arrow, dash)

    def circle(self, x, y, r, colour=INK, fill="none", width=1.5, dash=None):
        more = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}" stroke="{colour}" stroke-width="{width:g}"{more}/>')

    def done(self):
        return "\n".join(self.parts) + "\n</svg>\n"


def phases():
    """Names of the phases, in their order."""
    found = re.findall(r"\bTN_PHASE_([A-Z]+)\b", re.search(r"typedef enum TnPhase \{(.*?)\} TnPhase;",
                                                           (ROOT / "src/step/step.h").read_text(), re.DOTALL)[1])
    return [name.lower() for name in found if name != "COUNT"]


def step():
    groups = {"prepare": BLUE, "assemble": BLUE, "collide": GREEN, "plan": BLUE, "softs": BLUE, "solve": RED, "look": GREEN,
              "compare": GREEN}
    what = {"prepare": "inputs, impacts", "assemble": "A, b", "collide": "contact points", "plan": "choice of w",
            "softs": "A, b of soft bodies", "solve": "J, e; v̂ and λ", "look": "contacts missed", "compare": "nonlinearity",
            "limit": "no overlap", "move": "q⁺, v⁺", "balance": "momentum, energy", "accept": "new state"}
    names, width, height, gap, per = phases(), 132, 52, 22, 6
    picture = Svg(per * (width + gap) + 2 * gap, 250, "The phases of a step, and the checks behind them")
    for i, name in enumerate(names):
        x, y = 1.5 * gap + (i % per) * (width + gap), 20 + (i // per) * 118
        picture.box(x, y, width, height, name, groups.get(name, INK), what[name])
        if i % per < per - 1 and i + 1 < len(names):
            picture.line(x + width + 2, y + height / 2, x + width + gap - 2, y + height / 2, arrow="ink")
    x, right = 1.5 * gap + width / 2, 1.5 * gap + (per - 1) * (width + gap) + width / 2
    picture.path(f"M{right:g} 73V92H{x:g}V136", arrow="ink")
    picture.path(f"M{right:g} 191V222H12V46H{1.5 * gap - 2:g}", RED, arrow="red", dash="5 4")
    picture.text((x + right) / 2, 242, "a check failed: the phases that it names run again", RED)
    return picture.done()


def solver():
    picture = Svg(820, 300, "One iteration: constraints and subsystems in turns")
    blocks = ["free body", "robot", "cable and its robot", "soft body"]
    constraints = ["contact", "contact", "joint limit", "weld", "contact"]
    edges = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 3), (1, 3), (2, 4), (3, 4)]
    block_y = [42 + 56 * i for i in range(len(blocks))]
    row_y = [34 + 46 * i for i in range(len(constraints))]
    for block, row in edges:
        picture.line(250, block_y[block] + 18, 570, row_y[row] + 15, SOFT, 1)
    for y, name in zip(block_y, blocks):
        picture.box(70, y, 180, 36, name, BLUE)
    for y, name in zip(row_y, constraints):
        picture.box(570, y, 180, 30, name, RED)
    picture.line(330, 24, 490, 24, BLUE, 2, "blue")
    picture.text(410, 17, "J v", BLUE, italic=True)
    picture.line(490, 268, 330, 268, RED, 2, "red")
    picture.text(410, 288, "λ", RED, italic=True)
    picture.text(160, 24, "subsystems, in parallel", BLUE)
    picture.text(660, 20, "constraints, in parallel", RED)
    picture.text(160, 288, "v ← H⁻¹ (b + g + 2F)", BLUE, italic=True)
    picture.text(660, 288, "λ ← Π(λ − B (J v + e))", RED, italic=True)
    return picture.done()


def contact():
    picture = Svg(620, 300, "A contact point between two surfaces")
    x, y, r = 300, 112, 78
    ground = 218
    picture.path(f"M60 {ground}H560V280H60z", SOFT, 1, fill="#f4f4f4")
    picture.line(60, ground, 560, ground, INK, 2)
    picture.line(60, ground - 66, 230, ground - 66, GREEN, 1.2, dash="5 4")
    picture.line(370, ground - 66, 560, ground - 66, GREEN, 1.2, dash="5 4")
    picture.circle(x, y, r, BLUE, FILLS[BLUE], 2)
    picture.text(x, y + 5, "geom 2", BLUE)
    picture.text(150, 258, "geom 1", SOFT)
    middle = (y + r + ground) / 2
    picture.circle(x, middle, 4, RED, RED)
    picture.line(x, middle, x, middle - 62, RED, 2, "red")
    picture.text(x + 16, middle - 40, "n", RED, italic=True)
    picture.line(x + 40, y + r, x + 40, ground, INK, 1)
    picture.line(x + 26, y + r, x + 54, y + r, INK, 1)
    picture.text(x + 62, middle + 5, "gap d", anchor="start")
    picture.text(x - 14, middle + 5, "point", RED, anchor="end")
    picture.line(190, 84, 190, 148, BLUE, 2, "blue")
    picture.text(180, 120, "approach", BLUE, anchor="end")
    picture.line(520, ground - 66, 520, ground, GREEN, 1.2)
    picture.text(512, ground - 26, "t · speed + slack", GREEN, anchor="end")
    return picture.done()


def rod():
    picture = Svg(720, 240, "Segments of a rod and the elastic joint between neighbours")
    points, angle = [(90.0, 190.0)], [-0.42, -0.24, 0.0, 0.3]
    for a in angle:
        points.append((points[-1][0] + 146 * math.cos(a), points[-1][1] + 146 * math.sin(a)))
    centres = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in zip(points, points[1:])]
    for (cx, cy), a in zip(centres, angle):
        picture.parts.append(f'<rect x="{-66:g}" y="-17" width="132" height="34" rx="17" fill="{FILLS[BLUE]}" stroke="{BLUE}" '
                             f'stroke-width="1.5" transform="translate({cx:.1f} {cy:.1f}) rotate({math.degrees(a):.1f})"/>')
    for (cx, cy), a, name in ((centres[1], angle[1], "a"), (centres[2], angle[2], "b")):
        for turn, length in ((a, 44), (a - math.pi / 2, 44)):
            picture.line(cx, cy, cx + length * math.cos(turn), cy + length * math.sin(turn), GREEN, 2, "green")
        picture.text(cx - 8, cy + 46, f"x_{name}, R_{name}", GREEN, italic=True)
    a, b = centres[1], centres[2]
    dx, dy = b[0] - a[0], b[1] - a[1]
    picture.line(a[0] + 0.04 * dx, a[1] + 0.04 * dy + 3, a[0] + 0.97 * dx, a[1] + 0.97 * dy + 3, RED, 2, "red", "5 4")
    picture.text((a[0] + b[0]) / 2 + 4, (a[1] + b[1]) / 2 + 26, "d", RED, italic=True)
    joint = points[2]
    picture.circle(*joint, 5, RED, "#fff", 2)
    picture.text(joint[0] + 6, joint[1] - 56, "elastic joint: stretch, shear, bend, twist", RED)
    picture.line(joint[0] + 2, joint[1] - 50, joint[0], joint[1] - 8, RED, 1)
    return picture.done()


def ladder():
    picture = Svg(1010, 250, "Which method solves an island")
    picture.box(20, 98, 96, 52, "island", INK, "in each step")
    kinds = [("small", "up to 150 unknowns", ["Newton on a full matrix"]),
             ("others", "cables, soft: SubADMM first", ["Newton", "interior points", "augmented Lagrangian", "SubADMM"]),
             ("large", "more than 150 blocks", ["SubADMM, contacts that yield a little"])]
    for i, (name, below, methods) in enumerate(kinds):
        y, x = 18 + 80 * i, 376
        picture.line(116, 124, 160, y + 26, arrow="ink")
        picture.box(164, y, 184, 52, name, BLUE, below)
        for method in methods:
            width = 300 if len(methods) == 1 else 184 if len(method) > 16 else 122
            picture.line(x - 26, y + 26, x - 2, y + 26, arrow="ink")
            picture.box(x, y, width, 52, method, RED)
            x += width + 28
    picture.text(670, 88, "the next one runs if the error is above the tolerance; the best forces win", RED, size=12)
    return picture.done()


def main():
    stale = []
    for draw in (step, solver, contact, rod, ladder):
        path, text = TO / f"{draw.__name__}.svg", draw()
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
    if stale:
        sys.exit(f"not as tools/make_diagrams.py writes them: {', '.join(stale)}")


if __name__ == "__main__":
    main()
