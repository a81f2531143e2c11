// page_graph.js -- the picture: which frames are wide enough, where they go, and their elements.

const FORCED_WIDTH = 3;
// Rows drawn above and below what the viewport shows.
const OVERSCAN = 8;

// The children of a node in the order of sight. Sorted when they are first drawn: most never are.
function sortedChildren(view, node) {
  let list = view.children.get(node);
  if (list)
    return list;
  const { tree, sums, order } = view;
  list = [];
  for (let c = node + 1; c < tree.end[node]; c = tree.end[c])
    list.push(c);
  const total = (n) => sums[tree.end[n]] - sums[n];
  if (order === 'name')
    list.sort((a, b) => tree.name[a] - tree.name[b]);
  else if (order === 'value')
    list.sort((a, b) => total(b) - total(a) || tree.name[a] - tree.name[b]);
  view.children.set(node, list);
  return list;
}

// What is to be drawn, row by row. An entry with COUNT > 0 stands for so many neighbours that are
// too narrow each: together they still have their width, and no part of a row is silently empty.
class Layout {
  constructor(view, zoom, width, keep) {
    this.node = [];
    this.x = [];
    this.width = [];
    this.count = [];
    this.rowStart = [];
    this.zoomRow = view.tree.depth[zoom];
    this.build(view, zoom, width, keep);
  }

  push(node, x, width, count) {
    this.node.push(node);
    this.x.push(x);
    this.width.push(width);
    this.count.push(count);
  }

  build(view, zoom, width, keep) {
    const { tree, sums } = view;
    const ancestors = [];
    for (let n = zoom; n !== 0;) {
      n = tree.parent[n];
      ancestors.push(n);
    }
    for (const n of ancestors.reverse()) {
      this.rowStart.push(this.node.length);
      this.push(n, 0, width, 0);
    }
    const total = sums[tree.end[zoom]] - sums[zoom];
    this.rowStart.push(this.node.length);
    this.push(zoom, 0, width, 0);
    let first = this.node.length - 1;
    let starts = [0];
    while (total > 0) {
      const last = this.node.length;
      starts = this.buildRow(view, first, starts, width / total, keep);
      if (this.node.length === last)
        break;
      this.rowStart.push(last);
      first = last;
    }
    this.rowStart.push(this.node.length);
    this.rows = this.rowStart.length - 1;
  }

  // The children of the entries from FIRST on. Places are computed from whole sums: no drift.
  buildRow(view, first, starts, scale, keep) {
    const { tree, sums } = view;
    const nextStarts = [];
    for (let entry = first, last = this.node.length; entry < last; entry++) {
      if (this.count[entry] > 0)
        continue;
      let start = starts[entry - first];
      let narrow = 0, narrowStart = start;
      const flush = () => {
        if (narrow > 0 && (start - narrowStart) * scale >= NARROWEST) {
          this.push(this.node[entry], narrowStart * scale, (start - narrowStart) * scale, narrow);
          nextStarts.push(narrowStart);
        }
        narrow = 0;
      };
      for (const child of sortedChildren(view, this.node[entry])) {
        const amount = sums[tree.end[child]] - sums[child];
        const kept = child <= keep && keep < tree.end[child];
        if (amount * scale >= NARROWEST || kept) {
          flush();
          this.push(child, start * scale, amount * scale, 0);
          nextStarts.push(start);
        } else if (amount > 0) {
          if (narrow++ === 0)
            narrowStart = start;
        }
        start += amount;
      }
      flush();
    }
    return nextStarts;
  }

  find(node) {
    return this.node.findIndex((n, i) => n === node && this.count[i] === 0);
  }

  rowOf(entry) {
    let low = 0, high = this.rows;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.rowStart[middle] <= entry)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
}

// Set an attribute if it differs: elements are used again, often for something alike.
function assign(element, name, value) {
  if (element['is-' + name] !== value) {
    element['is-' + name] = value;
    element.setAttribute(name, value);
  }
}

// A canvas has no patterns of the picture's: their colours stand for them.
function canvasFill(fill, colours) {
  return fill[0] === '#' ? fill : fill.includes('gone') ? colours.gone : colours.narrow;
}

// A stock of elements, used again at each drawing: making them is what costs.
class ElementPool {
  constructor(parent, tag, className) {
    this.model = document.createElementNS(SVG, tag);
    this.model.setAttribute('class', className);
    this.parent = parent;
    this.list = [];
    this.used = 0;
  }

  begin() {
    this.used = 0;
  }

  next() {
    let element = this.list[this.used];
    if (!element) {
      element = this.model.cloneNode(false);
      this.list.push(element);
    }
    if (!element.parentNode)
      this.parent.appendChild(element);
    this.used++;
    return element;
  }

  finish() {
    for (let i = this.used; i < this.list.length && this.list[i].parentNode; i++)
      this.list[i].remove();
  }
}

