// The flamechart: what is drawn where, and how it is moved.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { control, detail, makeChart, open, settled, text } from './pages.mjs';

const MS = 1000000;
const LINES = `lane app 100 0 0
span 0 ${100 * MS} main
span ${10 * MS} ${20 * MS} main;load
span ${12 * MS} ${5 * MS} main;load;parse
span ${40 * MS} ${30 * MS} main;load
span ${45 * MS} ${5 * MS} main;load;parse
span ${72 * MS} ${8 * MS} main;save
rest 500 ${2 * MS} main;save;put
lane worker 0 0 1024
span ${20 * MS} ${60 * MS} work
open ${90 * MS} ${10 * MS} work
lane worker 0 1 0
span ${30 * MS} ${50 * MS} async::body
moment ${5 * MS} 1000
moment ${50 * MS} 4096
`;

const openChart = (t, options = {}) => open(t, makeChart(options.lines || LINES, options.format), options);

// Drawn calls of a function: places in the window, and which call it is.
async function calls(page, name) {
  await settled(page);
  return page.evaluate((wanted) => {
    const app = window.thag;
    const box = app.viewport.getBoundingClientRect();
    return app.view.drawn.filter((one) => one.count === 0 && app.nameOfCall(one.lane, one.call) === wanted)
      .map((one) => ({ left: one.x + box.left, x: one.x + box.left + one.width / 2, y: one.y + box.top + 9, width: one.width,
        lane: app.lanes.indexOf(one.lane), start: one.lane.start[one.call] }));
  }, name);
}

const shown = (page) => page.evaluate(() => [window.thag.state.from, window.thag.state.to]);

for (const format of ['html', 'svg']) {
  test(`${format}: lanes, rows and places in time`, async (t) => {
    const page = await openChart(t, { format });
    assert.equal(await page.title(), 'A chart');
    assert.match(await text(page.locator('header .whole')), /^\d+ ns time$/);
    const [main] = await calls(page, 'main');
    const loads = await calls(page, 'load');
    assert.equal(loads.length, 2);
    assert.ok(loads[0].left < loads[1].left);
    assert.ok(Math.abs(loads[1].width / main.width - .3) < .01);
    assert.ok(Math.abs((loads[0].left - main.left) / main.width - .1) < .01);
    assert.equal(loads[0].y - main.y, 18);
    const [body] = await calls(page, 'async::body');
    assert.equal(body.lane, 2);
    assert.equal((await calls(page, 'work')).length, 2);
  });
}

test('a lane whose outer calls were filtered out has its times', async (t) => {
  const page = await openChart(t, { lines: 'lane app 1 0 0\nspan 100 50 main;run\nspan 200 100 main;run;stop\n' });
  const [from, to] = await shown(page);
  assert.ok(from >= 0 && from <= 100 && to >= 300 && to < 310, from + ' ' + to);
  const [run] = await calls(page, 'run'), [stop] = await calls(page, 'stop');
  assert.ok(run.width > 0 && Math.abs(stop.width / run.width - 2) < .05);
});

test('what was copied is said', async (t) => {
  const page = await openChart(t);
  const [load] = await calls(page, 'load');
  await page.mouse.click(load.x, load.y);
  await page.keyboard.press('c');
  await page.locator('.thag > .quiet', { hasText: 'Name copied' }).waitFor({ state: 'attached' });
});

test('a click chooses a call and tells its times and what is below the resolution', async (t) => {
  const page = await openChart(t);
  const [save] = await calls(page, 'save');
  await page.mouse.click(save.x, save.y);
  assert.match(await detail(page), /^savetook 8\.00 msfrom 72\.0 msof caller 8\.00%in app/);
  const panel = (await text(page.locator('.panel')));
  assert.match(panel, /took8,000,000 ns/);
  assert.match(panel, /own, and shorter calls8\.00 ms/);
  assert.match(panel, /put500/);
  assert.match(panel, /main.*save/s);
});

