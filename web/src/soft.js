// soft.js: tubes (cables, tendons) and deforming surfaces, their triangles filled anew for each frame.
import {
  BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Mesh, MeshPhongMaterial, SRGBColorSpace,
} from 'three';
import { look } from './look.js';
import { subsystemColor } from './shapes.js';

function makeMesh(vertexCount, index, rgba) {
  const geometry = new BufferGeometry();
  for (const name of ['position', 'normal']) {
    geometry.setAttribute(name, new BufferAttribute(new Float32Array(vertexCount * 3), 3).setUsage(DynamicDrawUsage));
  }
  geometry.setIndex(new BufferAttribute(index, 1));
  const clear = rgba[3] < 1;
  const mesh = new Mesh(geometry, new MeshPhongMaterial({
    shininess: look.shininess, side: DoubleSide, transparent: clear, opacity: rgba[3], depthWrite: !clear,
  }));
  mesh.material.specular.setScalar(look.gloss);
  mesh.frustumCulled = false;
  mesh.castShadow = !clear;
  mesh.receiveShadow = true;
  return mesh;
}

const around = 10; // corners of a tube's ring
const between = 6; // rings from one point of a cable to the next

class Tube {
  constructor(tube) {
    this.tube = tube;
    this.rings = tube.smooth ? (tube.count - 1) * between + 1 : tube.count;
    // rings, and two points that close the ends
    this.vertexCount = this.rings * around + 2;
    const index = new Uint32Array(((this.rings - 1) * 2 + 2) * around * 3);
    let n = 0;
    for (let r = 0; r + 1 < this.rings; r++) {
      for (let k = 0; k < around; k++) {
        const a = r * around + k;
        const b = r * around + ((k + 1) % around);
        index.set([a, b, a + around, b, b + around, a + around], n);
        n += 6;
      }
    }
    const last = (this.rings - 1) * around;
    for (let k = 0; k < around; k++) {
      const next = (k + 1) % around;
      index.set([this.vertexCount - 2, next, k, this.vertexCount - 1, last + k, last + next], n);
      n += 6;
    }
    this.mesh = makeMesh(this.vertexCount, index, tube.rgba);
    this.line = new Float32Array(this.rings * 3);
  }

  // The middle line: the points, or a Catmull-Rom curve through them.
  fillLine(points) {
    const { start, count, smooth } = this.tube;
    const { line } = this;
    if (!smooth) {
      line.set(points.subarray(start * 3, (start + count) * 3));
      return;
    }
    for (let r = 0; r < this.rings; r++) {
      const i = Math.min(Math.floor(r / between), count - 2);
      const t = r / between - i;
      const at = [Math.max(i - 1, 0), i, i + 1, Math.min(i + 2, count - 1)].map((k) => (start + k) * 3);
      for (let c = 0; c < 3; c++) {
        const [p0, p1, p2, p3] = at.map((k) => points[k + c]);
        line[r * 3 + c] = p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
      }
    }
  }

  update(points) {
    this.fillLine(points);
    const { line, rings } = this;
    const place = this.mesh.geometry.attributes.position;
    const normal = this.mesh.geometry.attributes.normal;
    let side = [0, 0, 0]; // at right angles to the line; carried along so that the tube does not twist
    for (let r = 0; r < rings; r++) {
      const a = Math.max(r - 1, 0) * 3;
      const b = Math.min(r + 1, rings - 1) * 3;
      const along = unit([line[b] - line[a], line[b + 1] - line[a + 1], line[b + 2] - line[a + 2]], [0, 0, 1]);
      const before = r ? side : Math.abs(along[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
      const d = dot(before, along);
      side = unit(before.map((v, c) => v - d * along[c]), side);
      const other = cross(along, side);
      for (let k = 0; k < around; k++) {
        const angle = (2 * Math.PI * k) / around;
        const at = (r * around + k) * 3;
        for (let c = 0; c < 3; c++) {
          const out = Math.cos(angle) * side[c] + Math.sin(angle) * other[c];
          normal.array[at + c] = out;
          place.array[at + c] = line[r * 3 + c] + this.tube.radius * out;
        }
      }
      if (r === 0 || r === rings - 1) {
        const at = (this.vertexCount - (r === 0 ? 2 : 1)) * 3;
        for (let c = 0; c < 3; c++) {
          place.array[at + c] = line[r * 3 + c];
          normal.array[at + c] = r === 0 ? -along[c] : along[c];
        }
      }
    }
    place.needsUpdate = true;
    normal.needsUpdate = true;
  }
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function unit(v, otherwise) {
  const length = Math.hypot(v[0], v[1], v[2]);
  return length > 1e-12 ? v.map((x) => x / length) : otherwise;
}

class Surface {
  constructor(surface, triangles) {
    this.surface = surface;
    this.mesh = makeMesh(surface.count, new Uint32Array(triangles), surface.rgba);
  }

  update(points) {
    const { start, count } = this.surface;
    const { geometry } = this.mesh;
    geometry.attributes.position.array.set(points.subarray(start * 3, (start + count) * 3));
    geometry.attributes.position.needsUpdate = true;
    geometry.computeVertexNormals();
  }
}

export class SoftParts {
  constructor(recording, stage) {
    this.recording = recording;
    let start = recording.head.meshes.reduce((sum, mesh) => sum + mesh.triangles * 3, 0);
    this.parts = recording.head.tubes.filter((tube) => tube.count > 1).map((tube) => new Tube(tube));
    for (const surface of recording.head.surfaces) {
      this.parts.push(new Surface(surface, recording.triangles.subarray(start, start + surface.triangles * 3)));
      start += surface.triangles * 3;
    }
    for (const part of this.parts) stage.scene.add(part.mesh);
  }

  update(points) {
    for (const part of this.parts) part.update(points);
  }

  paint(bySubsystem) {
    const { pointSubsystem } = this.recording;
    for (const part of this.parts) {
      const { start, rgba } = part.tube || part.surface;
      const color = part.mesh.material.color;
      if (bySubsystem && pointSubsystem) subsystemColor(this.recording, pointSubsystem[start], color);
      else color.setRGB(rgba[0], rgba[1], rgba[2], SRGBColorSpace);
    }
  }
}
