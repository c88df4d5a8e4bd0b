// live.mjs: opens pages that simulate in a browser without a window, does what a person would do, and prints what it saw as
// one JSON object. test_live.py makes the pages and judges.
//
//   node live.mjs CHROMIUM STIR.html PARTS.html LIFT.html URDF MESH RECORDING [PICTURES]
//
// RECORDING: where what the page saves is written. PICTURES: a folder for screenshots to look at.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const web = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'web');
const { chromium } = createRequire(join(web, 'package.json'))('playwright-core');
const [program, stirPath, partsPath, liftPath, urdfPath, meshPath, recordingPath, pictures] = process.argv.slice(2);

const patience = 60000; // ms for anything; a machine without a graphics card draws slowly
const flags = [
  '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-sandbox', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-default-apps',
];
const browser = await chromium.launch({ executablePath: program, headless: true, args: flags });

async function openPage(path, { hash = '', width = 900, height = 640, touch = false } = {}) {
  // as somebody who asked for less motion: the page stands still at first, whatever the machine's speed
  const context = await browser.newContext({ viewport: { width, height }, hasTouch: touch, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const seen = { trouble: [], requests: [] };
  page.setDefaultTimeout(patience);
  page.on('pageerror', (error) => seen.trouble.push(String(error)));
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text())) seen.trouble.push(message.text()); });
  page.on('request', (request) => { if (/^(https?|wss?|ftp):/.test(request.url())) seen.requests.push(request.url()); });
  await page.goto(pathToFileURL(path).href + hash);
  await page.waitForFunction(() => window.tenonLive?.ready || window.tenonReplay?.trouble);
  return { page, seen };
}

const live = (page, expression) => page.evaluate(`(async () => { const live = window.tenonLive; return ${expression}; })()`);
// Until the page shows a time, within half a step of the smallest here.
const shows = (page, time) => page.waitForFunction((to) => Math.abs(window.tenonLive.time - to) < 4e-4, time);
const later = (page, time) => page.waitForFunction((from) => window.tenonLive.time > from, time);
const picture = async (page, name) => { if (pictures) await page.screenshot({ path: join(pictures, `live-${name}.png`) }); };

// A row of the panel: its slider, or the number beside it.
const row = (page, label) => page.locator('#panel label').filter({ hasText: label });
async function type(page, label, value) {
  const field = row(page, label).locator('input[type=text]');
  await field.fill(String(value));
  await field.press('Enter');
}

const answer = {};

{ // stir: from disk, with the bits of the program
  const { page, seen } = await openPage(stirPath);
  const start = await live(page, 'live.time');
  await live(page, 'live.step(100)');
  await shows(page, 1);
  const after = await live(page, 'live.ask()');
  await picture(page, 'stir');
  await page.keyboard.press(' ');
  await later(page, 1.02);
  const running = await live(page, 'live.running');
  await page.keyboard.press(' ');
  await page.waitForFunction(() => !window.tenonLive.running);
  await live(page, 'live.reset()');
  await shows(page, 0);
  await live(page, 'live.step(100)');
  await shows(page, 1);
  const again = await live(page, 'live.ask()');
  const text = (id) => page.locator(id).textContent();
  answer.stir = {
    start, after, running, again, title: await text('#title'), facts: await text('#facts'), contacts: await live(page, 'live.contactCount'),
    nameless: await page.evaluate(() => [...document.querySelectorAll('button, input, select')].filter((one) => one.checkVisibility()
      && !(one.textContent.trim() || one.getAttribute('aria-label') || one.closest('label')?.textContent.trim())).map((one) => one.id)),
    ...seen,
  };
  await page.close();
}

