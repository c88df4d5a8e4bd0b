// plots.js: curves over time with a cursor; pressing or dragging on one sets the time.
import { formatNumber } from './text.js';

export const plots = [
  { title: 'Residual', unit: 'm/s', log: true, rare: true, lines: [{ series: 'residual', color: '--line-1', label: '' }] },
  { title: 'Contacts', unit: '', lines: [{ series: 'contacts', color: '--line-2', label: '' }] },
  {
    title: 'Energy',
    unit: 'J',
    lines: [
      // the wide one lies under the others: where one of them is nearly all there is, both are seen
      { series: 'total', color: '--line-5', label: 'total', width: 4 },
      { series: 'kinetic', color: '--line-3', label: 'kinetic' },
      { series: 'potential', color: '--line-4', label: 'potential' },
    ],
  },
  {
    title: 'Account of energy',
    unit: 'J',
    rare: true,
    lines: [
      { series: 'work', color: '--line-3', label: 'work' },
      { series: 'losses', color: '--line-4', label: 'losses' },
      { series: 'created', color: '--line-2', label: 'created' },
    ],
  },
];

// Lowest and highest value; on a logarithmic axis only what is above 0 counts.
function rangeOf(plot, series) {
  let low = Infinity;
  let high = -Infinity;
  for (const line of plot.lines) {
    for (const value of series[line.series]) {
      if (!Number.isFinite(value) || (plot.log && value <= 0)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (!(low <= high)) return plot.log ? [0.1, 1] : [0, 1];
  if (plot.log) return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high * 1.0001))];
  if (low > 0 && low < high * 0.6) low = 0;
  const margin = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [low === 0 ? 0 : low - margin, high + margin];
}

function ticksOf(low, high, log, count) {
  const ticks = [];
  if (log) {
    const first = Math.round(Math.log10(low));
    const last = Math.round(Math.log10(high));
    const step = Math.max(1, Math.ceil((last - first) / count));
    for (let power = first; power <= last; power += step) ticks.push(10 ** power);
    return ticks;
  }
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) {
    ticks.push(Math.abs(value) < step * 1e-9 ? 0 : value);
  }
  return ticks;
}

const superscripts = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };
function tickText(value, log) {
  if (!log) return formatNumber(value, 3);
  return `10${[...String(Math.round(Math.log10(value)))].map((digit) => superscripts[digit]).join('')}`;
}

class Plot {
  constructor(plot, recording, onScrub) {
    this.plot = plot;
    this.recording = recording;
    [this.low, this.high] = rangeOf(plot, recording.series);
    this.element = document.createElement('figure');
    this.caption = document.createElement('figcaption');
    this.caption.innerHTML = `<b>${plot.title}</b>`;
    this.values = plot.lines.map((line) => this.legend(line, document.createElement('span')));
    this.canvas = document.createElement('canvas');
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `${plot.title} over time`);
    this.element.append(this.caption, this.canvas);
    this.curves = document.createElement('canvas'); // everything but the cursor, drawn once per size
    this.listen(onScrub);
  }

  // Colour, label and present value of a line; returns where the value goes.
  legend(line, item) {
    item.innerHTML = `<i style="background:var(${line.color})"></i><span></span> <output></output>`;
    item.querySelector('span').textContent = line.label;
    this.caption.append(item);
    return item.querySelector('output');
  }

  listen(onScrub) {
    const scrub = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - this.left) / Math.max(box.width - this.left - this.right, 1);
      const { times } = this.recording;
      const first = times[0];
      onScrub(first + Math.min(Math.max(share, 0), 1) * (times[times.length - 1] - first));
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      if (event.button) return;
      this.canvas.setPointerCapture(event.pointerId);
      scrub(event);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (this.canvas.hasPointerCapture(event.pointerId)) scrub(event);
    });
  }

  left = 46;
  right = 10;
  top = 6;
  bottom = 18;

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    for (const canvas of [this.canvas, this.curves]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    if (width > this.left + this.right && height > this.top + this.bottom) this.drawCurves();
  }

  refresh() {
    [this.low, this.high] = rangeOf(this.plot, this.recording.series);
    if (this.width) this.drawCurves();
  }

  x(time) {
    const { times } = this.recording;
    const span = times[times.length - 1] - times[0] || 1;
    return this.left + ((time - times[0]) / span) * (this.width - this.left - this.right);
  }

  y(value) {
    const { low, high } = this;
    const share = this.plot.log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return this.height - this.bottom - share * (this.height - this.top - this.bottom);
  }

  drawCurves() {
    const context = this.curves.getContext('2d');
    const style = getComputedStyle(this.element);
    const { times, series } = this.recording;
    context.clearRect(0, 0, this.width, this.height);
    context.font = '11px system-ui, sans-serif';
    context.fillStyle = style.getPropertyValue('--soft');
    context.strokeStyle = style.getPropertyValue('--rule');
    context.lineWidth = 1;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const value of ticksOf(this.low, this.high, this.plot.log, Math.max(1, Math.floor(this.height / 26)))) {
      const y = Math.round(this.y(value)) + 0.5;
      if (y < this.top - 1) continue;
      context.beginPath();
      context.moveTo(this.left, y);
      context.lineTo(this.width - this.right, y);
      context.stroke();
      context.fillText(tickText(value, this.plot.log), this.left - 6, y);
    }
    context.textBaseline = 'alphabetic';
    const last = times[times.length - 1];
    const marks = ticksOf(times[0], last, false, Math.max(2, Math.floor((this.width - this.left) / 80)));
    for (const time of last > times[0] ? marks : []) {
      const x = this.x(time);
      context.textAlign = x > this.width - 24 ? 'right' : 'center';
      context.fillText(`${formatNumber(time, 4)} s`, Math.min(x, this.width - 2), this.height - 4);
    }
    context.lineJoin = 'round';
    for (const line of this.plot.lines) {
      context.strokeStyle = style.getPropertyValue(line.color);
      context.lineWidth = line.width || 1.5;
      context.beginPath();
      let pen = false;
      series[line.series].forEach((value, k) => {
        const drawn = Number.isFinite(value) && !(this.plot.log && value <= 0);
        if (drawn) context[pen ? 'lineTo' : 'moveTo'](this.x(times[k]), this.y(value));
        pen = drawn;
      });
      context.stroke();
    }
  }

  draw(time, index) {
    if (!this.width) return;
    const context = this.canvas.getContext('2d');
    const style = getComputedStyle(this.element);
    context.clearRect(0, 0, this.width, this.height);
    context.drawImage(this.curves, 0, 0, this.width, this.height);
    const x = this.x(time);
    context.strokeStyle = style.getPropertyValue('--ink');
    context.globalAlpha = 0.55;
    context.beginPath();
    context.moveTo(x, this.top);
    context.lineTo(x, this.height - this.bottom);
    context.stroke();
    context.globalAlpha = 1;
    this.plot.lines.forEach((line, i) => {
      const value = this.recording.series[line.series][index];
      const text = `${formatNumber(value, 3)}${this.plot.unit ? ` ${this.plot.unit}` : ''}`;
      if (this.values[i].textContent !== text) this.values[i].textContent = text;
      if (!Number.isFinite(value) || (this.plot.log && value <= 0)) return;
      context.fillStyle = style.getPropertyValue(line.color);
      context.beginPath();
      context.arc(x, this.y(value), 3, 0, 2 * Math.PI);
      context.fill();
    });
  }
}

