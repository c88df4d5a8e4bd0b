// codec.js: from the text in the page to typed arrays. docs/replay.md has the format; html_codec.c writes it.
import { RecordedContacts } from './contacts.js';

const types = {
  u8: Uint8Array, i8: Int8Array, i16: Int16Array, i32: Int32Array, f32: Float32Array, f64: Float64Array,
};

export function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Byte k of number i stands at k * count + i. Pages are read on little-endian machines only, as all of today's are.
function joinPlanes(planes, type, count) {
  const Type = types[type];
  const width = Type.BYTES_PER_ELEMENT;
  if (planes.length !== width * count) throw new Error('the data are damaged: a section has the wrong size');
  if (width === 1) return new Type(planes.buffer, planes.byteOffset, count);
  const bytes = new Uint8Array(width * count);
  for (let k = 0; k < width; k++) {
    const plane = planes.subarray(k * count, (k + 1) * count);
    for (let i = 0, at = k; i < count; i++, at += width) bytes[at] = plane[i];
  }
  return new Type(bytes.buffer);
}

// All sections by name.
export async function readSections(list, bytes) {
  let start = 0;
  const jobs = list.map((section) => {
    const packed = bytes.subarray(start, start + section.bytes);
    start += section.bytes;
    return inflate(packed).then((planes) => [section.name, joinPlanes(planes, section.type, section.count)]);
  });
  if (start !== bytes.length) throw new Error('the data are damaged: they end too early or too late');
  return Object.fromEntries(await Promise.all(jobs));
}

// Undoes predict_channel: `count` numbers from `start` on, one per frame, in place.
function sumUp(numbers, start, count, order) {
  let before = 0;
  let last = 0;
  for (let k = 0; k < count; k++) {
    const folded = numbers[start + k];
    let value = (folded >>> 1) ^ -(folded & 1);
    if (order === 1 || (order === 2 && k === 1)) value = (value + last) | 0;
    else if (order === 2 && k > 1) value = (value + 2 * last - before) | 0;
    numbers[start + k] = value;
    before = last;
    last = value;
  }
}

// Frame by frame: 7 numbers (position, quaternion w x y z) for each body that moves.
function readMotion(head, sections) {
  const { moving, motion, motion_order: orders, position_step: steps, rotation_levels: levels } = sections;
  const frames = head.frames;
  const row = moving.length * 7;
  const poses = new Float32Array(frames * row);
  for (let i = 0; i < moving.length; i++) {
    for (let c = 0; c < 7; c++) {
      const start = (i * 7 + c) * frames;
      sumUp(motion, start, frames, orders[i * 7 + c]);
      const unit = c < 3 ? steps[i] : 1 / levels[i];
      for (let k = 0, at = i * 7 + c; k < frames; k++, at += row) poses[at] = motion[start + k] * unit;
    }
  }
  return poses;
}

function readPoints(head, sections) {
  const { points: numbers, point_order: orders } = sections;
  if (!numbers) return new Float32Array(0);
  const frames = head.frames;
  const row = orders.length;
  const points = new Float32Array(frames * row);
  for (let c = 0; c < row; c++) {
    sumUp(numbers, c * frames, frames, orders[c]);
    for (let k = 0, at = c; k < frames; k++, at += row) points[at] = numbers[c * frames + k] * head.point_step;
  }
  return points;
}

// Von Mises' stress of each point, Pa, frame by frame; null where it is not recorded.
function readStress(head, sections) {
  const { stress: numbers, stress_order: orders } = sections;
  if (!numbers) return null;
  const frames = head.frames;
  const row = orders.length;
  const stress = new Float32Array(frames * row);
  for (let p = 0; p < row; p++) {
    sumUp(numbers, p * frames, frames, orders[p]);
    for (let k = 0, at = p; k < frames; k++, at += row) stress[at] = numbers[p * frames + k] * head.stress_step;
  }
  return stress;
}

const seriesNames = ['residual', 'contacts', 'kinetic', 'potential', 'iterations', 'meanPenetration',
  'maxPenetration', 'stepTime'];

// Sums up to the frame; recordings of format 1.1 and before do not have them.
const accountNames = ['elastic', 'actuators', 'applied', 'friction', 'damping', 'impacts', 'stepLoss', 'created'];

export function readHead(text) {
  const head = JSON.parse(text);
  if (head.format !== 1) throw new Error(`the data have format ${head.format}, which this player does not know`);
  return head;
}

// What does not change with time.
export function readScene(head, sections) {
  return {
    head,
    shapeKinds: sections.shape_kinds,
    shapes: sections.shapes,
    shapeReach: sections.shape_reach,
    bodySubsystem: sections.body_subsystem,
    pointSubsystem: sections.point_subsystem,
    subsystemColors: sections.subsystem_colors,
    stressColors: sections.stress_colors,
    shapeMaterial: sections.shape_material, // of older pages: none
    textures: sections.textures,
    meshTexcoords: sections.mesh_texcoords,
    meshVertices: sections.mesh_vertices,
    triangles: sections.triangles,
    surfaceVertices: sections.surface_vertices,
  };
}

// The recording: the head of the page, its scene and its frames.
export async function readRecording(headText, dataText) {
  const head = readHead(headText);
  const sections = await readSections(head.sections, bytesOfBase64(dataText.trim()));
  const series = {};
  seriesNames.forEach((name, i) => {
    series[name] = sections.series.subarray(i * head.frames, (i + 1) * head.frames);
  });
  if (sections.account) {
    accountNames.forEach((name, i) => {
      series[name] = sections.account.subarray(i * head.frames, (i + 1) * head.frames);
    });
    series.work = series.actuators.map((work, k) => work + series.applied[k]);
    series.losses = series.friction.map(
      (friction, k) => friction + series.damping[k] + series.impacts[k] + series.stepLoss[k],
    );
  }
  // joints, sensors, controls and forces of actuators, where they are recorded
  const signals = sections.signals ? head.signals : [];
  signals.forEach(({ name }, i) => {
    series[`signal ${name}`] = sections.signals.subarray(i * head.frames, (i + 1) * head.frames);
  });
  series.total = series.kinetic.map((kinetic, k) => kinetic + series.potential[k]);
  return {
    ...readScene(head, sections),
    frameCount: head.frames,
    times: sections.times,
    start: sections.start,
    moving: sections.moving,
    motion: readMotion(head, sections),
    points: readPoints(head, sections),
    stress: readStress(head, sections),
    contacts: new RecordedContacts(head, sections),
    series,
    signals,
  };
}
