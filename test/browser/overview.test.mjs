// The strip above a picture: what is seen of the whole, and moving it.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { clickFrame, control, crumbs, frames, makeChart, makePage, open, openSmall, settled } from './pages.mjs';

const WIDE = 'a;x;deep 20\na;y 20\nb;x 20\nb;z 40\n';

const openWide = (t, options = {}) => open(t, makePage(WIDE, options.page), options);
const zoomed = (page) => page.evaluate(() => {
  const { tree } = window.thag.view;
  const path = [];
  for (let n = window.thag.state.zoom; n !== 0; n = tree.parent[n])
    path.unshift(window.thag.nameOf(tree.name[n]));
  return path.join(';');
});
const mark = (page) => page.locator('.overview .mark');

// Of the strip, and of the mark in it in shares of the strip.
async function places(page) {
  await settled(page);
  const strip = await page.locator('.overview canvas').boundingBox();
  const box = await mark(page).boundingBox();
  return {
    strip, left: (box.x - strip.x) / strip.width, right: (box.x + box.width - strip.x) / strip.width,
    top: (box.y - strip.y) / strip.height, bottom: (box.y + box.height - strip.y) / strip.height,
  };
}

const isNear = (a, b) => Math.abs(a - b) < .01;

async function drag(page, from, to, steps = 4) {
  const { strip } = await places(page);
  const at = ([x, y]) => [strip.x + x * strip.width, strip.y + y * strip.height];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps });
  await page.mouse.up();
  await settled(page);
}

const colourAt = (page, x, y) => page.evaluate(([right, down]) => {
  const canvas = document.querySelector('.overview canvas');
  const [red, green, blue] = canvas.getContext('2d').getImageData(Math.floor(canvas.width * right), Math.floor(canvas.height * down), 1, 1).data;
  return '#' + [red, green, blue].map((c) => c.toString(16).padStart(2, '0')).join('');
}, [x, y]);

test('the mark is where the zoom is, in the width and in the rows', async (t) => {
  const page = await openWide(t);
  const all = await places(page);
  assert.ok(isNear(all.left, 0) && isNear(all.right, 1), JSON.stringify(all));
  await clickFrame(page, 'b');
  const { left, right } = await places(page);
  assert.ok(isNear(left, .4) && isNear(right, 1));
  await page.keyboard.press('0');
  const again = await places(page);
  assert.ok(isNear(again.left, 0) && isNear(again.right, 1));
});

test('the strip has the colours of the frames, in both themes and both ways up', async (t) => {
  const page = await openWide(t, { colorScheme: 'light' });
  const fill = async () => (await frames(page, 'b'))[0].fill;
  assert.equal(await colourAt(page, .7, .375), await fill());
  await control(page, 'theme').click();
  assert.equal(await colourAt(page, .7, .375), await fill());
  await page.keyboard.press('i');
  assert.equal(await colourAt(page, .7, .625), await fill());
  await page.keyboard.press('i');
  await control(page, 'search').fill('^b$');
  assert.equal(await colourAt(page, .7, .375), await fill());
  assert.notEqual(await colourAt(page, .2, .375), await fill());
});

test('the strip keeps showing all of it, and its order, when a part is zoomed to', async (t) => {
  const page = await openWide(t);
  const before = await colourAt(page, .2, .375);
  await clickFrame(page, 'b');
  assert.equal(await colourAt(page, .2, .375), before);
  await control(page, 'order').selectOption('value');
  assert.equal(await colourAt(page, .8, .375), before);
  const { left, right } = await places(page);
  assert.ok(isNear(left, 0) && isNear(right, .6));
});

test('a click in the strip zooms to the frame there, Back comes back', async (t) => {
  const page = await openWide(t);
  const { strip } = await places(page);
  await page.mouse.click(strip.x + strip.width * .1, strip.y + strip.height * .6);
  assert.equal(await zoomed(page), 'a;x');
  // Below all frames there it is the innermost one.
  await page.mouse.click(strip.x + strip.width * .9, strip.y + strip.height * .95);
  assert.equal(await zoomed(page), 'b;z');
  await page.goBack();
  assert.equal(await zoomed(page), 'a;x');
  await page.goBack();
  assert.equal(await zoomed(page), '');
  const { left, right } = await places(page);
  assert.ok(isNear(left, 0) && isNear(right, 1));
});

test('dragging the mark goes to frames of the same depth, as one step', async (t) => {
  const page = await openWide(t);
  await clickFrame(page, 'y');
  assert.equal(await zoomed(page), 'a;y');
  await drag(page, [.3, .1], [.85, .1], 12);
  assert.equal(await zoomed(page), 'b;z');
  const { left, right } = await places(page);
  assert.ok(isNear(left, .6) && isNear(right, 1));
  await page.goBack();
  assert.equal(await zoomed(page), 'a;y');
});

