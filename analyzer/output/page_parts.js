// page_parts.js -- elements, dialogs and controls that all pages share, and how a page starts.

const XHTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const ROW = 18;
const NARROWEST = 0.5;
const ROWS_AT_ONCE = 60;

// An element of HTML, also in a document that is XML.
function h(tag, attributes, ...children) {
  const element = document.createElementNS(XHTML, tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on'))
      element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false)
      element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function refill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null));
}

function makeSelect(label, choices, current, action, id) {
  const select = h('select', { 'data-control': id, 'aria-label': label, title: label, onchange: () => action(select.value) },
    ...choices.map(([value, text]) => h('option', { value, selected: value === current }, text)));
  return select;
}

function labelled(label, select) {
  return h('label', { class: 'choice' }, label, select);
}

function makeButton(label, title, control, action) {
  return h('button', { type: 'button', title, 'data-control': control, onclick: action }, label);
}

function markSample(fill, className) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('width', 60);
  svg.setAttribute('height', ROW);
  svg.setAttribute('aria-hidden', 'true');
  const rect = document.createElementNS(SVG, 'rect');
  for (const [key, value] of Object.entries({ x: 1, y: 1, width: 58, height: ROW - 2, fill, class: 'f ' + className }))
    rect.setAttribute(key, value);
  svg.append(rect);
  return svg;
}

// Next to the pointer, on the side where there is room.
class Tip {
  constructor(root) {
    this.element = h('div', { class: 'tip', hidden: true, role: 'presentation' });
    root.append(this.element);
  }

  show(x, y, content) {
    const { element } = this;
    refill(element, ...content);
    element.hidden = false;
    const { width, height } = element.getBoundingClientRect();
    const left = x + 14 + width > window.innerWidth ? x - 10 - width : x + 14;
    const top = y + 18 + height > window.innerHeight ? y - 10 - height : y + 18;
    element.style.left = Math.max(4, left) + 'px';
    element.style.top = Math.max(4, top) + 'px';
  }

  hide() {
    this.element.hidden = true;
  }
}

function openDialog(root, title, content) {
  const before = document.activeElement;
  const close = () => {
    veil.remove();
    if (before && before.isConnected)
      before.focus({ preventScroll: true });
  };
  const button = h('button', { type: 'button', onclick: close }, 'Close');
  const veil = h('div', { class: 'veil' },
    h('div', { class: 'dialog', role: 'dialog', 'aria-modal': 'true', 'aria-labelledby': 'thag-dialog' },
      h('h2', { id: 'thag-dialog' }, title), content, button));
  veil.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Escape')
      close();
    // The one thing to reach in here is the button.
    if (event.key === 'Tab' || event.key === 'Escape')
      event.preventDefault();
  });
  veil.addEventListener('click', (event) => {
    if (event.target === veil)
      close();
  });
  root.append(veil);
  button.focus();
}

// The side panel with its tabs: PANELS are [name, title].
function buildSidePanel(app, panels) {
  app.tabs = panels.map(([name, title]) => h('button', {
    type: 'button', role: 'tab', id: 'thag-tab-' + name, 'data-panel': name, 'aria-controls': 'thag-panel',
    onclick: () => app.setPanel(name),
  }, title));
  app.panel = h('div', { class: 'panel', id: 'thag-panel', role: 'tabpanel', tabindex: '0' });
  const list = h('div', { role: 'tablist', 'aria-label': 'Side panel' }, ...app.tabs);
  list.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined)
      return;
    const at = panels.findIndex(([name]) => name === app.state.panel);
    const next = (at + by + panels.length) % panels.length;
    app.setPanel(panels[next][0]);
    app.tabs[next].focus();
    event.preventDefault();
    event.stopPropagation();
  });
  return h('aside', { 'aria-label': 'Side panel' }, list, app.panel);
}

// The row of a search, with the buttons PREVIOUS and NEXT, and where it says what was found.
function buildSearch(app, previous, next) {
  app.input = h('input', {
    type: 'text', 'data-control': 'search', 'aria-label': 'Search (regular expression)', spellcheck: 'false',
    autocomplete: 'off', placeholder: 'Search: regular expression   /', oninput: () => app.search(app.input.value),
  });
  app.matchButtons = [makeButton('\u2039', previous + ' (N)', 'previous', () => app.nextMatch(-1)),
    makeButton('\u203a', next + ' (n)', 'next', () => app.nextMatch(1))];
  app.matchButtons[0].setAttribute('aria-label', previous);
  app.matchButtons[1].setAttribute('aria-label', next);
  app.foundLine = h('span', { class: 'found', 'aria-live': 'polite' });
  return h('div', { class: 'search', role: 'search' }, app.input, ...app.matchButtons);
}

