"""The replay in one HTML file: tenon export RUN.tnr -o RUN.html, in a browser.

  test_replay.py TENON MAKE_SOFT MAKE_BEAM

What needs no browser is always tested; the rest is skipped where node, playwright-core (npm ci in web/) or chromium is
missing. TENON_CHROMIUM names another browser, TENON_PICTURES a folder for screenshots to look at.
"""
import base64
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WEB = os.path.join(ROOT, "web")
sys.path.insert(0, os.path.dirname(HERE))
import pycheck  # noqa: E402

TENON = os.path.abspath(sys.argv[1])
MAKE_SOFT = os.path.abspath(sys.argv[2])
MAKE_BEAM = os.path.abspath(sys.argv[3])
STIR = os.path.join(ROOT, "scenes", "stir.xml")


def run(*command, timeout=540, **more):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=timeout, **more)
    if done.returncode:
        raise AssertionError(f"{command}\n{done.stdout.decode()}{done.stderr.decode()}")
    return done.stdout.decode()


class Pages:
    """Recordings and pages, made once for all tests."""
    folder = None

    @classmethod
    def make(cls):
        if cls.folder:
            return
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        # few iterations are quick and change nothing in the number of contacts
        run(TENON, "run", STIR, "--duration", 2, "--iterations", 10, "--record", cls.path("stir.tnr"), "--quiet")
        run(MAKE_SOFT, cls.path("soft.tnr"))
        run(MAKE_BEAM, cls.path("beam.tnr"))
        with open(cls.path("soft.tnr"), "rb") as file:
            data = file.read()
        with open(cls.path("cut.tnr"), "wb") as file:
            file.write(data[:len(data) * 2 // 3])
        for name in ("stir", "soft", "cut"):
            run(TENON, "export", cls.path(f"{name}.tnr"), "-o", cls.path(f"{name}.html"))
        run(TENON, "export", cls.path("beam.tnr"), "-o", cls.path("beam.html"), "--color", "stress")

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)


def read_page(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Data:
    """The data of a page, read as docs/replay.md describes them and not as the player does it."""
    codes = {"u8": "B", "i8": "b", "i16": "h", "i32": "i", "f32": "f", "f64": "d"}

    def __init__(self, page):
        self.head = json.loads(re.search(r'id="tenon-head">(.*?)</script>', page, re.S).group(1))
        packed = base64.b64decode(re.search(r'id="tenon-data">(.*?)</script>', page, re.S).group(1), validate=True)
        self.sections = {}
        start = 0
        for section in self.head["sections"]:
            planes = zlib.decompress(packed[start:start + section["bytes"]], wbits=-15)
            start += section["bytes"]
            count, code = section["count"], self.codes[section["type"]]
            width = struct.calcsize(code)
            numbers = bytearray(width * count)
            for k in range(width):
                numbers[k::width] = planes[k * count:(k + 1) * count]
            self.sections[section["name"]] = struct.unpack(f"<{count}{code}", bytes(numbers))
        assert start == len(packed)

    def channel(self, name, index, order):
        """Whole numbers over time, out of folded differences."""
        frames = self.head["frames"]
        values = []
        for k, folded in enumerate(self.sections[name][index * frames:(index + 1) * frames]):
            folded &= 0xFFFFFFFF
            value = (folded >> 1) ^ -(folded & 1)
            if k and order:
                value += values[-1]
            if k > 1 and order == 2:
                value += values[-1] - values[-2]
            values.append(value)
        return values

    def body(self, body, number):
        """One of the seven numbers of a body's pose over time."""
        row = self.sections["moving"].index(body)
        index = row * 7 + number
        values = self.channel("motion", index, self.sections["motion_order"][index])
        unit = self.sections["position_step"][row] if number < 3 else 1 / self.sections["rotation_levels"][row]
        return [value * unit for value in values]

    def point(self, point, axis):
        index = point * 3 + axis
        return [value * self.head["point_step"] for value in
                self.channel("points", index, self.sections["point_order"][index])]


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        Pages.make()

    def test_ten_seconds_of_stir_take_less_than_6_MB(self):
        tnr, html = Pages.path("ten.tnr"), Pages.path("ten.html")
        report = json.loads(run(TENON, "run", STIR, "--duration", 10, "--iterations", 10, "--record", tnr, "--json"))
        run(TENON, "export", tnr, "-o", html)
        data = Data(read_page(html))
        counts = data.sections["contact_counts"]
        print(f"\n10 s of stir: {os.path.getsize(html) / 1e6:.2f} MB, {data.head['frames']} frames, "
              f"{sum(counts) / len(counts):.0f} contacts in each")
        self.assertLess(os.path.getsize(html), 6e6)
        self.assertEqual(len(data.sections["times"]), 301)  # 30 per second and the first
        # the scene's real contacts are in there: as many as the simulation had, up to the first second's fall
        self.assertGreater(sum(counts) / len(counts), 500)
        self.assertAlmostEqual(sum(counts) / len(counts), report["contacts_mean"], delta=0.1 * report["contacts_mean"])

    def test_the_page_needs_nothing_from_elsewhere(self):
        page = read_page(Pages.path("stir.html"))
        self.assertIsNone(re.search(r'(src|href)\s*=\s*["\']?(https?:)?//', page))
        self.assertIn("default-src 'none'", page)
        self.assertEqual(page.count("<script"), page.count("</script>"))

    def test_the_page_has_the_notice_of_three_js(self):
        page = read_page(Pages.path("stir.html"))
        with open(os.path.join(WEB, "dist", "LICENSE.three.txt"), encoding="utf-8") as file:
            self.assertIn(file.read().strip(), page)

    def test_poses_are_those_of_the_recording(self):
        data = Data(read_page(Pages.path("soft.html")))
        self.assertEqual(data.head["frames"], 61)
        grid = 2 * data.sections["position_step"][0]  # half a step each from the recording and from the page
        for time, x in zip(data.sections["times"], data.body(1, 0)):
            self.assertAlmostEqual(x, 0.5 * math.sin(2 * math.pi * time), delta=grid)
        levels = data.sections["rotation_levels"][0]
        for time, z in zip(data.sections["times"], data.body(1, 6)):
            self.assertAlmostEqual(abs(z), abs(math.sin(math.pi * time / 2)), delta=1.5 / levels)

    def test_points_are_those_of_the_recording(self):
        data = Data(read_page(Pages.path("soft.html")))
        step = 2 * data.head["point_step"]
        self.assertLess(step, 0.015 / 20)  # a small share of the tendon's radius
        for time, z in zip(data.sections["times"], data.point(13, 2)):
            self.assertAlmostEqual(z, 0.9 + 0.2 * math.sin(3 * time), delta=step)

    def test_bodies_that_rest_are_written_once(self):
        data = Data(read_page(Pages.path("soft.html")))
        self.assertEqual(data.sections["moving"], (1, 2, 3, 4, 5, 6))
        self.assertEqual(data.sections["start"][:7], (0, 0, 0, 1, 0, 0, 0))

    def test_contacts_lie_on_their_spheres(self):
        data = Data(read_page(Pages.path("stir.html")))
        total = len(data.sections["contact_shape"])
        reach, offsets = data.sections["shape_reach"], data.sections["contact_offset"]
        shape, index, outside = 0, 0, 0
        for count in data.sections["contact_counts"]:
            for k in range(count):
                shape = data.sections["contact_shape"][index] + (shape if k else 0)
                away = math.sqrt(sum(offsets[c * total + index] ** 2 for c in range(3))) * 1.25 / (127 * 256)
                self.assertAlmostEqual(reach[shape], 0.01, delta=1e-7)  # tied to a sphere, never to the box
                # on the surface, but for the gap and the rounding, at most 1.25 / 127 along each axis
                outside += abs(away - 1) > 0.25
                index += 1
        self.assertEqual(index, total)
        self.assertGreater(total, 10000)
        self.assertLess(outside, 0.01 * total)

    def test_colours_of_subsystems_are_in_the_page(self):
        data = Data(read_page(Pages.path("stir.html")))
        colors = data.sections["subsystem_colors"]
        rows = {colors[i:i + 3] for i in range(0, len(colors), 3)}
        self.assertEqual(len(colors) // 3, max(data.sections["body_subsystem"]) + 1)
        self.assertGreater(len(rows), 100)  # 217 subsystems, nearly all different

    def test_a_page_starts_in_the_colours_asked_for(self):
        self.assertEqual(Data(read_page(Pages.path("soft.html"))).head["color"], "model")
        run(TENON, "export", Pages.path("soft.tnr"), "-o", Pages.path("colour.html"), "--color", "subsystem")
        data = Data(read_page(Pages.path("colour.html")))
        self.assertEqual(data.head["color"], "subsystem")
        self.assertEqual(data.sections["point_subsystem"][:12], (7,) * 4 + (8,) * 4 + (9,) * 4)  # along the cable

    def test_fps_title_and_a_part_of_the_time_can_be_chosen(self):
        html = Pages.path("part.html")
        run(TENON, "export", Pages.path("stir.tnr"), "-o", html, "--fps", 10, "--title", "a <b> & c", "--from", 0.5, "--to", 1.5)
        page = read_page(html)
        data = Data(page)
        times = data.sections["times"]
        self.assertEqual(len(times), 11)
        self.assertAlmostEqual(times[0], 0.5, delta=1e-9)
        self.assertAlmostEqual(times[-1], 1.5, delta=1e-9)
        self.assertEqual(data.head["title"], "a <b> & c")
        self.assertIn("<title>a &lt;b&gt; &amp; c</title>", page)

    def test_a_name_cannot_end_the_script(self):
        page = read_page(Pages.path("soft.html"))
        self.assertEqual(Data(page).head["bodies"][1], "</script><b>ball")
        self.assertNotIn("</script><b>ball", page)

    def test_surfaces_have_the_vertices_of_pictures_and_stress(self):
        data = Data(read_page(Pages.path("beam.html")))
        surface, = data.head["surfaces"]
        rows = data.sections["surface_vertices"]
        self.assertEqual(len(rows), 3 * surface["vertices"])
        self.assertEqual(set(rows[2::3]), {1, 2, 3, 4, 5})
        self.assertTrue(all(smooth <= i for i, smooth in enumerate(rows[1::3])))
        self.assertEqual(len(data.sections["triangles"]), 3 * surface["triangles"])
        self.assertEqual(max(data.sections["triangles"]), surface["vertices"] - 1)
        self.assertEqual(data.head["stress_max"], 1e6)
        self.assertEqual(len(data.sections["stress"]), 31 * 336)
        self.assertEqual(len(data.sections["stress_colors"]), 256 * 3)

    def test_a_cut_recording_says_so(self):
        self.assertTrue(Data(read_page(Pages.path("cut.html"))).head["cut_off"])
        self.assertFalse(Data(read_page(Pages.path("soft.html"))).head["cut_off"])


def what_is_missing():
    if not shutil.which("node"):
        return "there is no node"
    if not os.path.isdir(os.path.join(WEB, "node_modules", "playwright-core")):
        return 'there is no playwright-core: "npm ci" in web/ installs it'
    return None


def find_chromium():
    names = [os.environ.get("TENON_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"]
    return next((path for path in map(shutil.which, filter(None, names)) if path), None)


class Bundle(unittest.TestCase):
    @unittest.skipIf(not shutil.which("node") or not os.path.isdir(os.path.join(WEB, "node_modules", "esbuild")),
                     'no node or no esbuild: "npm ci" in web/ installs it')
    def test_the_player_is_what_its_sources_make(self):
        run("node", "build.mjs", "--check", cwd=WEB)


@unittest.skipIf(what_is_missing() or not find_chromium(), what_is_missing() or "there is no chromium")
class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        Pages.make()
        pictures = os.environ.get("TENON_PICTURES")
        if pictures:
            os.makedirs(pictures, exist_ok=True)
        answer = run("node", os.path.join(HERE, "replay.mjs"), find_chromium(), Pages.path("stir.html"), Pages.path("soft.html"),
                     Pages.path("beam.html"), Pages.path("cut.html"), os.path.join(WEB, "dist", "player.html"),
                     *([os.path.abspath(pictures)] if pictures else []))
        cls.seen = json.loads(answer.splitlines()[-1])
        cls.stir = cls.seen["stir"]

    def test_the_page_opens(self):
        stages = self.stir["stages"]
        print(f"\nopened in {self.stir['opening']} ms: decoded after {stages['decoded'] - stages['begun']:.0f} ms, "
              f"drawn after {stages['drawn'] - stages['begun']:.0f} ms, since its script began")
        self.assertEqual(self.stir["first"]["frameCount"], 61)
        self.assertAlmostEqual(self.stir["first"]["end"], 2, delta=1e-9)

    def test_nothing_is_asked_of_the_network(self):
        for name in ("stir", "soft", "beam", "cut"):
            self.assertEqual(self.seen[name]["requests"], [])

    def test_the_console_stays_empty(self):
        for name in ("stir", "soft", "beam", "cut", "phone", "noWebGl", "noInflate", "empty"):
            self.assertEqual(self.seen[name]["trouble"], [], name)

    def test_the_scene_is_seen(self):
        self.assertGreater(self.stir["plain"]["colors"], 1000)  # light, shadow and sky; a blank page has one
        self.assertGreater(self.stir["plain"]["hued"], 500)  # pixels in the spheres' red and yellow
        self.assertGreater(self.stir["first"]["contactCount"] + self.stir["scrubbed"]["contactCount"], 500)

    def test_it_plays_and_stops(self):
        self.assertTrue(self.stir["first"]["playing"])
        self.assertFalse(self.stir["paused"]["playing"])
        self.assertGreater(self.stir["paused"]["time"], self.stir["first"]["time"])
        self.assertEqual(self.stir["paused"]["time"], self.stir["stillPaused"]["time"])

    def test_whoever_wants_less_motion_starts_it(self):
        self.assertFalse(self.seen["cut"]["first"]["playing"])
        self.assertEqual(self.seen["cut"]["first"]["time"], self.seen["cut"]["later"]["time"])

    def test_the_time_can_be_set(self):
        # a thumb is some pixels wide: within 3 % of the bar
        self.assertAlmostEqual(self.stir["scrubbed"]["time"], 1.5, delta=0.06)
        self.assertEqual(self.stir["stepped"]["frame"], self.stir["scrubbed"]["frame"] + 1)
        self.assertEqual(self.stir["home"]["time"], 0)
        # the middle of the curve's box, 240 pixels wide, is 18 pixels left of the middle of its axis
        self.assertAlmostEqual(self.stir["onCurve"]["time"], 0.8, delta=0.1)

    def test_turning_moving_and_zooming_change_the_view(self):
        start = self.stir["reset"]["after"]["camera"]
        self.assertGreater(self.stir["orbit"]["different"], 5000)
        for name in ("orbit", "pan", "zoom"):
            camera = self.stir[name].get("after", self.stir[name])["camera"]
            self.assertGreater(math.dist(camera, start), 0.01, name)
        self.assertLess(self.stir["reset"]["different"], 200)

    def test_each_key_shows_something(self):
        least = {"subsystems": 3000, "contacts": 200, "forces": 500, "shadows": 1000, "joints": 200, "frames": 200}
        for name, pixels in least.items():
            self.assertGreater(self.stir[name]["different"], pixels, name)
            self.assertNotEqual(self.stir[name]["after"]["show"][name], self.stir["first"]["show"][name])
        self.assertEqual(self.stir["subsystems"]["after"]["colorMode"], "subsystem")
        self.assertEqual(self.stir["clicked"]["colorMode"], "subsystem")
        self.assertEqual(self.stir["first"]["colorMode"], "model")
        self.assertLess(self.stir["backAgain"]["different"], 200)

    def test_curves_tell_energy_and_its_account(self):
        self.assertEqual(len(self.stir["curves"]), 5)
        for part in ("total", "kinetic", "potential"):
            self.assertIn(part, self.stir["curves"][2])
        for part in ("work", "losses", "created"):
            self.assertIn(part, self.stir["curves"][3])

    def test_curves_of_joints_and_controls_are_chosen_by_name(self):
        signals = self.stir["signals"]
        names = signals["names"]
        self.assertEqual(signals["first"], [name for name in names if name.endswith(".q0")][:3])
        self.assertEqual(len(signals["chosen"]), 4)
        self.assertTrue(signals["chosen"][-1].endswith(".force"))
        self.assertEqual(signals["left"], signals["chosen"][1:])
        self.assertGreater(signals["different"], 100)  # pixels of the curves

    def test_curves_hide_and_help_opens(self):
        self.assertTrue(self.stir["curvesHidden"])
        self.assertTrue(self.stir["help"])

    def test_every_control_has_a_name(self):
        self.assertEqual(self.stir["nameless"], [])

    def test_words_say_what_it_is(self):
        self.assertEqual(self.stir["title"], "stir")
        self.assertIn("225 bodies in 217 subsystems", self.stir["facts"])
        self.assertIn("made with tenon", self.stir["maker"])
        self.assertFalse(self.stir["noteVisible"])
        self.assertIn("cut off", self.seen["cut"]["note"])

    def test_a_cable_has_the_colours_of_its_subsystems_along_it(self):
        for hued in self.seen["soft"]["alongCable"]:
            self.assertGreater(hued, 200)

    def test_tubes_and_surfaces_are_seen_and_move(self):
        soft = self.seen["soft"]
        self.assertGreater(soft["cloth"]["hued"], 3000)
        self.assertGreater(soft["tendon"]["hued"], 200)
        self.assertGreater(soft["later"]["different"], 3000)
        # the grid is 1/2000 of the smallest shape
        self.assertAlmostEqual(soft["ball"][0], 0.5 * math.sin(2 * math.pi * 7 / 30), delta=1e-3)

    def test_a_soft_body_is_coloured_by_stress_and_by_its_pieces(self):
        beam = self.seen["beam"]
        self.assertEqual(beam["first"]["colorMode"], "stress")
        for stress in beam["stress"]:  # the first nodes lie at the outside; 3.6 is the curvature at 0.9 s
            self.assertAlmostEqual(stress, 1e7 * 3.6 * 0.025, delta=1e6 / 4095)  # a step of the page's grid
        self.assertIn("von Mises stress, MPa", beam["scale"])
        self.assertIn("1", beam["scale"].split())
        self.assertGreater(beam["yellow"]["hued"], 2000)
        self.assertGreater(beam["blue"]["hued"], 2000)
        self.assertEqual(beam["plain"]["colorMode"], "model")
        self.assertGreater(beam["orange"]["hued"], 5000)
        self.assertGreater(beam["orange"]["different"], 5000)
        self.assertTrue(beam["scaleHidden"])
        self.assertEqual(beam["bySubsystem"]["colorMode"], "subsystem")
        for hued in beam["pieces"]:
            self.assertGreater(hued, 500)
        self.assertEqual(beam["byStress"]["colorMode"], "stress")  # and no longer by subsystem
        self.assertFalse(beam["byStress"]["show"]["subsystems"])

    def test_a_double_click_follows_a_body(self):
        soft = self.seen["soft"]
        self.assertEqual(soft["followed"]["state"]["selected"], 1)
        self.assertIn("</script><b>ball", soft["followed"]["name"])
        before, after = soft["followed"]["state"]["camera"], soft["along"]["state"]["camera"]
        moved = soft["along"]["ball"][0] - 0.5 * math.sin(2 * math.pi * 1.9)
        self.assertAlmostEqual(after[0] - before[0], moved, delta=0.01)  # 1.9 s lies on a frame
        self.assertEqual(soft["left"]["selected"], -1)

    def test_a_camera_of_the_model_can_be_chosen(self):
        for got, wanted in zip(self.seen["soft"]["above"]["camera"], (0, 0, 6)):
            self.assertAlmostEqual(got, wanted, delta=1e-6)
        self.assertGreater(self.seen["soft"]["fromAbove"]["different"], 5000)

    def test_a_phone_shows_all_of_it(self):
        phone = self.seen["phone"]
        self.assertLessEqual(phone["wide"], 390)
        self.assertLessEqual(phone["play"], 844)
        self.assertGreater(phone["scene"], 250)

    def test_what_is_missing_is_said(self):
        self.assertIn("WebGL", self.seen["noWebGl"]["text"])
        self.assertIn("unpack", self.seen["noInflate"]["text"])
        self.assertIn("tenon export", self.seen["empty"]["text"])


if __name__ == "__main__":
    del sys.argv[1:]
    pycheck.main()
