// page_tree.js -- the tree in the side panel: below each frame its callees, the largest first.

// A callee with so much of its caller is open from the start, so many levels deep.
const OPEN_SHARE = .5, OPEN_LEVELS = 60;
// Pixels for each frame further out that has several callees: a chain of single ones stays in line.
const INDENT = 9, INDENTS_MOST = 10;

// What is open, and how many callees of a frame are listed. Another tree begins anew.
function treeStateOf(app, top) {
  const { tree } = app.view;
  if (!app.openTree || app.openTree.tree !== tree)
    app.openTree = { tree, open: new Set(), limits: new Map(), shown: new Set() };
  const state = app.openTree;
  if (!state.shown.has(top)) {
    state.shown.add(top);
    for (let node = top, level = 0; node >= 0 && level < OPEN_LEVELS; node = largestCallee(app, node), level++)
      state.open.add(node);
  }
  return state;
}

function isListed(app, node) {
  if (!app.isDiff)
    return app.totalOf(node) !== 0;
  const { after, before } = changeOf(app.view, node);
  return after !== 0 || before !== 0;
}

function calleesOf(app, node) {
  const { tree } = app.view;
  const list = [];
  for (let callee = node + 1; callee < tree.end[node]; callee = tree.end[callee]) {
    if (isListed(app, callee))
      list.push(callee);
  }
  return list.sort((a, b) => app.totalOf(b) - app.totalOf(a) || a - b);
}

// -1: none is large enough.
function largestCallee(app, node) {
  const largest = calleesOf(app, node)[0];
  return largest !== undefined && app.totalOf(largest) >= OPEN_SHARE * app.totalOf(node) ? largest : -1;
}

// The total alone: names need the room, and what is chosen has its own amount below the graph.
function treeCell(app, node, whole) {
  if (!app.isDiff)
    return cellAmount(app, app.totalOf(node), whole, true);
  const { after, before } = changeOf(app.view, node);
  return cellChange(app, after - before, { after, before });
}

// WHERE: level from 1 on, branches further out.
function treeRow(app, node, where, callees, state, whole, again) {
  const indent = INDENT * Math.min(where.branches, INDENTS_MOST);
  const isOpen = state.open.has(node);
  const toggle = () => {
    if (!state.open.delete(node))
      state.open.add(node);
    again();
  };
  const name = app.nameOf(app.view.tree.name[node]);
  const mark = callees.length === 0 ? h('span', { class: 'leaf' }) : h('button', {
    type: 'button', class: 'twist', 'data-twist': node, 'aria-label': (isOpen ? 'Close ' : 'Open ') + middleCut(name, 100), onclick: toggle,
  }, isOpen ? '\u25be' : '\u25b8');
  return h('tr', {
    role: 'row', 'aria-level': where.level, 'aria-expanded': callees.length > 0 ? String(isOpen) : null,
    class: node === app.state.selected ? 'chosen' : null,
  }, h('td', { class: 'name', style: 'padding-left:' + indent + 'px' }, h('div', { class: 'branch' }, mark,
    h('button', { type: 'button', title: middleCut(name, 600), 'data-node': node, onclick: () => app.select(node, false) },
      h('bdi', null, app.graph.fitter.fit(name, app.nameWidth(1) - indent - 22) || name.slice(0, 3))))),
  treeCell(app, node, whole));
}

// Rows of what is open below NODE; the depth is bounded by what was opened.
function treeRows(app, node, where, state, whole, again, body) {
  const callees = calleesOf(app, node);
  body.append(treeRow(app, node, where, callees, state, whole, again));
  if (!state.open.has(node))
    return;
  const limit = state.limits.get(node) || ROWS_AT_ONCE;
  const below = { level: where.level + 1, branches: where.branches + (callees.length > 1 ? 1 : 0) };
  for (const callee of callees.slice(0, limit))
    treeRows(app, callee, below, state, whole, again, body);
  if (callees.length > limit) {
    body.append(h('tr', null, h('td', { colspan: 2 }, h('button', {
      type: 'button', onclick: () => { state.limits.set(node, limit + 1000); again(); },
    }, 'Show more (' + grouped(callees.length - limit) + ' left)'))));
  }
}

function panelTree(app, panel) {
  const top = app.state.zoom;
  const state = treeStateOf(app, top);
  const body = h('tbody', null);
  const focused = panel.contains(document.activeElement) ? { ...document.activeElement.dataset } : {};
  treeRows(app, top, { level: 1, branches: 0 }, state, app.totalOf(top), () => panelTree(app, panel), body);
  refill(panel, h('table', { role: 'treegrid', 'aria-label': 'Tree by ' + app.value.title },
    h('thead', null, h('tr', null, h('th', { class: 'name', scope: 'col' }, 'Function'),
      h('th', { class: 'wide', scope: 'col' }, 'Total'))), body));
  for (const [key, node] of Object.entries(focused)) {
    const again = panel.querySelector('[data-' + key + '="' + node + '"]');
    if (again)
      again.focus({ preventScroll: true });
  }
}
