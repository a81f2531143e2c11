// What is drawn, and how the view follows clicks.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SMALL, SMALL_VALUES, clickFrame, control, crumbs, detail, frame, frames, hoverFrame, labels, makePage,
  open, openContext, openSmall, tableRows, text } from './pages.mjs';

for (const format of ['html', 'svg']) {
  test(`${format}: a page shows title, total and all frames`, async (t) => {
    const page = await openSmall(t, { page: { format } });
    assert.equal(await page.title(), 'A title');
    assert.equal(await text(page.locator('h1')), 'A title');
    assert.equal(await text(page.locator('.whole')), '200 B bytes allocated');
    for (const name of ['all', 'main', 'idle', 'parse', 'read', 'next'])
      assert.ok((await frames(page, name)).length > 0, name);
    const all = await frame(page, 'all'), idle = await frame(page, 'idle'), main = await frame(page, 'main');
    assert.ok(Math.abs(idle.width / all.width - 101 / 200) < 0.01);
    assert.ok(Math.abs(main.left - idle.left - idle.width) < 3);
    assert.ok(main.top > all.top);
  });

  test(`${format}: a click zooms and keeps the frames above`, async (t) => {
    const page = await openSmall(t, { page: { format } });
    const all = await frame(page, 'all');
    await clickFrame(page, 'parse');
    assert.deepEqual(await crumbs(page), ['all', 'main', 'parse']);
    assert.ok(Math.abs((await frame(page, 'parse')).width - all.width) < 1);
    assert.ok(Math.abs((await frame(page, 'main')).width - all.width) < 1);
    assert.match((await frame(page, 'main')).className, /above/);
    assert.equal((await frames(page, 'idle')).length, 0);
    await clickFrame(page, 'main');
    assert.deepEqual(await crumbs(page), ['all', 'main']);
    await page.locator('.crumbs button').first().click();
    assert.deepEqual(await crumbs(page), ['all']);
  });
}

test('reset shows the whole graph', async (t) => {
  const page = await openSmall(t);
  assert.ok(await control(page, 'reset').isDisabled());
  await clickFrame(page, 'eval');
  await control(page, 'reset').click();
  assert.deepEqual(await crumbs(page), ['all']);
});

test('tooltip has exact amounts, self and both shares', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'main');
  await hoverFrame(page, 'eval');
  const tip = await text(page.locator('.tip'));
  assert.match(tip, /^eval/);
  assert.match(tip, /total28 B28 B/);
  assert.match(tip, /self5 B5 B/);
  assert.match(tip, /of all14\.00%/);
  assert.match(tip, /of zoom28\.28%/);
  assert.match(tip, /of parent28\.28%/);
  assert.match(tip, /moduleapp/);
  await page.mouse.move(5, 5);
  assert.ok(await page.locator('.tip').isHidden());
});

test('tooltip stays inside the window', async (t) => {
  const page = await openSmall(t, { viewport: { width: 500, height: 400 } });
  const place = await frame(page, 'main');
  await page.mouse.move(place.left + place.width - 2, place.y);
  const box = await page.locator('.tip').boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 500);
  assert.ok(box.y >= 0 && box.y + box.height <= 400);
});

test('details follow the pointer and fall back to the chosen frame', async (t) => {
  const page = await openSmall(t);
  await hoverFrame(page, 'idle');
  assert.match(await detail(page), /^idle.*total 101 B/);
  await page.mouse.move(5, 5);
  assert.match(await detail(page), /^all/);
});

test('pointing at a frame marks the same function elsewhere', async (t) => {
  const page = await openSmall(t);
  await hoverFrame(page, 'read');
  const list = await frames(page, 'read');
  assert.equal(list.length, 2);
  for (const place of list)
    assert.match(place.className, /same/);
  assert.doesNotMatch((await frame(page, 'next')).className, /same/);
});

test('another value draws other widths from the same data', async (t) => {
  const page = await openSmall(t);
  await control(page, 'value').selectOption('allocations');
  assert.equal(await text(page.locator('.whole')), '110 allocations');
  assert.equal(await text(page.locator('.subtitle')), 'made from folded lines');
  const all = await frame(page, 'all');
  assert.ok(Math.abs((await frame(page, 'Zeta<int>::alloc(unsigned long)')).width / all.width - 90 / 110) < 0.01);
  await control(page, 'value').selectOption('live_bytes');
  assert.equal((await frames(page, 'idle')).length, 0);
});

