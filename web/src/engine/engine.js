// engine.js: a simulation by tenon.wasm (apps/live). Each world has an instance of the module, so that its memory goes
// when it goes.
import { Files } from './files.js';

// The order of numbers.c.
const arrays = ['time', 'qpos', 'qvel', 'ctrl', 'act', 'poses', 'contacts', 'sensors', 'report', 'signals', 'account', 'pull', 'plan'];
const reportNames = [
  'diverged', 'converged', 'rough', 'iterations', 'residual', 'error', 'contactCount', 'meanPenetration', 'maxPenetration',
  'time', 'kinetic', 'potential', 'elastic', 'actuators', 'applied', 'friction', 'damping', 'impacts', 'stepLoss', 'created',
  'pushOut', 'unsolved', 'steps',
];
const accountNames = ['actuators', 'applied', 'friction', 'damping', 'impacts', 'stepLoss', 'created', 'pushOut', 'unsolved'];
const contactNumbers = 12;

const utf8 = new TextEncoder();
const bytesOf = (data) => (typeof data === 'string' ? utf8.encode(data) : data instanceof ArrayBuffer ? new Uint8Array(data) : data);

export class World {
  // `module`: a WebAssembly.Module of tenon.wasm. `files`: { path: text or bytes }, the model among them at `path`.
  static async create(module, path, files, { freeBase = false, read, say, loose = false } = {}) {
    const world = new this();
    world.files = new Files({ read, say });
    world.files.loose = loose;
    for (const [name, data] of Object.entries(files)) world.files.set(name, bytesOf(data));
    const imports = { wasi_snapshot_preview1: world.files.imports(() => world.exports.memory) };
    const instance = await WebAssembly.instantiate(module, imports);
    world.exports = instance.exports;
    world.calls._initialize();
    world.engine = world.text(path, (at) => world.calls.tenon_open(at, freeBase));
    if (!world.engine) {
      const { message } = world.failed();
      world.exports = null;
      throw new Error(message);
    }
    world.model = world.describe();
    return world;
  }

  // ---- what crosses the border

  string(at) {
    const { buffer } = this.calls.memory;
    const all = new Uint8Array(buffer, at);
    return new TextDecoder().decode(all.subarray(0, all.indexOf(0)));
  }

  // Calls with a copy of some bytes in the engine's memory.
  lend(bytes, use) {
    const at = this.calls.tenon_take(bytes.length + 8);
    if (!at) throw new Error('no memory');
    new Uint8Array(this.calls.memory.buffer, at, bytes.length + 1).set(bytes);
    try {
      return use(at);
    } finally {
      this.calls.tenon_give(at);
    }
  }

  text(text, use) { return this.lend(utf8.encode(`${text}\0`), use); }

  doubles(numbers, use) {
    const copy = Float64Array.from(numbers);
    return this.lend(new Uint8Array(copy.buffer), use);
  }

  failed() { return new Error(this.string(this.calls.tenon_error()) || 'no memory'); }

  need(done) { if (!done) throw this.failed(); }

  numbers(name) {
    const count = this.calls.tenon_numbers(this.engine, arrays.indexOf(name));
    if (count < 0) throw new Error('no memory');
    return new Float64Array(this.calls.memory.buffer, this.calls.tenon_number_place(this.engine), count).slice();
  }

  // A list of the length that the engine expects.
  exactly(name, numbers, count) {
    if (numbers.length !== count) throw new RangeError(`${name} has ${count} numbers, got ${numbers.length}`);
    return numbers;
  }

  // What the engine exports, as long as the world is open.
  get calls() {
    if (!this.exports) throw new Error('the world is closed');
    return this.exports;
  }

  describe() {
    const at = this.calls.tenon_describe(this.engine);
    if (!at) throw new Error('no memory');
    const model = JSON.parse(this.string(at));
    this.calls.tenon_give(at);
    return model;
  }

  // ---- stepping

