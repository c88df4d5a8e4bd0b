// shapes.js: rigid shapes. Shapes that are made of the same triangles and are equally transparent are drawn in one
// call: a capsule is a tube and two caps, an ellipsoid a stretched ball.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DynamicDrawUsage, InstancedMesh, Matrix4,
  Quaternion, SphereGeometry, SRGBColorSpace, Vector3,
} from 'three';
import { look } from './look.js';
import { makeMaterial } from './looks.js';

export const shapeType = { plane: 0, sphere: 2, capsule: 3, ellipsoid: 4, cylinder: 5, box: 6, mesh: 7, soft: 8 };
// Whether shapes of a group are drawn: those that tenon's window shows at the start.
export const isDrawn = (recording, group) => (recording.head.groups >> group) & 1;

// Round things come in levels, chosen by the radius in pixels of the nearest one.
const levels = [{ pixels: 7, corners: 12 }, { pixels: 40, corners: 24 }, { pixels: Infinity, corners: 48 }];
// three's cylinders stand along y, the recording's along z
const makers = {
  ball: (n) => new SphereGeometry(1, n, (n * 2) / 3).rotateX(Math.PI / 2),
  rod: (n) => new CylinderGeometry(1, 1, 2, n).rotateX(Math.PI / 2),
  sleeve: (n) => new CylinderGeometry(1, 1, 2, n, 1, true).rotateX(Math.PI / 2),
  cap: (n) => new SphereGeometry(1, n, n / 3, 0, Math.PI * 2, 0, Math.PI / 2).rotateX(Math.PI / 2),
};

function meshGeometry(recording, index) {
  let vertexStart = 0;
  let triangleStart = 0;
  const { meshes } = recording.head;
  for (let i = 0; i < index; i++) {
    vertexStart += meshes[i].vertices * 3;
    triangleStart += meshes[i].triangles * 3;
  }
  const { vertices, triangles, textured } = meshes[index];
  const shared = new BufferGeometry();
  shared.setAttribute('position',
    new BufferAttribute(recording.meshVertices.slice(vertexStart, vertexStart + vertices * 3), 3));
  shared.setIndex([...recording.triangles.subarray(triangleStart, triangleStart + triangles * 3)]);
  const flat = shared.toNonIndexed(); // meshes of machines have edges
  flat.computeVertexNormals();
  flat.computeBoundingBox();
  if (textured) { // corners stand in the order of the triangles, as here
    const before = meshes.slice(0, index).reduce((sum, mesh) => sum + (mesh.textured ? mesh.triangles * 6 : 0), 0);
    flat.setAttribute('pictureUv',
      new BufferAttribute(recording.meshTexcoords.slice(before, before + triangles * 6), 2));
  }
  return flat;
}

// What a shape is made of: [geometry, place along its z, three scales].
function partsOf(type, mesh, [x, y, z]) {
  switch (type) {
    case shapeType.sphere: return [['ball', 0, [x, x, x]]];
    case shapeType.ellipsoid: return [['ball', 0, [x, y, z]]];
    case shapeType.box: return [['cube', 0, [x, y, z]]];
    case shapeType.cylinder: return [['rod', 0, [x, x, y]]];
    case shapeType.capsule: return [['sleeve', 0, [x, x, y]], ['cap', y, [x, x, x]], ['cap', -y, [x, -x, -x]]];
    case shapeType.mesh: return mesh >= 0 ? [[`mesh ${mesh}`, 0, [1, 1, 1]]] : [];
    default: return [];
  }
}

class Batch {
  constructor(geometry, alpha, material) {
    this.geometry = geometry;
    this.alpha = alpha;
    this.material = material; // of the recording; may be missing
    this.bodies = [];
    this.shapes = [];
    this.locals = []; // 12 numbers each: three columns and the place, in the body's axes
  }

  add(body, shape, local) {
    this.bodies.push(body);
    this.shapes.push(shape);
    const e = local.elements;
    this.locals.push(e[0], e[1], e[2], e[4], e[5], e[6], e[8], e[9], e[10], e[12], e[13], e[14]);
  }

