"""glTF: independent readers find the bodies, cables and soft bodies of a recording where it has them, and the file obeys
the rules of glTF 2.0.

    python3 tests/bridges/test_gltf.py build/tenon
"""
import base64
import json
import math
import struct
import zlib

import bridge

np, pygltflib, trimesh = bridge.need("numpy", "pygltflib", "trimesh")

MODEL = """<mujoco model="arm and ball">
  <option timestep="0.01"/>
  <asset>
    <texture name="squares" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="8" height="8"/>
    <texture name="six" type="cube" builtin="flat" rgb1="0 1 0" rgb2="0 1 0" width="4" height="24"/>
    <material name="floor" texture="squares" texrepeat="2 3"/>
    <material name="green" texture="six" metallic="0.5"/>
    <mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.2 0  0 0 0.1"/>
  </asset>
  <worldbody>
    <geom type="plane" size="1 2 0.1" material="floor"/>
    <camera name="fixed" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
    <body name="arm" pos="0 0 1">
      <joint name="swing" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05" rgba="0.5 0.25 1 0.5"/>
      <geom type="box" size="0.1 0.02 0.03" pos="0.5 0 0" euler="0 90 0"/>
      <body name="hand" pos="0.5 0 0"><joint name="wrist" axis="0 0 1"/><geom type="cylinder" size="0.04 0.1"/></body>
    </body>
    <body name="ball" pos="0.3 0.2 0.5"><freejoint/><geom type="sphere" size="0.1" material="green"/></body>
    <body name="egg" pos="-0.6 0.2 0.5"><freejoint/><geom type="ellipsoid" size="0.1 0.05 0.07"/></body>
    <body name="wedge" pos="0.6 -0.5 0.5"><freejoint/><geom type="mesh" mesh="wedge"/></body>
    <body name="post" pos="-2 0 0"><geom type="box" size="0.1 0.1 0.1"/></body>
    <body name="unseen" pos="-3 0 0"><geom type="box" size="0.1 0.1 0.1" rgba="1 1 1 0"/></body>
  </worldbody>
  <keyframe><key name="spin" qvel="2 9 0 0 1 30 -20 10 0 0 2 5 3 1 0 1 0 4 4 4"/></keyframe>
</mujoco>"""
ROPE = """<mujoco model="rope">
  <option timestep="0.005"/>
  <extension><plugin plugin="mujoco.elasticity.cable"/></extension>
  <worldbody>
    <body name="mast" pos="0 0 1"><joint name="nod" axis="0 1 0"/><geom type="box" size="0.05 0.05 0.3" mass="1"/>
      <site name="top" pos="0 0 0.3"/></body>
    <site name="peg" pos="1 0 1.5"/>
    <composite type="cable" curve="s" count="11 1 1" size="0.8" offset="0 0.5 1" initial="none">
      <plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1e6"/><config key="bend" value="1e6"/></plugin>
      <joint kind="main" damping="0.001"/>
      <geom type="capsule" size="0.01" rgba="1 0.5 0 1" density="1000"/>
    </composite>
  </worldbody>
  <tendon><spatial name="line" width="0.004" stiffness="5"><site site="top"/><site site="peg"/></spatial></tendon>
</mujoco>"""


# ---- a file, and what glTF 2.0 asks of it ----

def read_glb(path):
    data = path.read_bytes()
    magic, version, length = struct.unpack("<4sII", data[:12])
    assert (magic, version, length) == (b"glTF", 2, len(data)), (magic, version, length, len(data))
    chunks, at = [], 12
    while at < length:
        size, kind = struct.unpack("<I4s", data[at:at + 8])
        assert size % 4 == 0 and at + 8 + size <= length, (size, kind)
        chunks.append((kind, data[at + 8:at + 8 + size]))
        at += 8 + size
    assert [kind for kind, _ in chunks] == [b"JSON", b"BIN\0"][:len(chunks)]
    return json.loads(chunks[0][1]), chunks[1][1]


def numbers(document, buffer, index):
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    form = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
    assert view["byteOffset"] % 4 == 0 and view["byteOffset"] + view["byteLength"] <= len(buffer)
    assert view["byteLength"] == 4 * width * accessor["count"] > 0
    found = np.frombuffer(buffer, form, width * accessor["count"], view["byteOffset"]).reshape(-1, width)
    if "min" in accessor:
        assert found.min(axis=0).tolist() == accessor["min"] and found.max(axis=0).tolist() == accessor["max"]
    assert np.isfinite(found.astype(float)).all()
    return found


