// Other trees from the same data: hidden functions, focus, folded recursion, reversed.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { clickFrame, control, crumbs, detail, frame, frames, makePage, open, openSmall, text } from './pages.mjs';

const width = async (page, name) => (await frames(page, name)).reduce((sum, place) => sum + place.width, 0);

test('a hidden function leaves its time to its caller and its callees to it', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'eval');
  await control(page, 'hide').click();
  assert.equal((await frames(page, 'eval')).length, 0);
  // The zoom, whose function is gone, falls back to what is left of its path.
  assert.deepEqual(await crumbs(page), ['all', 'main']);
  await clickFrame(page, 'apply');
  assert.match(await detail(page), /^apply.*total 23 B.*of parent 23\.23%/);
  await clickFrame(page, 'main');
  assert.match(await detail(page), /^main.*total 99 B.*self 5 B/);
});

test('focus keeps the stacks with the function', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'apply');
  await control(page, 'focus').click();
  await control(page, 'reset').click();
  assert.equal((await frames(page, 'parse')).length, 0);
  assert.equal((await frames(page, 'idle')).length, 0);
  assert.match(await detail(page), /^all.*total 23 B.*of all 11\.50%/);
});

test('chips show the filters and undo them one by one', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'eval');
  await control(page, 'focus').click();
  await clickFrame(page, 'apply');
  await control(page, 'hide').click();
  assert.deepEqual(await page.locator('.chip').allTextContents(), ['\u00d7 only with eval', '\u00d7 hidden apply']);
  await page.locator('.chip').nth(1).click();
  assert.ok((await frames(page, 'apply')).length > 0);
  await page.locator('.chip').first().click();
  assert.ok(await page.locator('.chips').isHidden());
});

test('folded recursion joins calls and keeps all amounts', async (t) => {
  const page = await openSmall(t);
  await control(page, 'recursion').click();
  assert.equal((await frames(page, 'eval')).length, 1);
  assert.equal((await frames(page, 'apply')).length, 1);
  await clickFrame(page, 'apply');
  assert.match(await detail(page), /^apply.*total 23 B.*self 20 B/);
  await control(page, 'reset').click();
  assert.match(await detail(page), /^all.*total 200 B/);
  await control(page, 'recursion').click();
  assert.equal((await frames(page, 'eval')).length, 2);
});

test('zoom stays on its path when the tree changes', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'lex');
  await control(page, 'recursion').click();
  assert.deepEqual(await crumbs(page), ['all', 'main', 'parse', 'lex']);
});

test('reversed: leaves first, callers under them', async (t) => {
  const page = await openSmall(t);
  await control(page, 'view').selectOption('reversed');
  const all = await frame(page, 'all');
  const reads = await frames(page, 'read');
  assert.equal(reads.length, 1);
  assert.ok(Math.abs(reads[0].width / all.width - 43 / 200) < 0.01);
  assert.ok((await frame(page, 'parse')).top > reads[0].top);
  assert.match(await detail(page), /^all.*total 200 B/);
});

test('graphs of the callers and callees of one function', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'apply');
  await control(page, 'sandwich').click();
  await page.locator('.panel button', { hasText: 'Graph of callers' }).click();
  assert.equal(await control(page, 'view').locator('option:checked').textContent(), 'Callers of apply');
  await clickFrame(page, 'apply');
  assert.match(await detail(page), /^apply.*total 23 B/);
  await page.locator('.panel button', { hasText: 'Graph of callees' }).click();
  assert.equal(await control(page, 'view').locator('option:checked').textContent(), 'Callees of apply');
  assert.match(await detail(page), /^all.*total 23 B/);
  assert.equal((await frames(page, 'main')).length, 0);
  await control(page, 'view').selectOption('');
  assert.match(await detail(page), /^all.*total 200 B/);
});

// The page's trees against plain sums over random lines.
test('amounts agree with sums over the lines, however they are filtered', async (t) => {
  let seed = 7;
  const random = (n) => {
    seed = (seed * 1664525 + 1013904223) % 4294967296;
    return Math.floor(seed / 65536) % n;
  };
  const stacks = [];
  for (let i = 0; i < 400; i++) {
    const depth = 1 + random(12);
    stacks.push([Array.from({ length: depth }, () => 'abcdefgh'[random(8)]), 1 + random(100)]);
  }
  const page = await open(t, makePage(stacks.map(([stack, amount]) => stack.join(';') + ' ' + amount).join('\n') + '\n'));
  const sum = (keep) => stacks.reduce((all, [stack, amount]) => all + (keep(stack) ? amount : 0), 0);
  const ask = (expression) => page.evaluate(expression);
  const name = (letter) => ask(`thag.names.indexOf('${letter}')`);

  const [a, b] = [await name('a'), await name('b')];
  for (const letter of 'abcdefgh')
    assert.equal(await ask(`thag.functionsBelowZoom().total[thag.names.indexOf('${letter}')]`), sum((stack) => stack.includes(letter)));
  await ask(`thag.focusOn(${a})`);
  assert.equal(await ask('thag.totalOf(0)'), sum((stack) => stack.includes('a')));
  await ask(`thag.focusOn(${b})`);
  assert.equal(await ask('thag.totalOf(0)'), sum((stack) => stack.includes('a') || stack.includes('b')));
  await ask(`thag.change({ focus: [], hidden: [${a}, ${b}] })`);
  assert.equal(await ask('thag.totalOf(0)'), sum(() => true));
  assert.equal(await ask(`thag.functionsBelowZoom().total[thag.names.indexOf('c')]`), sum((stack) => stack.includes('c')));
  await ask('thag.change({ hidden: [], collapse: true })');
  assert.equal(await ask('thag.totalOf(0)'), sum(() => true));
  // What a function did itself stays its own. (Totals of functions inside a cycle shrink: what was
  // called again counts for the outer call.)
  for (const letter of 'abcdefgh')
    assert.equal(await ask(`thag.functionsBelowZoom().self[thag.names.indexOf('${letter}')]`), sum((stack) => stack.at(-1) === letter));
  const deepest = await ask('Math.max(...thag.view.tree.depth)');
  assert.ok(deepest <= 8, 'each function at most once in a folded stack: ' + deepest);
  await ask(`thag.change({ collapse: false }), thag.setView('callees', ${a})`);
  assert.equal(await ask('thag.totalOf(0)'), sum((stack) => stack.includes('a')));
  await ask(`thag.setView('callers', ${a})`);
  assert.equal(await ask('thag.totalOf(0)'), sum((stack) => stack.includes('a')));
  await ask(`thag.setView('reversed')`);
  assert.equal(await ask('thag.totalOf(0)'), sum(() => true));
});
