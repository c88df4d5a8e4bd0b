"""tenon render: pictures against references, films, and what happens when something is missing.

    python3 tests/render/test_render.py build/tenon build/tests/make_soft build/tests/make_beam [--update]

--update writes the references anew. Look at each of them before you keep it.
"""
import json
import math
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import pycheck  # noqa: E402

UPDATE = "--update" in sys.argv
sys.argv = [a for a in sys.argv if a != "--update"]
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "build", "tenon")
MAKE_SOFT = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else os.path.join(ROOT, "build", "tests", "make_soft")
MAKE_BEAM = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else os.path.join(ROOT, "build", "tests", "make_beam")
REFERENCES = os.path.join(HERE, "references")
SHAPES = os.path.join(HERE, "shapes.xml")
LOOKS = os.path.join(HERE, "looks.xml")
STIR = os.path.join(ROOT, "scenes", "stir.xml")
SIZE = (320, 200)
BLOCK = 8


def read_png(path):
    """(width, height, bytes) of an 8-bit RGB picture; knows the five filters."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], path
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, colour, interlaced) == (8, 2, 0), path
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, stride = zlib.decompress(packed), 3 * width
    rows, above = [], bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            a = row[i - 3] if i >= 3 else 0
            b = above[i]
            c = above[i - 3] if i >= 3 else 0
            if kind == 1:
                row[i] = (row[i] + a) & 255
            elif kind == 2:
                row[i] = (row[i] + b) & 255
            elif kind == 3:
                row[i] = (row[i] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                row[i] = (row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        rows.append(row)
        above = row
    return width, height, b"".join(rows)


def blocks(picture):
    """Mean colours of squares of 8 × 8 pixels, row by row."""
    width, height, rgb = picture
    result = []
    for top in range(0, height, BLOCK):
        for left in range(0, width, BLOCK):
            for channel in range(3):
                total = count = 0
                for y in range(top, min(top + BLOCK, height)):
                    line = rgb[3 * (y * width + left) + channel:3 * (y * width + min(left + BLOCK, width)):3]
                    total += sum(line)
                    count += len(line)
                result.append(total / count)
    return result


# Two drivers draw the same scene with edges that differ by a part of a pixel and shadows that are filtered a little
# differently. Half a pixel of an edge with a contrast of 100 changes the mean of a block of 8 pixels by 100 * 0.5 / 8 = 6;
# colours may be rounded by 1 or 2. Hence a block counts as different from 12 on, at most one block in a hundred may be
# (small bright things such as arrow heads), and the mean difference over all is at most 0.8. Measured: Mesa's softpipe
# without any smoothing of edges against the references by llvmpipe with four samples: at most 0.35 and 0.2 %. The wrong
# pictures below have 1.1 and 3 % at least, so that the limits are neither tight nor wide.
BLOCK_LIMIT, SHARE_LIMIT, MEAN_LIMIT = 12, 0.01, 0.8


def difference(first, second):
    """(mean difference, share of blocks that differ) of two pictures, None where their sizes differ."""
    if first[:2] != second[:2]:
        return None
    a, b = blocks(first), blocks(second)
    gaps = [abs(x - y) for x, y in zip(a, b)]
    worst = [max(gaps[i:i + 3]) for i in range(0, len(gaps), 3)]
    return sum(gaps) / len(gaps), sum(w > BLOCK_LIMIT for w in worst) / len(worst)


def alike(found):
    return found is not None and found[0] <= MEAN_LIMIT and found[1] <= SHARE_LIMIT


class RenderTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name

    def tearDown(self):
        self.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def tenon(self, *arguments, code=0, env=None, **more):
        """Runs the program in an empty folder; (stdout, stderr)."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder, timeout=300, env={**os.environ, **(env or {})},
                              **more)
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        self.assertEqual(done.returncode, code, f"tenon {' '.join(map(str, arguments))}\n{out}{err}")
        return out, err

    def draw(self, model, *options, name="out.png"):
        self.tenon("render", model, "-o", name, "--size", "%dx%d" % SIZE, "--quiet", *options)
        return read_png(self.path(name))

    def changed_shapes(self, *changes):
        """A copy of the scene of shapes with some of its text replaced."""
        with open(SHAPES, encoding="utf-8") as file:
            text = file.read()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        with open(self.path("shapes.xml"), "w", encoding="utf-8") as file:
            file.write(text)
        shutil.copy(os.path.join(HERE, "wedge.obj"), self.folder)
        return self.path("shapes.xml")


