// page_panel.js -- tables of the side panel, menu, help.

function cellAmount(app, amount, whole, withShare) {
  return cellOf(amount, whole, app.value, withShare);
}

function cellOf(amount, whole, value, withShare) {
  const percent = whole > 0 ? Math.min(100, amount / whole * 100) : 0;
  const share = shareText(amount, whole);
  return h('td', {
    class: amount === 0 ? 'amount zero' : 'amount', style: '--share:' + percent.toFixed(2) + '%',
    title: exactText(amount, value) + ', ' + share,
  }, amountText(amount, value), withShare ? h('small', null, share) : null);
}

function cellName(app, name, width, action) {
  const text = app.nameOf(name);
  return h('td', { class: 'name' }, h('button', {
    type: 'button', title: middleCut(text, 600), 'data-name': name, onclick: () => action(name),
  }, h('bdi', null, app.graph.fitter.fit(text, width) || text.slice(0, 3))));
}

// A table of functions: ROWS are [name, amounts...], in a differential followed by both totals.
function functionRows(app, rows, whole, action, limit, again) {
  const body = h('tbody', null);
  for (const [name, ...amounts] of rows.slice(0, limit)) {
    const both = app.isDiff ? amounts.pop() : null;
    body.append(h('tr', { class: name === app.chosenName() ? 'chosen' : null },
      name < 0 ? h('td', { class: 'name' }, app.nameOf(name)) : cellName(app, name, app.nameWidth(amounts.length), action),
      ...amounts.map((amount, i) => {
        const last = i === amounts.length - 1;
        return app.isDiff ? cellChange(app, amount, last ? both : null) : cellAmount(app, amount, whole, last);
      })));
  }
  if (rows.length > limit) {
    body.append(h('tr', null, h('td', { colspan: 3 }, h('button', {
      type: 'button', onclick: () => again(limit + 1000),
    }, 'Show more (' + grouped(rows.length - limit) + ' left)'))));
  }
  return body;
}

function sortHeader(app, label, key, className) {
  const sorted = app.state.sort === key;
  return h('th', { class: className, scope: 'col', 'aria-sort': sorted ? (key === 'name' ? 'ascending' : 'descending') : null },
    h('button', { type: 'button', onclick: () => app.setSort(key) }, label + (sorted ? (key === 'name' ? ' \u25b4' : ' \u25be') : '')));
}

function functionRow(app, table, name) {
  const row = [name, table.self[name], table.total[name]];
  return app.isDiff ? [...row, { after: table.after[name], before: table.before[name] }] : row;
}

function panelTop(app, panel, limit = ROWS_AT_ONCE) {
  const table = app.functionsBelowZoom();
  const whole = app.totalOf(app.state.zoom);
  const rows = [];
  for (let name = 0; name < table.frames.length; name++) {
    if (table.frames[name] > 0 && (table.total[name] !== 0 || table.self[name] !== 0))
      rows.push(functionRow(app, table, name));
  }
  const column = { self: 1, total: 2 }[app.state.sort];
  const size = (row, at) => Math.abs(row[at]);
  if (column)
    rows.sort((a, b) => size(b, column) - size(a, column) || size(b, 3 - column) - size(a, 3 - column) || a[0] - b[0]);
  refill(panel,
    h('p', null, grouped(rows.length) + (rows.length === 1 ? ' function' : ' functions') +
      (app.isDiff ? (rows.length === 1 ? ' differs ' : ' differ ') : ' ') + (app.state.zoom === 0 ? 'in all' : 'in the zoomed frame') +
      '; a recursive call counts once in the total.'),
    h('table', { 'aria-label': 'Functions by ' + app.value.title },
      h('thead', null, h('tr', null, sortHeader(app, 'Function', 'name', 'name'),
        sortHeader(app, 'Self', 'self', 'amount'), sortHeader(app, 'Total', 'total', 'wide'))),
      functionRows(app, rows, whole, (name) => app.chooseFunction(name), limit,
        (more) => panelTop(app, panel, more))));
}

function neighbourTable(app, title, rows, whole, panel, limit) {
  return [h('h2', null, title),
    rows.length === 0 ? h('p', null, 'None.') : h('table', { 'aria-label': title },
      h('thead', null, h('tr', null, h('th', { class: 'name', scope: 'col' }, 'Function'),
        h('th', { class: 'wide', scope: 'col' }, 'Total'))),
      functionRows(app, rows, whole, (name) => app.openSandwich(name), limit,
        (more) => panelSandwich(app, panel, more)))];
}

