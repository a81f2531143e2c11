// Themes, paper, narrow windows, contrast, and life without script.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { SMALL, SMALL_VALUES, clickFrame, control, frame, makePage, open, openSmall, settled } from './pages.mjs';

const theme = (page) => page.locator('.thag').getAttribute('data-theme');

test('the theme follows the system and the button', async (t) => {
  const page = await openSmall(t, { colorScheme: 'dark' });
  assert.equal(await theme(page), 'dark');
  const dark = (await frame(page, 'main')).fill;
  await page.emulateMedia({ colorScheme: 'light' });
  await page.waitForSelector('.thag[data-theme="light"]');
  assert.notEqual((await frame(page, 'main')).fill, dark);
  await control(page, 'theme').click();
  assert.equal(await theme(page), 'dark');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.emulateMedia({ colorScheme: 'light' });
  assert.equal(await theme(page), 'dark');
});

for (const colorScheme of ['light', 'dark']) {
  test(`${colorScheme}: all text has a contrast of 4.5 to its ground`, async (t) => {
    const page = await openSmall(t, { colorScheme });
    await control(page, 'search').fill('read');
    await page.locator('[data-panel="matches"]').click();
    await clickFrame(page, 'parse');
    await settled(page);
    const poor = await page.evaluate(() => {
      const parse = (text) => {
        const parts = text.match(/[\d.]+/g).map(Number);
        return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
      };
      const light = (rgb) => rgb.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const ground = (e) => {
        for (let at = e; at; at = at.parentElement) {
          const { rgb, alpha } = parse(getComputedStyle(at).backgroundColor);
          if (alpha === 1)
            return rgb;
        }
        return [255, 255, 255];
      };
      const out = [];
      for (const e of document.querySelectorAll('.thag *')) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (!own || e.namespaceURI.includes('svg') || e.getClientRects().length === 0)
          continue;
        const value = ratio(light(parse(getComputedStyle(e).color).rgb), light(ground(e)));
        if (value < 4.5)
          out.push(e.outerHTML.slice(0, 80) + ' ' + value.toFixed(2));
      }
      const style = getComputedStyle(document.querySelector('.thag'));
      const hex = (name) => style.getPropertyValue(name).trim().match(/\w\w/g).map((c) => parseInt(c, 16));
      for (const [ink, on] of [['--dim-ink', '--dim'], ['--label', '--found'], ['--ink', '--bar'], ['--faint', '--bar']]) {
        if (ratio(light(hex(ink)), light(hex(on))) < 4.5)
          out.push(ink + ' on ' + on);
      }
      return out;
    });
    assert.deepEqual(poor, []);
  });
}

for (const [width, height] of [[1280, 800], [600, 800], [360, 640]]) {
  test(`${width} x ${height}: nothing overlaps or leaves the window`, async (t) => {
    const page = await openSmall(t, { viewport: { width, height } });
    await clickFrame(page, 'main');
    await control(page, 'search').fill('read');
    await settled(page);
    const wrong = await page.evaluate(() => {
      const out = [];
      const parts = [...document.querySelectorAll('.thag > header, .thag > .bar, .thag > .path, .thag > main, .thag > footer')]
        .map((e) => [e.className || e.localName, e.getBoundingClientRect()]);
      parts.forEach(([name, box], i) => {
        if (box.left < 0 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5)
          out.push(name + ' leaves the window');
        if (i > 0 && box.top < parts[i - 1][1].bottom - 0.5)
          out.push(name + ' overlaps ' + parts[i - 1][0]);
      });
      const controls = [...document.querySelectorAll('.bar button, .bar select, .bar input, .path > *')].map((e) => [e, e.getBoundingClientRect()]);
      for (const [a, boxA] of controls) {
        if (boxA.width > 0 && (boxA.left < 0 || boxA.right > innerWidth))
          out.push(a.outerHTML.slice(0, 60) + ' leaves the window');
        for (const [b, boxB] of controls) {
          if (a !== b && boxA.width > 0 && boxB.width > 0 && boxA.left < boxB.right && boxB.left < boxA.right && boxA.top < boxB.bottom && boxB.top < boxA.bottom)
            out.push(a.outerHTML.slice(0, 60) + ' overlaps ' + b.outerHTML.slice(0, 60));
        }
        if (a.closest('.bar') && boxA.height > 0 && (boxA.height < 24 || boxA.width < 24))
          out.push(a.outerHTML.slice(0, 60) + ' is too small a target');
      }
      if (document.querySelector('.viewport').clientHeight < 150)
        out.push('no room for the graph');
      if (document.documentElement.scrollWidth > innerWidth)
        out.push('scrolls sideways');
      return out;
    });
    assert.deepEqual(wrong, []);
  });
}

