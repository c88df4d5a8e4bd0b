// text.js: numbers for people.

// With so many digits that count, and no more zeros than needed.
export function formatNumber(value, digits) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) {
    const [head, power] = value.toExponential(Math.max(digits - 2, 0)).split('e');
    return `${Number(head)}e${Number(power)}`.replaceAll('-', '−');
  }
  return String(Number(value.toPrecision(digits))).replaceAll('-', '−');
}

export function formatTime(seconds, digits) {
  return `${seconds.toFixed(digits)} s`.replace('-', '−');
}

export function plural(count, one, many) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
