// Browser tests of the dashboard: every page, live updates, history, tokens, hostile names, small screens and large clusters.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDashboard } from '../../scripts/buildDashboard.ts';
import type { Tokens } from '../../src/server/authorization.ts';
import { asDuration, minute, second } from '../../src/time/instant.ts';
import { at, longAgo, machine, noon, pod, pool, settings } from '../build.ts';
import { openProxy } from '../kube/proxy.ts';
import { savingSettings, threeForOne } from '../threeForOne.ts';
import { openBrowser } from './browser.ts';
import { type DemoStage, largeObjects, openDemo, openStill } from './stage.ts';
import { findBarriers, visit } from './visit.ts';

/** Evaluated in the page. */
const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
/** The growing list of events does not count as a layout shift. */
const noteShifts = `
  globalThis.shifts = 0;
  const isNews = ({ node }) => node?.closest?.('.story') || node?.parentElement?.closest('.story');
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) if (!sources.every(isNews)) globalThis.shifts += value;
  }).observe({ type: 'layout-shift' });
`;

let browser: Browser;
/** For people to look at; not in git. */
const screenshots = 'coverage/dashboard';

beforeAll(async () => {
  await buildDashboard();
  mkdirSync(screenshots, { recursive: true });
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser?.close());

async function onDemo(work: (demo: DemoStage) => Promise<void>, options: { tokens?: Tokens } = {}): Promise<void> {
  const demo = await openDemo(options);
  try {
    await work(demo);
  } finally {
    await demo.close();
  }
}

describe('Each page', () => {
  const pages = [
    { path: '/', name: 'cluster', shows: 'Rolling web zone by zone' },
    { path: '/?node=ml-1', name: 'node', shows: 'PodScheduleClosed' },
    { path: '/roll', name: 'roll', shows: 'done about' },
    { path: '/time', name: 'time', shows: 'ml/trainer' },
    { path: '/why?target=node/ml-1', name: 'why', shows: 'ml-1 is held until' },
    { path: '/what-if', name: 'what-if', shows: 'one zone after another' },
    { path: '/history', name: 'history', shows: 'Changes' },
  ];

  it.each(['light', 'dark'] as const)(
    '%s: shows its content, is accessible, and requests nothing from other hosts',
    async (colorScheme) => {
      await onDemo(async (demo) => {
        await demo.play(asDuration(100 * second));
        for (const { path, name, shows } of pages) {
          const { page, troubles, close } = await visit(browser, demo.url + path, { colorScheme });
          await page.getByText(shows).filter({ visible: true }).first().waitFor();
          await page.screenshot({ path: `${screenshots}/${name}-${colorScheme}.png` });
          expect(await findBarriers(page), `${name} ${colorScheme}`).toEqual([]);
          expect(troubles, `${name} ${colorScheme}`).toEqual([]);
          await close();
        }
      });
    },
  );

  it('shows the same as lull why', async () => {
    await onDemo(async (demo) => {
      await demo.play(asDuration(minute));
      const { page, close } = await visit(browser, `${demo.url}/why?target=pool/web`);
      const told = (await (await fetch(`${demo.url}/api/why?target=pool/web`)).json()) as { headline: string };
      await page.getByText(told.headline).waitFor();
      await page.getByLabel('A node, a pod or a pool').fill('no-such-thing');
      await page.getByRole('button', { name: 'Ask' }).click();
      await page
        .getByText(/no-such-thing/)
        .first()
        .waitFor();
      expect(new URL(page.url()).searchParams.get('target')).toBe('no-such-thing');
      await close();
    });
  });
});

describe('A roll', () => {
  it('is shown from start to end, zone by zone, without layout shifts', async () => {
    await onDemo(async (demo) => {
      const { page, troubles, close } = await visit(browser, demo.url);
      await page.getByText('All is quiet').waitFor();
      await page.evaluate(noteShifts);
      const order: string[] = [];
      for (let step = 0; step < 60 && order.at(-1) !== 'over'; step++) {
        await demo.play(asDuration(10 * second));
        const chips = page.locator('section[aria-label="Pool web"] .zone');
        const states = await chips.evaluateAll((zones) =>
          zones.map((zone) => zone.className.replace('zone', '').trim()),
        );
        const turn = states.findIndex((state) => state === 'turn' || state === 'settling');
        const now =
          turn >= 0
            ? ('abc'[turn] as string)
            : order.length > 0 && states.every((it) => it === 'done' || it === '')
              ? 'over'
              : '';
        if (now !== '' && order.at(-1) !== now) order.push(now);
      }
      expect(order).toEqual(['a', 'b', 'c', 'over']);
      const web = page.locator('section[aria-label="Pool web"]');
      await expect.poll(() => web.locator('.bar .waiting, .bar .moving').count()).toBe(0);
      expect(await page.evaluate('globalThis.shifts'), String(await page.evaluate('globalThis.shifted'))).toBeLessThan(
        0.1,
      );
      expect(troubles).toEqual([]);
      await close();
    });
  });

  it('K2: shows why a server cannot answer, and tries again', async () => {
    await onDemo(async (demo) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const answer = { status: 503, json: { error: 'This server cannot answer now: lull-2 leads.' } };
      await page.route('**/api/events', (route) => route.fulfill(answer));
      await page.goto(demo.url);
      await page.getByText('lull-2 leads').waitFor();
      await page.unroute('**/api/events');
      await page.getByText('All is quiet').waitFor();
      await page.getByText('lull-2 leads').waitFor({ state: 'detached' });
      await context.close();
    });
  });

  it('K2: resumes after the connection was cut', async () => {
    await onDemo(async (demo) => {
      const proxy = await openProxy(new URL(demo.url));
      const { page, close } = await visit(browser, `http://127.0.0.1:${proxy.port}`);
      await page.getByText('All is quiet').waitFor();
      const asked: (string | undefined)[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/api/events')) asked.push(request.headers()['last-event-id']);
      });
      proxy.cutOff(true);
      await page.getByText('reconnecting').waitFor();
      await demo.play(asDuration(40 * second));
      proxy.cutOff(false);
      await page.getByText('Rolling web zone by zone').waitFor();
      await page.locator('.link.live').waitFor();
      expect(asked.at(-1)).toMatch(/^test-\d+$/);
      await close();
      proxy.close();
    });
  });
});

