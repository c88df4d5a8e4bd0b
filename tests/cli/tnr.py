"""Recordings (.tnr) read and written from docs/recordings.md alone, without any code of the library: if the page is
wrong or not enough, the tests that use this fail."""
import math
import struct
import zlib

MAGIC = b"\x89TNR\r\n\x1a\n"
MASK = (1 << 64) - 1


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, count):
        part = self.data[self.at:self.at + count]
        if len(part) != count:
            raise ValueError("too short")
        self.at += count
        return part

    def get(self, form):
        values = struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))
        return values[0] if len(values) == 1 else list(values)

    def text(self):
        return self.bytes(self.get("I")).decode("utf-8")

    def list(self, read):
        return [read() for _ in range(self.get("I"))]

    def column(self, count):
        width = self.get("B")
        planes = [self.bytes(count) for _ in range(width)]
        codes = [sum(plane[i] << 8 * k for k, plane in enumerate(planes)) for i in range(count)]
        return [code >> 1 if code % 2 == 0 else -(code + 1 >> 1) for code in codes]

    def table(self, rows, columns, line):
        if columns == 0:
            return [[] for _ in range(rows)]
        numbers = self.column(columns) + self.column((rows - 1) * columns)
        table = [numbers[columns * k:columns * (k + 1)] for k in range(rows)]
        for k in range(1, rows):
            for i in range(columns):
                guess = 2 * table[k - 1][i] - table[k - 2][i] if line and k > 1 else table[k - 1][i]
                table[k][i] = wrap(table[k][i] + guess)
        return table


def wrap(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


def from_bits(bits):
    return struct.unpack("<d", struct.pack("<q", bits))[0]


def packed(data):
    size, = struct.unpack("<Q", data[:8])
    raw = zlib.decompress(data[8:])
    if len(raw) != size:
        raise ValueError("packed size")
    return Reader(raw)


def chunks(data):
    """(type, payload) of all chunks."""
    if data[:8] != MAGIC or zlib.crc32(data[:12]) != struct.unpack("<I", data[12:16])[0]:
        raise ValueError("header")
    at = 16
    while at < len(data):
        kind, length, checksum = struct.unpack("<4sII", data[at:at + 12])
        payload = data[at + 12:at + 12 + length]
        if zlib.crc32(data[at:at + 8] + payload) != checksum:
            raise ValueError("checksum")
        yield kind, payload
        at += 12 + length


def read_scene(r):
    scene = {"resolution": r.get("d"), "name": r.text(), "timestep": r.get("d")}
    scene["bodies"] = r.list(lambda: (r.text(), r.get("I")))
    scene["meshes"] = r.list(lambda: (r.list(lambda: r.get("3f")), r.list(lambda: r.get("3I")),
                                      r.list(lambda: r.get("3I"))))
    scene["shapes"] = r.list(lambda: dict(zip(("type", "body", "mesh", "group", "pos", "quat", "size", "rgba"),
                                              (r.get("I"), r.get("I"), r.get("i"), r.get("I"), r.get("3d"), r.get("4d"),
                                               r.get("3d"), r.get("4f")))))
    scene["joints"] = r.list(lambda: (r.text(), r.get("I"), r.get("I"), r.get("3d"), r.get("3d")))
    scene["points"] = r.list(lambda: r.get("I"))
    scene["tubes"] = r.list(lambda: (r.get("I"), r.get("I"), r.get("I"), r.get("d"), r.get("4f")))
    scene["surfaces"] = r.list(lambda: (r.get("I"), r.get("I"), r.list(lambda: r.get("3I")), r.list(lambda: r.get("4I")),
                                        r.get("4f")))
    scene["cameras"] = r.list(lambda: (r.text(), r.get("I"), r.get("3d"), r.get("4d"), r.get("d"), r.get("I"),
                                       r.get("I")))
    scene["view"] = (r.get("I"), r.get("7d"))
    scene["signals"] = r.list(lambda: (r.text(), r.get("I"))) if not scene["surfaces"] and r.at != len(r.data) else []
    if r.at != len(r.data) and not scene["surfaces"]:
        read_looks(r, scene)
    if r.at != len(r.data):
        raise ValueError("bytes are left behind the scene")
    return scene


def read_texture(r):
    kind, width, height = r.get("3I")
    deltas = r.get("%dB" % (3 * width * height * (1 if kind == 0 else 6)))
    pixels = list(deltas)
    for i in range(3, len(pixels)):
        pixels[i] = (pixels[i] + pixels[i - 3]) & 255
    return kind, width, height, bytes(pixels)


def read_looks(r, scene):
    scene["textures"] = r.list(lambda: read_texture(r))
    scene["materials"] = r.list(lambda: dict(zip(
        ("texture", "uniform", "repeat", "emission", "specular", "shininess", "reflectance", "metallic"),
        (r.get("I"), r.get("I"), r.get("2f"), r.get("f"), r.get("f"), r.get("f"), r.get("f"), r.get("f")))))
    for shape in scene["shapes"]:
        shape["material"] = r.get("I")
    scene["texcoords"] = [r.get("%df" % (6 * len(mesh[1]))) if r.get("I") else None for mesh in scene["meshes"]]
    scene["lights"] = r.list(lambda: (r.get("5I"), r.get("20f")))
    scene["light_view"] = (r.get("I"), r.get("12d"))


def rotate(q, v):
    w, u = q[0], q[1:]
    t = [2 * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]) for k in range(3)]
    return [v[k] + w * t[k] + u[(k + 1) % 3] * t[(k + 2) % 3] - u[(k + 2) % 3] * t[(k + 1) % 3] for k in range(3)]


