// files.js: the system that tenon.wasm calls (WASI, preview 1): a clock, and files in memory. Nothing else is there: no
// network, no disk, no processes.

const errors = { badHandle: 8, exists: 20, invalid: 28, isFolder: 31, notFound: 44, notFolder: 54 };
const kinds = { device: 2, folder: 3, file: 4 };
const root = 3; // the handle of "/", the first one after those of input and output

// "a/./b/../c" and "/a//c" are "a/c".
export function tidy(path) {
  const parts = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

export class Files {
  // `read(path)` is asked for files that are not here: bytes, or undefined. `say(line)` takes what is printed.
  constructor({ read = () => undefined, say = () => {} } = {}) {
    this.files = new Map(); // by tidy path: { bytes, size, id }
    this.handles = new Map([[root, { folder: '' }]]);
    this.read = read;
    this.say = say;
    this.loose = false;
    this.printed = '';
    this.ids = 0;
  }

  set(path, bytes) {
    const file = { bytes, size: bytes.length, id: ++this.ids };
    this.files.set(tidy(path), file);
    return file;
  }

  get(path) {
    const file = this.files.get(tidy(path));
    return file && file.bytes.subarray(0, file.size);
  }

  delete(path) { return this.files.delete(tidy(path)); }

  isFolder(path) {
    if (!path) return true;
    for (const name of this.files.keys()) if (name.startsWith(`${path}/`)) return true;
    return false;
  }

  // With `loose`, a file that is not where the model says is the only one of its name, wherever it is: files that were
  // dropped on a page have lost their folders.
  find(path) {
    const found = this.files.get(path);
    if (found) return found;
    const more = this.read(path);
    if (more) return this.set(path, more);
    if (!this.loose) return undefined;
    const nameOf = (one) => one.slice(one.lastIndexOf('/') + 1).toLowerCase();
    const same = [...this.files.keys()].filter((one) => nameOf(one) === nameOf(path));
    return same.length === 1 ? this.files.get(same[0]) : undefined;
  }

  // What the module imports; `memory()` is its memory now.
  imports(memory) {
    const view = () => new DataView(memory().buffer);
    const bytes = (start, size) => new Uint8Array(memory().buffer, start, size);
    const text = (start, size) => tidy(new TextDecoder().decode(bytes(start, size)));
    const info = (at, kind, size, id) => {
      bytes(at, 64).fill(0);
      const out = view();
      out.setBigUint64(at + 8, BigInt(id), true);
      out.setUint8(at + 16, kind);
      out.setBigUint64(at + 24, 1n, true);
      out.setBigUint64(at + 32, BigInt(size), true);
      return 0;
    };
    // Each piece of a list of (place, size), until one is not done in full; the sum goes to `out`.
    const pieces = (list, count, out, each) => {
      let sum = 0;
      for (let i = 0; i < count; i++) {
        const size = view().getUint32(list + 8 * i + 4, true);
        const done = each(bytes(view().getUint32(list + 8 * i, true), size));
        sum += done;
        if (done < size) break;
      }
      view().setUint32(out, sum, true);
      return 0;
    };
    const calls = {
      environ_get: () => 0,
      environ_sizes_get: (count, size) => {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
      clock_time_get: (clock, precision, out) => {
        const now = clock === 0 ? Date.now() : performance.now();
        view().setBigUint64(out, BigInt(Math.round(now * 1e6)), true);
        return 0;
      },
      proc_exit: (code) => { throw new Error(`the engine ended with code ${code}: this is a bug`); },
      fd_prestat_get: (handle, out) => {
        if (handle !== root) return errors.badHandle;
        view().setUint8(out, 0);
        view().setUint32(out + 4, 1, true);
        return 0;
      },
      fd_prestat_dir_name: (handle, out) => {
        bytes(out, 1)[0] = 0x2f; // "/"
        return 0;
      },
      fd_fdstat_get: (handle, out) => {
        const open = this.handles.get(handle);
        if (handle > 2 && !open) return errors.badHandle;
        bytes(out, 24).fill(0);
        view().setUint8(out, handle <= 2 ? kinds.device : open.file ? kinds.file : kinds.folder);
        view().setBigUint64(out + 8, ~0n, true);
        view().setBigUint64(out + 16, ~0n, true);
        return 0;
      },
      fd_fdstat_set_flags: () => 0,
      fd_sync: () => 0,
      fd_close: (handle) => (this.handles.delete(handle) ? 0 : errors.badHandle),
      fd_filestat_get: (handle, out) => {
        const open = this.handles.get(handle);
        if (!open) return handle <= 2 ? info(out, kinds.device, 0, 0) : errors.badHandle;
        return open.file ? info(out, kinds.file, open.file.size, open.file.id) : info(out, kinds.folder, 0, 0);
      },
      fd_filestat_set_size: (handle, size) => {
        const file = this.handles.get(handle)?.file;
        if (!file) return errors.badHandle;
        grow(file, Number(size));
        file.size = Number(size);
        return 0;
      },
      fd_read: (handle, list, count, out) => {
        const open = this.handles.get(handle);
        if (!open?.file) return errors.badHandle;
        return pieces(list, count, out, (to) => {
          const part = open.file.bytes.subarray(open.at, Math.min(open.at + to.length, open.file.size));
          to.set(part);
          open.at += part.length;
          return part.length;
        });
      },
      fd_write: (handle, list, count, out) => {
        const open = this.handles.get(handle);
        if (!open?.file && (handle < 1 || handle > 2)) return errors.badHandle;
        return pieces(list, count, out, (from) => {
          if (open) write(open, from);
          else this.print(new TextDecoder().decode(from));
          return from.length;
        });
      },
      fd_seek: (handle, offset, from, out) => {
        const open = this.handles.get(handle);
        if (!open?.file) return errors.badHandle;
        const place = Number(offset) + [0, open.at, open.file.size][from];
        if (!(place >= 0)) return errors.invalid;
        open.at = place;
        view().setBigUint64(out, BigInt(place), true);
        return 0;
      },
      path_filestat_get: (handle, flags, path, size, out) => {
        const name = text(path, size);
        const file = this.find(name);
        if (file) return info(out, kinds.file, file.size, file.id);
        return this.isFolder(name) ? info(out, kinds.folder, 0, 0) : errors.notFound;
      },
      path_open: (handle, follow, path, size, flags, rights, inherited, state, out) => {
        const [create, folder, fresh, cut] = [1, 2, 4, 8].map((bit) => Boolean(flags & bit));
        const name = text(path, size);
        let file = this.find(name);
        if (file && folder) return errors.notFolder;
        if (file && create && fresh) return errors.exists;
        if (!file && this.isFolder(name)) {
          if (create || cut) return errors.isFolder;
        } else if (!file) {
          if (!create) return errors.notFound;
          file = this.set(name, new Uint8Array(0));
        }
        if (cut) file.size = 0;
        let number = root + 1;
        while (this.handles.has(number)) number++;
        this.handles.set(number, file ? { file, at: 0, append: Boolean(state & 1) } : { folder: name });
        view().setUint32(out, number, true);
        return 0;
      },
      path_readlink: (handle, path, size) => {
        const name = text(path, size);
        return this.find(name) || this.isFolder(name) ? errors.invalid : errors.notFound;
      },
      path_rename: (from, path, size, to, newPath, newSize) => {
        const file = this.files.get(text(path, size));
        if (!file) return errors.notFound;
        this.files.delete(text(path, size));
        this.files.set(text(newPath, newSize), file);
        return 0;
      },
      path_unlink_file: (handle, path, size) => (this.files.delete(text(path, size)) ? 0 : errors.notFound),
    };
    return calls;
  }

  print(text) {
    const lines = (this.printed + text).split('\n');
    this.printed = lines.pop();
    lines.forEach((line) => this.say(line));
  }
}

function grow(file, size) {
  if (size <= file.bytes.length) return;
  const more = new Uint8Array(Math.max(size, 2 * file.bytes.length));
  more.set(file.bytes.subarray(0, file.size));
  file.bytes = more;
}

function write(open, from) {
  const { file } = open;
  if (open.append) open.at = file.size;
  grow(file, open.at + from.length);
  if (open.at > file.size) file.bytes.fill(0, file.size, open.at);
  file.bytes.set(from, open.at);
  open.at += from.length;
  file.size = Math.max(file.size, open.at);
}
