// files.js: models that the user drops or opens: one file or a folder with its meshes.

const limit = 512e6; // bytes of all files: the engine has 4 GB

// Everything in what was dropped, folders too: [path, File] each.
async function filesOf(items) {
  const found = [];
  const visit = async (entry) => {
    if (entry.isFile) {
      found.push([entry.fullPath.replace(/^\//, ''), await new Promise((resolve, reject) => { entry.file(resolve, reject); })]);
      return;
    }
    const reader = entry.createReader();
    for (;;) { // it gives a hundred at a time
      const part = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
      if (!part.length) return;
      for (const one of part) await visit(one);
    }
  };
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean); // before anything is awaited
  for (const entry of entries) await visit(entry);
  return found;
}

// The file to load: what no other includes; a scene before its robot.
function chooseModel(texts) {
  const included = new Set();
  for (const text of Object.values(texts)) {
    for (const [, name] of text.matchAll(/<include\s[^>]*file\s*=\s*["']([^"']+)["']/g)) included.add(name.split('/').pop());
  }
  const names = Object.keys(texts).sort((a, b) => a.split('/').length - b.split('/').length || a.localeCompare(b));
  const own = names.filter((name) => !included.has(name.split('/').pop()));
  const order = own.length ? own : names;
  return order.find((name) => /scene/i.test(name.split('/').pop())) || order[0];
}

export async function modelOf(list) {
  const files = {};
  const texts = {};
  let sum = 0;
  for (const [path, file] of list) {
    sum += file.size;
    if (sum > limit) throw new Error(`These files are more than ${limit / 1e6} MB.`);
    files[path] = new Uint8Array(await file.arrayBuffer());
    if (!/\.(xml|urdf|mjcf)$/i.test(path)) continue;
    const text = new TextDecoder().decode(files[path]);
    if (/<(mujoco|robot)[\s>]/.test(text)) texts[path] = text;
  }
  const path = chooseModel(texts);
  if (!path) throw new Error('There is no model among these files: an .xml with <mujoco>, or an .urdf with <robot>.');
  return { path, files, title: path.split('/').pop(), loose: true, urdf: /<robot[\s>]/.test(texts[path]) };
}

export function listenToDrops(open) {
  const zone = () => document.getElementById('drop');
  addEventListener('dragover', (event) => {
    event.preventDefault();
    zone().hidden = false;
  });
  addEventListener('dragleave', (event) => { if (!event.relatedTarget) zone().hidden = true; });
  addEventListener('drop', async (event) => {
    event.preventDefault();
    zone().hidden = true;
    const list = await filesOf(event.dataTransfer.items);
    if (list.length) open(list);
  });
}
