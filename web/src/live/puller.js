// puller.js: a mouse or a finger pulls what it presses: a spring from a point of the body to the pointer, in the plane of
// the picture through that point. apps/view/pull.c has the law.
import { Plane, Quaternion, Vector3 } from 'three';
import { bodyPoint } from '../frame.js';
import { look } from '../look.js';
import { Arrows } from '../marks.js';

export class Puller {
  // `send` takes messages for the simulation.
  constructor(live, model, send) {
    this.live = live;
    this.cables = model.cables;
    this.send = send;
    this.on = true;
    this.arrow = new Arrows(live.stage, look.selected, 1, 0.05 * live.marks.usual);
    const { canvas } = live;
    // before the camera's controls, which listen on the canvas itself
    canvas.parentElement.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      canvas.addEventListener(name, (event) => this.release(event));
    }
  }

  // What can be pulled under a ray: the message that says so, and where.
  choose(ray) {
    const { shapes, soft, recording } = this.live;
    const rigid = shapes.pick(ray);
    const other = soft.pick(ray);
    if (other && (!rigid || other.distance < rigid.distance)) return this.chooseSoft(other);
    if (!rigid || !recording.bodySubsystem[rigid.body]) return undefined;
    return this.hold(rigid.body, rigid.point);
  }

  chooseSoft({ part, points, weights, point }) {
    const { tubes, surfaces } = this.live.recording.head;
    if (part.surface) {
      const nodes = points.map((one) => one - part.surface.start);
      return { soft: surfaces.indexOf(part.surface), nodes, weights, points, point };
    }
    const cable = this.cables[tubes.indexOf(part.tube)]; // a tendon is none
    if (!cable) return undefined;
    return this.hold(cable.body + Math.min(points[0] - part.tube.start, cable.segments - 1), point);
  }

  hold(body, point) {
    const { poses } = this.live.frame;
    const [x, y, z, w, a, b, c] = poses.subarray(body * 7, body * 7 + 7);
    const anchor = point.clone().sub(new Vector3(x, y, z)).applyQuaternion(new Quaternion(a, b, c, w).invert());
    return { body, anchor: anchor.toArray(), point };
  }

  press(event) {
    const { canvas, stage } = this.live;
    if (!this.on || this.held || event.target !== canvas || event.button !== 0 || !event.isPrimary || event.ctrlKey || event.shiftKey) return;
    const held = this.choose(this.live.rayAt(event.clientX, event.clientY));
    if (!held) return;
    event.stopPropagation();
    canvas.setPointerCapture(event.pointerId);
    const forward = stage.camera.getWorldDirection(new Vector3());
    const depth = held.point.clone().sub(stage.camera.position).dot(forward);
    const height = 2 * depth * Math.tan((stage.camera.fov * Math.PI) / 360); // m of the picture at that depth
    this.plane = new Plane().setFromNormalAndCoplanarPoint(forward, held.point);
    this.held = held;
    this.pointer = event.pointerId;
    this.target = held.point.clone();
    // a drag over a twentieth of the picture pulls with one g, whatever the scene's size
    this.send('pull', {
      body: held.body, point: held.anchor, soft: held.soft, nodes: held.nodes, weights: held.weights, stiffness: (20 * 9.81) / height,
    });
    this.send('pullTo', { place: this.target.toArray() });
    this.live.redraw();
  }

  move(event) {
    if (!this.held || event.pointerId !== this.pointer) return;
    const { ray } = this.live.rayAt(event.clientX, event.clientY);
    if (!ray.intersectPlane(this.plane, this.target)) return;
    this.send('pullTo', { place: this.target.toArray() });
    this.live.redraw();
  }

  release(event) {
    if (!this.held || event.pointerId !== this.pointer) return;
    this.held = undefined;
    this.send('letGo', {});
    this.live.redraw();
  }

  // The held point is where the body has taken it.
  draw(pixel) {
    this.arrow.count = 0;
    if (this.held) {
      const at = [0, 0, 0];
      const { poses, points } = this.live.frame;
      const { body, anchor, weights, points: corners } = this.held;
      if (corners) corners.forEach((point, k) => { for (let c = 0; c < 3; c++) at[c] += weights[k] * points[point * 3 + c]; });
      else bodyPoint(at, poses, body, ...anchor);
      const way = this.target.clone().sub(new Vector3(...at));
      const length = way.length();
      if (length > 1e-9) this.arrow.add(...at, way.divideScalar(length).toArray(), length, pixel);
    }
    this.arrow.end(Boolean(this.held));
  }
}