def unfold(u, v):
    n = [u, v, 1 - abs(u) - abs(v)]
    if n[2] < 0:
        n[0], n[1] = math.copysign(1 - abs(v), u), math.copysign(1 - abs(u), v)
    length = math.sqrt(sum(x * x for x in n))
    return [x / length for x in n]


def read_contacts(r, scene, frames):
    if r.get("I"):
        raise ValueError("bits are not read here")
    counts = r.column(len(frames))
    total = sum(counts)
    geoms = []
    for _ in range(2):
        ids, geom = [], 0
        for step in r.column(total):
            geom += step
            ids.append(geom)
        geoms.append(ids)
    pairs = list(zip(*geoms)) if total else []
    frame_of = [k for k, count in enumerate(counts) for _ in range(count)]
    before, waiting = [], {}
    for i, pair in enumerate(pairs):
        if i == 0 or frame_of[i] != frame_of[i - 1]:
            waiting = {}
            for j in range(i):
                if frame_of[j] == frame_of[i] - 1:
                    waiting.setdefault(pairs[j], []).append(j)
        before.append(waiting[pair].pop(0) if waiting.get(pair) else None)
    numbers = [[0] * 10 for _ in range(total)]
    for k in range(10):
        for i, value in enumerate(r.column(total)):
            numbers[i][k] = wrap(value + (numbers[before[i]][k] if before[i] is not None else 0))
    step = scene["resolution"]
    for frame in frames:
        frame["contacts"] = []
    for i, n in enumerate(numbers):
        frame = frames[frame_of[i]]
        normal = unfold(n[3] / 2048, n[4] / 2048)
        shapes = [scene["shapes"][geom - 1] for geom in pairs[i]]
        moves = [scene["bodies"][shape["body"] - 1][1] > 0 for shape in shapes]
        first = moves[0] and not moves[1]
        shape = shapes[0] if first else shapes[1]
        pos, quat = frame["pos"][shape["body"] - 1], frame["quat"][shape["body"] - 1]
        place = [32 * step * x for x in n[:3]]
        if shape["type"] == 2:
            centre = rotate(quat, shape["pos"])
            side = shape["size"][0] * (1 if first else -1)
            place = [place[k] + centre[k] + side * normal[k] for k in range(3)]
        else:
            place = rotate(quat, place)
        frame["contacts"].append({"geoms": pairs[i], "normal": normal, "gap": n[5] * step / 4,
                                  "pos": [pos[k] + place[k] for k in range(3)],
                                  "force": [math.ldexp(x, n[6] - 10) for x in n[7:]]})


