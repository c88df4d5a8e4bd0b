"""MCAP: the package mcap reads the messages of a recording, Foxglove's own schemas accept them, and their numbers are those of
the recording.

    python3 tests/bridges/test_mcap.py build/tenon
"""
import io
import json
import struct

import bridge

np, mcap, _, _, _ = bridge.need("numpy", "mcap", "mcap.reader", "google.protobuf.json_format", "foxglove_schemas_protobuf")
import mcap.exceptions  # noqa: E402
from foxglove_schemas_protobuf import FrameTransforms_pb2, JointStates_pb2, SceneUpdate_pb2  # noqa: E402
from google.protobuf import json_format  # noqa: E402

MODEL = """<mujoco model="arm">
  <option timestep="0.01"/>
  <asset><mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.2 0  0 0 0.1"/></asset>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="arm &quot;1&quot;" pos="0 0 1">
      <joint name="swing" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05" rgba="0.5 0.25 1 0.5"/>
      <body pos="0.5 0 0"><joint name="neck" type="ball"/><geom type="cylinder" size="0.04 0.1"/></body>
    </body>
    <body name="ball" pos="0.3 0.2 0.5"><freejoint/><geom type="sphere" size="0.1"/></body>
    <body name="egg" pos="-0.6 0.2 0.5"><freejoint/><geom type="ellipsoid" size="0.1 0.05 0.07"/></body>
    <body name="wedge" pos="0.6 -0.5 0.5"><freejoint/><geom type="mesh" mesh="wedge"/></body>
    <body name="box" pos="1.6 -0.5 0.5"><joint name="lift" type="slide" axis="0 0 1"/><geom type="box" size="0.1 0.2 0.3"/></body>
  </worldbody>
  <actuator><motor name="push" joint="swing" gear="2" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos name="angle" joint="swing"/></sensor>
</mujoco>"""
SCHEMAS = {"foxglove.FrameTransforms": FrameTransforms_pb2.FrameTransforms, "foxglove.JointStates": JointStates_pb2.JointStates,
           "foxglove.SceneUpdate": SceneUpdate_pb2.SceneUpdate}


def as_protobuf(value):
    """Times as protobuf's JSON has them."""
    if isinstance(value, dict):
        if set(value) == {"sec", "nsec"}:
            return None  # a time and a duration are written differently there; both are checked by hand
        return {name: as_protobuf(part) for name, part in value.items() if as_protobuf(part) is not None}
    return [as_protobuf(part) for part in value] if isinstance(value, list) else value


def shape_of(value, schema, path=""):
    """What the file's own schema says of a message: every member is described, with its type."""
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float, type(None))}
    assert isinstance(value, kinds[schema["type"]]), (path, value)
    if schema["type"] == "array":
        for part in value:
            shape_of(part, schema["items"], path + "[]")
    if schema["type"] == "object" and ("properties" in schema or "additionalProperties" in schema):
        for name, part in value.items():
            inner = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            assert inner, f"{path}.{name} is not in the schema"
            shape_of(part, inner, f"{path}.{name}")


