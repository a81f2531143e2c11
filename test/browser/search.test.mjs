// Search: what matches, how much that is, and the way through the matches.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { clickFrame, control, detail, frame, frames, makePage, open, openSmall, tableRows, text } from './pages.mjs';

const found = (page) => text(page.locator('.found'));

test('share of matches counts nested ones once', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').fill('^(eval|apply)$');
  // eval 28 B of 200; the frames inside it are not added again.
  assert.equal(await found(page), '4 frames, 14.00% of all');
});

test('shares of zoom and of all', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'parse');
  await control(page, 'search').fill('read');
  assert.equal(await found(page), '1 frame, 57.14% of zoom, 21.50% of all');
});

test('matching frames are marked by more than colour', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').pressSequentially('read');
  for (const place of await frames(page, 'read'))
    assert.match(place.className, /match/);
  assert.doesNotMatch((await frame(page, 'next')).className, /match/);
  assert.notEqual((await frame(page, 'next')).fill, (await frame(page, 'read')).fill);
  assert.equal(await page.locator('.labels text.match').first().textContent(), 'read');
});

test('case counts only if the pattern has a capital', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').fill('zeta');
  assert.match(await found(page), /^1 frame/);
  await control(page, 'search').fill('ZETA');
  assert.match(await found(page), /^0 frames, 0% of all/);
  await control(page, 'search').fill('Zeta');
  assert.match(await found(page), /^1 frame/);
  // \S is a class, not a capital.
  await control(page, 'search').fill('zeta\\S');
  assert.match(await found(page), /^1 frame/);
});

test('an invalid pattern is searched as text', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').fill('alloc(');
  assert.match(await found(page), /^not a valid pattern, searched as text: 1 frame/);
  assert.match(await control(page, 'search').getAttribute('class'), /literal/);
});

test('next and previous walk the outermost matches, widest first', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').fill('read');
  await control(page, 'next').click();
  assert.match(await detail(page), /^read.*total 40 B/);
  assert.match(await found(page), /^match 1 of 2/);
  await control(page, 'next').click();
  assert.match(await detail(page), /^read.*total 3 B/);
  await control(page, 'next').click();
  assert.match(await detail(page), /^read.*total 40 B/);
  await control(page, 'previous').click();
  assert.match(await detail(page), /^read.*total 3 B/);
});

test('Enter and Shift-Enter walk the matches while typing', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').fill('read');
  await page.keyboard.press('Enter');
  assert.match(await found(page), /^match 1 of 2/);
  await page.keyboard.press('Shift+Enter');
  assert.match(await found(page), /^match 2 of 2/);
  assert.ok(await control(page, 'search').evaluate((input) => input === document.activeElement));
});

test('a match too narrow to draw is drawn when chosen', async (t) => {
  const page = await open(t, makePage('main;big 100000\nmain;sub;tiny 1\n'));
  assert.equal((await frames(page, 'tiny')).length, 0);
  await control(page, 'search').fill('tiny');
  await control(page, 'next').click();
  assert.match((await frame(page, 'tiny')).className, /cursor/);
  assert.match(await detail(page), /^tiny.*of all <0\.01%/);
  await page.keyboard.press('Escape');
  await control(page, 'zoom').click();
  assert.ok((await frame(page, 'tiny')).width > 500);
});

test('buttons wait for matches', async (t) => {
  const page = await openSmall(t);
  assert.ok(await control(page, 'next').isDisabled());
  await control(page, 'search').fill('nothing like it');
  assert.ok(await control(page, 'next').isDisabled());
  await control(page, 'search').fill('main');
  assert.ok(await control(page, 'next').isEnabled());
});

test('panel lists the functions found with sizes', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').fill('^.e');
  await page.locator('[data-panel="matches"]').click();
  assert.match(await text(page.locator('.panel p').first()), /^4 functions, 5 frames/);
  assert.deepEqual(await tableRows(page), [['read', '43 B', '43 B21.50%'], ['lex', '0 B', '30 B15.00%'],
    ['next', '30 B', '30 B15.00%'], ['Zeta<int>::alloc(unsigned long)', '1 B', '1 B0.50%']]);
  await page.locator('.panel button[title="lex"]').click();
  assert.match(await detail(page), /^lex/);
});

test('Escape ends the search', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').fill('read');
  await page.keyboard.press('Escape');
  assert.equal(await control(page, 'search').inputValue(), '');
  assert.equal(await found(page), '');
  assert.doesNotMatch((await frame(page, 'read')).className, /match/);
});

test('the search stays on another value', async (t) => {
  const page = await openSmall(t);
  await control(page, 'search').fill('Zeta');
  await control(page, 'value').selectOption('allocations');
  assert.equal(await found(page), '1 frame, 81.82% of all');
});
