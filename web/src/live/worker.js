// worker.js: the simulation of a live page, in a thread of its own. Messages come in as { type, ... } and are calls of
// the class below; what goes out is a scene once, a frame when the page has shown the last one, and answers.
import { World } from '../engine/engine.js';

const patience = 25; // ms of steps before messages are looked at
const catchUp = 0.1; // s that may be made up for; what is later than that is dropped

class Simulation {
  running = false;
  speed = 1;
  hidden = false;
  shown = true; // the page has drawn the last frame
  changed = false; // since the last frame
  due = 0; // s to be simulated
  settings = {};
  controlNumber = 0; // of the last change of a control that is in

  // model: { path, files, freeBase, task }; start: what the address says.
  async start({ engine, model, start }) {
    const { path, files, freeBase, loose, task } = model;
    const said = [];
    const module = await WebAssembly.compile(engine);
    this.world = await World.create(module, path, files, { freeBase, loose, say: (line) => said.push(line) });
    this.model = this.world.model;
    this.timestep = this.model.timestep;
    if (task) this.plan = this.world.plan(task);
    this.key = start.key ?? this.plan?.key;
    for (const [name, value] of Object.entries(start.settings || {})) this.set({ name, value });
    if (this.key !== undefined) this.world.reset(this.key);
    if (start.ctrl) this.takeOver(start.ctrl);
    if (start.goals) this.setGoals(start.goals);
    const scene = this.world.scene();
    this.post('scene', { scene, model: this.model, plan: this.plan, settings: this.all(), frame: this.frame() }, [scene.data.buffer]);
    if (start.until > 0) this.goTo({ time: start.until });
  }

  post(type, more, transfer = []) { postMessage({ type, ...more }, transfer); }

  all() { return { ...this.settings, timestep: this.timestep }; }

  frame() {
    const frame = this.world.frame();
    frame.running = this.running;
    frame.recording = Boolean(this.recording);
    frame.controlNumber = this.controlNumber;
    return frame;
  }

  postFrame() {
    const frame = this.frame();
    this.shown = false;
    this.changed = false;
    const arrays = [frame.poses, frame.points, frame.contacts, frame.signals];
    if (frame.stress) arrays.push(frame.stress);
    this.post('frame', { frame }, arrays.map((array) => array.buffer));
  }

  // ---- what the page asks for

  run({ on }) {
    if (on === this.running) return;
    this.running = on;
    this.changed = true;
    this.last = performance.now();
    this.due = 0;
    this.tick();
  }

  hide({ on }) {
    this.hidden = on;
    this.last = performance.now();
    if (!on) this.tick();
  }

  drawn() {
    this.shown = true;
    if (this.changed) this.postFrame();
  }

  step({ count }) {
    this.run({ on: false });
    this.take(count);
  }

  reset({ key = this.key }) {
    this.stopRecording();
    this.key = key;
    this.world.reset(key);
    if (this.plan) this.world.planning = true;
    this.due = 0;
    this.changed = true;
    this.drawn();
  }

  // Without pictures in between, in pieces, so that messages are read; then it stands still.
  goTo({ time }) {
    this.running = false;
    const begun = performance.now();
    while (this.world.time < time - 0.5 * this.timestep) {
      if (!this.world.step(1)) break;
      if (performance.now() - begun > 4 * patience) {
        this.changed = true;
        if (this.shown) this.postFrame();
        setTimeout(() => this.goTo({ time }), 0);
        return;
      }
    }
    this.changed = true;
    if (this.shown) this.postFrame();
    this.post('arrived', {});
  }

  setSpeed({ speed }) { this.speed = speed; }

  // By hand: the plan, where there is one, no longer has them.
  takeOver(ctrl) {
    if (this.plan) this.world.planning = false;
    this.world.ctrl = ctrl;
  }

  control({ index, value, number }) {
    this.controlNumber = number;
    const { ctrl } = this.world;
    ctrl[index] = value;
    this.takeOver(ctrl);
    this.show();
  }

  planning({ on, number }) {
    this.controlNumber = number;
    this.world.planning = on;
    this.show();
  }

  goal({ index, place }) { this.world.setGoal(this.plan.goals[index].cost, place); }

  setGoals(numbers) {
    const { goals } = this.plan || { goals: [] };
    if (numbers.length !== 3 * goals.length) throw new Error(`goals: ${3 * goals.length} numbers are needed, got ${numbers.length}`);
    goals.forEach((goal, i) => {
      goal.place = numbers.slice(3 * i, 3 * i + 3);
      this.goal({ index: i, place: goal.place });
    });
  }

  // The world after a change, also where it stands still.
  show() {
    this.changed = true;
    if (this.shown && !this.running) this.postFrame();
  }

  set({ name, value }) {
    const { world } = this;
    if (name === 'gravity') {
      // its strength: the direction is the model's, or down
      const own = this.model.gravity;
      const size = Math.hypot(...own);
      world.setGravity(size > 0 ? own.map((x) => (x / size) * value) : [0, 0, -value]);
    } else if (name === 'friction') world.setFriction(value);
    else if (name === 'timestep') {
      world.setTimestep(value);
      this.timestep = value;
    } else if (name === 'tolerance') world.setTolerance(value);
    this.settings[name] = value;
  }

  pull({ body, point, soft, nodes, weights, stiffness }) {
    if (soft === undefined) this.world.pull(body, point, stiffness);
    else this.world.pullSoft(soft, nodes, weights, stiffness);
  }

  pullTo({ place }) { this.world.pullTo(place); }

  letGo() { this.world.letGo(); }

  record({ on }) {
    if (!on) return this.stopRecording();
    this.world.startRecording(25);
    this.recording = true;
    return this.show();
  }

  stopRecording() {
    if (!this.recording) return;
    this.recording = false;
    const bytes = this.world.stopRecording();
    this.post('recording', { bytes }, [bytes.buffer]);
    this.show();
  }

  ask({ id }) {
    const { world } = this;
    this.post('answer', { id, answer: { hash: world.hash, time: world.time, report: world.report, memory: world.memory } });
  }

  // ---- time

  refused() {
    this.running = false;
    this.post('refused', { why: this.world.report.diverged ? '' : this.world.failed().message });
  }

  take(count) {
    const taken = this.world.step(count);
    this.changed = true;
    if (taken < count) {
      this.refused();
    }
    if (this.shown) this.postFrame();
    return taken;
  }

  tick() {
    if (!this.running || this.hidden) return;
    const begun = performance.now();
    this.due = Math.min(this.due + ((begun - this.last) / 1000) * this.speed, Math.max(catchUp * this.speed, this.timestep));
    this.last = begun;
    let steps = 0;
    while (this.running && this.due >= this.timestep * 0.999 && performance.now() - begun < patience) {
      this.due -= this.timestep;
      steps++;
      if (!this.world.step(1)) {
        this.refused();
      }
    }
    if (steps) this.changed = true;
    if (this.changed && this.shown) this.postFrame();
    if (this.running) setTimeout(() => this.tick(), this.due >= this.timestep ? 0 : 2);
  }
}

const simulation = new Simulation();
onmessage = async ({ data }) => {
  try {
    await simulation[data.type](data);
  } catch (error) {
    postMessage({ type: 'error', message: error.message, of: data.type });
  }
};
