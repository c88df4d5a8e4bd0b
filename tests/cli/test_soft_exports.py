"""Soft bodies in exports: VTU, NPZ, CSV have the nodes, pieces and stress of the recording.

    python3 tests/cli/test_soft_exports.py build/tenon build/tests/make_beam
"""
import base64
import csv
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import pycheck  # noqa: E402

TENON = os.path.abspath(sys.argv[1])
MAKE_BEAM = os.path.abspath(sys.argv[2])
NODES, TETS, MODULUS, HALF = 21 * 4 * 4, 20 * 3 * 3 * 6, 1e7, 0.025
LAST = 4.0  # 1/m, the curvature of the last frame


def decode(array):
    data = base64.b64decode(array.text)
    length, = struct.unpack("<Q", data[:8])
    assert length == len(data) - 8
    form = {"Float32": "f", "Int32": "i", "Int64": "q", "UInt8": "B"}[array.get("type")]
    return list(struct.unpack(f"<{length // struct.calcsize(form)}{form}", data[8:]))


def read_npz(path):
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            size, = struct.unpack("<H", data[8:10])
            head = eval(data[10:10 + size])
            code = {"f4": "f", "f8": "d", "i4": "i", "i8": "q"}.get(head["descr"][1:])
            count = math.prod(head["shape"])
            if code:
                arrays[name[:-4]] = (head["shape"], struct.unpack(f"<{count}{code}", data[10 + size:]))
    return arrays


class SoftExports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        subprocess.run([MAKE_BEAM, cls.path("beam.tnr")], check=True)
        subprocess.run([MAKE_BEAM, cls.path("exact.tnr"), "exact"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def tenon(self, *arguments):
        done = subprocess.run([TENON, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def grid(self, name, index):
        piece = xml.parse(self.path(f"{name}/{index:06d}.vtu")).getroot().find("UnstructuredGrid/Piece")
        self.assertEqual((piece.get("NumberOfPoints"), piece.get("NumberOfCells")), (str(NODES), str(TETS)))
        parts = {part: {a.get("Name"): (int(a.get("NumberOfComponents")), decode(a)) for a in piece.findall(f"{part}/DataArray")}
                 for part in ("PointData", "CellData", "Points", "Cells")}
        for part, count in (("PointData", NODES), ("CellData", TETS)):
            for array, (components, numbers) in parts[part].items():
                self.assertEqual(len(numbers), components * count, array)
        return parts

    def test_vtu_has_tetrahedra_pieces_displacement_and_stress_of_points(self):
        self.tenon("export", "beam.tnr", "-o", "beam.pvd")
        first, last = self.grid("beam", 0), self.grid("beam", 30)
        self.assertEqual(last["Cells"]["types"][1], [10] * TETS)
        self.assertEqual(sorted(set(last["CellData"]["subsystem"][1])), [1, 2, 3, 4, 5])
        self.assertEqual(last["CellData"]["subsystem"][1].count(1), TETS // 5)  # four cells of twenty
        self.assertLess(max(map(abs, first["PointData"]["displacement"][1])), 5e-7)  # half a step of the grid
        points, rest = last["Points"]["Points"][1], first["Points"]["Points"][1]
        moved = last["PointData"]["displacement"][1]
        for i in range(3 * NODES):
            self.assertAlmostEqual(moved[i], points[i] - rest[i], delta=2e-6)  # two roundings to the grid of 1e-6
        stress = last["PointData"]["von_mises"][1]
        for i in range(NODES):
            expected = MODULUS * LAST * abs(rest[3 * i + 2] - 0.1)
            # a step of the group's largest, 1e6 Pa, over 2^16, and the grid of the points times the slope
            self.assertAlmostEqual(stress[i], expected, delta=1e6 / 2 ** 16 + 2e-6 * MODULUS * LAST)
        self.assertNotIn("stress", last["CellData"])
        self.assertNotIn("velocity", last["PointData"])

    def test_vtu_of_an_exact_recording_has_velocity_and_the_stress_of_elements(self):
        self.tenon("export", "exact.tnr", "-o", "exact.pvd")
        last = self.grid("exact", 30)
        self.assertEqual(last["PointData"]["velocity"][1], [i // 3 + 0.25 * (i % 3) for i in range(3 * NODES)])
        components, stress = last["CellData"]["stress"]
        self.assertEqual(components, 6)
        rest = self.grid("exact", 0)["Points"]["Points"][1]
        corners = last["Cells"]["connectivity"][1]
        for t in range(0, TETS, 7):
            height = sum(rest[3 * corners[4 * t + k] + 2] for k in range(4)) / 4 - 0.1
            xx, yy, zz, xy, yz, xz = stress[6 * t:6 * t + 6]
            # steps of at most 1e6 / 2^20 Pa, and the grid of the points times the slope
            self.assertAlmostEqual(xx, -MODULUS * LAST * height, delta=1 + 2e-6 * MODULUS * LAST)
            for value, expected in zip((yy, zz, xy, xz, yz), (0, 0, 10, 20, 30)):
                self.assertAlmostEqual(value, expected, delta=1)
            self.assertAlmostEqual(last["CellData"]["von_mises"][1][t], math.hypot(xx, math.sqrt(3 * 1400)), delta=5)

    def test_npz_has_nodes_mesh_and_stress(self):
        self.tenon("export", "exact.tnr", "-o", "exact.npz")
        arrays = read_npz(self.path("exact.npz"))
        shapes = {name: shape for name, (shape, _) in arrays.items()}
        self.assertEqual(shapes["points"], (31, NODES, 3))
        self.assertEqual(shapes["point_stress"], (31, NODES))
        self.assertEqual(shapes["point_rest"], (NODES, 3))
        self.assertEqual(shapes["tets"], (TETS, 4))
        self.assertEqual(shapes["tet_stress"], (31, TETS, 6))
        self.assertEqual(arrays["soft_points"], ((1, 2), (0, NODES)))
        self.assertEqual(set(arrays["tet_subsystem"][1]), {1, 2, 3, 4, 5})
        self.assertEqual(arrays["point_subsystem"][0], (NODES,))
        self.assertAlmostEqual(max(arrays["point_stress"][1]), MODULUS * LAST * HALF, delta=1e6 / 2 ** 16)

    def test_csv_has_nodes_and_their_stress(self):
        self.tenon("export", "beam.tnr", "-o", "beam.csv")
        with open(self.path("beam.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 31)
        self.assertIn("beam.node335.z", rows[0])
        self.assertNotIn("beam.node336.z", rows[0])
        self.assertAlmostEqual(float(rows[0]["beam.node0.x"]), -0.25, delta=1e-6)
        self.assertEqual(float(rows[0]["beam.node0.stress"]), 0)
        self.assertAlmostEqual(float(rows[30]["beam.node0.stress"]), MODULUS * LAST * HALF, delta=1e6 / 2 ** 16)

    def test_info_says_that_stress_is_recorded(self):
        info = json.loads(self.tenon("info", "beam.tnr", "--json"))
        self.assertTrue(info["has_stress"])
        self.assertFalse(info["has_state"])
        self.assertEqual(info["surfaces"], 1)


if __name__ == "__main__":
    pycheck.main()