describe('A node', () => {
  it('is opened by click or keyboard and shows what holds it and until when', async () => {
    await onDemo(async (demo) => {
      await demo.play(asDuration(minute));
      const { page, troubles, close } = await visit(browser, demo.url);
      const canvas = page.locator('section[aria-label="Pool ml"] canvas').first();
      await canvas.click({ position: { x: 20, y: 20 } });
      const panel = page.locator('aside .panel');
      await panel.getByText('PodScheduleClosed').waitFor();
      await panel.getByText(/^Lifts/).waitFor();
      expect(await panel.locator('.refusals .until').first().textContent()).toMatch(/22:00.*in \d/);
      expect(new URL(page.url()).searchParams.get('node')).toBe('ml-1');
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      await page.locator('section[aria-label="Pool web"] canvas').first().focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'web-4', exact: true }).waitFor();
      expect(troubles).toEqual([]);
      await close();
    });
  });

  it('is found by filters, which the URL keeps', async () => {
    await onDemo(async (demo) => {
      await demo.play(asDuration(minute));
      const { page, close } = await visit(browser, demo.url);
      await page.getByLabel('Held by').selectOption('PodScheduleClosed');
      await page.getByText(/^2 nodes of \d+$/).waitFor();
      await page.reload();
      await page.getByText(/^2 nodes of \d+$/).waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      expect(new URL(page.url()).search).toBe('');
      await close();
    });
  });
});

