// ui.js: what replays and live pages have in common around the picture: buttons, keys, words and numbers.
import { formatNumber, plural } from './text.js';

export const element = (id) => document.getElementById(id);

export function bodyLabel(recording, body) {
  return recording.head.bodies[body] || `body ${body}`;
}

const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

// Values that have no curve.
const readoutRows = [
  ['iterations', ({ iterations }, k) => (iterations[k] ? formatNumber(iterations[k], 4) : '')],
  ['penetration', ({ meanPenetration: mean, maxPenetration: max }, k) => (
    max[k] > 0 ? `${formatNumber(mean[k] * 1e3, 2)} mm, max ${formatNumber(max[k] * 1e3, 2)} mm` : '')],
  ['step', ({ stepTime }, k, timestep) => (
    stepTime[k] > 0 ? `${formatNumber(stepTime[k] * 1e3, 3)} ms, ${formatNumber(timestep / stepTime[k], 2)}× real time` : '')],
];

// Of the scene, in a few words.
export function sizesOf(recording) {
  const { head } = recording;
  let subsystems = 0;
  for (const list of [recording.bodySubsystem, recording.pointSubsystem]) {
    for (const subsystem of list || []) subsystems = Math.max(subsystems, subsystem);
  }
  const rows = recording.surfaceVertices || [];
  for (let i = 2; i < rows.length; i += 3) subsystems = Math.max(subsystems, rows[i]);
  const bodies = plural(head.bodies.length - 1, 'body', 'bodies');
  const sizes = [`${bodies} in ${plural(subsystems, 'subsystem', 'subsystems')}`];
  if (head.tubes.length) sizes.push(plural(head.tubes.length, 'tube', 'tubes'));
  if (head.surfaces.length) sizes.push(plural(head.surfaces.length, 'surface', 'surfaces'));
  return sizes;
}

export class Ui {
  // `view` does what is asked for: view.js.
  constructor(recording, view, signal) {
    this.recording = recording;
    this.view = view;
    this.signal = signal;
    const { head } = recording;
    element('title').textContent = head.title || head.scene || 'tenon';
    document.title = element('title').textContent;
    element('maker').textContent = `made with ${head.made_by}`;
  }

  // After what is special is there.
  begin() {
    this.fillSpeeds();
    this.fillCameras();
    this.fillReadout();
    this.listenToButtons();
    this.listenToKeys();
  }

  // By the id of a button, by the name of a key: what pressing it does.
  get buttonActions() {
    const { view } = this;
    return {
      subsystems: () => view.toggleShow('subsystems'),
      stress: () => view.toggleShow('stress'),
      contacts: () => view.toggleShow('contacts'),
      forces: () => view.toggleShow('forces'),
      joints: () => view.toggleShow('joints'),
      frames: () => view.toggleShow('frames'),
      shadows: () => view.toggleShow('shadows'),
      'toggle-curves': () => this.toggleCurves(),
      reset: () => view.resetView(),
      full: () => this.toggleFull(),
      help: () => element('help-dialog').showModal(),
      deselect: () => view.select(-1),
    };
  }

  get keyActions() {
    const { view } = this;
    return {
      u: () => view.toggleShow('subsystems'),
      x: () => view.toggleShow('stress'),
      c: () => view.toggleShow('contacts'),
      f: () => view.toggleShow('forces'),
      j: () => view.toggleShow('joints'),
      b: () => view.toggleShow('frames'),
      s: () => view.toggleShow('shadows'),
      a: () => view.resetView(),
      '[': () => view.nextCamera(-1),
      ']': () => view.nextCamera(1),
      F1: () => element('help-dialog').showModal(),
      F2: () => this.toggleCurves(),
      '?': () => element('help-dialog').showModal(),
      Enter: () => this.toggleFull(),
      '+': () => this.changeSpeed(1),
      '=': () => this.changeSpeed(1),
      '-': () => this.changeSpeed(-1),
      Escape: () => view.escape(),
    };
  }

  fillSpeeds() {
    const select = element('speed');
    for (const speed of speeds) select.append(new Option(`${speed}×`, speed));
    select.value = 1;
    select.addEventListener('change', () => this.view.setSpeed(Number(select.value)));
  }

  fillCameras() {
    const select = element('camera');
    const { cameras } = this.recording.head;
    select.append(new Option('Free camera', -1));
    cameras.forEach((camera, i) => select.append(new Option(camera.name || `camera ${i + 1}`, i)));
    select.hidden = !cameras.length;
    select.addEventListener('change', () => this.view.setCamera(Number(select.value)));
  }

  fillReadout() {
    this.readouts = readoutRows.map(([name, value]) => {
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
    for (const [id, action] of Object.entries(this.buttonActions)) {
      element(id).addEventListener('click', (event) => {
        action();
        if (event.detail) element(id).blur(); // after a mouse, Space plays again
      });
    }
    element('stress').hidden = !this.view.hasStress;
    element('full').hidden = !document.fullscreenEnabled;
    if (!this.recording.head.joints.some((joint) => joint.type >= 2)) element('joints').hidden = true;
  }

  listenToKeys() {
    const actions = this.keyActions;
    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || element('help-dialog').open) return;
      const { tagName, type } = event.target;
      const typing = tagName === 'SELECT' || (tagName === 'INPUT' && type !== 'range');
      if (typing || (tagName === 'BUTTON' && (event.key === ' ' || event.key === 'Enter'))) return;
      if (tagName === 'INPUT' && event.target.id !== 'scrub' && /^(Arrow|Home|End|Page)/.test(event.key)) return;
      const action = actions[event.key] || actions[event.key.toLowerCase()];
      if (!action) return;
      action(event.shiftKey);
      event.preventDefault();
    }, { signal: this.signal });
  }

  toggleCurves() {
    const curves = element('curves');
    curves.hidden = !curves.hidden;
    element('toggle-curves').setAttribute('aria-pressed', String(!curves.hidden));
    this.view.resize();
  }

  toggleFull() {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (document.fullscreenEnabled) document.documentElement.requestFullscreen().catch(() => {});
  }

  changeSpeed(by) {
    const select = element('speed');
    select.selectedIndex = Math.min(Math.max(select.selectedIndex + by, 0), speeds.length - 1);
    this.view.setSpeed(Number(select.value));
  }

  showPlaying(on) {
    element('play').toggleAttribute('data-playing', on);
    element('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
  }

  showPressed(show) {
    for (const name of Object.keys(show)) element(name).setAttribute('aria-pressed', String(show[name]));
  }

  // The colours of stress and what they mean.
  showScale(on) {
    const scale = element('scale');
    scale.hidden = !on;
    const { stressColors: colors, head } = this.recording;
    if (!on || scale.dataset.top === String(head.stress_max)) return;
    scale.dataset.top = head.stress_max;
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
    scale.replaceChildren(words, bar, ends);
  }

  showCamera(index) { element('camera').value = index; }

  showSelected(body) {
    element('selected').hidden = body < 0;
    if (body < 0) return;
    const subsystem = this.recording.bodySubsystem[body];
    const part = subsystem ? `subsystem ${subsystem}` : 'fixed';
    element('selected-name').textContent = `${bodyLabel(this.recording, body)}, ${part}`;
  }

  // The values at frame k that have no curve.
  showReadouts(k) {
    const { series, head } = this.recording;
    let any = false;
    for (const { row, text, value } of this.readouts) {
      const words = value(series, k, head.timestep);
      row.hidden = !words;
      any ||= Boolean(words);
      text.textContent = words;
    }
    element('readout').hidden = !any;
  }
}
