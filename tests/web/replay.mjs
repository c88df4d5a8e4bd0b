// replay.mjs: opens replays in a browser without a window, does what a person would do, and prints what it saw as one
// JSON object. test_replay.py makes the replays and judges.
//
//   node replay.mjs CHROMIUM STIR.html SOFT.html BEAM.html CUT.html PLAYER.html [PICTURES]
//
// PICTURES: a folder for screenshots to look at.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const web = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'web');
const { chromium } = createRequire(join(web, 'package.json'))('playwright-core');
const [program, stirPath, softPath, beamPath, cutPath, playerPath, pictures] = process.argv.slice(2);

const patience = 60000; // ms for anything; a machine without a graphics card draws slowly
const flags = [
  '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-sandbox', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-default-apps',
];
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

const browser = await chromium.launch({ executablePath: program, headless: true, args: flags });

// A page that shares nothing with the others but the browser. `prepare` runs in it before its scripts do.
async function openPage(path, { width = 1280, height = 800, scheme = 'light', touch = false, prepare, reduced } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: scheme, hasTouch: touch, reducedMotion: reduced ? 'reduce' : 'no-preference',
  });
  const seen = { trouble: [], requests: [] };
  const page = await context.newPage();
  const address = pathToFileURL(path).href;
  page.on('console', (message) => seen.trouble.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => seen.trouble.push(`page error: ${error.message}`));
  context.on('request', (request) => {
    if (request.url() !== address && !request.url().startsWith('data:')) seen.requests.push(request.url());
  });
  page.setDefaultTimeout(patience);
  if (prepare) await page.addInitScript(prepare);
  const start = Date.now();
  await page.goto(address);
  await page.waitForFunction(() => window.tenonReplay, null, { polling: 50 });
  seen.opening = Date.now() - start;
  return { context, page, seen };
}

// Drawn, all of it: the picture of what is now asked for is on the screen.
async function settle(page) {
  await page.evaluate(() => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const gl = document.getElementById('scene').getContext('webgl2');
      gl.finish();
      resolve();
    }));
  }));
}

// The middle of the scene: no buttons, no curves.
async function look(page, name) {
  await settle(page);
  const box = await page.locator('#scene').boundingBox();
  const clip = { x: box.x, y: box.y + 50, width: box.width, height: box.height - 90 };
  const png = await page.screenshot({ clip, timeout: patience });
  if (pictures && name) await page.screenshot({ path: join(pictures, `${name}.png`), timeout: patience });
  return png.toString('base64');
}

// Compares pictures in a blank page: how many pixels differ, how many colours there are, how many pixels have a hue.
async function judge(page, first, second, hue) {
  return page.evaluate(async ([a, b, hues]) => {
    const read = async (text) => {
      const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    };
    const one = await read(a);
    const two = b && await read(b);
    const seen = new Uint8Array(1 << 24); // by colour
    let colors = 0;
    let different = 0;
    let hued = 0;
    for (let i = 0; i < one.length; i += 4) {
      const r = one[i];
      const g = one[i + 1];
      const bl = one[i + 2];
      const color = (r << 16) | (g << 8) | bl;
      colors += 1 - seen[color];
      seen[color] = 1;
      const most = Math.max(r, g, bl);
      const span = most - Math.min(r, g, bl);
      if (hues && span > 0.35 * most && most > 40) {
        const angle = 60 * (most === r ? ((g - bl) / span + 6) % 6 : most === g ? (bl - r) / span + 2 : (r - g) / span + 4);
        if (angle >= hues[0] && angle <= hues[1]) hued++;
      }
      if (two && Math.abs(r - two[i]) + Math.abs(g - two[i + 1]) + Math.abs(bl - two[i + 2]) > 24) different++;
    }
    return { different, colors, hued };
  }, [first, second || '', hue || null]);
}

const state = (page) => page.evaluate(() => {
  const { time, playing, frame, frameCount, start, end, camera, colorMode, show, selected, contactCount } = window.tenonReplay;
  return { time, playing, frame, frameCount, start, end, camera, colorMode, show, selected, contactCount };
});