describe('What if', () => {
  it('shows what another policy would do, and applies nothing', async () => {
    await onDemo(async (demo) => {
      await demo.play(asDuration(minute));
      const { page, troubles, close } = await visit(browser, `${demo.url}/what-if`);
      const editor = page.getByLabel('Policy (YAML)');
      await page.getByText('The policy explained').waitFor();
      const yaml = await editor.inputValue();
      const writes: string[] = [];
      page.on('request', (request) => request.method() !== 'GET' && writes.push(request.url()));
      const freeze = 'apiVersion: karpenter.sh/v1alpha1\nkind: MaintenanceWindow\nmetadata:\n  name: sale\nspec: {}\n';
      await editor.fill(`${yaml}---\n${freeze}`);
      await page.getByText(/nodes? would change/).waitFor();
      await page.getByText('WindowBlocks').first().waitFor();
      await page.locator('.patch').getByText('kind: MaintenanceWindow').waitFor();
      await page.locator('.gutter .warning').first().waitFor();
      await page.getByText('no end in sight').first().waitFor();
      await editor.fill(yaml.replace('nodes: "1"', 'nodes: [broken'));
      await page.getByText('The policy is invalid').waitFor();
      await page.getByRole('button', { name: 'Undo all' }).click();
      await page.getByText('Edit the policy on the left').waitFor();
      expect(writes).toEqual([]);
      expect(demo.box.latest()?.cluster.windows).toEqual([]);
      expect(troubles).toEqual([]);
      await close();
    });
  });
});

describe('History', () => {
  it('is stepped through on all pages and closed again', async () => {
    await onDemo(async (demo) => {
      const { page, troubles, close } = await visit(browser, demo.url);
      // With a viewer connected, every round is drawn, even on a slow machine.
      await page.getByText('live').waitFor();
      await demo.play(asDuration(3 * minute));
      await page.getByRole('link', { name: 'History' }).click();
      await page.getByRole('button', { name: 'First' }).click();
      await page.getByText('Viewing').waitFor();
      for (let step = 0; step < 6; step++) await page.getByRole('button', { name: 'Forward' }).click();
      await page.getByText(/round 7 of/).waitFor();
      await page.getByRole('link', { name: 'Cluster', exact: true }).click();
      await page.getByText('Viewing').waitFor();
      await page.getByRole('button', { name: 'Back to now' }).click();
      await page.getByText('Viewing').waitFor({ state: 'detached' });
      expect(troubles).toEqual([]);
      await close();
    });
  });

  it('J4: opens recordings, compressed or not, and rejects other files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lull-recording-'));
    await onDemo(async (demo) => {
      const lines: string[] = [];
      const stop = demo.box.record((line) => lines.push(line));
      await demo.play(asDuration(2 * minute));
      stop();
      const file = join(folder, 'roll.gz');
      writeFileSync(file, gzipSync(lines.join('\n')));
      const none = join(folder, 'none.gz');
      writeFileSync(none, 'nothing');
      const { page, close } = await visit(browser, `${demo.url}/history`);
      await page.getByRole('heading', { name: 'Changes' }).waitFor();
      await page.getByLabel('Open a recording').setInputFiles(none);
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Open a recording').setInputFiles(file);
      await page.getByText('of the recording roll.gz').first().waitFor();
      await page.getByRole('button', { name: 'Last' }).click();
      await page.getByRole('link', { name: 'Show the cluster at this time' }).click();
      await page.getByText('Rolling web zone by zone').waitFor();
      await close();
    });
    rmSync(folder, { recursive: true });
  });
});

describe('Consolidation', () => {
  it('shows savings and moved pods on the Roll page and at each node of a group', async () => {
    const options = { at: noon, settings: savingSettings(), isSearched: true } as const;
    const stage = await openStill(threeForOne.flat(9), options);
    try {
      for (const [path, selector] of [
        ['/roll', '.consolidations'],
        ['/?node=n2', '.panel'],
      ] as const) {
        const { page, troubles, close } = await visit(browser, stage.url + path);
        await page.waitForSelector(selector);
        await page.getByText('It saves 0.1 an hour, moves 3 pods.').waitFor();
        expect(troubles).toEqual([]);
        await close();
      }
    } finally {
      await stage.close();
    }
  });
});