class Mcap(bridge.BridgeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("arm", MODEL, "--duration", "0.5", "--record-fps", "100")
        cls.record("knot", bridge.ROOT / "scenes" / "knot.xml", "--duration", "0.2")
        cls.record("soft", bridge.ROOT / "scenes" / "gripper.xml", "--duration", "0.2")
        for name in ("arm", "knot", "soft"):
            cls.tenon("export", f"{name}.tnr", "-o", f"{name}.npz")

    def messages(self, name, *options):
        """Topic: list of (time in ns, message), read with all checksums."""
        self.tenon("export", f"{name}.tnr", "-o", f"{name}.mcap", "--fps", "0", *options)
        data = (self.folder / f"{name}.mcap").read_bytes()
        reader = mcap.reader.make_reader(io.BytesIO(data), validate_crcs=True)
        found = {}
        for schema, channel, message in reader.iter_messages():
            content = json.loads(message.data)
            self.assertEqual((channel.message_encoding, schema.encoding), ("json", "jsonschema"))
            shape_of(content, json.loads(schema.data))
            if schema.name in SCHEMAS:  # unknown names and wrong types are errors
                json_format.ParseDict(as_protobuf(content), SCHEMAS[schema.name]())
            self.assertEqual(message.log_time, message.publish_time)
            found.setdefault(channel.topic, []).append((message.log_time, content))
        summary = reader.get_summary()
        self.assertEqual(summary.statistics.message_count, sum(map(len, found.values())))
        self.assertEqual({summary.channels[i].topic: n for i, n in summary.statistics.channel_message_counts.items()},
                         {topic: len(messages) for topic, messages in found.items()})
        # what has no index is read the same
        plain = mcap.reader.NonSeekingReader(io.BytesIO(data), validate_crcs=True)
        self.assertEqual(sum(1 for _ in plain.iter_messages(log_time_order=False)), summary.statistics.message_count)
        return found, np.load(self.folder / f"{name}.npz")

    def test_transforms_are_the_poses(self):
        found, truth = self.messages("arm")
        self.assertEqual(len(found["/tf"]), 51)
        for k, (time, message) in enumerate(found["/tf"]):
            self.assertEqual(time, round(truth["time"][k] * 1e9))
            names = [part["child_frame_id"] for part in message["transforms"]]
            self.assertEqual(names, ['arm "1"', "body3", "ball", "egg", "wedge", "box"])
            for body, part in enumerate(message["transforms"], 1):
                self.assertEqual(part["parent_frame_id"], "world")
                self.assertEqual(part["timestamp"]["sec"] * 10**9 + part["timestamp"]["nsec"], time)
                t, r = part["translation"], part["rotation"]
                # all digits are written: the same numbers
                self.assertEqual([t["x"], t["y"], t["z"]], truth["body_pos"][k, body].tolist())
                self.assertEqual([r["w"], r["x"], r["y"], r["z"]], truth["body_quat"][k, body].tolist())

    def test_shapes_have_their_sizes(self):
        found, _ = self.messages("arm")
        (time, message), = found["/scene"]
        self.assertEqual(time, 0)
        entities = {entity["id"]: entity for entity in message["entities"]}
        self.assertEqual(list(entities), ["world", 'arm "1"', "body3", "ball", "egg", "wedge", "box"])
        for name, entity in entities.items():
            self.assertEqual((entity["frame_id"], entity["frame_locked"]), (name, True))
            self.assertEqual(entity["lifetime"], {"sec": 0, "nsec": 0})
        size = lambda name, kind, i=0: list(entities[name][kind][i]["size"].values())
        self.assertEqual(size("box", "cubes"), [0.2, 0.4, 0.6])
        self.assertEqual(size("ball", "spheres"), [0.2, 0.2, 0.2])
        self.assertEqual(size("egg", "spheres"), [0.2, 0.1, 0.14])
        self.assertEqual(size("body3", "cylinders"), [0.08, 0.08, 0.2])
        self.assertEqual(size('arm "1"', "cylinders"), [0.1, 0.1, 0.5])
        ends = sorted(end["pose"]["position"]["x"] for end in entities['arm "1"']["spheres"])
        self.assertTrue(np.allclose(ends, [0, 0.5], atol=1e-12), ends)
        self.assertEqual(list(entities['arm "1"']["cylinders"][0]["color"].values()), [0.5, 0.25, 1, 0.5])
        wedge, = entities["wedge"]["triangles"]
        corners = np.array([list(p.values()) for p in wedge["points"]])[np.array(wedge["indices"]).reshape(-1, 3)]
        volume = np.abs(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum()) / 6
        self.assertAlmostEqual(volume, 0.3 * 0.2 * 0.1 / 6, places=6)  # vertices in single precision on a grid

    def test_joints_and_signals(self):
        found, truth = self.messages("arm")
        names = list(truth["joints_names"])
        for k, (_, message) in enumerate(found["/joint_states"]):
            self.assertEqual([joint["name"] for joint in message["joints"]], ["swing", "lift"])  # not the ball joint
            for joint in message["joints"]:
                self.assertEqual(joint["position"], truth["joints"][k, names.index(joint["name"] + ".q0")])
                self.assertEqual(joint["velocity"], truth["joints"][k, names.index(joint["name"] + ".v0")])
        _, last = found["/signals"][-1]
        self.assertEqual(set(last) - {"timestamp"}, {"position", "velocity", "sensor", "ctrl", "force", "activation"})
        self.assertEqual(last["sensor"], {"angle.s0": truth["sensors"][-1, 0]})
        self.assertEqual(last["ctrl"], {"push.ctrl": 0})
        _, last = found["/step"][-1]
        self.assertEqual(last["kinetic"], truth["kinetic"][-1])
        self.assertEqual(last["contacts"], truth["contact_count"][-1])

    def test_cables_and_soft_bodies(self):
        found, truth = self.messages("knot")
        self.assertEqual(len(found["/deforming"]), len(truth["time"]))
        _, message = found["/deforming"][-1]
        line, = message["entities"][0]["lines"]
        points = np.array([list(p.values()) for p in line["points"]], np.float32)
        self.assertTrue(np.array_equal(points, truth["points"][-1][:len(points)].astype(np.float32)))
        found, truth = self.messages("soft")
        _, message = found["/deforming"][-1]
        surface, = message["entities"][0]["triangles"]
        points = {tuple(np.array(list(p.values()), np.float32)) for p in surface["points"]}
        nodes = {tuple(p) for p in truth["points"][-1].astype(np.float32)}
        self.assertTrue(points <= nodes and len(points) > 10)
        self.assertLess(max(surface["indices"]), len(surface["points"]))

    def test_many_chunks_are_found_by_their_times(self):
        self.record("long", bridge.ROOT / "scenes" / "knot.xml", "--duration", "0.8")
        self.tenon("export", "long.tnr", "-o", "long.mcap", "--fps", "0")
        data = (self.folder / "long.mcap").read_bytes()
        reader = mcap.reader.make_reader(io.BytesIO(data), validate_crcs=True)
        self.assertGreater(len(reader.get_summary().chunk_indexes), 2)
        every = [m.log_time for _, _, m in reader.iter_messages(topics=["/tf"])]
        self.assertEqual((len(every), every[-1]), (41, 800000000))
        some = [m.log_time for _, _, m in reader.iter_messages(topics=["/tf"], start_time=5 * 10**8, end_time=7 * 10**8)]
        self.assertEqual(some, [time for time in every if 5 * 10**8 <= time < 7 * 10**8])

    def test_a_damaged_file_is_noticed_by_the_reader(self):
        self.messages("arm")
        data = bytearray((self.folder / "arm.mcap").read_bytes())
        data[len(data) // 2] ^= 1
        with self.assertRaises((mcap.exceptions.McapError, ValueError)):
            list(mcap.reader.make_reader(io.BytesIO(bytes(data)), validate_crcs=True).iter_messages())
        # and the header is what the specification says
        self.assertEqual(bytes(data[:8]), b"\x89MCAP0\r\n")
        self.assertEqual(struct.unpack("<BQ", data[8:17])[0], 1)


if __name__ == "__main__":
    bridge.main()
