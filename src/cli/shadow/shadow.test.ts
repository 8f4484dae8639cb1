// Tests of `lull shadow`.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runInMemory } from '../../../test/inMemory.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-shadow-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const recorded = (name: string): string => at(`${name}.gz`);
const names = ['shadow-zones', 'shadow-hours'];

beforeAll(async () => {
  for (const name of [...names, 'guide-zone-by-zone']) {
    const { status } = await runInMemory(['record', `scenarios/${name}.yaml`, '--to', recorded(name)]);
    expect(status).toBe(0);
  }
});

describe.each(names)('scenarios/%s.yaml in the role observe', (name) => {
  const golden = resolve(import.meta.dirname, 'shadowed', `${name}.txt`);

  it('reads as its golden text', async () => {
    const { status, stdout, stderr } = await runInMemory(['shadow', recorded(name)]);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, stdout);
    expect(stdout).toBe(
      existsSync(golden)
        ? readFileSync(golden, 'utf8')
        : 'UPDATE_GOLDEN=1 npx vitest run src/cli/shadow/shadow.test.ts',
    );
  });

  it('J4: is decided again, byte for byte', async () => {
    const { stdout, status } = await runInMemory(['replay', recorded(name)]);
    expect(stdout).toContain('the same, byte for byte');
    expect(status).toBe(0);
  });
});

const asJson = async (...argv: string[]) =>
  JSON.parse((await runInMemory(['shadow', ...argv, '-o', 'json'])).stdout) as {
    taken: { node: string; reason?: string; verdict: string; refusals: { code: string }[] }[];
    summary: Record<string, unknown>;
  };

describe('lull shadow', () => {
  const hours = recorded('shadow-hours');

  it('answers in JSON and YAML alike', async () => {
    const json = await asJson(hours);
    expect(json.taken[0]).toMatchObject({
      node: 'web-1',
      claim: 'web-1',
      pool: 'web',
      zone: 'a',
      reason: 'Drifted',
      at: '2026-11-16T09:47:31Z',
      verdict: 'held',
      refusals: [
        {
          code: 'WindowNotOpen',
          owner: { kind: 'MaintenanceWindow', name: 'at-night' },
          liftsAt: '2026-11-16T21:00:00Z',
        },
      ],
      until: '2026-11-16T21:00:00Z',
      waits: '11h12m29s',
      limit: 1,
      inUse: 0,
      inFlight: 1,
      zones: ['a'],
    });
    expect(json.summary).toMatchObject({
      taken: 10,
      allowed: 1,
      held: 8,
      notAsked: 1,
      byCode: { WindowNotOpen: 7, BudgetSpent: 5 },
      longestWait: { node: 'web-1', waits: '11h12m29s' },
    });
    const yaml = await runInMemory(['shadow', hours, '-o', 'yaml']);
    expect(parse(yaml.stdout)).toEqual(json);
  });

  const policy = (object: object): string => {
    writeFileSync(at('policy.yaml'), JSON.stringify(object));
    return at('policy.yaml');
  };
  const byDay = {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    metadata: { name: 'at-night' },
    spec: { mode: 'Allow', schedules: [{ cron: '0 8 * * *', duration: '8h' }] },
  };

  it('--with evaluates another policy', async () => {
    const { taken } = await asJson(hours, '--with', policy(byDay));
    const codes = taken.map(({ node, verdict, refusals }) => [node, verdict, ...refusals.map(({ code }) => code)]);
    expect(codes).toEqual([
      ['web-1', 'allowed'],
      ['web-2', 'held', 'BudgetSpent'],
      ['web-3', 'held', 'BudgetSpent'],
      ['web-4', 'held', 'BudgetSpent'],
      ['batch-1', 'allowed'],
      ['web-7', 'allowed'],
      ['web-8', 'held', 'BudgetSpent'],
      ['batch-2', 'notAsked'],
      ['web-5', 'held', 'WindowNotOpen'],
      ['web-6', 'held', 'WindowNotOpen', 'BudgetSpent'],
    ]);
  });

  it('--set evaluates with another setting', async () => {
    const { taken } = await asJson(hours, '--set', 'expiration=forceful');
    expect(taken.find(({ reason }) => reason === 'Expired')?.verdict).toBe('allowed');
  });

  it.each([
    [['shadow', recorded('guide-zone-by-zone')], /made in the role guide: Lull itself decided which nodes/],
    [['shadow', hours, '--set', 'rolle=drive'], /rolle/],
    [['shadow', 'scenarios/shadow-hours.yaml'], /Not valid JSON/],
    [['shadow', at('none.gz')], /No such file/],
    [
      ['shadow', hours, '--with', 'scenarios/shadow-hours.yaml'],
      /--with takes .*This is a (Scenario|Deployment|Namespace)/,
    ],
    [['shadow'], /missing required argument/],
  ])('%j is wrong usage', async (argv, message) => {
    const { status, stdout, stderr } = await runInMemory(argv);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  const lines = (): string[] => gunzipSync(readFileSync(hours)).toString().trimEnd().split('\n');
  const damaged = (change: (lines: string[]) => string[]): string => {
    writeFileSync(at('damaged.ndjson'), change(lines()).join('\n'));
    return at('damaged.ndjson');
  };
  /** A node and its claim, disrupted in the middle of the recording. */
  const oddly = (from: string, to: string) => () =>
    damaged((all) => all.map((line) => (line.startsWith('{"put"') ? line.replaceAll(from, to) : line)));

  it.each([
    ['a missing end', () => damaged((all) => all.slice(0, -1)), 2, /The recording is truncated/],
    [
      'no round',
      () => damaged((all) => [...all.slice(0, 2), '{"end":{"rounds":0}}']),
      2,
      /This recording has no round/,
    ],
    [
      'settings that are none',
      () => damaged(([head = '', ...rest]) => [head.replace('observe', 'rule'), ...rest]),
      2,
      /rule/,
    ],
    ['taints that are not a list', oddly('"taints":[', '"taints":"x","was":['), 0, /^$/],
    ['conditions that are not a list', oddly('"conditions":[', '"conditions":{},"was":['), 0, /^$/],
    ['conditions of nothing', oddly('"conditions":[{', '"conditions":[null,7,{'), 0, /^$/],
    ['deletions at no time', oddly('"deletionTimestamp":"2026', '"deletionTimestamp":"soon'), 0, /^$/],
    ['nodes without labels', oddly('"labels":{', '"labels":null,"was":{'), 0, /^$/],
    ['claims of no node', oddly('"nodeName":"', '"nodeName":7,"was":"'), 0, /^$/],
  ])('K1: %s', async (_, file, expected, message) => {
    const { status, stderr } = await runInMemory(['shadow', file()]);
    expect(stderr).not.toContain('internal error');
    expect(stderr).toMatch(message);
    expect(status).toBe(expected);
  });
});
