// The keyboard, and what a screen reader is told.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { clickFrame, control, crumbs, detail, frames, openSmall, text } from './pages.mjs';

const focused = (page) => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
const start = async (page) => {
  await page.locator('[role="treeitem"]').focus();
};

test('the graph is a tree with one frame to reach by Tab', async (t) => {
  const page = await openSmall(t);
  assert.equal(await page.locator('svg.graph').getAttribute('role'), 'tree');
  assert.equal(await page.locator('svg.graph').getAttribute('aria-label'), 'A title, bytes allocated');
  assert.equal(await page.locator('svg.graph [tabindex="0"]').count(), 1);
  await start(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.locator('svg.graph [tabindex="0"]').count(), 1);
  assert.equal(await page.locator('[role="treeitem"]').count(), 1);
});

test('arrows go to child, siblings and parent', async (t) => {
  const page = await openSmall(t);
  await start(page);
  await page.keyboard.press('ArrowDown');
  assert.match(await focused(page), /^idle, 101.B/);
  await page.keyboard.press('ArrowRight');
  assert.match(await focused(page), /^main/);
  await page.keyboard.press('ArrowRight');
  assert.match(await focused(page), /^main/);
  await page.keyboard.press('ArrowDown');
  assert.match(await focused(page), /^parse/);
  await page.keyboard.press('Home');
  assert.match(await focused(page), /^Zeta/);
  await page.keyboard.press('End');
  assert.match(await focused(page), /^parse/);
  await page.keyboard.press('ArrowLeft');
  assert.match(await focused(page), /^eval/);
  await page.keyboard.press('ArrowUp');
  assert.match(await focused(page), /^main/);
});

test('a frame tells name, amounts, shares and its place', async (t) => {
  const page = await openSmall(t);
  await start(page);
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowLeft'])
    await page.keyboard.press(key);
  const item = page.locator('[role="treeitem"]');
  assert.equal((await item.getAttribute('aria-label')).replaceAll('\u00a0', ' '),
    'eval, 28 B, self 5 B, 14.00% of all, 28.28% of parent');
  assert.equal(await item.getAttribute('aria-level'), '3');
  assert.equal(await item.getAttribute('aria-posinset'), '2');
  assert.equal(await item.getAttribute('aria-setsize'), '3');
});

test('with the root at the bottom the arrows turn', async (t) => {
  const page = await openSmall(t);
  await start(page);
  await page.keyboard.press('i');
  await page.keyboard.press('ArrowUp');
  assert.match(await focused(page), /^idle/);
  await page.keyboard.press('ArrowDown');
  assert.match(await focused(page), /^all/);
});

test('Enter zooms, Backspace goes out one frame, 0 and Escape all the way', async (t) => {
  const page = await openSmall(t);
  await start(page);
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'Enter'])
    await page.keyboard.press(key);
  assert.deepEqual(await crumbs(page), ['all', 'main', 'parse']);
  await page.keyboard.press('Backspace');
  assert.deepEqual(await crumbs(page), ['all', 'main']);
  await page.keyboard.press('0');
  assert.deepEqual(await crumbs(page), ['all']);
  await clickFrame(page, 'parse');
  await page.keyboard.press('Escape');
  assert.deepEqual(await crumbs(page), ['all']);
});

test('leaving the zoomed frame upwards zooms out', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'parse');
  await page.keyboard.press('ArrowUp');
  assert.deepEqual(await crumbs(page), ['all', 'main']);
  assert.match(await focused(page), /^main/);
});

test('Alt with arrows is left to the browser', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'main');
  await page.keyboard.press('Alt+ArrowDown');
  assert.match(await focused(page), /^main/);
});

for (const key of ['/', 'Control+f']) {
  test(`${key} starts a search`, async (t) => {
    const page = await openSmall(t);
    await page.keyboard.press(key);
    await page.keyboard.type('read');
    assert.equal(await control(page, 'search').inputValue(), 'read');
    assert.match(await text(page.locator('.found')), /^2 frames/);
  });
}

test('n and N walk the matches and move the focus', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').fill('read');
  await start(page);
  await page.keyboard.press('n');
  assert.match(await focused(page), /^read, 40/);
  await page.keyboard.press('n');
  assert.match(await focused(page), /^read, 3/);
  await page.keyboard.press('Shift+N');
  assert.match(await focused(page), /^read, 40/);
});

