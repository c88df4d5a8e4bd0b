// package_use.mjs: what test_package.py runs in an empty folder that has the package: prints one JSON object.
//   node package_use.mjs STIR.xml CABLE.xml FOLDER
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { World } from 'tenon-physics';

const [stirPath, cablePath, folder] = process.argv.slice(2);
const answer = {};
const failure = async (what) => {
  try {
    await what();
  } catch (error) {
    return error.message;
  }
  return 'nothing was wrong';
};

{ // the bits of the program
  const track = readFileSync(join(dirname(stirPath), 'stir_track.csv'), 'utf8');
  const stir = await World.fromText(readFileSync(stirPath, 'utf8'), { files: { 'stir_track.csv': track } });
  stir.step(30);
  const saved = stir.save();
  const hash = stir.hash;
  stir.step(5);
  const later = stir.hash;
  stir.restore(saved);
  const restored = stir.hash;
  stir.step(5);
  answer.stir = {
    hash, later, restored, again: stir.hash, bodies: stir.model.bodies.length, contacts: stir.contacts.length, report: stir.report, contact: stir.contacts[0],
  };
  stir.close();
  answer.closed = await failure(() => stir.step());
}

{ // from the disk, with its track beside it
  const cable = await World.fromFile(cablePath);
  cable.step(30);
  answer.cable = { hash: cable.hash, cables: cable.model.cables };
}

{ // a ball that falls: z = 1 - g t² / 2, which the midpoint rule meets exactly
  const text = `<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="0 0 1"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>`;
  const ball = await World.fromText(text);
  ball.step(20);
  answer.ball = { z: ball.qpos[2], time: ball.time, poses: [...ball.poses.subarray(7, 10)] };
  ball.reset();
  const weight = 9.81 * ball.model.bodies[1].mass;
  for (let k = 0; k < 20; k++) {
    ball.applyWrench(1, [0, 0, weight]);
    ball.step();
  }
  answer.ball.held = ball.qpos[2];
  ball.reset();
  ball.setGravity([0, 0, -1]);
  ball.setState([0, 0, 5, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0]);
  ball.step(100);
  answer.ball.slow = ball.qpos[2];
  answer.wrong = {
    model: await failure(() => World.fromText('<mujoco><worldbody><geom type="cube"/></worldbody></mujoco>')),
    file: await failure(() => World.fromFile('/nowhere/model.xml')),
    missing: await failure(() => World.fromText('<mujoco><asset><mesh name="a" file="a.stl"/></asset></mujoco>')),
    length: await failure(() => { ball.ctrl = [1]; }),
    state: await failure(() => ball.setState([1], [1])),
    friction: await failure(() => ball.setFriction(-1)),
    body: await failure(() => ball.applyWrench(7, [0, 0, 0])),
    key: await failure(() => ball.reset('home')),
    bytes: await failure(() => ball.restore(new Uint8Array(3))),
    text: await failure(() => World.fromText(undefined)),
  };
}

{ // URDF with a mesh, both from memory
  const files = { 'robot/two.urdf': readFileSync(join(folder, 'robot.urdf')), 'robot/two_description/meshes/link.stl': readFileSync(join(folder, 'link.stl')) };
  const fixed = await World.fromFiles(files, 'robot/two.urdf');
  const free = await World.fromFiles(files, 'robot/two.urdf', { freeBase: true });
  answer.urdf = { fixed: fixed.qpos.length, free: free.qpos.length, joints: fixed.model.joints };
}

{ // a plan has the controls, until it has not
  const tasks = join(dirname(stirPath), '..', 'examples', 'tasks');
  const lift = await World.fromFile(join(tasks, 'lift.xml'));
  const none = [lift.planning, await failure(() => { lift.planning = true; }), await failure(() => lift.setGoal(0, [0, 0, 0]))];
  const plan = lift.plan(readFileSync(join(tasks, 'lift.txt'), 'utf8'));
  lift.setGoal(plan.goals[0].cost, [0.1, 0, 0.1]);
  lift.step(100);
  const box = lift.poses[7 * lift.model.bodies.findIndex(({ name }) => name === 'box')];
  lift.planning = false;
  const { ctrl } = lift;
  lift.step(10);
  answer.plan = {
    none, plan, box, held: [...lift.ctrl].every((x, i) => x === ctrl[i]), planning: lift.planning,
    wrong: await failure(() => lift.plan('model lift.xml\ncost point bax running 1\n')), goal: await failure(() => lift.setGoal(1, [0, 0, 0])),
  };
}

console.log(JSON.stringify(answer));
