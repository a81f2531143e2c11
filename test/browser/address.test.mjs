// The address of the page: history and links.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { SMALL, SMALL_VALUES, clickFrame, control, crumbs, frame, frames, makePage, open, openSmall, text } from './pages.mjs';

const hashOf = (page) => page.evaluate(() => location.hash);

for (const format of ['html', 'svg']) {
  test(`${format}: Back and Forward follow the zoom`, async (t) => {
    const page = await openSmall(t, { page: { format } });
    await clickFrame(page, 'main');
    await clickFrame(page, 'parse');
    await page.goBack();
    assert.deepEqual(await crumbs(page), ['all', 'main']);
    await page.goBack();
    assert.deepEqual(await crumbs(page), ['all']);
    await page.goForward();
    await page.goForward();
    assert.deepEqual(await crumbs(page), ['all', 'main', 'parse']);
  });
}

test('Back undoes filters, order and value too', async (t) => {
  const page = await openSmall(t);
  await control(page, 'order').selectOption('value');
  await control(page, 'value').selectOption('allocations');
  await control(page, 'recursion').click();
  await page.goBack();
  assert.equal((await frames(page, 'eval')).length, 2);
  await page.goBack();
  assert.equal(await control(page, 'value').inputValue(), 'bytes');
  await page.goBack();
  assert.equal(await control(page, 'order').inputValue(), 'name');
});

test('typing a search does not fill the history', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'main');
  await control(page, 'search').pressSequentially('read');
  await page.goBack();
  assert.deepEqual(await crumbs(page), ['all']);
});

test('a link leads to the same view', async (t) => {
  const path = makePage(SMALL, { values: SMALL_VALUES });
  const page = await open(t, path);
  await control(page, 'value').selectOption('allocations');
  await control(page, 'order').selectOption('time');
  await control(page, 'flip').click();
  await control(page, 'recursion').click();
  await clickFrame(page, 'apply');
  await control(page, 'hide').click();
  await clickFrame(page, 'eval');
  await control(page, 'search').fill('re+a|\u00e9 &=');
  const hash = await hashOf(page);
  const other = await open(t, path, { hash });
  for (const name of ['value', 'order', 'search'])
    assert.equal(await control(other, name).inputValue(), await control(page, name).inputValue());
  for (const name of ['flip', 'recursion'])
    assert.equal(await control(other, name).getAttribute('aria-pressed'), 'true');
  assert.deepEqual(await crumbs(other), ['all', 'main', 'eval']);
  assert.deepEqual(await other.locator('.chip').allTextContents(), ['\u00d7 hidden apply']);
  assert.deepEqual(await frame(other, 'read'), await frame(page, 'read'));
  assert.equal(await hashOf(other), hash);
});

test('a link into a view of callers', async (t) => {
  const path = makePage(SMALL, { values: SMALL_VALUES });
  const page = await open(t, path);
  await clickFrame(page, 'apply');
  await control(page, 'sandwich').click();
  await page.locator('.panel button', { hasText: 'Graph of callers' }).click();
  const other = await open(t, path, { hash: await hashOf(page) });
  assert.equal(await control(other, 'view').locator('option:checked').textContent(), 'Callers of apply');
});

test('a link into another file changes nothing but what is meant by name', async (t) => {
  const page = await openSmall(t, { hash: '#v=allocations&z=3&h=1&m=00000000' });
  assert.deepEqual(await crumbs(page), ['all']);
  assert.equal(await page.locator('.chip').count(), 0);
  assert.equal(await text(page.locator('.whole')), '110 allocations');
});

test('broken links are survived', async (t) => {
  const path = makePage(SMALL, { values: SMALL_VALUES });
  const mark = /"mark":"([0-9a-f]+)"/.exec((await import('node:fs')).readFileSync(path, 'utf8'))[1];
  for (const hash of ['#%', '#q=%E0%A4%A', '#z=-1', '#z=1e99', '#z=99999', '#h=1.-2.x.99', '#w=callers.77', '#o=x&v=y&f=z', '#__proto__=1&=&&']) {
    const page = await open(t, path, { hash: hash + '&m=' + mark });
    assert.ok((await frames(page, 'all')).length === 1, hash);
  }
});

test('changing the fragment by hand is followed', async (t) => {
  const page = await openSmall(t);
  await page.evaluate(() => { location.hash = 'q=read'; });
  await page.waitForFunction(() => document.querySelector('.found').textContent !== '');
  assert.equal(await control(page, 'search').inputValue(), 'read');
});
