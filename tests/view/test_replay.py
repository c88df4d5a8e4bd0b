"""tenon replay: plays, steps and scrubs a recording in a window on a display of its own."""
import os
import unittest

import viewtest
from viewtest import WIDTH, ViewTest, pycheck, xdotool


class Replay(ViewTest):
    def setUp(self):
        super().setUp()
        self.recording = os.path.join(self.folder, "run.tnr")
        self.tenon("run", self.model, "--key", "high", "--duration", "0.5", "--quiet", "--record", self.recording)

    def replay(self, *arguments):
        return self.open("replay", self.recording, *arguments)

    def test_plays_to_the_end_and_starts_anew(self):
        window = self.replay("--speed", "4")
        self.assertFalse(window.started["cut_off"])
        self.assertGreater(window.started["frames"], 2)
        end = window.wait("ended")
        self.assertAlmostEqual(end["time"], window.started["end"])
        self.assertEqual(end["frame"], window.started["frames"] - 1)
        self.assertLess(window.key("space", "running")["time"], end["time"])
        self.assertEqual(window.end()[1], 0)

    def test_curves_change_the_picture(self):
        window = self.replay("--paused")
        plain = self.picture(window)
        window.end()
        window = self.replay("--paused", "--curves", "swing.q0,swing.v0")
        self.assertEqual([window.wait("curve")["name"] for _ in range(2)], ["swing.q0", "swing.v0"])
        self.assertNotEqual(self.picture(window)[2], plain[2])
        self.assertLessEqual({"swing.q0", "swing.v0"}, set(window.show("F3")))

    def test_steps_go_from_frame_to_frame(self):
        window = self.replay("--paused")
        frames = [window.key("Right", "step")["frame"] for _ in range(3)]
        self.assertEqual(frames, [1, 2, 3])
        self.assertEqual(window.key("Left", "back")["frame"], 2)
        self.assertEqual(window.key("End", "seek")["frame"], window.started["frames"] - 1)
        self.assertEqual(window.key("Home", "seek")["frame"], 0)

    def test_the_bar_goes_to_a_time(self):
        window = self.replay("--paused")
        window.tell()
        start, end = window.started["time"], window.started["end"]
        first = self.picture(window)
        place = window.places["timeline"]
        bar, pixel = round(place["y"] + place["height"] / 2), (end - start) / place["width"]
        xdotool("mousemove", "--window", window.id, round(place["x"] + place["width"] / 2), bar)
        xdotool("mousedown", 1)
        middle = window.wait("seek")
        self.assertAlmostEqual(middle["time"], (start + end) / 2, delta=pixel)  # the cursor's place
        xdotool("mousemove", "--window", window.id, WIDTH - 2, bar)  # beyond its end
        window.wait("seek", lambda event: event["time"] == end)
        xdotool("mouseup", 1)
        self.assertNotEqual(self.picture(window)[2], first[2])

    def test_repeat_and_speed(self):
        window = self.replay("--loop", "--speed", "2")
        window.wait("looped")
        self.assertFalse(window.key("r", "loop")["value"])
        window.wait("ended")
        self.assertEqual(window.key("minus", "speed")["speed"], 1)

    def test_a_cut_off_recording_is_shown_and_said(self):
        with open(self.recording, "rb") as file:
            data = file.read()
        with open(self.recording, "wb") as file:
            file.write(data[:len(data) * 3 // 4])
        window = self.replay("--paused")
        self.assertTrue(window.started["cut_off"])
        self.assertGreater(window.started["frames"], 0)
        self.assertEqual(window.end()[1], 0)
        self.assertIn("cut off", window.stderr())

    def test_what_is_no_recording_is_refused(self):
        self.tenon("replay", self.model, code=4)
        self.tenon("replay", "missing.tnr", code=4)
        self.tenon("replay", code=2)
        self.assertIn("no display", self.tenon("replay", self.recording, code=4, DISPLAY="")[1])


if __name__ == "__main__":
    pycheck.main()
