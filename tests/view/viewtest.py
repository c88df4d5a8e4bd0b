"""What the tests of the window share: a display of its own, the program in it, keys and mouse, its events.

The display is an Xvfb on a free number. Keys and mouse go through xdotool to whatever has the focus, as from a real
keyboard (GLFW takes no notice of events sent to a window directly). Tests wait for events of the program and never for a
time; the time limit only ends a test that would hang."""
import json
import os
import queue
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import pycheck  # noqa: E402,F401

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "build", "tenon")
FAKE_GLFW = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else None  # fake_glfw.c
PATIENCE = 120  # s, for an event that is waited for
WIDTH, HEIGHT = 480, 360

# A box that rests on the ground, a ball beside it in group 2, an arm with a joint; two keyframes, two cameras.
MODEL = """<mujoco model="toys">
  <option timestep="0.01"/>
  <worldbody>
    <geom type="plane" size="2 2 0.1" rgba="0.4 0.5 0.4 1"/>
    <camera name="above" pos="0 0 3"/>
    <camera name="side" pos="0 -3 0.5" xyaxes="1 0 0 0 0 1"/>
    <body name="box" pos="0 0 0.2">
      <freejoint/>
      <geom type="box" size="0.2 0.2 0.2" mass="2" rgba="0.8 0.3 0.2 1"/>
    </body>
    <body name="ball" pos="0.8 0 0.1">
      <freejoint/>
      <geom type="sphere" size="0.1" mass="1" group="2" rgba="0.2 0.4 0.8 1"/>
    </body>
    <body name="arm" pos="-0.8 0 0.6">
      <joint name="swing" type="hinge" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" mass="1"/>
    </body>
  </worldbody>
  <keyframe>
    <key name="high" qpos="0 0 1.2 1 0 0 0  0.8 0 0.1 1 0 0 0  0"/>
    <key name="swung" qpos="0 0 0.2 1 0 0 0  0.8 0 0.1 1 0 0 0  1"/>
  </keyframe>
</mujoco>
"""
# the box in the middle of the picture
LOOK_AT_BOX = ["--look-at", "0", "0", "0.2", "--distance", "2", "--azimuth", "90", "--elevation", "-20"]


