// live_ui.js: what runs, changes and records a simulation: buttons, keys, and the panel of sliders.
import { formatNumber, formatTime } from '../text.js';
import { element, sizesOf, Ui } from '../ui.js';

// Sliders of the world: how a value stands on the slider, and in words.
const plain = { to: (value) => value, from: (place) => place };
const logarithmic = { to: (value) => Math.log10(value), from: (place) => Number((10 ** place).toPrecision(3)) };

function worldSettings(model) {
  const gravity = Math.hypot(...model.gravity);
  const { timestep, tolerance } = model;
  return [
    { name: 'gravity', label: 'Gravity', unit: 'm/s²', value: gravity, low: 0, high: Math.max(25, 2 * gravity), ...plain },
    { name: 'friction', label: 'Friction', unit: '×', value: 1, low: 0, high: 3, ...plain },
    { name: 'timestep', label: 'Time step', unit: 's', value: timestep, low: Math.min(1e-3, timestep / 2), high: Math.max(0.02, timestep * 2), ...logarithmic },
    { name: 'tolerance', label: 'Tolerance', unit: '', value: tolerance || 1e-6, low: 1e-10, high: 1e-2, ...logarithmic },
  ];
}

export class LiveUi extends Ui {
  constructor(live, model, settings) {
    super(live.recording, live, live.signal);
    this.live = live;
    this.model = model;
    this.showFacts(settings.timestep);
    this.begin();
    this.sliders = {};
    this.fillPanel(settings);
    this.listenToFiles();
    if (innerWidth < 700 || innerHeight < 500) { // a phone: the scene comes first
      this.togglePanel(false);
      element('curves').hidden = true;
      element('toggle-curves').setAttribute('aria-pressed', 'false');
    }
  }

  showFacts(timestep) {
    element('facts').textContent = [...sizesOf(this.recording), `steps of ${formatNumber(timestep * 1e3, 3)} ms`].join(' · ');
  }

  get buttonActions() {
    const { view: live } = this;
    return {
      ...super.buttonActions,
      play: () => live.toggle(),
      step: () => live.step(1),
      restart: () => live.restart(),
      record: () => live.record(),
      dragging: () => live.toggleDragging(),
      settings: () => this.togglePanel(),
      'open-model': () => element('files').click(),
    };
  }

  get keyActions() {
    const { view: live } = this;
    return {
      ...super.keyActions,
      ' ': () => live.toggle(),
      ArrowRight: (far) => live.step(far ? 10 : 1),
      Home: () => live.restart(),
      r: () => live.record(),
      d: () => live.toggleDragging(),
      p: () => this.togglePanel(),
      o: () => element('files').click(),
    };
  }

  togglePanel(on = element('panel').hidden) {
    element('panel').hidden = !on;
    element('settings').setAttribute('aria-pressed', String(on));
  }

  // ---- the panel

  fillPanel(settings) {
    const panel = element('panel');
    const { live, model } = this;
    const world = this.section(panel, 'World');
    for (const setting of worldSettings(model)) {
      setting.value = settings[setting.name] ?? setting.value;
      this.sliders[setting.name] = this.addSlider(world, setting, (value) => live.change(setting.name, value));
    }
    if (model.keys.length) this.addKeys(world);
    if (live.page.model.urdf) this.addFreeBase(world);
    if (live.plan) this.addPlan(panel);
    if (!model.actuators.length) return;
    const controls = this.section(panel, 'Controls');
    this.controls = model.actuators.map(({ name, range }, index) => {
      const [low, high] = range || [-1, 1];
      const label = name || `actuator ${index + 1}`;
      return this.addSlider(controls, { name: label, label, unit: '', value: 0, low, high, open: !range, ...plain },
        (value) => live.control(index, value));
    });
  }

  section(panel, title) {
    const part = document.createElement('fieldset');
    const legend = document.createElement('legend');
    legend.textContent = title;
    part.append(legend);
    panel.append(part);
    return part;
  }

