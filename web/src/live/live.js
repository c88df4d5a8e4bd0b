// live.js: a page that simulates. A worker has the engine and the model (worker.js); this is its picture. What it offers to
// tests and scripts is window.tenonLive.
import { bytesOfBase64, readHead, readSections } from '../codec.js';
import { Plots } from '../plots.js';
import { element } from '../ui.js';
import { View } from '../view.js';
import { readAddress, replaceAddress, writeAddress } from './address.js';
import { listenToDrops, modelOf } from './files.js';
import { Goals } from './goals.js';
import { LiveUi } from './live_ui.js';
import { forget, keep, makeRecording, Now } from './now.js';
import { Puller } from './puller.js';
import workerText from 'text:src/live/worker.js';

const curvePeriod = 120; // ms between two drawings of the curves

class Live extends View {
  constructor(page, recording, opened, worker, start, signal) {
    super(recording, new Now(opened.frame), signal);
    Object.assign(this, { page, worker, model: opened.model });
    this.plan = opened.plan;
    this.key = start.key ?? this.plan?.key;
    this.goalsMoved = start.goals !== undefined;
    this.changed = { ...start.settings };
    this.controlled = start.ctrl;
    this.speed = start.speed ?? 1;
    this.running = false;
    this.passed = 0;
    this.pace = 0; // simulated s per s
    this.paces = [];
    this.questions = new Map();
    this.controlNumber = 0; // of the last change of a control: older frames say nothing about sliders
    this.timestep = opened.settings.timestep;
    this.ui = new LiveUi(this, opened.model, opened.settings);
    this.plots = new Plots(recording, element('curves'), () => {}, () => this.redraw());
    if (this.plan) this.goals = new Goals(this, this.plan.goals, (index, place) => this.moveGoal(index, place));
    this.puller = new Puller(this, opened.model, (type, more) => this.send(type, more));
    this.last = opened.frame;
    this.begin();
    if (start.camera) this.placeCamera(start.camera);
    this.send('setSpeed', { speed: this.speed });
    element('speed').value = this.speed;
    this.cameraMan.controls.addEventListener('end', () => this.keepAddress());
    worker.onmessage = ({ data }) => this[`on_${data.type}`](data);
    document.addEventListener('visibilitychange', () => this.send('hide', { on: document.hidden }), { signal });
  }

  send(type, more = {}) { this.worker.postMessage({ type, ...more }); }

  get playing() { return this.running; }

  get keyIndex() { return this.key === undefined ? -1 : this.model.keys.indexOf(this.key); }

  // ---- what the simulation says

  on_frame({ frame }) {
    const now = performance.now();
    this.passed = this.shownAt ? (now - this.shownAt) / 1000 : 0;
    this.shownAt = now;
    this.measurePace(now, frame);
    if (frame.time < this.last.time) forget(this.recording);
    this.running = frame.running;
    this.last = frame;
    this.frame.take(frame);
    keep(this.recording, frame);
    this.changeFrame();
  }

  // Simulated seconds per second, over the last two.
  measurePace(now, frame) {
    if (!frame.running || frame.time < this.last.time) this.paces = [];
    this.paces.push([now, frame.time]);
    while (this.paces.length > 2 && now - this.paces[1][0] > 2000) this.paces.shift();
    const [[begun, from]] = this.paces;
    this.pace = now > begun ? (1000 * (frame.time - from)) / (now - begun) : 0;
  }

  on_arrived() { this.keepAddress(); }

  on_refused({ why }) {
    this.ui.note(why || 'The step was refused: the state would not be finite. Reset, or take another time step.');
  }

  on_error({ message }) { this.ui.note(message); }