  // Returns how many steps were taken: fewer where one was refused, see report.diverged, or where no plan was found.
  step(count = 1) { return this.calls.tenon_step(this.engine, count); }

  // To the reference pose, or to a keyframe by its name or number from 0.
  reset(key) {
    let number = 0;
    if (key !== undefined) number = typeof key === 'number' ? key + 1 : this.model.keys.indexOf(key) + 1;
    if (key !== undefined && number === 0) throw new Error(`there is no keyframe '${key}'`);
    this.need(this.calls.tenon_reset(this.engine, number));
  }

  // Memory goes back when nothing refers to the world any more.
  close() {
    if (this.exports) this.exports.tenon_close(this.engine);
    this.exports = null;
  }

  // ---- the state

  get time() { return this.numbers('time')[0]; }

  get qpos() { return this.numbers('qpos'); }

  get qvel() { return this.numbers('qvel'); }

  get ctrl() { return this.numbers('ctrl'); }

  set ctrl(numbers) {
    this.exactly('ctrl', numbers, this.model.actuators.length);
    this.need(this.doubles(numbers, (at) => this.calls.tenon_set_ctrl(this.engine, at)));
  }

  get act() { return this.numbers('act'); }

  setState(qpos, qvel) {
    const q = this.exactly('qpos', qpos, this.qpos.length);
    const v = this.exactly('qvel', qvel, this.qvel.length);
    this.need(this.doubles(q, (at) => this.doubles(v, (too) => this.calls.tenon_set_state(this.engine, at, too))));
  }

  // 16 hexadecimal digits: of time, qpos, qvel and activations.
  get hash() { return BigInt.asUintN(64, this.calls.tenon_hash(this.engine)).toString(16).padStart(16, '0'); }

  save() {
    const size = this.calls.tenon_save_size(this.engine);
    return this.lend(new Uint8Array(size), (at) => {
      this.need(this.calls.tenon_save(this.engine, at, size));
      return new Uint8Array(this.calls.memory.buffer, at, size).slice();
    });
  }

  restore(saved) { this.need(this.lend(saved, (at) => this.calls.tenon_restore(this.engine, at, saved.length))); }

  // Body by body 7 numbers: place, quaternion w x y z. Body 0 is the world.
  get poses() { return this.numbers('poses'); }

  get sensors() { return this.numbers('sensors'); }

  // Of the last step.
  get contacts() {
    const numbers = this.numbers('contacts');
    const list = [];
    for (let i = 0; i < numbers.length; i += contactNumbers) {
      const part = (from, count) => [...numbers.subarray(i + from, i + from + count)];
      list.push({
        geom1: numbers[i] - 1, geom2: numbers[i + 1] - 1, pos: part(2, 3), normal: part(5, 3), gap: numbers[i + 8], force: part(9, 3),
      });
    }
    return list;
  }

  get report() {
    const numbers = this.numbers('report');
    const report = Object.fromEntries(reportNames.map((name, i) => [name, numbers[i]]));
    for (const name of ['diverged', 'converged', 'rough']) report[name] = report[name] !== 0;
    return report;
  }

  // J, sums since the start: docs/cli.md explains the balance.
  get energyAccount() {
    const numbers = this.numbers('account');
    return Object.fromEntries(accountNames.map((name, i) => [name, numbers[i]]));
  }

  // ---- what can be changed

  // For the next step: force at the centre of mass and torque, world axes.
  applyWrench(body, force, torque = [0, 0, 0]) {
    this.need(this.calls.tenon_wrench(this.engine, body + 1, ...force, ...torque));
  }

  setGravity(gravity) { this.need(this.calls.tenon_set_gravity(this.engine, ...this.exactly('gravity', gravity, 3))); }

  setTimestep(seconds) { this.need(this.calls.tenon_set_timestep(this.engine, seconds)); }

  setTolerance(tolerance) { this.need(this.calls.tenon_set_tolerance(this.engine, tolerance)); }

