// page_text.js -- amounts, shares, cut labels and colours.

const UNIT_STEPS = {
  bytes: [[2 ** 50, 'PiB'], [2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [1024, 'KiB'], [1, 'B']],
  ns: [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']],
  us: [[1e6, 's'], [1e3, 'ms'], [1, '\u00b5s']],
  count: [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1, '']],
};

// Three digits and a unit, all digits of whole numbers: "12.3 MiB".
function amountText(amount, value) {
  const real = Math.abs(amount * 2 ** value.shift / value.scale);
  const steps = UNIT_STEPS[value.unit] || UNIT_STEPS.count;
  let at = steps.findIndex((step) => real >= step[0]);
  if (at < 0)
    at = steps.length - 1;
  const inStep = (size) => {
    if (size === 1 && value.scale === 1)
      return grouped(Math.round(real));
    const scaled = real / size;
    // 9.996 is 10.0, not 10.00.
    const digits = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
    return digits === 0 ? grouped(Math.round(scaled)) : scaled.toFixed(digits);
  };
  // What would be shown as 1000 of a unit, or 1024, is 1.00 of the next.
  if (at > 0 && Number(inStep(steps[at][0]).replace(/,/g, '')) * steps[at][0] >= steps[at - 1][0])
    at--;
  const [size, suffix] = steps[at];
  return (amount < 0 ? '\u2212' : '') + inStep(size) + (suffix ? '\u00a0' + suffix : '');
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

// All digits, for the one who wants to know: "12,897,484 B".
function exactText(amount, value) {
  const suffix = { bytes: ' B', ns: ' ns', us: ' \u00b5s' }[value.unit] || '';
  if (value.scale !== 1)
    return String(amount * 2 ** value.shift / value.scale) + suffix;
  const number = value.shift > 0 ? BigInt(amount) << BigInt(value.shift) : amount;
  return (value.shift > 0 ? '\u2248 ' : '') + grouped(number) + suffix;
}

function shareText(part, whole) {
  if (!(whole > 0) || part === 0)
    return '0%';
  const percent = part / whole * 100;
  if (percent > 0 && percent < 0.01)
    return '<0.01%';
  return percent.toFixed(percent >= 99.995 ? 0 : 2) + '%';
}

// The middle of a long text gives way: both ends of a C++ name say something.
function middleCut(text, limit) {
  if (text.length <= limit)
    return text;
  const head = Math.ceil((limit - 1) / 2);
  const tail = limit - 1 - head;
  // A cut between the halves of a character outside the basic plane would show two broken ones.
  const from = /[\ud800-\udbff]/.test(text[head - 1]) ? head - 1 : head;
  let to = text.length - tail;
  if (/[\udc00-\udfff]/.test(text[to] || ''))
    to++;
  return text.slice(0, from) + '\u2026' + text.slice(to);
}

// Fits labels into widths. Nearly all names are ASCII in a monospaced font: one division. Others are
// measured, and cut between graphemes.
class LabelFitter {
  constructor(font) {
    this.context = document.createElementNS(XHTML, 'canvas').getContext('2d');
    this.context.font = font;
    this.advance = this.context.measureText('M'.repeat(100)).width / 100 || 7.2;
    this.segmenter = window.Intl && Intl.Segmenter ? new Intl.Segmenter() : null;
    this.graphemes = new Map();
  }

  fit(name, width) {
    const room = Math.floor(width / this.advance);
    if (room < 3)
      return '';
    if (name.length <= room && !/[^\x20-\x7e]/.test(name))
      return name;
    if (!/[^\x20-\x7e]/.test(name))
      return middleCut(name, room);
    return this.fitMeasured(name, width);
  }

  fitMeasured(name, width) {
    let parts = this.graphemes.get(name);
    if (!parts) {
      // More than this is never seen in one row.
      const text = middleCut(name, 1000);
      const split = this.segmenter ? [...this.segmenter.segment(text)].map((s) => s.segment) : [...text];
      parts = split.map((piece) => [piece, this.context.measureText(piece).width]);
      this.graphemes.set(name, parts);
    }
    let sum = 0;
    for (const part of parts)
      sum += part[1];
    if (sum <= width)
      return name;
    let left = 0, right = parts.length, room = width - this.advance;
    for (let head = true; left < right; head = !head) {
      const part = head ? parts[left] : parts[right - 1];
      if (part[1] > room)
        break;
      room -= part[1];
      if (head)
        left++;
      else
        right--;
    }
    const text = (list) => list.map((part) => part[0]).join('');
    return text(parts.slice(0, left)) + '\u2026' + text(parts.slice(right));
  }
}

// The colour of a step; the same arithmetic as in palettes.c.
function stepColour(palette, step, dark) {
  const [s0, s1, l0, l1] = palette.shades[dark ? 1 : 0];
  const ramp = palette.spread === 'ramp';
  const low = ramp ? step / 255 : (step & 15) / 15;
  const high = ramp ? step / 255 : (step >> 4) / 15;
  const hues = palette.hues;
  const hue = palette.spread === 'hues' ? hues[(step & 15) % hues.length]
    : hues[0] + (hues[1] - hues[0]) * low;
  return hslHex(hue, s0 + (s1 - s0) * high, l0 + (l1 - l0) * high);
}

function hslHex(hue, saturation, lightness) {
  const l = lightness / 100;
  const reach = saturation / 100 * Math.min(l, 1 - l);
  const channel = (offset) => {
    const k = (offset + hue / 30) % 12;
    const level = l - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(level * 255).toString(16).padStart(2, '0');
  };
  return '#' + channel(0) + channel(8) + channel(4);
}

function stepsFromHex(text) {
  const steps = new Uint8Array(text.length / 2);
  for (let i = 0; i < steps.length; i++)
    steps[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return steps;
}
