"""Tries an installed wheel: a scene has the bits of the portable kernels, a model is built, refused, recorded and exported.

    python try_wheel.py            with the Python that has tenon; 5 s
"""
import os
import platform
import sys
import tempfile

os.environ["TENON_ISA"] = "portable"
import tenon  # noqa: E402

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hashes", "table.txt")
with open(TABLE, encoding="utf-8") as file:
    hashes = {row[0]: row[1] for row in map(str.split, file) if len(row) > 1}  # the first column: portable

for scene in ("cradle", "heavy", "pinch", "press", "rolling_disc"):
    world = tenon.World(tenon.Model.from_file(tenon.scene_path(scene)))
    world.step(30)
    assert f"{world.hash():016x}" == hashes[scene], scene

builder = tenon.Builder("fall")
builder.geom(type="plane", size=(1, 1, 1))
builder.body(name="ball", pos=(0, 0, 1))
builder.joint(body="ball", type="free")
builder.geom(body="ball", size=0.1)
world = tenon.World(builder.build())
world.step(50)
try:
    tenon.Model.from_string("<mujoco><worldbody><geom type='cube'/></worldbody></mujoco>")
    raise AssertionError("a wrong model was taken")
except tenon.ModelError as error:
    assert "cube" in str(error)

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "fällt.tnr")
    with tenon.Recorder(path, world) as recorder:
        for _ in range(5):
            world.step(1)
            recorder.write()
    recording = tenon.Recording(path)
    recording.to_html(os.path.join(folder, "fällt.html"))
    assert os.path.getsize(os.path.join(folder, "fällt.html")) > 100000
    del recording
if os.path.exists(os.path.join(os.path.dirname(tenon.__file__), "tenon.wasm")):  # wheels of a release have it
    assert len(tenon.live(tenon.scene_path("stir")).html) > 1e6
from tenon.__main__ import main  # noqa: E402

assert main(["--version"]) == 0
print(f"tenon {tenon.__version__} on {platform.system()} {platform.machine()}, Python {sys.version.split()[0]}: passed")