def check(document, buffer):
    """The rules of the specification that a writer can break."""
    assert document["asset"]["version"] == "2.0"
    assert document["buffers"] == [{"byteLength": len(buffer)}]
    seen = [child for node in document["nodes"] for child in node.get("children", [])]
    assert sorted(seen) == list(range(1, len(document["nodes"]))), "each node but the root has one parent"
    for node in document["nodes"]:
        assert abs(math.hypot(*node.get("rotation", [1])) - 1) < 1e-6
        assert node.get("mesh", 0) < len(document.get("meshes", [0]))
    for mesh in document.get("meshes", []):
        part, = mesh["primitives"]
        accessors = [document["accessors"][i] for i in part["attributes"].values()]
        place = document["accessors"][part["attributes"]["POSITION"]]
        assert len({accessor["count"] for accessor in accessors}) == 1 and "min" in place
        corners = numbers(document, buffer, part["indices"])
        assert len(corners) % 3 == 0 and corners.max() < place["count"]
        normals = numbers(document, buffer, part["attributes"]["NORMAL"])
        assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)
        assert part["material"] < len(document["materials"])
        for target in part.get("targets", []):
            assert all(document["accessors"][i]["count"] == place["count"] for i in target.values())
            assert "min" in document["accessors"][target["POSITION"]]
        assert len(mesh.get("weights", [])) == len(part.get("targets", []))
        if "TEXCOORD_0" in part["attributes"]:
            assert document["accessors"][part["attributes"]["TEXCOORD_0"]]["type"] == "VEC2"
    for material in document.get("materials", []):
        pbr = material["pbrMetallicRoughness"]
        assert all(0 <= x <= 1 for x in [*pbr["baseColorFactor"], pbr["metallicFactor"], pbr["roughnessFactor"]])
        assert ("alphaMode" in material) == (pbr["baseColorFactor"][3] < 1)
    for animation in document.get("animations", []):
        targets = [(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]]
        assert len(set(targets)) == len(targets) > 0
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            times = numbers(document, buffer, sampler["input"])[:, 0]
            values = numbers(document, buffer, sampler["output"])
            assert "min" in document["accessors"][sampler["input"]] and times[0] >= 0 and (np.diff(times) > 0).all()
            if channel["target"]["path"] == "weights":
                mesh = document["meshes"][document["nodes"][channel["target"]["node"]]["mesh"]]
                assert len(values) == len(times) * len(mesh["weights"])
            else:
                assert len(values) == len(times)
            if channel["target"]["path"] == "rotation":
                assert np.allclose(np.linalg.norm(values, axis=1), 1, atol=1e-6)
                assert (np.sum(values[1:] * values[:-1], axis=1) >= 0).all(), "the short way"


# ---- what an independent reader sees at a time ----

class Player:
    """Places of nodes at a time, as pygltflib gives the document."""

    def __init__(self, path):
        self.file = pygltflib.GLTF2().load(str(path))
        self.parents = {c: i for i, node in enumerate(self.file.nodes) for c in node.children or []}
        self.channels = {}
        for animation in self.file.animations:
            for c in animation.channels:
                sampler = animation.samplers[c.sampler]
                self.channels[c.target.node, c.target.path] = (self.numbers(sampler.input)[:, 0], self.numbers(sampler.output))

    def numbers(self, index):
        a = self.file.accessors[index]
        view = self.file.bufferViews[a.bufferView]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[a.type]
        form = np.float32 if a.componentType == pygltflib.FLOAT else np.uint32
        start = (view.byteOffset or 0) + (a.byteOffset or 0)
        blob = self.file.binary_blob()
        if blob is None:
            blob = base64.b64decode(self.file.buffers[0].uri.split(",", 1)[1])
        return np.frombuffer(blob, form, width * a.count, start).reshape(-1, width)

    def node(self, name):
        return next(i for i, node in enumerate(self.file.nodes) if node.name == name)

    def value(self, node, path, usual, time):
        """The keyframe at this time; between two, the linear blend."""
        if (node, path) not in self.channels:
            own = getattr(self.file.nodes[node], path)
            return np.array(usual if own is None else own, float)
        times, values = self.channels[node, path]
        values = values.reshape(len(times), -1).astype(float)
        k = int(np.clip(np.searchsorted(times, np.float32(time), "right") - 1, 0, len(times) - 1))
        if k + 1 == len(times):
            return values[k]
        share = (np.float32(time) - times[k]) / (times[k + 1] - times[k])
        return (1 - share) * values[k] + share * values[k + 1]

    def matrix(self, node, time):
        t = self.value(node, "translation", [0, 0, 0], time)
        x, y, z, w = self.value(node, "rotation", [0, 0, 0, 1], time)
        s = self.value(node, "scale", [1, 1, 1], time)
        turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
        own = np.eye(4)
        own[:3, :3], own[:3, 3] = turn * s, t
        return self.matrix(self.parents[node], time) @ own if node in self.parents else own

    def vertices(self, node, time):
        mesh = self.file.meshes[self.file.nodes[node].mesh]
        part = mesh.primitives[0]
        places = self.numbers(part.attributes.POSITION).astype(float)
        if part.targets:
            for weight, target in zip(self.value(node, "weights", mesh.weights, time), part.targets):
                if weight:
                    places = places + weight * self.numbers(target["POSITION"])
        m = self.matrix(node, time)
        return places @ m[:3, :3].T + m[:3, 3]