  build(recording) {
    const count = this.bodies.length;
    const name = this.geometry;
    const clear = this.alpha < 1;
    const geometry = name.startsWith('mesh ') ? meshGeometry(recording, Number(name.slice(5)))
      : name === 'cube' ? new BoxGeometry(2, 2, 2) : makers[name](levels[1].corners);
    const half = geometry.boundingBox?.getSize(new Vector3()).multiplyScalar(0.5).toArray();
    const material = makeMaterial(recording, this.material, this.alpha, {
      textured: Boolean(geometry.getAttribute('pictureUv')), unit: half?.map((size) => 1 / Math.max(size, 1e-9)),
    });
    this.levels = makers[name] ? [undefined, geometry, undefined] : undefined;
    this.mesh = new InstancedMesh(geometry, material, count);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = !clear;
    this.mesh.receiveShadow = !clear;
    this.mesh.renderOrder = clear ? 2 : 0;
    this.locals = new Float32Array(this.locals);
    this.radii = Array.from({ length: count }, (_, i) => Math.hypot(...this.locals.subarray(i * 12, i * 12 + 3)));
    return this.mesh;
  }

  // As many triangles as the largest one on the screen needs. `pixels`: of 1 m at a distance of 1 m.
  chooseLevel(eye, pixels) {
    if (!this.levels) return;
    const places = this.mesh.instanceMatrix.array;
    let most = 0;
    for (let i = 0; i < this.radii.length; i++) {
      const at = i * 16 + 12;
      const away = Math.hypot(places[at] - eye.x, places[at + 1] - eye.y, places[at + 2] - eye.z);
      most = Math.max(most, this.radii[i] / Math.max(away, this.radii[i]));
    }
    const level = levels.findIndex((entry) => most * pixels <= entry.pixels);
    this.levels[level] ||= makers[this.geometry](levels[level].corners);
    this.mesh.geometry = this.levels[level];
  }

