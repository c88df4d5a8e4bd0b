"""tenon plot and --plot of bench: the SVG is parsed back, positions are inverted by means of the ticks' labels."""
import math
import os
import re
import subprocess
import xml.etree.ElementTree as ET

import cli
from cli import BenchTest, CliTest, pycheck

SVG = "{http://www.w3.org/2000/svg}"
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
SHORT = ("--duration", "0.05", "--repeats", "1", "--aav-samples", "1")


def number(label):
    """A tick's label as a number: −2.5, 10⁻³, 2×10⁶."""
    label = label.replace("\u2212", "-")
    parts = re.fullmatch(r"(?:([-\d.]+)×)?10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", label)
    if not parts:
        return float(label)
    return float(parts[1] or 1) * 10.0 ** int(parts[2].translate(SUPERSCRIPTS))


class Picture:
    def __init__(self, text):
        self.root = ET.fromstring(text)
        assert self.root.tag == SVG + "svg"
        self.width, self.height = map(float, self.root.get("viewBox").split()[2:])

    def all(self, tag, kind=None):
        return [e for e in self.root.iter(SVG + tag) if kind is None or e.get("class") == kind]

    def texts(self):
        return ["".join(e.itertext()) for e in self.all("text")]

    def ticks(self, axis):
        """(pixel, label) of an axis, x or y; y texts stand 0.36 of their size of 11 below the tick."""
        group = self.all("g", axis + "-ticks")[0]
        return [(float(e.get(axis)) - (0.36 * 11 if axis == "y" else 0), e.text) for e in group]

    def inverse(self, axis, log):
        """The function from pixels to values that the outermost ticks tell."""
        ticks = self.ticks(axis)
        note = [number(e.text[1:]) for e in self.all("text", axis + "-note")] or [1]
        (p0, l0), (p1, l1) = ticks[0], ticks[-1]
        v0, v1 = number(l0) * note[0], number(l1) * note[0]
        if log:
            u0, u1 = math.log10(v0), math.log10(v1)
            return lambda p: 10 ** (u0 + (p - p0) * (u1 - u0) / (p1 - p0))
        return lambda p: v0 + (p - p0) * (v1 - v0) / (p1 - p0)

    def points(self, series=0):
        """Middles of the markers of a series; each marker starts at its middle."""
        group = self.all("g", "series")[series]
        path = [e.get("d") for e in group if e.get("class") == "points"][0]
        return [(float(x), float(y)) for x, y in re.findall(r"M([-\d.]+) ([-\d.]+)[mh]", path)]


