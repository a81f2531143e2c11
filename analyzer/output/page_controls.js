// page_controls.js -- the parts of a graph's page, and which event does what.

function buildToolbar(app) {
  const { state, data } = app;
  app.valueSelect = makeSelect('Value', data.values.map((v) => [v.name, v.title]), state.value,
    (value) => app.change({ value }), 'value');
  app.orderSelect = makeSelect('Order of siblings', ORDERS, state.order, (order) => app.change({ order }), 'order');
  app.widthSelect = makeSelect('Width of frames', WIDTHS, state.width, (width) => app.change({ width }), 'width');
  app.viewSelect = makeSelect('View', [], '', (view) => app.setView(view), 'view');
  app.flip = makeButton('Flames', 'Root at the bottom (i)', 'flip', () => app.change({ flames: !app.state.flames }));
  app.recursion = makeButton('Fold recursion', 'A recursive call joins the frame of its function above: own amounts stay, totals of functions in between shrink (r)', 'recursion',
    () => app.change({ collapse: !app.state.collapse }));
  app.reset = makeButton('Reset zoom', 'The whole graph (0)', 'reset', () => app.zoomTo(0));
  return h('div', { class: 'bar', role: 'toolbar', 'aria-label': 'Controls' },
    buildSearch(app, 'Previous match', 'Next match'),
    data.values.length > 1 ? app.valueSelect : null,
    app.isDiff ? app.widthSelect : null, app.viewSelect, app.orderSelect, app.flip, app.recursion,
    h('span', { class: 'push' }), ...buildPageButtons(app, 'graph', () => openHelp(app.root)));
}

function buildFooter(app) {
  app.detail = h('div', { class: 'detail' });
  const action = (label, title, control, act) => makeButton(label, title, control, act);
  return h('footer', { 'aria-label': 'Frame' }, app.detail, h('div', { class: 'actions' },
    action('Zoom', 'Zoom to the chosen frame (Enter)', 'zoom', () => app.zoomTo(app.state.selected)),
    action('Sandwich', 'Callers and callees (s)', 'sandwich', () => app.openSandwich(app.chosenName())),
    action('Hide', 'Hide the function (h)', 'hide', () => app.hide(app.chosenName())),
    action('Focus', 'Only stacks with the function (f)', 'focus', () => app.focusOn(app.chosenName())),
    action('Copy name', 'Copy the name (c)', 'copy-name', () => app.copyName()),
    action('Copy stack', 'Copy the stack (Shift-c)', 'copy-stack', () => app.copyStack())));
}

function buildPage(app) {
  const { root, data } = app;
  app.whole = h('span', { class: 'whole' });
  app.crumbs = h('nav', { class: 'crumbs', 'aria-label': 'Path of the zoom' });
  app.chips = h('div', { class: 'chips', hidden: true, role: 'group', 'aria-label': 'Filters' });
  app.viewport = h('div', { class: 'viewport' });
  app.empty = h('div', { class: 'empty', hidden: true }, 'Nothing of this value here.');
  app.viewport.append(app.empty);
  app.aside = buildSidePanel(app, PANELS.filter(([name]) => name !== 'sizes' || data.sizes));
  root.append(
    h('header', null, h('h1', null, data.title), h('span', { class: 'subtitle' }, data.subtitle), app.whole),
    buildToolbar(app), h('div', { class: 'path' }, app.crumbs, app.foundLine, app.reset), app.chips,
    h('main', null, h('div', { class: 'field' }, app.viewport), app.aside),
    buildFooter(app), buildLive(app));
  app.tip = new Tip(root);
  app.menu = new Menu(root);
}

// The entry of the layout under an event, or -1.
function entryOf(event) {
  const entry = event.target.entry;
  return Number.isInteger(entry) ? entry : -1;
}

function pointAt(app, entry) {
  const { layout } = app.graph;
  const node = entry >= 0 ? layout.node[entry] : -1;
  if (node === app.hover)
    return;
  const name = app.hoverName();
  app.hover = node;
  if (app.hoverName() !== name)
    app.graph.restyle();
  app.renderDetail();
}

function openFrameMenu(app, event) {
  const entry = entryOf(event);
  if (entry < 0)
    return;
  event.preventDefault();
  app.tip.hide();
  app.select(app.graph.layout.node[entry], true);
  const name = app.chosenName();
  const box = app.graph.cursor ? app.graph.cursor.getBoundingClientRect() : { left: 0, bottom: 0 };
  // The menu key has no place of its own.
  const byPointer = event.clientX !== 0 || event.clientY !== 0;
  app.menu.open(byPointer ? event.clientX : box.left, byPointer ? event.clientY : box.bottom, [
    ['Zoom to the frame', 'Enter', () => app.zoomTo(app.state.selected)],
    ['Callers and callees', 's', () => app.openSandwich(name)],
    ['Hide the function', 'h', () => app.hide(name)],
    ['Only stacks with it', 'f', () => app.focusOn(name)],
    ['Graph of its callers', '', () => name >= 0 && app.setView('callers', name)],
    ['Graph of its callees', '', () => name >= 0 && app.setView('callees', name)],
    ['Copy the name', 'c', () => app.copyName()],
    ['Copy the stack', 'Shift-c', () => app.copyStack()],
  ]);
}