class Pictures(RenderTest):
    def check(self, name, model, *options):
        reference = os.path.join(REFERENCES, name + ".png")
        picture = self.draw(model, *options)
        if UPDATE:
            os.makedirs(REFERENCES, exist_ok=True)
            shutil.copy(self.path("out.png"), reference)
        found = difference(picture, read_png(reference))
        self.assertTrue(alike(found), f"{name}: mean difference, share of blocks: {found}")

    def test_every_shape(self):
        self.check("shapes", SHAPES)

    def test_camera_of_the_model(self):
        self.check("shapes_side", SHAPES, "--camera", "side")

    def test_contacts_forces_frames(self):
        self.check("shapes_contacts", SHAPES, "--time", "0.3", "--contacts", "--forces", "--frames",
                   "--iterations", "60")  # how corners share a load is up to the iterates

    def test_stir(self):
        self.check("stir", STIR, "--time", "0.5")

    def test_stir_in_the_colours_of_its_subsystems(self):
        self.check("stir_subsystems", STIR, "--time", "0.5", "--color", "subsystem")

    def test_cable_tendon_and_surface(self):
        recording = self.path("soft.tnr")
        subprocess.run([MAKE_SOFT, recording], check=True)
        view = ("--time", "0.4", "--distance", "3.2", "--look-at", "0.3", "0", "0.7")
        self.check("soft", recording, "--joints", *view)
        self.check("soft_subsystems", recording, "--color", "subsystem", *view)

    def test_soft_beam_with_shading_pieces_and_stress(self):
        recording = self.path("beam.tnr")
        subprocess.run([MAKE_BEAM, recording], check=True)
        view = ("--time", "0.9", "--azimuth", "60")
        self.check("beam", recording, *view)
        self.check("beam_subsystems", recording, "--color", "subsystem", *view)
        self.check("beam_stress", recording, "--color", "stress", *view)

    def test_textures_materials_and_a_lamp(self):
        self.check("looks", LOOKS)
        recording = self.path("looks.tnr")
        subprocess.run([PROGRAM, "run", LOOKS, "--duration", "0.01", "--record", recording], check=True, capture_output=True)
        self.check("looks", recording, "--time", "0")

    def test_text(self):
        self.check("text", SHAPES, "--title", "λ × µ → ✓ (äß)", "--stats", "--no-shadows")


