// notebook.mjs: opens a page with outputs of a notebook in a browser without a window, and prints what the frame of each
// shows as JSON.
//
//   node notebook.mjs WEB CHROMIUM PROFILE PAGE.html
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [web, program, profile, path] = process.argv.slice(2);
const { chromium } = createRequire(join(web, 'package.json'))('playwright-core');
const context = await chromium.launchPersistentContext(profile, {
  executablePath: program, headless: true, viewport: { width: 500, height: 1000 }, reducedMotion: 'no-preference',
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-sandbox', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-default-apps'],
});
const page = await context.newPage();
const trouble = [];
page.setDefaultTimeout(60000);
page.on('pageerror', (error) => trouble.push(error.message));
page.on('console', (message) => trouble.push(message.text()));
await page.goto(pathToFileURL(path).href);
const seen = [];
for (const frame of page.frames().slice(1)) {
  await frame.waitForFunction(() => window.tenonReplay, null, { polling: 50 });
  const look = () => frame.evaluate(() => {
    const { ready, time, playing, frameCount, end } = window.tenonReplay;
    return { ready, time, playing, frameCount, end, width: document.getElementById('scene').clientWidth,
      bar: document.getElementById('transport').clientHeight };
  });
  const first = await look();
  if (first.frameCount > 1) await frame.waitForFunction((time) => window.tenonReplay.time > time, first.time, { polling: 50 });
  seen.push({ first, later: await look() });
}
await context.close();
console.log(JSON.stringify({ seen, trouble }));