def read_group(payload, scene):
    front = Reader(payload)
    count, flags = front.get("I"), front.get("I")
    sizes = front.get("3I")
    frames = [{"time": front.get("d")} for _ in range(count)]
    r = packed(payload[front.at:])
    bodies, step = len(scene["bodies"]), scene["resolution"]
    steps = r.table(count, 14, False)
    pos = r.table(count, 3 * bodies, True)
    quat = r.table(count, 4 * bodies, True)
    points = r.table(count, 3 * len(scene["points"]), True)
    state = r.table(count, sum(sizes), False) if flags & 2 else None
    if flags & 4:
        raise ValueError("bits are not read here")
    for k, frame in enumerate(frames):
        frame["step"], frame["iterations"] = steps[k][:2]
        frame["residual"], frame["kinetic"], frame["potential"] = map(from_bits, steps[k][2:5])
        frame["pos"] = [[step * x for x in pos[k][3 * b:3 * b + 3]] for b in range(bodies)]
        frame["quat"] = []
        for b in range(bodies):
            q = quat[k][4 * b:4 * b + 4]
            length = math.sqrt(sum(x * x for x in q))
            frame["quat"].append([x / length for x in q])
        frame["points"] = [step * x for x in points[k]]
        if state:
            frame["state"] = [from_bits(x) for x in state[k]]
    if flags & 1:
        read_contacts(r, scene, frames)
    if flags & 16:
        names = ("elastic", "actuators", "applied", "friction", "damping", "impacts", "step_loss", "created")
        for frame, row in zip(frames, r.table(count, 8, False)):
            frame.update(zip(names, map(from_bits, row)))
    if flags & 32:
        for frame, row in zip(frames, r.table(count, len(scene["signals"]), False)):
            frame["signals"] = [struct.unpack("<f", struct.pack("<i", x))[0] for x in row]
    if flags & 64:
        for frame, row in zip(frames, r.table(count, 2, False)):
            frame.update(zip(("push_out", "unsolved"), map(from_bits, row)))
    if r.at != len(r.data):
        raise ValueError("bytes are left behind the group")
    return frames


def read(path):
    """(scene, frames) of a whole recording."""
    with open(path, "rb") as file:
        data = file.read()
    scene, frames = None, []
    for kind, payload in chunks(data):
        if kind == b"SCNE":
            scene = read_scene(packed(payload))
        elif kind == b"FRMS":
            frames += read_group(payload, scene)
    return scene, frames


# ---- writing: as simple as the format allows, one frame per group ----

def column(values):
    codes = [2 * x if x >= 0 else -2 * x - 1 for x in values]
    return b"\x08" + b"".join(bytes(code >> 8 * k & 255 for code in codes) for k in range(8))


def table(row):
    return column(row) + column([]) if row else b""


def chunk(kind, payload):
    front = kind + struct.pack("<I", len(payload))
    return front + struct.pack("<I", zlib.crc32(front + payload)) + payload


def pack(raw):
    return struct.pack("<Q", len(raw)) + zlib.compress(raw)


def indices(tuples, size):
    return struct.pack("<I", len(tuples)) + b"".join(struct.pack(f"<{size}I", *t) for t in tuples)


def text(value):
    data = value.encode("utf-8")
    return struct.pack("<I", len(data)) + data


def write_soft(path, tubes, surfaces, subsystems, frames, resolution=2.0 ** -20):
    """Only the world, tubes (first, count, radius) and surfaces (first, count, triangles, tetrahedra); frames are
    (time, points) with points as multiples of the resolution."""
    scene = struct.pack("<d", resolution) + text("soft") + struct.pack("<d", 0.01)
    scene += struct.pack("<I", 1) + text("") + struct.pack("<I", 0)  # the world
    scene += struct.pack("<III", 0, 0, 0)  # meshes, shapes, joints
    scene += indices([[s] for s in subsystems], 1)
    scene += struct.pack("<I", len(tubes))
    for first, count, radius in tubes:
        scene += struct.pack("<IIId4f", 0, first, count, radius, 1, 1, 1, 1)
    scene += struct.pack("<I", len(surfaces))
    for first, count, triangles, tetrahedra in surfaces:
        scene += struct.pack("<II", first, count) + indices(triangles, 3) + indices(tetrahedra, 4)
        scene += struct.pack("<4f", 1, 1, 1, 1)
    scene += struct.pack("<II7d", *[0] * 9)  # cameras, view
    data = MAGIC + struct.pack("<HH", 1, 0)
    data += struct.pack("<I", zlib.crc32(data)) + chunk(b"SCNE", pack(scene))
    for time, points in frames:
        raw = table([0] * 14) + table([0, 0, 0]) + table([1 << 18, 0, 0, 0]) + table(points)
        data += chunk(b"FRMS", struct.pack("<II3Id", 1, 0, 0, 0, 0, time) + pack(raw))
    with open(path, "wb") as file:
        file.write(data)
