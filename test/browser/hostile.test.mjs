// Names that want to be something else, stacks without end, numbers without measure.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { clickFrame, control, crumbs, detail, frame, frames, labels, makePage, open, openContext, settled, SMALL, SMALL_VALUES, text } from './pages.mjs';

// Octal escapes are for page_from_folded.
const NAMES = [
  ['</script><script>alert(1)</script>', '</script><script>alert(1)</script>'],
  ['<img src=x onerror=alert(2)>', '<img src=x onerror=alert(2)>'],
  [']]><a/>', ']]><a/>'],
  ['<!--', '<!--'],
  ['"\'`&amp${alert(3)}\\134', '"\'`&amp${alert(3)}\\'],
  ['a\\033[31mb\\177', 'a\u241b[31mb\u2421'],
  ['\\377\\303x', '\ufffd\ufffdx'],
  ['\\342\\200\\256evil', '\ufffdevil'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['%s%n', '%s%n'],
];
const FOLDED = NAMES.map(([name], i) => `main;${name} ${i + 10}`).join('\n') + '\n';

for (const format of ['html', 'svg']) {
  test(`${format}: hostile names are shown, not obeyed`, async (t) => {
    const page = await open(t, makePage(FOLDED, { format, title: '</title><script>alert(4)</script>]]>' }));
    for (const [, shown] of NAMES)
      assert.equal((await frames(page, shown)).length, 1, shown);
    assert.equal(await text(page.locator('h1')), '</title><script>alert(4)</script>]]>');
    assert.equal(await page.title(), '</title><script>alert(4)</script>]]>');
    await clickFrame(page, NAMES[0][1]);
    assert.deepEqual(await crumbs(page), ['all', 'main', NAMES[0][1]]);
    assert.ok((await labels(page)).includes(NAMES[0][1]));
    for (const panel of ['sandwich', 'matches', 'legend', 'top'])
      await page.locator(`[data-panel="${panel}"]`).click();
    await control(page, 'hide').click();
    assert.equal((await frames(page, NAMES[0][1])).length, 0);
    await page.keyboard.press('s');
    assert.equal(await page.locator('img').count(), 0);
  });
}

test('hostile names leave the svg well-formed', () => {
  execFileSync('xmllint', ['--noout', makePage(FOLDED, { format: 'svg', title: '<&]]>"' })]);
});

test('every single byte leaves the svg well-formed', () => {
  const lines = [];
  for (let byte = 1; byte < 256; byte++)
    lines.push(`main;a\\${byte.toString(8).padStart(3, '0')}b 1`);
  execFileSync('xmllint', ['--noout', makePage(lines.join('\n') + '\n', { format: 'svg' })]);
});

test('a search for a name with special characters is safe', async (t) => {
  const page = await open(t, makePage(FOLDED));
  for (const [, shown] of NAMES) {
    await control(page, 'search').fill(shown.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    assert.match(await text(page.locator('.found')), /^1 frame/, shown);
  }
});

test('a name of 64 KiB is cut wherever it is shown', async (t) => {
  const long = 'n'.repeat(65536);
  const page = await open(t, makePage(`main;${long} 5\n`));
  const { x, y } = await frame(page, long);
  await page.mouse.move(x, y);
  const box = await page.locator('.tip').boundingBox();
  assert.ok(box.height < 700);
  await clickFrame(page, long);
  assert.ok((await detail(page)).length < 500);
  assert.ok((await page.locator('footer').boundingBox()).height < 120);
});

test('a stack of 10,000 frames is drawn row by row and scrolled', async (t) => {
  const stack = Array.from({ length: 10000 }, (_, i) => 'f' + i).join(';');
  const page = await open(t, makePage(stack + ' 7\n'));
  assert.ok(await page.locator('polygon.f').count() < 200);
  await page.locator('.viewport').evaluate((e) => { e.scrollTop = e.scrollHeight; });
  await page.waitForFunction(() => [...document.querySelectorAll('.labels text')].some((e) => e.textContent === 'f9999'));
  await clickFrame(page, 'f9999');
  assert.match(await detail(page), /^f9999/);
  await page.keyboard.press('0');
  await control(page, 'flip').click();
  assert.ok((await frame(page, 'all')).top > 0);
  for (const view of ['reversed', ''])
    await control(page, 'view').selectOption(view);
  await control(page, 'recursion').click();
  await control(page, 'png').click();
  const crumbsWidth = await page.locator('.crumbs').evaluate((e) => e.scrollWidth <= e.clientWidth + 1);
  assert.ok(crumbsWidth);
});

test('a function that calls itself 10,000 times folds into one', async (t) => {
  const page = await open(t, makePage(Array(10000).fill('again').join(';') + ' 7\n'));
  await control(page, 'recursion').click();
  assert.equal(await page.locator('polygon.f').count(), 2);
});

test('sums beyond exact numbers are rounded, and it is said', async (t) => {
  const page = await open(t, makePage('a 18446744073709551000\nb 615\n', { values: 'bytes' }));
  assert.equal(await text(page.locator('.whole')), '16,384 PiB bytes allocated');
  await page.locator('[data-panel="legend"]').click();
  assert.match(await text(page.locator('.panel')), /18,446,744,073,709,551,615, is beyond.*multiples of 2048/);
});

test('the largest exact sum is exact', async (t) => {
  const page = await open(t, makePage('a 9007199254740990\nb 1\n', { values: 'bytes' }));
  assert.equal(await page.locator('.whole').getAttribute('title'), '9,007,199,254,740,991 B');
});

test('frames of no weight are in the data but not in the way', async (t) => {
  const page = await open(t, makePage('a;b 0\na;c 0\n'));
  assert.ok(await page.locator('.empty').isVisible());
  await control(page, 'search').fill('b');
  assert.match(await text(page.locator('.found')), /^1 frame, 0% of all/);
  await control(page, 'next').click();
  assert.match(await detail(page), /^b/);
});

// A server's header, as --csp prints it. The page still does all it does; another script does not run.
for (const format of ['html', 'svg']) {
  test(`${format}: the page works under its own policy, and under no other script's`, async (t) => {
    const policy = execFileSync(process.env.PAGE_FROM_FOLDED, ['policy', format], { encoding: 'utf8' }).trim();
    const context = await openContext();
    t.after(() => context.close());
    const page = await context.newPage();
    const errors = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    const serve = (body, header) => page.route('http://page.test/**', (route) => route.fulfill({
      body, contentType: format === 'svg' ? 'image/svg+xml' : 'text/html', headers: { 'Content-Security-Policy': header },
    }));
    const body = readFileSync(makePage(SMALL, { values: SMALL_VALUES, format }), 'utf8');
    await serve(body, policy);
    await page.goto('http://page.test/');
    await page.waitForFunction(() => window.thag && window.thag.graph.layout);
    await clickFrame(page, 'main');
    assert.deepEqual(await crumbs(page), ['all', 'main']);
    await page.locator('[data-panel="legend"]').click();
    await control(page, 'png').click();
    await settled(page);
    assert.deepEqual(errors, []);
    await page.unroute('http://page.test/**');
    await serve(body.replace("'use strict';", "'use strict'; window.other = 1;"), policy);
    await page.goto('http://page.test/');
    assert.equal(await page.evaluate(() => window.other), undefined);
    assert.match(errors.join(), /Content.Security.Policy/);
  });
}