// Frames, used again for what is most alike: those of the same picture for the same frames, else
// any for frames of their fill. A changed fill or class makes the browser look for the styles of an
// element anew, which costs as much as moving it; the same place costs nothing.
class FramePool extends ElementPool {
  begin(samePicture) {
    this.samePicture = samePicture;
    this.stock = new Map();
    for (const element of this.list) {
      const key = samePicture ? element.entry : element['is-fill'];
      const alike = this.stock.get(key);
      if (alike)
        alike.push(element);
      else
        this.stock.set(key, [element]);
    }
    // The first is to be the first again.
    for (const alike of this.stock.values())
      alike.reverse();
    this.list = [];
    this.wanting = [];
  }

  // PLACE is called with an element, now or by finish().
  next(entry, fill, place) {
    const alike = this.stock.get(this.samePicture ? entry : fill);
    if (alike && alike.length > 0)
      this.give(alike.pop(), place);
    else
      this.wanting.push(place);
  }

  give(element, place) {
    this.list.push(element);
    place(element);
  }

  finish() {
    const left = [...this.stock.values()].flat();
    for (const place of this.wanting) {
      const element = left.pop() || this.model.cloneNode(false);
      if (!element.parentNode)
        this.parent.appendChild(element);
      this.give(element, place);
    }
    for (const element of left)
      element.remove();
  }
}

// Draws a view into VIEWPORT, an element that scrolls. PAINT says how a frame looks:
// PAINT.fill(entry), .className(entry), .label(entry), .describe(entry).
class Graph {
  constructor(viewport, paint) {
    this.viewport = viewport;
    this.paint = paint;
    this.svg = document.createElementNS(SVG, 'svg');
    this.svg.setAttribute('class', 'graph');
    this.svg.setAttribute('role', 'tree');
    this.svg.append(this.makeHatch('thag-hatch', 'hatch'), this.makeHatch('thag-gone', 'gone'));
    const frames = document.createElementNS(SVG, 'g');
    const labels = document.createElementNS(SVG, 'g');
    labels.setAttribute('class', 'labels');
    labels.setAttribute('aria-hidden', 'true');
    this.svg.append(frames, labels);
    this.frames = new FramePool(frames, 'polygon', 'f');
    this.texts = new ElementPool(labels, 'text', 'l');
    viewport.appendChild(this.svg);
    this.fitter = new LabelFitter(getComputedStyle(labels).font || '12px monospace');
    this.cursor = null;
    this.layout = null;
    viewport.addEventListener('scroll', () => {
      this.top = viewport.scrollTop;
      this.scrolled();
    }, { passive: true });
  }

  makeHatch(id, className) {
    const definitions = document.createElementNS(SVG, 'defs');
    const pattern = document.createElementNS(SVG, 'pattern');
    const attributes = { id, width: 6, height: 6, patternUnits: 'userSpaceOnUse',
      patternTransform: 'rotate(45)' };
    for (const [key, value] of Object.entries(attributes))
      pattern.setAttribute(key, value);
    for (const [part, width] of [['ground', 6], ['line', 2]]) {
      const rect = document.createElementNS(SVG, 'rect');
      rect.setAttribute('class', className + '-' + part);
      rect.setAttribute('width', width);
      rect.setAttribute('height', 6);
      pattern.appendChild(rect);
    }
    definitions.appendChild(pattern);
    return definitions;
  }

  show(view, zoom, flames, selected) {
    this.view = view;
    this.zoom = zoom;
    this.flames = flames;
    this.measure();
    this.layout = new Layout(view, zoom, this.width, selected);
    this.height = Math.max(this.layout.rows * ROW + 1, flames ? this.seen : 0);
    this.svg.setAttribute('width', this.width);
    this.svg.setAttribute('height', this.height);
    this.draw(selected);
  }

  // Asking an element for its size makes the browser lay out all that has changed: it is asked once,
  // before changes.
  measure() {
    this.width = Math.max(this.viewport.clientWidth, 100);
    this.seen = this.viewport.clientHeight;
    this.top = this.viewport.scrollTop;
  }

  scrollTo(top) {
    this.viewport.scrollTop = top;
    this.top = this.viewport.scrollTop;
    this.scrolled();
  }

  // The top of a row in the picture.
  rowTop(row) {
    return this.flames ? this.height - (row + 1) * ROW : row * ROW;
  }

  visibleRows() {
    if (this.whole)
      return [0, this.layout.rows];
    const top = Math.max(0, Math.min(this.top, this.height - this.seen)), bottom = top + this.seen;
    const from = this.flames ? (this.height - bottom) / ROW : top / ROW;
    const to = this.flames ? (this.height - top) / ROW : bottom / ROW;
    return [Math.max(0, Math.floor(from) - OVERSCAN), Math.min(this.layout.rows, Math.ceil(to) + OVERSCAN)];
  }

  scrolled() {
    if (!this.layout)
      return;
    const [from, to] = this.visibleRows();
    const inside = from + OVERSCAN / 2 >= this.drawn[0] && to - OVERSCAN / 2 <= this.drawn[1];
    if (!inside)
      this.draw(this.selected);
  }

