// pages.mjs -- makes pages, opens them in one browser, and finds frames in them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

export const SMALL = readFileSync(new URL('small.txt', import.meta.url), 'utf8');
export const SMALL_VALUES = 'bytes,allocations,live_bytes';

const folder = mkdtempSync(join(tmpdir(), 'thag-browser-'));
// For a launch, or for what is waited for: it takes seconds at most, and must not fail a busy machine.
const LIMIT_MS = 600000;
let browser;
let made = 0;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'], timeout: LIMIT_MS });
});

after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

// The path of a page made from folded lines.
export function makePage(folded, { format = 'html', values = 'samples', title = 'A title', palette = 'aqua', kind = '' } = {}) {
  const text = execFileSync(process.env.PAGE_FROM_FOLDED, [format, values, title, palette, kind],
    { input: folded, maxBuffer: 1 << 30 });
  const path = join(folder, made++ + '.' + format);
  writeFileSync(path, text);
  return path;
}

// The same from lines of spans; see page_from_spans.c.
export function makeChart(lines, format = 'html') {
  const text = execFileSync(process.env.PAGE_FROM_SPANS, [format], { input: lines, maxBuffer: 1 << 30 });
  const path = join(folder, made++ + '.' + format);
  writeFileSync(path, text);
  return path;
}

// What the program itself prints.
export function thag(...words) {
  return execFileSync(process.env.THAG_PROFILE, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

// The path of the sample recording, see recording_builder.h.
export function makeRecording() {
  const path = join(folder, made++ + '.thag');
  execFileSync(process.env.RECORDING_SAMPLE, [path]);
  return path;
}

// The path of a page that the program itself makes.
export function makeGraph(recording, ...options) {
  const path = join(folder, made++ + '.html');
  thag('graph', '--no-open', '-o', path, ...options, recording);
  return path;
}

export async function openContext(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(LIMIT_MS);
  return context;
}

// Opens a page and makes sure, at the end of the test, that its script raised no error.
export async function open(test, path, { hash = '', wait = true, context, ...options } = {}) {
  const own = context || await openContext(options);
  const page = await own.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.stack));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || errors.push('loads ' + request.url()));
  page.on('dialog', (dialog) => {
    errors.push('dialog ' + dialog.message());
    dialog.dismiss();
  });
  await page.goto('file://' + path + hash);
  if (wait)
    await page.waitForFunction(() => window.thag && (window.thag.graph ? window.thag.graph.layout : window.thag.view));
  if (wait)
    await settled(page);
  test.after(async () => {
    await own.close();
    assert.deepEqual(errors, []);
  });
  return page;
}

export function openSmall(test, options = {}) {
  return open(test, makePage(SMALL, { values: SMALL_VALUES, ...options.page }), options);
}

// Waits until the page shows what it was told: until then a place, a size or a colour that is read
// may be one on its way. The first picture has what was asked for and tells the observers of sizes,
// the second has what they changed; then nothing may be fading any more.
export function settled(page) {
  return page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
  });
}

// The drawn frames of a function, from left to right and top to bottom: their places on the screen.
export async function frames(page, name) {
  await settled(page);
  return page.evaluate((wanted) => {
    const app = window.thag;
    const { layout } = app.graph;
    return [...document.querySelectorAll('polygon.f')]
      .filter((f) => layout.count[f.entry] === 0 && app.nameOf(app.view.tree.name[layout.node[f.entry]]) === wanted)
      .map((f) => {
        const { left, top, width, height } = f.getBoundingClientRect();
        return { left, top, width, height, x: left + width / 2, y: top + height / 2, className: f.getAttribute('class'), fill: f.getAttribute('fill') };
      })
      .sort((a, b) => a.top - b.top || a.left - b.left);
  }, name);
}

export async function frame(page, name) {
  const list = await frames(page, name);
  assert.ok(list.length > 0, 'no frame ' + name);
  return list[0];
}

export async function clickFrame(page, name, options) {
  const { x, y } = await frame(page, name);
  await page.mouse.click(x, y, options);
}

export async function hoverFrame(page, name) {
  const { x, y } = await frame(page, name);
  await page.mouse.move(x, y);
}

export async function labels(page) {
  await settled(page);
  return page.locator('.labels text').allTextContents();
}

export const control = (page, name) => page.locator(`[data-control="${name}"]`);
export const crumbs = (page) => page.locator('.crumbs button').allTextContents();
export const detail = async (page) => (await page.locator('.detail').textContent()).replaceAll('\u00a0', ' ');
export const text = async (locator) => (await locator.textContent()).replaceAll('\u00a0', ' ');

// The rows of the panel's table: [name, amounts...].
export function tableRows(page, index = 0) {
  return page.locator('.panel table').nth(index).locator('tbody tr').evaluateAll((rows) =>
    rows.map((row) => [...row.children].map((cell) => {
      const button = cell.querySelector('button[data-name]');
      return (button ? button.title : cell.textContent).replaceAll('\u00a0', ' ');
    })));
}
