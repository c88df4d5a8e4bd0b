// types.ts: what a program in TypeScript may write; test_package.py checks it, and that the lines marked so are errors.
import { World, type Contact } from 'tenon-physics';

const world: World = await World.fromText('<mujoco/>', { files: { 'a.stl': new Uint8Array(3) }, freeBase: true });
const steps: number = world.step(10);
const deepest: Contact | undefined = world.contacts.find(({ gap }) => gap < 0);
world.ctrl = [0, 1];
world.ctrl = new Float32Array(2);
world.setGravity([0, 0, -steps]);
const saved: Uint8Array = world.save();
world.restore(saved);
const state: [string, Float64Array, number | undefined] = [world.hash, world.qpos, deepest?.force[2]];
const range: [number, number] | undefined = world.model.actuators[0].range;
console.log(state, range, world.report.converged === true, world.model.joints[0].type === 'hinge');
const [goal] = world.plan('model lift.xml').goals;
world.setGoal(goal.cost, [goal.place[0], 0, 1]);
world.planning = false;
// @ts-expect-error: three numbers
world.setGravity([0, 0]);
// @ts-expect-error: cannot be assigned
world.time = 3;
// @ts-expect-error: worlds are made of models
new World();
// @ts-expect-error: there is no such method
world.fly();