class Light(RenderTest):
    """A white floor seen from above, without sky and grid: its colour follows from the light alone."""
    VIEW = ("--camera", "top", "--no-sky", "--no-grid")

    def floor(self, lights, geom='rgba="0.6 0.6 0.6 1"', at=(160, 100), head="0", assets=""):
        model = self.path("light.xml")
        with open(model, "w", encoding="utf-8") as file:
            file.write(f'''<mujoco><visual><headlight ambient="0.1 0.1 0.1" diffuse="{head} {head} {head}"/></visual>
                <asset>{assets}</asset><worldbody>
                <camera name="top" pos="0 0 2" fovy="45"/>{lights}<geom type="plane" size="3 3 1" {geom}/></worldbody></mujoco>''')
        width, _, rgb = self.draw(model, *self.VIEW)
        return tuple(rgb[3 * (at[1] * width + at[0]):][:3])

    # A light of MJCF is a factor of the screen's values, as which its sum gets the power 2.2. Without sky, fog is white, and
    # as far as ten times the eye's height. Rounding of 16-bit floats and dithering make 2 of 255.
    def near(self, color, share, away=2.0):
        def linear(c):
            return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        lit = linear(0.6) * share ** 2.2
        self.assertLess(lit, 0.75)  # beyond, white is approached slowly
        lit = 1 + (lit - 1) * math.exp(-(away / 20) ** 2)
        value = 255 * (12.92 * lit if lit <= 0.0031308 else 1.055 * lit ** (1 / 2.4) - 0.055)
        for channel in color:
            self.assertLess(abs(channel - value), 2, (color, share, value))

    def test_a_sun_shines_by_the_cosine_of_its_angle(self):
        for tilt, cosine in ((0, 1.0), (3 ** 0.5, 0.5)):
            sun = f'<light type="directional" dir="{tilt} 0 -1" diffuse="0.5 0.5 0.5" specular="0 0 0"/>'
            self.near(self.floor(sun), 0.1 + 0.5 * cosine)

    def test_lights_add_up_with_the_one_at_the_camera(self):
        sun = '<light type="directional" diffuse="0.3 0.3 0.3" specular="0 0 0"/>'
        self.near(self.floor(2 * sun, head="0.2"), 0.1 + 0.3 + 0.3 + 0.2)

    def test_a_lamp_fades_with_its_distance_and_ends_at_its_cone(self):
        lamp = ('<light pos="0 0 1" dir="0 0 -1" diffuse="0.8 0.8 0.8" specular="0 0 0" exponent="0" cutoff="20" '
                'attenuation="1 0 1"/>')
        self.near(self.floor(lamp), 0.1 + 0.8 / 2)
        # the picture shows 2 · tan 22.5° · 2 m in 200 pixels; 20° at 1 m are 0.36 m, or 44 pixels
        self.near(self.floor(lamp, at=(160, 100 + 55)), 0.1, math.hypot(2, 55 * 2 * 0.41421356 / 100))

    def test_a_texture_of_a_floor_has_its_colours_and_places(self):
        assets = """<texture name="t" type="2d" builtin="checker" rgb1="0.6 0.6 0.6" rgb2="0 0 0" width="64" height="64"/>
            <material name="m" texture="t" texuniform="true" texrepeat="2 2" specular="0"/>"""
        sun = '<light type="directional" diffuse="0.5 0.5 0.5" specular="0 0 0"/>'
        # The texture is 1 m wide here and begins at the corner (-3, 3): squares of 0.5 m, the first of them light
        for x, y, light in ((-0.25, 0.25, True), (0.25, 0.25, False), (-0.25, -0.25, False), (0.25, -0.25, True)):
            pixel = 100 / (2 * 0.41421356)  # per m: half the picture is 2 m · tan 22.5°
            color = self.floor(sun, 'material="m"', (round(160 + x * pixel), round(100 - y * pixel)), assets=assets)
            if light:
                self.near(color, 0.6)
            else:
                self.near(color, 0)


