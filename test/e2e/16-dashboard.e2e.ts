// The dashboard during a roll on a real cluster, in a browser, from the first node to the last.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contextOf } from '../cluster/keys.ts';
import { openBrowser } from '../dashboard/browser.ts';
import { type Visit, visit } from '../dashboard/visit.ts';
import type { RunningLull } from './story/lull.ts';
import { grow, oneByOne, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory } from './story/story.ts';

/** Two in each zone: it takes a minute. */
const nodes = 6;

describeStory('dashboard', { install: ['--set', 'role=guide'] }, (story) => {
  let browser: Browser;
  let lull: RunningLull;
  let roll: Roll;
  let cluster: Visit;
  const troubles: string[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  const look = async <Seen>(path: string, at: (page: Page) => Promise<Seen>): Promise<Seen> => {
    const visited = await visit(browser, `${lull.url}${path}`);
    const seen = await at(visited.page);
    troubles.push(...visited.troubles);
    await visited.close();
    return seen;
  };

  it('before a roll it is quiet, and the page shows the cluster and the role', async () => {
    await grow(story, { budgets: oneByOne, expireAfter: '720h' }, nodes);
    lull = await story.startLull({ role: 'guide' });
    await story.until('all are parked', async () => (await parkedNodes(story)).length === nodes);
    cluster = await visit(browser, lull.url);
    await cluster.page.getByText('All is quiet').waitFor();
    expect(await cluster.page.title()).toBe(`${contextOf(story.cluster.name)} · Lull`);
    expect(await cluster.page.locator('.clock .role').textContent()).toBe('guide');
  });

  it('N1: the roll is shown zone by zone, with the nodes that Karpenter has taken', async () => {
    roll = await release(story, 'two');
    await cluster.page.getByText(/zone test-zone-[abc] has the turn/).waitFor({ timeout: 60_000 });
    const happens = cluster.page.getByRole('region', { name: 'Events' });
    await happens
      .getByText(/Offered to Karpenter: \S+ of web \(Drifted\)/)
      .first()
      .waitFor({ timeout: 60_000 });
    await happens
      .getByText(/Taken by Karpenter: \S+ of web/)
      .first()
      .waitFor({ timeout: 60_000 });
    expect(await happens.locator('time').first().textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
    const legend = cluster.page.getByRole('region', { name: 'Legend' });
    expect(await legend.textContent()).toMatch(/offered Karpenter may disrupt it now.*taken Karpenter is replacing it/);
  });

  it('J3: Roll forecasts its end, from a snapshot taken at that moment', async () => {
    const said = await look('/roll', async (page) => {
      const card = page.getByRole('region', { name: 'Roll of web' });
      await card.getByText('done about').first().waitFor({ timeout: 60_000 });
      await card.getByText(/It fits: the first of its old nodes expires/).waitFor();
      return card.textContent();
    });
    expect(said).toMatch(/\d of 6 up to date/);
    expect(said).not.toContain('no end in sight');
    const told = await story.lullJson<{ pools: { pool: string; finishes?: object; fits?: boolean }[] }>(
      'forecast',
      '--context',
      contextOf(story.cluster.name),
    );
    expect(told.pools).toMatchObject([{ pool: 'web', finishes: {}, fits: true }]);
  });

  it('What if tries a policy on the live cluster, and Why gives the same answer as `lull why`', async () => {
    const editor = await look('/what-if', async (page) => {
      await page.getByText('The policy explained').waitFor({ timeout: 60_000 });
      return page.getByRole('textbox').inputValue();
    });
    expect(editor).toContain('kind: NodePool');
    const said = await look('/why?target=pool/web', async (page) => {
      await page.getByText('lull why pool/web').waitFor();
      return page.getByRole('region', { name: 'Why pool/web' }).textContent();
    });
    expect(said).toContain('test-zone-');
  });

  it('a standby shows who leads', async () => {
    const other = await story.startLull({ role: 'guide', ready: false });
    await story.until('it answers', async () => (await other.get('/healthz').catch(() => undefined))?.code === 200);
    const page = await visit(browser, other.url);
    await page.page.getByText(/not leading; .* leads/).waitFor({ timeout: 60_000 });
    await page.close();
    await other.kill('SIGTERM');
  });

  it('the page shows it to its end, without an error', async () => {
    await story.until('all nodes are new', () => roll.isDone(), { within: 240 });
    await cluster.page.getByText('All is quiet').waitFor({ timeout: 60_000 });
    expect([...troubles, ...cluster.troubles]).toEqual([]);
    await cluster.close();
  });
});
