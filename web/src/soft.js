// soft.js: tubes (cables, tendons) and deforming surfaces, their triangles filled anew for each frame.
import {
  BufferAttribute, BufferGeometry, Color, DataTexture, DoubleSide, DynamicDrawUsage, LinearFilter, Mesh, MeshPhongMaterial,
  SRGBColorSpace, Triangle, Vector3,
} from 'three';
import { look } from './look.js';
import { dress } from './looks.js';
import { partColor, subsystemColor } from './shapes.js';

function makeMesh(vertexCount, index, rgba) {
  const geometry = new BufferGeometry();
  for (const name of ['position', 'normal']) {
    geometry.setAttribute(name, new BufferAttribute(new Float32Array(vertexCount * 3), 3).setUsage(DynamicDrawUsage));
  }
  geometry.setAttribute('color', new BufferAttribute(new Float32Array(vertexCount * 3), 3));
  geometry.setIndex(new BufferAttribute(index, 1));
  const clear = rgba[3] < 1;
  const mesh = new Mesh(geometry, new MeshPhongMaterial({
    shininess: look.shininess, side: DoubleSide, vertexColors: true,
    transparent: clear, opacity: rgba[3], depthWrite: !clear,
  }));
  mesh.material.specular.setScalar(look.gloss);
  mesh.frustumCulled = false;
  mesh.castShadow = !clear;
  mesh.receiveShadow = true;
  return mesh;
}

const around = 12; // corners of a tube's ring
const cap = 3; // rings of a half sphere at an end

// Rings along the middle line, between two half spheres. The piece between two points has the colour of the first; where
// two pieces belong to different subsystems their ring is there twice.
class Tube {
  constructor(tube, pointSubsystem) {
    const { start, count } = tube;
    this.tube = tube;
    // a cable of many points is smooth with few rings between them
    this.between = tube.smooth ? Math.max(2, Math.min(6, Math.ceil(800 / count))) : 1;
    const last = (count - 1) * this.between; // of the line's places
    this.rings = []; // place on the line, angle of the normal from the ring's plane, piece, joined to the ring before
    for (let i = 0; i < cap; i++) this.addRing(0, (-Math.PI / 2) * (1 - i / cap), 0, i > 0);
    for (let r = 0; r <= last; r++) {
      const piece = Math.max(0, Math.ceil(r / this.between) - 1);
      this.addRing(r, 0, piece, true);
      const changes = pointSubsystem && pointSubsystem[start + piece] !== pointSubsystem[start + piece + 1];
      if (changes && r && r < last && r % this.between === 0) this.addRing(r, 0, piece + 1, false);
    }
    for (let i = 1; i <= cap; i++) this.addRing(last, (Math.PI / 2) * (i / cap), count - 2, true);

    const joined = this.rings.filter((ring) => ring.joined).length;
    const index = new Uint32Array(joined * around * 6);
    let n = 0;
    this.rings.forEach((ring, r) => {
      for (let k = 0; ring.joined && k < around; k++) {
        const b = r * around + k;
        const d = r * around + ((k + 1) % around);
        index.set([b - around, d - around, b, d - around, d, b], n);
        n += 6;
      }
    });
    this.mesh = makeMesh(this.rings.length * around, index, tube.rgba);
    this.line = new Float32Array((last + 1) * 3);
  }

  addRing(place, angle, piece, joined) {
    this.rings.push({ place, out: Math.cos(angle), along: Math.sin(angle), piece, joined });
  }

  pointOf(vertex) { return this.tube.start + this.rings[Math.floor(vertex / around)].piece; }

  // The middle line: the points, or a Catmull-Rom curve through them.
  fillLine(points) {
    const { start, count, smooth } = this.tube;
    const { line } = this;
    if (!smooth) {
      line.set(points.subarray(start * 3, (start + count) * 3));
      return;
    }
    const { between } = this;
    for (let r = 0; r <= (count - 1) * between; r++) {
      const i = Math.min(Math.floor(r / between), count - 2);
      const t = r / between - i;
      for (let c = 0; c < 3; c++) {
        const p1 = points[(start + i) * 3 + c];
        const p2 = points[(start + i + 1) * 3 + c];
        const p0 = i > 0 ? points[(start + i - 1) * 3 + c] : 2 * p1 - p2; // beyond the ends the line is mirrored
        const p3 = i + 2 < count ? points[(start + i + 2) * 3 + c] : 2 * p2 - p1;
        line[r * 3 + c] = p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
      }
    }
  }