  on_recording({ bytes }) {
    this.saved = bytes;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
    link.download = `${(this.recording.head.title || 'tenon').replace(/[^\w.-]+/g, '_')}.tnr`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  on_answer({ id, answer }) {
    this.questions.get(id)?.(answer);
    this.questions.delete(id);
  }

  ask() {
    return new Promise((resolve) => {
      const id = Math.random();
      this.questions.set(id, resolve);
      this.send('ask', { id });
    });
  }

  // ---- drawing

  drawNow() {
    const { camera } = this.stage;
    const pixels = this.canvas.clientHeight / (2 * Math.tan((camera.fov * Math.PI) / 360));
    this.puller.draw((x, y, z) => Math.hypot(x - camera.position.x, y - camera.position.y, z - camera.position.z) / pixels);
    this.goals?.draw();
    super.drawNow();
    this.send('drawn');
  }

  showNow() {
    const now = performance.now();
    this.ui.showFrame(this.last, this.pace, this.last.controlNumber === this.controlNumber);
    if (this.show.stress) this.ui.showScale(true);
    const late = !(now - this.curvesAt < curvePeriod);
    if (late || !this.running) {
      this.curvesAt = now;
      this.plots.refresh();
    }
    if (late || !this.running) this.plots.draw(this.last.time, this.recording.times.length - 1);
  }

  // ---- what buttons and keys do

  play(on) {
    this.ui.note('');
    this.running = on;
    this.send('run', { on });
    if (!on) this.keepAddress();
  }

  toggle() { this.play(!this.running); }

  step(count) {
    this.ui.note('');
    this.send('step', { count });
  }

  // From the reference pose (-1) or a keyframe.
  restart(key) {
    if (key !== undefined) this.key = key < 0 ? undefined : this.model.keys[key] || key;
    this.ui.note('');
    this.controlled = undefined; // they are those of the start again
    this.send('reset', { key: this.key });
    this.keepAddress();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.send('setSpeed', { speed });
    this.keepAddress();
  }

  change(name, value) {
    this.changed[name] = value;
    this.ui.note('');
    this.send('set', { name, value });
    if (name === 'timestep') this.ui.showFacts(value);
    this.keepAddress();
  }

  control(index, value) {
    this.controlled ??= [...this.last.ctrl];
    this.controlled[index] = value;
    this.send('control', { index, value, number: ++this.controlNumber });
    this.keepAddress();
  }

  // The plan has the controls, or leaves them as they are.
  setPlanning(on) {
    this.controlled = on ? undefined : [...this.last.ctrl];
    this.send('planning', { on, number: ++this.controlNumber });
    this.keepAddress();
  }

  moveGoal(index, place) {
    this.goalsMoved = true;
    this.send('goal', { index, place });
    this.ui.showGoal(index, place);
  }

  record() { this.send('record', { on: !this.last.recording }); }

  toggleDragging() {
    this.puller.on = !this.puller.on;
    element('dragging').setAttribute('aria-pressed', String(this.puller.on));
  }

  placeCamera(numbers) {
    const { camera } = this.stage;
    const { controls } = this.cameraMan;
    camera.position.fromArray(numbers);
    controls.target.fromArray(numbers, 3);
    controls.update();
    this.cameraPlaced = true;
    this.redraw();
  }

  meanOf(index) {
    const { tubes, surfaces } = this.recording.head;
    const { start, count } = [...tubes, ...surfaces][index];
    const sum = [0, 0, 0];
    for (let i = 3 * start; i < 3 * (start + count); i++) sum[i % 3] += this.frame.points[i] / count;
    return sum;
  }

  // What the page shows now, for whoever copies its address.
  keepAddress() {
    clearTimeout(this.addressLater);
    this.addressLater = setTimeout(() => {
      const { camera } = this.stage;
      replaceAddress(writeAddress({
        time: this.running ? 0 : this.last.time,
        camera: [...camera.position.toArray(), ...this.cameraMan.controls.target.toArray()],
        speed: this.speed,
        changed: this.changed,
        key: this.key,
        ctrl: this.controlled,
        goals: this.goalsMoved ? this.plan.goals.flatMap(({ place }) => place) : undefined,
      }));
    }, 200);
  }

  close() {
    clearTimeout(this.addressLater);
    this.worker.terminate();
    this.stage.renderer.dispose();
    this.stage.renderer.forceContextLoss();
  }
}

// The page: its engine, and one simulation at a time.
class Page {
  constructor(head, engine, fail) {
    this.head = head;
    this.engine = engine;
    this.fail = fail;
    this.app = element('app').cloneNode(true); // as it was before anything was filled in
    this.worker = URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' }));
  }

