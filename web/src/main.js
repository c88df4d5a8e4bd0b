// main.js: opens what stands in this page: a recording, or a model that is simulated.
import { readHead, readRecording } from './codec.js';
import { openLive } from './live/live.js';
import { Replay } from './replay.js';

function fail(text) {
  document.body.classList.remove('ready');
  document.getElementById('message').classList.add('trouble');
  document.getElementById('message-text').textContent = text;
  window.tenonReplay = { ready: false, trouble: text };
}

function hasWebGl() {
  try {
    return Boolean(document.createElement('canvas').getContext('webgl2'));
  } catch {
    return false;
  }
}

async function open() {
  const head = document.getElementById('tenon-head');
  const data = document.getElementById('tenon-data');
  if (!head || !data) return fail('This is the empty player. "tenon export run.tnr -o run.html" makes a page with a recording in it.');
  if (typeof DecompressionStream === 'undefined') {
    return fail('This browser cannot unpack the data of this page (it has no DecompressionStream). Any browser from 2023 on can.');
  }
  if (!hasWebGl()) {
    return fail('This browser offers no WebGL 2, which the picture needs. It may be switched off in the settings, or the graphics driver may be too old.');
  }
  try {
    const opening = { begun: performance.now() };
    const about = readHead(head.textContent);
    if (about.live) return await openLive(about, data, fail);
    const recording = await readRecording(head.textContent, data.textContent);
    opening.decoded = performance.now();
    data.remove(); // megabytes of text that nobody needs any more
    document.body.classList.add('ready');
    if (recording.frameCount < 2) document.body.classList.add('still'); // nothing to play, no curves
    const replay = new Replay(recording);
    opening.drawn = performance.now();
    window.tenonReplay = replay.outside(opening);
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) replay.player.play();
  } catch (error) {
    fail(`The page cannot be shown: ${error.message}.`);
  }
  return undefined;
}

open();
