// chart_view.js -- the picture of the lanes on a canvas, of what is seen and wide enough.

const AXIS = 24;
const STRIP = 46;
const LANE_HEAD = 20;
const LANE_GAP = 6;

class ChartView {
  constructor(app, head, viewport) {
    this.app = app;
    this.viewport = viewport;
    this.head = h('canvas', { class: 'head', 'aria-hidden': 'true' });
    this.canvas = h('canvas', { class: 'rows', 'aria-hidden': 'true' });
    this.space = h('div', { class: 'space' });
    this.cursor = h('div', { class: 'cursor', role: 'treeitem', tabindex: '0', hidden: true });
    head.append(this.head);
    viewport.append(this.canvas, this.space, this.cursor);
    const probe = h('span', { class: 'mono' });
    viewport.append(probe);
    this.font = getComputedStyle(probe).font || '12px monospace';
    probe.remove();
    this.fitter = new LabelFitter(this.font);
    this.drawn = [];
    this.whole = false;
  }

  get headHeight() {
    return AXIS + (this.app.moments ? STRIP : 0);
  }

  // Where the lanes are, from the top of what scrolls.
  arrange() {
    let top = 0;
    for (const lane of this.app.lanes) {
      lane.top = top;
      lane.height = LANE_HEAD + (lane.folded ? 0 : lane.rows * ROW) + LANE_GAP;
      top += lane.height;
    }
    this.height = top;
  }

  measure() {
    this.width = Math.max(this.viewport.clientWidth, 100);
    this.seen = this.whole ? Math.min(this.height, 16000) : Math.max(this.viewport.clientHeight, 50);
    const ratio = window.devicePixelRatio || 1;
    for (const [canvas, height] of [[this.head, this.headHeight], [this.canvas, this.seen]]) {
      canvas.style.width = this.width + 'px';
      canvas.style.height = height + 'px';
      const size = [Math.round(this.width * ratio), Math.round(height * ratio)];
      if (canvas.width !== size[0] || canvas.height !== size[1])
        [canvas.width, canvas.height] = size;
    }
    this.ratio = ratio;
    this.space.style.height = Math.max(0, this.height - this.seen) + 'px';
  }

  begin(canvas) {
    const context = canvas.getContext('2d');
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.font = this.font;
    context.textBaseline = 'alphabetic';
    return context;
  }

  xOf(time) {
    return (time - this.app.state.from) * this.scale;
  }

  timeOf(x) {
    return this.app.state.from + x / this.scale;
  }

  draw() {
    const { from, to } = this.app.state;
    this.arrange();
    this.measure();
    this.scale = this.width / (to - from);
    this.top = this.viewport.scrollTop;
    this.drawn = [];
    this.drawHead(this.begin(this.head));
    this.drawLanes(this.begin(this.canvas));
    this.placeCursor();
  }

  drawHead(context) {
    const { colours, state } = this.app;
    const step = tickStep(90 / this.scale);
    context.fillStyle = colours.faint;
    context.strokeStyle = colours.line;
    context.beginPath();
    for (let t = Math.ceil(state.from / step) * step; t <= state.to; t += step) {
      const x = Math.round(this.xOf(t)) + .5;
      context.moveTo(x, 0);
      context.lineTo(x, this.headHeight);
      context.fillText(tickText(t, step), x + 4, 16, 84);
    }
    context.moveTo(0, AXIS - .5);
    context.lineTo(this.width, AXIS - .5);
    context.stroke();
    if (this.app.moments)
      this.drawStrip(context, this.app.moments);
  }