test('labels stay inside their frames', async (t) => {
  const lines = ['\u6e2c\u5b9a\u6e2c\u5b9a\u6e2c\u5b9a\u6e2c\u5b9a;x 10', 'std::vector<std::string>::push_back(std::string const&);y 6', 'caf\u00e9\ud83d\ude00caf\u00e9 4'];
  const page = await open(t, makePage(lines.join('\n') + '\n'));
  for (const width of [1280, 900, 700, 500]) {
    await page.setViewportSize({ width, height: 600 });
    await page.waitForFunction((w) => window.thag.rootWidth === w, width);
    await settled(page);
    const wrong = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll('polygon.f')].map((e) => e.getBoundingClientRect());
      return [...document.querySelectorAll('.labels text')].filter((label) => {
        const l = label.getBoundingClientRect();
        return !boxes.some((b) => b.left <= l.left && l.right <= b.right + 2 && b.top <= l.top + 4 && l.bottom <= b.bottom + 4);
      }).map((label) => label.textContent);
    });
    assert.deepEqual(wrong, []);
  }
});

test('on paper: all rows, light, without controls', async (t) => {
  const lines = Array.from({ length: 150 }, (_, i) => Array.from({ length: i + 1 }, (__, d) => 'f' + d).join(';') + ' 1');
  const page = await open(t, makePage(lines.join('\n') + '\n'), { colorScheme: 'dark' });
  const drawn = async () => {
    await settled(page);
    return page.locator('polygon.f').count();
  };
  const before = await drawn();
  assert.ok(before < 150);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  assert.equal(await drawn(), 151);
  assert.equal(await theme(page), 'light');
  assert.ok(await page.locator('.bar').isHidden());
  assert.ok(await page.locator('aside').isHidden());
  assert.ok((await page.locator('.viewport').boundingBox()).height > 151 * 18);
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(await theme(page), 'dark');
  assert.equal(await drawn(), before);
  assert.ok((await page.pdf()).length > 1000);
});

test('nothing moves for those who asked for that', async (t) => {
  const page = await openSmall(t, { reducedMotion: 'reduce' });
  assert.match(await control(page, 'png').evaluate((e) => getComputedStyle(e).transitionDuration), /^0s/);
});

for (const format of ['html', 'svg']) {
  test(`${format}: without script the static picture shows the frames`, async (t) => {
    const page = await open(t, makePage(SMALL, { values: SMALL_VALUES, format }), { javaScriptEnabled: false, wait: false });
    assert.equal(await page.locator('#thag-picture').count(), 1);
    const titles = await page.locator('#thag-picture g title').allTextContents();
    assert.ok(titles.includes('idle, 101 B (50.50%)'), titles.join());
    assert.equal(titles.length, 13);
    const box = await page.locator('#thag-picture').boundingBox();
    assert.ok(box.width > 600 && box.height > 100);
  });
}

test('svg: an image element shows the static picture', async (t) => {
  const svg = makePage(SMALL, { values: SMALL_VALUES, format: 'svg' });
  const page = await openSmall(t);
  const size = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    return image.naturalWidth;
  }, 'file://' + svg);
  assert.equal(size, 1200);
});

test('svg is well-formed', () => {
  execFileSync('xmllint', ['--noout', makePage(SMALL, { values: SMALL_VALUES, format: 'svg' })]);
});