test('dragging elsewhere zooms to what has that stretch', async (t) => {
  const page = await openWide(t);
  await drag(page, [.45, .5], [.9, .5]);
  assert.equal(await zoomed(page), 'b');
  await drag(page, [.05, .5], [.15, .5]);
  assert.equal(await zoomed(page), 'a;x;deep');
  await drag(page, [.9, .5], [.25, .5]);
  assert.equal(await zoomed(page), '');
  assert.ok(await page.locator('.overview .reach').isHidden());
});

test('the keyboard moves the mark, and it says where it is', async (t) => {
  const page = await openWide(t);
  await clickFrame(page, 'y');
  await page.keyboard.press('m');
  assert.equal(await mark(page).evaluate((e) => e === document.activeElement), true);
  assert.equal(await mark(page).getAttribute('role'), 'slider');
  assert.equal(await mark(page).getAttribute('aria-label'), 'Overview: where the zoom is');
  assert.equal(await mark(page).getAttribute('aria-valuetext'), 'y, 20.00% of all, rows 1 to 3 of 3');
  assert.equal(await mark(page).getAttribute('aria-valuenow'), '30');
  const steps = [['ArrowRight', 'b;x'], ['ArrowRight', 'b;z'], ['ArrowRight', 'b;z'], ['Home', 'a;x'], ['End', 'b;z'], ['ArrowLeft', 'b;x']];
  for (const [key, path] of steps) {
    await page.keyboard.press(key);
    assert.equal(await zoomed(page), path, key);
  }
  assert.equal(await mark(page).getAttribute('aria-valuetext'), 'x, 20.00% of all, rows 1 to 3 of 3');
  assert.equal(await mark(page).evaluate((e) => e === document.activeElement), true);
});

test('of a deep graph the mark shows the rows, and scrolls them', async (t) => {
  const lines = Array.from({ length: 200 }, (_, i) => Array.from({ length: i + 1 }, (__, d) => 'f' + d).join(';') + ' 1');
  const page = await open(t, makePage(lines.join('\n') + '\n'));
  const before = await places(page);
  assert.ok(before.top < .02 && before.bottom < .4, JSON.stringify(before));
  await drag(page, [.5, .1], [.5, .6]);
  const after = await places(page);
  assert.ok(Math.abs(after.top - .5) < .05, JSON.stringify(after));
  assert.equal(await zoomed(page), '');
  await mark(page).focus();
  const top = await page.evaluate(() => window.thag.viewport.scrollTop);
  await page.keyboard.press('PageUp');
  assert.ok(await page.evaluate(() => window.thag.viewport.scrollTop) < top);
  await page.keyboard.press('ArrowDown');
  // Root at the bottom: so is the mark.
  await page.locator('[role="treeitem"], svg.graph').first().focus();
  await page.keyboard.press('0');
  await page.keyboard.press('i');
  const turned = await places(page);
  assert.ok(turned.bottom > .98 && turned.top > .6, JSON.stringify(turned));
});

test('a link to a zoom has its mark from the start', async (t) => {
  const path = makePage(WIDE);
  const page = await open(t, path);
  await clickFrame(page, 'b');
  const hash = await page.evaluate(() => location.hash);
  const other = await open(t, path, { hash });
  const { left, right } = await places(other);
  assert.ok(isNear(left, .4) && isNear(right, 1));
});

test('a differential has its strip, with what is gone', async (t) => {
  const page = await open(t, makePage('a;x 10 10\nb 10 0\n', { kind: 'diff' }));
  const { left, right } = await places(page);
  assert.ok(isNear(left, 0) && isNear(right, 1));
  assert.equal(await colourAt(page, .75, .5), await page.evaluate(() => window.thag.colours.gone));
  await clickFrame(page, 'a');
  assert.ok(isNear((await places(page)).right, .5));
});

test('a graph of 3,000 frames adds one canvas, and none on paper', async (t) => {
  const lines = Array.from({ length: 3000 }, (_, i) => `f${i % 50};g${i} 1`);
  const page = await open(t, makePage(lines.join('\n') + '\n'));
  assert.equal(await page.locator('.overview *').count(), 3);
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.locator('.overview').isHidden());
});

test('nothing of this value: the strip is empty and harmless', async (t) => {
  const page = await open(t, makePage('a 0\n'));
  await mark(page).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('End');
  assert.equal(await zoomed(page), '');
});

