// chart_controls.js -- the parts of the flamechart's page, and which event does what.

const CHART_KEYS = [
  ['\u2190 \u2192', 'previous, next call of the row'],
  ['\u2191 \u2193', 'the caller, the first callee'],
  ['Home End', 'first, last call of the row'],
  ['Enter, double click', 'zoom to the call'],
  ['wheel, + \u2212', 'zoom in, out'],
  ['drag, Shift \u2190 \u2192', 'move in time'],
  ['Shift-wheel', 'scroll through the lanes'],
  ['0 or Esc', 'all of it (Esc first ends a search)'],
  ['Alt \u2190 Alt \u2192', 'back, forward (as the browser does)'],
  ['/ or Ctrl-F', 'search'],
  ['n N', 'next, previous call found, by time'],
  ['c', 'copy the name'],
  ['Shift-c', 'copy the stack'],
  ['t', 'table of functions'],
  ['m', 'the overview: arrows move what is seen'],
  ['p', 'side panel on, off'],
  ['d', 'dark, light'],
  ['?', 'this help'],
];

function openChartHelp(app) {
  openDialog(app.root, 'Keys', h('div', null,
    h('div', { class: 'keys' }, ...CHART_KEYS.map(([keys, text]) => h('div', null, h('kbd', null, keys), h('span', null, app.say(text))))),
    h('p', null, 'A click on the head of a lane folds it. A search is a regular expression; it ignores case unless it has a capital letter. ' +
      'The address of the page holds its state: a copied link or a bookmark leads back to the same view.')));
}

function buildChartToolbar(app) {
  app.reset = makeButton('Show all', 'The whole time (0)', 'reset', () => app.showAll());
  const zoom = [makeButton('\u2212', 'Show more time (\u2212)', 'out', () => app.zoomBy(ZOOM_STEP)),
    makeButton('+', 'Show less time (+)', 'in', () => app.zoomBy(1 / ZOOM_STEP))];
  zoom[0].setAttribute('aria-label', 'Zoom out');
  zoom[1].setAttribute('aria-label', 'Zoom in');
  return h('div', { class: 'bar', role: 'toolbar', 'aria-label': 'Controls' },
    buildSearch(app, app.say('Previous call found'), app.say('Next call found')), ...zoom,
    h('span', { class: 'push' }), ...buildPageButtons(app, 'chart', () => openChartHelp(app)));
}

// Of one value alone: others have no times.
function totalOfChart(value) {
  return h('span', { class: 'whole' }, h('strong', null, amountText(Number(value.sum), { ...value, shift: 0 })),
    ' ' + value.title + (value.rate ? '; ' + value.rate : ''));
}

function buildChart(app) {
  const { root, data } = app;
  app.range = h('span', { class: 'whole' });
  app.headBox = h('div', { class: 'axis' });
  app.viewport = h('div', { class: 'lanes', role: 'tree', 'aria-label': data.title, tabindex: '-1' });
  app.detail = h('div', { class: 'detail' });
  app.aside = buildSidePanel(app, CHART_PANELS.map(([id, label]) => [id, app.say(label)]));
  root.classList.add('chart');
  root.append(
    h('header', null, h('h1', null, data.title), h('span', { class: 'subtitle' }, data.subtitle), totalOfChart(data.values[0])),
    buildChartToolbar(app), h('div', { class: 'path' }, app.range, app.foundLine, h('span', { class: 'push' }), app.reset),
    h('main', null, h('div', { class: 'field' }, app.headBox, app.viewport), app.aside),
    h('footer', { 'aria-label': app.say('Call') }, app.detail, h('div', { class: 'actions' },
      makeButton('Zoom', app.say('Zoom to the chosen call (Enter)'), 'zoom', () => app.state.chosen && app.zoomToCall(app.state.chosen)),
      makeButton('Copy name', 'Copy the name (c)', 'copy-name', () => app.copyName()),
      makeButton('Copy stack', 'Copy the stack (Shift-c)', 'copy-stack', () => app.copyStack()))),
    buildLive(app));
  app.tip = new Tip(root);
}

// Panels

