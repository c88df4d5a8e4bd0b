// marks.js: what is not there to touch: contact points, forces, joint axes and frames of bodies.
import {
  Color, CylinderGeometry, DynamicDrawUsage, GreaterDepth, InstancedBufferAttribute, InstancedMesh, MeshLambertMaterial,
  SphereGeometry, SRGBColorSpace,
} from 'three';
import { bodyPoint, turn } from './frame.js';
import { look } from './look.js';
import { shapeType } from './shapes.js';

// Many of one shape. What is hidden of them shines through faintly, drawn a second time.
export class Signs {
  constructor(stage, geometry, rgb, count) {
    const color = new Color().setRGB(...rgb, SRGBColorSpace);
    const settings = [{}, { depthFunc: GreaterDepth, depthWrite: false, transparent: true, opacity: 0.22 }];
    this.meshes = settings.map((more, i) => {
      const mesh = new InstancedMesh(geometry, new MeshLambertMaterial({ color, fog: false, ...more }), Math.max(count, 1));
      mesh.material.emissive.copy(color).multiplyScalar(0.5);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.renderOrder = 5 + i;
      mesh.visible = false;
      stage.scene.add(mesh);
      return mesh;
    });
    this.meshes[1].instanceMatrix = this.meshes[0].instanceMatrix;
    this.room = Math.max(count, 1);
  }

  // More than there was room for: what is in there now goes.
  reserve(count) {
    if (count <= this.room) return;
    this.room = Math.max(count, 2 * this.room);
    const matrices = new InstancedBufferAttribute(new Float32Array(16 * this.room), 16).setUsage(DynamicDrawUsage);
    for (const mesh of this.meshes) mesh.instanceMatrix = matrices;
  }

  get matrices() { return this.meshes[0].instanceMatrix.array; }

  show(on, count) {
    for (const mesh of this.meshes) {
      mesh.visible = on;
      mesh.count = count;
    }
    this.meshes[0].instanceMatrix.needsUpdate = true;
  }
}

// Arrows: shafts and heads, both along z from 0 to 1.
export class Arrows {
  constructor(stage, color, count, width) {
    this.width = width;
    this.shafts = new Signs(stage, new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0).rotateX(Math.PI / 2), color, count);
    this.heads = new Signs(stage, new CylinderGeometry(0, 1, 1, 10).translate(0, 0.5, 0).rotateX(Math.PI / 2), color, count);
    this.count = 0;
  }

  reserve(count) {
    this.shafts.reserve(count);
    this.heads.reserve(count);
  }

  add(x, y, z, direction, length, pixel) {
    if (this.count >= this.shafts.room) return;
    const width = Math.max(this.width, 0.9 * pixel(x, y, z));
    const head = Math.min(width * 5.5, length * 0.6);
    const along = length - head;
    place(this.shafts.matrices, this.count, x, y, z, direction, width, along);
    place(this.heads.matrices, this.count, x + direction[0] * along, y + direction[1] * along, z + direction[2] * along,
      direction, width * 2.4, head);
    this.count++;
  }

  end(on) {
    this.shafts.show(on, this.count);
    this.heads.show(on, this.count);
  }
}

// A matrix that turns z into `d` and stretches by width and length.
function place(to, index, x, y, z, d, width, length) {
  let ax = -d[1];
  let ay = d[0];
  let az = 0;
  let size = Math.hypot(ax, ay);
  if (size < 1e-6) [ax, ay, size] = [1, 0, 1];
  ax /= size;
  ay /= size;
  const bx = d[1] * az - d[2] * ay;
  const by = d[2] * ax - d[0] * az;
  const bz = d[0] * ay - d[1] * ax;
  to.set([ax * width, ay * width, az * width, 0, bx * width, by * width, bz * width, 0,
    d[0] * length, d[1] * length, d[2] * length, 0, x, y, z, 1], index * 16);
}