describe('Forced expiry', () => {
  const kept = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  const objects = [
    pool('web', { template: { expireAfter: '720h' } }),
    machine('n1', { drifted: longAgo, claim: { created: '2026-02-08T18:00:00Z', spec: { expireAfter: '720h' } } }),
    machine('n2', { drifted: longAgo, claim: { spec: { expireAfter: 'Never' } } }),
    pod('p1', 'n1', kept),
    pod('p2', 'n2', kept),
  ].flat();

  it('J3: lists nodes that stay held and nodes that Karpenter deletes before they can be replaced', async () => {
    const stage = await openStill(objects, { at: noon, settings: settings({ role: 'guide' }) });
    const { page, troubles, close } = await visit(browser, `${stage.url}/roll`);
    await page.getByText('the end of the simulation').waitFor();
    await page.locator('.wish', { hasText: 'Still held' }).getByText('n2').waitFor();
    const forced = page.locator('.wish', { hasText: '1 node expires before Lull can replace it' });
    await forced.getByText('is deleted by Karpenter').waitFor();
    expect(await forced.getByRole('link').allTextContents()).toEqual(['n1']);
    await page.screenshot({ path: `${screenshots}/roll-held.png`, fullPage: true });
    expect(await findBarriers(page)).toEqual([]);
    expect(troubles).toEqual([]);
    await close();
    await stage.close();
  });

  it('N11: shows in the header that offers are withheld, and why', async () => {
    const withhold = 'no Karpenter was found';
    const stage = await openStill(objects, { at: noon, settings: settings({ role: 'guide', withhold }) });
    const { page, troubles, close } = await visit(browser, stage.url);
    const chip = page.getByText('guide, offers withheld');
    await chip.waitFor();
    expect(await chip.getAttribute('title')).toContain(withhold);
    expect(troubles).toEqual([]);
    await close();
    await stage.close();
  });
});

describe('C8: an invalid pool', () => {
  it('is listed with the field and the fix', async () => {
    const objects = [pool('web', { budgets: [{ nodes: 'many' }] }), machine('n1', { drifted: longAgo }), pod()].flat();
    const stage = await openStill(objects, { at: noon });
    const { page, troubles, close } = await visit(browser, stage.url);
    const faults = page.getByRole('region', { name: 'Errors in the policy' });
    await faults.getByText('NodePool/web').waitFor();
    await faults.getByText('spec.disruption.budgets[0].nodes').waitFor();
    await page.getByText('Invalid, disrupts nothing until fixed').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(troubles).toEqual([]);
    await close();
    await stage.close();
  });
});

describe('Access', () => {
  it('requires the token if one is set', async () => {
    await onDemo(
      async (demo) => {
        await demo.play(asDuration(minute));
        const { page, close } = await visit(browser, demo.url);
        await page.getByText('Enter the access token').waitFor();
        await page.getByLabel('Token').fill('wrong');
        await page.getByRole('button', { name: 'Open' }).click();
        await page.getByText('This token is not valid').waitFor();
        expect(await page.locator('body').textContent()).not.toContain('web-1');
        await page.getByLabel('Token').fill('secret');
        await page.getByRole('button', { name: 'Open' }).click();
        await page.getByText('Rolling web zone by zone').waitFor();
        await page.reload();
        await page.getByText('Rolling web zone by zone').waitFor();
        await close();
      },
      { tokens: { write: 'secret' } },
    );
  });
});

describe('T2: the read-only token', () => {
  it('shows every page, is marked read-only, and cannot pause', async () => {
    const tokens = { write: 'secret', read: 'looker' };
    await onDemo(
      async (demo) => {
        await demo.play(asDuration(100 * second));
        const { page, troubles, close } = await visit(browser, demo.url);
        await page.getByLabel('Token').fill('looker');
        await page.getByRole('button', { name: 'Open' }).click();
        await page.getByText('Rolling web zone by zone').waitFor();
        await page.getByText('read-only', { exact: true }).waitFor();
        await page.screenshot({ path: `${screenshots}/read-only.png` });
        expect(await findBarriers(page)).toEqual([]);
        for (const [path, shows] of [
          ['/roll', 'done about'],
          ['/time', 'ml/trainer'],
          ['/what-if', 'one zone after another'],
          ['/history', 'Changes'],
        ] as const) {
          await page.goto(demo.url + path);
          await page.getByText(shows).filter({ visible: true }).first().waitFor();
        }
        const asked = await page.evaluate(async () => {
          const headers = { authorization: 'Bearer looker', 'content-type': 'application/json' };
          const response = await fetch('/api/pause', { method: 'POST', body: '{}', headers });
          return [response.status, await response.text()];
        });
        expect(asked).toEqual([403, expect.stringContaining('This token may only read')]);
        expect(demo.box.latest()?.cluster.windows).toEqual([]);
        // The browser logs the refused requests: the page without a token, and the pause.
        expect(troubles.filter((it) => !/status of 40[13]/.test(it))).toEqual([]);
        await close();
      },
      { tokens },
    );
  });
});

