// ui.js: buttons, keys, and the words and numbers around the picture.
import { formatNumber, formatTime, plural } from './text.js';

const element = (id) => document.getElementById(id);
const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

export function bodyLabel(recording, body) {
  return recording.head.bodies[body] || `body ${body}`;
}

// What the recording is, in a line.
function factsOf(recording) {
  const { head, times, series } = recording;
  let subsystems = 0;
  for (const list of [recording.bodySubsystem, recording.pointSubsystem]) {
    for (const subsystem of list || []) subsystems = Math.max(subsystems, subsystem);
  }
  const rows = recording.surfaceVertices || [];
  for (let i = 2; i < rows.length; i += 3) subsystems = Math.max(subsystems, rows[i]);
  const bodies = plural(head.bodies.length - 1, 'body', 'bodies');
  const facts = [`${bodies} in ${plural(subsystems, 'subsystem', 'subsystems')}`];
  if (head.tubes.length) facts.push(plural(head.tubes.length, 'tube', 'tubes'));
  if (head.surfaces.length) facts.push(plural(head.surfaces.length, 'surface', 'surfaces'));
  const most = series.contacts.reduce((a, b) => Math.max(a, b), 0);
  if (most) facts.push(`up to ${plural(most, 'contact', 'contacts')}`);
  facts.push(`${formatNumber(times[times.length - 1] - times[0], 4)} s in steps of ${formatNumber(head.timestep * 1e3, 3)} ms`);
  return facts.join(' · ');
}

// Values that have no curve.
const readouts = [
  ['iterations', ({ iterations }, k) => (iterations[k] ? formatNumber(iterations[k], 4) : '')],
  ['penetration', ({ meanPenetration: mean, maxPenetration: max }, k) => (
    max[k] > 0 ? `${formatNumber(mean[k] * 1e3, 2)} mm, max ${formatNumber(max[k] * 1e3, 2)} mm` : '')],
  ['step', ({ stepTime }, k, timestep) => (
    stepTime[k] > 0 ? `${formatNumber(stepTime[k] * 1e3, 3)} ms, ${formatNumber(timestep / stepTime[k], 2)}× real time` : '')],
];

export class Ui {
  // `replay` does what is asked for: see main.js.
  constructor(recording, replay) {
    this.recording = recording;
    this.replay = replay;
    this.dragging = false;
    const { head, times } = recording;
    element('title').textContent = head.title || head.scene || 'tenon replay';
    document.title = element('title').textContent;
    element('facts').textContent = factsOf(recording);
    element('maker').textContent = `made with ${head.made_by}`;
    if (head.cut_off) {
      element('note').textContent = 'The recording was cut off: this is what there is of it.';
      element('note').hidden = false;
    }
    this.digits = times[times.length - 1] - times[0] < 1 ? 3 : 2;
    this.scrub = element('scrub');
    this.scrub.min = times[0];
    this.scrub.max = times[times.length - 1];
    this.fillSpeeds();
    this.fillCameras();
    this.fillReadout();
    this.listenToButtons();
    this.listenToKeys();
  }

  fillSpeeds() {
    const select = element('speed');
    for (const speed of speeds) select.append(new Option(`${speed}×`, speed));
    select.value = 1;
    select.addEventListener('change', () => this.replay.setSpeed(Number(select.value)));
  }

  fillCameras() {
    const select = element('camera');
    const { cameras } = this.recording.head;
    select.append(new Option('Free camera', -1));
    cameras.forEach((camera, i) => select.append(new Option(camera.name || `camera ${i + 1}`, i)));
    select.hidden = !cameras.length;
    select.addEventListener('change', () => this.replay.setCamera(Number(select.value)));
  }

  fillReadout() {
    this.readouts = readouts.map(([name, value]) => {
      const row = document.createElement('div');
      const term = document.createElement('dt');
      const text = document.createElement('dd');
      term.textContent = name;
      row.append(term, text);
      element('readout').append(row);
      return { row, text, value };
    });
  }

  listenToButtons() {
    const { replay } = this;
    const actions = {
      play: () => replay.toggle(),
      loop: () => replay.toggleLoop(),
      subsystems: () => replay.toggleShow('subsystems'),
      stress: () => replay.toggleShow('stress'),
      contacts: () => replay.toggleShow('contacts'),
      forces: () => replay.toggleShow('forces'),
      joints: () => replay.toggleShow('joints'),
      frames: () => replay.toggleShow('frames'),
      shadows: () => replay.toggleShow('shadows'),
      'toggle-curves': () => this.toggleCurves(),
      reset: () => replay.resetView(),
      full: () => this.toggleFull(),
      help: () => element('help-dialog').showModal(),
      deselect: () => replay.select(-1),
    };
    for (const [id, action] of Object.entries(actions)) {
      element(id).addEventListener('click', (event) => {
        action();
        if (event.detail) element(id).blur(); // after a mouse, Space plays again
      });
    }
    element('stress').hidden = !this.recording.stress;
    element('full').hidden = !document.fullscreenEnabled;
    if (!this.recording.head.joints.some((joint) => joint.type >= 2)) element('joints').hidden = true;
    if (!this.recording.contacts.total) element('contacts').hidden = element('forces').hidden = true;
    this.scrub.addEventListener('input', () => replay.seek(Number(this.scrub.value)));
    this.scrub.addEventListener('pointerdown', () => replay.holdTime(true));
    for (const name of ['pointerup', 'pointercancel', 'blur']) {
      this.scrub.addEventListener(name, () => replay.holdTime(false));
    }
    this.scrub.addEventListener('change', () => { if (document.activeElement === this.scrub) this.scrub.blur(); });
  }