function listenToGraph(app) {
  const { svg } = app.graph;
  svg.addEventListener('pointermove', (event) => {
    const entry = entryOf(event);
    pointAt(app, entry);
    if (entry < 0 || event.pointerType === 'touch')
      app.tip.hide();
    else
      app.tip.show(event.clientX, event.clientY, app.tipContent(entry));
  });
  svg.addEventListener('pointerleave', () => {
    pointAt(app, -1);
    app.tip.hide();
  });
  svg.addEventListener('click', (event) => {
    const entry = entryOf(event);
    if (entry < 0)
      return;
    app.zoomTo(app.graph.layout.node[entry]);
    (app.graph.cursor || svg).focus({ preventScroll: true });
  });
  svg.addEventListener('contextmenu', (event) => openFrameMenu(app, event));
  app.viewport.addEventListener('scroll', () => {
    app.tip.hide();
    app.overview.place();
  }, { passive: true });
}

function siblingsOf(app, node) {
  return node === 0 ? [0] : sortedChildren(app.view, app.view.tree.parent[node]);
}

// Where an arrow key leads from the chosen frame.
function neighbourOf(app, key) {
  const { tree } = app.view;
  const node = app.state.selected;
  const up = app.state.flames ? 'ArrowDown' : 'ArrowUp';
  const siblings = siblingsOf(app, node);
  if (key === 'Home')
    return siblings[0];
  if (key === 'End')
    return siblings[siblings.length - 1];
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const at = siblings.indexOf(node) + (key === 'ArrowLeft' ? -1 : 1);
    return siblings[Math.max(0, Math.min(siblings.length - 1, at))];
  }
  if (key === up)
    return tree.parent[node];
  // Into the widest child, whatever the order.
  let widest = node;
  for (let c = node + 1; c < tree.end[node]; c = tree.end[c]) {
    if (widest === node || app.totalOf(c) > app.totalOf(widest))
      widest = c;
  }
  return widest;
}

// Beyond the zoomed frame there is nothing to choose: the zoom goes along.
function moveTo(app, node) {
  const { zoom } = app.state;
  const inside = node >= zoom && node < app.view.tree.end[zoom];
  if (!inside)
    app.zoomTo(app.view.tree.parent[zoom]);
  app.select(node, true);
}

function nextOf(list, current) {
  return list[(list.indexOf(current) + 1) % list.length];
}

const ACTIONS = {
  Enter: (app) => app.zoomTo(app.state.selected),
  Backspace: (app) => app.zoomTo(app.view.tree.parent[app.state.zoom]),
  0: (app) => app.zoomTo(0),
  '/': (app) => focusSearch(app),
  n: (app) => app.nextMatch(1),
  N: (app) => app.nextMatch(-1),
  i: (app) => app.change({ flames: !app.state.flames }),
  o: (app) => app.change({ order: nextOf(ORDERS.map(([name]) => name), app.state.order) }),
  v: (app) => app.change({ value: nextOf(app.data.values.map((value) => value.name), app.state.value) }),
  r: (app) => app.change({ collapse: !app.state.collapse }),
  t: (app) => app.setPanel('top'),
  s: (app) => app.openSandwich(app.chosenName()),
  z: (app) => app.data.sizes && app.setPanel('sizes'),
  h: (app) => app.hide(app.chosenName()),
  f: (app) => app.focusOn(app.chosenName()),
  u: (app) => app.change({ hidden: [], focus: [] }),
  c: (app) => app.copyName(),
  C: (app) => app.copyStack(),
  m: (app) => app.overview.mark.focus(),
  p: (app) => app.togglePanel(),
  d: (app) => app.toggleTheme(),
  '?': (app) => openHelp(app.root),
  Escape: (app) => endSearch(app) || app.zoomTo(0),
};

function listenToPage(app) {
  document.addEventListener('pointerdown', (event) => {
    if (app.menu.element && !app.menu.element.contains(event.target))
      app.menu.close();
  });
  listenToWindow(app, ACTIONS, (page, event) => moveTo(page, neighbourOf(page, event.key)), app.graph);
  new ResizeObserver(() => resized(app)).observe(app.viewport);
}

function resized(app) {
  const { graph, viewport } = app;
  if (viewport.clientWidth !== graph.width) {
    app.refresh();
  } else if (viewport.clientHeight !== graph.seen) {
    graph.show(app.view, app.state.zoom, app.state.flames, app.state.selected);
    app.overview.place();
  }
}

start(App);
