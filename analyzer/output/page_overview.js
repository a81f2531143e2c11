// page_overview.js -- the whole picture as a strip above it, with what is seen of it marked.
//
// The strip is one canvas, drawn when there is another picture; moving about moves the mark alone.
// All places are shares of the whole, from the left and from the top. WHAT is the picture:
//   title            of the strip
//   key()            a list: where it differs from the last one the strip is drawn anew
//   paint(context, width, height)
//   seen()           {left, right, top, bottom}
//   describe()       that in words
//   click(x, y)      go there
//   move(start, by, first)  SEEN was START and was dragged by {x, y}; FIRST: the first such step
//   range(from, to)  show what lies between
//   keys             by name: what a key does while the mark has the focus
//   wheel(event, x)  or nothing

const OVERVIEW_HEIGHT = 44;
// What is seen may be far less than can be seen of a mark.
const MARK_LEAST = 6;
const DRAG_LEAST = 4;

class Overview {
  constructor(what) {
    this.what = what;
    this.canvas = h('canvas', { 'aria-hidden': 'true' });
    this.mark = h('div', {
      class: 'mark', role: 'slider', tabindex: '0', 'aria-label': what.title, 'aria-orientation': 'horizontal',
      'aria-valuemin': 0, 'aria-valuemax': 100,
    });
    this.reach = h('div', { class: 'reach', hidden: true });
    this.element = h('div', { class: 'overview', title: what.hint }, this.canvas, this.mark, this.reach);
    this.drawn = [];
    this.mark.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('pointerdown', (event) => event.button === 0 && this.press(event));
    if (what.wheel)
      this.element.addEventListener('wheel', (event) => what.wheel(event, this.shareOf(event).x), { passive: false });
  }

  // WIDTH: that of the picture below.
  update(width) {
    const ratio = window.devicePixelRatio || 1;
    const key = [width, ratio, ...this.what.key()];
    if (key.some((part, i) => part !== this.drawn[i])) {
      this.drawn = key;
      this.width = width;
      this.canvas.style.width = width + 'px';
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(OVERVIEW_HEIGHT * ratio);
      const context = this.canvas.getContext('2d');
      context.scale(ratio, ratio);
      this.what.paint(context, width, OVERVIEW_HEIGHT);
    }
    this.place();
  }

  place() {
    const seen = this.what.seen();
    const stretch = (from, to, whole) => {
      const length = Math.max(MARK_LEAST, Math.min(1, to - from) * whole);
      return [Math.max(0, Math.min(from * whole, whole - length)), length];
    };
    const [left, width] = stretch(seen.left, seen.right, this.width);
    const [top, height] = stretch(seen.top, seen.bottom, OVERVIEW_HEIGHT);
    Object.assign(this.mark.style, { left: left + 'px', width: width + 'px', top: top + 'px', height: height + 'px' });
    this.mark.setAttribute('aria-valuenow', Math.round((seen.left + seen.right) * 50));
    this.mark.setAttribute('aria-valuetext', this.what.describe());
  }

  shareOf(event) {
    const box = this.canvas.getBoundingClientRect();
    const share = (at, from, whole) => Math.max(0, Math.min(1, (at - from) / whole));
    return { x: share(event.clientX, box.left, box.width), y: share(event.clientY, box.top, box.height) };
  }

  key(event) {
    const act = Object.hasOwn(this.what.keys, event.key) ? this.what.keys[event.key] : null;
    if (!act || event.ctrlKey || event.metaKey || event.altKey)
      return;
    act();
    event.preventDefault();
    event.stopPropagation();
  }

  // The mark is moved where it is taken; elsewhere, and where it has no room, a stretch is chosen.
  isMove(from, by, seen) {
    if (seen.right - seen.left > .999)
      return Math.abs(by.y) * OVERVIEW_HEIGHT > Math.abs(by.x) * this.width;
    const slack = MARK_LEAST / this.width;
    return from.x >= seen.left - slack && from.x <= seen.right + slack;
  }

  press(event) {
    const from = this.shareOf(event), seen = this.what.seen();
    let mode = '', steps = 0;
    const move = (next) => {
      const at = this.shareOf(next);
      const by = { x: at.x - from.x, y: at.y - from.y };
      if (mode === '' && Math.hypot(next.clientX - event.clientX, next.clientY - event.clientY) > DRAG_LEAST)
        mode = this.isMove(from, by, seen) ? 'move' : 'range';
      if (mode === 'move')
        this.what.move(seen, by, steps++ === 0);
      else if (mode === 'range')
        this.showReach(from.x, at.x);
    };
    const end = (last) => {
      for (const [name, listener] of listeners)
        window.removeEventListener(name, listener);
      this.reach.hidden = true;
      if (last.type !== 'pointerup')
        return;
      const at = this.shareOf(last);
      if (mode === '')
        this.what.click(at.x, at.y);
      else if (mode === 'range')
        this.what.range(Math.min(from.x, at.x), Math.max(from.x, at.x));
    };
    const listeners = [['pointermove', move], ['pointerup', end], ['pointercancel', end]];
    for (const [name, listener] of listeners)
      window.addEventListener(name, listener);
    event.preventDefault();
    this.mark.focus({ preventScroll: true });
  }

  showReach(a, b) {
    this.reach.hidden = false;
    this.reach.style.left = Math.min(a, b) * this.width + 'px';
    this.reach.style.width = Math.abs(a - b) * this.width + 'px';
  }
}