  // Live bytes as steps: each holds until the next moment that was noted.
  drawStrip(context, moments) {
    const { colours, state } = this.app;
    const bottom = AXIS + STRIP - 1, tall = STRIP - 8;
    const y = (bytes) => bottom - bytes / (moments.most || 1) * tall;
    const first = Math.max(0, momentAt(moments, state.from));
    context.beginPath();
    context.moveTo(Math.max(-1, this.xOf(moments.ns[first])), bottom);
    let level = bottom;
    for (let i = first; i < moments.count && moments.ns[i] <= state.to; i++) {
      const x = Math.max(-1, this.xOf(moments.ns[i]));
      context.lineTo(x, level);
      level = y(moments.bytes[i]);
      context.lineTo(x, level);
      if (i === moments.count - 1 || moments.ns[i + 1] > state.to)
        context.lineTo(i === moments.count - 1 ? this.xOf(this.app.data.duration) : this.width + 1, level);
    }
    context.lineTo(Math.min(this.width + 1, this.xOf(this.app.data.duration)), bottom);
    context.fillStyle = colours.bar;
    context.fill();
    context.strokeStyle = colours.accent;
    context.stroke();
    const label = 'live memory, at most ' + amountText(moments.most, BYTES);
    context.fillStyle = colours.ground;
    context.fillRect(2, AXIS + 2, context.measureText(label).width + 6, 15);
    context.fillStyle = colours.ink;
    context.fillText(label, 5, AXIS + 13, this.width - 8);
  }

  drawLanes(context) {
    const { colours, state } = this.app;
    const step = tickStep(90 / this.scale);
    context.strokeStyle = colours.raised;
    context.beginPath();
    for (let t = Math.ceil(state.from / step) * step; t <= state.to; t += step) {
      const x = Math.round(this.xOf(t)) + .5;
      context.moveTo(x, 0);
      context.lineTo(x, this.seen);
    }
    context.stroke();
    for (const lane of this.app.lanes) {
      const top = lane.top - (this.whole ? 0 : this.top);
      if (top + lane.height >= 0 && top < this.seen)
        this.drawLane(context, lane, top);
    }
  }

  drawLane(context, lane, top) {
    const { colours } = this.app;
    context.fillStyle = colours.raised;
    context.fillRect(0, top, this.width, LANE_HEAD - 2);
    context.fillStyle = colours.ink;
    context.fillText(this.fitter.fit((lane.folded ? '\u25b8 ' : '\u25be ') + laneText(lane, this.app.say), this.width - 12), 6, top + 13);
    for (let row = 0; row < lane.rows && !lane.folded; row++) {
      const y = top + LANE_HEAD + row * ROW;
      if (y + ROW >= 0 && y < this.seen)
        this.drawRow(context, lane, row, y);
    }
  }

  drawRow(context, lane, row, y) {
    const { from, to } = this.app.state;
    walkRow(lane, row, from, to, NARROWEST / this.scale, (call) => this.drawCall(context, lane, call, y),
      (run) => this.drawRun(context, lane, run, y));
  }

  drawRun(context, lane, run, y) {
    const { colours } = this.app;
    const x = this.xOf(run.start);
    const width = Math.max(1, this.xOf(run.end) - x);
    context.fillStyle = run.found ? colours.found : colours.narrow;
    context.fillRect(x, y, width, ROW - 1);
    if (!run.found && width > 3) {
      context.fillStyle = colours.dim;
      for (let line = 3; line < ROW - 1; line += 6)
        context.fillRect(x, y + line, width, 2);
    }
    this.drawn.push({ lane, call: lane.order[run.first], count: run.last - run.first, x, y, width });
  }

  drawCall(context, lane, call, y) {
    const { app } = this;
    const left = Math.max(-2, this.xOf(lane.start[call]));
    const right = Math.min(this.width + 2, this.xOf(lane.end[call]));
    const full = right - left;
    const width = full > 3 ? full - 1 : Math.max(full, NARROWEST);
    const look = app.lookOf(lane, call);
    context.fillStyle = look.fill;
    context.fillRect(left, y, width, ROW - 1);
    if (look.outline) {
      context.strokeStyle = look.outline;
      context.setLineDash(look.dash);
      context.strokeRect(left + .5, y + .5, Math.max(0, width - 1), ROW - 2);
      context.setLineDash([]);
    }
    if (width > 6 && app.hasShort(lane.node[call]))
      this.drawShortMark(context, left, y, width);
    if (lane.open.has(call) && right <= this.width)
      this.drawOpenEnd(context, right, y);
    this.drawn.push({ lane, call, count: 0, x: left, y, width });
    const label = full < 26 ? '' : this.fitter.fit(app.nameOf(app.tree.name[lane.node[call]]), full - 8);
    if (label !== '') {
      context.fillStyle = look.ink;
      context.fillText(label, left + 4, y + 13);
    }
  }

