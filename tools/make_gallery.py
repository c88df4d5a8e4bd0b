#!/usr/bin/env python3
"""Makes docs/gallery.md and its pictures from the programs in docs/gallery/, and pages that play their motion.

    tools/make_gallery.py [NAME …]             the page, and the pictures of these programs (default: of all)
    tools/make_gallery.py --pages FOLDER       FOLDER/NAME.html, a page that plays, for each; the site has them

Needs the installed package, EGL for pictures, and ffmpeg with libwebp. A program has at most 20 lines, makes one world and
steps it. Look at the pictures before you commit them."""
import argparse
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "docs" / "gallery"
PICTURES = ROOT / "docs" / "pictures" / "gallery"
SIZE = 360, 240
FRAMES = 25.0  # per second
ROW = 3  # cards
# where the picture is taken: the share of the motion, eye and target in m (None: all is seen)
VIEWS = {
    "knot": (1.0, (0.1, -0.35, 0.25), (0, 0, 0.02)),
    "winding": (1.0, (0.7, -1.7, 1.3), (0.05, 0, 0.6)),
    "stir": (1.0, (0.72, -0.34, 0.38), (0.49, 0.02, 0.04)),
    "beam": (0.95, (1.35, -0.75, 0.85), (0.8, 0, 0.5)),
    "soft_grasp": (1.0, (0.3, -0.2, 0.25), (0, 0, 0.17)),
    "wall": (0.6, (2.2, -2.6, 1.6), (0.3, 0, 0.5)),
    "euler_disc": (0.3, (0.4, -1.3, 0.9), (0.4, 0.3, 0.2)),
    "hills": (0.35, (1.5, -1.7, 1.4), (0, 0, 0.1)),
    "hopper": (0.8, (0.5, -0.75, 0.6), (0, 0, 0.25)),
    "wind": (0.5, (1.9, -1.9, 1.4), (0.2, 0, 1.0)),
    "jelly": (0.6, None, None),
    "cradle": (0.62, None, None),
    "four_bar": (1.0, (0.1, -1.1, 0.55), (0, 0, 0.45)),
    "falling_rope": (0.75, (0.5, -0.75, 0.5), (-0.05, 0, 0.15)),
    "suction": (0.6, (1.0, -1.3, 0.9), (0.25, 0, 0.3)),
    "curtain": (0.27, (-1.7, -1.3, 1.3), (0, 0, 0.8)),
}

GROUPS = (
    ("Cables and ropes", ("knot", "winding", "hanging_cable", "rope_bridge", "falling_rope")),
    ("Soft bodies and sheets", ("soft_grasp", "jelly", "cloth", "trampoline", "beam", "curtain")),
    ("Grain and piles", ("stir", "hopper", "blade", "wall", "arch", "card_house", "tower", "dominoes")),
    ("Robots and mechanisms", ("circle", "cartpole", "four_bar", "gears", "finger", "suction")),
    ("Rigid bodies", ("cradle", "gyroscope", "euler_disc", "hills", "wind")),
)


def watched(tenon, path):
    """A World that records itself at `path`."""
    class World(tenon.World):
        recorder = None

        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            World.recorder = tenon.Recorder(path, self)
            self.every, self.count = max(1, round(1 / (FRAMES * self.timestep))), 0

        def step(self, n=1):
            while n > 0:
                if self.count % self.every == 0:
                    World.recorder.write()
                now = min(n, self.every - self.count % self.every)
                super().step(now)
                self.count += now
                n -= now

    return World


def play(name, path):
    """Runs a program, and records its world."""
    import tenon
    plain, tenon.World = tenon.World, watched(tenon, path)
    try:
        runpy.run_path(str(PROGRAMS / f"{name}.py"))
        tenon.World.recorder.close()
    finally:
        tenon.World = plain
    return tenon.Recording(path)


def write_picture(recording, name):
    share, eye, target = VIEWS.get(name, (1.0, None, None))
    picture = recording.render(round(share * (len(recording) - 1)), *(2 * n for n in SIZE), eye=eye, target=target)
    subprocess.run(["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{2 * SIZE[0]}x{2 * SIZE[1]}",
                    "-i", "-", "-vf", f"scale={SIZE[0]}:{SIZE[1]}", "-c:v", "libwebp", "-quality", "80", PICTURES / f"{name}.webp"],
                   input=picture.tobytes(), check=True)


def card(name):
    about = re.match(r'"""(.*?)"""', (PROGRAMS / f"{name}.py").read_text(encoding="utf-8"), re.S).group(1)
    return f"![{about}](pictures/gallery/{name}.webp) [{about.split(':')[0].rstrip('.')}](gallery/{name}.py)"


def page():
    """Three cards to a row; docs/site/conf.py makes sections of them, with the program and a page that plays."""
    count = sum(len(names) for _, names in GROUPS)
    lines = ["# Gallery", "", f"{count} programs of at most 20 lines, each with the picture that it leads to. They run as they are, after `pip install .`:",
             "in a window with `tenon.view(world)`, as a page with `world.to_html(\"page.html\")`. Longer ones are in",
             "[examples.md](examples.md), single questions in [how-do-i.md](how-do-i.md).", "",
             "<!-- Written by tools/make_gallery.py. -->"]
    for title, names in GROUPS:
        lines += ["", f"## {title}", ""]
        for i in range(0, len(names), ROW):
            cards = [card(name) for name in names[i:i + ROW]]
            lines += ["| " + " | ".join(cards + [""] * (ROW - len(cards))).rstrip() + " |"]
            lines += ["|" + "---|" * ROW] * (i == 0)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pages")
    arguments = parser.parse_args()
    all_names = [name for _, names in GROUPS for name in names]
    assert sorted(all_names) == sorted(path.stem for path in PROGRAMS.glob("*.py")), "GROUPS and docs/gallery/ differ"
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.names or all_names:
            with play(name, os.path.join(folder, f"{name}.tnr")) as recording:
                if arguments.pages:
                    recording.to_html(os.path.join(arguments.pages, f"{name}.html"), title=name.replace("_", " "))
                else:
                    write_picture(recording, name)
                print(name, file=sys.stderr)
    if not arguments.pages:
        (ROOT / "docs" / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
