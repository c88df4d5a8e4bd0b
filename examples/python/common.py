"""What the examples share: their options, and pictures as PNG files."""
import argparse
import struct
import zlib

import numpy as np


def options(text):
    """The options of an example; its first line describes it."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a short run, as the tests do")
    parser.add_argument("--picture", metavar="FILE", help="write a picture (PNG)")
    return parser.parse_args()


def save(path, pixels):
    """Writes (height, width, 3) of uint8 as PNG; each byte as its difference from Paeth's prediction, which packs well."""
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
