// main.js: opens the replay that stands in this page. What it offers to tests and scripts is window.tenonReplay.
import { Raycaster, Vector2, Vector3 } from 'three';
import { boundsOf, CameraMan } from './camera.js';
import { readRecording } from './codec.js';
import { Frame } from './frame.js';
import { Marks } from './marks.js';
import { Player } from './player.js';
import { readTextures } from './looks.js';
import { Plots } from './plots.js';
import { Shapes } from './shapes.js';
import { SoftParts } from './soft.js';
import { Stage } from './stage.js';
import { Ui } from './ui.js';

class Replay {
  constructor(recording) {
    const canvas = document.getElementById('scene');
    this.recording = recording;
    this.canvas = canvas;
    this.frame = new Frame(recording);
    recording.pictures = readTextures(recording);
    this.stage = new Stage(canvas, boundsOf(recording, this.frame), recording);
    this.shapes = new Shapes(recording, this.stage);
    this.soft = new SoftParts(recording, this.stage);
    this.marks = new Marks(recording, this.stage);
    this.show = {
      subsystems: recording.head.color === 'subsystem', stress: recording.head.color === 'stress' && Boolean(recording.stress), contacts: false, forces: false, joints: false, frames: false, shadows: true,
    };
    this.selected = -1;
    this.held = false;
    this.dirty = false;
    this.moved = true;
    this.pixelShare = this.stage.drawsInSoftware() ? 0.6 : 1;
    this.slow = 0;
    this.wasPlaying = false;
    this.player = new Player(recording.times, () => this.changeTime());
    this.cameraMan = new CameraMan(recording, this.stage, canvas, () => this.redraw());
    this.ui = new Ui(recording, this);
    this.ui.showPressed(this.show, this.player.loop);
    this.cameraMan.onModelLeft = () => this.ui.showCamera(-1);
    this.plots = new Plots(recording, document.getElementById('curves'), (time) => this.seek(time),
      () => this.redraw());
    this.measure();
    this.cameraMan.reset();
    this.paint();
    this.changeTime();
    this.drawNow();
    this.listen();
  }

  listen() {
    new ResizeObserver(() => {
      if (this.size !== `${this.canvas.clientWidth} ${this.canvas.clientHeight}`) this.resize();
    }).observe(this.canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.resize());
    this.canvas.addEventListener('dblclick', (event) => this.pick(event.clientX, event.clientY));
    // a finger has no double click where pages do not zoom
    let last = 0;
    this.canvas.addEventListener('pointerup', (event) => {
      if (event.pointerType !== 'touch') return;
      if (event.timeStamp - last < 300) this.pick(event.clientX, event.clientY);
      last = event.timeStamp;
    });
  }

