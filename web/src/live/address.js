// address.js: the state of a live page as it stands behind the # of its address:
//   #t=2.5&camera=x,y,z,x,y,z&speed=0.5&gravity=3.7&friction=0.5&timestep=0.005&tolerance=1e-4&key=home&ctrl=0,1&goals=0.3,0,0
// Time: simulated from the start without pictures. Camera: where it is and what it looks at, m. What is missing is as the
// model says.

const settings = ['gravity', 'friction', 'timestep', 'tolerance'];
const short = (number) => String(Number(number.toPrecision(6)));

export function readAddress(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const wrong = [];
  const numbers = (name, count) => {
    if (!given.has(name)) return undefined;
    const list = given.get(name).split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
    if (list.every(Number.isFinite) && (count === undefined || list.length === count)) return list;
    wrong.push(name);
    return undefined;
  };
  const one = (name) => numbers(name, 1)?.[0];
  const state = {
    settings: {}, until: one('t'), speed: one('speed'), camera: numbers('camera', 6), ctrl: numbers('ctrl'), goals: numbers('goals'),
  };
  for (const name of settings) {
    const value = one(name);
    if (value !== undefined) state.settings[name] = value;
  }
  if (given.has('key')) state.key = given.get('key');
  const known = [...settings, 't', 'speed', 'camera', 'ctrl', 'goals', 'key'];
  wrong.push(...[...given.keys()].filter((name) => !known.includes(name)));
  return { state, wrong };
}

export function writeAddress({ time, camera, speed, changed, key, ctrl, goals }) {
  const parts = [];
  if (time > 0) parts.push(`t=${short(time)}`);
  if (camera) parts.push(`camera=${camera.map(short).join(',')}`);
  if (speed !== 1) parts.push(`speed=${short(speed)}`);
  for (const name of settings) if (name in changed) parts.push(`${name}=${short(changed[name])}`);
  if (key !== undefined) parts.push(`key=${encodeURIComponent(key)}`);
  if (ctrl) parts.push(`ctrl=${ctrl.map(short).join(',')}`);
  if (goals) parts.push(`goals=${goals.map(short).join(',')}`);
  return `#${parts.join('&')}`;
}

// Only what stands behind the #; a page within another one (a notebook) has no address of its own.
export function replaceAddress(hash) {
  try {
    history.replaceState(null, '', hash);
  } catch { /* it stays as it was */ }
}