// Half the size of a usual thing: the middle one of what moves, or of everything where nothing does.
function usualSize(recording) {
  const { shapes, shapeKinds, shapeReach, bodySubsystem, head } = recording;
  for (const fixed of [false, true]) {
    const sizes = [];
    for (let i = 0; i < shapeReach.length; i++) {
      const type = shapeKinds[i * 4];
      const [x, y, z] = shapes.subarray(i * 14 + 7, i * 14 + 10);
      if (type === shapeType.plane || (bodySubsystem[shapeKinds[i * 4 + 1]] === 0) !== fixed) continue;
      const round = type === shapeType.sphere || type === shapeType.capsule || type === shapeType.cylinder;
      const size = type === shapeType.mesh ? shapeReach[i] * 0.6 : round ? x : (x + y + z) / 3;
      if (size > 0) sizes.push(size);
    }
    if (sizes.length) return sizes.sort((a, b) => a - b)[sizes.length >> 1];
  }
  return head.tubes.length ? 3 * head.tubes[0].radius : 0.1;
}

export class Marks {
  constructor(recording, stage) {
    this.recording = recording;
    this.camera = stage.camera;
    const { most } = recording.contacts;
    this.usual = usualSize(recording);
    this.points = new Signs(stage, new SphereGeometry(1, 10, 8), look.contact, most);
    this.forces = new Arrows(stage, look.force, most, 0.05 * this.usual);
    // joints are those of machines, which may be much larger than what they handle
    this.axisLength = Math.max(3 * this.usual, 0.2 * stage.bounds.startRadius);
    this.joints = new Arrows(stage, look.joint, recording.head.joints.length, 0.02 * this.axisLength);
    this.frameLength = 1.8 * this.usual;
    this.frames = look.axes.map((color) => new Arrows(stage, color, recording.moving.length, 0.028 * this.frameLength));
  }

  // `pixels`: of 1 m at a distance of 1 m.
  update(frame, show, pixels) {
    const eye = this.camera.position;
    const pixel = (x, y, z) => Math.hypot(x - eye.x, y - eye.y, z - eye.z) / pixels; // m of a pixel at a place
    this.updateContacts(frame, show, pixel);
    this.updateJoints(frame, show.joints, pixel);
    this.updateFrames(frame, show.frames, pixel);
  }

  updateContacts(frame, show, pixel) {
    const { contacts } = this.recording;
    const scale = contacts.usualForce > 0 ? (2.5 * this.usual) / contacts.usualForce : 0; // m per N
    let count = 0;
    this.points.reserve(contacts.most);
    this.forces.reserve(contacts.most);
    this.forces.count = 0;
    if (show.contacts || show.forces) {
      contacts.each(this.recording, frame, (at, direction, force) => {
        if (show.contacts) {
          const size = Math.max(0.16 * this.usual, 2.2 * pixel(...at));
          place(this.points.matrices, count++, at[0], at[1], at[2], [0, 0, 1], size, size);
        }
        const length = force * scale;
        if (show.forces && length > 0.02 * this.usual) this.forces.add(at[0], at[1], at[2], direction, length, pixel);
      });
    }
    this.points.show(show.contacts, count);
    this.forces.end(show.forces);
  }

  updateJoints(frame, on, pixel) {
    const at = [0, 0, 0];
    const axis = [0, 0, 0];
    const length = this.axisLength;
    this.joints.count = 0;
    for (const joint of on ? this.recording.head.joints : []) {
      if (joint.type < 2) continue; // free and ball have no axis
      bodyPoint(at, frame.poses, joint.body, ...joint.pos);
      turn(axis, frame.poses, joint.body * 7 + 3, ...joint.axis);
      this.joints.add(...at.map((x, k) => x - (length / 2) * axis[k]), axis, length, pixel);
    }
    this.joints.end(on);
  }

  updateFrames(frame, on, pixel) {
    const axis = [0, 0, 0];
    this.frames.forEach((arrows, k) => {
      arrows.count = 0;
      for (const body of on ? this.recording.moving : []) {
        const p = body * 7;
        turn(axis, frame.poses, p + 3, k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0);
        arrows.add(frame.poses[p], frame.poses[p + 1], frame.poses[p + 2], axis, this.frameLength, pixel);
      }
      arrows.end(on);
    });
  }
}