test('an open call says so', async (t) => {
  const page = await openChart(t);
  const list = await calls(page, 'work');
  await page.mouse.click(list[1].x, list[1].y);
  assert.match(await text(page.locator('.panel')), /the end of the program, in which it was open/);
});

test('the wheel zooms at the pointer, a drag moves, 0 shows all', async (t) => {
  const page = await openChart(t);
  const all = await shown(page);
  const [load] = await calls(page, 'load');
  await page.mouse.move(load.x, load.y);
  await page.mouse.wheel(0, -120);
  await page.waitForFunction((before) => window.thag.state.to - window.thag.state.from < before, (all[1] - all[0]) * .9);
  await settled(page);
  const [after] = await calls(page, 'load');
  assert.ok(after.width > load.width * 1.2);
  assert.ok(Math.abs(after.x - load.x) < 3);
  const zoomed = await shown(page);
  await page.mouse.down();
  await page.mouse.move(load.x - 50, load.y, { steps: 3 });
  await page.mouse.up();
  await settled(page);
  const dragged = await shown(page);
  assert.ok(dragged[0] > zoomed[0]);
  assert.ok(Math.abs((dragged[1] - dragged[0]) - (zoomed[1] - zoomed[0])) < 2);
  assert.equal(await page.evaluate(() => window.thag.state.chosen), null);
  await page.keyboard.press('0');
  await settled(page);
  assert.deepEqual(await shown(page), all);
});

test('keys go from call to call, zoom and come back', async (t) => {
  const page = await openChart(t);
  const all = await shown(page);
  const name = () => page.evaluate(() => {
    const { lane, call } = window.thag.state.chosen;
    return window.thag.nameOfCall(lane, call) + ' ' + lane.start[call] / 1e6;
  });
  await page.keyboard.press('ArrowDown');
  assert.equal(await name(), 'main 0');
  await page.keyboard.press('ArrowDown');
  assert.equal(await name(), 'load 10');
  await page.keyboard.press('ArrowRight');
  assert.equal(await name(), 'load 40');
  await page.keyboard.press('ArrowDown');
  assert.equal(await name(), 'parse 45');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  assert.equal(await name(), 'save 72');
  await page.keyboard.press('Home');
  assert.equal(await name(), 'load 10');
  const cursor = page.locator('.cursor');
  assert.equal(await cursor.getAttribute('role'), 'treeitem');
  assert.equal(await cursor.getAttribute('aria-level'), '2');
  assert.equal(await cursor.getAttribute('aria-posinset'), '1');
  assert.equal(await cursor.getAttribute('aria-setsize'), '3');
  assert.match((await cursor.getAttribute('aria-label')).replaceAll('\u00a0', ' '), /^load, 20\.0 ms from 10\.0 ms, app$/);
  assert.ok(await cursor.evaluate((e) => e === document.activeElement));
  await page.keyboard.press('Enter');
  const [from, to] = await shown(page);
  assert.ok(from > 9 * MS && from <= 10 * MS && to >= 30 * MS && to < 31 * MS);
  await page.keyboard.press('+');
  await settled(page);
  assert.ok((await shown(page))[1] < to);
  await page.keyboard.press('Shift+ArrowRight');
  await settled(page);
  await page.goBack();
  await page.waitForFunction((whole) => window.thag.state.to === whole, all[1]);
});

test('a search marks calls, and n leads through them by time', async (t) => {
  const page = await openChart(t);
  await control(page, 'search').fill('parse|work');
  assert.equal(await text(page.locator('.found')), '4 calls');
  await page.keyboard.press('Enter');
  const start = () => page.evaluate(() => window.thag.state.chosen.lane.start[window.thag.state.chosen.call] / 1e6);
  assert.equal(await start(), 12);
  await page.keyboard.press('Enter');
  assert.equal(await start(), 20);
  await page.keyboard.press('Shift+Enter');
  assert.equal(await start(), 12);
  await page.locator('[data-panel="functions"]').click();
  assert.deepEqual(await page.locator('.panel tbody button').evaluateAll((list) => list.map((e) => e.title)), ['work', 'parse']);
});