// Callers and callees as rows of a table, and the function's own amounts in words.
function neighboursOf(app, name) {
  const of = (sums) => functionNeighbours(app.tree, sums, app.names.length, name);
  const near = of(app.tree.sums[app.valueIndex]);
  const text = (amount) => amountText(amount, app.value);
  if (!app.isDiff) {
    const part = (amount) => text(amount) + ' (' + shareText(amount, app.wholeTotal()) + ')';
    return { ...near, text: 'Total ' + part(near.total) + ', self ' + part(near.self) };
  }
  const then = of(app.tree.sums[app.valueIndex + app.data.values.length]);
  return {
    ...near,
    callers: changedPairs(near.callers, then.callers),
    callees: changedPairs(near.callees, then.callees),
    text: 'Total ' + text(then.total) + ' \u2192 ' + text(near.total) + ' (' + relativeText(near.total, then.total) +
      '), self ' + text(then.self) + ' \u2192 ' + text(near.self),
  };
}

function panelSandwich(app, panel, limit = ROWS_AT_ONCE) {
  const name = app.chosenName();
  if (name < 0) {
    refill(panel, h('p', null, 'Choose a frame in the graph or a function in the table: its callers and callees are shown here.'));
    return;
  }
  const near = neighboursOf(app, name);
  const button = (label, action) => h('button', { type: 'button', onclick: action }, label);
  refill(panel,
    h('h2', { class: 'mono' }, app.nameOf(name)),
    h('p', { class: 'strong' }, near.text + ', ' + grouped(near.frames) + (near.frames === 1 ? ' frame' : ' frames')),
    h('div', { class: 'row' },
      button('Graph of callers', () => app.setView('callers', name)),
      button('Graph of callees', () => app.setView('callees', name))),
    ...neighbourTable(app, 'Callers', near.callers, near.total, panel, limit),
    ...neighbourTable(app, 'Callees', near.callees, near.total, panel, limit));
}

function panelMatches(app, panel, limit = ROWS_AT_ONCE) {
  const { found } = app;
  if (!found) {
    refill(panel, h('p', null, 'Search for a regular expression: the functions that match are listed here with their sizes, however narrow their frames.'));
    return;
  }
  const table = app.functionsBelowZoom();
  const rows = [];
  for (let name = 0; name < app.names.length; name++) {
    if (found.matched[name] !== 0 && table.frames[name] > 0)
      rows.push(functionRow(app, table, name));
  }
  rows.sort((a, b) => Math.abs(b[2]) - Math.abs(a[2]) || a[0] - b[0]);
  refill(panel,
    h('p', { class: 'strong' }, grouped(rows.length) + (rows.length === 1 ? ' function, ' : ' functions, ') + app.foundText()),
    rows.length === 0 ? null : h('table', { 'aria-label': 'Functions found' },
      h('thead', null, h('tr', null, h('th', { class: 'name', scope: 'col' }, 'Function'),
        h('th', { class: 'amount', scope: 'col' }, 'Self'), h('th', { class: 'wide', scope: 'col' }, 'Total'))),
      functionRows(app, rows, app.totalOf(app.state.zoom), (name) => app.chooseFunction(name), limit,
        (more) => panelMatches(app, panel, more))));
}

function legendOfPalette(app) {
  const samples = [];
  for (let step = 0; step < 256; step += 15)
    samples.push(h('span', { style: 'background:' + stepColour(app.palette(), step, app.isDark()) }));
  const meaning = { module: 'A colour is a module.', 'self-heat': 'The warmer, the more the frame itself did.' };
  return [h('div', { class: 'row' }, labelled('Palette', makeSelect('Palette', app.data.palettes.map((p) => [p.name, p.title]),
    app.state.palette, (name) => app.setPalette(name), 'palette'))),
  h('div', { class: 'samples', 'aria-hidden': 'true' }, ...samples),
  h('p', null, (meaning[app.state.palette] || 'A colour is a function: the same name has the same colour in every frame, file and run.') +
    ' Width is ' + app.value.title + '.')];
}

function legendOfChanges(app) {
  const widths = { max: 'the larger of before and after', after: 'what is after', before: 'what was before' };
  return [h('h2', null, 'Change of ' + app.value.title), changeLegend(app),
    h('p', null, 'Labels begin with \u25b2 where a frame grew, \u25bc where it shrank, \u201cnew\u201d and \u201cgone\u201d where only one profile has it. ' +
      'The width of a frame is the sum of ' + widths[app.state.width] + ' over it and all below.')];
}