test('letters typed into the search do nothing else', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').pressSequentially('dhiorsfcp0?');
  assert.equal(await control(page, 'search').inputValue(), 'dhiorsfcp0?');
  assert.equal(await page.locator('.thag').getAttribute('data-theme'), 'light');
  assert.equal(await page.locator('.dialog').count(), 0);
});

test('letters do what the help says', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'eval');
  await page.keyboard.press('o');
  assert.equal(await control(page, 'order').inputValue(), 'value');
  await page.keyboard.press('v');
  assert.equal(await control(page, 'value').inputValue(), 'allocations');
  await page.keyboard.press('r');
  assert.equal(await control(page, 'recursion').getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('s');
  assert.equal(await page.locator('[data-panel="sandwich"]').getAttribute('aria-selected'), 'true');
  assert.equal(await text(page.locator('.panel h2').first()), 'eval');
  await page.keyboard.press('t');
  assert.equal(await page.locator('[data-panel="top"]').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('p');
  assert.ok(await page.locator('aside').isHidden());
  await page.keyboard.press('d');
  assert.equal(await page.locator('.thag').getAttribute('data-theme'), 'dark');
  await page.keyboard.press('f');
  assert.deepEqual(await page.locator('.chip').allTextContents(), ['\u00d7 only with eval']);
  await page.keyboard.press('u');
  assert.equal(await page.locator('.chip').count(), 0);
  await page.keyboard.press('h');
  assert.equal((await frames(page, 'eval')).length, 0);
});

test('help lists every key that does something, closes, and gives the focus back', async (t) => {
  const page = await openSmall(t);
  await start(page);
  await page.keyboard.press('?');
  const dialog = page.locator('[role="dialog"]');
  assert.ok(await dialog.isVisible());
  const listed = (await dialog.locator('kbd').allTextContents()).join(' ').replace('Shift-c', 'C');
  for (const key of ['Enter', 'Backspace', '0', '/', 'n', 'N', 'i', 'o', 'v', 'r', 't', 's', 'h', 'f', 'u', 'c', 'C', 'p', 'd', '?', 'Esc', 'Home'])
    assert.ok(listed.split(/[ ,]+/).includes(key), key);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Close');
  await page.keyboard.press('Escape');
  assert.equal(await dialog.count(), 0);
  assert.match(await focused(page), /^all/);
  await control(page, 'help').click();
  await page.locator('.dialog button').click();
  assert.equal(await page.locator('.dialog').count(), 0);
});

test('every control is reached by Tab and has a name', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').fill('read');
  await clickFrame(page, 'parse');
  await page.evaluate(() => document.activeElement.blur());
  const reached = new Set();
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const e = document.activeElement;
      return e.dataset.control || e.dataset.panel || e.getAttribute('role');
    });
    reached.add(name);
  }
  for (const name of ['search', 'previous', 'next', 'value', 'view', 'order', 'flip', 'recursion', 'theme', 'png',
    'panel', 'help', 'reset', 'treeitem', 'top', 'zoom', 'sandwich', 'hide', 'focus', 'copy-name', 'copy-stack'])
    assert.ok(reached.has(name), name);
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, select, input')]
    .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label'))).length);
  assert.equal(nameless, 0);
});

test('tabs of the panel are moved through by arrows', async (t) => {
  const page = await openSmall(t);
  await page.locator('[data-panel="top"]').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('[data-panel="tree"]').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('[data-panel="sandwich"]').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.locator('[data-panel="legend"]').getAttribute('aria-selected'), 'true');
});

test('what a search found and where the zoom went is announced', async (t) => {
  const page = await openSmall(t);
  assert.equal(await page.locator('.found').getAttribute('aria-live'), 'polite');
  await clickFrame(page, 'parse');
  assert.match(await text(page.locator('.quiet[aria-live]')), /^Zoomed to parse, 70 B/);
});

test('the focus survives zooming and going back', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'parse');
  assert.match(await focused(page), /^parse/);
  await page.goBack();
  await page.keyboard.press('ArrowDown');
  assert.match(await focused(page), /^read, 40/);
});