class Plot(CliTest):
    def csv(self, rows, header="x,y", name="data.csv"):
        return self.write(name, header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))

    def plot(self, *arguments, code=0):
        out, err = self.tenon("plot", *arguments, code=code)
        self.assertEqual(err, "")
        return Picture(out)

    def check_positions(self, rows, log_x, log_y, *arguments):
        picture = self.plot(self.csv(rows), "--kind", "scatter", *arguments,
                            *(["--log-x"] if log_x else []), *(["--log-y"] if log_y else []))
        points = picture.points()
        self.assertEqual(len(points), len(rows))
        for axis, log, index in (("x", log_x, 0), ("y", log_y, 1)):
            inverse = picture.inverse(axis, log)
            ticks = picture.ticks(axis)
            # positions and ticks are written to 0.01 px: so much of the range between the outermost ticks
            share = 0.03 / abs(ticks[-1][0] - ticks[0][0])
            low, high = (inverse(ticks[i][0]) for i in (0, -1))
            for point, row in zip(points, rows):
                if log:
                    self.assertAlmostEqual(math.log10(inverse(point[index])), math.log10(row[index]),
                                           delta=share * abs(math.log10(high / low)))
                else:
                    self.assertAlmostEqual(inverse(point[index]), row[index], delta=share * abs(high - low))

    def test_every_point_is_where_the_ticks_say(self):
        self.check_positions([(i * 0.37 - 3, 40 * math.sin(i)) for i in range(50)], False, False)
        self.check_positions([(10.0 ** (i - 12), 3.0 ** i) for i in range(19)], True, True)
        self.check_positions([(10.0 ** i, -i) for i in range(6)], True, False)
        self.check_positions([(i * 1e-9, 2e7 * i) for i in range(1, 9)], False, False)  # notes ×10ⁿ
        self.check_positions([(i, 1.5 + 0.1 * i) for i in range(9)], False, True, "--size", "300x900")

    def test_lines_pass_through_their_points(self):
        rows = [(i, (i * 7) % 5) for i in range(12)]
        picture = self.plot(self.csv(rows))
        path = picture.all("path", "line")[0].get("d")
        drawn = [(float(a), float(b)) for a, b in re.findall(r"[ML ]([-\d.]+) ([-\d.]+)", path)]
        self.assertEqual(drawn, picture.points())
        x, y = picture.inverse("x", False), picture.inverse("y", False)
        for (px, py), row in zip(drawn, rows):
            self.assertAlmostEqual(x(px), row[0], delta=0.001)
            self.assertAlmostEqual(y(py), row[1], delta=0.001)

    def test_fits_tell_slope_exponent_and_r_squared(self):
        data = self.csv([(n, 3 * n ** 1.25) for n in (1, 5, 20, 300, 4000)])
        picture = self.plot(data, "--kind", "scatter", "--log-x", "--log-y", "--fit", "power")
        self.assertIn("fit: exponent 1.25, R² 1.0000", picture.texts())
        data = self.csv([(1, 2), (2, 2), (3, 4), (4, 4)])
        self.assertIn("fit: slope 0.8, R² 0.8000",
                      self.plot(data, "--kind", "scatter", "--fit", "linear").texts())

    def test_texts_titles_and_accessibility(self):
        picture = self.plot(self.csv([(1, 2), (3, 4)], "a & b,c<d"), "--title", 'say "x" & <y>', "--x-label", "time, s")
        self.assertEqual(picture.all("title")[0].text, 'say "x" & <y>')
        self.assertTrue(picture.all("desc")[0].text)
        self.assertEqual(picture.root.get("role"), "img")
        for text in ('say "x" & <y>', "time, s", "c<d"):
            self.assertIn(text, picture.texts())
        background = picture.root.find(SVG + "rect")
        self.assertEqual((background.get("width"), background.get("height")), ("720", "440"))

    def test_bars_have_their_labels_and_heights(self):
        data = self.write("bars.csv", "run,a,b\nfirst,1,2\nsecond,3,0.5\n")
        picture = self.plot(data, "--kind", "bars")
        self.assertEqual([label for _, label in picture.ticks("x")], ["first", "second"])
        value = picture.inverse("y", False)
        tops = [[value(float(top)) for top in re.findall(r"V([\d.]+)H", bar.get("d"))]
                for bar in picture.all("path", "bars")]
        for found, expected in zip(tops, ([1, 3], [2, 0.5])):
            for a, b in zip(found, expected):
                self.assertAlmostEqual(a, b, delta=0.001)  # 0.01 px of 400 for 3 units

    def test_error_bars_reach_from_low_to_high(self):
        data = self.write("range.csv", "x,y,least,most\n1,5,4,7\n2,6,6,9\n")
        picture = self.plot(data, "--kind", "scatter", "--y", "y", "--low", "least", "--high", "most")
        value = picture.inverse("y", False)
        ends = re.findall(r"M[-\d.]+ ([\d.]+)h6m-3 0V([\d.]+)", picture.all("path", "ranges")[0].get("d"))
        for (low, high), expected in zip(ends, ((4, 7), (6, 9))):
            self.assertAlmostEqual(value(float(low)), expected[0], delta=0.001)
            self.assertAlmostEqual(value(float(high)), expected[1], delta=0.001)
        self.assertEqual(len(ends), 2)

    def test_reference_lines_stand_at_their_values(self):
        picture = self.plot(self.csv([(1, 10), (3, 30)]), "--x-line", "2=half", "--y-line", "15")
        (vertical,), (horizontal,) = [[re.findall(r"[-\d.]+", e.get("d")) for e in picture.all("g", "references")[0]
                                       if e.tag == SVG + "path"][i:i + 1] for i in (0, 1)]
        self.assertAlmostEqual(picture.inverse("x", False)(float(vertical[0])), 2, delta=0.001)
        self.assertAlmostEqual(picture.inverse("y", False)(float(horizontal[1])), 15, delta=0.01)
        self.assertIn("half", picture.texts())
        self.refused("plot", self.csv([(1, 2)]), "--y-line", "high", says=["--y-line: 'high'"])

    def test_columns_go_by_name_or_number_and_quotes_are_read(self):
        data = self.write("q.csv", '\ufefftime,"a,""b""",c\r\n0,1,2\r\n\r\n1,"3",4\r\n')
        picture = self.plot(data, "--x", "time", "--y", "2,c")
        self.assertIn('a,"b"', picture.texts())
        self.assertEqual(len(picture.all("g", "series")), 2)
        bare = self.write("bare.csv", "0,1\n1,3\n2,2\n")
        self.assertEqual(len(self.plot(bare, "--kind", "scatter").points()), 3)

    def test_reads_stdin_and_writes_a_file_in_a_new_folder(self):
        done = subprocess.run([cli.PROGRAM, "plot", "-", "-o", "new/folder/p.svg"], input=b"x,y\n1,2\n2,3\n",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        with open(os.path.join(self.folder, "new", "folder", "p.svg"), encoding="utf-8") as file:
            Picture(file.read())

    def test_a_recorded_run_is_drawn(self):
        self.tenon("run", self.model, "--duration", "0.5", "--csv", "run.csv", "--quiet")
        picture = self.plot("run.csv", "--x", "time", "--y", "swing.q0,ball.z")
        self.assertEqual(len(picture.all("path", "line")), 2)
        self.refused("plot", "run.csv", says=["--y is missing", "columns"])  # too many to draw them all

    def test_energy_of_a_run_and_of_a_recording_is_drawn(self):
        self.tenon("run", self.model, "--duration", "0.5", "--csv", "run.csv", "--record", "a.tnr", "--quiet")
        self.tenon("export", "a.tnr", "-o", "a.csv")
        for data in ("run.csv", "a.csv"):
            picture = self.plot(data, "--energy")
            self.assertEqual(len(picture.all("path", "line")), 4)
            for text in ("kinetic", "potential", "total", "created_sum", "energy, J", "time, s"):
                self.assertIn(text, picture.texts())
        self.refused("plot", "run.csv", "--energy", "--y", "time", says=["--energy"])
        self.refused("plot", self.csv([(1, 1)]), "--energy", says=["--x"])

    def test_what_is_left_out_or_thinned_is_said(self):
        data = self.csv([(1, 1), (2, "nan"), (3, ""), (4, "inf"), (5, 0), (6, 2)])
        out, err = self.tenon("plot", data, "--log-y")
        self.assertIn("4 points left out", err)
        Picture(out)
        self.assertEqual(self.tenon("plot", data, "--log-y", "--quiet")[1], "")
        data = self.csv([(i, math.sin(i)) for i in range(20000)])
        out, err = self.tenon("plot", data)
        self.assertRegex(err, r"\d+ of 20000 points were merged")
        self.assertLess(len(out), 50000)
        out, err = self.tenon("plot", data, "--x-range", "0,10")
        self.assertIn("points are outside the given range", err)

    def test_nasty_ranges_stay_inside_the_picture(self):
        for rows in ([(0, 5), (1, 5), (2, 5)], [(3, -2)], [(-1e300, 1e300), (1e300, -1e300)], [(0, 0), (1e-300, 1e-300)],
                     [(1e9, 1), (1e9 + 0.001, 2)], [(-8, -1e-12), (-1, -1e6)]):
            for options in ([], ["--kind", "scatter", "--fit", "linear"], ["--size", "120x120"]):
                picture = self.plot(self.csv(rows), *options)
                for px, py in picture.points():
                    self.assertTrue(0 <= px <= picture.width and 0 <= py <= picture.height)
                for text in picture.all("text"):
                    self.assertTrue(0 <= float(text.get("x")) <= picture.width, text.text)

    def test_labels_of_an_axis_do_not_overlap(self):
        for rows in ([(i, 1e5 * i) for i in range(30)], [(10.0 ** -i, 1) for i in range(300)]):
            for size in ("160x160", "400x300", "2000x400"):
                picture = self.plot(self.csv(rows), "--size", size, "--log-x" if rows[0][0] else "--quiet")
                ticks = picture.ticks("x")
                for (p, a), (q, b) in zip(ticks, ticks[1:]):
                    # half a font's size is about the narrowest a digit gets; superscripts are smaller
                    self.assertGreater(abs(q - p), 11 * 0.3 * (len(a) + len(b)) / 2)

    def test_the_same_data_give_the_same_bytes(self):
        data = self.csv([(i, math.sqrt(i)) for i in range(100)])
        self.assertEqual(self.tenon("plot", data), self.tenon("plot", data))

    def test_wrong_columns_are_listed_with_the_nearest(self):
        data = self.write("names.csv", "time,elbow.q0,elbow.v0\n0,1,2\n")
        self.refused("plot", data, "--y", "elbow.q1", says=["no column 'elbow.q1'", "did you mean 'elbow.q0'?",
                                                            "time, elbow.q0, elbow.v0"])
        self.refused("plot", data, "--x", "4", says=["--x", "no column '4'"])
        self.refused("plot", data, "--y", "", says=["--y"])
        self.refused("plot", data, "--y", "elbow.q0,", says=["no column ''"])

    def test_wrong_options_are_refused(self):
        data = self.csv([(1, 2), (3, 4)])
        for arguments, part in ((["--fit", "linear"], "--kind scatter"), (["--stacked"], "--kind bars"),
                                (["--size", "10x10"], "120 ... 8000"), (["--size", "big"], "720x440"),
                                (["--kind", "lines"], "did you mean 'line'?"), (["--fit", "cubic"], "linear, power"),
                                (["--x-range", "2,1"], "the lower first"), (["--x-range", "5"], "two numbers"),
                                (["--log-y", "--y-range", "0,1"], "above zero"), (["--low", "x"], "go together"),
                                (["--kind", "bars", "--log-x"], "no scale along x"), (["-o", data], "the data itself")):
            self.refused("plot", data, *arguments, says=[part])
        self.refused("plot", says=["DATA.csv is missing"])

    def test_bad_files_are_io_errors_with_their_line(self):
        self.refused("plot", "nowhere.csv", code=4, says=["nowhere.csv: cannot be read"])
        self.refused("plot", self.folder, code=4, says=["cannot be read"])
        for text, part in (("x,y\n1,2\n3,four\n", "data.csv:3: 'four' in column 'y' is not a number"),
                           ("x,y\n1,2\n3,4,5\n", "data.csv:3: 3 fields"), ("x,y\n\n1,2\n3\n", "data.csv:4: 1 fields"),
                           ('x,"y\nz"\n1,2\n3,?\n', "data.csv:4"), ("", "is empty"), ("\n\n", "is empty"),
                           ("x,y\n", "no data"), ("x,y\n1,nan\n", "none of the 1 points is finite"),
                           ("x,y\n1,\0\n", "not a text file")):
            self.refused("plot", self.write("data.csv", text), "-o", "p.svg", code=4, says=[part])
            self.assertFalse(os.path.exists(os.path.join(self.folder, "p.svg")))

    def test_a_full_disk_is_an_io_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        data = self.csv([(1, 2), (3, 4)])
        self.refused("plot", data, "-o", "/dev/full", code=4, says=["/dev/full: cannot be written"])
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([cli.PROGRAM, "plot", data], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 4)


class BenchPlot(BenchTest):
    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return Picture(file.read())

    def test_bench_draws_phases_and_accuracy(self):
        out, err = self.tenon("scene", self.model, *SHORT, "--iterations", "5,10", "--plot", "b.svg")
        self.assertEqual(err, "")
        picture = self.read("b.svg")
        self.assertEqual(len(picture.all("g", "panel")), 2)
        self.assertEqual([label for _, label in picture.ticks("x")],
                         ["compliance 5", "compliance 10", "paper 5", "paper 10"])
        for text in ("dynamics", "iterate", "AAc, compliance", "AAλ, paper", "iterations per step"):
            self.assertIn(text, picture.texts())
        self.assertEqual(len(picture.all("path", "bars")), 6)

    def test_scaling_draws_time_with_its_exponent(self):
        run = self.tenon_json("scaling", "--of", "spheres", "--sizes", "8,27,64", "--settle", "5", "--steps", "2", "--plot", "s.svg")
        picture = self.read("s.svg")
        fit = [text for text in picture.texts() if text.startswith("fit: exponent")]
        self.assertEqual(len(fit), 1)
        self.assertRegex(fit[0], r"exponent [-−\d.×⁻⁰-⁹¹²³]+, R² \d\.\d{4}")
        points = picture.points()
        self.assertEqual(len(points), 3)
        x = picture.inverse("x", True)
        for (px, _), row in zip(points, run["runs"]):
            # 0.03 px of about 400 for less than two decades
            self.assertAlmostEqual(x(px) / row["spheres"], 1, delta=0.001)

    def test_results_are_printed_where_the_figure_cannot_be_written(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        out, err = self.tenon("scene", self.model, *SHORT, "--iterations", "5", "--plot", "/dev/full", code=4)
        self.assertIn("iterations", out)
        self.assertIn("cannot be written", err)

    def test_plot_wants_a_file_of_its_own(self):
        self.refused("scene", self.model, "--plot", "-", says=["--plot needs a file"])
        self.refused("scene", self.model, "--plot", self.model, says=["is the model itself"])
        self.refused("scaling", "--plot", "-", says=["--plot needs a file"])


if __name__ == "__main__":
    pycheck.main()