test('the address leads back to the same view', async (t) => {
  const page = await openChart(t);
  const [save] = await calls(page, 'save');
  await page.mouse.dblclick(save.x, save.y);
  await settled(page);
  const hash = await page.evaluate(() => location.hash);
  const other = await openChart(t, { hash });
  assert.deepEqual((await shown(other)).map(Math.round), (await shown(page)).map(Math.round));
  assert.match(await detail(other), /^save/);
});

test('a click on the head of a lane folds it', async (t) => {
  const page = await openChart(t);
  const box = await page.locator('.lanes').boundingBox();
  await page.mouse.click(box.x + 300, box.y + 8);
  assert.equal((await calls(page, 'main')).length, 0);
  await page.mouse.click(box.x + 300, box.y + 8);
  assert.equal((await calls(page, 'main')).length, 1);
});

test('of samples nothing is called a call', async (t) => {
  const lines = `sampled
lane app 100 0 0
span 0 ${100 * MS} main
span ${10 * MS} ${20 * MS} main;work
`;
  const page = await openChart(t, { lines });
  const [work] = await calls(page, 'work');
  await page.mouse.click(work.x, work.y);
  const tabs = await page.getByRole('tab').allTextContents();
  assert.deepEqual(tabs.slice(0, 1), ['Bar']);
  assert.match(await text(page.locator('.panel')), /neighbouring samples.*in 0 bars shown|in 0 bars shown.*neighbouring samples/s);
  await page.keyboard.press('t');
  assert.match(await text(page.locator('.panel')), /Bars/);
  await page.keyboard.press('?');
  const words = await page.evaluate(() => document.body.innerText);
  assert.doesNotMatch(words, /\bcalls?\b/i);
  assert.match(execFileSync('cat', [makeChart(lines, 'svg')], { encoding: 'utf8' }), /app: 2 bars</);
});

test('many calls: what is too narrow is drawn together, and all of it is counted', async (t) => {
  const lines = ['lane app 1 0 0', 'span 0 100000000 main'];
  for (let i = 0; i < 200000; i++)
    lines.push('span ' + i * 500 + ' 400 main;' + (i % 1000 === 7 ? 'seldom' : 'often'));
  const page = await openChart(t, { lines: lines.join('\n') + '\n' });
  const drawn = await page.evaluate(() => [window.thag.view.drawn.length,
    window.thag.view.drawn.reduce((sum, one) => sum + (one.count || 1), 0)]);
  assert.ok(drawn[0] < 2500, drawn[0]);
  assert.equal(drawn[1], 200001);
  await control(page, 'search').fill('seldom');
  const found = await page.evaluate(() => window.thag.view.drawn.filter((one) => one.count > 0).length);
  assert.ok(found > 200, found);
  await page.evaluate(() => window.thag.show(7 * 500 - 1000, 7 * 500 + 2000, true));
  assert.equal((await calls(page, 'seldom')).length, 1);
  assert.ok(await page.evaluate(() => window.thag.view.drawn.length) < 10);
});

test('live memory has a strip of its own', async (t) => {
  const page = await openChart(t);
  const tall = await page.locator('.axis canvas').evaluate((e) => e.clientHeight);
  const bare = await openChart(t, { lines: 'lane app 1 0 0\nspan 0 1000 main\n' });
  assert.ok(tall > await bare.locator('.axis canvas').evaluate((e) => e.clientHeight) + 30);
});

for (const format of ['html', 'svg']) {
  test(`${format}: without script the static picture shows the calls`, async (t) => {
    const page = await open(t, makeChart(LINES, format), { javaScriptEnabled: false, wait: false });
    const titles = (await page.locator('#thag-picture g title').allTextContents()).map((s) => s.replaceAll('\u00a0', ' '));
    assert.ok(titles.includes('load, 20.0 ms from 10.0 ms'), titles.join());
    assert.equal(titles.length, 9);
  });
}

test('svg is well-formed', () => {
  execFileSync('xmllint', ['--noout', makeChart(LINES, 'svg')]);
});