// What is at the end of every bar: theme, picture, panel, help. WHAT is saved as a picture.
function buildPageButtons(app, what, help) {
  app.themeButton = makeButton('', 'Dark or light (d)', 'theme', () => app.toggleTheme());
  app.panelButton = makeButton('Panel', 'Side panel on or off (p)', 'panel', () => app.togglePanel());
  return [app.themeButton, makeButton('PNG', 'Save the ' + what + ' as a picture', 'png', () => app.savePicture()),
    app.panelButton, makeButton('?', 'Keys and help (?)', 'help', help)];
}

// Where screen readers hear what was done.
function buildLive(app) {
  app.live = h('div', { class: 'quiet', 'aria-live': 'polite' });
  return app.live;
}

function announce(app, text) {
  app.live.textContent = text;
}

function focusSearch(app) {
  app.input.focus();
  app.input.select();
}

function endSearch(app) {
  if (app.state.query === '')
    return false;
  app.input.value = '';
  app.search('');
  return true;
}

function keyInSearch(app, event) {
  if (event.key === 'Enter') {
    app.nextMatch(event.shiftKey ? -1 : 1);
    event.preventDefault();
  } else if (event.key === 'Escape') {
    if (!endSearch(app))
      app.focusPicture();
    event.preventDefault();
  }
}

// Keys that are ACTIONS, by their names, and those that MOVE the choice. What is typed into the search,
// or means something to a control, is left to it.
function keyInPage(app, event, actions, move) {
  if ((event.ctrlKey || event.metaKey) && event.key === 'f' && !event.altKey) {
    focusSearch(app);
    event.preventDefault();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey)
    return;
  if (event.target === app.input) {
    keyInSearch(app, event);
    return;
  }
  const tag = event.target.localName;
  const onControl = tag === 'button' || tag === 'select';
  if (tag === 'select' && event.key !== 'Escape')
    return;
  if (/^Arrow|^Home$|^End$/.test(event.key)) {
    if (onControl || app.panel.contains(event.target))
      return;
    move(app, event);
    event.preventDefault();
    return;
  }
  const action = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
  if (!action || (event.key === 'Enter' && onControl))
    return;
  app.tip.hide();
  action(app);
  event.preventDefault();
}

// What a page hears of the window: its keys, its address, the system's theme, the printer. PICTURE
// draws all of itself while its WHOLE is true.
function listenToWindow(app, actions, move, picture) {
  document.addEventListener('keydown', (event) => keyInPage(app, event, actions, move));
  window.addEventListener('hashchange', () => app.readAddress());
  window.addEventListener('popstate', () => app.readAddress());
  app.dark.addEventListener('change', () => {
    app.applyTheme();
    app.refresh();
  });
  window.addEventListener('beforeprint', () => printPage(app, picture, true));
  window.addEventListener('afterprint', () => printPage(app, picture, false));
}

// On paper there is no scrolling: all of the picture is drawn, light on white.
function printPage(app, picture, on) {
  const theme = app.state.theme;
  picture.whole = on;
  if (on)
    app.state.theme = 'light';
  app.applyTheme();
  app.refresh();
  app.state.theme = theme;
  if (!on) {
    app.applyTheme();
    app.refresh();
  }
}

async function copyText(app, text, what) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch (error) {
    const before = document.activeElement;
    const area = h('textarea', { class: 'quiet' });
    area.value = text;
    app.root.append(area);
    area.select();
    done = document.execCommand('copy');
    area.remove();
    before.focus({ preventScroll: true });
  }
  announce(app, done ? what + ' copied' : 'Copying was refused by the browser');
}

function saveCanvas(app, canvas) {
  canvas.toBlob((blob) => {
    const link = h('a', { href: URL.createObjectURL(blob),
      download: (app.data.title.replace(/[^\w.-]+/g, '_').slice(0, 80) || 'graph') + '.png' });
    app.root.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }, 'image/png');
}

// Where the page goes. A stand-alone picture gives way to a document of HTML, when it is all there;
// inside another document it stays a picture.
function replacePicture(picture, root) {
  const title = picture.querySelector('title').textContent;
  const css = document.getElementById('thag-style').textContent;
  document.replaceChild(h('html', { lang: 'en' },
    h('head', null, h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('title', null, title), h('style', null, css)),
    h('body', null, root)), picture);
}

function whenParsed(action) {
  if (document.readyState === 'loading')
    document.addEventListener('DOMContentLoaded', action);
  else
    action();
}

// Make the page that PAGE, a class, is.
function start(Page) {
  const data = JSON.parse(document.getElementById('thag-data').textContent);
  const root = h('div', { class: 'thag' });
  const picture = document.documentElement;
  if (picture.namespaceURI === XHTML) {
    // The picture follows; the style sheet hides it from the start.
    picture.classList.add('thag-live');
    document.body.append(root);
    window.thag = new Page(root, data);
    whenParsed(() => document.getElementById('thag-picture').remove());
  } else if (picture.id === 'thag-picture') {
    picture.setAttribute('display', 'none');
    whenParsed(() => {
      replacePicture(picture, root);
      window.thag = new Page(root, data);
    });
  }
}