  draw(selected) {
    const { layout } = this;
    const [from, to] = this.visibleRows();
    const hadFocus = this.cursor !== null && document.activeElement === this.cursor;
    this.drawn = [from, to];
    this.selected = selected;
    this.clearCursor();
    this.frames.begin(this.pictured === layout);
    this.pictured = layout;
    this.texts.begin();
    for (let row = from; row < to; row++) {
      const top = this.rowTop(row);
      for (let entry = layout.rowStart[row]; entry < layout.rowStart[row + 1]; entry++)
        this.drawFrame(entry, top);
    }
    this.frames.finish();
    this.texts.finish();
    if (this.cursor === null)
      this.svg.setAttribute('tabindex', '0');
    else
      this.svg.removeAttribute('tabindex');
    if (hadFocus)
      (this.cursor || this.svg).focus({ preventScroll: true });
  }

  drawFrame(entry, top) {
    const { layout, paint } = this;
    const x = layout.x[entry];
    const forced = layout.width[entry] < NARROWEST;
    const full = forced ? FORCED_WIDTH : layout.width[entry];
    const width = full > 3 ? full - 1 : full;
    const left = x.toFixed(2), right = (x + width).toFixed(2), bottom = top + ROW - 1;
    const fill = paint.fill(entry);
    this.frames.next(entry, fill, (frame) => {
      frame.entry = entry;
      // One attribute that is not also a property of style: half the cost of a <rect>.
      assign(frame, 'points',
        left + ',' + top + ' ' + right + ',' + top + ' ' + right + ',' + bottom + ' ' + left + ',' + bottom);
      assign(frame, 'fill', fill);
      assign(frame, 'class', paint.className(entry));
      if (layout.node[entry] === this.selected && layout.count[entry] === 0)
        this.setCursor(frame, entry);
    });
    if (full < 26)
      return;
    const label = this.fitter.fit(paint.label(entry), full - 8);
    if (label === '')
      return;
    const text = this.texts.next();
    assign(text, 'x', (x + 4).toFixed(2));
    assign(text, 'y', top + 13);
    assign(text, 'class', paint.labelClass(entry));
    if (text.textContent !== label)
      text.textContent = label;
  }

  // One frame can be reached by Tab; the arrow keys move that place.
  setCursor(frame, entry) {
    const { tree } = this.view;
    const node = this.layout.node[entry];
    const siblings = node === 0 ? [0] : sortedChildren(this.view, tree.parent[node]);
    frame.setAttribute('role', 'treeitem');
    frame.setAttribute('tabindex', '0');
    frame.setAttribute('aria-level', tree.depth[node] + 1);
    frame.setAttribute('aria-posinset', siblings.indexOf(node) + 1);
    frame.setAttribute('aria-setsize', siblings.length);
    frame.setAttribute('aria-selected', 'true');
    if (tree.end[node] > node + 1)
      frame.setAttribute('aria-expanded', 'true');
    frame.setAttribute('aria-label', this.paint.describe(node));
    this.cursor = frame;
  }

  clearCursor() {
    if (this.cursor === null)
      return;
    for (const name of ['role', 'tabindex', 'aria-level', 'aria-posinset', 'aria-setsize',
      'aria-selected', 'aria-expanded', 'aria-label'])
      this.cursor.removeAttribute(name);
    this.cursor = null;
  }

  // Scroll as little as is needed to see a node's row, with some of its surroundings.
  reveal(node) {
    const entry = this.layout.find(node);
    if (entry < 0)
      return;
    const top = this.rowTop(this.layout.rowOf(entry));
    const margin = Math.min(2 * ROW, this.seen / 4);
    if (top - margin < this.top && this.top > 0)
      this.scrollTo(top - margin);
    else if (top + ROW + margin > this.top + this.seen)
      this.scrollTo(top + ROW + margin - this.seen);
  }

  restyle() {
    for (const frame of this.frames.list)
      assign(frame, 'class', this.paint.className(frame.entry));
  }

  // The picture as it stands, all rows of it, on a canvas.
  toCanvas(heading, colours, ratio) {
    const { layout } = this;
    const head = 26;
    const canvas = document.createElementNS(XHTML, 'canvas');
    // Browsers refuse canvases that are larger.
    const rows = Math.min(layout.rows, Math.floor((16000 / ratio - head) / ROW));
    canvas.width = Math.round(this.width * ratio);
    canvas.height = Math.round((rows * ROW + head) * ratio);
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, this.width, rows * ROW + head);
    context.fillStyle = colours.ink;
    context.font = 'bold 13px system-ui, sans-serif';
    context.fillText(heading, 4, 17, this.width - 8);
    context.font = this.fitter.context.font;
    for (let row = 0; row < rows; row++) {
      const top = head + (this.flames ? (rows - row - 1) : row) * ROW;
      for (let entry = layout.rowStart[row]; entry < layout.rowStart[row + 1]; entry++) {
        const full = layout.width[entry];
        const fill = this.paint.fill(entry);
        context.fillStyle = canvasFill(fill, colours);
        context.fillRect(layout.x[entry], top, full > 3 ? full - 1 : full, ROW - 1);
        const label = full < 26 ? '' : this.fitter.fit(this.paint.label(entry), full - 8);
        if (label !== '') {
          context.fillStyle = this.paint.labelColour(entry);
          context.fillText(label, layout.x[entry] + 4, top + 13);
        }
      }
    }
    return canvas;
  }
}