function factTable(rows) {
  return h('table', { class: 'facts' }, h('tbody', null, ...rows.map(([label, text]) =>
    h('tr', null, h('th', { scope: 'row' }, label), h('td', null, text)))));
}

function panelCall(app, panel) {
  const { chosen } = app.state;
  if (!chosen) {
    refill(panel, h('p', null, app.say('Choose a call in the chart: its times and its stack are shown here.')));
    return;
  }
  const { lane, call } = chosen;
  const node = lane.node[call];
  const [first, last] = calleePlaces(lane, app.tree, call);
  let inside = 0;
  for (let p = first; p < last; p++)
    inside += lane.end[lane.order[p]] - lane.start[lane.order[p]];
  const took = lane.end[call] - lane.start[call];
  const short = shortCallees(app.tree, app.rest, node);
  refill(panel,
    h('h2', { class: 'mono' }, app.nameOfCall(lane, call)),
    factTable([
      ['took', exactText(Math.round(took), NS)],
      ['from', exactText(Math.round(lane.start[call]), NS)],
      ['to', lane.open.has(call) ? 'the end of the program, in which it was open' : exactText(Math.round(lane.end[call]), NS)],
      ['in ' + grouped(last - first) + app.say(last - first === 1 ? ' call shown' : ' calls shown'), amountText(inside, NS)],
      [app.data.sampled ? 'own' : 'own, and shorter calls', amountText(Math.max(0, took - inside), NS)],
      ['lane', laneText(lane, app.say)],
    ]),
    h('p', null, app.data.sampled ? 'What neighbouring samples have in common; it may be several calls.'
      : 'As it ran: the recorder\u2019s own cost is in these times.'),
    ...(short.length === 0 ? [] : [
      h('h2', null, 'Calls under ' + amountText(lane.least, NS)),
      h('p', null, 'They have no place of their own in the chart. Sums over all calls of this stack:'),
      h('table', { 'aria-label': 'Calls too short for the chart' }, h('thead', null, h('tr', null,
        h('th', { class: 'name', scope: 'col' }, 'Function'), h('th', { class: 'amount', scope: 'col' }, 'Calls'),
        h('th', { class: 'amount', scope: 'col' }, 'Time'))),
      h('tbody', null, ...short.slice(0, ROWS_AT_ONCE).map(([name, calls, ns]) => h('tr', null,
        h('td', { class: 'name', title: middleCut(app.nameOf(name), 600) }, app.view.fitter.fit(app.nameOf(name), Math.max(80, app.panelWidth - 190))),
        h('td', { class: 'amount' }, grouped(calls)), h('td', { class: 'amount' }, amountText(ns, NS)))))),
    ]),
    h('h2', null, 'Stack'),
    h('ol', { class: 'stack mono' }, ...app.stackOf(chosen).map((name) => h('li', null, h('bdi', null, middleCut(name, 300))))));
}

// Of what is seen: functions by their time, those of a search alone if there is one.
function panelFunctions(app, panel) {
  const { from, to } = app.state;
  const table = functionsBetween(app.lanes, app.tree, app.names.length, from, to);
  const rows = [];
  for (let name = 0; name < app.names.length; name++) {
    if (table.calls[name] > 0 && (app.found === null || app.found.matched[name] !== 0))
      rows.push([name, table.calls[name], table.total[name]]);
  }
  rows.sort((a, b) => b[2] - a[2] || b[1] - a[1] || a[0] - b[0]);
  const length = to - from;
  refill(panel,
    h('p', null, grouped(rows.length) + (rows.length === 1 ? ' function' : ' functions') + ' in the ' + amountText(length, NS) +
      app.say(' shown, by the time of calls that have a place in the chart; a recursive call counts once.')),
    h('table', { 'aria-label': 'Functions in the time shown' },
      h('thead', null, h('tr', null, h('th', { class: 'name', scope: 'col' }, 'Function'),
        h('th', { class: 'amount', scope: 'col' }, app.say('Calls')), h('th', { class: 'wide', scope: 'col' }, 'Time'))),
      h('tbody', null, ...rows.slice(0, 300).map(([name, calls, total]) => h('tr', null,
        h('td', { class: 'name' }, h('button', {
          type: 'button', title: middleCut(app.nameOf(name), 600), 'data-name': name, onclick: () => searchName(app, name),
        }, h('bdi', null, app.view.fitter.fit(app.nameOf(name), Math.max(80, app.panelWidth - 240)) || app.nameOf(name).slice(0, 3)))),
        h('td', { class: 'amount' }, grouped(calls)),
        h('td', { class: 'amount', style: '--share:' + Math.min(100, total / length * 100).toFixed(2) + '%' },
          amountText(total, NS), h('small', null, shareText(total, length))))))));
}

