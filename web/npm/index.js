// index.js: worlds from text and files. engine.js has what a world does.
import { World as Engine } from './engine.js';

let compiled;

// In Node.js from the disk, elsewhere by a request; once.
async function compile() {
  const place = new URL('./tenon.wasm', import.meta.url);
  if (place.protocol !== 'file:') return WebAssembly.compileStreaming(fetch(place));
  const { readFile } = await import('node:fs/promises');
  return WebAssembly.compile(await readFile(place));
}

// A module that is compiled already, or its bytes, in place of tenon.wasm beside this file: for bundlers that move it.
export function useEngine(source) {
  compiled = source instanceof WebAssembly.Module ? Promise.resolve(source) : WebAssembly.compile(source);
  return compiled.then(() => {});
}

const modelName = 'model.xml';

export class World extends Engine {
  // MJCF or URDF as text; `files` has what it names (meshes, included models): { path: text or bytes }.
  static fromText(text, { files = {}, ...options } = {}) {
    if (typeof text !== 'string') throw new TypeError('fromText: the model is not a text');
    return World.fromFiles({ ...files, [modelName]: text }, modelName, options);
  }

  // { path: text or bytes }, of which `model` is the path of the model.
  static async fromFiles(files, model, options = {}) {
    compiled ??= compile();
    return World.create(await compiled, model, files, options);
  }

  // Node.js only: a model on the disk with what it names.
  static async fromFile(path, options = {}) {
    const { readFileSync, statSync } = await import('node:fs');
    const { resolve } = await import('node:path');
    const read = (name) => {
      const about = statSync(`/${name}`, { throwIfNoEntry: false });
      return about?.isFile() ? new Uint8Array(readFileSync(`/${name}`)) : undefined;
    };
    return World.fromFiles({}, resolve(path), { read, ...options });
  }
}