  // Takes the sizes over; false where there is no room to draw.
  measure() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return false;
    this.size = `${clientWidth} ${clientHeight}`;
    this.stage.resize(clientWidth, clientHeight, this.player.playing ? this.pixelShare : 1);
    this.plots.resize();
    return true;
  }

  resize() {
    if (this.measure()) this.drawNow(); // at once: a resized canvas is empty
  }

  // A machine that cannot keep up draws fewer pixels while it plays, and all of them when it stands still.
  adapt() {
    const { playing, passed } = this.player;
    this.slow = playing && passed > 0.07 ? this.slow + 1 : 0;
    let share = this.pixelShare;
    if (this.slow >= 3 && share > 0.4) {
      share = Math.max(share * 0.7, 0.4);
      this.slow = 0;
    }
    if (share === this.pixelShare && playing === this.wasPlaying) return;
    const changes = share !== this.pixelShare || share < 1;
    this.pixelShare = share;
    this.wasPlaying = playing;
    if (changes) this.stage.resize(this.canvas.clientWidth, this.canvas.clientHeight, playing ? share : 1);
  }

  changeTime() {
    this.frame.set(this.player.time);
    this.shapes.update(this.frame.poses);
    this.soft.update(this.frame.points);
    if (this.show.stress) this.soft.paintStress(this.frame.stress);
    this.cameraMan.update(this.frame);
    this.stage.placeLights(this.frame.poses);
    this.moved = true;
    this.adapt();
    this.redraw();
  }

  get colorMode() { return this.show.subsystems ? 'subsystem' : this.show.stress ? 'stress' : 'model'; }

  paint() {
    this.shapes.paint(this.colorMode, this.selected);
    this.soft.paint(this.colorMode);
    if (this.show.stress) this.soft.paintStress(this.frame.stress);
    this.ui.showScale(this.show.stress);
  }

  // Before the next picture on the screen, however often it is asked for.
  redraw() {
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame(() => { if (this.dirty) this.drawNow(); });
  }

  drawNow() {
    this.dirty = false;
    const { camera } = this.stage;
    const pixels = this.canvas.clientHeight / (2 * Math.tan((camera.fov * Math.PI) / 360));
    this.marks.update(this.frame, this.show, pixels);
    this.shapes.chooseLevels(camera.position, pixels);
    this.stage.draw(this.moved);
    this.moved = false;
    this.ui.showTime(this.player, this.frame.index);
    this.plots.draw(this.player.time, this.frame.index);
  }

  // What buttons and keys do.
  toggle() { this.player.toggle(); }

  toggleLoop() {
    this.player.loop = !this.player.loop;
    this.ui.showPressed(this.show, this.player.loop);
  }

  toggleShow(name) {
    this.show[name] = !this.show[name];
    if (name === 'stress' && !this.recording.stress) this.show.stress = false;
    if (name === 'subsystems' || name === 'stress') {
      this.show[name === 'stress' ? 'subsystems' : 'stress'] &&= !this.show[name]; // one at a time
      this.paint();
    }
    if (name === 'shadows') {
      this.stage.setShadows(this.show.shadows);
      this.moved = true;
    }
    this.ui.showPressed(this.show, this.player.loop);
    this.redraw();
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

  setCamera(index) {
    this.select(-1);
    this.cameraMan.useModel(index, this.frame);
    this.ui.showCamera(index);
    this.redraw();
  }

  // Through the model's cameras and the free one.
  nextCamera(by) {
    const count = this.recording.head.cameras.length + 1;
    if (count > 1) this.setCamera(((this.cameraMan.model + 1 + by + count) % count) - 1);
  }

  resetView() {
    this.select(-1);
    this.cameraMan.reset();
    this.ui.showCamera(-1);
    this.redraw();
  }

  select(body) {
    if (body === this.selected) return;
    this.selected = body;
    this.cameraMan.follow(body, this.frame);
    this.ui.showSelected(body);
    this.paint();
    this.redraw();
  }

  // Free camera, nothing selected.
  escape() {
    this.setCamera(-1);
  }

  pick(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const raycaster = new Raycaster();
    raycaster.setFromCamera(new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2),
      this.stage.camera);
    this.select(this.shapes.pick(raycaster));
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
      screenPosition: (body) => {
        const { camera } = replay.stage;
        camera.updateMatrixWorld();
        const at = new Vector3().fromArray(replay.frame.poses, body * 7).project(camera);
        return [((at.x + 1) / 2) * replay.canvas.clientWidth, ((1 - at.y) / 2) * replay.canvas.clientHeight];
      },
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

function fail(text) {
  document.body.classList.remove('ready');
  document.getElementById('message').classList.add('trouble');
  document.getElementById('message-text').textContent = text;
  window.tenonReplay = { ready: false, trouble: text };
}

function hasWebGl() {
  try {
    return Boolean(document.createElement('canvas').getContext('webgl2'));
  } catch {
    return false;
  }
}

async function open() {
  const head = document.getElementById('tenon-head');
  const data = document.getElementById('tenon-data');
  if (!head || !data) return fail('This is the empty player. "tenon export run.tnr -o run.html" makes a page with a recording in it.');
  if (typeof DecompressionStream === 'undefined') {
    return fail('This browser cannot unpack the recording (it has no DecompressionStream). Any browser from 2023 on can.');
  }
  if (!hasWebGl()) {
    return fail('This browser offers no WebGL 2, which the picture needs. It may be switched off in the settings, or the graphics driver may be too old.');
  }
  try {
    const opening = { begun: performance.now() };
    const recording = await readRecording(head.textContent, data.textContent);
    opening.decoded = performance.now();
    data.remove(); // megabytes of text that nobody needs any more
    document.body.classList.add('ready');
    if (recording.frameCount < 2) document.body.classList.add('still'); // nothing to play, no curves
    const replay = new Replay(recording);
    opening.drawn = performance.now();
    window.tenonReplay = replay.outside(opening);
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) replay.player.play();
  } catch (error) {
    fail(`The replay cannot be shown: ${error.message}.`);
  }
  return undefined;
}

open();