  // Friction of all geoms, times the model's.
  setFriction(share) { this.need(this.calls.tenon_set_friction(this.engine, share)); }

  // A spring holds a point of a body, in its axes, until letGo; pullTo says where it pulls. stiffness: 1/s².
  pull(body, point, stiffness) { this.calls.tenon_pull(this.engine, body + 1, 0, ...point, 0, 0, 0, stiffness); }

  // The same for the triangle of three nodes of a soft body, at weights whose sum is 1.
  pullSoft(soft, nodes, weights, stiffness) {
    this.calls.tenon_pull(this.engine, 0, soft + 1, ...weights, ...nodes, stiffness);
  }

  pullTo(place) { this.calls.tenon_pull_to(this.engine, ...place); }

  letGo() { this.calls.tenon_let_go(this.engine); }

  // ---- a plan: docs/control.md

  // `task`: the text of a task for `tenon plan`; its model is the one that is open. From now on the plan has the controls.
  // Says what it is: { horizon, knot, every, key, goals: [{ cost, name, place, axes }] }, the goals those that can be moved.
  plan(task) {
    this.files.set('task.txt', bytesOf(task));
    const at = this.text('task.txt', (path) => this.calls.tenon_plan(this.engine, path));
    if (!at) throw this.failed();
    const plan = JSON.parse(this.string(at));
    this.calls.tenon_give(at);
    return plan;
  }

  // Where it has not, controls stay as they are.
  get planning() { return this.numbers('plan')[0] === 1; }

  set planning(on) { if (!this.calls.tenon_set_planning(this.engine, on)) throw new Error('there is no plan'); }

  // Of a cost by its number in the task, from 0.
  setGoal(cost, place) { this.need(this.calls.tenon_set_goal(this.engine, cost, ...this.exactly('place', place, 3))); }

  // ---- recording

  // Records from now on, `rate` frames per second at most (0: every step), until stopRecording gives the file (.tnr).
  startRecording(rate = 25) {
    this.need(this.text('/recording.tnr', (at) => this.calls.tenon_record(this.engine, at, rate)));
  }

  stopRecording() {
    this.need(this.calls.tenon_record_end(this.engine));
    const bytes = this.files.get('recording.tnr').slice();
    this.files.delete('recording.tnr');
    return bytes;
  }

  // ---- drawing: docs/replay.md has the format

  scene() {
    const at = this.calls.tenon_scene(this.engine);
    if (!at) throw new Error('no memory');
    const head = this.string(at);
    const size = this.calls.tenon_scene_data_size(this.engine);
    const data = new Uint8Array(this.calls.memory.buffer, this.calls.tenon_scene_data(this.engine), size).slice();
    return { head, data };
  }

  // Where everything is now, in single precision.
  frame() {
    this.need(this.calls.tenon_frame(this.engine));
    const { buffer } = this.calls.memory;
    const points = this.calls.tenon_frame_point_count(this.engine);
    const stress = this.calls.tenon_frame_stress(this.engine);
    return {
      poses: Float32Array.from(
        new Float64Array(buffer, this.calls.tenon_frame_poses(this.engine), 7 * this.calls.tenon_frame_body_count(this.engine)),
      ),
      points: points ? new Float32Array(buffer, this.calls.tenon_frame_points(this.engine), 3 * points).slice() : new Float32Array(0),
      stress: stress ? new Float32Array(buffer, stress, points).slice() : null,
      contacts: Float32Array.from(this.numbers('contacts')),
      signals: Float32Array.from(this.numbers('signals')),
      ctrl: this.ctrl,
      report: this.report,
      account: this.energyAccount,
      time: this.time,
      pull: this.numbers('pull'),
      plan: this.numbers('plan'), // none: empty
    };
  }

  // Bytes that the engine has taken from the system.
  get memory() { return this.calls.memory.buffer.byteLength; }
}
