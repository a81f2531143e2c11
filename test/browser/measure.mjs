// measure.mjs PAGE... -- how long pages take in headless chromium: medians of three, in milliseconds.
//
// Not a test: figures depend on the machine. PAGES=a.html:b.html CHROMIUM=... node measure.mjs
import { statSync } from 'node:fs';
import { chromium } from 'playwright-core';

const ROUNDS = 3;
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

// Until the picture is there again: the browser has laid out and painted.
const ACTIONS = {
  zoom: 'thag.zoomTo(thag.graph.layout.node.find((n, i) => n > 0 && thag.graph.layout.width[i] < thag.graph.width * 0.9))',
  unzoom: 'thag.zoomTo(0)',
  search: "thag.search('[aeiou]r')",
  clear: "thag.search('')",
  order: "thag.change({ order: 'value' })",
  fold: 'thag.change({ collapse: true })',
};

// CPU time of the page's main thread so far: what a busy machine does to the clock is left out.
async function cpuTime(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((metric) => metric.name === 'TaskDuration').value * 1000;
}

async function measureOnce(browser, path) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto('file://' + path);
  await page.waitForFunction(() => window.thag && window.thag.graph.layout);
  const times = {
    load: await page.evaluate(() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd),
    'load CPU': await cpuTime(session),
  };
  for (const [name, action] of Object.entries(ACTIONS)) {
    const before = await cpuTime(session);
    times[name] = await page.evaluate(async (code) => {
      const start = performance.now();
      (0, eval)(code);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - start;
    }, action);
    times[name + ' CPU'] = await cpuTime(session) - before;
  }
  times.nodes = await page.evaluate(() => thag.base.count);
  times.elements = await page.evaluate(() => document.querySelectorAll('*').length);
  await page.close();
  return times;
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
for (const path of process.env.PAGES.split(':')) {
  const rounds = [];
  for (let i = 0; i < ROUNDS; i++)
    rounds.push(await measureOnce(browser, path));
  const line = Object.keys(rounds[0]).map((key) => key + ' ' + Math.round(median(rounds.map((round) => round[key]))));
  console.log(path, statSync(path).size, 'bytes:', line.join(', '));
}
await browser.close();
