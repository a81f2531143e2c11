// The panel of sizes: how large single allocations were, as `thag_profile sizes` says.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { makeGraph, makeRecording, open, openSmall, tableRows, text, thag } from './pages.mjs';

const tab = (page) => page.locator('[data-panel="sizes"]');
const isChosen = async (page) => await tab(page).getAttribute('aria-selected') === 'true';
const numberOf = (title) => Number(title.replace(/ B\b|,(?=\d)/g, '').split(',')[0]);

// The amounts of the two tables, all digits of them.
function shown(page) {
  return page.locator('.panel table').evaluateAll((tables) => tables.map((table) =>
    [...table.querySelectorAll('tbody tr')].map((row) => [row.querySelector('th').textContent,
      ...[...row.querySelectorAll('td')].map((cell) => cell.title)])));
}

async function checkSizes(page, recording, ...options) {
  const said = JSON.parse(thag('sizes', '--format', 'json', ...options, recording));
  const [ranges, marks] = await shown(page);
  assert.deepEqual(ranges.map(([title, count, bytes]) => [title, numberOf(count), numberOf(bytes)]),
    said.sizes.map(({ size, count, bytes }) => [size, count, bytes]));
  assert.deepEqual(marks.map(([title, bytes]) => [title, numberOf(bytes)]),
    ['min', 'p50', 'p90', 'p99', 'max'].map((name) => [name, said[name]]));
  assert.match(await text(page.locator('.panel p').first()), new RegExp('^' + said.count + ' allocations?, '));
  return said;
}

test('the tab shows what the command sizes says, opened by a click', async (t) => {
  const recording = makeRecording();
  const page = await open(t, makeGraph(recording));
  await tab(page).click();
  assert.ok(await isChosen(page));
  const said = await checkSizes(page, recording);
  assert.equal(said.count, 19);
  assert.deepEqual((await tableRows(page)).slice(0, 3),
    [['0-64', '842.11%', '131 B2.51%'], ['65-256', '1052.63%', '1,000 B19.13%'], ['257-1K', '00%', '0 B0%']]);
  assert.equal(await text(page.locator('.panel p').first()), '19 allocations, 5.09 KiB');
});

test('the sizes are those that the filters of the command leave', async (t) => {
  const recording = makeRecording();
  const page = await open(t, makeGraph(recording, '--include', '^libpart'));
  await tab(page).click();
  const said = await checkSizes(page, recording, '--include', '^libpart');
  assert.ok(said.count > 0 && said.count < 19, String(said.count));
});

test('z opens the tab, the panel too; arrows reach it', async (t) => {
  const page = await open(t, makeGraph(makeRecording()));
  await page.keyboard.press('p');
  await page.keyboard.press('z');
  assert.ok(await isChosen(page));
  assert.ok(await page.locator('.panel table').first().isVisible());
  await tab(page).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('[data-panel="legend"]').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('ArrowLeft');
  assert.ok(await isChosen(page));
});

test('tables have names, headers and bars beside their numbers', async (t) => {
  const page = await open(t, makeGraph(makeRecording()));
  await tab(page).click();
  assert.deepEqual(await page.locator('.panel table').evaluateAll((all) => all.map((table) => table.getAttribute('aria-label'))),
    ['Sizes of allocations', 'Percentiles']);
  assert.deepEqual(await page.locator('.panel thead th').allTextContents(), ['Size', 'Count', 'Bytes, at most']);
  assert.equal(await page.locator('.panel tbody th[scope="row"]').count(), 7 + 5);
  const looks = await page.locator('.panel td.amount').evaluateAll((cells) => cells.map((cell) =>
    [cell.style.getPropertyValue('--share'), getComputedStyle(cell).textAlign]));
  assert.deepEqual(looks[0], ['42.11%', 'right']);
  assert.deepEqual(looks[7], ['78.36%', 'right']);
  const wide = await page.evaluate(() => [document.querySelector('.panel'), document.querySelector('[role="tablist"]')]
    .map((part) => part.scrollWidth - part.clientWidth));
  assert.deepEqual(wide, [0, 0]);
});

test('a page without sizes has no such tab, and z does nothing', async (t) => {
  const page = await openSmall(t);
  assert.equal(await tab(page).count(), 0);
  await page.keyboard.press('z');
  assert.equal(await page.locator('[data-panel="top"]').getAttribute('aria-selected'), 'true');
});
