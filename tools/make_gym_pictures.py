#!/usr/bin/env python3
"""Makes the pictures of docs/gym.md: each environment while its script plays. Needs the installed package with the extra
gym. Look at them before you commit them."""
import pathlib
import struct
import zlib

import gymnasium
import numpy as np
import tenon.gym
from tenon.gym import scripts

TO = pathlib.Path(__file__).resolve().parents[1] / "docs" / "pictures" / "gym"
# the step to be drawn; those without a script take no action
STEPS = {"CableRouting": 95, "CableInsertion": 33, "KnotTying": 290, "SoftGrasp": 42, "Levelling": 50, "Stirring": 60,
         "Stacking": 90, "Reacher": 5, "Ant": 5, "Humanoid": 3}


def write_png(path, picture):
    """Each row is stored as its difference from the one above, which is smallest for smooth pictures."""
    height, width = picture.shape[:2]
    above = np.concatenate([np.zeros_like(picture[:1]), picture[:-1]])
    rows = np.concatenate([np.full((height, 1), 2, np.uint8), (picture - above).reshape(height, -1)], axis=1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
                     + chunk(b"IEND", b""))


def main():
    TO.mkdir(parents=True, exist_ok=True)
    for name, step in STEPS.items():
        env = gymnasium.make(f"tenon/{name}-v0", render_mode="rgb_array", width=320, height=240)
        pictures = []

        def keep():
            if env.unwrapped.simulation.steps[0] <= step:
                pictures[:] = [env.render()]

        if name in scripts.SCRIPTS:
            scripts.play(env, name, 2, keep)
        else:
            env.reset(seed=2)
            for _ in range(step):
                env.step(np.zeros(env.action_space.shape, dtype=np.float32))
                keep()
        path = TO / f"{name}.png"
        write_png(path, pictures[0])
        print(path.name, path.stat().st_size)
        env.close()


main()