test('a frame without the value says so', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'idle');
  await control(page, 'value').selectOption('live_bytes');
  assert.ok(await page.locator('.empty').isVisible());
});

test('order of siblings: name, value, first sight', async (t) => {
  const page = await openSmall(t);
  const order = async () => {
    const places = await Promise.all(['parse', 'eval', 'Zeta<int>::alloc(unsigned long)'].map((name) => frame(page, name)));
    return places.map((place, i) => [place.left, 'pez'[i]]).sort((a, b) => a[0] - b[0]).map((pair) => pair[1]).join('');
  };
  assert.equal(await order(), 'zep');
  await control(page, 'order').selectOption('value');
  assert.equal(await order(), 'pez');
  await control(page, 'value').selectOption('allocations');
  assert.equal(await order(), 'zpe');
  await control(page, 'order').selectOption('time');
  assert.equal(await order(), 'pez');
});

test('flames have the root at the bottom', async (t) => {
  const page = await openSmall(t);
  await control(page, 'flip').click();
  assert.equal(await control(page, 'flip').getAttribute('aria-pressed'), 'true');
  const all = await frame(page, 'all'), main = await frame(page, 'main'), read = await frame(page, 'read');
  assert.ok(all.top > main.top && main.top > read.top);
  const view = await page.locator('.viewport').boundingBox();
  assert.ok(Math.abs(all.top + all.height - view.y - view.height) < 4);
});

test('graph fills the width of the window, also when that changes', async (t) => {
  const page = await openSmall(t);
  await page.setViewportSize({ width: 900, height: 700 });
  await page.waitForFunction(() => window.thag.graph.width < 600);
  const view = await page.locator('.viewport').boundingBox();
  assert.ok((await frame(page, 'all')).width > view.width - 20);
  await control(page, 'panel').click();
  assert.ok((await frame(page, 'all')).width > 870);
  assert.ok(await page.locator('aside').isHidden());
});

test('narrow neighbours share one hatched box, so that rows add up', async (t) => {
  const lines = ['main;big 5000'];
  for (let i = 0; i < 5000; i++)
    lines.push(`main;small${i} 1`);
  const page = await open(t, makePage(lines.join('\n') + '\n'));
  assert.ok((await labels(page)).includes('(5000 narrow frames)'));
  const box = await page.evaluate(() => {
    const narrow = document.querySelector('polygon.narrow');
    const { width, left, top, height } = narrow.getBoundingClientRect();
    return { width, x: left + width / 2, y: top + height / 2, fill: narrow.getAttribute('fill') };
  });
  const all = await frame(page, 'all');
  assert.ok(Math.abs(box.width / all.width - 0.5) < 0.01);
  assert.match(box.fill, /hatch/);
  await page.mouse.move(box.x, box.y);
  assert.match(await text(page.locator('.tip')), /5000 narrow frames.*below main/);
});

test('frames that look as before keep their elements and are not touched', async (t) => {
  const page = await openSmall(t);
  const changed = (action) => page.evaluate((code) => {
    const seen = new MutationObserver(() => {});
    seen.observe(document.querySelector('svg.graph'), { attributes: true, childList: true, characterData: true, subtree: true });
    (0, eval)(code);
    const names = seen.takeRecords().map((record) => record.attributeName || record.type);
    seen.disconnect();
    return names.filter((name) => ['points', 'fill', 'x', 'y', 'childList', 'characterData'].includes(name));
  }, action);
  const fills = () => page.evaluate(() => [...document.querySelectorAll('polygon.f')].map((f) => f.getAttribute('fill')).sort());
  assert.deepEqual(await changed('thag.select(2, true)'), []);
  const before = await fills();
  const names = await changed("thag.zoomTo(thag.view.tree.name.findIndex((name) => thag.nameOf(name) === 'main'))");
  const after = await fills();
  // Elements go first to frames of their own colour.
  const kept = after.filter((fill) => before.includes(fill) && before.splice(before.indexOf(fill), 1)).length;
  assert.ok(kept > 0 && after.length > kept - 1);
  assert.equal(names.filter((name) => name === 'fill').length, after.length - kept);
});