class SoftBodies(RenderTest):
    """A beam of 0.05 m that fills 40 pixels around the middle of the picture; the sun shines on its side."""
    VIEW = ("--azimuth", "90", "--elevation", "0", "--distance", "0.325", "--look-at", "0", "0", "0.1", "--no-shadows")

    def setUp(self):
        super().setUp()
        self.recording = self.path("beam.tnr")
        subprocess.run([MAKE_BEAM, self.recording], check=True)

    def column(self, *options):
        """Colours down the middle of the picture."""
        width, _, rgb = self.draw(self.recording, *self.VIEW, *options)
        return [tuple(rgb[3 * (y * width + width // 2):][:3]) for y in range(SIZE[1])]

    @staticmethod
    def light(color):
        return 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]

    def test_more_stress_is_lighter_from_the_middle_outwards_and_as_the_beam_bends(self):
        fixed = ("--color", "stress", "--stress-max", "1e6")
        for time in ("0.5", "1"):
            column = self.column(*fixed, "--time", time)
            # from the neutral layer, where two nodes lie 1/6 of the height away, to the edge
            for step in (-1, 1):
                levels = [self.light(column[100 + step * away]) for away in (0, 9, 13, 17)]
                self.assertEqual(levels, sorted(levels))
                self.assertGreater(levels[-1], levels[0] + 20)
        early, late = (self.light(self.column(*fixed, "--time", time)[117]) for time in ("0.5", "1"))
        self.assertGreater(late, early + 20)

    def test_the_scale_says_its_range_and_can_be_fixed(self):
        fitted = self.column("--color", "stress", "--time", "0.1")
        fixed = self.column("--color", "stress", "--time", "0.1", "--stress-max", "1e6")
        self.assertGreater(self.light(fitted[117]), self.light(fixed[117]) + 20)  # a tenth of the fixed range
        width, height, rgb = self.draw(self.recording, "--color", "stress", "--time", "1")
        plain = self.draw(self.recording, "--time", "1")[2]
        corner = [3 * (y * width + x) for y in range(40, 160) for x in range(width - 20, width - 10)]
        self.assertTrue(any(rgb[i:i + 3] != plain[i:i + 3] for i in corner))

    def test_a_recording_without_stress_is_drawn_all_the_same(self):
        recording = self.path("soft.tnr")
        subprocess.run([MAKE_SOFT, recording], check=True)
        self.assertTrue(self.draw(recording, "--color", "stress"))

    def test_flat_sides_have_one_shade_each_and_edges_are_sharp(self):
        view = ("--azimuth", "60", "--elevation", "-30", "--distance", "0.5", "--look-at", "0", "0", "0.1", "--no-shadows")
        width, height, rgb = self.draw(self.recording, *view)
        colors = {}
        for i in range(0, len(rgb), 3):
            r, g, b = rgb[i:i + 3]
            if r > 1.4 * b:  # the beam's orange
                colors[(r, g, b)] = colors.get((r, g, b), 0) + 1
        most = sorted(colors.values(), reverse=True)[:40]
        # straight, three sides are seen, each lit evenly but for the highlight: few colours hold most pixels, while
        # rounded normals would spread them over hundreds
        self.assertGreater(sum(most), 0.8 * sum(colors.values()))


class WrongPictures(RenderTest):
    """What must not pass for the reference of the shapes."""

    def check_differs(self, model, *options):
        found = difference(self.draw(model, *options), read_png(os.path.join(REFERENCES, "shapes.png")))
        self.assertFalse(alike(found), f"a wrong picture passes: mean difference, share of blocks: {found}")

    def test_object_moved_by_eight_centimetres(self):
        self.check_differs(self.changed_shapes(('pos="0.1 0.35 0.22"', 'pos="0.18 0.35 0.22"')))

    def test_object_missing(self):
        self.check_differs(self.changed_shapes(('type="ellipsoid" size="0.28 0.18 0.16"',
                                                'type="ellipsoid" size="0.28 0.18 0.16" group="4"')))

    def test_another_colour(self):
        self.check_differs(self.changed_shapes(("0.2 0.6 0.25 1", "0.6 0.25 0.2 1")))

    def test_no_shadows(self):
        self.check_differs(SHAPES, "--no-shadows")

    def test_camera_turned_by_two_degrees(self):
        self.check_differs(SHAPES, "--azimuth", "117")

    def test_mirrored(self):
        width, height, rgb = read_png(os.path.join(REFERENCES, "shapes.png"))
        rows = [rgb[3 * width * y:3 * width * (y + 1)] for y in range(height)]
        upside_down = (width, height, b"".join(reversed(rows)))
        self.assertFalse(alike(difference(upside_down, (width, height, rgb))))


class Options(RenderTest):
    def test_drawing_does_not_change_the_simulation(self):
        run, _ = self.tenon("run", STIR, "--duration", "0.5", "--json")
        wanted = json.loads(run)["state_hash"]
        for arguments in (["-o", "a.png", "--time", "0.5"],
                          ["-o", "frames/", "--duration", "0.5", "--fps", "7", "--forces"],
                          ["-o", "frames/", "--duration", "0.2", "--time", "0.3", "--fps", "9", "--threads", "2"]):
            out, _ = self.tenon("render", STIR, *arguments, "--size", "64x48", "--json")
            self.assertEqual(json.loads(out)["state_hash"], wanted, arguments)

    def test_two_pictures_have_the_same_bytes(self):
        for name in ("a.png", "b.png"):
            self.draw(SHAPES, "--time", "0.1", "--contacts", name=name)
        with open(self.path("a.png"), "rb") as a, open(self.path("b.png"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_size_is_as_asked_for_even_if_odd(self):
        self.tenon("render", SHAPES, "-o", "new/folder/a.png", "--size", "123x77")
        self.assertEqual(read_png(self.path("new/folder/a.png"))[:2], (123, 77))

    def test_hidden_groups_are_seen_only_when_asked_for(self):
        def magenta(picture):
            rgb = picture[2]
            return sum(rgb[i] > 120 and rgb[i + 1] < 60 and rgb[i + 2] > 120 for i in range(0, len(rgb), 3))
        options = ["--look-at", "0", "0", "1.5", "--distance", "1"]
        self.assertEqual(magenta(self.draw(SHAPES, *options)), 0)
        self.assertGreater(magenta(self.draw(SHAPES, *options, "--groups", "0,3")), 300)

    def test_a_time_between_two_steps_lies_between_their_pictures(self):
        # half a step after a step the ball is drawn half way between its places at both ends
        model = self.path("fall.xml")
        with open(model, "w", encoding="utf-8") as file:
            file.write('<mujoco><option timestep="0.1"/><worldbody><body pos="0 0 1"><freejoint/>'
                       '<geom type="sphere" size="0.1" rgba="1 0 0 1"/></body></worldbody></mujoco>')

        def height_of_ball(time):
            picture = self.draw(model, "--time", time, "--look-at", "0", "0", "0.8", "--distance", "1.5",
                                "--elevation", "0", "--no-shadows")
            width, height, rgb = picture
            rows = [y for y in range(height) for x in range(width)
                    if rgb[3 * (y * width + x)] > 2 * rgb[3 * (y * width + x) + 1] + 40]
            self.assertGreater(len(rows), 200)
            return sum(rows) / len(rows)
        first, between, second = (height_of_ball(t) for t in ("0.1", "0.15", "0.2"))
        self.assertGreater(second - first, 8)  # pixels: it falls
        # the ball's own area, in pixels, varies a little with its place
        self.assertAlmostEqual(between, (first + second) / 2, delta=0.5)

    def test_wrong_options_are_refused(self):
        for part, *arguments in (("-o is missing",), ("must end in", "-o", "out.gif"),
                                 ("--fps applies to films only", "-o", "a.png", "--fps", "10"),
                                 ("even width", "-o", "a.mp4", "--size", "101x100"),
                                 ("--size", "-o", "a.png", "--size", "big"),
                                 ("--size", "-o", "a.png", "--size", "0x5"),
                                 ("three numbers", "-o", "a.png", "--look-at", "1", "2"),
                                 ("'top', 'side'", "-o", "a.png", "--camera", "nowhere"),
                                 ("did you mean '--azimuth'", "-o", "a.png", "--azimut", "3"),
                                 ("has no key", "-o", "a.png", "--key", "none")):
            _, err = self.tenon("render", SHAPES, *arguments, code=2)
            self.assertIn(part, err)
            self.assertEqual(os.listdir(self.folder), [])

    def test_help_tells_every_option(self):
        out, _ = self.tenon("render", "--help")
        for option in ("-o", "--time", "--duration", "--fps", "--speed", "--title", "--stats", "--color", "--contacts",
                       "--forces", "--camera", "--azimuth", "--look-at", "--groups", "--size", "--iterations", "--key"):
            self.assertRegex(out, rf"(?m)^  {option}\b")


class Films(RenderTest):
    def probe(self, path):
        """Width, height, frames and rate as ffprobe counts them."""
        if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
            self.skipTest("no ffmpeg and ffprobe here")
        done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
                               "stream=width,height,nb_read_frames,r_frame_rate,pix_fmt,codec_name", "-of", "json", path],
                              stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)["streams"][0]

    def test_film_has_its_frames_size_and_rate(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("no ffmpeg here")
        out, err = self.tenon("render", SHAPES, "-o", "film/a.mp4", "--duration", "0.5", "--fps", "24", "--size",
                              "160x90")
        self.assertIn("12 pictures of 160x90", out)
        self.assertEqual(err, "")
        found = self.probe(self.path("film/a.mp4"))
        self.assertEqual((found["width"], found["height"], found["nb_read_frames"]), (160, 90, "12"))
        self.assertEqual((found["r_frame_rate"], found["pix_fmt"]), ("24/1", "yuv420p"))
        self.assertEqual(os.listdir(self.path("film")), ["a.mp4"])
        with open(self.path("film/a.mp4"), "rb") as file:
            data = file.read()
        self.assertLess(data.index(b"moov"), data.index(b"mdat"))  # players can start before they have all

    def test_film_has_the_colours_of_the_pictures(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("no ffmpeg here")
        self.tenon("render", SHAPES, "-o", "a.mp4", "--duration", "0.1", "--size", "%dx%d" % SIZE)
        subprocess.run(["ffmpeg", "-v", "error", "-i", self.path("a.mp4"), "-frames:v", "1", "-pix_fmt", "rgb24",
                        self.path("first.png")], check=True)
        found = difference(read_png(self.path("first.png")), self.draw(SHAPES))
        # compression changes colours by some 2 of 255; a wrong matrix or range changes them by 5 to 20
        self.assertLess(found[0], 3)
        self.assertLess(found[1], SHARE_LIMIT)

    def test_without_the_better_encoder_another_one_is_taken(self):
        real = shutil.which("ffmpeg")
        if not real:
            self.skipTest("no ffmpeg here")
        os.mkdir(self.path("bin"))
        with open(self.path("bin/ffmpeg"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\ncase "$*" in\n*-encoders*) {real} "$@" | grep -v 264;;\n*) exec {real} "$@";;\nesac\n')
        os.chmod(self.path("bin/ffmpeg"), 0o755)
        self.tenon("render", SHAPES, "-o", "a.mp4", "--duration", "0.1", "--size", "64x48",
                   env={"PATH": self.path("bin") + os.pathsep + os.environ["PATH"]})
        found = self.probe(self.path("a.mp4"))
        self.assertEqual((found["codec_name"], found["nb_read_frames"]), ("mpeg4", "3"))

    def test_slow_motion_has_more_pictures(self):
        self.tenon("render", SHAPES, "-o", "slow/", "--duration", "0.1", "--speed", "0.25", "--size", "64x48")
        self.assertEqual(sorted(os.listdir(self.path("slow"))), [f"frame_{i:05}.png" for i in range(1, 13)])

    def test_picture_of_a_film_is_the_picture_at_its_time(self):
        self.tenon("render", SHAPES, "-o", "f/", "--duration", "0.5", "--fps", "10", "--size", "%dx%d" % SIZE)
        self.assertEqual(read_png(self.path("f/frame_00004.png")), self.draw(SHAPES, "--time", "0.3"))

    def test_a_film_has_all_of_the_motion_in_it(self):
        # a red ball is thrown 4 m far; the start alone is a square metre
        model = self.path("throw.xml")
        with open(model, "w", encoding="utf-8") as file:
            file.write("""<mujoco><worldbody><geom type="plane" size="9 9 .1"/>
                <body pos="0 0 .2"><freejoint/><geom type="sphere" size=".1" rgba="1 0 0 1"/></body>
                <body pos="0 1 .2"><freejoint/><geom type="box" size=".2 .2 .2" rgba="0 0 1 1"/></body></worldbody>
                <keyframe><key name="go" qpos="0 0 .2 1 0 0 0 0 1 .2 1 0 0 0" qvel="4 0 5 0 0 0 0 0 0 0 0 0"/></keyframe>
                </mujoco>""")
        self.tenon("run", model, "--key", "go", "--duration", "1", "--record", "a.tnr", "--quiet")
        how = ("--fps", "8", "--size", "%dx%d" % SIZE)
        self.tenon("render", model, "-o", "a/", "--key", "go", "--duration", "1", *how)
        self.tenon("render", "a.tnr", "-o", "b/", *how)
        for folder in ("a", "b"):
            self.assertEqual(len(os.listdir(self.path(folder))), 8)
            for i in range(1, 9):
                self.assert_sees(read_png(self.path(f"{folder}/frame_{i:05}.png")), (folder, i))
        for time in ("0", "0.5", "1"):  # and a picture is fitted to its moment
            self.assert_sees(self.draw(model, "--key", "go", "--time", time), time)
            self.assert_sees(self.draw("a.tnr", "--time", time), time)

    def assert_sees(self, picture, what):
        """Red and blue, and neither at the edge."""
        width, height, rgb = picture
        for channel in (0, 2):
            places = [i for i in range(width * height)
                      if rgb[3 * i + channel] > 100 and rgb[3 * i + channel] > 2 * rgb[3 * i + 1]]
            self.assertGreater(len(places), 8, what)
            for i in places:
                self.assertTrue(0 < i % width < width - 1 and 0 < i // width < height - 1, what)

    def test_diverging_simulation_keeps_what_was_drawn(self):
        model = self.path("bang.xml")
        with open(model, "w", encoding="utf-8") as file:
            file.write('<mujoco><option timestep="0.1" gravity="0 0 -1e308"/><worldbody><body pos="0 0 1"><freejoint/>'
                       '<geom type="sphere" size="0.1"/></body></worldbody></mujoco>')
        _, err = self.tenon("render", model, "-o", "f/", "--duration", "2", "--size", "64x48", code=1)
        self.assertIn("diverged", err)
        self.assertGreaterEqual(len(os.listdir(self.path("f"))), 1)


class Recordings(RenderTest):
    def test_picture_of_a_recording_is_that_of_the_simulation(self):
        help_text, _ = self.tenon("run", "--help")
        if "--record" not in help_text:
            self.skipTest("tenon run cannot record here")
        self.tenon("run", SHAPES, "--duration", "0.5", "--record", "a.tnr", "--quiet")
        options = ["--time", "0.3", "--contacts", "--forces"]
        found = difference(self.draw(self.path("a.tnr"), *options, name="a.png"),
                           self.draw(SHAPES, *options, name="b.png"))
        # the recording keeps positions on a grid far finer than a pixel
        self.assertLess(found[0], 0.05)
        self.assertEqual(found[1], 0)
        out, _ = self.tenon("render", "a.tnr", "-o", "f/", "--fps", "10", "--size", "64x48", "--json")
        self.assertEqual(json.loads(out)["frames"], 5)
        _, err = self.tenon("render", "a.tnr", "-o", "b.png", "--time", "9", code=2)
        self.assertIn("only 0.5 s long", err)

    def test_missing_recording(self):
        _, err = self.tenon("render", "none.tnr", "-o", "a.png", code=4)
        self.assertIn("none.tnr", err)


class Trouble(RenderTest):
    def test_without_egl_it_says_what_to_install(self):
        _, err = self.tenon("render", SHAPES, "-o", "a.png", code=4, env={"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent"})
        self.assertRegex(err, "EGL")
        self.assertRegex(err, "apt-get install|libegl1|libgl1-mesa-dri")
        self.assertEqual(os.listdir(self.folder), [])

    def test_without_ffmpeg_it_says_what_to_do(self):
        _, err = self.tenon("render", SHAPES, "-o", "a.mp4", code=4, env={"PATH": self.folder})
        self.assertIn("ffmpeg was not found: install it (apt-get install ffmpeg), or write PNG files with -o FOLDER/", err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_full_disk(self):
        os.symlink("/dev/full", self.path("a.png"))
        _, err = self.tenon("render", SHAPES, "-o", "a.png", code=4)
        self.assertIn("a.png: cannot be written: No space left on device", err)

    def test_film_on_a_full_disk_shows_ffmpegs_words_and_leaves_no_film(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("no ffmpeg here")

        def small_files_only():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing fails instead of killing
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        _, err = self.tenon("render", SHAPES, "-o", "a.mp4", "--duration", "1", "--size", "320x200", code=4,
                            preexec_fn=small_files_only)
        self.assertIn("ffmpeg could not write the film: ", err)
        self.assertIn("File too large", err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_place_that_cannot_be_written(self):
        for name in ("/dev/null/a.png", "/dev/null/a.mp4", "/dev/null/f/"):
            if name.endswith("mp4") and not shutil.which("ffmpeg"):
                continue
            _, err = self.tenon("render", SHAPES, "-o", name, code=4)
            self.assertIn("cannot be written: Not a directory", err)

    def test_interrupt_keeps_the_film_so_far(self):
        process = subprocess.Popen([PROGRAM, "render", SHAPES, "-o", "f/", "--duration", "1000", "--size", "64x48",
                                    "--json"], cwd=self.folder, stdout=subprocess.PIPE)
        while not os.path.exists(self.path("f/frame_00003.png")):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        result = json.loads(out)
        self.assertTrue(result["interrupted"])
        self.assertEqual(len(os.listdir(self.path("f"))), result["frames"])

    def test_wrong_model(self):
        self.tenon("render", "nothing.xml", "-o", "a.png", code=4)
        with open(self.path("bad.xml"), "w", encoding="utf-8") as file:
            file.write("<mujoco><worldbody><geom/></worldbody></mujoco>")
        self.tenon("render", "bad.xml", "-o", "a.png", code=3)


if __name__ == "__main__":
    pycheck.main()
