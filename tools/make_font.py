#!/usr/bin/env python3
"""Makes apps/render/font/font.bin: the characters of the overlay (apps/render/overlay.c) as grey pictures.

    apt-get install fonts-dejavu-core
    python3 -m venv /tmp/font && /tmp/font/bin/pip install pillow
    /tmp/font/bin/python tools/make_font.py [FONT.ttf]

The result is kept in the repository, so a build does not need this. The font is DejaVu Sans Mono; its licence
is apps/render/font/LICENSE.

The file is one zlib stream of (numbers little-endian)
    u16 count of characters; u16 each: code points, ascending; the last one, 0xffff, is the box for all others
    u8 count of sizes, smallest first; for each size:
        u8 width, u8 height of a cell in pixels
        for each character: width * height values of 4 bits, row by row, high half first, the end filled to a byte
"""
import os
import struct
import sys
import zlib

from PIL import Image, ImageDraw, ImageFont

SIZES = (14, 28)  # pixels per em, for scales 1 and 2
SYMBOLS = "–—…‘’“”•→←↑↓↔✓✗≤≥≈≠∞√∑∂∆−■□▲▶▼◀●○"
OUT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "apps", "render", "font", "font.bin")


def characters():
    codes = set(range(0x20, 0x7f))                     # ASCII
    codes |= set(range(0xa1, 0x100)) - {0xad}          # the rest of Latin-1: × µ ° ² ³ and accents
    codes |= set(range(0x3b1, 0x3ca)) | {0x394, 0x3a3, 0x3a9}  # Greek: λ β α ρ
    codes |= set(map(ord, SYMBOLS))
    return sorted(codes)


def cell(font):
    ascent, descent = font.getmetrics()
    return round(font.getlength("M")), ascent + descent


def draw(font, size, text):
    image = Image.new("L", size, 0)
    ImageDraw.Draw(image).text((0, 0), text, font=font, fill=255)
    return list(image.tobytes())


def box(width, height):
    left, right, top, bottom = 1, width - 2, height // 5, height - height // 4
    edge = max(1, width // 9)
    grey = []
    for y in range(height):
        for x in range(width):
            inside = left <= x <= right and top <= y <= bottom
            core = left + edge <= x <= right - edge and top + edge <= y <= bottom - edge
            grey.append(255 if inside and not core else 0)
    return grey


def pack(grey):
    nibbles = [(value * 15 + 127) // 255 for value in grey]
    nibbles += [0] * (len(nibbles) % 2)
    return bytes(high << 4 | low for high, low in zip(nibbles[::2], nibbles[1::2]))


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
    codes = characters()
    data = struct.pack("<H", len(codes) + 1) + struct.pack(f"<{len(codes) + 1}H", *codes, 0xffff)
    data += struct.pack("<B", len(SIZES))
    for pixels in SIZES:
        font = ImageFont.truetype(path, pixels, layout_engine=ImageFont.Layout.BASIC)
        width, height = cell(font)
        missing = draw(font, (width, height), "\U0010ffff")
        data += struct.pack("<BB", width, height)
        for code in codes:
            grey = draw(font, (width, height), chr(code))
            if grey == missing:
                sys.exit(f"the font has no U+{code:04X}")
            data += pack(grey)
        data += pack(box(width, height))
    packed = zlib.compress(data, 9)
    with open(OUT, "wb") as file:
        file.write(packed)
    print(f"{OUT}: {len(codes) + 1} characters, {len(data)} bytes packed into {len(packed)}")


if __name__ == "__main__":
    main()
