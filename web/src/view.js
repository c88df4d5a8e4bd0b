// view.js: the picture of a scene and what can be done with it: camera, colours, marks, picking. Replays and live pages are
// views whose frames come from elsewhere.
import { Raycaster, Vector2, Vector3 } from 'three';
import { boundsOf, CameraMan } from './camera.js';
import { Marks } from './marks.js';
import { readTextures } from './looks.js';
import { Shapes } from './shapes.js';
import { SoftParts } from './soft.js';
import { Stage } from './stage.js';

export class View {
  // `recording`: the scene (readScene) with contacts, moving and signals. `signal` ends what listens to the page.
  constructor(recording, frame, signal) {
    const canvas = document.getElementById('scene');
    this.recording = recording;
    this.canvas = canvas;
    this.frame = frame;
    this.signal = signal;
    recording.pictures = readTextures(recording);
    this.stage = new Stage(canvas, boundsOf(recording, frame), recording);
    this.shapes = new Shapes(recording, this.stage);
    this.soft = new SoftParts(recording, this.stage);
    this.marks = new Marks(recording, this.stage);
    this.show = {
      subsystems: recording.head.color === 'subsystem', stress: recording.head.color === 'stress' && this.hasStress, contacts: false, forces: false, joints: false, frames: false, shadows: true,
    };
    this.selected = -1;
    this.dirty = false;
    this.moved = true;
    this.pixelShare = this.stage.drawsInSoftware() ? 0.6 : 1;
    this.slow = 0;
    this.wasPlaying = false;
    this.cameraMan = new CameraMan(recording, this.stage, canvas, () => this.redraw());
    this.cameraMan.onModelLeft = () => this.ui.showCamera(-1);
  }

  // What a view has besides: ui, plots, playing, passed (s between the last two pictures), showNow().
  begin() {
    this.showPressed();
    this.measure();
    this.cameraMan.reset();
    this.paint();
    this.changeFrame();
    this.drawNow();
    this.listen();
  }

  get hasStress() { return Boolean(this.frame.stress); }

  listen() {
    const { signal } = this;
    const observer = new ResizeObserver(() => {
      if (this.size !== `${this.canvas.clientWidth} ${this.canvas.clientHeight}`) this.resize();
    });
    observer.observe(this.canvas);
    signal?.addEventListener('abort', () => observer.disconnect());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.resize(), { signal });
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
    this.stage.resize(clientWidth, clientHeight, this.playing ? this.pixelShare : 1);
    this.plots.resize();
    return true;
  }

  resize() {
    if (this.measure()) this.drawNow(); // at once: a resized canvas is empty
  }

  // A machine that cannot keep up draws fewer pixels while it plays, and all of them when it stands still.
  adapt() {
    const { playing, passed } = this;
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

  // After the frame changed.
  changeFrame() {
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
    this.showNow();
  }

  showPressed() { this.ui.showPressed(this.show); }

  toggleShow(name) {
    this.show[name] = !this.show[name];
    if (name === 'stress' && !this.hasStress) this.show.stress = false;
    if (name === 'subsystems' || name === 'stress') {
      this.show[name === 'stress' ? 'subsystems' : 'stress'] &&= !this.show[name]; // one at a time
      this.paint();
    }
    if (name === 'shadows') {
      this.stage.setShadows(this.show.shadows);
      this.moved = true;
    }
    this.showPressed();
    this.redraw();
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

  // The ray under a point of the window.
  rayAt(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const raycaster = new Raycaster();
    raycaster.setFromCamera(new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2),
      this.stage.camera);
    return raycaster;
  }

  pick(x, y) { this.select(this.shapes.pick(this.rayAt(x, y))?.body ?? -1); }

  // Where a place in the world is in the picture: pixels from its upper left corner.
  screenPlace(place) {
    const { camera } = this.stage;
    camera.updateMatrixWorld();
    const at = new Vector3(...place).project(camera);
    return [((at.x + 1) / 2) * this.canvas.clientWidth, ((1 - at.y) / 2) * this.canvas.clientHeight];
  }
}
