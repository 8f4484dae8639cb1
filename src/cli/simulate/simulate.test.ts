// Tests of `lull simulate`.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../../test/inMemory.ts';
import type { StoryEvent } from '../../sim/story/storyEvent.ts';

const zoneByZone = 'scenarios/zone-by-zone.yaml';

/** A scenario in which little happens. */
const small = (spec: string): string => `apiVersion: lull.dev/v1alpha1
kind: Scenario
metadata: { name: small }
spec:
  from: 2026-11-16T08:00:00Z
  for: 1h
  nodes: [{ pool: web, count: 2, instanceType: m }]
${spec}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec:
  disruption: { consolidateAfter: Never }
  template: { metadata: { labels: { image: v1 } } }
`;

const asFile = (text: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'lull-')), 'small.yaml');
  writeFileSync(file, text);
  return file;
};

const fail = `  script: [{ at: 10m, fail: { node: web-1, for: 5m } }]`;

describe('L6: lull simulate', () => {
  it('tells events, rounds and a summary as JSON', async () => {
    const { status, stdout } = await runInMemory(['simulate', zoneByZone, '-o', 'json']);
    expect(status).toBe(0);
    const told = JSON.parse(stdout);
    expect(told).toMatchObject({
      scenario: 'zone-by-zone',
      seed: 1,
      from: '2026-11-16T08:00:00Z',
      rounds: expect.any(Number),
      summary: { simulated: '3h', rolled: { web: 9 }, podsMoved: 27, violations: [], broken: [] },
    });
    const kinds = new Set(told.events.map(({ kind }: StoryEvent) => kind));
    for (const kind of [
      'NodeChosen',
      'NodeTainted',
      'ReplacementLaunched',
      'ReplacementReady',
      'PodEvicted',
      'NodeGone',
      'TurnTaken',
      'TurnPassed',
    ])
      expect(kinds).toContain(kind);
    for (const { at, text } of told.events) {
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
      expect(text).toMatch(/\.$/);
    }
  });

  it('C11: zones go strictly one after another, and never more than the budget', async () => {
    const { stdout } = await runInMemory(['simulate', zoneByZone, '-o', 'json']);
    const { events } = JSON.parse(stdout) as { events: { kind: string; node: string; domain: string }[] };
    const zones: string[] = [];
    const flying = new Set<string>();
    for (const { kind, node, domain } of events) {
      if (kind === 'NodeChosen') {
        flying.add(node);
        if (zones.at(-1) !== domain) zones.push(domain);
      }
      if (kind === 'NodeTerminating' || kind === 'NodeReleased') flying.delete(node);
      expect(flying.size).toBeLessThanOrEqual(1);
    }
    expect(zones).toEqual(['a', 'b', 'c']);
  });

  it('tells the same bytes for the same seed, and others for another', async () => {
    const told = async (...more: string[]): Promise<string> =>
      (await runInMemory(['simulate', zoneByZone, '-o', 'json', ...more])).stdout;
    expect(await told()).toBe(await told('--seed', '1'));
    expect(await told()).not.toBe(await told('--seed', '2'));
  });

  it('plays as long as it is asked to, and holds nothing against what has not come yet', async () => {
    const { status, stdout } = await runInMemory(['simulate', zoneByZone, '--for', '15m']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/simulated +15m/);
    expect(stdout).toMatch(/expectations +\d of 6 met so far/);
  });

  it('says what still holds nodes at the end', async () => {
    const { stdout } = await runInMemory(['simulate', 'scenarios/bad-image.yaml', '--for', '2h']);
    expect(stdout).toContain('Still held at the end');
    expect(stdout).toMatch(/6 nodes +Drifted +until the cluster changes: zone a is not healthy/);
  });

  it('reads from stdin, and writes YAML', async () => {
    const { status, stdout } = await runInMemory(['simulate', '-', '-o', 'yaml'], { stdin: small(fail) });
    expect(status).toBe(0);
    expect(stdout).toContain('kind: Fault');
  });

  it('exits with 1 where what was expected did not come, and says what', async () => {
    const expects = `${fail}\n  expect: [{ stays: { node: web-1 } }, { event: { kind: NodeGone, count: 1 } }]`;
    const { status, stdout } = await runInMemory(['simulate', asFile(small(expects))]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/expectations +not all 2 met/);
    expect(stdout).toContain('✗  Expected 1 NodeGone. But there were 0.');
  });

  it('tells what happens in a few lines', async () => {
    const { stdout } = await runInMemory(['simulate', asFile(small(fail))]);
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      'small  Mon 2026-11-16 08:00Z, 1h, seed 1',
      '',
      'Mon 16 Nov',
      '  08:10  The kubelet of web-1 stops responding for 5m.',
      '  08:10  web-1 becomes NotReady.',
      '',
    ]);
  });

  it('says so where nothing happens', async () => {
    expect((await runInMemory(['simulate', asFile(small(''))])).stdout).toContain('Nothing happens.');
  });
});

