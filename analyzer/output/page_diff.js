// page_diff.js -- differentials: widths from two amounts per node, changes and their looks.

const WIDTHS = [['max', 'Width: larger'], ['after', 'Width: after'], ['before', 'Width: before']];

// Running sums of widths. With 'max' a frame's own width is the larger of both amounts, so that
// nothing disappears, and totals still add up.
function widthSums(after, before, width) {
  if (width === 'after')
    return after;
  if (width === 'before')
    return before;
  const sums = new Float64Array(after.length);
  for (let i = 1; i < sums.length; i++)
    sums[i] = sums[i - 1] + Math.max(after[i] - after[i - 1], before[i] - before[i - 1]);
  return sums;
}

// The change that gets the strongest colour: the 99th percentile, as in page_totals.c.
function strongestChange(view) {
  const { tree, after, before } = view;
  const changes = new Float64Array(tree.count);
  let count = 0;
  for (let i = 0; i < tree.count; i++) {
    const end = tree.end[i];
    const change = Math.abs(after[end] - after[i] - before[end] + before[i]);
    if (change > 0)
      changes[count++] = change;
  }
  const sorted = changes.subarray(0, count).sort();
  return count > 0 ? sorted[Math.floor((count - 1) * 99 / 100)] : 1;
}

// Before and after of a frame: totals and own amounts.
function changeOf(view, node) {
  const { after, before } = view;
  const end = view.tree.end[node];
  return {
    after: after[end] - after[node],
    before: before[end] - before[node],
    selfAfter: after[node + 1] - after[node],
    selfBefore: before[node + 1] - before[node],
  };
}

function changeStep(view, change) {
  if (view.strongest === undefined)
    view.strongest = strongestChange(view);
  return Math.floor(255 * Math.sqrt(Math.min(1, Math.abs(change) / view.strongest)));
}

function changeFill(app, node) {
  const { after, before } = changeOf(app.view, node);
  if (after === 0 && before > 0)
    return 'url(#thag-gone)';
  const palette = app.data.deltas[after > before ? 1 : 0];
  return stepColour(palette, changeStep(app.view, after - before), app.isDark());
}

// In words or signs: colour is never all there is.
function changeMark({ after, before }) {
  if (after === before)
    return '';
  if (before === 0)
    return 'new: ';
  if (after === 0)
    return 'gone: ';
  return after > before ? '\u25b2 ' : '\u25bc ';
}

function signedText(amount, value) {
  return amount > 0 ? '+' + amountText(amount, value) : amountText(amount, value);
}

function relativeText(after, before) {
  if (after === before)
    return 'equal';
  if (before === 0)
    return 'new';
  if (after === 0)
    return 'gone';
  const percent = (after - before) / before * 100;
  const digits = Math.abs(percent) >= 100 ? 0 : Math.abs(percent) >= 10 ? 1 : 2;
  return (percent > 0 ? '+' : '\u2212') + grouped(Math.abs(percent).toFixed(digits)) + '%';
}

function changeFacts(app, node) {
  const change = changeOf(app.view, node);
  const facts = [
    ['before', amountText(change.before, app.value)],
    ['after', amountText(change.after, app.value)],
    ['change', signedText(change.after - change.before, app.value)],
    ['', relativeText(change.after, change.before)],
  ];
  if (app.state.view !== 'reversed' && app.state.view !== 'callers')
    facts.push(['self', amountText(change.selfBefore, app.value) + ' \u2192 ' + amountText(change.selfAfter, app.value)]);
  return facts;
}

function changeTip(app, node) {
  const change = changeOf(app.view, node);
  const row = (label, ...cells) => h('tr', null, h('td', null, label), ...cells.map((cell) => h('td', { class: 'number' }, cell)));
  const { value } = app;
  const root = changeOf(app.view, 0);
  return h('table', { role: 'presentation' }, h('tbody', null,
    row('', 'total', 'self'),
    row('before', exactText(change.before, value), exactText(change.selfBefore, value)),
    row('after', exactText(change.after, value), exactText(change.selfAfter, value)),
    row('change', signedText(change.after - change.before, value), signedText(change.selfAfter - change.selfBefore, value)),
    row('', relativeText(change.after, change.before), relativeText(change.selfAfter, change.selfBefore)),
    row('of all', shareText(change.before, root.before) + ' \u2192 ' + shareText(change.after, root.after))));
}

// Functions of a table with their changes, the largest first.
function changedFunctions(app) {
  const { tree, after, before } = app.view;
  const now = functionTable(tree, after, app.names.length, app.state.zoom);
  const then = functionTable(tree, before, app.names.length, app.state.zoom);
  return {
    frames: now.frames,
    self: now.self.map((amount, i) => amount - then.self[i]),
    total: now.total.map((amount, i) => amount - then.total[i]),
    after: now.total,
    before: then.total,
  };
}

// Pairs of callers or callees, from two lists of [name, amount].
function changedPairs(now, then) {
  const pairs = new Map();
  for (const [name, amount] of then)
    pairs.set(name, { before: amount, after: 0 });
  for (const [name, amount] of now)
    pairs.set(name, { before: 0, ...pairs.get(name), after: amount });
  return [...pairs].map(([name, { after, before }]) => [name, after - before, { after, before }])
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0] - b[0]);
}

// A cell of a change: a bar by its strength, a sign, and how much of the earlier amount it is.
function cellChange(app, change, both) {
  const strength = changeStep(app.view, change) / 255 * 100;
  return h('td', {
    class: 'amount ' + (change > 0 ? 'grew' : change < 0 ? 'shrank' : 'zero'),
    style: '--share:' + strength.toFixed(1) + '%',
    title: both ? exactText(both.before, app.value) + ' \u2192 ' + exactText(both.after, app.value) : exactText(change, app.value),
  }, signedText(change, app.value), both ? h('small', null, relativeText(both.after, both.before)) : null);
}

// Numbers for the colours, from the strongest decrease to the strongest increase.
function changeLegend(app) {
  const { view, data } = app;
  changeStep(view, 0);
  const samples = [];
  for (const [palette, sign] of [[data.deltas[0], -1], [data.deltas[1], 1]]) {
    for (let i = 1; i <= 5; i++) {
      const step = sign < 0 ? 5 - i : i - 1;
      const part = (step / 4) ** 2 * view.strongest;
      samples.push(h('tr', null,
        h('td', null, h('span', { class: 'swatch', style: 'background:' + stepColour(palette, Math.floor(255 * step / 4), app.isDark()) })),
        h('td', { class: 'number' }, (step === 4 ? (sign < 0 ? '\u2264 ' : '\u2265 ') : '') + signedText(Math.round(part) * sign, app.value))));
    }
  }
  samples.splice(5, 1);
  return h('table', { class: 'scale', 'aria-label': 'Colours of changes' }, h('tbody', null, ...samples));
}
