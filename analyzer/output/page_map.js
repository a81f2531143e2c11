// page_map.js -- the overview of a graph: all frames wide enough to be seen, and where the zoom is.

class GraphMap {
  constructor(app) {
    this.app = app;
    this.title = 'Overview: where the zoom is';
    this.hint = 'All of the graph: click a frame to zoom to it, drag the mark to move it, drag elsewhere to zoom to what is below (m)';
    const step = (by) => () => this.stepTo(by);
    const scroll = (by) => () => app.graph.scrollTo(app.graph.top + by * app.graph.seen);
    this.keys = {
      ArrowLeft: step(-1), ArrowRight: step(1), Home: step(-Infinity), End: step(Infinity),
      ArrowUp: scroll(-.5), ArrowDown: scroll(.5), PageUp: scroll(-1), PageDown: scroll(1),
    };
  }

  key() {
    const { view, state } = this.app;
    return [view, state.flames, state.palette, state.query, this.app.isDark()];
  }

  // Rows share what height there is; where there are more of them than pixels some are left out.
  paint(context, width, height) {
    const { app } = this;
    const { graph, view } = app;
    this.layout = graph.zoom === 0 && graph.width === width ? graph.layout : new Layout(view, 0, width, 0);
    const { layout } = this;
    const tall = height / layout.rows;
    for (let row = 0, next = 0; row < layout.rows; row++) {
      if (row * tall < next)
        continue;
      next = row * tall + Math.min(1, tall);
      const shown = Math.max(1, tall > 3 ? tall - .5 : tall);
      const top = app.state.flames ? height - row * tall - shown : row * tall;
      for (let entry = layout.rowStart[row]; entry < layout.rowStart[row + 1]; entry++) {
        const wide = layout.width[entry];
        context.fillStyle = layout.count[entry] > 0 ? app.colours.narrow : canvasFill(app.fillOfNode(layout.node[entry]), app.colours);
        context.fillRect(layout.x[entry], top, wide > 3 ? wide - .5 : wide, shown);
      }
    }
  }

  // Where a frame lies, in shares of the whole.
  spanOf(node) {
    const { view } = this.app;
    const { tree, sums } = view;
    const total = (n) => sums[tree.end[n]] - sums[n];
    const whole = total(0) || 1;
    let before = 0;
    for (let n = node; n !== 0; n = tree.parent[n]) {
      for (const sibling of sortedChildren(view, tree.parent[n])) {
        if (sibling === n)
          break;
        before += total(sibling);
      }
    }
    return { left: before / whole, right: (before + total(node)) / whole };
  }

  rowsSeen() {
    const { graph } = this.app;
    const top = graph.top / ROW, rows = graph.seen / ROW;
    const from = graph.flames ? Math.max(0, graph.height / ROW - top - rows) : top;
    return [from, Math.min(from + rows, Math.max(graph.layout.rows, from + 1))];
  }

  seen() {
    const { rows } = this.layout;
    const [from, to] = this.rowsSeen().map((row) => Math.min(1, row / rows));
    const across = this.spanOf(this.app.state.zoom);
    return this.app.state.flames ? { ...across, top: 1 - to, bottom: 1 - from } : { ...across, top: from, bottom: to };
  }

  describe() {
    const { app } = this;
    const { zoom } = app.state;
    const [from, to] = this.rowsSeen();
    const rows = app.graph.layout.rows;
    return app.nameOf(app.view.tree.name[zoom]) + ', ' + shareText(app.totalOf(zoom), app.totalOf(0)) + ' of all, rows ' +
      grouped(Math.min(rows, Math.floor(from) + 1)) + ' to ' + grouped(Math.min(rows, Math.ceil(to))) + ' of ' + grouped(rows);
  }

  // The frame at a share of the width in ROW, or the innermost one outside of it.
  frameAt(x, row) {
    const { layout } = this;
    const at = x * this.app.graph.width;
    for (let r = Math.min(row, layout.rows - 1); r > 0; r--) {
      for (let entry = layout.rowStart[r]; entry < layout.rowStart[r + 1]; entry++) {
        if (layout.count[entry] === 0 && layout.x[entry] <= at && at < layout.x[entry] + layout.width[entry])
          return layout.node[entry];
      }
    }
    return 0;
  }

  click(x, y) {
    const row = Math.floor((this.app.state.flames ? 1 - y : y) * this.layout.rows);
    this.app.zoomTo(this.frameAt(x, row));
  }

  // Sideways to another frame of the same depth; up and down through the rows.
  move(start, by, first) {
    const { app } = this;
    const { graph } = app;
    if (first)
      this.taken = { depth: app.view.tree.depth[app.state.zoom], top: graph.top, stepped: false };
    const { taken } = this;
    const middle = Math.max(0, Math.min(.9999, (start.left + start.right) / 2 + by.x));
    const node = this.frameAt(middle, taken.depth);
    if (node !== app.state.zoom) {
      // One drag is one step back.
      app.zoomTo(node, !taken.stepped);
      taken.stepped = true;
    }
    graph.scrollTo(taken.top + by.y * this.layout.rows * ROW);
  }

  // The innermost frame that has all of it.
  range(from, to) {
    const { app } = this;
    const slack = 2 / app.graph.width;
    let node = this.frameAt(Math.min(from + slack, to), this.layout.rows);
    while (node !== 0 && this.spanOf(node).right < to - slack)
      node = app.view.tree.parent[node];
    app.zoomTo(node);
  }

  // To the next frame of the same depth, wherever it was called.
  stepTo(by) {
    const { app, layout } = this;
    const row = Math.min(app.view.tree.depth[app.state.zoom], layout.rows - 1);
    const left = this.spanOf(app.state.zoom).left * app.graph.width;
    const list = [];
    let at = 0;
    for (let entry = layout.rowStart[row]; entry < layout.rowStart[row + 1]; entry++) {
      if (layout.count[entry] > 0)
        continue;
      if (layout.x[entry] < left - .01)
        at++;
      list.push(layout.node[entry]);
    }
    const next = list[Math.max(0, Math.min(list.length - 1, at + by))];
    if (next !== undefined && next !== app.state.zoom)
      app.zoomTo(next);
  }
}