{ // a box, an arm, a soft ball and a cable: pulled, moved, recorded
  const { page, seen } = await openPage(partsPath);
  const names = await live(page, 'live.bodies');
  const body = (name) => names.indexOf(name);
  const place = (name) => live(page, `live.bodyPosition(${body(name)})`);
  // presses on a place of the canvas, drags by so many pixels and holds while so many steps are taken
  const drag = async ([x, y], [dx, dy], steps) => {
    const box = await page.locator('#scene').boundingBox();
    const from = await live(page, 'live.time');
    await page.mouse.move(box.x + x, box.y + y);
    await page.mouse.down();
    await page.mouse.move(box.x + x + dx, box.y + y + dy, { steps: 3 });
    await live(page, `live.step(${steps})`);
    await shows(page, from + steps * 0.002);
    if (pictures) await picture(page, `drag-${Math.round(x)}`);
    await page.mouse.up();
  };
  const free = await place('box');
  await drag(await live(page, `live.screenPosition(${body('box')})`), [0, -120], 200);
  const pulled = await place('box');
  const softBefore = await live(page, 'live.pointMean(1)');
  await drag(await live(page, 'live.screenOf(live.pointMean(1))'), [0, -100], 200);
  const softAfter = await live(page, 'live.pointMean(1)');
  const cableBefore = await live(page, 'live.pointMean(0)');
  await drag(await live(page, 'live.screenOf(live.pointMean(0))'), [0, -100], 200);
  const cableAfter = await live(page, 'live.pointMean(0)');
  const before = await live(page, 'live.camera');
  await drag([20, 560 - 300], [60, 0], 1); // nothing there: the view turns
  const turned = await live(page, 'live.camera');

  // without gravity what is free stays where it is; the arm goes where its slider says
  await live(page, 'live.reset()');
  await shows(page, 0);
  await type(page, 'Gravity', 0);
  const control = row(page, 'elbow').locator('input[type=range]');
  await control.focus();
  for (let i = 0; i < 40; i++) await control.press('ArrowRight');
  await page.waitForFunction(() => window.tenonLive.ctrl[0] > 0.19);
  const ctrl = await live(page, 'live.ctrl');
  await live(page, 'live.step(250)');
  await shows(page, 0.5);
  const floating = await place('box');
  const lifted = await place('hand');

  await page.keyboard.press('r');
  await page.waitForFunction(() => document.getElementById('record').textContent === 'Save');
  await live(page, 'live.step(100)');
  await shows(page, 0.7);
  await page.keyboard.press('r');
  await page.waitForFunction(() => window.tenonLive.recorded);
  const bytes = await live(page, 'Array.from(live.recorded)');
  await writeFile(recordingPath, Uint8Array.from(bytes));

  // other settings; those that cannot be are refused and said
  await type(page, 'Time step', 0.005);
  await live(page, 'live.step(2)');
  await shows(page, 0.71);
  await type(page, 'Friction', -1);
  await page.waitForFunction(() => window.tenonLive.note);
  const note = await live(page, 'live.note');
  await type(page, 'Friction', 0.5);
  await type(page, 'Tolerance', 1e-4);
  await page.waitForFunction(() => location.hash.includes('tolerance'));
  const hash = await page.evaluate(() => location.hash);
  answer.parts = {
    free, pulled, softBefore, softAfter, cableBefore, cableAfter, before, turned, ctrl, floating, lifted, note, hash, ...seen,
  };
  await page.close();
}

{ // the state stands in the address
  const camera = [2, -1, 1.5, 0, 0, 0.25];
  const hash = `#t=0.5&camera=${camera.join(',')}&gravity=3.7&timestep=0.005&friction=0.5&tolerance=1e-4&key=raised&ctrl=0.3`;
  const { page, seen } = await openPage(partsPath, { hash });
  await shows(page, 0.5);
  const state = await live(page, 'live.ask()');
  const shown = { camera: await live(page, 'live.camera'), ctrl: await live(page, 'live.ctrl'), note: await live(page, 'live.note') };
  const other = await openPage(partsPath, { hash: '#t=soon&colour=red&key=raised' });
  answer.address = { state, ...shown, wrong: await live(other.page, 'live.note'), keyed: await live(other.page, 'live.ctrl'), ...seen };
  await other.page.close();
  await page.close();
}