async function watchStir(blank) {
  const { context, page, seen } = await openPage(stirPath);
  const result = { opening: seen.opening, stages: await page.evaluate(() => window.tenonReplay.opening) };
  // plays at once
  result.first = await state(page);
  await page.waitForFunction((time) => window.tenonReplay.time > time + 0.05, result.first.time, { polling: 50 });
  await page.keyboard.press('Space');
  result.paused = await state(page);
  await sleep(400);
  result.stillPaused = await state(page);
  // scrub bar, curve, arrow keys
  const scrub = await page.locator('#scrub').boundingBox();
  await page.mouse.click(scrub.x + scrub.width * 0.75, scrub.y + scrub.height / 2);
  result.scrubbed = await state(page);
  await page.keyboard.press('ArrowRight');
  result.stepped = await state(page);
  const curve = await page.locator('#curves canvas').nth(1).boundingBox();
  await page.mouse.click(curve.x + curve.width / 2, curve.y + curve.height / 2);
  result.onCurve = await state(page);
  await page.keyboard.press('Home');
  result.home = await state(page);
  // pictures
  await page.evaluate((time) => window.tenonReplay.seek(time), result.first.end);
  const plain = await look(page, 'stir');
  result.plain = await judge(blank, plain, null, [0, 60]);
  for (const [key, name] of [['u', 'subsystems'], ['c', 'contacts'], ['f', 'forces'], ['s', 'shadows'], ['j', 'joints'], ['b', 'frames']]) {
    await page.keyboard.press(key);
    const changed = await look(page, `stir-${name}`);
    result[name] = { ...(await judge(blank, changed, plain)), after: await state(page) };
    await page.keyboard.press(key);
  }
  result.backAgain = await judge(blank, await look(page), plain);
  await page.locator('#subsystems').click();
  result.clicked = await state(page);
  await page.locator('#subsystems').click();
  const scene = await page.locator('#scene').boundingBox();
  const middle = [scene.x + scene.width / 2, scene.y + scene.height / 2];
  const drag = async (button) => {
    await page.mouse.move(...middle);
    await page.mouse.down({ button });
    await page.mouse.move(middle[0] + 120, middle[1] + 40, { steps: 4 });
    await page.mouse.up({ button });
  };
  await drag('left');
  result.orbit = { ...(await judge(blank, await look(page), plain)), after: await state(page) };
  await page.keyboard.press('a');
  await drag('right');
  result.pan = await state(page);
  await page.keyboard.press('a');
  await page.mouse.wheel(0, -300);
  await settle(page);
  result.zoom = await state(page);
  await page.keyboard.press('a');
  result.reset = { ...(await judge(blank, await look(page), plain)), after: await state(page) };
  result.curves = await page.locator('#curves figcaption').allTextContents();
  // a curve by its name, and one away
  const signals = page.locator('#curves .signals');
  const curvesNow = () => page.evaluate(() => window.tenonReplay.curves);
  result.signals = { names: await page.evaluate(() => window.tenonReplay.signals), first: await curvesNow() };
  await settle(page);
  const shot = async () => (await signals.locator('canvas').screenshot()).toString('base64');
  const before = await shot();
  await signals.locator('select').selectOption(result.signals.names.at(-1));
  result.signals.chosen = await curvesNow();
  await settle(page);
  result.signals.different = (await judge(blank, await shot(), before)).different;
  await signals.locator('button').first().click();
  result.signals.left = await curvesNow();
  await page.locator('#toggle-curves').click();
  result.curvesHidden = !(await page.locator('#curves').isVisible());
  await page.locator('#toggle-curves').click();
  await page.keyboard.press('?');
  result.help = await page.locator('#help-dialog').isVisible();
  await page.keyboard.press('Escape');
  // every button has a name
  result.nameless = await page.evaluate(() => [...document.querySelectorAll('button, select, input')]
    .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim())).map((e) => e.id));
  result.title = await page.title();
  result.facts = await page.locator('#facts').textContent();
  result.maker = await page.locator('#maker').textContent();
  result.noteVisible = await page.locator('#note').isVisible();
  await context.close();
  return { ...result, ...{ trouble: seen.trouble, requests: seen.requests } };
}