  // `turns` has 9 numbers for each body: the columns of its rotation.
  update(poses, turns) {
    const to = this.mesh.instanceMatrix.array;
    const { locals, bodies } = this;
    for (let i = 0; i < bodies.length; i++) {
      const r = bodies[i] * 9;
      const p = bodies[i] * 7;
      for (let column = 0; column < 4; column++) {
        const from = i * 12 + column * 3;
        const x = locals[from];
        const y = locals[from + 1];
        const z = locals[from + 2];
        const at = i * 16 + column * 4;
        to[at] = turns[r] * x + turns[r + 3] * y + turns[r + 6] * z;
        to[at + 1] = turns[r + 1] * x + turns[r + 4] * y + turns[r + 7] * z;
        to[at + 2] = turns[r + 2] * x + turns[r + 5] * y + turns[r + 8] * z;
        to[at + 3] = 0;
      }
      to[i * 16 + 12] += poses[p];
      to[i * 16 + 13] += poses[p + 1];
      to[i * 16 + 14] += poses[p + 2];
      to[i * 16 + 15] = 1;
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

// Columns of the rotations of all bodies.
export function fillTurns(turns, poses) {
  for (let i = 0; i * 7 < poses.length; i++) {
    const w = poses[i * 7 + 3];
    const x = poses[i * 7 + 4];
    const y = poses[i * 7 + 5];
    const z = poses[i * 7 + 6];
    const at = i * 9;
    turns[at] = 1 - 2 * (y * y + z * z);
    turns[at + 1] = 2 * (x * y + w * z);
    turns[at + 2] = 2 * (x * z - w * y);
    turns[at + 3] = 2 * (x * y - w * z);
    turns[at + 4] = 1 - 2 * (x * x + z * z);
    turns[at + 5] = 2 * (y * z + w * x);
    turns[at + 6] = 2 * (x * z + w * y);
    turns[at + 7] = 2 * (y * z - w * x);
    turns[at + 8] = 1 - 2 * (x * x + y * y);
  }
}

export function subsystemColor(recording, subsystem, color) {
  const c = recording.subsystemColors;
  const at = 3 * Math.min(subsystem, c.length / 3 - 1);
  return color.setRGB(c[at] / 255, c[at + 1] / 255, c[at + 2] / 255, SRGBColorSpace);
}

// A shape's own light and dark in the subsystem's colour; what is fixed is its own colour, greyed (as palette.c).
export function partColor(recording, subsystem, own, color) {
  const light = 0.3 * own[0] + 0.59 * own[1] + 0.11 * own[2];
  const at = 3 * Math.min(subsystem, recording.subsystemColors.length / 3 - 1);
  const darker = light < 0.5 ? 0.7 + 0.6 * light : 1;
  const whiter = light > 0.5 ? 0.5 * (light - 0.5) : 0;
  const rgb = [0, 1, 2].map((k) => {
    const c = recording.subsystemColors[at + k] / 255;
    return subsystem ? darker * c + whiter * (1 - c) : 0.35 * own[k] + 0.65 * light;
  });
  return color.setRGB(...rgb, SRGBColorSpace);
}

export class Shapes {
  constructor(recording, stage) {
    this.recording = recording;
    this.batches = [];
    this.planes = [];
    this.turns = new Float32Array(recording.head.bodies.length * 9);
    const byKey = new Map();
    const local = new Matrix4();
    const part = new Matrix4();
    for (let i = 0; i * 4 < recording.shapeKinds.length; i++) {
      const [type, body, mesh, group] = recording.shapeKinds.subarray(i * 4, i * 4 + 4);
      const s = recording.shapes.subarray(i * 14, i * 14 + 14);
      if (!isDrawn(recording, group) || s[13] <= 0 || type === shapeType.soft) continue; // a surface shows it
      local.compose(new Vector3(s[0], s[1], s[2]), new Quaternion(s[4], s[5], s[6], s[3]), new Vector3(1, 1, 1));
      const own = recording.shapeMaterial ? recording.head.materials[recording.shapeMaterial[i]] : undefined;
      if (type === shapeType.plane) {
        const plane = stage.addPlane([s[10], s[11], s[12]], s[13], s[7], s[8], own);
        this.planes.push({ mesh: plane, body, shape: i, local: local.clone() });
        continue;
      }
      for (const [geometry, along, scale] of partsOf(type, mesh, [s[7], s[8], s[9]])) {
        part.makeScale(...scale).setPosition(0, 0, along).premultiply(local);
        const key = `${geometry}/${s[13]}/${own ? recording.shapeMaterial[i] : -1}`;
        if (!byKey.has(key)) byKey.set(key, new Batch(geometry, s[13], own));
        byKey.get(key).add(body, i, part);
      }
    }
    for (const batch of byKey.values()) {
      stage.scene.add(batch.build(recording));
      this.batches.push(batch);
    }
  }

  chooseLevels(eye, pixels) {
    for (const batch of this.batches) batch.chooseLevel(eye, pixels);
  }

  update(poses) {
    fillTurns(this.turns, poses);
    for (const batch of this.batches) batch.update(poses, this.turns);
    const place = new Matrix4();
    for (const { mesh, body, local } of this.planes) {
      const p = body * 7;
      place.compose(new Vector3(poses[p], poses[p + 1], poses[p + 2]),
        new Quaternion(poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 3]), new Vector3(1, 1, 1));
      mesh.matrix.multiplyMatrices(place, local);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }

  // Colours of the model or of the subsystems, or greyed beside those of stress; the selected body stands out.
  paint(mode, selected) {
    const color = new Color();
    const mark = new Color().setRGB(...look.selected, SRGBColorSpace);
    const { shapes, bodySubsystem } = this.recording;
    const colorOf = (body, shape) => {
      const own = shapes.subarray(shape * 14 + 10, shape * 14 + 13);
      if (mode !== 'model') return partColor(this.recording, mode === 'stress' ? 0 : bodySubsystem[body], own, color);
      return color.setRGB(...own, SRGBColorSpace);
    };
    for (const { mesh, body, shape } of this.planes) {
      mesh.material.color.copy(colorOf(body, shape));
      mesh.material.showTexture(mode === 'model');
    }
    for (const batch of this.batches) {
      batch.mesh.material.showTexture(mode === 'model');
      batch.bodies.forEach((body, i) => {
        colorOf(body, batch.shapes[i]);
        if (body === selected) color.lerp(mark, 0.6);
        batch.mesh.setColorAt(i, color);
      });
      batch.mesh.instanceColor.needsUpdate = true;
    }
  }

  // The body that a ray meets first, and where; undefined where there is none.
  pick(raycaster) {
    let nearest;
    for (const batch of this.batches) {
      batch.mesh.boundingSphere = null; // that of another time
      for (const { distance, instanceId, point } of raycaster.intersectObject(batch.mesh, false)) {
        if (!nearest || distance < nearest.distance) nearest = { distance, point, body: batch.bodies[instanceId] };
      }
    }
    return nearest;
  }
}