test('panel: table sorts by self, total and name', async (t) => {
  const page = await openSmall(t);
  assert.deepEqual((await tableRows(page))[0], ['idle', '101 B', '101 B50.50%']);
  await page.locator('th button', { hasText: 'Total' }).click();
  const byTotal = await tableRows(page);
  assert.deepEqual(byTotal.slice(0, 3).map((row) => row[0]), ['idle', 'main', 'parse']);
  assert.equal(await page.locator('th.wide').getAttribute('aria-sort'), 'descending');
  await page.locator('th button', { hasText: 'Function' }).click();
  assert.deepEqual((await tableRows(page)).map((row) => row[0]),
    ['Zeta<int>::alloc(unsigned long)', 'apply', 'eval', 'idle', 'lex', 'main', 'next', 'parse', 'read']);
});

test('panel: the tree is open where most is, and opens and closes', async (t) => {
  const page = await openSmall(t);
  await page.locator('[data-panel="tree"]').click();
  const rows = () => page.locator('.panel tbody tr').evaluateAll((all) => all.map((row) =>
    (row.querySelector('.twist') || { textContent: '' }).textContent + row.querySelector('[data-node]').title));
  assert.deepEqual(await rows(), ['\u25beall', 'idle', '\u25b8main']);
  assert.deepEqual((await tableRows(page)).map((row) => row.slice(1)),
    [['200 B100%'], ['101 B50.50%'], ['99 B49.50%']]);
  await page.locator('[aria-label="Open main"]').click();
  assert.deepEqual(await rows(),
    ['\u25beall', 'idle', '\u25bemain', '\u25b8parse', '\u25b8eval', 'Zeta<int>::alloc(unsigned long)']);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Close main');
  await page.locator('[data-node]', { hasText: 'eval' }).click();
  assert.match(await text(page.locator('footer')), /^eval/);
  assert.equal(await text(page.locator('tr.chosen td.name')), '\u25b8eval');
  await page.locator('[aria-label="Close main"]').press('Enter');
  assert.deepEqual(await rows(), ['\u25beall', 'idle', '\u25b8main']);
  const main = page.locator('tr', { has: page.locator('[aria-label="Open main"]') });
  assert.deepEqual([await main.getAttribute('aria-level'), await main.getAttribute('aria-expanded')], ['2', 'false']);
});

test('panel: one function is not called functions', async (t) => {
  const page = await open(t, makePage('f 1\n'));
  assert.match(await text(page.locator('.panel p').first()), /^1 function in all/);
});

test('panel: a recursive function counts once', async (t) => {
  const page = await openSmall(t);
  const rows = Object.fromEntries((await tableRows(page)).map((row) => [row[0], row.slice(1)]));
  assert.deepEqual(rows.eval, ['5 B', '28 B14.00%']);
  assert.deepEqual(rows.apply, ['20 B', '23 B11.50%']);
});

test('panel: table is of the zoomed frame', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'parse');
  assert.deepEqual((await tableRows(page)).map((row) => row[0]), ['read', 'next', 'parse', 'lex']);
});

test('panel: choosing a function shows its widest frame', async (t) => {
  const page = await openSmall(t);
  await page.locator('.panel button[title="read"]').click();
  assert.match(await detail(page), /^read.*total 40 B/);
  assert.equal((await frames(page, 'read')).filter((place) => /same/.test(place.className)).length, 2);
  await control(page, 'zoom').click();
  assert.deepEqual(await crumbs(page), ['all', 'main', 'parse', 'read']);
});

test('panel: sandwich has callers and callees, and leads on', async (t) => {
  const page = await openSmall(t);
  await page.locator('.panel button[title="apply"]').click();
  await page.locator('[data-panel="sandwich"]').click();
  assert.match(await text(page.locator('.panel')), /^applyTotal 23 B \(11\.50%\), self 20 B \(10\.00%\), 2 frames/);
  assert.deepEqual(await tableRows(page, 0), [['eval', '23 B100%']]);
  assert.deepEqual(await tableRows(page, 1), [['eval', '20 B86.96%'], ['read', '3 B13.04%']]);
  await page.locator('.panel button[title="read"]').click();
  assert.deepEqual(await tableRows(page, 0), [['parse', '40 B93.02%'], ['apply', '3 B6.98%']]);
});