  update(points) {
    this.fillLine(points);
    const { line, tube } = this;
    const place = this.mesh.geometry.attributes.position;
    const normal = this.mesh.geometry.attributes.normal;
    let along = [0, 0, 1];
    let side = [0, 0, 0]; // at right angles to the line; carried along so that the tube does not twist
    let other = side;
    let reached = -1;
    let at = 0;
    for (const ring of this.rings) {
      if (ring.place !== reached) {
        reached = ring.place;
        const a = Math.max(reached - 1, 0) * 3;
        const b = Math.min(reached + 1, line.length / 3 - 1) * 3;
        along = unit([line[b] - line[a], line[b + 1] - line[a + 1], line[b + 2] - line[a + 2]], along);
        const before = reached ? side : Math.abs(along[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
        const d = dot(before, along);
        side = unit(before.map((v, c) => v - d * along[c]), side);
        other = cross(along, side);
      }
      for (let k = 0; k < around; k++, at += 3) {
        const x = ring.out * circle[2 * k];
        const y = ring.out * circle[2 * k + 1];
        for (let c = 0; c < 3; c++) {
          const out = x * side[c] + y * other[c] + ring.along * along[c];
          normal.array[at + c] = out;
          place.array[at + c] = line[ring.place * 3 + c] + tube.radius * out;
        }
      }
    }
    place.needsUpdate = true;
    normal.needsUpdate = true;
  }
}

const circle = Array.from({ length: 2 * around }, (_, i) => {
  const angle = (Math.PI * (i - (i % 2))) / around;
  return i % 2 ? Math.sin(angle) : Math.cos(angle);
});
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function unit(v, otherwise) {
  const length = Math.hypot(v[0], v[1], v[2]);
  return length > 1e-12 ? v.map((x) => x / length) : otherwise;
}

// The scale of colours as a picture of one row: so a place between two vertices has the colour of its own stress.
function stressTexture(colors) {
  const count = colors.length / 3;
  const rgba = new Uint8Array(count * 4).fill(255);
  for (let i = 0; i < count; i++) rgba.set(colors.subarray(i * 3, i * 3 + 3), i * 4);
  const texture = new DataTexture(rgba, count, 1);
  texture.colorSpace = SRGBColorSpace;
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

// Vertices are those of pictures (apps/render/surfaces.c): rows of point, vertex whose normal it has, subsystem.
class Surface {
  constructor(surface, triangles, vertices) {
    this.surface = surface;
    this.vertices = vertices;
    this.triangles = triangles;
    this.mesh = makeMesh(surface.vertices, new Uint32Array(triangles), surface.rgba);
    this.mesh.geometry.setAttribute('uv', new BufferAttribute(new Float32Array(surface.vertices * 2).fill(0.5), 2));
  }

  pointOf(vertex) { return this.vertices[vertex * 3]; }

  update(points) {
    const { vertices, triangles } = this;
    const { position, normal } = this.mesh.geometry.attributes;
    const p = position.array;
    const n = normal.array;
    for (let i = 0; i < vertices.length; i += 3) {
      for (let c = 0; c < 3; c++) p[i + c] = points[vertices[i] * 3 + c];
    }
    n.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const a = triangles[t] * 3;
      const b = triangles[t + 1] * 3;
      const d = triangles[t + 2] * 3;
      const ux = p[b] - p[a];
      const uy = p[b + 1] - p[a + 1];
      const uz = p[b + 2] - p[a + 2];
      const vx = p[d] - p[a];
      const vy = p[d + 1] - p[a + 1];
      const vz = p[d + 2] - p[a + 2];
      for (let k = 0; k < 3; k++) {
        const to = vertices[triangles[t + k] * 3 + 1] * 3;
        n[to] += uy * vz - uz * vy;
        n[to + 1] += uz * vx - ux * vz;
        n[to + 2] += ux * vy - uy * vx;
      }
    }
    for (let i = 0; i < n.length; i += 3) {
      const from = vertices[i + 1] * 3; // not behind this one, so that it is done
      if (from !== i) n.copyWithin(i, from, from + 3);
      else {
        const length = Math.hypot(n[i], n[i + 1], n[i + 2]) || 1;
        for (let c = 0; c < 3; c++) n[i + c] /= length;
      }
    }
    position.needsUpdate = true;
    normal.needsUpdate = true;
  }
}

export class SoftParts {
  constructor(recording, stage) {
    this.recording = recording;
    let start = recording.head.meshes.reduce((sum, mesh) => sum + mesh.triangles * 3, 0);
    let vertex = 0;
    this.parts = recording.head.tubes.filter((tube) => tube.count > 1)
      .map((tube) => new Tube(tube, recording.pointSubsystem));
    for (const surface of recording.head.surfaces) {
      this.parts.push(new Surface(surface, recording.triangles.subarray(start, start + surface.triangles * 3),
        recording.surfaceVertices.subarray(vertex * 3, (vertex + surface.vertices) * 3)));
      start += surface.triangles * 3;
      vertex += surface.vertices;
    }
    for (const part of this.parts) {
      dress(part.mesh.material, { modelLights: recording.head.lights?.length > 0 });
      stage.scene.add(part.mesh);
    }
    if (recording.stressColors) this.scale = stressTexture(recording.stressColors);
  }

  update(points) {
    for (const part of this.parts) part.update(points);
  }

  // mode: 'model', 'subsystem' or 'stress'
  paint(mode) {
    const { pointSubsystem } = this.recording;
    const color = new Color();
    for (const part of this.parts) {
      const { rgba } = part.tube || part.surface;
      const colors = part.mesh.geometry.attributes.color;
      const map = mode === 'stress' && part.vertices && this.scale ? this.scale : null;
      if (part.mesh.material.map !== map) {
        part.mesh.material.map = map;
        part.mesh.material.needsUpdate = true;
      }
      if (map) color.setRGB(1, 1, 1);
      else if (mode === 'stress') partColor(this.recording, 0, rgba, color);
      else color.setRGB(rgba[0], rgba[1], rgba[2], SRGBColorSpace);
      for (let i = 0; i < colors.count; i++) {
        if (mode === 'subsystem' && pointSubsystem) {
          const subsystem = part.vertices ? part.vertices[i * 3 + 2] : pointSubsystem[part.pointOf(i)];
          subsystemColor(this.recording, subsystem, color);
        }
        colors.setXYZ(i, color.r, color.g, color.b);
      }
      colors.needsUpdate = true;
    }
  }

  // Each vertex's place in the scale of colours.
  paintStress(stress) {
    if (!stress) return;
    const unit = 1 / this.recording.head.stress_max;
    for (const part of this.parts) {
      if (!part.vertices) continue;
      const { uv } = part.mesh.geometry.attributes;
      for (let i = 0; i < uv.count; i++) uv.array[2 * i] = Math.min(stress[part.pointOf(i)] * unit, 1);
      uv.needsUpdate = true;
    }
  }

  // The tube or surface that a ray meets first: its part, three points of the frame around the place, and the place's
  // weights between them; undefined where there is none.
  pick(raycaster) {
    let nearest;
    for (const part of this.parts) {
      const { mesh } = part;
      mesh.geometry.boundingSphere = null; // that of another time
      const [hit] = raycaster.intersectObject(mesh, false);
      if (!hit || (nearest && hit.distance >= nearest.distance)) continue;
      const { position } = mesh.geometry.attributes;
      const corners = ['a', 'b', 'c'].map((k) => new Vector3().fromBufferAttribute(position, hit.face[k]));
      const weights = Triangle.getBarycoord(hit.point, ...corners, new Vector3());
      nearest = {
        distance: hit.distance, point: hit.point, part, weights: weights?.toArray() ?? [1, 0, 0], points: ['a', 'b', 'c'].map((k) => part.pointOf(hit.face[k])),
      };
    }
    return nearest;
  }
}
