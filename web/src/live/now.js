// now.js: the present frame of a simulation, its contacts, and the last seconds of its curves, in the shape that views and
// plots know from recordings.
import { readHead, readScene, readSections } from '../codec.js';

const span = 10; // s of curves
const most = 1000; // samples

export class Now {
  constructor(frame) {
    this.index = 0;
    this.take(frame);
  }

  set() {} // a present has no other times

  take(frame) {
    for (const name of ['poses', 'points', 'stress', 'contacts', 'time', 'ctrl', 'report']) this[name] = frame[name];
  }
}

const numbers = 12; // of a contact: numbers.c

export class LiveContacts {
  most = 64; // grows

  usualForce = 0;

  take(contacts) {
    this.most = Math.max(this.most, contacts.length / numbers);
    const forces = [];
    for (let i = 0; i < contacts.length; i += numbers) {
      const force = Math.hypot(contacts[i + 9], contacts[i + 10], contacts[i + 11]);
      if (force > 0) forces.push(force);
    }
    if (!forces.length) return;
    const middle = forces.sort((a, b) => a - b)[forces.length >> 1];
    this.usualForce = this.usualForce ? 0.95 * this.usualForce + 0.05 * middle : middle;
  }

  each(recording, { contacts }, visit) {
    for (let i = 0; i < contacts.length; i += numbers) {
      const [x, y, z] = contacts.subarray(i + 9, i + 12);
      const force = Math.hypot(x, y, z);
      visit(contacts.subarray(i + 2, i + 5), force > 0 ? [x / force, y / force, z / force] : [0, 0, 1], force);
    }
  }
}

// What a curve can be of, from a frame.
const curves = {
  residual: ({ report }) => report.residual,
  contacts: ({ report }) => report.contactCount,
  kinetic: ({ report }) => report.kinetic,
  potential: ({ report }) => report.potential,
  total: ({ report }) => report.kinetic + report.potential,
  iterations: ({ report }) => report.iterations,
  meanPenetration: ({ report }) => report.meanPenetration,
  maxPenetration: ({ report }) => report.maxPenetration,
  stepTime: ({ report }) => report.time,
  work: ({ account }) => account.actuators + account.applied,
  losses: ({ account }) => account.friction + account.damping + account.impacts + account.stepLoss,
  created: ({ account }) => account.created,
};

// The scene of a simulation with what has been seen of it.
export async function makeRecording({ scene, frame }, more) {
  const head = { ...readHead(scene.head), color: 'model', stress_max: 1, ...more };
  const recording = readScene(head, await readSections(head.sections, scene.data));
  const moving = [];
  recording.bodySubsystem.forEach((subsystem, body) => { if (subsystem) moving.push(body); });
  Object.assign(recording, {
    frameCount: 1,
    times: [],
    moving,
    signals: head.signals,
    contacts: new LiveContacts(),
    series: Object.fromEntries([...Object.keys(curves), ...head.signals.map(({ name }) => `signal ${name}`)].map((name) => [name, []])),
  });
  keep(recording, frame);
  return recording;
}

export function keep(recording, frame) {
  const { times, series, head } = recording;
  for (const [name, of] of Object.entries(curves)) series[name].push(of(frame));
  head.signals.forEach(({ name }, i) => series[`signal ${name}`].push(frame.signals[i]));
  times.push(frame.time);
  recording.contacts.take(frame.contacts);
  if (times.length > 1.2 * most || frame.time - times[0] > 1.2 * span) {
    let old = times.findIndex((time) => frame.time - time <= span);
    old = Math.max(old, times.length - most);
    for (const list of [times, ...Object.values(series)]) list.splice(0, old);
  }
  if (frame.stress) {
    const top = frame.stress.reduce((a, b) => Math.max(a, b), 0);
    if (top > head.stress_max) head.stress_max = roundUp(top);
  }
}

export function forget(recording) {
  for (const list of [recording.times, ...Object.values(recording.series)]) list.length = 0;
}

function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((k) => k * power >= value * 0.9999);
}