class Display:
    """One Xvfb for all tests of a script."""

    number = None
    process = None
    state = None  # folder of the user's recent files

    @classmethod
    def start(cls):
        if cls.process:
            return
        for tool in ("Xvfb", "xdotool"):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"{tool} is not installed")
        ready, to_server = os.pipe()
        # -noreset: without it the server starts over when a window closes, and refuses who comes meanwhile
        cls.process = subprocess.Popen(["Xvfb", "-displayfd", str(to_server), "-screen", "0", "1024x768x24", "-nolisten",
                                        "tcp", "-noreset"], pass_fds=[to_server], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        os.close(to_server)
        with os.fdopen(ready) as answer:
            number = answer.readline().strip()
        if not number:
            cls.stop()
            raise unittest.SkipTest("Xvfb does not start")
        cls.number = ":" + number
        cls.state = tempfile.mkdtemp()

    @classmethod
    def stop(cls):
        if cls.process:
            cls.process.terminate()
            cls.process.wait()
            cls.process = None
        if cls.state:
            shutil.rmtree(cls.state)
            cls.state = None


def environment(**more):
    """Software drawing; one thread of it leaves a processor to the simulation."""
    return {**os.environ, "DISPLAY": Display.number or "", "WAYLAND_DISPLAY": "", "LIBGL_ALWAYS_SOFTWARE": "1",
            "LP_NUM_THREADS": "1", "XDG_STATE_HOME": Display.state or "", **more}


def xdotool(*arguments):
    done = subprocess.run(["xdotool", *map(str, arguments)], env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENCE)
    if done.returncode:
        raise AssertionError(f"xdotool {' '.join(map(str, arguments))}: {done.stderr.decode()}")
    return done.stdout.decode()


class Window:
    """The program with a window; reads its events as they come."""

    def __init__(self, folder, *arguments, focus=True, **variables):
        command = [PROGRAM, *map(str, arguments), "--events", "-", "--size", f"{WIDTH}x{HEIGHT}", "--samples", "1",
                   "--fps-limit", "20"]
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, cwd=folder, env=environment(**variables), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        self.lines = queue.Queue()
        self.seen = []
        self.told = False  # whether all of `places` has been read
        self.places = {}  # name of what can be pressed -> its event
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.started = self.wait("started")
        if not focus:
            return  # it may have closed already
        self.id = xdotool("search", "--all", "--pid", self.process.pid, "--name", "tenon").split()[-1]
        xdotool("windowfocus", "--sync", self.id)
        xdotool("mousemove", "--window", self.id, WIDTH // 2, HEIGHT // 2)

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line.decode("utf-8"), parse_constant=self._no_json))
        self.lines.put(None)

    @staticmethod
    def _no_json(name):
        raise AssertionError(f"{name} is no JSON")

    def next(self, patience=PATIENCE):
        event = self.lines.get(timeout=max(patience, 0.01))
        if event is None:
            raise AssertionError(f"the program ended; events: {self.seen[-5:]}; stderr: {self.stderr()}")
        if event["event"] == "widgets":  # those that follow, up to widgets_end, are all there are
            self.places = {}
        if event["event"] == "widget":
            self.places[event["name"]] = event
        self.told |= event["event"] == "widgets_end"
        self.seen.append(event)
        return event

    def wait(self, name, accept=lambda event: True):
        """The next event of this name that is accepted; those before it are read away."""
        end = time.monotonic() + PATIENCE
        try:
            while True:
                event = self.next(end - time.monotonic())
                if event["event"] == name and accept(event):
                    return event
        except queue.Empty:
            raise AssertionError(f"no event '{name}' within {PATIENCE} s; the last: {self.seen[-5:]}") from None

    def key(self, key, event=None, accept=lambda event: True):
        """Presses and waits for what it does."""
        xdotool("key", key)
        return self.wait(event, accept) if event else None

    def show(self, *keys):
        """Presses keys that open or close panels; the places of all widgets afterwards."""
        self.tell()
        for key in keys:
            self.key(key, "widgets_end")
        return self.places

    def tell(self):
        """Reads on until all places are known."""
        while not self.told:
            self.next()

    def press(self, name, share=0.5):
        """A click on a widget, at a share of its width."""
        self.tell()
        place = self.places[name]
        xdotool("mousemove", "--window", self.id, round(place["x"] + share * place["width"]),
                round(place["y"] + place["height"] / 2))
        xdotool("click", 1)

    def drag(self, button, right, down, steps=4, start=(WIDTH // 2, HEIGHT // 2), release=True):
        xdotool("mousemove", "--window", self.id, *start)
        xdotool("mousedown", button)
        for i in range(1, steps + 1):
            xdotool("mousemove", "--window", self.id, start[0] + right * i // steps, start[1] + down * i // steps)
        if release:
            xdotool("mouseup", button)

    def stderr(self):
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")

    def end(self, key="q"):
        """Quits; the last event and the exit code."""
        if key:
            xdotool("key", key)
        last = self.wait("quit")
        return last, self.process.wait(timeout=PATIENCE)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.errors.close()


class ViewTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        Display.start()

    @classmethod
    def tearDownClass(cls):
        Display.stop()

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.model = self.write("toys.xml", MODEL)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def open(self, *arguments, focus=True, **variables):
        window = Window(self.folder, *arguments, focus=focus, **variables)
        self.addCleanup(window.close)
        return window

    def view(self, *arguments, focus=True, **variables):
        return self.open("view", self.model, *arguments, focus=focus, **variables)

    def tenon(self, *arguments, code=0, **variables):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, env=environment(**variables),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        self.assertEqual(done.returncode, code, f"tenon {' '.join(map(str, arguments))}\n{out}{err}")
        return out, err

    def picture(self, window):
        """A screenshot as (width, height, bytes of the rows)."""
        path = window.key("p", "screenshot")["path"]
        return read_png(os.path.join(self.folder, path))


def read_png(path):
    """Width, height and the unpacked rows; enough to compare pictures."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    width, height = struct.unpack(">II", data[16:24])
    packed, at = b"", 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    return width, height, unfilter(zlib.decompress(packed), width, height)


def unfilter(data, width, height):
    """Undoes the filters of an 8-bit RGB picture."""
    stride, out, above = 3 * width, bytearray(), bytearray(3 * width)
    for y in range(height):
        kind, row = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left = row[x - 3] if x >= 3 else 0
            corner = above[x - 3] if x >= 3 else 0
            if kind == 1:
                row[x] = row[x] + left & 255
            elif kind == 2:
                row[x] = row[x] + above[x] & 255
            elif kind == 3:
                row[x] = row[x] + (left + above[x]) // 2 & 255
            elif kind == 4:
                p = left + above[x] - corner
                a, b, c = abs(p - left), abs(p - above[x]), abs(p - corner)
                row[x] = row[x] + (left if a <= b and a <= c else above[x] if b <= c else corner) & 255
        out += row
        above = row
    return bytes(out)


def colors(rows):
    return {rows[i:i + 3] for i in range(0, len(rows), 3)}