describe('Hostile names', () => {
  const hostile = [
    '<script>document.title="pwned"</script>',
    '<img src=x onerror=document.title="pwned">',
    'מחשב-אחד',
    '\u202Etxt.exe',
    'n'.repeat(253),
    '🐙🔥-node',
    '&lt;b&gt;"\'`',
  ];

  it('are shown as text, and break nothing', async () => {
    const objects = [
      pool(hostile[0]),
      ...hostile.map((name) => machine(name, { pool: hostile[0] ?? '', drifted: longAgo, zone: name })),
      ...hostile.map((name, index) => pod(`p${index}`, name)),
    ].flat();
    const stage = await openStill(objects, { at: noon });
    for (const path of ['/', '/roll', '/time', '/history']) {
      const { page, troubles, close } = await visit(browser, stage.url + path);
      await page.locator('main h2, main h1').first().waitFor();
      await page.locator('.loading').waitFor({ state: 'detached' });
      expect(await page.title()).toMatch(/^((Roll|Time|History) · )?Lull$/);
      expect(await page.locator('main script, main img').count()).toBe(0);
      expect(await page.evaluate(sideways)).toBeLessThanOrEqual(0);
      expect(troubles).toEqual([]);
      await close();
    }
    for (const name of hostile) {
      const { page, troubles, close } = await visit(browser, `${stage.url}/?node=${encodeURIComponent(name)}`);
      await page.locator('.panel .answer').waitFor();
      expect(await page.locator('.panel h2.name').textContent()).toBe(name);
      expect(troubles).toEqual([]);
      await close();
    }
    await stage.close();
  });
});

describe('Every screen', () => {
  it.each([
    { it: 'a phone', viewport: { width: 390, height: 844 }, hasTouch: true },
    { it: '400 % zoom', viewport: { width: 320, height: 256 }, hasTouch: false },
  ])('$it: no horizontal scrolling', async ({ viewport, hasTouch }) => {
    await onDemo(async (demo) => {
      await demo.play(asDuration(100 * second));
      for (const path of ['/', '/roll', '/time', '/why?target=pool/web', '/what-if', '/history']) {
        const { page, troubles, close } = await visit(browser, demo.url + path, { viewport, hasTouch });
        await page.locator('main h1').waitFor({ state: 'attached' });
        await page.locator('.loading').waitFor({ state: 'detached' });
        const over = await page.evaluate(sideways);
        expect(over, path).toBeLessThanOrEqual(0);
        if (viewport.width > 320)
          await page.screenshot({ path: `${screenshots}/phone${path.replace(/[/?=]/g, '-')}.png` });
        expect(troubles).toEqual([]);
        await close();
      }
    });
  });

  it('has no animations with reduced motion', async () => {
    await onDemo(async (demo) => {
      const { page, close } = await visit(browser, demo.url, { reducedMotion: 'reduce' });
      const bar = page.locator('.bar span').first();
      await bar.waitFor();
      expect(await page.evaluate(`getComputedStyle(document.querySelector('.bar span')).transitionDuration`)).toBe(
        '0s',
      );
      await close();
    });
  });
});

describe('Ten thousand nodes', () => {
  it('are drawn, filtered and opened', async () => {
    const stage = await openStill(largeObjects(10_000, 3), { at: '2026-11-11T10:00:00Z' });
    const { page, troubles, close } = await visit(browser, stage.url);
    await page.locator('canvas.nodes').first().waitFor();
    expect(await page.locator('canvas.nodes').count()).toBe(150);
    await page.screenshot({ path: `${screenshots}/ten-thousand.png` });
    await page.getByLabel('Pool', { exact: true }).selectOption('pool-7');
    await page.getByText('200 nodes of 10,000').waitFor();
    await page.getByLabel('Find a node by its name').fill('node-00007');
    await page.getByText('1 node of 10,000').waitFor();
    stage.decide(at('2026-11-11T10:01:00Z'));
    await page.goto(`${stage.url}/?node=node-00007`);
    await page.locator('.panel .answer').waitFor();
    expect(troubles).toEqual([]);
    await close();
    await stage.close();
  });
});