function panelLegend(app, panel) {
  const { data } = app;
  const fill = stepColour(app.palette(), 40, app.isDark());
  const marks = [
    [markSample(fill, 'cursor'), 'the chosen frame (solid outline)'],
    [markSample(fill, 'same'), 'same function as the chosen or pointed-at frame (dashed outline)'],
    [markSample(app.colours.found, 'match'), 'matches the search (outline, bold label); other frames turn grey'],
    [markSample('url(#thag-hatch)', ''), 'several frames too narrow to draw one by one (hatched)'],
    [markSample(fill, 'above'), 'frame above the zoomed one (paler), in full width'],
  ];
  if (app.base.flags.some((flag) => flag & 1))
    marks.push([h('em', { class: 'mono' }, 'label'), 'inlined into its caller (slanted label)']);
  if (app.isDiff)
    marks.push([markSample('url(#thag-gone)', ''), 'gone: in the profile before alone (hatched)']);
  refill(panel, ...(app.isDiff ? legendOfChanges(app) : legendOfPalette(app)),
    h('dl', { class: 'marks' }, ...marks.flatMap(([sample, text]) => [h('dt', null, sample), h('dd', null, text)])),
    ...(data.notes.length > 0 || app.value.shift > 0 ? [h('h2', null, 'Notes')] : []),
    ...data.notes.map((note) => h('p', { class: 'strong' }, note)),
    app.value.shift > 0 ? h('p', { class: 'strong' }, 'The sum, ' + grouped(app.value.sum) +
      ', is beyond what a browser can count exactly: amounts are rounded to multiples of ' + 2 ** app.value.shift + '.') : null);
}

// The actions of one frame. ITEMS: [label, key, action].
class Menu {
  constructor(root) {
    this.root = root;
    this.element = null;
  }

  open(x, y, items) {
    this.close();
    this.before = document.activeElement;
    this.element = h('div', { class: 'menu', role: 'menu', 'aria-label': 'Actions of the frame' },
      ...items.map(([label, key, action]) => h('button', {
        type: 'button', role: 'menuitem', onclick: () => { this.close(); action(); },
      }, label, h('kbd', null, key))));
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.root.append(this.element);
    const { width, height } = this.element.getBoundingClientRect();
    this.element.style.left = Math.max(4, Math.min(x, window.innerWidth - width - 4)) + 'px';
    this.element.style.top = Math.max(4, Math.min(y, window.innerHeight - height - 4)) + 'px';
    this.element.firstChild.focus();
  }

  key(event) {
    const items = [...this.element.children];
    const at = items.indexOf(document.activeElement);
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    event.stopPropagation();
    if (event.key in moves) {
      items[(moves[event.key] + items.length) % items.length].focus();
      event.preventDefault();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      this.close();
      event.preventDefault();
    }
  }

  close() {
    if (!this.element)
      return;
    this.element.remove();
    this.element = null;
    if (this.before && this.before.isConnected)
      this.before.focus({ preventScroll: true });
  }
}

const KEYS = [
  ['\u2190 \u2192', 'previous, next frame of the same caller'],
  ['\u2191 \u2193', 'towards the upper, the lower row'],
  ['Home End', 'first, last frame of the same caller'],
  ['Enter, click', 'zoom to the frame'],
  ['Backspace', 'zoom out by one frame'],
  ['0 or Esc', 'the whole graph (Esc first ends a search)'],
  ['Alt \u2190 Alt \u2192', 'back, forward (as the browser does)'],
  ['/ or Ctrl-F', 'search'],
  ['n N', 'next, previous match, widest first'],
  ['i', 'turn: root at the top or at the bottom'],
  ['o', 'order: name, value, time'],
  ['v', 'next value'],
  ['r', 'fold recursion'],
  ['t', 'table of functions'],
  ['s', 'sandwich: callers and callees'],
  ['z', 'sizes of single allocations, where known'],
  ['h', 'hide the function'],
  ['f', 'only stacks with the function'],
  ['u', 'undo hiding and focus'],
  ['c', 'copy the name'],
  ['Shift-c', 'copy the stack'],
  ['m', 'the overview: arrows move what is seen'],
  ['p', 'side panel on, off'],
  ['d', 'dark, light'],
  ['?', 'this help'],
];

function openHelp(root) {
  openDialog(root, 'Keys', h('div', null,
    h('div', { class: 'keys' }, ...KEYS.map(([keys, text]) => h('div', null, h('kbd', null, keys), h('span', null, text)))),
    h('p', null, 'A search is a regular expression; it ignores case unless it has a capital letter. ' +
      'The address of the page holds its state: a copied link or a bookmark leads back to the same view.')));
}
