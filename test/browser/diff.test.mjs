// Differentials: what changed, with nothing lost from sight.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { clickFrame, control, crumbs, detail, frame, frames, hoverFrame, labels, makePage, open, tableRows, text } from './pages.mjs';

// Bytes and allocations before, then after.
const LINES = [
  'main;steady 100 10 100 10',
  'main;grown;inner 50 5 80 6',
  'main;shrunk 40 4 10 1',
  'gone;x 40 1 0 0',
  'fresh;y 0 0 20 2',
].join('\n') + '\n';

const openDiff = (t, page = {}, options = {}) =>
  open(t, makePage(LINES, { values: 'bytes,allocations', kind: 'diff', ...page }), options);

for (const format of ['html', 'svg']) {
  test(`${format}: both totals, and every stack of both profiles`, async (t) => {
    const page = await openDiff(t, { format });
    assert.equal(await text(page.locator('.whole')), '230 B \u2192 210 B (\u22128.70%) bytes allocated');
    for (const name of ['main', 'steady', 'grown', 'inner', 'shrunk', 'gone', 'x', 'fresh', 'y'])
      assert.equal((await frames(page, name)).length, 1, name);
  });
}

test('a frame is as wide as the larger amounts below it', async (t) => {
  const page = await openDiff(t);
  const all = await frame(page, 'all');
  const share = async (name) => (await frame(page, name)).width / all.width;
  // 100 + 80 + 40 + 40 + 20
  for (const [name, amount] of [['main', 220], ['grown', 80], ['shrunk', 40], ['gone', 40], ['fresh', 20]])
    assert.ok(Math.abs(await share(name) - amount / 280) < 0.01, name);
});

test('width by what is after or was before', async (t) => {
  const page = await openDiff(t);
  await control(page, 'width').selectOption('after');
  assert.equal((await frames(page, 'gone')).length, 0);
  assert.ok(Math.abs((await frame(page, 'fresh')).width / (await frame(page, 'all')).width - 20 / 210) < 0.01);
  await control(page, 'width').selectOption('before');
  assert.equal((await frames(page, 'fresh')).length, 0);
  assert.ok(Math.abs((await frame(page, 'gone')).width / (await frame(page, 'all')).width - 40 / 230) < 0.01);
});

test('colours and labels tell the direction, also for parents', async (t) => {
  const page = await openDiff(t);
  const colour = async (name) => {
    const { fill } = await frame(page, name);
    const [red, , blue] = fill.match(/\w\w/g).map((c) => parseInt(c, 16));
    return red > blue ? 'red' : blue > red ? 'blue' : 'grey';
  };
  assert.equal(await colour('grown'), 'red');
  assert.equal(await colour('inner'), 'red');
  assert.equal(await colour('shrunk'), 'blue');
  assert.match((await frame(page, 'gone')).fill, /thag-gone/);
  const shown = await labels(page);
  for (const label of ['\u25b2 grown', '\u25bc shrunk', 'gone: gone', 'new: y', 'steady'])
    assert.ok(shown.includes(label), label + ' in ' + shown.join());
});

test('no change has the same colour as its like', async (t) => {
  const page = await openDiff(t);
  // main: 190 and 190
  assert.equal((await frame(page, 'main')).fill, (await frame(page, 'steady')).fill);
});

test('tooltip and details have before, after and change', async (t) => {
  const page = await openDiff(t);
  await hoverFrame(page, 'grown');
  const tip = await text(page.locator('.tip'));
  assert.match(tip, /^growntotalselfbefore50 B0 Bafter80 B0 Bchange\+30 B0 B\+60\.0%equalof all21\.74% \u2192 38\.10%/);
  assert.match(await detail(page), /^grownbefore 50 Bafter 80 Bchange \+30 B \+60\.0%self 0 B \u2192 0 B/);
  await hoverFrame(page, 'gone');
  assert.match(await text(page.locator('.tip')), /\u221240 B.*gone/);
});

test('another value has its own changes', async (t) => {
  const page = await openDiff(t);
  await control(page, 'value').selectOption('allocations');
  assert.equal(await text(page.locator('.whole')), '20 \u2192 19 (\u22125.00%) allocations');
  await hoverFrame(page, 'shrunk');
  assert.match(await detail(page), /before 4after 1change \u22123 \u221275\.0%/);
});