for (const width of [1280, 600]) {
  test(`${width} pixels: the strip is as wide as the graph`, async (t) => {
    const page = await openSmall(t, { viewport: { width, height: 800 } });
    await clickFrame(page, 'main');
    await page.setViewportSize({ width: width - 100, height: 800 });
    await page.waitForFunction((w) => window.thag.rootWidth === w, width - 100);
    const { strip } = await places(page);
    assert.ok(Math.abs(strip.width - await page.evaluate(() => window.thag.graph.width)) < 1);
    assert.deepEqual(await crumbs(page), ['all', 'main']);
  });
}

// The flamechart's

const MS = 1000000;
const CALLS = `lane app 100 0 0
span 0 ${100 * MS} main
span ${10 * MS} ${20 * MS} main;load
span ${60 * MS} ${30 * MS} main;save
lane worker 0 0 0
span ${20 * MS} ${60 * MS} work
`;

const shown = async (page) => {
  await settled(page);
  return page.evaluate(() => [window.thag.state.from, window.thag.state.to].map((ns) => ns / 1000000));
};

test('chart: the mark follows the zoom, a drag moves it, Back comes back', async (t) => {
  const page = await open(t, makeChart(CALLS));
  const all = await places(page);
  assert.ok(isNear(all.left, 0) && isNear(all.right, 1));
  await drag(page, [.5, .5], [.7, .5]);
  const [from, to] = await shown(page);
  assert.ok(Math.abs(from - 50) < 1 && Math.abs(to - 70) < 1, from + ' ' + to);
  const { left, right } = await places(page);
  assert.ok(isNear(left, .5) && isNear(right, .7));
  await drag(page, [.6, .5], [.3, .5]);
  const moved = await shown(page);
  assert.ok(Math.abs(moved[0] - 20) < 1 && Math.abs(moved[1] - 40) < 1, moved.join());
  await page.goBack();
  assert.ok(Math.abs((await shown(page))[0] - from) < .001);
  await page.goBack();
  assert.ok(isNear((await places(page)).right, 1));
});

test('chart: a click in the strip goes there, the wheel zooms there', async (t) => {
  const page = await open(t, makeChart(CALLS));
  await drag(page, [.1, .5], [.2, .5]);
  const { strip } = await places(page);
  await page.mouse.click(strip.x + strip.width * .75, strip.y + 20);
  const clicked = await shown(page);
  assert.ok(Math.abs((clicked[0] + clicked[1]) / 2 - 75) < 1 && Math.abs(clicked[1] - clicked[0] - 10) < 1, clicked.join());
  await page.mouse.wheel(0, 240);
  await page.waitForFunction((before) => window.thag.state.to - window.thag.state.from > before * 1000000, (clicked[1] - clicked[0]) * 1.2);
  const wheeled = await shown(page);
  assert.ok(wheeled[0] < 75 && wheeled[1] > 75);
});

test('chart: the keyboard moves the time shown, and the mark says it', async (t) => {
  const page = await open(t, makeChart(CALLS));
  await drag(page, [.4, .5], [.6, .5]);
  await page.keyboard.press('m');
  assert.match((await mark(page).getAttribute('aria-valuetext')).replaceAll('\u00a0', ' '), /^from 40\.\d+ ms to 60\.\d+ ms, 20\.00% of all$/);
  const before = await shown(page);
  await page.keyboard.press('ArrowRight');
  assert.ok(Math.abs((await shown(page))[0] - before[0] - 2) < .2);
  await page.keyboard.press('End');
  assert.ok(isNear((await places(page)).right, 1));
  await page.keyboard.press('Home');
  assert.ok(isNear((await places(page)).left, 0));
  assert.ok(Math.abs((await shown(page))[1] - (await shown(page))[0] - 20) < .2);
});

test('chart: the strip has the colours of the calls, also of a folded lane and a search', async (t) => {
  const page = await open(t, makeChart(CALLS));
  const fill = () => page.evaluate(() => window.thag.lookOf(window.thag.lanes[1], 0).fill);
  // The lane of the worker is the lower one.
  const at = await page.evaluate(() => (window.thag.lanes[1].top + 20 + 9) / window.thag.view.height);
  assert.equal(await colourAt(page, .5, at), await fill());
  await control(page, 'search').fill('work');
  assert.equal(await colourAt(page, .5, at), await fill());
  assert.equal(await fill(), await page.evaluate(() => window.thag.colours.found));
  await page.evaluate(() => window.thag.fold(window.thag.lanes[0]));
  assert.equal(await colourAt(page, .5, await page.evaluate(() => (window.thag.lanes[1].top + 20 + 9) / window.thag.view.height)), await fill());
});
