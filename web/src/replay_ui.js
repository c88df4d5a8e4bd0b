// replay_ui.js: what plays and seeks.
import { formatNumber, formatTime, plural } from './text.js';
import { element, sizesOf, Ui } from './ui.js';

// What the recording is, in a line.
function factsOf(recording) {
  const { head, times, series } = recording;
  const facts = sizesOf(recording);
  const most = series.contacts.reduce((a, b) => Math.max(a, b), 0);
  if (most) facts.push(`up to ${plural(most, 'contact', 'contacts')}`);
  facts.push(`${formatNumber(times[times.length - 1] - times[0], 4)} s in steps of ${formatNumber(head.timestep * 1e3, 3)} ms`);
  return facts.join(' · ');
}

export class ReplayUi extends Ui {
  constructor(recording, replay) {
    super(recording, replay);
    const { head, times } = recording;
    element('facts').textContent = factsOf(recording);
    if (head.cut_off) {
      element('note').textContent = 'The recording was cut off: this is what there is of it.';
      element('note').hidden = false;
    }
    this.digits = times[times.length - 1] - times[0] < 1 ? 3 : 2;
    this.scrub = element('scrub');
    this.scrub.min = times[0];
    this.scrub.max = times[times.length - 1];
    this.begin();
    if (!recording.contacts.total) element('contacts').hidden = element('forces').hidden = true;
    this.listenToScrub();
  }

  get buttonActions() {
    const { view } = this;
    return { ...super.buttonActions, play: () => view.toggle(), loop: () => view.toggleLoop() };
  }

  get keyActions() {
    const { view } = this;
    return {
      ...super.keyActions,
      ' ': () => view.toggle(),
      r: () => view.toggleLoop(),
      ArrowRight: (far) => view.step(far ? 10 : 1),
      ArrowLeft: (far) => view.step(far ? -10 : -1),
      Home: () => view.seek(-Infinity),
      End: () => view.seek(Infinity),
    };
  }

  listenToScrub() {
    const { scrub, view } = this;
    scrub.addEventListener('input', () => view.seek(Number(scrub.value)));
    scrub.addEventListener('pointerdown', () => view.holdTime(true));
    for (const name of ['pointerup', 'pointercancel', 'blur']) scrub.addEventListener(name, () => view.holdTime(false));
    scrub.addEventListener('change', () => { if (document.activeElement === scrub) scrub.blur(); });
  }

  showLoop(on) { element('loop').setAttribute('aria-pressed', String(on)); }

  showTime(player, index) {
    const now = formatTime(player.time, this.digits);
    this.showPlaying(player.playing);
    element('clock').innerHTML = `${now} <small>/ ${formatTime(player.end, this.digits)}</small>`;
    this.scrub.value = player.time;
    this.scrub.setAttribute('aria-valuetext', `${now}, frame ${index + 1} of ${this.recording.frameCount}`);
    this.showReadouts(index);
  }
}