# glTF's y is tenon's z, its z tenon's -y
Y_UP = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], float)


def turn_of(quat):
    w, x, y, z = quat
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


class Gltf(bridge.BridgeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("arm", MODEL, "--duration", "0.5", "--key", "spin", "--record-fps", "100")
        cls.record("rope", ROPE, "--duration", "0.3")
        cls.record("cloth", bridge.ROOT / "scenes" / "gripper.xml", "--duration", "0.3")
        for name in ("arm", "rope", "cloth"):
            cls.tenon("export", f"{name}.tnr", "-o", f"{name}.npz")

    def exported(self, name, *options, to=None):
        to = to or f"{name}.glb"
        said = self.tenon("export", f"{name}.tnr", "-o", to, *options)
        if to.endswith(".glb"):
            check(*read_glb(self.folder / to))
        return Player(self.folder / to), np.load(self.folder / f"{name}.npz"), said

    def test_bodies_are_where_the_recording_has_them(self):
        player, truth, _ = self.exported("arm", "--fps", "0")
        names = ["world", "arm", "hand", "ball", "egg", "wedge", "post"]
        self.assertEqual(len(truth["time"]), 51)
        for k, time in enumerate(truth["time"]):
            for body, name in enumerate(names):
                pos, quat = truth["body_pos"][k, body], truth["body_quat"][k, body]
                m = player.matrix(player.node(name), time)
                # places of up to 4 m, turns of length 1, both in single precision (2^-24)
                self.assertLess(np.abs(m[:3, 3] - Y_UP @ pos).max(), 5e-7)
                self.assertLess(np.abs(m[:3, :3] - Y_UP @ turn_of(quat)).max(), 1e-6)
        self.assertGreater(np.ptp(truth["body_pos"][:, 3, 2]), 0.1)  # there was something to see

    def test_what_stands_still_has_no_channels(self):
        player, _, _ = self.exported("arm")
        moving = {player.file.nodes[node].name for node, _ in player.channels}
        self.assertEqual(moving, {"arm", "hand", "ball", "egg", "wedge"})
        self.assertNotIn((player.node("arm"), "translation"), player.channels)

    def test_frames_per_second_and_times(self):
        player, truth, _ = self.exported("arm")  # 30 per second of 100
        times, _ = player.channels[player.node("ball"), "translation"]
        self.assertEqual(len(times), 16)
        player, _, _ = self.exported("arm", "--from", "0.2", "--fps", "0", to="late.glb")
        times, _ = player.channels[player.node("ball"), "translation"]
        self.assertEqual(len(times), 31)
        self.assertEqual(times[0], 0)
        self.assertAlmostEqual(player.file.asset.extras["start"], 0.2, places=12)
        # 0.2 s of the recording is 0 s of the animation
        m = player.matrix(player.node("ball"), 0)
        self.assertLess(np.abs(m[:3, 3] - Y_UP @ truth["body_pos"][20, 3]).max(), 1e-6)

    def test_one_frame_is_a_scene_without_animation(self):
        player, truth, _ = self.exported("arm", "--from", "0.3", "--to", "0.3", to="still.glb")
        self.assertEqual(player.file.animations, [])
        m = player.matrix(player.node("ball"), 0)
        self.assertLess(np.abs(m[:3, 3] - Y_UP @ truth["body_pos"][30, 3]).max(), 1e-6)

    def test_text_has_the_same_numbers(self):
        binary, _, _ = self.exported("arm")
        text, _, _ = self.exported("arm", to="arm.gltf")
        self.assertEqual(len(binary.channels), len(text.channels))
        for key, (times, values) in binary.channels.items():
            self.assertTrue(np.array_equal(values, text.channels[key][1]))
        self.assertEqual([n.name for n in binary.file.nodes], [n.name for n in text.file.nodes])

    def test_shapes_have_their_sizes_and_places(self):
        self.exported("arm")
        scene = trimesh.load(self.folder / "arm.glb", process=False)
        truth = np.load(self.folder / "arm.npz")["body_pos"][0]

        def box(number):
            name = f"geom{number}"
            matrix, mesh = scene.graph.get(name)
            vertices = trimesh.transform_points(scene.geometry[mesh].vertices, matrix) @ Y_UP  # back to z up
            return vertices.min(axis=0), vertices.max(axis=0)

        def expect(number, center, half, delta):
            low, high = box(number)
            self.assertLess(np.abs(low - (np.array(center) - half)).max(), delta)
            self.assertLess(np.abs(high - (np.array(center) + half)).max(), delta)

        expect(1, [0, 0, 0], [1, 2, 0], 1e-6)
        expect(2, [0.25, 0, 1], [0.3, 0.05, 0.05], 1e-6)
        expect(3, [0.5, 0, 1], [0.03, 0.02, 0.1], 1e-6)
        expect(4, [0.5, 0, 1], [0.04, 0.04, 0.1], 1e-6)
        expect(5, [0.3, 0.2, 0.5], [0.1, 0.1, 0.1], 2e-3)  # a sphere of triangles is a little smaller
        expect(6, [-0.6, 0.2, 0.5], [0.1, 0.05, 0.07], 2e-3)
        low, high = box(7)
        self.assertLess(np.abs(high - low - [0.3, 0.2, 0.1]).max(), 1e-5)  # the grid of the recording twice
        self.assertTrue((low - 1e-5 <= truth[5]).all() and (truth[5] <= high).all())
        self.assertNotIn("geom9", scene.graph.nodes)  # clear: not seen

    def test_colours_textures_and_the_camera(self):
        _, _, said = self.exported("arm")
        document, buffer = read_glb(self.folder / "arm.glb")

        def material(number):
            node = next(n for n in document["nodes"] if n["name"] == f"geom{number}")
            return document["materials"][document["meshes"][node["mesh"]]["primitives"][0]["material"]], node

        def linear(c):
            return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

        see_through, _ = material(2)
        for got, wanted in zip(see_through["pbrMetallicRoughness"]["baseColorFactor"], (linear(.5), linear(.25), 1, .5)):
            self.assertAlmostEqual(got, wanted, places=6)
        green, _ = material(5)
        self.assertEqual(green["pbrMetallicRoughness"]["baseColorFactor"], [0, 1, 0, 1])
        self.assertEqual(green["pbrMetallicRoughness"]["metallicFactor"], 0.5)
        self.assertIn("cube's texture", said)
        floor, node = material(1)
        self.assertEqual(floor["pbrMetallicRoughness"]["baseColorTexture"], {"index": 0})
        view = document["bufferViews"][document["images"][0]["bufferView"]]
        png = buffer[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]
        width, height, pixels = read_png(png)
        self.assertEqual((width, height), (8, 8))
        self.assertEqual({tuple(p) for p in pixels.reshape(-1, 3)}, {(255, 0, 0), (0, 0, 255)})
        part = document["meshes"][node["mesh"]]["primitives"][0]["attributes"]
        places, where = numbers(document, buffer, part["TEXCOORD_0"]), numbers(document, buffer, part["POSITION"])
        for (x, y, _), (u, v) in zip(where, places):  # two pictures along x, three along y, from the upper left corner
            self.assertAlmostEqual(u, (x + 1), places=6)
            self.assertAlmostEqual(v, 1.5 * (1 - y / 2), places=6)
        camera = next(n for n in document["nodes"] if n["name"] == "fixed")
        self.assertEqual(camera["translation"], [0, -3, 1])
        self.assertAlmostEqual(document["cameras"][camera["camera"]]["perspective"]["yfov"], math.radians(45), places=6)

    def test_pieces_of_cables_and_tendons_reach_from_point_to_point(self):
        player, truth, _ = self.exported("rope", "--fps", "0")
        points = truth["points"].astype(float)
        self.assertEqual(points.shape[1], 10 + 1 + 2)
        self.assertGreater(np.ptp(points[:, 10, 2]), 0.05)
        for k, time in enumerate(truth["time"]):
            for piece in range(11):
                name, start = (f"cable1.{piece}", piece) if piece < 10 else ("tendon1.0", 11)
                a, b = points[k, start], points[k, start + 1]
                m = player.matrix(player.node(name), time)
                low, high = self.ends(player, name)
                ends = [m[:3, 3] + m[:3, 2] * z for z in (low, high)]
                # lengths are kept while they change by less than four steps of the grid of 1e-6 m
                self.assertLess(np.abs(ends[0] - Y_UP @ a).max(), 4e-6)
                self.assertLess(np.abs(ends[1] - Y_UP @ b).max(), 4e-6)

    def ends(self, player, name):
        """Where the axis of a piece's mesh ends: a capsule's caps are left out."""
        part = player.file.meshes[player.file.nodes[player.node(name)].mesh].primitives[0]
        places = player.numbers(part.attributes.POSITION)
        z = places[np.hypot(places[:, 0], places[:, 1]) > 0.999 * np.hypot(places[:, 0], places[:, 1]).max(), 2]
        return float(z.min()), float(z.max())

    def test_soft_bodies_deform_as_recorded(self):
        player, truth, said = self.exported("cloth", "--fps", "0")
        self.assertNotIn("linearly", said)
        name = next(n.name for n in player.file.nodes if n.mesh is not None and player.file.meshes[n.mesh].weights)
        start, count = truth["soft_points"][0]
        middle = 0
        for k in (0, 7, len(truth["time"]) - 1):
            points = truth["points"][k, start:start + count].astype(float) @ Y_UP.T
            found = player.vertices(player.node(name), truth["time"][k])
            nearest = np.sqrt(((found[:, None] - points[None]) ** 2).sum(axis=2)).min(axis=1)
            self.assertLess(nearest.max(), 2e-6)  # a difference in single precision, and its sum
            low, high = found.min(axis=0), found.max(axis=0)
            middle = max(middle, np.abs((low + high) / 2).max())
        self.assertGreater(np.abs(truth["points"][-1] - truth["points"][0]).max(), 1e-3)  # it moved

    def test_many_frames_of_a_soft_body_are_fewer_targets(self):
        self.record("long", bridge.ROOT / "scenes" / "gripper.xml", "--duration", "2.6", "--record-fps", "100")
        said = self.tenon("export", "long.tnr", "-o", "long.glb", "--fps", "0")
        self.assertIn("241 of the 261 frames", said)
        document, buffer = read_glb(self.folder / "long.glb")
        check(document, buffer)
        self.assertEqual(max(len(m.get("weights", [])) for m in document["meshes"]), 240)

    def test_options_of_pages_are_refused(self):
        self.assertIn("--color has no meaning for .glb", self.tenon("export", "arm.tnr", "-o", "x.glb", "--color", "stress", code=2))
        self.assertIn("--title has no meaning for .csv", self.tenon("export", "arm.tnr", "-o", "x.csv", "--title", "x", code=2))
        self.assertFalse((self.folder / "x.glb").exists())

    def test_a_file_that_cannot_be_written_leaves_none(self):
        self.assertIn("cannot be written", self.tenon("export", "arm.tnr", "-o", "arm.npz/arm.glb", code=4))


def read_png(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 3 * width + 1).astype(int)
    image = np.zeros((height, width, 3), int)
    for y in range(height):
        for i in range(3 * width):
            a = image[y, i // 3 - 1, i % 3] if i >= 3 else 0
            b = image[y - 1, i // 3, i % 3] if y else 0
            c = image[y - 1, i // 3 - 1, i % 3] if y and i >= 3 else 0
            near = min((a, b, c), key=lambda x: abs(a + b - c - x))
            image[y, i // 3, i % 3] = (rows[y, i + 1] + [0, a, b, (a + b) // 2, near][rows[y, 0]]) % 256
    return width, height, image


if __name__ == "__main__":
    bridge.main()
