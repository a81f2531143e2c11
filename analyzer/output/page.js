// page.js -- the state of the page, its address, and what the user does to it.

const ORDERS = [['name', 'By name'], ['value', 'By value'], ['time', 'By first sight']];
const PANELS = [['top', 'Table'], ['tree', 'Tree'], ['sandwich', 'Sandwich'], ['matches', 'Matches'],
  ['sizes', 'Sizes'], ['legend', 'Legend']];

class App {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.names = data.names;
    this.steps = stepsFromHex(data.nameSteps);
    this.moduleSteps = stepsFromHex(data.moduleSteps);
    this.base = treeFromData(data);
    this.dark = window.matchMedia('(prefers-color-scheme: dark)');
    this.fills = new Map();
    this.isDiff = data.kind === 'differential';
    this.initial = {
      value: data.value, order: data.order, flames: data.flames, collapse: false, query: '',
      hidden: [], focus: [], view: '', of: -1, zoom: 0, width: data.width || '',
    };
    this.state = { ...this.initial, selected: 0, panel: 'top', sort: 'self', palette: data.palette,
      theme: '', panelOpen: window.innerWidth > 820 };
    this.hover = -1;
    this.match = -1;
    this.shownHash = null;
    buildPage(this);
    this.applyTheme();
    this.graph = new Graph(this.viewport, this.makePaint());
    this.overview = new Overview(new GraphMap(this));
    this.viewport.before(this.overview.element);
    listenToGraph(this);
    listenToPage(this);
    this.readAddress();
  }

  // Facts about frames

  nameOf(name) {
    return name < 0 ? 'all' : this.names[name];
  }

  selfOf(node) {
    return this.view.sums[node + 1] - this.view.sums[node];
  }

  totalOf(node) {
    return this.view.sums[this.view.tree.end[node]] - this.view.sums[node];
  }

  // The width of all that was recorded, whatever is hidden.
  wholeTotal() {
    const { valueIndex, isDiff, state } = this;
    const key = valueIndex + state.width;
    if (this.wholeKey !== key) {
      this.wholeKey = key;
      const after = this.base.sums[valueIndex];
      this.wholeAmount = isDiff
        ? widthSums(after, this.base.sums[valueIndex + this.data.values.length], state.width)[this.base.count]
        : after[this.base.count];
    }
    return this.wholeAmount;
  }

  chosenName() {
    return this.state.function !== undefined ? this.state.function
      : this.view.tree.name[this.state.selected];
  }

  functionsBelowZoom() {
    const key = this.viewKey + ' ' + this.valueIndex + ' ' + this.state.zoom;
    if (!this.functions || this.functions.key !== key) {
      this.functions = this.isDiff ? changedFunctions(this)
        : functionTable(this.view.tree, this.view.sums, this.names.length, this.state.zoom);
      this.functions.key = key;
    }
    return this.functions;
  }

  palette() {
    return this.data.palettes.find((p) => p.name === this.state.palette);
  }

  isDark() {
    return this.state.theme === '' ? this.dark.matches : this.state.theme === 'dark';
  }

  // What the columns of amounts leave for a name, see page.css.
  nameWidth(amounts) {
    return Math.max(80, this.panelWidth - 16 - 132 - 80 * (amounts - 1) - 12);
  }

  stackOf(node) {
    const path = [];
    for (let n = node; n !== 0; n = this.view.tree.parent[n])
      path.push(this.nameOf(this.view.tree.name[n]));
    return path.reverse();
  }

  describe(node) {
    const { tree } = this.view;
    const total = this.totalOf(node);
    if (this.isDiff) {
      const change = changeOf(this.view, node);
      return this.nameOf(tree.name[node]) + ', before ' + amountText(change.before, this.value) + ', after ' +
        amountText(change.after, this.value) + ', ' + relativeText(change.after, change.before);
    }
    return this.nameOf(tree.name[node]) + ', ' + amountText(total, this.value) + ', self ' +
      amountText(this.selfOf(node), this.value) + ', ' + shareText(total, this.wholeTotal()) + ' of all, ' +
      shareText(total, this.totalOf(tree.parent[node])) + ' of parent';
  }

  // Looks of frames

  makePaint() {
    return {
      fill: (entry) => this.fillOf(entry),
      className: (entry) => this.classOf(entry),
      label: (entry) => this.labelOf(entry),
      labelClass: (entry) => this.labelClassOf(entry),
      labelColour: (entry) => this.labelColourOf(entry),
      describe: (node) => this.describe(node),
    };
  }

  isDim(node) {
    const name = this.view.tree.name[node];
    return this.found !== null && (name < 0 || this.found.matched[name] === 0);
  }

  fillOf(entry) {
    const { layout } = this.graph;
    return layout.count[entry] > 0 ? 'url(#thag-hatch)' : this.fillOfNode(layout.node[entry]);
  }

  fillOfNode(node) {
    if (this.isDim(node))
      return this.colours.dim;
    if (this.found !== null)
      return this.colours.found;
    return this.isDiff ? changeFill(this, node) : this.stepFill(this.stepOf(node));
  }

  stepOf(node) {
    const { tree } = this.view;
    if (this.state.palette === 'self-heat')
      return Math.floor(255 * Math.sqrt(this.selfOf(node) / (this.wholeTotal() || 1)));
    if (this.state.palette === 'module' && tree.module[node] > 0)
      return this.moduleSteps[tree.module[node] - 1];
    return node === 0 ? 0 : this.steps[tree.name[node]];
  }

  stepFill(step) {
    let fill = this.fills.get(step);
    if (!fill) {
      fill = stepColour(this.palette(), step, this.isDark());
      this.fills.set(step, fill);
    }
    return fill;
  }

  classOf(entry) {
    const { layout } = this.graph;
    const node = layout.node[entry];
    if (layout.count[entry] > 0)
      return 'f narrow';
    const { tree } = this.view;
    const name = tree.name[node];
    let className = 'f';
    if (node < this.state.zoom && this.state.zoom < tree.end[node])
      className += ' above';
    if (this.found !== null && name >= 0 && this.found.matched[name] !== 0)
      className += ' match';
    if (name >= 0 && (name === this.hoverName() || name === this.chosenName()))
      className += ' same';
    if (node === this.state.selected && node !== this.state.zoom)
      className += ' cursor';
    // Outlines would cover what they are about.
    if (className !== 'f' && layout.width[entry] < 6)
      className += ' thin';
    return className;
  }

  hoverName() {
    return this.hover < 0 ? -2 : this.view.tree.name[this.hover];
  }

  labelOf(entry) {
    const { layout } = this.graph;
    if (layout.count[entry] > 0)
      return '(' + layout.count[entry] + (layout.count[entry] === 1 ? ' narrow frame)' : ' narrow frames)');
    const mark = this.isDiff ? changeMark(changeOf(this.view, layout.node[entry])) : '';
    return mark + this.nameOf(this.view.tree.name[layout.node[entry]]);
  }

  labelClassOf(entry) {
    const { layout } = this.graph;
    const node = layout.node[entry];
    if (layout.count[entry] > 0)
      return 'l narrow';
    let className = this.isDim(node) ? 'l dim' : this.found !== null ? 'l match' : 'l';
    if (node < this.state.zoom && this.state.zoom < this.view.tree.end[node])
      className += ' above';
    if (this.view.tree.flags[node] & 1)
      className += ' inlined';
    return className;
  }

  labelColourOf(entry) {
    const { layout } = this.graph;
    return layout.count[entry] > 0 || this.isDim(layout.node[entry]) ? this.colours.dimInk : this.data.labels[this.isDark() ? 1 : 0];
  }

  // From the state to the screen

  // The trees: the data, then without what is hidden, then seen from another side.
  prepareTrees() {
    const { hidden, focus, collapse, view, of } = this.state;
    const filterKey = JSON.stringify([hidden, focus, collapse]);
    if (this.filterKey !== filterKey) {
      this.filterKey = filterKey;
      this.tree = hidden.length + focus.length > 0 || collapse
        ? treeFiltered(this.base, this.names.length, { hidden: new Set(hidden), focus: new Set(focus), collapse })
        : this.base;
    }
    const viewKey = filterKey + view + of;
    if (this.viewKey !== viewKey) {
      this.viewKey = viewKey;
      this.viewTree = view === 'reversed' ? treeReversed(this.tree, this.names.length, -1)
        : view === 'callers' ? treeReversed(this.tree, this.names.length, of)
        : view === 'callees' ? treeBelow(this.tree, this.names.length, of)
        : this.tree;
      this.view = null;
    }
    this.valueIndex = Math.max(0, this.data.values.findIndex((v) => v.name === this.state.value));
    this.value = this.data.values[this.valueIndex];
    const order = this.state.order;
    const { width } = this.state;
    if (!this.view || this.view.order !== order || this.view.value !== this.value || this.view.width !== width) {
      const after = this.viewTree.sums[this.valueIndex];
      const before = this.isDiff ? this.viewTree.sums[this.valueIndex + this.data.values.length] : null;
      this.view = { tree: this.viewTree, sums: this.isDiff ? widthSums(after, before, width) : after, after, before,
        value: this.value, width, order, children: new Map() };
    }
  }

  prepareSearch() {
    const { query } = this.state;
    if (query === '') {
      this.found = null;
      this.match = -1;
      return;
    }
    if (!this.found || this.found.query !== query)
      this.found = { ...namesMatching(this.names, query), query };
    const { tree, sums } = this.view;
    const key = this.viewKey + this.valueIndex + this.state.width + ' ' + this.state.zoom;
    if (this.found.key !== key) {
      this.found.key = key;
      this.found.inZoom = matchSum(tree, sums, this.found.matched, this.state.zoom);
      this.found.inAll = this.state.zoom === 0 ? this.found.inZoom : matchSum(tree, sums, this.found.matched, 0);
      this.match = -1;
    }
  }

  foundText() {
    const { inAll, inZoom } = this.found;
    if (this.isDiff) {
      const sum = (sums) => inZoom.outermost.reduce((all, n) => all + sums[this.view.tree.end[n]] - sums[n], 0);
      const [before, after] = [sum(this.view.before), sum(this.view.after)];
      return grouped(inZoom.frames) + (inZoom.frames === 1 ? ' frame, ' : ' frames, ') + amountText(before, this.value) +
        ' \u2192 ' + amountText(after, this.value) + ' (' + relativeText(after, before) + ')';
    }
    const all = shareText(inAll.amount, this.wholeTotal()) + ' of all';
    return grouped(inZoom.frames) + (inZoom.frames === 1 ? ' frame, ' : ' frames, ') +
      (this.state.zoom === 0 ? all : shareText(inZoom.amount, this.totalOf(this.state.zoom)) + ' of zoom, ' + all);
  }

  refresh() {
    this.prepareTrees();
    const { tree } = this.view;
    if (this.state.zoom >= tree.count)
      this.state.zoom = 0;
    const zoom = this.state.zoom;
    if (this.state.selected < zoom || this.state.selected >= tree.end[zoom])
      this.state.selected = zoom;
    this.prepareSearch();
    this.hover = -1;
    this.tip.hide();
    this.panelWidth = this.panel.clientWidth || 380;
    this.rootWidth = this.root.clientWidth;
    this.graph.show(this.view, zoom, this.state.flames, this.state.selected);
    this.overview.update(this.graph.width);
    this.renderBars();
    this.renderPanel();
    this.renderDetail();
  }

  // What depends on the chosen frame alone.
  refreshSelection() {
    const entry = this.graph.layout.find(this.state.selected);
    if (entry < 0)
      this.graph.show(this.view, this.state.zoom, this.state.flames, this.state.selected);
    this.graph.reveal(this.state.selected);
    this.graph.draw(this.state.selected);
    this.renderDetail();
    if (['top', 'tree', 'sandwich'].includes(this.state.panel))
      this.renderPanel();
  }

  renderBars() {
    const { state, data } = this;
    const zoomed = this.totalOf(state.zoom);
    this.renderWhole();
    this.graph.svg.setAttribute('aria-label', data.title + ', ' + this.value.title);
    this.empty.hidden = zoomed > 0;
    this.input.classList.toggle('literal', this.found !== null && this.found.literal);
    if (document.activeElement !== this.input)
      this.input.value = state.query;
    this.foundLine.textContent = this.found === null ? ''
      : (this.found.literal ? 'not a valid pattern, searched as text: ' : '') + this.foundText();
    for (const button of this.matchButtons)
      button.disabled = this.found === null || this.found.inZoom.outermost.length === 0;
    this.valueSelect.value = state.value;
    this.orderSelect.value = state.order;
    this.themeButton.textContent = this.isDark() ? 'Light' : 'Dark';
    this.flip.setAttribute('aria-pressed', String(state.flames));
    this.recursion.setAttribute('aria-pressed', String(state.collapse));
    this.panelButton.setAttribute('aria-pressed', String(state.panelOpen));
    this.reset.disabled = state.zoom === 0;
    this.aside.hidden = !state.panelOpen;
    this.renderViewSelect();
    this.renderCrumbs();
    this.renderChips();
  }

  renderWhole() {
    const { value, valueIndex, base } = this;
    const after = base.sums[valueIndex][base.count];
    if (this.isDiff) {
      const before = base.sums[valueIndex + this.data.values.length][base.count];
      refill(this.whole, amountText(before, value) + ' \u2192 ', h('strong', null, amountText(after, value)),
        ' (' + relativeText(after, before) + ') ' + value.title);
      this.whole.title = exactText(before, value) + ' \u2192 ' + exactText(after, value);
      this.widthSelect.value = this.state.width;
    } else {
      refill(this.whole, h('strong', null, amountText(after, value)), ' ' + value.title + (value.rate ? '; ' + value.rate : ''));
      this.whole.title = exactText(after, value);
    }
  }

  renderViewSelect() {
    const choices = [['', 'Top-down'], ['reversed', 'Reversed']];
    if (this.state.of >= 0)
      choices.push([this.state.view, (this.state.view === 'callers' ? 'Callers of ' : 'Callees of ') +
        middleCut(this.nameOf(this.state.of), 40)]);
    refill(this.viewSelect, ...choices.map(([value, text]) => h('option', { value }, text)));
    this.viewSelect.value = this.state.view;
  }

  renderCrumbs() {
    const { tree } = this.view;
    const path = [];
    for (let n = this.state.zoom; n !== 0; n = tree.parent[n])
      path.push(n);
    path.push(0);
    path.reverse();
    const crumb = (node) => h('button', {
      type: 'button', class: this.nameOf(tree.name[node]).length > 12 ? 'mono' : 'mono short', title: middleCut(this.nameOf(tree.name[node]), 600),
      'aria-current': node === this.state.zoom ? 'location' : null, onclick: () => this.zoomTo(node),
    }, h('bdi', null, middleCut(this.nameOf(tree.name[node]), node === this.state.zoom ? 70 : 28)));
    const separator = (text) => h('span', { class: 'sep', 'aria-hidden': 'true' }, text);
    const room = Math.max(3, Math.floor(this.rootWidth / 170));
    const elements = [];
    path.forEach((node, i) => {
      const skipped = path.length - room;
      if (skipped > 0 && i > 1 && i < 2 + skipped) {
        if (i === 2)
          elements.push(separator('\u203a'), h('span', { class: 'sep' }, '\u2026 ' + skipped + ' more'));
        return;
      }
      if (i > 0)
        elements.push(separator('\u203a'));
      elements.push(crumb(node));
    });
    refill(this.crumbs, ...elements);
  }

  renderChips() {
    const { hidden, focus } = this.state;
    const chip = (label, name, list) => h('button', {
      type: 'button', class: 'chip', title: 'Undo: ' + label + ' ' + middleCut(this.nameOf(name), 600),
      onclick: () => this.change({ [list]: this.state[list].filter((other) => other !== name) }),
    }, '\u00d7 ' + label + ' ', h('bdi', { class: 'mono' }, middleCut(this.nameOf(name), 40)));
    this.chips.hidden = hidden.length + focus.length === 0;
    refill(this.chips,
      ...focus.map((name) => chip('only with', name, 'focus')),
      ...hidden.map((name) => chip('hidden', name, 'hidden')));
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
    const render = { top: panelTop, tree: panelTree, sandwich: panelSandwich, matches: panelMatches,
      sizes: panelSizes, legend: panelLegend };
    render[this.state.panel](this, this.panel);
  }

  // The pointed-at frame, else the chosen one.
  renderDetail() {
    const node = this.hover >= 0 ? this.hover : this.state.selected;
    const number = (label, text) => h('span', { class: 'number' }, h('i', null, label + ' '), text);
    refill(this.detail, h('span', { class: 'mono' }, middleCut(this.nameOf(this.view.tree.name[node]), 240)),
      ...this.facts(node).map(([label, text]) => number(label, text)));
  }

  facts(node) {
    const { tree } = this.view;
    const total = this.totalOf(node);
    if (this.isDiff)
      return changeFacts(this, node);
    const facts = [['total', amountText(total, this.value)]];
    if (this.state.view !== 'reversed' && this.state.view !== 'callers')
      facts.push(['self', amountText(this.selfOf(node), this.value)]);
    facts.push(['of all', shareText(total, this.wholeTotal())]);
    if (this.state.zoom !== 0)
      facts.push(['of zoom', shareText(total, this.totalOf(this.state.zoom))]);
    if (node !== 0)
      facts.push(['of parent', shareText(total, this.totalOf(tree.parent[node]))]);
    if (tree.module[node] > 0)
      facts.push(['module', this.data.modules[tree.module[node] - 1]]);
    if (tree.flags[node] & 1)
      facts.push(['', 'inlined']);
    return facts;
  }

  tipContent(entry) {
    const { layout } = this.graph;
    const node = layout.node[entry];
    if (layout.count[entry] > 0) {
      return [h('span', { class: 'mono' }, this.labelOf(entry)),
        'below ' + middleCut(this.nameOf(this.view.tree.name[node]), 120) + ', too narrow to be drawn; zoom in to see them'];
    }
    const name = h('span', { class: 'mono' }, middleCut(this.nameOf(this.view.tree.name[node]), 1000));
    if (this.isDiff)
      return [name, changeTip(this, node)];
    const rows = this.facts(node).map(([label, text]) =>
      h('tr', null, h('td', null, label), h('td', { class: 'number' }, text)));
    rows[0].append(h('td', { class: 'number' }, exactText(this.totalOf(node), this.value)));
    if (rows[1] && this.facts(node)[1][0] === 'self')
      rows[1].append(h('td', { class: 'number' }, exactText(this.selfOf(node), this.value)));
    return [name, h('table', { role: 'presentation' }, h('tbody', null, ...rows))];
  }

  // The address

  addressText() {
    const { state, initial } = this;
    const parts = [];
    const put = (key, text) => parts.push(key + '=' + encodeURIComponent(text));
    if (state.value !== initial.value)
      put('v', state.value);
    if (state.order !== initial.order)
      put('o', state.order);
    if (state.flames !== initial.flames)
      put('f', state.flames ? 1 : 0);
    if (state.width !== initial.width)
      put('x', state.width);
    if (state.collapse)
      put('r', 1);
    if (state.query !== '')
      put('q', state.query);
    if (state.hidden.length > 0)
      put('h', state.hidden.join('.'));
    if (state.focus.length > 0)
      put('k', state.focus.join('.'));
    if (state.view !== '')
      put('w', state.view + (state.of >= 0 ? '.' + state.of : ''));
    if (state.zoom !== 0)
      put('z', state.zoom);
    if (state.hidden.length + state.focus.length > 0 || state.of >= 0 || state.zoom !== 0)
      put('m', this.data.mark);
    return parts.join('&');
  }

  // STEP: a new place in the history, for Back to return from.
  writeAddress(step) {
    const text = this.addressText();
    if (text === this.shownHash)
      return;
    this.shownHash = text;
    const address = '#' + text;
    try {
      if (step)
        history.pushState(null, '', address);
      else
        history.replaceState(null, '', address);
    } catch (error) {
      // Some embedded viewers have no history; the page works without.
    }
  }

  // Links come from anywhere: numbers out of range, or of another file, are left out.
  parseAddress(text) {
    const parsed = new Map();
    for (const part of text.split('&')) {
      const at = part.indexOf('=');
      try {
        parsed.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1)));
      } catch (error) {
        continue;
      }
    }
    const state = { ...this.initial };
    const same = parsed.get('m') === this.data.mark;
    const isName = (name) => Number.isInteger(name) && name >= 0 && name < this.names.length;
    const nameList = (key) => same && parsed.get(key) ? [...new Set(parsed.get(key).split('.').map(Number).filter(isName))] : [];
    if (this.data.values.some((value) => value.name === parsed.get('v')))
      state.value = parsed.get('v');
    if (ORDERS.some(([order]) => order === parsed.get('o')))
      state.order = parsed.get('o');
    if (this.isDiff && WIDTHS.some(([width]) => width === parsed.get('x')))
      state.width = parsed.get('x');
    if (parsed.has('f'))
      state.flames = parsed.get('f') === '1';
    state.collapse = parsed.get('r') === '1';
    state.query = parsed.get('q') || '';
    state.hidden = nameList('h');
    state.focus = nameList('k');
    const [view, of] = (parsed.get('w') || '').split('.');
    if (view === 'reversed')
      state.view = view;
    else if ((view === 'callers' || view === 'callees') && same && isName(Number(of)))
      Object.assign(state, { view, of: Number(of) });
    const zoom = Number(parsed.get('z'));
    if (same && Number.isInteger(zoom) && zoom > 0)
      state.zoom = zoom;
    return state;
  }

  readAddress() {
    const text = location.hash.slice(1);
    if (text === this.shownHash)
      return;
    Object.assign(this.state, this.parseAddress(text));
    delete this.state.function;
    this.shownHash = text;
    this.refresh();
    this.graph.reveal(this.state.zoom);
  }

  // Actions

  // Take over CHANGES. Where the tree becomes another, the zoom stays on the same path of names.
  change(changes, step = true) {
    const turned = 'flames' in changes;
    const names = [];
    const before = this.viewTree;
    for (let n = this.state.zoom; n !== 0; n = before.parent[n])
      names.push(before.name[n]);
    Object.assign(this.state, changes);
    this.prepareTrees();
    if (this.viewTree !== before && !('zoom' in changes)) {
      const { tree } = this.view;
      let node = 0;
      for (const name of names.reverse()) {
        let child = node + 1;
        while (child < tree.end[node] && tree.name[child] !== name)
          child = tree.end[child];
        if (child < tree.end[node])
          node = child;
      }
      this.state.zoom = this.state.selected = node;
    }
    this.refresh();
    if (turned)
      this.graph.reveal(this.state.zoom);
    this.writeAddress(step);
  }

  // STEP: as of writeAddress().
  zoomTo(node, step = true) {
    delete this.state.function;
    this.change({ zoom: node, selected: node }, step);
    this.graph.reveal(node);
    announce(this, 'Zoomed to ' + this.describe(node));
  }

  focusPicture() {
    (this.graph.cursor || this.graph.svg).focus({ preventScroll: true });
  }

  select(node, focus) {
    delete this.state.function;
    this.state.selected = node;
    this.refreshSelection();
    if (focus)
      (this.graph.cursor || this.graph.svg).focus({ preventScroll: true });
  }

  // A function of a table: all its frames are marked, its widest is shown.
  chooseFunction(name) {
    const wanted = new Uint8Array(this.names.length);
    wanted[name] = 1;
    const { outermost } = matchSum(this.view.tree, this.view.sums, wanted, this.state.zoom);
    if (outermost.length > 0)
      this.state.selected = outermost[0];
    this.state.function = name;
    this.refreshSelection();
  }

  openSandwich(name) {
    if (name < 0)
      return;
    this.state.function = name;
    Object.assign(this.state, { panel: 'sandwich', panelOpen: true });
    this.refresh();
  }

  search(query) {
    this.state.query = query;
    this.prepareSearch();
    this.graph.draw(this.state.selected);
    this.overview.update(this.graph.width);
    this.renderBars();
    if (this.state.panel === 'matches')
      this.renderPanel();
    this.writeAddress(false);
  }

  nextMatch(by) {
    const list = this.found ? this.found.inZoom.outermost : [];
    if (list.length === 0)
      return;
    this.match = this.match < 0 && by < 0 ? list.length - 1 : (this.match + by + list.length) % list.length;
    this.select(list[this.match], document.activeElement !== this.input);
    this.foundLine.textContent = 'match ' + grouped(this.match + 1) + ' of ' + grouped(list.length) + ', ' + this.foundText();
  }

  hide(name) {
    if (name >= 0)
      this.change({ hidden: [...new Set([...this.state.hidden, name])] });
  }

  focusOn(name) {
    if (name >= 0)
      this.change({ focus: [...new Set([...this.state.focus, name])] });
  }

  setView(view, of = -1) {
    this.change({ view, of, zoom: 0, selected: 0 });
  }

  setSort(sort) {
    this.state.sort = sort;
    this.renderPanel();
  }

  setPanel(panel) {
    Object.assign(this.state, { panel, panelOpen: true });
    if (this.aside.hidden)
      this.refresh();
    else
      this.renderPanel();
  }

  setPalette(palette) {
    this.state.palette = palette;
    this.fills.clear();
    this.refresh();
  }

  togglePanel() {
    this.state.panelOpen = !this.state.panelOpen;
    this.aside.hidden = !this.state.panelOpen;
    this.refresh();
  }

  applyTheme() {
    this.root.dataset.theme = this.isDark() ? 'dark' : 'light';
    this.root.style.setProperty('--label', this.data.labels[this.isDark() ? 1 : 0]);
    const style = getComputedStyle(this.root);
    const variable = (name) => style.getPropertyValue(name).trim();
    if (this.isDiff)
      this.root.style.setProperty('--gone', stepColour(this.data.deltas[0], 150, this.isDark()));
    this.colours = { gone: variable('--gone'), dim: variable('--dim'), dimInk: variable('--dim-ink'), found: variable('--found'), narrow: variable('--narrow'),
      ground: variable('--ground'), ink: variable('--ink') };
    this.fills.clear();
  }

  toggleTheme() {
    this.state.theme = this.isDark() ? 'light' : 'dark';
    this.applyTheme();
    this.refresh();
  }

  copyName() {
    const name = this.chosenName();
    copyText(this, this.nameOf(name), 'Name');
  }

  copyStack() {
    copyText(this, this.stackOf(this.state.selected).join(';'), 'Stack');
  }

  savePicture() {
    const heading = this.data.title + ' \u2014 ' + this.value.title + ', ' +
      amountText(this.totalOf(this.state.zoom), this.value);
    const canvas = this.graph.toCanvas(heading, this.colours, Math.max(1, Math.min(2, window.devicePixelRatio || 1)));
    saveCanvas(this, canvas);
  }
}
