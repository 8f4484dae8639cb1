// Speed of the page: first paint, the longest task while it is live, and what-if, in a real browser at several sizes.
import { readdirSync, statSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { buildDashboard } from '../scripts/buildDashboard.ts';
import { after, asDuration, second } from '../src/time/instant.ts';
import { at } from '../test/build.ts';
import { openBrowser } from '../test/dashboard/browser.ts';
import { largeObjects, openStill, type StillStage } from '../test/dashboard/stage.ts';
import { decidedAt } from './grownCluster.ts';
import { table } from './table.ts';

const sizes = (process.env.NODES ?? '100 1000 10000').split(' ').map(Number);
const liveRounds = 12;

export async function benchDashboard(): Promise<string> {
  await buildDashboard();
  const browser = await openBrowser();
  const rows: string[][] = [];
  for (const nodes of sizes) {
    const stage = await openStill(largeObjects(nodes), { at: decidedAt });
    rows.push([nodes.toLocaleString('en'), ...(await measureSize(browser, stage))]);
    await stage.close();
  }
  await browser.close();
  const head = [
    'nodes',
    'first paint',
    'nodes drawn',
    'longest task while live',
    'what-if: copied in',
    'what-if: decided',
    'seen',
  ];
  return `${table(head, rows)}\n\nFirst view: ${(firstView() / 1024).toFixed(0)} KB gzip.`;
}

async function measureSize(browser: Browser, stage: StillStage): Promise<string[]> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  await page.addInitScript(noteTasks);
  await page.goto(stage.url);
  await page.locator('canvas.nodes').first().waitFor();
  const drawn = await page.evaluate<number>('performance.now()');
  const painted = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0`,
  );
  const longest = await live(page, stage);
  const [copied, decided, seen] = await whatIf(page, stage.url);
  await page.close();
  return [painted, drawn, longest, copied, decided, seen].map((it) => `${Math.round(it ?? Number.NaN)} ms`);
}

/** Runs in the page: records every task over 50 ms, as browsers count them. */
const noteTasks = `
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: 'longtask' });
`;

/** Rounds arrive as in a roll; each changes what it changes. */
async function live(page: Page, stage: StillStage): Promise<number> {
  await page.waitForTimeout(1000);
  await page.evaluate('globalThis.longest = 0');
  for (let round = 1; round <= liveRounds; round++) {
    stage.decide(after(at(decidedAt), asDuration(round * 3600 * second)));
    await page.waitForTimeout(250);
  }
  return page.evaluate<number>('globalThis.longest');
}

async function whatIf(page: Page, url: string): Promise<number[]> {
  const began = performance.now();
  await page.goto(`${url}/what-if`);
  const editor = page.getByLabel('The policy, as YAML');
  await editor.waitFor({ timeout: 120_000 });
  const copied = performance.now() - began;
  await page.getByText('10% of').or(page.getByText('at once')).first().waitFor({ timeout: 120_000 });
  await page.waitForTimeout(1000);
  const seen = await page.evaluate<number>(edit);
  const told = await page.getByText(/Decided in \d+ ms/).textContent();
  return [copied, Number(/(\d+) ms/.exec(told ?? '')?.[1]), seen];
}

/** Runs in the page, so that the test driver is not measured: from the keystroke to the visible answer. */
const edit = `new Promise((resolve) => {
  const area = document.querySelector('.editor textarea');
  const began = performance.now();
  new MutationObserver((_, observer) => {
    const column = document.querySelector('.whatif .column');
    if (column.querySelector('.stale') || !/treated otherwise|The same as now/.test(column.textContent)) return;
    observer.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - began));
  }).observe(document.querySelector('.whatif'), { childList: true, subtree: true, characterData: true, attributes: true });
  area.value = area.value.replace('"nodes":"10%"', '"nodes":"0"');
  area.dispatchEvent(new Event('input', { bubbles: true }));
})`;

/** What is fetched before the first view. */
function firstView(): number {
  const folder = 'dist/dashboard/assets';
  const first = readdirSync(folder).filter((name) => /^index-.*\.gz$/.test(name));
  return first.reduce((sum, name) => sum + statSync(`${folder}/${name}`).size, 0);
}
