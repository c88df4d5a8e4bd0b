// replay.js: a view that plays a recording. What it offers to tests and scripts is window.tenonReplay.
import { Frame } from './frame.js';
import { Player } from './player.js';
import { Plots } from './plots.js';
import { ReplayUi } from './replay_ui.js';
import { View } from './view.js';

export class Replay extends View {
  constructor(recording) {
    super(recording, new Frame(recording));
    this.held = false;
    this.player = new Player(recording.times, () => this.changeTime());
    this.ui = new ReplayUi(recording, this);
    this.plots = new Plots(recording, document.getElementById('curves'), (time) => this.seek(time),
      () => this.redraw());
    this.begin();
  }

  get playing() { return this.player.playing; }

  get passed() { return this.player.passed; }

  changeTime() {
    this.frame.set(this.player.time);
    this.changeFrame();
  }

  showNow() {
    this.ui.showTime(this.player, this.frame.index);
    this.plots.draw(this.player.time, this.frame.index);
  }

  showPressed() {
    super.showPressed();
    this.ui.showLoop(this.player.loop);
  }

  // What buttons and keys do.
  toggle() { this.player.toggle(); }

  toggleLoop() {
    this.player.loop = !this.player.loop;
    this.ui.showLoop(this.player.loop);
  }

  setSpeed(speed) { this.player.speed = speed; }

  seek(time) { this.player.seek(time); }

  step(frames) { this.player.step(frames, this.frame.index); }

  // While the scrub bar is held, the time stands still.
  holdTime(on) {
    if (on && this.player.playing) {
      this.player.pause();
      this.held = true;
    } else if (!on && this.held) {
      this.held = false;
      this.player.play();
    }
  }

  // What tests and scripts may see and do.
  outside(opening) {
    const replay = this;
    return {
      ready: true,
      opening, // ms since the page was asked for
      get time() { return replay.player.time; },
      get playing() { return replay.player.playing; },
      get frame() { return replay.frame.index; },
      get frameCount() { return replay.recording.frameCount; },
      get start() { return replay.player.start; },
      get end() { return replay.player.end; },
      get camera() { return replay.stage.camera.position.toArray(); },
      get colorMode() { return replay.colorMode; },
      // Pa, of a point at this moment; undefined where it is not recorded
      pointStress: (point) => replay.frame.stress?.[point],
      get show() { return { ...replay.show }; },
      get selected() { return replay.selected; },
      get contactCount() { return replay.recording.series.contacts[replay.frame.index]; },
      bodyPosition: (body) => [...replay.frame.poses.subarray(body * 7, body * 7 + 3)],
      // where a body's origin is in the picture: pixels from its upper left corner
      screenPosition: (body) => replay.screenPlace(replay.frame.poses.subarray(body * 7, body * 7 + 3)),
      get signals() { return replay.recording.signals.map((signal) => signal.name); },
      get curves() { return replay.plots.signals?.names ?? []; },
      addCurve: (name) => replay.plots.signals?.add(name),
      removeCurve: (name) => replay.plots.signals?.remove(name),
      play: () => replay.player.play(),
      pause: () => replay.player.pause(),
      seek: (time) => replay.seek(time),
      select: (body) => replay.select(body),
    };
  }
}
