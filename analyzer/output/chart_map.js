// chart_map.js -- the overview of a flamechart: all lanes over the whole time, and what is seen of them.

class ChartMap {
  constructor(app) {
    this.app = app;
    this.title = 'Overview: the time shown';
    this.hint = 'All of the chart: drag the mark to move it, drag elsewhere to zoom to that time, click to go there (m)';
    const pan = (by) => () => app.panBy(by);
    const scroll = (by) => () => {
      app.viewport.scrollTop += by * app.view.seen;
    };
    const start = (at) => () => app.show(at, at + app.state.to - app.state.from, false);
    this.keys = {
      ArrowLeft: pan(-.1), ArrowRight: pan(.1), PageUp: pan(-1), PageDown: pan(1),
      Home: start(app.spanOfAll.from), End: start(app.spanOfAll.to), ArrowUp: scroll(-.5), ArrowDown: scroll(.5),
    };
  }

  get length() {
    return this.app.spanOfAll.to - this.app.spanOfAll.from;
  }

  key() {
    const { state, lanes } = this.app;
    return [state.palette, state.query, this.app.isDark(), lanes.map((lane) => (lane.folded ? 1 : 0)).join('')];
  }

  // Rows share what height there is; where there are more of them than pixels some are left out.
  paint(context, width, height) {
    const { app } = this;
    const { from, to } = app.spanOfAll;
    const scale = width / (to - from), down = height / app.view.height;
    const place = (start, end) => [(start - from) * scale, Math.max(1, (end - start) * scale)];
    let next = 0;
    for (const lane of app.lanes) {
      for (let row = 0; row < lane.rows && !lane.folded; row++) {
        const top = (lane.top + LANE_HEAD + row * ROW) * down;
        if (top < next)
          continue;
        next = Math.floor(top) + 1;
        const tall = Math.max(1, (ROW - 1) * down);
        walkRow(lane, row, from, to, 1 / scale, (call) => {
          const [x, wide] = place(lane.start[call], lane.end[call]);
          context.fillStyle = app.lookOf(lane, call).fill;
          context.fillRect(x, top, wide > 3 ? wide - .5 : wide, tall);
        }, (run) => {
          const [x, wide] = place(run.start, run.end);
          context.fillStyle = run.found ? app.colours.found : app.colours.narrow;
          context.fillRect(x, top, wide, tall);
        });
      }
    }
  }

  seen() {
    const { state, view, spanOfAll } = this.app;
    return {
      left: (state.from - spanOfAll.from) / this.length, right: (state.to - spanOfAll.from) / this.length,
      top: view.top / view.height, bottom: Math.min(1, (view.top + view.seen) / view.height),
    };
  }

  describe() {
    const { from, to } = this.app.state;
    const step = (to - from) / 1000;
    return 'from ' + tickText(from, step) + ' to ' + tickText(to, step) + ', ' + shareText(to - from, this.length) + ' of all';
  }

  click(x) {
    const { from, to } = this.app.state;
    const middle = this.app.spanOfAll.from + x * this.length;
    this.app.show(middle - (to - from) / 2, middle + (to - from) / 2, true);
  }

  move(start, by, first) {
    const { app } = this;
    if (first)
      this.taken = { from: app.state.from, to: app.state.to, top: app.view.top };
    const { taken } = this;
    // One drag is one step back.
    app.show(taken.from + by.x * this.length, taken.to + by.x * this.length, first);
    app.viewport.scrollTop = taken.top + by.y * app.view.height;
  }

  range(from, to) {
    const start = this.app.spanOfAll.from;
    this.app.show(start + from * this.length, start + to * this.length, true);
  }

  wheel(event, x) {
    this.app.zoomBy(ZOOM_STEP ** Math.sign(event.deltaY), this.app.spanOfAll.from + x * this.length);
    event.preventDefault();
  }
}
