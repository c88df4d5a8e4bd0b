// frame.js: where everything is at one time, between two frames of the recording.

export class Frame {
  constructor(recording) {
    this.recording = recording;
    this.index = 0; // of the nearer frame
    this.poses = new Float32Array(recording.start); // body × 7
    this.points = new Float32Array(recording.frameCount ? recording.points.length / recording.frameCount : 0);
    this.stress = recording.stress ? new Float32Array(this.points.length / 3) : null;
    this.time = recording.times[0];
  }

  // The last frame that is not after this time.
  static before(times, time) {
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  set(time) {
    const { times, frameCount } = this.recording;
    const early = Frame.before(times, time);
    const late = Math.min(early + 1, frameCount - 1);
    const span = times[late] - times[early];
    const share = span > 0 ? Math.min(Math.max((time - times[early]) / span, 0), 1) : 0;
    this.time = time;
    this.index = share < 0.5 ? early : late;
    this.blendPoses(early, late, share);
    this.blend(this.points, this.recording.points, early, late, share);
    if (this.stress) this.blend(this.stress, this.recording.stress, early, late, share);
  }

  blendPoses(early, late, share) {
    const { moving, motion } = this.recording;
    const poses = this.poses;
    const row = moving.length * 7;
    for (let i = 0; i < moving.length; i++) {
      const a = early * row + i * 7;
      const b = late * row + i * 7;
      const to = moving[i] * 7;
      for (let c = 0; c < 3; c++) poses[to + c] = (1 - share) * motion[a + c] + share * motion[b + c];
      let dot = 0;
      for (let c = 3; c < 7; c++) dot += motion[a + c] * motion[b + c];
      const weight = dot < 0 ? -share : share;
      let square = 0;
      for (let c = 3; c < 7; c++) {
        const value = (1 - share) * motion[a + c] + weight * motion[b + c];
        poses[to + c] = value;
        square += value * value;
      }
      const scale = square > 0 ? 1 / Math.sqrt(square) : 0;
      for (let c = 3; c < 7; c++) poses[to + c] *= scale;
    }
  }

  // Rows of numbers, one per frame.
  blend(out, numbers, early, late, share) {
    const row = out.length;
    for (let i = 0; i < row; i++) out[i] = (1 - share) * numbers[early * row + i] + share * numbers[late * row + i];
  }
}

// v turned by the quaternion at q[at..at+3] (w x y z).
export function turn(out, q, at, x, y, z) {
  const w = q[at];
  const a = q[at + 1];
  const b = q[at + 2];
  const c = q[at + 3];
  const tx = 2 * (b * z - c * y);
  const ty = 2 * (c * x - a * z);
  const tz = 2 * (a * y - b * x);
  out[0] = x + w * tx + b * tz - c * ty;
  out[1] = y + w * ty + c * tx - a * tz;
  out[2] = z + w * tz + a * ty - b * tx;
}

// A point of a body, in world axes.
export function bodyPoint(out, poses, body, x, y, z) {
  const at = body * 7;
  turn(out, poses, at + 3, x, y, z);
  out[0] += poses[at];
  out[1] += poses[at + 1];
  out[2] += poses[at + 2];
}

// Centre of a shape, in world axes; `shapes` has 14 numbers a row.
export function shapeCentre(out, recording, poses, shape) {
  const s = shape * 14;
  const { shapes } = recording;
  bodyPoint(out, poses, recording.shapeKinds[shape * 4 + 1], shapes[s], shapes[s + 1], shapes[s + 2]);
}