test('panel: legend explains marks and notes, and changes the palette', async (t) => {
  const page = await openSmall(t);
  await page.locator('[data-panel="legend"]').click();
  const legend = await text(page.locator('.panel'));
  assert.match(legend, /hatched/);
  assert.match(legend, /inlined/);
  assert.match(legend, /12 events were lost: the "ring" <was> full & so on\./);
  const before = (await frame(page, 'main')).fill;
  await control(page, 'palette').selectOption('red');
  assert.notEqual((await frame(page, 'main')).fill, before);
});

test('palette by module gives the frames of a module one colour', async (t) => {
  const page = await openSmall(t, { page: { palette: 'module' } });
  const fill = async (name) => (await frame(page, name)).fill;
  assert.equal(await fill('main'), await fill('parse'));
  assert.notEqual(await fill('main'), await fill('read'));
});

test('palette by own share is warmest where most was done', async (t) => {
  const page = await openSmall(t, { page: { palette: 'self-heat' } });
  const lightness = async (name) => parseInt((await frame(page, name)).fill.slice(5, 7), 16);
  assert.ok(await lightness('idle') < await lightness('main'));
});

test('a function has the same colour in another file', async (t) => {
  const first = await openSmall(t);
  const second = await open(t, makePage('x;y;idle 3\n'));
  assert.equal((await frame(first, 'idle')).fill, (await frame(second, 'idle')).fill);
});

test('script and static picture agree on colours', async (t) => {
  const path = makePage(SMALL, { values: SMALL_VALUES, format: 'svg' });
  const fill = /<title>idle,[^]*?fill="(#[0-9a-f]{6})"/.exec(readFileSync(path, 'utf8'))[1];
  const page = await open(t, path);
  const drawn = (await frame(page, 'idle')).fill;
  for (let i = 1; i < 7; i += 2)
    assert.ok(Math.abs(parseInt(fill.slice(i, i + 2), 16) - parseInt(drawn.slice(i, i + 2), 16)) <= 1, fill + ' ' + drawn);
});

test('details bar acts on the chosen frame', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'parse');
  await control(page, 'sandwich').click();
  assert.match(await text(page.locator('.panel h2').first()), /^parse$/);
  await control(page, 'hide').click();
  assert.equal((await frames(page, 'parse')).length, 0);
});

test('name and stack are copied', async (t) => {
  const context = await openContext();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await openSmall(t, { context });
  await clickFrame(page, 'lex');
  await control(page, 'copy-name').click();
  await page.waitForFunction(() => document.querySelector('.quiet').textContent === 'Name copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'lex');
  await control(page, 'copy-stack').click();
  await page.waitForFunction(() => document.querySelector('.quiet').textContent === 'Stack copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'main;parse;lex');
});

test('copying works where the clipboard is refused', async (t) => {
  const page = await openSmall(t);
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    document.addEventListener('copy', () => { window.copied = document.activeElement.value; });
  });
  await clickFrame(page, 'lex');
  await control(page, 'copy-name').click();
  await page.waitForFunction(() => window.copied === 'lex');
});

test('PNG button saves a picture of the graph', async (t) => {
  const page = await openSmall(t);
  const [download] = await Promise.all([page.waitForEvent('download'), control(page, 'png').click()]);
  assert.equal(download.suggestedFilename(), 'A_title.png');
  const bytes = readFileSync(await download.path());
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  assert.ok(bytes.readUInt32BE(16) > 800 && bytes.readUInt32BE(20) > 100);
});

test('menu of a frame opens by the right button and acts', async (t) => {
  const page = await openSmall(t);
  await clickFrame(page, 'parse', { button: 'right' });
  assert.ok(await page.locator('[role="menu"]').isVisible());
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.firstChild.textContent), 'Hide the function');
  await page.keyboard.press('Enter');
  assert.equal((await frames(page, 'parse')).length, 0);
  await clickFrame(page, 'main', { button: 'right' });
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('[role="menu"]').count(), 0);
});

test('a touch zooms', async (t) => {
  const page = await openSmall(t, { hasTouch: true });
  const { x, y } = await frame(page, 'parse');
  await page.touchscreen.tap(x, y);
  // The browser makes a click of it in its own time.
  await page.waitForFunction(() => document.querySelectorAll('.crumbs button').length > 1);
  assert.deepEqual(await crumbs(page), ['all', 'main', 'parse']);
});
