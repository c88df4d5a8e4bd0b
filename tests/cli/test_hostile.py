"""Names that somebody chose badly on purpose: quotes, tags, ends of line, control characters, 10 MB. Pages, pictures, tables and
the terminal stay what they are."""
import csv
import html.parser
import json
import os
import struct
import unittest
import xml.etree.ElementTree as xml
import zipfile
import zlib

import tnr
from cli import CliTest, pycheck

NASTY = ['<script>alert(1)</script>', '"quoted", \'twice\'', "]]> --> </script><!--", "a,b;c\td\ne", "=1+1", "\u202egnp.\u2028", "%s%n",
         "${x}`y`", "\\u003c", "../../x"]


def attribute(text):
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return text.replace("\n", "&#10;").replace("\t", "&#9;")


def model(names):
    joints = "".join(f'<body name="{attribute(n)}" pos="{i} 0 1"><joint name="{attribute(n)}"/><geom size=".1" pos=".2 0 0"/>'
                     f'<camera name="{attribute(n)}"/></body>' for i, n in enumerate(names))
    motors = "".join(f'<motor name="{attribute(n)}" joint="{attribute(n)}"/>' for n in names)
    sensors = "".join(f'<jointpos name="{attribute(n)}" joint="{attribute(n)}"/>' for n in names)
    return (f'<mujoco model="{attribute(names[0])}"><worldbody>{joints}</worldbody><actuator>{motors}</actuator>'
            f'<sensor>{sensors}</sensor><keyframe><key name="{attribute(names[0])}"/></keyframe></mujoco>')


class Page(html.parser.HTMLParser):
    """The tags of a page, and the text of its scripts."""
    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.titles, self.open = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs).get("id")))
        self.open = tag
        if tag == "script":
            self.scripts.append([dict(attrs).get("id"), ""])

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open == "script":
            self.scripts[-1][1] += data
        elif self.open == "title":
            self.titles.append(data)


