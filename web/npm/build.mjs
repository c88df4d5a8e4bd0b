// build.mjs: puts the package together: node build.mjs TENON_WASM FOLDER. Then "npm pack" in FOLDER.
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [engine, folder] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node build.mjs TENON_WASM FOLDER');
  process.exit(2);
}
await mkdir(folder, { recursive: true });
const own = ['package.json', 'index.js', 'index.d.ts', 'README.md'].map((name) => join(here, name));
const shared = ['files.js', 'engine.js'].map((name) => join(here, '../src/engine', name));
for (const path of [...own, ...shared, join(here, '../../LICENSE')]) await copyFile(path, join(folder, path.split('/').pop()));
await copyFile(engine, join(folder, 'tenon.wasm'));
