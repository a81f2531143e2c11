// chart.js -- the flamechart's state, its address, and what the user does to it.

const NS = { unit: 'ns', shift: 0, scale: 1 };
const BYTES = { unit: 'bytes', shift: 0, scale: 1 };
const CHART_PANELS = [['call', 'Call'], ['functions', 'Functions'], ['legend', 'Legend']];
const ZOOM_STEP = 1.35;
const SHORTEST_VIEW = 20; // ns

// What is said of calls is said of bars where neighbouring samples made them: a bar may be several
// calls, and shorter ones between two samples are not known at all.
function sayOf(data) {
  return (text) => data.sampled ? text.replace(/\bcall(s?)\b/g, 'bar$1').replace(/\bCall(s?)\b/g, 'Bar$1') : text;
}

function laneText(lane, say) {
  const who = lane.fibre > 0 ? lane.name + ', fibre ' + lane.fibre : lane.name;
  const thread = lane.tid > 0 ? ' (thread ' + lane.tid + ')' : ' (several threads of this name)';
  return who + thread + ': ' + grouped(lane.count) + say(lane.count === 1 ? ' call' : ' calls') +
    (lane.least > 0 ? ', those under ' + amountText(lane.least, NS) + ' only as sums' : '');
}

class ChartApp {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.say = sayOf(data);
    this.names = data.names;
    this.steps = stepsFromHex(data.nameSteps);
    this.tree = treeFromData(data);
    this.rest = restFromData(data);
    this.lanes = data.lanes.map((lane) => laneFromData(lane, this.tree));
    this.moments = data.moments ? momentsFromData(data.moments) : null;
    this.dark = window.matchMedia('(prefers-color-scheme: dark)');
    this.fills = new Map();
    this.spanOfAll = this.wholeTime();
    this.initial = { ...this.spanOfAll, chosen: null, query: '' };
    this.state = { ...this.initial, panel: 'call', palette: data.palette, theme: '', sort: 'total',
      panelOpen: window.innerWidth > 820 };
    this.hover = null;
    this.shownHash = null;
    buildChart(this);
    this.applyTheme();
    this.view = new ChartView(this, this.headBox, this.viewport);
    this.overview = new Overview(new ChartMap(this));
    this.headBox.before(this.overview.element);
    listenToChart(this);
    this.readAddress();
  }

  // From before the first call to behind the last one.
  wholeTime() {
    let from = Infinity, to = 0;
    for (const lane of this.lanes) {
      from = Math.min(from, lane.start[0]);
      // A filter may have taken the calls of the outer rows.
      for (let row = 0; row < lane.rows; row++) {
        const last = lane.rowFirst[row + 1];
        if (last > lane.rowFirst[row])
          to = Math.max(to, lane.end[lane.order[last - 1]]);
      }
    }
    if (this.moments && this.moments.count > 0)
      from = Math.min(from, this.moments.ns[0]);
    const margin = Math.max(1, (to - from) / 200);
    return { from: Math.max(0, from - margin), to: to + margin };
  }

  nameOf(name) {
    return name < 0 ? 'all' : this.names[name];
  }

  nameOfCall(lane, call) {
    return this.nameOf(this.tree.name[lane.node[call]]);
  }

  isDark() {
    return this.state.theme === '' ? this.dark.matches : this.state.theme === 'dark';
  }

  palette() {
    return this.data.palettes.find((p) => p.name === this.state.palette);
  }

  hasShort(node) {
    const { tree, rest } = this;
    for (let c = node + 1; c < tree.end[node]; c = tree.end[c]) {
      if (rest.calls[c] > 0)
        return true;
    }
    return false;
  }

  describe(lane, call) {
    return this.nameOfCall(lane, call) + ', ' + amountText(lane.end[call] - lane.start[call], NS) + ' from ' +
      amountText(lane.start[call], NS) + ', ' + lane.name + (lane.open.has(call) ? ', open at the end' : '');
  }

  // Looks

  applyTheme() {
    this.root.dataset.theme = this.isDark() ? 'dark' : 'light';
    this.root.style.setProperty('--label', this.data.labels[this.isDark() ? 1 : 0]);
    const style = getComputedStyle(this.root);
    this.colours = {};
    for (const name of ['ground', 'raised', 'line', 'ink', 'faint', 'accent', 'mark', 'found', 'bar', 'dim', 'dim-ink', 'narrow'])
      this.colours[name] = style.getPropertyValue('--' + name).trim();
    this.fills.clear();
  }

  stepFill(step) {
    let fill = this.fills.get(step);
    if (!fill) {
      fill = stepColour(this.palette(), step, this.isDark());
      this.fills.set(step, fill);
    }
    return fill;
  }

  fillOfNode(node) {
    const { tree, data, state } = this;
    if (state.palette === 'module' && tree.module[node] > 0)
      return this.stepFill(stepsFromHex(data.moduleSteps)[tree.module[node] - 1]);
    return this.stepFill(this.steps[tree.name[node]]);
  }

  lookOf(lane, call) {
    const { colours, found, state, hover } = this;
    const name = this.tree.name[lane.node[call]];
    const ink = this.data.labels[this.isDark() ? 1 : 0];
    const look = { fill: '', ink, outline: null, dash: [] };
    const matches = found !== null && found.matched[name] !== 0;
    look.fill = found === null ? this.fillOfNode(lane.node[call]) : matches ? colours.found : colours.dim;
    if (found !== null && !matches)
      look.ink = colours['dim-ink'];
    const marked = hover || state.chosen;
    if (matches)
      look.outline = colours.mark;
    else if (marked && marked.call >= 0 && this.tree.name[marked.lane.node[marked.call]] === name)
      Object.assign(look, { outline: colours.ink, dash: [4, 2] });
    return look;
  }

  // From the state to the screen

  refresh() {
    this.aside.hidden = !this.state.panelOpen;
    this.panelWidth = this.panel.clientWidth || 380;
    this.view.draw();
    this.overview.update(this.view.width);
    this.renderBars();
    this.renderPanel();
    this.renderDetail();
  }

  // Many moves of the wheel make one picture.
  refreshSoon() {
    if (this.waiting)
      return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.refresh();
      this.writeAddress(false);
    });
  }

  renderBars() {
    const { state, found } = this;
    if (document.activeElement !== this.input)
      this.input.value = state.query;
    this.input.classList.toggle('literal', found !== null && found.literal);
    this.foundLine.textContent = found === null ? ''
      : (found.literal ? 'not a valid pattern, searched as text: ' : '') + grouped(found.calls) +
        this.say(found.calls === 1 ? ' call' : ' calls');
    for (const button of this.matchButtons)
      button.disabled = found === null || found.calls === 0;
    const step = (state.to - state.from) / 1000;
    refill(this.range, 'from ', h('strong', null, tickText(state.from, step)), ' to ',
      h('strong', null, tickText(state.to, step)), ': ' + amountText(state.to - state.from, NS));
    this.reset.disabled = state.from === this.spanOfAll.from && state.to === this.spanOfAll.to;
    this.themeButton.textContent = this.isDark() ? 'Light' : 'Dark';
    this.panelButton.setAttribute('aria-pressed', String(state.panelOpen));
  }

  renderPanel() {
    if (!this.state.panelOpen)
      return;
    for (const tab of this.tabs) {
      const chosen = tab.dataset.panel === this.state.panel;
      tab.setAttribute('aria-selected', String(chosen));
      tab.setAttribute('tabindex', chosen ? '0' : '-1');
    }
    this.panel.setAttribute('aria-labelledby', 'thag-tab-' + this.state.panel);
    ({ call: panelCall, functions: panelFunctions, legend: panelChartLegend })[this.state.panel](this, this.panel);
  }

  facts(lane, call) {
    const took = lane.end[call] - lane.start[call];
    const facts = [['took', amountText(took, NS)], ['from', amountText(lane.start[call], NS)]];
    const caller = callerOf(lane, this.tree, call);
    if (caller >= 0)
      facts.push(['of caller', shareText(took, lane.end[caller] - lane.start[caller])]);
    if (lane.open.has(call))
      facts.push(['', 'open at the end']);
    facts.push(['in', lane.name + (lane.fibre > 0 ? ', fibre ' + lane.fibre : '')]);
    return facts;
  }

  // The pointed-at call, else the chosen one.
  renderDetail() {
    const at = this.hover && this.hover.call >= 0 ? this.hover : this.state.chosen;
    if (!at) {
      refill(this.detail, h('span', null, this.say('Choose a call: its times are shown here.')));
      return;
    }
    const number = (label, text) => h('span', { class: 'number' }, h('i', null, label + ' '), text);
    refill(this.detail, h('span', { class: 'mono' }, middleCut(this.nameOfCall(at.lane, at.call), 240)),
      ...this.facts(at.lane, at.call).map(([label, text]) => number(label, text)));
  }

  // The address

  addressText() {
    const { state, initial } = this;
    const parts = [];
    if (state.from !== initial.from || state.to !== initial.to)
      parts.push('t=' + Math.round(state.from) + '.' + Math.round(state.to));
    if (state.query !== '')
      parts.push('q=' + encodeURIComponent(state.query));
    if (state.chosen)
      parts.push('c=' + this.lanes.indexOf(state.chosen.lane) + '.' + state.chosen.call);
    if (state.chosen || parts.length > 0)
      parts.push('m=' + this.data.mark);
    return parts.join('&');
  }

  // STEP: a new place in the history, for Back to return from.
  writeAddress(step) {
    const text = this.addressText();
    if (text === this.shownHash)
      return;
    this.shownHash = text;
    try {
      if (step)
        history.pushState(null, '', '#' + text);
      else
        history.replaceState(null, '', '#' + text);
    } catch (error) {
      // Some embedded viewers have no history; the page works without.
    }
  }

  // Links come from anywhere: what is out of range, or of another file, is left out.
  parseAddress(text) {
    const parsed = new Map(text.split('&').map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
    const state = { ...this.initial };
    try {
      state.query = decodeURIComponent(parsed.get('q') || '');
    } catch (error) {
      state.query = '';
    }
    if (parsed.get('m') !== this.data.mark)
      return state;
    const [from, to] = (parsed.get('t') || '').split('.').map(Number);
    if (from >= 0 && to - from >= SHORTEST_VIEW && to <= this.spanOfAll.to + 1)
      Object.assign(state, { from, to });
    const [number, call] = (parsed.get('c') || '').split('.').map(Number);
    const lane = this.lanes[number];
    if (lane && Number.isInteger(call) && call >= 0 && call < lane.count)
      state.chosen = { lane, call };
    return state;
  }

  readAddress() {
    const text = location.hash.slice(1);
    if (text === this.shownHash)
      return;
    Object.assign(this.state, this.parseAddress(text));
    this.shownHash = text;
    this.prepareSearch();
    this.refresh();
    if (this.state.chosen)
      this.view.reveal(this.state.chosen.lane, this.state.chosen.call);
  }

  // Actions

  // Show FROM to TO, as far as there is something.
  show(from, to, step) {
    const all = this.spanOfAll;
    const length = Math.min(Math.max(to - from, SHORTEST_VIEW), all.to - all.from);
    this.state.from = Math.max(all.from, Math.min(from, all.to - length));
    this.state.to = this.state.from + length;
    if (step) {
      this.refresh();
      this.writeAddress(true);
    } else {
      this.refreshSoon();
    }
  }

  // FACTOR above 1 shows more; what is at TIME stays where it is.
  zoomBy(factor, time) {
    const { from, to } = this.state;
    const at = time === undefined ? (from + to) / 2 : time;
    this.show(at - (at - from) * factor, at + (to - at) * factor, false);
  }

  panBy(part) {
    const by = (this.state.to - this.state.from) * part;
    this.show(this.state.from + by, this.state.to + by, false);
  }

  showAll() {
    this.show(this.spanOfAll.from, this.spanOfAll.to, true);
  }

  zoomToCall({ lane, call }) {
    const margin = Math.max(SHORTEST_VIEW / 2, (lane.end[call] - lane.start[call]) / 40);
    this.state.chosen = { lane, call };
    this.show(lane.start[call] - margin, lane.end[call] + margin, true);
    announce(this, 'Zoomed to ' + this.describe(lane, call));
  }

  choose(lane, call, focus) {
    lane.folded = false;
    this.state.chosen = { lane, call };
    const { from, to } = this.state;
    if (lane.end[call] <= from || lane.start[call] >= to) {
      const half = (to - from) / 2, middle = (lane.start[call] + lane.end[call]) / 2;
      this.show(middle - half, middle + half, false);
    }
    this.refresh();
    this.view.reveal(lane, call);
    this.writeAddress(false);
    if (focus)
      this.view.cursor.focus({ preventScroll: true });
  }

  fold(lane) {
    lane.folded = !lane.folded;
    this.refresh();
  }

  prepareSearch() {
    const { query } = this.state;
    this.found = null;
    for (const lane of this.lanes)
      lane.matches = null;
    if (query === '')
      return;
    this.found = { ...namesMatching(this.names, query), calls: 0 };
    for (const lane of this.lanes) {
      lane.matches = new Int32Array(lane.count + 1);
      for (let p = 0; p < lane.count; p++)
        lane.matches[p + 1] = lane.matches[p] + (this.found.matched[this.tree.name[lane.node[lane.order[p]]]] !== 0 ? 1 : 0);
      this.found.calls += lane.matches[lane.count];
    }
  }

  search(query) {
    this.state.query = query;
    this.prepareSearch();
    this.refresh();
    this.writeAddress(false);
  }

  // The next call found, by time and then by lane.
  nextMatch(by) {
    if (!this.found || this.found.calls === 0)
      return;
    const { chosen } = this.state;
    const number = (lane) => this.lanes.indexOf(lane);
    const before = (a, b) => a.lane.start[a.call] - b.lane.start[b.call] || number(a.lane) - number(b.lane) || a.call - b.call;
    let best = null, first = null;
    for (const lane of this.lanes) {
      for (let call = 0; call < lane.count; call++) {
        if (this.found.matched[this.tree.name[lane.node[call]]] === 0)
          continue;
        const one = { lane, call };
        if (!first || before(one, first) * by < 0)
          first = one;
        if (chosen && before(one, chosen) * by > 0 && (!best || before(one, best) * by < 0))
          best = one;
      }
    }
    best = best || first;
    this.choose(best.lane, best.call, document.activeElement !== this.input);
  }

  focusPicture() {
    (this.view.cursor.hidden ? this.viewport : this.view.cursor).focus({ preventScroll: true });
  }

  setPanel(panel) {
    Object.assign(this.state, { panel, panelOpen: true });
    this.refresh();
  }

  setPalette(palette) {
    this.state.palette = palette;
    this.fills.clear();
    this.refresh();
  }

  togglePanel() {
    this.state.panelOpen = !this.state.panelOpen;
    this.refresh();
  }

  toggleTheme() {
    this.state.theme = this.isDark() ? 'light' : 'dark';
    this.applyTheme();
    this.refresh();
  }

  stackOf({ lane, call }) {
    const path = [];
    for (let n = lane.node[call]; n !== 0; n = this.tree.parent[n])
      path.push(this.nameOf(this.tree.name[n]));
    return path.reverse();
  }

  copyName() {
    const { chosen } = this.state;
    if (chosen)
      copyText(this, this.nameOfCall(chosen.lane, chosen.call), 'Name');
  }

  copyStack() {
    if (this.state.chosen)
      copyText(this, this.stackOf(this.state.chosen).join(';'), 'Stack');
  }

  savePicture() {
    saveCanvas(this, this.view.toCanvas(this.data.title));
  }
}