{ // a task: the plan has the controls, and its goal is dragged
  const { page, seen } = await openPage(liftPath);
  const box = async () => live(page, `live.bodyPosition(${(await live(page, 'live.bodies')).indexOf('box')})`);
  const steps = async (count) => {
    const from = await live(page, 'live.time');
    await live(page, `live.step(${count})`);
    await shows(page, from + count * 0.02);
  };
  await steps(100);
  const first = { ...await live(page, 'live.ask()'), plan: await live(page, 'live.plan'), box: await box() };
  await picture(page, 'plan');
  const canvas = await page.locator('#scene').boundingBox();
  const [x, y] = await live(page, `live.screenOf(${JSON.stringify(first.plan.goals[0])})`);
  await page.mouse.move(canvas.x + x, canvas.y + y);
  await page.mouse.down();
  await page.mouse.move(canvas.x + x - 150, canvas.y + y - 60, { steps: 3 });
  await page.mouse.up();
  await steps(75);
  const dragged = { plan: await live(page, 'live.plan'), box: await box() };
  await picture(page, 'plan-dragged');
  await page.waitForFunction(() => location.hash.includes('goals='));
  const address = await page.evaluate(() => location.hash);
  await type(page, 'goal x', 0.1); // as a number, too
  await steps(75);
  const typed = { plan: await live(page, 'live.plan'), box: await box() };
  await live(page, 'live.control(0, 0)'); // by hand: the box falls, and the other controls stay
  await steps(5);
  const byHand = { plan: await live(page, 'live.plan'), ctrl: await live(page, 'live.ctrl') };
  await page.locator('#panel input[type=checkbox]').check();
  await steps(2);
  const again = await live(page, 'live.plan');
  await live(page, 'live.reset()');
  await shows(page, 0);
  const goal = [0.2, 0, 0.15];
  await type(page, 'goal x', goal[0]);
  await type(page, 'goal z', goal[2]);
  await live(page, 'live.reset()');
  await steps(100);
  const reset = await live(page, 'live.ask()');
  answer.plan = { first, dragged, typed, byHand, again, reset, address, ...seen };
  const other = await openPage(liftPath, { hash: '#t=2&goals=0.3,0,0.1' });
  await shows(other.page, 2);
  answer.plan.addressed = (await live(other.page, 'live.ask()')).hash;
  await other.page.close();
  await page.close();
}

{ // models of the user
  const { page, seen } = await openPage(partsPath);
  const files = async (list) => {
    const texts = await Promise.all(list.map(async ([name, path]) => [name, [...await readFile(path)]]));
    return `live.openFiles(${JSON.stringify(texts)}.map(([name, bytes]) => [name, new File([Uint8Array.from(bytes)], name)]))`;
  };
  await live(page, await files([['robot.urdf', urdfPath], ['link.stl', meshPath]]));
  await page.waitForFunction(() => document.getElementById('title').textContent === 'robot.urdf');
  await picture(page, 'urdf');
  const urdf = { bodies: await live(page, 'live.bodies'), canvases: await page.locator('canvas#scene').count() };
  await live(page, 'live.step(10)');
  await page.waitForFunction(() => window.tenonLive.time > 0);
  await live(page, await files([['robot.urdf', urdfPath]]));
  const missing = await live(page, 'live.note');
  await page.locator('#files').setInputFiles(meshPath);
  await page.waitForFunction((old) => window.tenonLive.note && window.tenonLive.note !== old, missing);
  answer.files = { urdf, missing, none: await live(page, 'live.note'), still: await live(page, 'live.bodies'), ...seen };
  await page.close();
}

{ // a phone: everything fits, a finger pulls
  const { page, seen } = await openPage(partsPath, { width: 390, height: 844, touch: true });
  await picture(page, 'phone');
  const hidden = await page.locator('#panel').isHidden();
  await page.evaluate(() => document.getElementById('settings').click());
  await picture(page, 'phone-settings');
  const panel = await page.locator('#panel').boundingBox();
  await page.evaluate(() => document.getElementById('settings').click());
  const index = (await live(page, 'live.bodies')).indexOf('box');
  const before = await live(page, `live.bodyPosition(${index})`);
  const box = await page.locator('#scene').boundingBox();
  const [x, y] = await live(page, `live.screenPosition(${index})`);
  const session = await page.context().newCDPSession(page);
  const touch = (kind, dy) => session.send('Input.dispatchTouchEvent', {
    type: kind, touchPoints: kind === 'touchEnd' ? [] : [{ x: box.x + x, y: box.y + y + dy }],
  });
  await touch('touchStart', 0);
  await touch('touchMove', -40);
  await touch('touchMove', -80);
  await live(page, 'live.step(200)');
  await shows(page, 0.4);
  await touch('touchEnd', 0);
  answer.phone = {
    hidden, panel, before, after: await live(page, `live.bodyPosition(${index})`), wide: await page.evaluate(() => document.documentElement.scrollWidth),
    buttons: await page.evaluate(() => ['play', 'step', 'restart', 'record'].map((id) => document.getElementById(id).getBoundingClientRect().right)), ...seen,
  };
  await page.close();
}

await browser.close();
console.log(JSON.stringify(answer));
