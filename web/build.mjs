// build.mjs: puts sources, style and three.js into dist/player.html. With --check it only compares.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const at = (...parts) => join(here, ...parts);
const read = (...parts) => readFile(at(...parts), 'utf8');

// three.js comes with one file that leaves out what is not used only where nothing of it has side effects.
async function bundle(file, plugins = []) {
  const result = await build({
    entryPoints: [at(file)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none', // the notice is put in below, in full
    plugins,
    logLevel: 'warning',
  });
  return result.outputFiles[0].text.trim();
}

// import text from 'text:FILE': the file, bundled, as a string: what a worker runs.
const asText = {
  name: 'text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^text:/ }, ({ path }) => ({ path: path.slice(5), namespace: 'text' }));
    onLoad({ filter: /./, namespace: 'text' }, async ({ path }) => ({ contents: await bundle(path), loader: 'text' }));
  },
};

async function makePage() {
  const template = await read('template.html');
  const license = await read('node_modules/three/LICENSE');
  const version = JSON.parse(await read('node_modules/three/package.json')).version;
  const style = await bundle('style.css');
  // nothing within the script may end it
  const script = (await bundle('src/main.js', [asText])).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const notice = `This page contains three.js ${version}:\n\n${license.trim()}`;
  const parts = { notice, style, script };
  const page = template.replace(/\{\{(\w+)\}\}/g, (mark, name) => {
    if (!(name in parts)) throw new Error(`template.html: nothing is called ${name}`);
    return parts[name];
  });
  return { page, license };
}

const { page, license } = await makePage();
const files = [['player.html', page], ['LICENSE.three.txt', license]];
if (process.argv.includes('--check')) {
  for (const [name, text] of files) {
    if (await read('dist', name) !== text) {
      console.error(`dist/${name} is not what the sources make: run "npm run build" in web/`);
      process.exit(1);
    }
  }
  console.log('dist is what the sources make');
} else {
  await mkdir(at('dist'), { recursive: true });
  for (const [name, text] of files) await writeFile(at('dist', name), text);
  const hash = createHash('sha256').update(page).digest('hex').slice(0, 12);
  console.log(`dist/player.html: ${Math.round(Buffer.byteLength(page) / 1000)} kB, ${hash}`);
}
