// contacts.js: contact points and forces of each frame of a recording.
import { shapeCentre } from './frame.js';

const offsetUnit = 127 * 256;
const margin = 1.25;

// The unit vector of two bytes, as pack_direction made them.
function directionOf(a, b, out) {
  let x = a / 127;
  let y = b / 127;
  const z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) {
    const folded = (1 - Math.abs(y)) * (x < 0 ? -1 : 1);
    y = (1 - Math.abs(x)) * (y < 0 ? -1 : 1);
    x = folded;
  }
  const length = Math.hypot(x, y, z) || 1;
  out[0] = x / length;
  out[1] = y / length;
  out[2] = z / length;
}

export class RecordedContacts {
  constructor(head, sections) {
    const { contact_counts: counts, contact_shape: shape, contact_force: level } = sections;
    // where those of each frame start; the last entry is the end
    this.starts = new Uint32Array(head.frames + 1);
    this.most = 0;
    for (let k = 0; k < head.frames; k++) {
      this.starts[k + 1] = this.starts[k] + counts[k];
      this.most = Math.max(this.most, counts[k]);
      for (let i = this.starts[k] + 1; i < this.starts[k + 1]; i++) shape[i] += shape[i - 1];
    }
    // 254 levels over four decades; level 0 is none
    this.forces = new Float32Array(256);
    for (let i = 1; i < 256; i++) this.forces[i] = head.force_max * 10 ** (((i - 255) * 4) / 254);
    this.shape = shape;
    this.level = level;
    this.total = shape.length;
    this.offset = sections.contact_offset;
    this.direction = sections.contact_direction;
    this.reach = sections.shape_reach;
    this.usualForce = this.middleForce();
  }

  // The middle one of all forces.
  middleForce() {
    const histogram = new Uint32Array(256);
    let total = 0;
    for (const level of this.level) {
      if (level) {
        histogram[level]++;
        total++;
      }
    }
    let sum = 0;
    for (let level = 1; level < 256; level++) {
      sum += histogram[level];
      if (total && sum >= total / 2) return this.forces[level];
    }
    return 0;
  }

  // Calls `visit(place, direction, force)` for each contact of the frame; the arrays are used again.
  each(recording, frame, visit) {
    const at = [0, 0, 0];
    const direction = [0, 0, 1];
    for (let i = this.starts[frame.index]; i < this.starts[frame.index + 1]; i++) {
      shapeCentre(at, recording, frame.poses, this.shape[i]);
      const unit = (this.reach[this.shape[i]] * margin) / offsetUnit;
      for (let c = 0; c < 3; c++) at[c] += this.offset[c * this.total + i] * unit;
      directionOf(this.direction[i], this.direction[this.total + i], direction);
      visit(at, direction, this.forces[this.level[i]]);
    }
  }
}
