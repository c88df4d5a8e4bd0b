"""Makes the seeds that follow from other files of the project: `python3 tests/fuzz/make_seeds.py build/tenon`. Those that a
search found have names of their own and stay."""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SCENE = """<mujoco model="seed"><option timestep="0.01"/><worldbody><geom type="plane" size="1 1 1"/>
<body name="b" pos="0 0 .09"><freejoint/><geom size=".1"/></body>
<body name="arm" pos="1 0 1"><joint name="j" axis="0 1 0"/><geom type="box" size=".1 .1 .1" pos=".2 0 0"/>
<camera name="c"/></body>
<composite type="cable" prefix="k" curve="s" count="3 1 1" size=".3" offset="0 1 1" initial="free">
<geom type="capsule" size="0.02"/></composite></worldbody>
<actuator><motor name="m" joint="j"/></actuator><sensor><jointpos joint="j"/></sensor>
<tenon><soft name="s" box=".1 .1 .1" cells="1 1 1" pos="-1 0 .099" young="1e5"/></tenon></mujoco>
"""

WORLD = """<sdf version="1.10"><world name="w"><gravity>0 0 -9.8</gravity><physics><max_step_size>.002</max_step_size></physics>
<model name="floor"><static>1</static><link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal><size>4 4</size></plane>
</geometry></collision></link></model><model name="a" placement_frame="f"><pose degrees="true">0 0 1 0 90 0</pose><link name="l">
<inertial auto="true"/><collision name="c"><geometry><ellipsoid><radii>.1 .2 .1</radii></ellipsoid></geometry></collision></link>
<frame name="f" attached_to="l"><pose relative_to="__model__" rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose></frame><model name="b">
<self_collide>1</self_collide><link name="l"><pose>1 0 0 0 0 0</pose></link></model><joint name="j" type="universal"><parent>l</parent>
<child>b::l</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz expressed_in="f">0 1 0</xyz><limit><lower>-1</lower><upper>1e16</upper>
</limit><mimic joint="j"><multiplier>2</multiplier></mimic></axis2></joint></model><include><uri>m.sdf</uri><name>x</name></include>
</world></sdf>
"""


def write(target, name, data):
    folder = os.path.join(HERE, "seeds", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data if isinstance(data, bytes) else data.encode())


def read(*path):
    with open(os.path.join(ROOT, *path), "rb") as file:
        return file.read()


def unpacked(data):
    return zlib.decompress(data[8:])


def recording_seed(tnr):
    """Chunks as recording.c of this folder takes them."""
    at, out = 16, b""
    while at < len(tnr):
        kind, length = tnr[at:at + 4], struct.unpack("<I", tnr[at + 4:at + 8])[0]
        payload = tnr[at + 12:at + 12 + length]
        at += 12 + length
        if kind == b"SCNE":
            code, plain = 0, unpacked(payload)
        elif kind == b"FRMS":
            front = 20 + 8 * struct.unpack("<I", payload[:4])[0]
            code, plain = 1, payload[:front] + unpacked(payload[front:])
        else:
            code, plain = 3, payload
        out += struct.pack("<BH", code, len(plain)) + plain
    return out


def models():
    for folder in ("tests/oracle/models", "tests/io/data"):
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if name.startswith("bad_") or not name.endswith((".xml", ".urdf")):
                continue
            write("urdf" if name.endswith(".urdf") else "mjcf", name, read(folder, name))
    write("urdf", "arm.urdf", read("tests/io/data/packages/arm_description/urdf/arm.urdf"))
    write("sdf", "arm.sdf", read("tests/io/data/packages/arm_description/sdf/arm.sdf"))
    write("sdf", "world.sdf", WORLD)
    write("mjcf", "scene.xml", SCENE)
    for name in ("gripper", "cloth", "rolling_disc", "knife_edge", "press"):
        write("mjcf", name + ".xml", read("scenes", name + ".xml"))


def files():
    meshes = "tests/io/data/packages/arm_description/meshes"
    write("mesh", "corner.obj", b"\0" + read("tests/io/data/corner.obj"))
    write("mesh", "block.stl", b"\1" + read(meshes, "block.stl"))
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    triangles = [struct.pack("<12fH", 0, 0, 0, *[x for i in face for x in corners[i]], 0) for face in faces]
    write("mesh", "binary.stl", b"\1" + bytes(80) + struct.pack("<I", 4) + b"".join(triangles))
    msh = struct.pack("<4i", 4, 0, 0, 4) + struct.pack("<12f", *sum(corners, ())) + struct.pack("<12i", *sum(faces, ()))
    write("mesh", "small.msh", b"\2" + msh)
    write("mesh", "block.dae", b"\3" + read(meshes, "block.dae"))
    rows = b"".join(b"\0" + bytes(64 * (i + k) for k in range(3)) for i in range(2))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 0, 0, 0, 0))
    write("mesh", "grey.png", b"\4" + png + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    write("mesh", "heights.bin", b"\5" + struct.pack("<2i6f", 2, 3, 0, .1, .2, .3, .4, .5))
    for name in ("flat.jpg", "plain.png", "palette.png"):
        write("mesh", name, b"\6" + read("tests/io/data/looks", name))
    write("tets", "two_tets.msh", b"\0" + read("tests/io/data/two_tets.msh"))
    write("tets", "loose_node.msh", b"\0" + read("tests/io/data/loose_node.msh"))
    write("tets", "one.vtk", b"\1# vtk DataFile Version 3.0\none\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
          b"0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n")
    write("tets", "one.node", b"\0024 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n\0001 4 0\n1 1 2 3 4\n")
    write("tets", "gmsh4.msh", b"\0$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n"
          b"0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n")
    write("track", "good.csv", "time,a,b\n0,0,1\n0.5, 1e-3 ,2\n\n1,0,-1\n")
    write("track", "swapped.csv", "time,b,a\r\n0,0,1\r\n")
    write("plot", "log.csv", b"\0time,kinetic,potential\n0,1,2\n1,2,3\n2,4,1e3\n")
    write("plot", "bars.csv", b'\1name,ms\n"a, b",1\n<c>,2\n')
    write("plot", "scatter.csv", b"\0021,2\n2,4\n3,7\n")
    write("plot", "log_axes.csv", b"\3n,t,u\n1,0.1,5\n100,,nan\n10000,inf,-1\n")
    for name in sorted(os.listdir(os.path.join(ROOT, "tests/io/data/problems"))):
        write("problem", name, read("tests/io/data/problems", name))


def recordings(tenon):
    with tempfile.TemporaryDirectory() as folder:
        model, tnr = os.path.join(folder, "m.xml"), os.path.join(folder, "m.tnr")
        with open(model, "w", encoding="utf-8") as file:
            file.write(SCENE)
        for name, options in (("state", ["--record-state"]), ("plain", [])):
            subprocess.run([tenon, "run", model, "--duration", "0.05", "--record", tnr, *options], check=True, capture_output=True)
            with open(tnr, "rb") as file:
                write("recording", name, recording_seed(file.read()))


def choices():
    """Bytes that are choices: any will do."""
    draw = random.Random(1)
    for target, count, size in (("solver", 12, 400), ("world", 24, 300), ("state", 8, 20)):
        for i in range(count):
            write(target, f"random{i:02d}", bytes(draw.randrange(256) for _ in range(size)))


if __name__ == "__main__":
    models()
    files()
    recordings(sys.argv[1])
    choices()
    shutil.rmtree(os.path.join(HERE, "__pycache__"), ignore_errors=True)