  // A dotted line at the bottom: shorter calls are in it, which have no place of their own.
  drawShortMark(context, left, y, width) {
    context.fillStyle = this.app.colours.ink;
    for (let x = left + 2; x < left + width - 2; x += 5)
      context.fillRect(x, y + ROW - 3, 2, 1);
  }

  drawOpenEnd(context, right, y) {
    context.fillStyle = this.app.colours.ink;
    for (let line = 0; line < ROW - 1; line += 4)
      context.fillRect(right - 3, y + line, 2, 2);
  }

  // One call can be reached by Tab; the arrow keys move that place.
  placeCursor() {
    const { app, cursor } = this;
    const chosen = app.state.chosen;
    cursor.hidden = chosen === null || chosen.lane.folded;
    if (cursor.hidden)
      return;
    const { lane, call } = chosen;
    const row = app.tree.depth[lane.node[call]] - 1;
    const left = Math.max(0, Math.min(this.width - 4, this.xOf(lane.start[call])));
    const right = Math.max(left + 4, Math.min(this.width, this.xOf(lane.end[call])));
    cursor.style.left = left + 'px';
    cursor.style.top = lane.top + LANE_HEAD + row * ROW + 'px';
    cursor.style.width = right - left + 'px';
    cursor.style.height = ROW - 1 + 'px';
    cursor.setAttribute('aria-level', row + 1);
    cursor.setAttribute('aria-posinset', lane.place[call] - lane.rowFirst[row] + 1);
    cursor.setAttribute('aria-setsize', lane.rowFirst[row + 1] - lane.rowFirst[row]);
    cursor.setAttribute('aria-selected', 'true');
    cursor.setAttribute('aria-label', app.describe(lane, call));
  }

  // Scroll as little as is needed to see the row of a call.
  reveal(lane, call) {
    const top = lane.top + LANE_HEAD + (this.app.tree.depth[lane.node[call]] - 1) * ROW;
    if (top - ROW < this.viewport.scrollTop)
      this.viewport.scrollTop = Math.max(0, top - 2 * ROW);
    else if (top + 2 * ROW > this.viewport.scrollTop + this.seen)
      this.viewport.scrollTop = top + 2 * ROW - this.seen;
  }

  // What lies at a point of the viewport: {lane, call}, {lane} of a lane's head, or null.
  hit(x, y) {
    const down = y + this.viewport.scrollTop;
    const lane = this.app.lanes.find((one) => down >= one.top && down < one.top + one.height);
    if (!lane)
      return null;
    const row = Math.floor((down - lane.top - LANE_HEAD) / ROW);
    if (down - lane.top < LANE_HEAD)
      return { lane, call: -1 };
    if (lane.folded || row >= lane.rows)
      return null;
    const call = callAt(lane, row, this.timeOf(x), 1 / this.scale);
    return call < 0 ? null : { lane, call };
  }

  // The picture as it stands, all lanes of it, on one canvas.
  toCanvas(heading) {
    const { app } = this;
    this.whole = true;
    this.draw();
    const canvas = h('canvas');
    const top = 26 + this.headHeight;
    canvas.width = Math.round(this.width * this.ratio);
    canvas.height = Math.round((top + this.seen) * this.ratio);
    const context = canvas.getContext('2d');
    context.fillStyle = app.colours.ground;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.head, 0, Math.round(26 * this.ratio));
    context.drawImage(this.canvas, 0, Math.round(top * this.ratio));
    context.scale(this.ratio, this.ratio);
    context.fillStyle = app.colours.ink;
    context.font = 'bold 13px system-ui, sans-serif';
    context.fillText(heading, 4, 17, this.width - 8);
    this.whole = false;
    this.draw();
    return canvas;
  }
}
