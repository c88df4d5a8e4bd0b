// goals.js: the goals of a plan: places in the world that are dragged, in the directions that their costs weigh.
import { Plane, SphereGeometry, Vector3 } from 'three';
import { look } from '../look.js';
import { Signs } from '../marks.js';

const reach = 14; // pixels from the middle of a mark that still are on it

export class Goals {
  // `goals`: [{ cost, name, place, axes }]; `moved(index, place)` is told where one was put.
  constructor(live, goals, moved) {
    this.live = live;
    this.goals = goals;
    this.moved = moved;
    this.size = 0.35 * live.marks.usual;
    this.signs = new Signs(live.stage, new SphereGeometry(1, 20, 14), look.goal, goals.length);
    const { canvas } = live;
    // before the pointer pulls a body or turns the view
    canvas.parentElement.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      canvas.addEventListener(name, (event) => this.release(event));
    }
  }

  // The mark under the pointer, the nearest one to it.
  choose(event) {
    const { canvas, stage } = this.live;
    const box = canvas.getBoundingClientRect();
    const perPixel = (2 * Math.tan((stage.camera.fov * Math.PI) / 360)) / canvas.clientHeight;
    const offs = this.goals.map(({ place }) => {
      const depth = new Vector3(...place).sub(stage.camera.position).dot(stage.camera.getWorldDirection(new Vector3()));
      const [x, y] = this.live.screenPlace(place);
      const off = Math.hypot(x - (event.clientX - box.left), y - (event.clientY - box.top));
      return depth > 0 && off < Math.max(reach, this.size / (depth * perPixel)) ? off : Infinity;
    });
    const nearest = offs.indexOf(Math.min(...offs));
    return offs[nearest] < Infinity ? nearest : -1;
  }

  press(event) {
    const { canvas } = this.live;
    if (this.held !== undefined || event.target !== canvas || event.button !== 0 || !event.isPrimary || event.ctrlKey || event.shiftKey) return;
    const index = this.choose(event);
    if (index < 0) return;
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
    this.held = index;
    this.pointer = event.pointerId;
  }

  // Where the ray of the pointer meets what the goal may move in: a line, a plane, or space, which is the picture's plane.
  meet(ray, { place, axes }) {
    const at = new Vector3(...place);
    const free = [0, 1, 2].filter((k) => axes[k]);
    const unit = (k) => new Vector3().setComponent(k, 1);
    const forward = this.live.stage.camera.getWorldDirection(new Vector3());
    if (free.length === 0) return at;
    if (free.length === 1) { // the plane through the line that faces the camera most
      const line = unit(free[0]);
      const normal = forward.clone().addScaledVector(line, -forward.dot(line));
      if (normal.length() < 0.05) return at; // along the view
      const met = ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal.normalize(), at), new Vector3());
      return met && at.addScaledVector(line, met.sub(at).dot(line));
    }
    const normal = free.length === 2 ? unit([0, 1, 2].find((k) => !axes[k])) : forward;
    if (Math.abs(normal.dot(forward)) < 0.05) return at; // seen from its edge
    return ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, at), new Vector3());
  }

  move(event) {
    if (this.held === undefined || event.pointerId !== this.pointer) return;
    const place = this.meet(this.live.rayAt(event.clientX, event.clientY).ray, this.goals[this.held]);
    if (place) this.put(this.held, place.toArray());
  }

  put(index, place) {
    this.goals[index].place = place;
    this.moved(index, place);
    this.live.redraw();
  }

  release(event) {
    if (this.held === undefined || event.pointerId !== this.pointer) return;
    this.held = undefined;
    this.live.keepAddress();
  }

  draw() {
    const to = this.signs.matrices;
    this.goals.forEach(({ place: [x, y, z] }, i) => {
      to.set([this.size, 0, 0, 0, 0, this.size, 0, 0, 0, 0, this.size, 0, x, y, z, 1], 16 * i);
    });
    this.signs.show(this.goals.length > 0, this.goals.length);
  }
}
