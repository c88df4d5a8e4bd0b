#!/usr/bin/env node
// Compares the engine of pages (tenon.wasm) with the packages of MuJoCo and Rapier for npm, in Node.js: size, time to load, time
// per step.
//
//   node bench/web_engines.mjs [--json]      needs build/tenon.wasm (target tenon_wasm); the packages go into build/web-engines
//
//   stir    scenes/stir.xml with its arm: tenon and MuJoCo (conjugate gradients, tolerance 1e-8, as in mujoco_stir.py); 600 steps
//   balls   216 balls fall into a box, 2 s at 10 ms: all three; nothing may sleep. MuJoCo by conjugate gradients, too (Newton takes
//           several times as long), the others with the settings that they come with
//
// Each engine runs in a process of its own, in turns; times are of the processor, which other programs disturb least, and the least
// of three counts. What the compiler of WebAssembly does beside is in them. Loading is from the import to the first world,
// from disk. Rapier has no MJCF, and computes in single precision. Size: the files that a page loads, and by gzip.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'build', 'web-engines');
const packages = ['@mujoco/mujoco@3.14.0', '@dimforge/rapier3d-simd-compat@0.20.0'];
const repeats = 3;
const timestep = 0.01;
const radius = 0.02;
const half = 0.15; // of the box

const places = [];
for (let k = 0; k < 216; k++) {
  const at = (n) => 0.045 * (n - 2.5) + 0.001 * Math.sin(7 * k + n);
  places.push([at(k % 6), at(Math.floor(k / 6) % 6), 0.1 + 0.045 * Math.floor(k / 36)]);
}
const walls = [[half + 0.01, 0, 0.01, half], [-half - 0.01, 0, 0.01, half], [0, half + 0.01, half, 0.01], [0, -half - 0.01, half, 0.01]];

const balls = `<mujoco><option timestep="${timestep}" solver="CG" tolerance="1e-8"/><default><geom friction="0.5 0 0" condim="3" density="2500"/></default><worldbody>
  <geom type="plane" size="1 1 1"/>
  ${walls.map(([x, y, a, b]) => `<geom type="box" pos="${x} ${y} 0.15" size="${a} ${b} 0.15"/>`).join('')}
  ${places.map((p) => `<body pos="${p.join(' ')}"><freejoint/><geom size="${radius}"/></body>`).join('')}
</worldbody></mujoco>`;

// What MuJoCo does not know, and the targets of the arm over time.
function stirForMujoco() {
  const text = readFileSync(join(root, 'scenes', 'stir.xml'), 'utf8').replace(/<!--[^]*?-->/g, '').replace(/<tenon[ >][^]*?<\/tenon>/g, '');
  const [header, ...rows] = readFileSync(join(root, 'scenes', 'stir_track.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
  const names = [...text.matchAll(/<(?:position|motor|general)\s[^>]*name="(\w+)"/g)].map((match) => match[1]).filter((name) => header.includes(name));
  const numbers = rows.map((row) => row.map(Number));
  const at = (time) => {
    let k = numbers.findLastIndex((row) => row[0] <= time);
    k = Math.min(Math.max(k, 0), numbers.length - 2);
    const share = Math.min(1, (time - numbers[k][0]) / (numbers[k + 1][0] - numbers[k][0]));
    return names.map((name) => header.indexOf(name)).map((c) => numbers[k][c] + share * (numbers[k + 1][c] - numbers[k][c]));
  };
  return { text: text.replace('<option ', '<option solver="CG" tolerance="1e-8" '), at };
}

// Mean depth of what overlaps at the end, mm, among balls and box.
function meanDepth(at) {
  const depths = [];
  for (let i = 0; i < places.length; i++) {
    const [x, y, z] = at(i);
    depths.push(radius - z, Math.abs(x) + radius - half, Math.abs(y) + radius - half);
    for (let j = 0; j < i; j++) depths.push(2 * radius - Math.hypot(...at(j).map((value, n) => value - [x, y, z][n])));
  }
  const deep = depths.filter((depth) => depth > 0);
  return deep.length ? 1000 * deep.reduce((sum, depth) => sum + depth, 0) / deep.length : 0;
}

const engines = {
  async tenon(scene) {
    const { World } = await import(pathToFileURL(join(folder, 'tenon', 'index.js')).href);
    const world = scene === 'stir' ? await World.fromFile(join(root, 'scenes', 'stir.xml')) : await World.fromText(balls);
    return { step: () => world.step(1), at: (k) => [...world.qpos.slice(7 * k, 7 * k + 3)] };
  },
  async mujoco(scene) {
    const { default: load } = await import(pathToFileURL(join(folder, 'node_modules/@mujoco/mujoco/mujoco.js')).href);
    const mujoco = await load();
    const stir = scene === 'stir' && stirForMujoco();
    const model = mujoco.MjModel.from_xml_string(stir ? stir.text : balls);
    const data = new mujoco.MjData(model);
    const step = () => {
      if (stir) data.ctrl.set(stir.at(data.time));
      mujoco.mj_step(model, data);
    };
    return { step, at: (k) => [...data.qpos.slice(7 * k, 7 * k + 3)] };
  },
  async rapier() {
    const { default: rapier } = await import(pathToFileURL(join(folder, 'node_modules/@dimforge/rapier3d-simd-compat/dist/rapier.mjs')).href);
    await rapier.init();
    const world = new rapier.World({ x: 0, y: 0, z: -9.81 });
    world.timestep = timestep;
    const fixed = (x, y, z, a, b, c) => world.createCollider(rapier.ColliderDesc.cuboid(a, b, c).setTranslation(x, y, z).setFriction(0.5));
    fixed(0, 0, -0.1, 1, 1, 0.1);
    for (const [x, y, a, b] of walls) fixed(x, y, 0.15, a, b, 0.15);
    const bodies = places.map((p) => {
      const body = world.createRigidBody(rapier.RigidBodyDesc.dynamic().setTranslation(...p).setCanSleep(false));
      world.createCollider(rapier.ColliderDesc.ball(radius).setFriction(0.5).setDensity(2500), body);
      return body;
    });
    return { step: () => world.step(), at: (k) => Object.values(bodies[k].translation()) };
  },
};

async function runOne(engine, scene) {
  const now = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000; // ms
  };
  const begun = now();
  const { step, at } = await engines[engine](scene);
  const loaded = now();
  const steps = scene === 'stir' ? 600 : 200;
  for (let k = 0; k < steps; k++) step();
  const result = { load: loaded - begun, step: (now() - loaded) / steps };
  if (scene === 'balls') result.depth = meanDepth(at);
  console.log(JSON.stringify(result));
}

function prepare() {
  const wasm = join(root, 'build', 'tenon.wasm');
  if (!existsSync(wasm)) throw new Error('there is no build/tenon.wasm: cmake --build build --target tenon_wasm');
  mkdirSync(folder, { recursive: true });
  execFileSync('node', [join(root, 'web/npm/build.mjs'), wasm, join(folder, 'tenon')]);
  if (existsSync(join(folder, 'node_modules', '@dimforge'))) return;
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: folder, stdio: 'ignore' });
}