describe('Live', () => {
  it('--speed lets real time pass, and tells each event as it comes', async () => {
    const told: string[] = [];
    const waits: number[] = [];
    const wait = async (length: number): Promise<void> => {
      waits.push(length);
    };
    const { stdout } = await runInMemory(['simulate', asFile(small(fail)), '--speed', '600'], {
      wait,
      progress: (text) => told.push(text),
    });
    // An hour at 600 seconds a second is six seconds, in tenths.
    expect(waits).toEqual(Array.from({ length: 60 }, () => 100));
    expect(stdout).toContain('08:10:00  The kubelet of web-1 stops responding for 5m.');
    expect(stdout).toContain('Result');
    expect(told).toEqual([]);
  });

  it('shows how far it is, once an hour at most, and wipes it away', async () => {
    const told: string[] = [];
    await runInMemory(['simulate', zoneByZone, '-o', 'json'], { progress: (text) => told.push(text) });
    expect(told).toEqual(['33 %', '67 %', '100 %', '']);
  });
});

describe('L7: wrong usage', () => {
  it.each([
    {
      name: 'a file that is not there',
      argv: ['nowhere.yaml'],
      says: 'nowhere.yaml: No such file or folder.',
    },
    {
      name: 'a length that is none',
      argv: [zoneByZone, '--for', 'long'],
      says: 'Use a Go duration such as 6h or 90m.',
    },
    { name: 'a seed that is none', argv: [zoneByZone, '--seed', '-1'], says: 'Use a whole number from 0' },
    {
      name: 'a speed that is none',
      argv: [zoneByZone, '--speed', '0'],
      says: 'Use a number above 0 such as 60, or max.',
    },
    {
      name: 'a file without a scenario',
      argv: ['scenarios/first-look.yaml'],
      says: 'There is no Scenario here. Add a document of apiVersion lull.dev/v1alpha1 and kind Scenario.',
    },
  ])('$name', async ({ argv, says }) => {
    const { status, stdout, stderr } = await runInMemory(['simulate', ...argv]);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(says);
  });

  it('K1: a word that is wrong, with its line', async () => {
    const file = asFile(small('  scrip: []'));
    const { status, stderr } = await runInMemory(['simulate', file]);
    expect(status).toBe(2);
    expect(stderr).toBe(`${file}:8: Scenario/small spec.scrip: Unknown field scrip. Did you mean script?\n`);
  });
});

describe('Searches in virtual time', () => {
  it('L6: the same seed tells the same story to the byte, groups that were searched for included', async () => {
    const argv = ['simulate', 'scenarios/half-empty.yaml', '-o', 'json'];
    const [first, second] = [await runInMemory(argv), await runInMemory(argv)];
    expect(second).toEqual(first);
    expect(first.stdout).toContain(
      'api-1 is chosen (Underutilized) together with api-2, api-3; one replacement is launched first.',
    );
  });
});