  // A slider with its number, which can be typed; a double click on the name takes the first value again.
  addSlider(part, { label, unit, value, low, high, to, from, open }, changed) {
    const row = document.createElement('label');
    const name = document.createElement('span');
    const slider = document.createElement('input');
    const number = document.createElement('input');
    name.textContent = unit ? `${label}, ${unit}` : label;
    name.title = `${label}: double click for the first value`;
    slider.type = 'range';
    slider.min = to(low);
    slider.max = to(high);
    slider.step = (to(high) - to(low)) / 400 || 'any';
    number.type = 'text';
    number.inputMode = 'decimal';
    number.setAttribute('aria-label', `${label}, as a number`);
    slider.setAttribute('aria-label', label);
    const show = (to_) => {
      if (open && (to_ < Number(slider.min) || to_ > Number(slider.max))) {
        slider.min = -Math.abs(to_) * 1.5;
        slider.max = Math.abs(to_) * 1.5;
      }
      slider.value = to(to_);
      if (document.activeElement !== number) number.value = formatNumber(to_, 3).replace('−', '-');
    };
    const take = (to_) => {
      show(to_);
      changed(to_);
    };
    slider.addEventListener('input', () => take(from(Number(slider.value))));
    number.addEventListener('change', () => {
      const typed = Number(number.value.replace('−', '-'));
      number.blur();
      if (number.value.trim() && Number.isFinite(typed)) take(typed);
      else show(from(Number(slider.value)));
    });
    name.addEventListener('dblclick', (event) => {
      event.preventDefault();
      take(value);
    });
    row.append(name, number, slider);
    part.append(row);
    show(value);
    return { show };
  }

  addKeys(part) {
    const row = document.createElement('label');
    const select = document.createElement('select');
    row.className = 'wide';
    row.append('Start from ');
    select.append(new Option('the reference pose', -1));
    this.model.keys.forEach((name, i) => select.append(new Option(name || `keyframe ${i + 1}`, i)));
    select.value = this.live.keyIndex;
    select.addEventListener('change', () => this.live.restart(Number(select.value)));
    row.append(select);
    part.append(row);
  }

  // Who has the controls, and the goals as numbers: what is dragged can be typed, too.
  addPlan(panel) {
    const { live } = this;
    const part = this.section(panel, 'Plan');
    const row = document.createElement('label');
    this.planBox = document.createElement('input');
    this.planText = document.createElement('span');
    row.className = 'wide';
    this.planBox.type = 'checkbox';
    this.planBox.checked = true;
    this.planBox.addEventListener('change', () => live.setPlanning(this.planBox.checked));
    row.append(this.planBox, ' The plan has the controls ', this.planText);
    part.append(row);
    const size = Math.max(...live.plan.goals.flatMap(({ place }) => place.map(Math.abs)), 5 * live.marks.usual);
    this.goalSliders = live.plan.goals.map(({ name, place, axes }, index) => [0, 1, 2].map((k) => axes[k] && this.addSlider(part,
      { label: `${name} ${'xyz'[k]}`, unit: 'm', value: place[k], low: -2 * size, high: 2 * size, open: true, ...plain },
      (value) => live.goals.put(index, live.plan.goals[index].place.map((old, i) => (i === k ? value : old))))));
  }

  showGoal(index, place) { this.goalSliders[index].forEach((slider, k) => slider && slider.show(place[k])); }

  showPlan([planning, cost, , seconds]) {
    this.planBox.checked = planning === 1;
    this.planText.innerHTML = planning && cost > 0 ? `<small>cost ${formatNumber(cost, 3)}, ${formatNumber(1000 * seconds, 2)} ms</small>` : '';
  }

  addFreeBase(part) {
    const row = document.createElement('label');
    const box = document.createElement('input');
    row.className = 'wide';
    box.type = 'checkbox';
    box.checked = Boolean(this.live.page.model.freeBase);
    box.addEventListener('change', () => this.live.page.open({ ...this.live.page.model, freeBase: box.checked }));
    row.append(box, ' The robot is not fixed to the world');
    part.append(row);
  }

  // ---- files of the user

  listenToFiles() {
    element('files').addEventListener('change', () => {
      this.live.page.openFiles([...element('files').files].map((file) => [file.webkitRelativePath || file.name, file]));
      element('files').value = '';
    });
  }

  // ---- what is shown

  // `fresh`: the frame has seen all changes of controls.
  showFrame(frame, pace, fresh) {
    this.showPlaying(frame.running);
    const more = frame.running && pace > 0 ? ` <small>${formatNumber(pace, 2)}×</small>` : '';
    element('clock').innerHTML = `${formatTime(frame.time, 2)}${more}`;
    element('record').setAttribute('aria-pressed', String(frame.recording));
    element('record').textContent = frame.recording ? 'Save' : 'Record';
    this.showReadouts(this.recording.times.length - 1);
    if (this.planBox && fresh) this.showPlan(frame.plan);
    if (fresh) this.controls?.forEach((slider, i) => slider.show(frame.ctrl[i]));
  }

  note(text) {
    element('note').textContent = text;
    element('note').hidden = !text;
  }
}