class Hostile(CliTest):
    def quiet(self, *arguments, code=0):
        """Both streams, which have no control characters but ends of line."""
        streams = self.tenon(*arguments, code=code)
        for text in streams:
            bad = sorted({c for c in text if (ord(c) < 32 and c != "\n") or 0x7f <= ord(c) < 0xa0})
            self.assertEqual(bad, [])
        return streams[0]

    def record(self, names):
        path, out = self.write("nasty.xml", model(names)), os.path.join(self.folder, "nasty.tnr")
        self.quiet("run", path, "--duration", "0.02", "--record", out, "--record-signals")
        return path, out

    def test_models_in_terminal_json_and_csv(self):
        path, _ = self.record(NASTY)
        plain = [" ".join(n.split()) if "\n" in n or "\t" in n else n for n in NASTY]  # white space is white space
        plain[3] = "a,b;c d e"
        self.quiet("info", path)
        self.quiet("eval", path, "--forces")
        told = json.loads(self.quiet("info", path, "--json"))
        self.assertEqual(told["name"], plain[0])
        self.assertEqual([j["name"] for j in told["joints"]], plain)
        table = os.path.join(self.folder, "log.csv")
        ran = self.quiet("run", path, "--duration", "0.02", "--csv", table, "--log", "all", "--json")
        json.loads(ran)
        with open(table, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        for name in plain:
            self.assertIn(name + ".q0", rows[0])

    def test_a_page_has_no_tags_but_its_own(self):
        _, tame = self.record(["tame"])
        page = os.path.join(self.folder, "page.html")
        self.quiet("export", tame, "-o", page)
        with open(page, encoding="utf-8") as file:
            expected = Page(file.read())
        _, nasty = self.record(NASTY)
        self.quiet("export", nasty, "-o", page)
        with open(page, encoding="utf-8") as file:
            found = Page(file.read())
        self.assertEqual(found.tags, expected.tags)
        self.assertEqual(found.titles, [NASTY[0]])
        head = json.loads(dict(map(tuple, found.scripts))["tenon-head"])
        self.assertEqual([head["title"], head["bodies"][1]], [NASTY[0], NASTY[0]])

    def test_exported_tables_are_whole(self):
        _, nasty = self.record(NASTY)
        table, arrays = os.path.join(self.folder, "t.csv"), os.path.join(self.folder, "t.npz")
        self.quiet("export", nasty, "-o", table)
        with open(table, newline="", encoding="utf-8") as file:
            self.assertEqual(len({len(row) for row in csv.reader(file)}), 1)
        self.quiet("export", nasty, "-o", arrays)
        with zipfile.ZipFile(arrays) as archive:
            self.assertIsNone(archive.testzip())
            self.assertTrue(all("/" not in name for name in archive.namelist()))

    def test_what_is_xml_stays_xml(self):
        """Files for ParaView and converted models, of MJCF and of URDF."""
        path, _ = self.record(NASTY)
        cable = self.write("cable.xml", f'<mujoco><tenon><rod name="{attribute(NASTY[2])}" start="0 1 1" end="1 1 1" segments="4" '
                                        f'radius=".01"/><soft name="{attribute(NASTY[0])}" box=".1 .1 .1" cells="1 1 1"/></tenon></mujoco>')
        self.quiet("run", cable, "--duration", "0.02", "--record", "cable.tnr")
        self.quiet("export", "cable.tnr", "-o", "vtu/t.pvd")
        files = [os.path.join(f, n) for f, _, names in os.walk(os.path.join(self.folder, "vtu")) for n in names]
        self.assertGreater(len(files), 1)
        for file in files:
            xml.parse(file)
        self.quiet("convert", path, "-o", "again.xml")
        told = json.loads(self.quiet("info", "again.xml", "--json"))
        self.assertEqual(told["joints"], json.loads(self.quiet("info", path, "--json"))["joints"])
        robot, links = xml.Element("robot", name=NASTY[0]), [n for n in NASTY if "${" not in n]  # those are of xacro
        for i, name in enumerate(links):
            xml.SubElement(robot, "link", name=name)
            if i:
                joint = xml.SubElement(robot, "joint", name=name, type="fixed")
                xml.SubElement(joint, "parent", link=links[i - 1])
                xml.SubElement(joint, "child", link=name)
        urdf = self.write("nasty.urdf", xml.tostring(robot, encoding="unicode"))
        self.quiet("convert", urdf, "-o", "robot.xml")
        self.assertEqual(json.loads(self.quiet("info", "robot.xml", "--json"))["name"], NASTY[0])

    def test_a_plot_is_a_picture_and_nothing_else(self):
        data, picture = os.path.join(self.folder, "d.csv"), os.path.join(self.folder, "d.svg")
        with open(data, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["x"] + NASTY[:7], [1] * 8, [2] * 8])
        self.quiet("plot", data, "-o", picture, "--x", "1", "--y", "2,3,4,5,6,7,8", "--title", NASTY[0] + "\x1b[31m")
        tags = {e.tag.split("}")[1] for e in xml.parse(picture).iter()}
        self.assertEqual(tags, {"svg", "g", "path", "rect", "text", "title", "desc"})
        with open(data, "wb") as file:
            file.write(b"x,\x1b[31mred\x07,y\n1,2,3\n")
        self.quiet("plot", data, "--y", "nothing", code=2)

    def test_control_characters_in_a_model_are_an_error(self):
        for code in ("&#27;", "&#x9b;", "&#127;"):
            path = self.write("control.xml", f'<mujoco><worldbody><body name="a{code}b"/></worldbody></mujoco>')
            self.quiet("validate", path, code=3)

    def test_messages_about_bytes_of_other_files_are_clean(self):
        with open(os.path.join(self.folder, "track.csv"), "wb") as file:
            file.write(b"time,\x1b[31mred\x07\n0,1\n")
        path = self.write("m.xml", '<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><actuator>'
                                   '<motor name="m" joint="j"/></actuator><tenon><track file="track.csv"/></tenon></mujoco>')
        self.quiet("validate", path, code=3)
        with open(os.path.join(self.folder, "p.dat"), "wb") as file:
            file.write(b"tenon-problem 1\nblocks \x1b[31m\n")
        self.quiet("solve", os.path.join(self.folder, "p.dat"), code=3)

    def test_a_recording_by_somebody_else(self):
        """Its scene's name has control characters, its subsystems are numbered as nobody numbers them."""
        _, path = self.record(["tame"])
        with open(path, "rb") as file:
            data = file.read()
        out = data[:16]
        for kind, payload in tnr.chunks(data):
            if kind == b"SCNE":
                raw = zlib.decompress(payload[8:])
                length, = struct.unpack("<I", raw[8:12])
                name = b"\x1b]0;owned\x07\nsecond line\x7f\xc2\x9b31m"
                raw = raw[:8] + struct.pack("<I", len(name)) + name + raw[12 + length:]
                mark = struct.pack("<I", 4) + b"tame"
                at = raw.index(mark) + len(mark)
                raw = raw[:at] + struct.pack("<I", 0x7fffffff) + raw[at + 4:]
                payload = struct.pack("<Q", len(raw)) + zlib.compress(raw)
            front = kind + struct.pack("<I", len(payload))
            out += front + struct.pack("<I", zlib.crc32(front + payload)) + payload
        with open(path, "wb") as file:
            file.write(out)
        self.quiet("info", path)
        page = os.path.join(self.folder, "page.html")
        self.quiet("export", path, "-o", page)  # a colour for each number up to the largest would take 6 GB
        self.assertLess(os.path.getsize(page), 5000000)

    def test_names_of_ten_megabytes(self):
        path, recording = self.record(["x" * 10000000, "short"])
        told = self.quiet("info", path)
        self.assertLess(len(told), 10000)
        self.assertIn("x...", told)
        arrays = os.path.join(self.folder, "t.npz")
        self.quiet("export", recording, "-o", arrays)
        self.assertLess(os.path.getsize(arrays), 1000000)


if __name__ == "__main__":
    pycheck.main()