function sizes() {
  const files = {
    tenon: ['tenon/tenon.wasm', 'tenon/index.js', 'tenon/engine.js', 'tenon/files.js'],
    mujoco: ['node_modules/@mujoco/mujoco/mujoco.wasm', 'node_modules/@mujoco/mujoco/mujoco.js'],
    rapier: ['node_modules/@dimforge/rapier3d-simd-compat/dist/rapier.mjs'],
  };
  return Object.fromEntries(Object.entries(files).map(([name, list]) => {
    const bytes = list.map((path) => readFileSync(join(folder, path)));
    const sum = (parts) => parts.reduce((total, part) => total + part.length, 0);
    return [name, { size: sum(bytes), packed: sum(bytes.map((part) => gzipSync(part, { level: 9 }))) }];
  }));
}

function main() {
  prepare();
  const results = sizes();
  for (let k = 0; k < repeats; k++) {
    for (const [engine, scene] of [['tenon', 'stir'], ['mujoco', 'stir'], ['tenon', 'balls'], ['mujoco', 'balls'], ['rapier', 'balls']]) {
      const answer = JSON.parse(execFileSync('node', [fileURLToPath(import.meta.url), '--one', engine, scene], { encoding: 'utf8' })
        .trim().split('\n').pop());
      const to = (results[engine][scene] ??= answer);
      for (const name of ['load', 'step']) to[name] = Math.min(to[name], answer[name]);
    }
  }
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify(results, null, 2));
    return;
  }
  const names = { tenon: 'tenon', mujoco: 'MuJoCo 3.14 (@mujoco/mujoco)', rapier: 'Rapier 0.20 (rapier3d-simd-compat)' };
  console.log('| | size, by gzip | load, ms | stir, ms per step | 216 balls, ms per step | overlap of balls, mean |\n|---|---|---|---|---|---|');
  for (const [name, r] of Object.entries(results)) {
    const size = `${(r.size / 1e6).toFixed(1)} MB, ${(r.packed / 1e6).toFixed(2)} MB`;
    console.log(`| ${names[name]} | ${size} | ${r.balls.load.toFixed(0)} | ${r.stir ? r.stir.step.toFixed(2) : '–'} | ${r.balls.step.toFixed(2)} | ${r.balls.depth.toFixed(3)} mm |`);
  }
}

if (process.argv[2] === '--one') await runOne(process.argv[3], process.argv[4]);
else main();
