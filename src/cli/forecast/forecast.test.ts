// Tests of `lull forecast` for objects and scenarios.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../../test/inMemory.ts';
import { readDocuments } from '../../kinds/text/documents.ts';
import { readScenario } from '../../sim/scenario/readScenario.ts';
import { after, asDuration, formatInstant, minute } from '../../time/instant.ts';
import { openBox } from '../up/upBox.ts';

/** The demo two minutes into its roll, as kubectl would print it. */
function demo(): { readonly stdin: string; readonly now: string } {
  const { scenario } = readScenario(readDocuments(readFileSync('scenarios/demo.yaml', 'utf8'), 'demo.yaml').documents);
  if (!scenario) throw new Error('the demonstration cannot be read');
  const box = openBox(scenario, { version: 'test' });
  box.simulation.runUntil(after(box.simulation.from, asDuration(2 * minute)));
  const lines = [...((box.snapshot?.() ?? []) as Iterable<string>)].map((line) => JSON.parse(line) as { put?: object });
  const objects = lines.flatMap(({ put }) => (put ? [JSON.stringify(put)] : []));
  return { stdin: objects.join('\n'), now: formatInstant(box.simulation.now) };
}

const { stdin, now } = demo();
const forecast = (...more: string[]) =>
  runInMemory(['forecast', '-f', '-', '--at', now, '--set', 'role=drive', '--set', 'drift=computed', ...more], {
    stdin,
  });
const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

interface Told {
  readonly at: string;
  readonly runs: number;
  readonly pools: readonly {
    readonly pool: string;
    readonly finishes?: { readonly likely: string };
    readonly domains: readonly { readonly domain?: string }[];
    readonly never: readonly { readonly node: string; readonly why: string }[];
    readonly fits?: boolean;
    readonly firstExpiry?: string;
  }[];
  readonly goings: readonly { readonly node: string; readonly at: string; readonly reason: string }[];
  readonly sure: readonly string[];
}

describe('lull forecast', () => {
  it('J3: has in JSON when each pool, zone and node is done, and how certain that is', async () => {
    const { stdout, status } = await forecast('-o', 'json');
    const told = JSON.parse(stdout) as Told;
    expect(status).toBe(0);
    expect(told.at).toBe(now);
    const web = told.pools.find(({ pool }) => pool === 'web');
    expect(web?.finishes?.likely).toMatch(utc);
    expect(web?.domains.map(({ domain }) => domain)).toEqual(['a', 'b', 'c']);
    expect(told.goings.filter(({ reason }) => reason === 'Drifted').length).toBeGreaterThan(3);
    for (const { at } of told.goings) expect(at).toMatch(utc);
    expect(told.sure[0]).toContain(`${told.runs} simulated runs`);
  });

  it('has the same by pool as text', async () => {
    const { stdout } = await forecast();
    expect(stdout).toMatch(/^web {2}done about \d{4}-\d\d-\d\d \d\d:\d\d/m);
    expect(stdout).toMatch(/^Nodes by time/m);
    expect(stdout).toContain('Assumes that nothing is changed');
  });

  it('reports that nothing is drifted', async () => {
    const empty = { stdin: '{"apiVersion":"v1","kind":"List","items":[]}' };
    const { stdout, status } = await runInMemory(['forecast', '-f', '-', '--at', '2026-11-17T10:20:00Z'], empty);
    expect(stdout).toBe(
      'No node is drifted at 2026-11-17 10:20Z, and none expires by 2026-11-26 10:20Z: no rollout to forecast.\n',
    );
    expect(status).toBe(0);
  });

  it('L7: --server cannot be combined with flags for files', async () => {
    const { stderr, status } = await forecast('--server', 'http://127.0.0.1:1');
    expect(stderr).toContain('--server cannot be combined with -f, --at, --settings or --set');
    expect(status).toBe(2);
  });

  it('L7: reports that no Lull answers', async () => {
    const { stderr, status } = await runInMemory(['forecast', '--server', 'http://127.0.0.1:1']);
    expect(stderr).toContain('No Lull answers at http://127.0.0.1:1');
    expect(status).toBe(2);
  });
});

describe('lull forecast of a scenario', () => {
  const scenario = 'scenarios/zone-by-zone.yaml';

  it('J3: draws zones one after the other, and prints the error with --check', async () => {
    const { stdout, status } = await runInMemory(['forecast', scenario, '--check']);
    expect(stdout).toMatch(/^ {2}web a {2}█+▒*$/m);
    expect(stdout).toMatch(/^ {2}web c {2}·+█+/m);
    expect(stdout).toMatch(/^ {2}a {2}starts .* done about /m);
    expect(Number(/the forecast was .* (\d+\.\d) % of its length/.exec(stdout)?.[1])).toBeLessThan(10);
    expect(status).toBe(0);
  });

  it('J3: --by prints whether it is done in time, and that no budget helps while a zone settles', async () => {
    const early = await runInMemory(['forecast', scenario, '--by', '2026-11-16T08:25:00Z']);
    expect(early.stdout).toContain('web  not done in time. No budget makes it fit');
    const late = await runInMemory(['forecast', scenario, '--by', '2026-11-16T09:00:00Z', '-o', 'json']);
    expect(JSON.parse(late.stdout)).toMatchObject({ deadline: { pools: [{ pool: 'web', fits: true }] } });
  });

  it.each([
    { it: '--check without one', words: ['-f', '-', '--check'], says: '--check needs a scenario' },
    {
      it: 'one with a cluster’s flags',
      words: [scenario, '--at', '2026-11-16T09:00:00Z'],
      says: 'cannot be combined with',
    },
    { it: 'one in which nothing drifts', words: ['scenarios/rising-load.yaml'], says: 'there is no roll to forecast' },
  ])('L7: $it is wrong usage', async ({ words, says }) => {
    const { stderr, status } = await runInMemory(['forecast', ...words], { stdin });
    expect(stderr).toContain(says);
    expect(status).toBe(2);
  });
});