test('table has the largest changes first, in either direction', async (t) => {
  const page = await openDiff(t);
  await page.locator('th button', { hasText: 'Total' }).click();
  assert.deepEqual((await tableRows(page)).map((row) => [row[0], row[2]]), [
    ['x', '\u221240 Bgone'], ['gone', '\u221240 Bgone'], ['inner', '+30 B+60.0%'], ['shrunk', '\u221230 B\u221275.0%'],
    ['grown', '+30 B+60.0%'], ['y', '+20 Bnew'], ['fresh', '+20 Bnew']]);
});

test('tree compares frame by frame, what is gone included', async (t) => {
  const page = await openDiff(t);
  await page.locator('[data-panel="tree"]').click();
  const rows = await page.locator('.panel tbody tr').evaluateAll((all) => all.map((row) =>
    [row.querySelector('[data-node]').title, row.children[1].textContent.replaceAll('\u00a0', ' ')]));
  const of = Object.fromEntries(rows);
  assert.equal(of.gone, '\u221240 Bgone');
  assert.equal(of.fresh, '+20 Bnew');
  assert.equal(of.grown, '+30 B+60.0%');
});

test('sandwich compares callers and callees', async (t) => {
  const page = await openDiff(t);
  await page.locator('.panel button[title="grown"]').click();
  await page.locator('[data-panel="sandwich"]').click();
  assert.match(await text(page.locator('.panel')), /Total 50 B \u2192 80 B \(\+60\.0%\), self 0 B \u2192 0 B, 1 frame/);
  assert.deepEqual(await tableRows(page, 0), [['main', '+30 B+60.0%']]);
  assert.deepEqual(await tableRows(page, 1), [['inner', '+30 B+60.0%']]);
});

test('search sums both sides', async (t) => {
  const page = await openDiff(t);
  await control(page, 'search').fill('grown|shrunk');
  assert.equal(await text(page.locator('.found')), '2 frames, 90 B \u2192 90 B (equal)');
});

test('legend has numbers for the colours', async (t) => {
  const page = await openDiff(t);
  await page.locator('[data-panel="legend"]').click();
  const legend = await text(page.locator('.panel'));
  assert.match(legend, /\u2264 \u221240 B/);
  assert.match(legend, /\u2265 \+40 B/);
  assert.match(legend, /gone: in the profile before alone/);
});

test('zoom, filters and links work as in a flamegraph', async (t) => {
  const path = makePage(LINES, { values: 'bytes,allocations', kind: 'diff' });
  const page = await open(t, path);
  await control(page, 'width').selectOption('after');
  await clickFrame(page, 'grown');
  assert.deepEqual(await crumbs(page), ['all', 'main', 'grown']);
  await control(page, 'hide').click();
  await clickFrame(page, 'inner');
  assert.match(await detail(page), /^innerbefore 50 Bafter 80 B/);
  const other = await open(t, path, { hash: await page.evaluate(() => location.hash) });
  assert.equal(await control(other, 'width').inputValue(), 'after');
  assert.deepEqual(await crumbs(other), ['all', 'main', 'inner']);
});

test('a frame tells its change to a screen reader', async (t) => {
  const page = await openDiff(t);
  await clickFrame(page, 'grown');
  assert.equal((await page.locator('[role="treeitem"]').getAttribute('aria-label')).replaceAll('\u00a0', ' '),
    'grown, before 50 B, after 80 B, +60.0%');
});

test('the colour-blind palette is orange and blue', async (t) => {
  const page = await openDiff(t, { palette: 'colourblind' });
  const [red, green, blue] = (await frame(page, 'inner')).fill.match(/\w\w/g).map((c) => parseInt(c, 16));
  assert.ok(red > green && green > blue);
});

test('svg is well-formed and its picture tells both amounts', async (t) => {
  const path = makePage(LINES, { values: 'bytes,allocations', kind: 'diff', format: 'svg' });
  execFileSync('xmllint', ['--noout', path]);
  const page = await open(t, path, { javaScriptEnabled: false, wait: false });
  const titles = await page.locator('#thag-picture g title').allTextContents();
  assert.ok(titles.includes('gone, 0 B, was 40 B'), titles.join());
});