function searchName(app, name) {
  app.input.value = '^' + app.nameOf(name).replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '$';
  app.search(app.input.value);
}

function panelChartLegend(app, panel) {
  const { data } = app;
  const fill = stepColour(app.palette(), 40, app.isDark());
  const marks = [
    [markSample(fill, 'same'), 'same function as the chosen or pointed-at call (dashed outline)'],
    [markSample(app.colours.found, 'match'), 'matches the search (outline); other calls turn grey'],
    [markSample(app.colours.narrow, ''), 'several calls too narrow to draw one by one (striped): zoom in'],
    ...(data.sampled ? [] : [[h('span', { class: 'dots', style: 'background:' + fill }), 'shorter calls are inside, known as sums alone (dotted line at the bottom)']]),
    [h('span', { class: 'ends', style: 'background:' + fill }), 'open when the program ended (dotted right end)'],
  ];
  const lost = app.lanes.reduce((sum, lane) => sum + lane.lost, 0);
  refill(panel,
    h('div', { class: 'row' }, labelled('Palette', makeSelect('Palette', data.palettes.filter((p) => p.name !== 'self-heat').map((p) => [p.name, p.title]),
      app.state.palette, (name) => app.setPalette(name), 'palette'))),
    h('p', null, 'A lane is a thread, or a fibre of one; a row is a level of calls, callers above. Left to right is time, from the start of the recording. ' +
      'The same function has the same colour everywhere.'),
    h('dl', { class: 'marks' }, ...marks.flatMap(([sample, text]) => [h('dt', null, sample), h('dd', null, app.say(text))])),
    ...(data.notes.length > 0 || lost > 0 ? [h('h2', null, 'Notes')] : []),
    ...data.notes.map((note) => h('p', { class: 'strong' }, note)));
}

// Events

function pointOf(app, event) {
  const box = app.viewport.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function pointAtCall(app, event) {
  const [x, y] = pointOf(app, event);
  const hit = app.view.hit(x, y);
  const before = app.hover;
  app.hover = hit && hit.call >= 0 ? hit : null;
  const name = (at) => (at ? app.tree.name[at.lane.node[at.call]] : -1);
  if (name(before) !== name(app.hover))
    app.view.draw();
  app.renderDetail();
  if (!app.hover || event.pointerType === 'touch') {
    app.tip.hide();
    return;
  }
  const { lane, call } = app.hover;
  app.tip.show(event.clientX, event.clientY, [h('span', { class: 'mono' }, middleCut(app.nameOfCall(lane, call), 1000)),
    h('table', { role: 'presentation' }, h('tbody', null, ...app.facts(lane, call).map(([label, text]) =>
      h('tr', null, h('td', null, label), h('td', { class: 'number' }, text)))))]);
}

function dragChart(app, start) {
  const { from, to } = app.state;
  const top = app.viewport.scrollTop;
  let moved = false;
  const move = (event) => {
    const by = event.clientX - start.clientX, down = event.clientY - start.clientY;
    moved = moved || Math.abs(by) + Math.abs(down) > 4;
    if (!moved)
      return;
    app.tip.hide();
    const shift = by / app.view.width * (to - from);
    app.viewport.scrollTop = top - down;
    app.show(from - shift, to - shift, false);
  };
  const end = (event) => {
    window.removeEventListener('pointermove', move);
    window.removeEventListener('pointerup', end);
    window.removeEventListener('pointercancel', end);
    if (!moved && event.type === 'pointerup')
      clickChart(app, event);
  };
  window.addEventListener('pointermove', move);
  window.addEventListener('pointerup', end);
  window.addEventListener('pointercancel', end);
}

function clickChart(app, event) {
  const hit = app.view.hit(...pointOf(app, event));
  if (hit && hit.call < 0)
    app.fold(hit.lane);
  else if (hit)
    app.choose(hit.lane, hit.call, true);
}

function wheelChart(app, event) {
  const box = app.viewport.getBoundingClientRect();
  if (event.shiftKey && event.deltaX === 0 && !event.ctrlKey) {
    app.viewport.scrollTop += event.deltaY;
  } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    app.panBy(event.deltaX / app.view.width);
  } else {
    app.zoomBy(ZOOM_STEP ** (Math.sign(event.deltaY) * Math.min(1, Math.abs(event.deltaY) / 60)),
      app.view.timeOf(event.clientX - box.left));
  }
  app.tip.hide();
  event.preventDefault();
}

