"""What the examples share: their options, and pictures as PNG files."""
import argparse
import os
import pathlib
import struct
import sys
import tempfile
import webbrowser
import zlib

import numpy as np
import tenon


def options(text):
    """The options of an example; its first line describes it. Without options it shows its picture."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a short run without a picture, as the tests do")
    parser.add_argument("--picture", metavar="FILE", help="where to write the picture (PNG); default: a folder for temporary files")
    parser.add_argument("--no-picture", action="store_true", help="draw no picture")
    given = parser.parse_args()
    given.picture = None if given.no_picture else given.picture or (None if given.quick else temporary_picture())
    return given


def temporary_picture():
    """A path, or None where no picture can be drawn."""
    try:
        tenon.World(tenon.Model.from_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")).render(8, 8)
    except tenon.Error as error:
        print(f"no picture: {error}")
        return None
    folder = pathlib.Path(tempfile.gettempdir()) / "tenon-examples"
    folder.mkdir(exist_ok=True)
    return str(folder / f"{pathlib.Path(sys.argv[0]).stem}.png")


def save(path, pixels):
    """Writes a picture, says where, and shows it where there is a display."""
    write_png(path, pixels)
    print(f"picture: {path}")
    if os.path.dirname(path) == str(pathlib.Path(tempfile.gettempdir()) / "tenon-examples") and (
            os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        webbrowser.open(pathlib.Path(path).as_uri())


def write_png(path, pixels):
    """(height, width, 3) of uint8 as PNG; each byte as its difference from Paeth's prediction, which packs well."""
    now = np.pad(pixels.astype(np.int16), ((1, 0), (1, 0), (0, 0)))
    left, up, corner = now[1:, :-1], now[:-1, 1:], now[:-1, :-1]
    far = [np.abs(left + up - corner - near) for near in (left, up, corner)]
    guess = np.where((far[0] <= far[1]) & (far[0] <= far[2]), left, np.where(far[1] <= far[2], up, corner))
    height, width, _ = pixels.shape
    rows = ((now[1:, 1:] - guess) & 255).astype(np.uint8).reshape(height, -1)
    data = np.hstack([np.full((height, 1), 4, np.uint8), rows]).tobytes()
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, content in ((b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)),
                              (b"IDAT", zlib.compress(data, 9)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content)))


def dots(shape, x, y, colour, pixels=None, size=1):
    """A picture with dots at x and y, which run from 0 to 1 from the lower left corner."""
    height, width = shape
    pixels = np.full((height, width, 3), 255, np.uint8) if pixels is None else pixels
    column, row = np.round(np.asarray(x) * (width - 1)).astype(int), np.round((1 - np.asarray(y)) * (height - 1)).astype(int)
    for dx in range(-size, size + 1):
        for dy in range(-size, size + 1):
            pixels[np.clip(row + dy, 0, height - 1), np.clip(column + dx, 0, width - 1)] = colour
    return pixels