  // The first message of a new simulation, and its worker.
  start(model, start) {
    const worker = new Worker(this.worker);
    const engine = this.engine.slice();
    return new Promise((resolve, reject) => {
      worker.onerror = (event) => reject(new Error(event.message || 'the worker does not start'));
      worker.onmessage = ({ data }) => {
        if (data.type === 'error') {
          worker.terminate();
          reject(new Error(data.message));
        } else resolve([worker, data]);
      };
      worker.postMessage({ type: 'start', engine, model, start }, [engine.buffer]);
    });
  }

  // Replaces what is there once the new one is ready; false where it cannot be simulated, and why is shown.
  async open(model, start = { settings: {} }) {
    const opening = { begun: performance.now() };
    let worker;
    let opened;
    try {
      [worker, opened] = await this.start(model, start);
    } catch (error) {
      if (!this.live) throw error;
      this.live.ui.note(error.message);
      return false;
    }
    opening.loaded = performance.now();
    const recording = await makeRecording(opened, { title: model.title, made_by: this.head.made_by });
    if (this.live) {
      this.ending.abort();
      this.live.close();
      element('app').replaceWith(this.app.cloneNode(true));
      replaceAddress('#');
    }
    this.ending = new AbortController();
    this.model = model;
    document.body.classList.add('ready', 'live');
    this.live = new Live(this, recording, opened, worker, start, this.ending.signal);
    opening.drawn = performance.now();
    window.tenonLive = this.outside(opening);
    const still = start.until > 0 || matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (!still) this.live.play(true);
    return true;
  }

  async openFiles(list) {
    try {
      this.live.ui.note('');
      await this.open(await modelOf(list));
    } catch (error) {
      this.live.ui.note(error.message);
    }
  }

  // What tests and scripts may see and do.
  outside(opening) {
    const { live } = this;
    return {
      ready: true,
      opening,
      get time() { return live.last.time; },
      get running() { return live.running; },
      get pace() { return live.pace; },
      get note() { return element('note').hidden ? '' : element('note').textContent; },
      get show() { return { ...live.show }; },
      get selected() { return live.selected; },
      get camera() { return live.stage.camera.position.toArray(); },
      get contactCount() { return live.last.contacts.length / 12; },
      get ctrl() { return [...live.last.ctrl]; },
      get plan() { return { planning: live.last.plan[0] === 1, cost: live.last.plan[1], goals: live.plan?.goals.map(({ place }) => [...place]) }; },
      get bodies() { return live.recording.head.bodies; },
      get recorded() { return live.saved; },
      bodyPosition: (body) => [...live.frame.poses.subarray(body * 7, body * 7 + 3)],
      screenPosition: (body) => live.screenPlace(live.frame.poses.subarray(body * 7, body * 7 + 3)),
      // the mean of the points of a tube, or of a surface after all tubes
      pointMean: (index) => live.meanOf(index),
      screenOf: (place) => live.screenPlace(place),
      ask: () => live.ask(), // hash, time, report, memory
      play: () => live.play(true),
      pause: () => live.play(false),
      step: (count) => live.step(count),
      reset: () => live.restart(),
      set: (name, value) => live.change(name, value),
      control: (index, value) => live.control(index, value),
      openFiles: (list) => this.openFiles(list),
    };
  }
}

export async function openLive(head, data, fail) {
  const sections = await readSections(head.sections, bytesOfBase64(data.textContent.trim()));
  data.remove();
  let at = 0;
  const files = Object.fromEntries(head.files.map(({ path, bytes }) => [path, sections.files.slice(at, at += bytes)]));
  const page = new Page(head, sections.engine, fail);
  const { state, wrong } = readAddress(location.hash);
  const task = head.task && new TextDecoder().decode(files[head.task]);
  await page.open({ path: head.model, files, title: head.title, task }, state);
  if (wrong.length) page.live.ui.note(`The address says what this page does not know: ${wrong.join(', ')}.`);
  addEventListener('hashchange', () => page.open(page.model, readAddress(location.hash).state));
  listenToDrops((list) => page.openFiles(list));
}
