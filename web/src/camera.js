// camera.js: from where the scene is seen: a free camera that turns about a point, the model's cameras, and a body
// that the free camera goes along with.
import { Box3, MathUtils, MOUSE, Quaternion, TOUCH, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { shapeCentre } from './frame.js';
import { look } from './look.js';
import { isDrawn, fillTurns, shapeType } from './shapes.js';


// How far a shape reaches from its middle along the axes of the world; `m` is its rotation, column by column.
function halfBox(recording, shape, m, out) {
  const [x, y, z] = recording.shapes.subarray(shape * 14 + 7, shape * 14 + 10);
  for (let k = 0; k < 3; k++) {
    const [a, b, c] = [m[k], m[3 + k], m[6 + k]];
    const across = Math.hypot(a, b);
    const along = Math.abs(c);
    switch (recording.shapeKinds[shape * 4]) {
      case shapeType.sphere: out[k] = x; break;
      case shapeType.capsule: out[k] = x + y * along; break;
      case shapeType.cylinder: out[k] = x * across + y * along; break;
      case shapeType.ellipsoid: out[k] = Math.hypot(x * a, y * b, z * c); break;
      case shapeType.box: out[k] = x * Math.abs(a) + y * Math.abs(b) + z * along; break;
      default: out[k] = recording.shapeReach[shape];
    }
  }
}

// The box around everything of finite size in a frame.
function boxOf(recording, frame) {
  const box = new Box3();
  const centre = [0, 0, 0];
  const half = [0, 0, 0];
  const point = new Vector3();
  const rows = new Float32Array(9);
  const pose = new Float32Array(7);
  const q = new Quaternion();
  for (let i = 0; i < recording.shapeReach.length; i++) {
    const [type, body, , group] = recording.shapeKinds.subarray(i * 4, i * 4 + 4);
    if (type === shapeType.plane || type === shapeType.soft || !isDrawn(recording, group) || !(recording.shapeReach[i] > 0)) continue;
    shapeCentre(centre, recording, frame.poses, i);
    const [w, x, y, z] = recording.shapes.subarray(i * 14 + 3, i * 14 + 7);
    const p = body * 7;
    q.set(frame.poses[p + 4], frame.poses[p + 5], frame.poses[p + 6], frame.poses[p + 3]).multiply(new Quaternion(x, y, z, w));
    pose.set([0, 0, 0, q.w, q.x, q.y, q.z]);
    fillTurns(rows, pose);
    halfBox(recording, i, rows, half);
    box.expandByPoint(point.set(centre[0] - half[0], centre[1] - half[1], centre[2] - half[2]));
    box.expandByPoint(point.set(centre[0] + half[0], centre[1] + half[1], centre[2] + half[2]));
  }
  for (let i = 0; i < frame.points.length; i += 3) box.expandByPoint(point.fromArray(frame.points, i));
  if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
  return box;
}

// Centre and radius of what there is to see, at the start and over time. The page has the box of the whole motion; of
// older pages it is found here, and what flies far away does not count.
export function boundsOf(recording, frame) {
  frame.set(recording.times[0]);
  const first = boxOf(recording, frame);
  const center = first.getCenter(new Vector3());
  const radius = Math.max(first.getSize(new Vector3()).length() / 2, 1e-6);
  const given = recording.head.box;
  if (given) {
    const box = new Box3(new Vector3(...given.slice(0, 3)), new Vector3(...given.slice(3)));
    const size = Math.max(box.getSize(new Vector3()).length() / 2, 1e-6);
    return { box, center: box.getCenter(new Vector3()), radius: size, startRadius: radius };
  }
  const limit = new Box3().setFromCenterAndSize(center, new Vector3(1, 1, 1).multiplyScalar(radius * 5));
  const all = first.clone();
  const samples = Math.min(24, recording.frameCount);
  for (let k = 1; k < samples; k++) {
    frame.set(recording.times[Math.round((k * (recording.frameCount - 1)) / (samples - 1))]);
    all.union(boxOf(recording, frame).intersect(limit));
  }
  frame.set(recording.times[0]);
  return {
    box: all, center: all.getCenter(new Vector3()), radius: all.getSize(new Vector3()).length() / 2, startRadius: radius,
  };
}

export class CameraMan {
  constructor(recording, stage, canvas, changed) {
    this.recording = recording;
    this.stage = stage;
    this.camera = stage.camera;
    this.model = -1; // index of the model's camera in use; -1: free
    this.followed = -1; // body
    this.onModelLeft = () => {};
    this.controls = new OrbitControls(this.camera, canvas);
    Object.assign(this.controls, {
      enableDamping: false,
      zoomToCursor: false,
      rotateSpeed: 0.8,
      minDistance: stage.bounds.radius * 0.01,
      maxDistance: stage.bounds.radius * 30,
      mouseButtons: { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN },
      touches: { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN },
    });
    this.controls.addEventListener('start', () => {
      if (this.model >= 0) this.leaveModel();
    });
    this.controls.addEventListener('change', changed);
  }

  // Where a free camera starts: what the model says, else all of the motion in the middle of the picture.
  reset() {
    const { view } = this.recording.head;
    this.model = -1;
    this.followed = -1;
    const azimuth = view.azimuth ?? MathUtils.degToRad(look.azimuth);
    const limit = Math.PI / 2 - 1e-3;
    const elevation = Math.min(Math.max(view.elevation ?? MathUtils.degToRad(look.elevation), -limit), limit);
    const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
    const axes = [new Vector3(sa, -ca, 0), new Vector3(-ca * se, -sa * se, ce), new Vector3(ca * ce, sa * ce, se)];
    const fovy = view.fovy ?? MathUtils.degToRad(look.fovy);
    const half = Math.tan(fovy / 2) * look.filledShare;
    // up to the right, left, upper and lower side; buttons and numbers lie over the upper and lower ones
    const height = this.stage.renderer.domElement.clientHeight || 1;
    const room = (pixels) => half * Math.max(1 - (2 * pixels) / height, 0.3);
    const sides = [[half * this.camera.aspect, half * this.camera.aspect], [room(44), room(34)]];
    const target = view.center ? new Vector3(...view.center) : this.stage.bounds.box.getCenter(new Vector3());
    let distance;
    if (view.extent) distance = (1.5 * view.extent) / Math.min(1, this.camera.aspect); // MuJoCo's distance
    else distance = this.fit(axes, sides, target, !view.center);
    this.camera.fov = MathUtils.radToDeg(fovy);
    this.camera.up.set(0, 0, 1);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(axes[2], -distance);
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  // The smallest distance at which the box is in the picture; where it may (`free`), the target moves sideways until the
  // box is in the middle. See camera.c of the native renderer: each side of the picture bounds one sum of the eye's numbers.
  fit(axes, sides, target, free) {
    const { box } = this.stage.bounds;
    const corners = Array.from({ length: 8 }, (_, i) => {
      const corner = new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z);
      return axes.map((axis) => axis.dot(corner));
    });
    const middle = axes.map((axis) => axis.dot(target));
    if (!free) {
      return Math.max(...[0, 1].flatMap((k) => corners.map(
        (c) => Math.abs(c[k] - middle[k]) / Math.min(...sides[k]) - (c[2] - middle[2]),
      )));
    }
    const above = sides.map(([high], k) => Math.max(...corners.map((c) => c[k] - high * c[2])));
    const below = sides.map(([, low], k) => Math.max(...corners.map((c) => -c[k] - low * c[2])));
    const depth = Math.min(...sides.map(([high, low], k) => -(above[k] + below[k]) / (high + low)));
    const eye = sides.map(([high, low], k) => {
      let from = above[k] + high * depth;
      let to = -(below[k] + low * depth);
      for (let i = 0; i < 50; i++) {
        const at = (from + to) / 2;
        const slopes = corners.map((c) => (c[k] - at) / (c[2] - depth));
        if (Math.max(...slopes) / high + Math.min(...slopes) / low > 0) from = at;
        else to = at;
      }
      return (from + to) / 2;
    });
    for (let k = 0; k < 2; k++) target.addScaledVector(axes[k], eye[k] - middle[k]);
    return middle[2] - depth;
  }

  // Goes on as a free camera from where the model's camera is.
  leaveModel() {
    const distance = this.stage.bounds.radius;
    const forward = this.camera.getWorldDirection(new Vector3());
    this.model = -1;
    this.camera.up.set(0, 0, 1);
    this.controls.target.copy(this.camera.position).addScaledVector(forward, distance);
    this.controls.enabled = true;
    this.onModelLeft();
  }

  useModel(index, frame) {
    this.followed = -1;
    if (index < 0) {
      if (this.model >= 0) this.leaveModel();
      return;
    }
    this.model = index;
    this.update(frame);
  }

  follow(body, frame) {
    if (this.model >= 0) this.leaveModel();
    this.followed = body;
    if (body >= 0) {
      this.place = new Vector3().fromArray(frame.poses, body * 7);
      const shift = this.place.clone().sub(this.controls.target);
      this.controls.target.add(shift);
      this.camera.position.add(shift);
      this.controls.update();
    }
  }

  // After the frame changed.
  update(frame) {
    if (this.model >= 0) this.placeModelCamera(frame);
    else if (this.followed >= 0) {
      const now = new Vector3().fromArray(frame.poses, this.followed * 7);
      const shift = now.clone().sub(this.place);
      this.place = now;
      this.controls.target.add(shift);
      this.camera.position.add(shift);
      this.controls.update();
    }
  }

  placeModelCamera(frame) {
    const camera = this.recording.head.cameras[this.model];
    const { poses } = frame;
    const p = camera.body * 7;
    const own = new Quaternion(camera.quat[1], camera.quat[2], camera.quat[3], camera.quat[0]);
    const body = camera.mode === 'track' ? new Quaternion()
      : new Quaternion(poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 3]);
    this.camera.up.set(0, 0, 1);
    this.camera.position.fromArray(camera.pos).applyQuaternion(body).add(new Vector3().fromArray(poses, p));
    if (camera.mode === 'target') this.camera.lookAt(new Vector3().fromArray(poses, camera.target * 7));
    else this.camera.quaternion.copy(body.multiply(own));
    this.camera.fov = MathUtils.radToDeg(camera.fovy);
    this.camera.updateProjectionMatrix();
  }
}