const signalGroups = [
  ['Positions of joints', 'position'], ['Velocities of joints', 'velocity'], ['Sensors', 'sensor'], ['Controls', 'ctrl'],
  ['Forces of actuators', 'force'], ['Activations', 'activation'],
];
const signalColors = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5'];

// Joints, sensors, controls and forces, chosen by name; pressing a name takes its curve away.
class SignalPlot extends Plot {
  constructor(recording, onScrub, onChange) {
    super({ title: 'Signals', unit: '', lines: [] }, recording, onScrub);
    this.onChange = onChange;
    this.element.className = 'signals';
    this.select = document.createElement('select');
    this.select.setAttribute('aria-label', 'Add a curve of a joint, sensor or actuator');
    this.select.append(new Option('add a curve …', ''));
    for (const [title, kind] of signalGroups) {
      const group = document.createElement('optgroup');
      group.label = title;
      for (const signal of recording.signals) if (signal.kind === kind) group.append(new Option(signal.name, signal.name));
      if (group.childElementCount) this.select.append(group);
    }
    this.select.addEventListener('change', () => {
      this.add(this.select.value);
      this.select.value = '';
      this.select.blur(); // Space plays again
    });
    this.caption.append(this.select);
    for (const { name, kind } of recording.signals) {
      if (kind === 'position' && this.plot.lines.length < 3) this.put(name);
    }
    this.show();
  }

  get names() { return this.plot.lines.map((line) => line.label); }

  // As many as there are colours; the oldest goes.
  put(name) {
    const { lines } = this.plot;
    if (!this.recording.signals.some((signal) => signal.name === name) || this.names.includes(name)) return;
    if (lines.length === signalColors.length) lines.shift();
    const color = signalColors.find((one) => !lines.some((line) => line.color === one));
    lines.push({ series: `signal ${name}`, color, label: name });
  }

  add(name) {
    this.put(name);
    this.show();
  }

  remove(name) {
    this.plot.lines = this.plot.lines.filter((line) => line.label !== name);
    this.show();
  }

  show() {
    this.caption.querySelectorAll('button').forEach((button) => button.remove());
    this.values = this.plot.lines.map((line) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.title = 'Take this curve away';
      button.addEventListener('click', () => this.remove(line.label));
      return this.legend(line, button);
    });
    this.refresh();
    this.onChange();
  }
}

export class Plots {
  constructor(recording, container, onScrub, onChange) {
    const drawn = plots.filter((plot) => plot.lines.every((line) => recording.series[line.series]));
    this.list = drawn.map((plot) => new Plot(plot, recording, onScrub));
    this.signals = recording.signals.length ? new SignalPlot(recording, onScrub, onChange) : null;
    if (this.signals) {
      // where there is little room, those of the solver make way
      for (const plot of this.list) plot.element.classList.toggle('rare', plot.plot.rare === true);
      this.list.push(this.signals);
    }
    container.append(...this.list.map((plot) => plot.element));
  }

  resize() { for (const plot of this.list) plot.resize(); }

  // After the series have changed.
  refresh() { for (const plot of this.list) plot.refresh(); }

  draw(time, index) { for (const plot of this.list) plot.draw(time, index); }
}