  listenToKeys() {
    const { replay } = this;
    const keys = {
      u: () => replay.toggleShow('subsystems'),
      x: () => replay.toggleShow('stress'),
      c: () => replay.toggleShow('contacts'),
      f: () => replay.toggleShow('forces'),
      j: () => replay.toggleShow('joints'),
      b: () => replay.toggleShow('frames'),
      s: () => replay.toggleShow('shadows'),
      r: () => replay.toggleLoop(),
      a: () => replay.resetView(),
      '[': () => replay.nextCamera(-1),
      ']': () => replay.nextCamera(1),
      F1: () => element('help-dialog').showModal(),
      F2: () => this.toggleCurves(),
      '+': () => this.changeSpeed(1),
      '=': () => this.changeSpeed(1),
      '-': () => this.changeSpeed(-1),
      '?': () => element('help-dialog').showModal(),
      ' ': () => replay.toggle(),
      Enter: () => this.toggleFull(),
      Home: () => replay.seek(-Infinity),
      End: () => replay.seek(Infinity),
      Escape: () => replay.escape(),
    };
    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || element('help-dialog').open) return;
      const tag = event.target.tagName;
      if (tag === 'SELECT' || (tag === 'BUTTON' && (event.key === ' ' || event.key === 'Enter'))) return;
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) replay.step(step * (event.shiftKey ? 10 : 1));
      else {
        const action = keys[event.key] || keys[event.key.toLowerCase()];
        if (!action) return;
        action();
      }
      event.preventDefault();
    });
  }

  toggleCurves() {
    const curves = element('curves');
    curves.hidden = !curves.hidden;
    element('toggle-curves').setAttribute('aria-pressed', String(!curves.hidden));
    this.replay.resize();
  }

  toggleFull() {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (document.fullscreenEnabled) document.documentElement.requestFullscreen().catch(() => {});
  }

  changeSpeed(by) {
    const select = element('speed');
    select.selectedIndex = Math.min(Math.max(select.selectedIndex + by, 0), speeds.length - 1);
    this.replay.setSpeed(Number(select.value));
  }

  showPressed(show, loop) {
    for (const name of Object.keys(show)) element(name).setAttribute('aria-pressed', String(show[name]));
    element('loop').setAttribute('aria-pressed', String(loop));
  }

  // The colours of stress and what they mean.
  showScale(on) {
    const scale = element('scale');
    scale.hidden = !on;
    if (!on || scale.childElementCount) return;
    const { stressColors: colors, head } = this.recording;
    const stops = [];
    for (let i = 0; i < 256; i += 15) stops.push(`rgb(${colors.subarray(i * 3, i * 3 + 3).join(' ')})`);
    const step = Math.min(Math.max(Math.floor(Math.log10(head.stress_max) / 3), 0), 3);
    const words = document.createElement('span');
    const bar = document.createElement('div');
    const ends = document.createElement('div');
    words.textContent = `von Mises stress, ${['Pa', 'kPa', 'MPa', 'GPa'][step]}`;
    bar.className = 'bar';
    bar.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
    ends.className = 'ends';
    for (const share of [0, 0.5, 1]) {
      const end = document.createElement('span');
      end.textContent = formatNumber((share * head.stress_max) / 1000 ** step, 4);
      ends.append(end);
    }
    scale.append(words, bar, ends);
  }

  showCamera(index) { element('camera').value = index; }

  showSelected(body) {
    element('selected').hidden = body < 0;
    if (body < 0) return;
    const subsystem = this.recording.bodySubsystem[body];
    const part = subsystem ? `subsystem ${subsystem}` : 'fixed';
    element('selected-name').textContent = `${bodyLabel(this.recording, body)}, ${part}`;
  }

  showTime(player, index) {
    const { series, head } = this.recording;
    const play = element('play');
    play.toggleAttribute('data-playing', player.playing);
    play.setAttribute('aria-label', player.playing ? 'Pause' : 'Play');
    const now = formatTime(player.time, this.digits);
    element('clock').innerHTML = `${now} <small>/ ${formatTime(player.end, this.digits)}</small>`;
    this.scrub.value = player.time;
    this.scrub.setAttribute('aria-valuetext', `${now}, frame ${index + 1} of ${this.recording.frameCount}`);
    let any = false;
    for (const { row, text, value } of this.readouts) {
      const words = value(series, index, head.timestep);
      row.hidden = !words;
      any ||= Boolean(words);
      text.textContent = words;
    }
    element('readout').hidden = !any;
  }
}