async function watchSoft(blank) {
  const { context, page, seen } = await openPage(softPath, { scheme: 'dark' });
  const result = {};
  await page.evaluate(() => { window.tenonReplay.pause(); window.tenonReplay.seek(7 / 30); });
  result.ball = await page.evaluate(() => window.tenonReplay.bodyPosition(1));
  const early = await look(page, 'soft');
  result.cloth = await judge(blank, early, null, [305, 335]);
  result.tendon = await judge(blank, early, null, [15, 35]);
  await page.keyboard.press('u');
  const coloured = await look(page, 'soft-subsystems');
  // green, pink and blue-green along the cable, and none of these elsewhere
  result.alongCable = [];
  for (const hue of [[98, 110], [320, 332], [183, 195]]) {
    result.alongCable.push((await judge(blank, coloured, null, hue)).hued);
  }
  await page.keyboard.press('u');
  await page.evaluate(() => window.tenonReplay.seek(1.9));
  result.later = await judge(blank, await look(page), early);
  // double-click follows the ball, whose name would end a script
  const [x, y] = await page.evaluate(() => window.tenonReplay.screenPosition(1));
  const box = await page.locator('#scene').boundingBox();
  await page.mouse.dblclick(box.x + x, box.y + y);
  result.followed = { name: await page.locator('#selected').textContent(), state: await state(page) };
  await page.evaluate(() => window.tenonReplay.seek(1.25)); // the ball moves, the camera goes along
  result.along = { ball: await page.evaluate(() => window.tenonReplay.bodyPosition(1)), state: await state(page) };
  await look(page, 'soft-selected');
  await page.keyboard.press('Escape');
  result.left = await state(page);
  await page.locator('#camera').selectOption({ label: 'above' });
  await settle(page);
  result.above = await state(page);
  result.fromAbove = await judge(blank, await look(page, 'soft-above'), early);
  await context.close();
  return { ...result, ...seen };
}

async function watchBeam(blank) {
  const { context, page, seen } = await openPage(beamPath);
  const result = { first: await state(page) };
  await page.evaluate(() => { window.tenonReplay.pause(); window.tenonReplay.seek(0.9); });
  result.stress = await page.evaluate(() => [0, 1, 2, 3].map((point) => window.tenonReplay.pointStress(point)));
  const stressed = await look(page, 'beam-stress');
  result.scale = await page.locator('#scale').innerText();
  result.yellow = await judge(blank, stressed, null, [48, 80]); // outside
  result.blue = await judge(blank, stressed, null, [195, 240]); // the neutral layer
  await page.keyboard.press('x');
  const plain = await look(page, 'beam');
  result.plain = await state(page);
  result.orange = await judge(blank, plain, stressed, [10, 25]);
  result.scaleHidden = await page.locator('#scale').isHidden();
  await page.keyboard.press('u');
  result.pieces = [];
  const pieces = await look(page, 'beam-subsystems');
  for (const hue of [[203, 215], [66, 78], [287, 299], [150, 165], [15, 25]]) {
    result.pieces.push((await judge(blank, pieces, null, hue)).hued);
  }
  result.bySubsystem = await state(page);
  await page.locator('#stress').click();
  result.byStress = await state(page);
  await context.close();
  return { ...result, ...seen };
}

// What somebody sees where something is missing.
async function readMessage(path, options) {
  const { context, page, seen } = await openPage(path, options);
  const text = await page.locator('#message').isVisible() ? await page.locator('#message').innerText() : '';
  await context.close();
  return { text, trouble: seen.trouble };
}

async function watchPhone() {
  const { context, page, seen } = await openPage(stirPath, { width: 390, height: 844, touch: true });
  await page.evaluate(() => window.tenonReplay.pause());
  await look(page, 'stir-phone');
  const layout = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    high: document.documentElement.scrollHeight,
    play: document.getElementById('play').getBoundingClientRect().bottom,
    scene: document.getElementById('scene').clientHeight,
  }));
  await context.close();
  return { ...layout, trouble: seen.trouble };
}

async function watchStill() {
  const { context, page, seen } = await openPage(cutPath, { reduced: true });
  const result = { first: await state(page), note: await page.locator('#note').innerText() };
  await sleep(300);
  result.later = await state(page);
  await context.close();
  return { ...result, ...seen };
}

const blank = await browser.newPage();
const answer = {
  stir: await watchStir(blank),
  soft: await watchSoft(blank),
  beam: await watchBeam(blank),
  cut: await watchStill(),
  phone: await watchPhone(),
  noWebGl: await readMessage(stirPath, {
    prepare: () => { HTMLCanvasElement.prototype.getContext = () => null; },
  }),
  noInflate: await readMessage(stirPath, { prepare: () => { delete window.DecompressionStream; } }),
  empty: await readMessage(playerPath),
};
await browser.close();
console.log(JSON.stringify(answer));