// Where an arrow key leads from the chosen call: {lane, call}.
function neighbourCall(app, key) {
  const { lane, call } = app.state.chosen;
  const row = app.tree.depth[lane.node[call]] - 1;
  const first = lane.rowFirst[row], last = lane.rowFirst[row + 1] - 1;
  const place = lane.place[call];
  const places = { ArrowLeft: Math.max(first, place - 1), ArrowRight: Math.min(last, place + 1), Home: first, End: last };
  if (key in places)
    return { lane, call: lane.order[places[key]] };
  if (key === 'ArrowUp') {
    const caller = callerOf(lane, app.tree, call);
    return { lane, call: caller >= 0 ? caller : call };
  }
  const [below, end] = calleePlaces(lane, app.tree, call);
  return { lane, call: below < end ? lane.order[below] : call };
}

function moveInChart(app, event) {
  if (event.shiftKey && /Left|Right/.test(event.key)) {
    app.panBy(event.key === 'ArrowLeft' ? -.25 : .25);
    return;
  }
  const next = app.state.chosen ? neighbourCall(app, event.key) : { lane: app.lanes[0], call: app.lanes[0].order[0] };
  app.choose(next.lane, next.call, true);
}

const CHART_ACTIONS = {
  Enter: (app) => app.state.chosen && app.zoomToCall(app.state.chosen),
  '+': (app) => app.zoomBy(1 / ZOOM_STEP),
  '=': (app) => app.zoomBy(1 / ZOOM_STEP),
  '-': (app) => app.zoomBy(ZOOM_STEP),
  0: (app) => app.showAll(),
  '/': (app) => focusSearch(app),
  n: (app) => app.nextMatch(1),
  N: (app) => app.nextMatch(-1),
  c: (app) => app.copyName(),
  C: (app) => app.copyStack(),
  t: (app) => app.setPanel('functions'),
  m: (app) => app.overview.mark.focus(),
  p: (app) => app.togglePanel(),
  d: (app) => app.toggleTheme(),
  '?': openChartHelp,
  Escape: (app) => endSearch(app) || app.showAll(),
};

function listenToChart(app) {
  const { viewport } = app;
  viewport.addEventListener('pointermove', (event) => event.buttons === 0 && pointAtCall(app, event));
  viewport.addEventListener('pointerleave', () => {
    app.hover = null;
    app.tip.hide();
    app.view.draw();
    app.renderDetail();
  });
  viewport.addEventListener('pointerdown', (event) => event.button === 0 && event.offsetX < viewport.clientWidth && dragChart(app, event));
  viewport.addEventListener('dblclick', () => app.state.chosen && app.zoomToCall(app.state.chosen));
  for (const element of [viewport, app.headBox])
    element.addEventListener('wheel', (event) => wheelChart(app, event), { passive: false });
  viewport.addEventListener('scroll', () => {
    app.view.draw();
    app.overview.place();
  }, { passive: true });
  listenToWindow(app, CHART_ACTIONS, moveInChart, app.view);
  new ResizeObserver(() => app.refresh()).observe(viewport);
}

start(ChartApp);
