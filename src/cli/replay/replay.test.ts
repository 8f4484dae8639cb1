// Tests of `lull replay` and `lull record`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runInMemory } from '../../../test/inMemory.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const write = (name: string, content: string | Uint8Array): string => {
  writeFileSync(at(name), content);
  return at(name);
};

/** Scenarios that are hard to reproduce: a crash, two controllers, lost answers, consolidation, searched groups, a halted roll. */
const scenarios = [
  'zone-by-zone',
  'bad-image',
  'fault-crash',
  'fault-two-controllers',
  'fault-lost-answers',
  'drift-in-hours',
  'half-empty',
];

describe.each(scenarios)('J4: %s', (name) => {
  const file = at(`${name}.gz`);
  let length: string | undefined;
  beforeAll(async () => {
    const { status, stderr } = await runInMemory(['record', `scenarios/${name}.yaml`, '--to', file]);
    length = /^recorded \d+ rounds over (\S+), in /.exec(stderr)?.[1];
    expect(length).toBeDefined();
    expect(status).toBe(0);
  });

  it('is decided again, byte for byte', async () => {
    const { status, stdout, stderr } = await runInMemory(['replay', file]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\d+ rounds over \S+, decided again: the same, byte for byte\n$/);
    expect(/over (\S+),/.exec(stdout)?.[1]).toBe(length);
    expect(status).toBe(0);
  });

  it('the same policy makes no difference', async () => {
    const { stdout } = await runInMemory(['replay', file, '--set', 'windowMargin=0s', '-o', 'json']);
    const outcome = JSON.parse(stdout);
    expect(outcome.differences).toEqual([]);
    expect(outcome.same).toBeGreaterThan(0);
  });
});

describe('lull replay', () => {
  const roll = at('zone-by-zone.gz');
  const lines = (): string[] => gunzipSync(readFileSync(roll)).toString().trimEnd().split('\n');

  it('prints the first difference, and exits with 1', async () => {
    // A node had another label when the round was decided than the recording says.
    const index = lines().findIndex((line) => line.includes('"kind":"NodePool"') && line.includes('"image":"v2"'));
    const changed = lines().with(index, (lines()[index] ?? '').replace('"image":"v2"', '"image":"v9"'));
    const file = write('changed.ndjson', `${changed.join('\n')}\n`);
    const { status, stdout } = await runInMemory(['replay', file]);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^round \d+, at 2026-11-16T08:10:00\S*Z \(line \d+ of the recording\), is decided differently\n- recorded {2}\+ decided now\n\nverdicts\n/,
    );
    expect(stdout).toContain('-   detail: "label image: was v1, now v2"');
    expect(stdout).toContain('+   detail: "label image: was v1, now v9"');
    const json = JSON.parse((await runInMemory(['replay', file, '-o', 'json'])).stdout);
    expect(json.differs.recorded.verdicts[0].detail).toBe('label image: was v1, now v2');
  });

  const policy = (object: object): string => write('policy.yaml', JSON.stringify(object));
  const freeze = {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    metadata: { name: 'freeze' },
    spec: { notAfter: '2026-11-16T08:20:00Z', note: 'ask Ann' },
  };

  it('--with prints what another policy would have done', async () => {
    const { stdout, status } = await runInMemory(['replay', roll, '--with', policy(freeze)]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^\d+ rounds over 2h59m, with the other policy: /);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'disrupted later web-1 web Drifted: 2026-11-16 08:10Z, now 2026-11-16 08:20Z (9m later); held until 2026-11-16 08:20Z',
    );
    expect(stdout.replace(/\s+/g, ' ')).toContain('WindowBlocks: MaintenanceWindow freeze blocks it now (ask Ann)');
    expect(stdout).toContain('Pods, PodDisruptionBudgets and load are as recorded');
  });

  it('--with answers in JSON and YAML alike', async () => {
    const json = JSON.parse((await runInMemory(['replay', roll, '--with', policy(freeze), '-o', 'json'])).stdout);
    expect(json.differences[0]).toMatchObject({
      node: 'web-1',
      pool: 'web',
      change: 'later',
      recorded: { reason: 'Drifted' },
      instead: { at: '2026-11-16T08:20:00Z', reason: 'Drifted' },
      heldBy: { code: 'WindowBlocks', until: '2026-11-16T08:20:00Z' },
    });
    const yaml = await runInMemory(['replay', roll, '--with', policy(freeze), '-o', 'yaml']);
    expect(parse(yaml.stdout)).toEqual(json);
  });

  it.each([
    [
      'an object that is not a policy',
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
      /policy.yaml:1: .*This is a Pod/,
    ],
  ])('--with %s is wrong', async (_, object, message) => {
    const { status, stderr } = await runInMemory(['replay', roll, '--with', policy(object)]);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  it('--set refuses an unknown setting', async () => {
    expect(await runInMemory(['replay', roll, '--set', 'rolle=drive'])).toMatchObject({ status: 2, stdout: '' });
  });

  it.each([
    ['nothing', () => '', /The input is empty/],
    ['no recording', () => 'kind: Pod\n', /:1: Not valid JSON/],
    ['a cut line', () => lines().slice(0, 20).join('\n').slice(0, -9), /:20: Not valid JSON/],
    ['a missing end', () => lines().slice(0, -1).join('\n'), /:\d+: The recording is truncated/],
    ['a cut file', () => gzipSync(lines().join('\n')).subarray(0, 5000), /is truncated/],
    [
      'a changed round',
      () =>
        lines()
          .map((line) => line.replace('"outcome":"go"', '"outcome":"no"'))
          .join('\n'),
      /:\d+: The fingerprint of this round is another/,
    ],
    [
      'settings that are none',
      () =>
        lines()
          .map((line) => line.replace('"role":"drive"', '"role":"rule"'))
          .join('\n'),
      /:1: The settings/,
    ],
    [
      'a ledger that is none',
      () =>
        lines()
          .map((line) => line.replace('"kind":"DisruptionLedger"', '"kind":"Ledger"'))
          .join('\n'),
      /:\d+: This is not a DisruptionLedger/,
    ],
  ])('K1: %s is reported with its line', async (_, content, message) => {
    const file = write('damaged', content());
    const { status, stderr } = await runInMemory(['replay', file]);
    expect(stderr).not.toContain('internal error');
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  it.each(['put', 'round'])('K1: a deeply nested %s is an error', async (form) => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const line =
      form === 'put'
        ? `{"put":{"kind":"Pod","metadata":{"name":"p","labels":${deep}}}}`
        : `{"round":{"at":"2026-11-16T08:00:00Z","keys":["a"],"changed":{"a":{"is":${deep}}},"fingerprint":"x"}}`;
    const file = write('deep', [...lines().slice(0, 2), line, ...lines().slice(2)].join('\n'));
    const { status, stderr } = await runInMemory(['replay', file]);
    expect(stderr).not.toContain('internal error');
    expect(status).toBeOneOf([0, 1, 2]);
  });
});

describe('lull record', () => {
  it('writes plain text to stdout, beginning with its header', async () => {
    const { stdout } = await runInMemory(['record', 'scenarios/zone-by-zone.yaml', '--to', '-', '--for', '15m']);
    const [header, keyframe] = stdout.split('\n').map((line) => (line === '' ? {} : JSON.parse(line)));
    expect(header).toMatchObject({
      header: { version: 1, program: '1.2.3', settings: { role: 'drive', drift: 'computed' } },
    });
    expect(keyframe.keyframe.objects).toBeGreaterThan(30);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\{"end":\{"rounds":\d+,"at":"[^"]+"\}\}$/);
  });

  it('writes the same bytes every time', async () => {
    const twice = [1, 2].map(() => runInMemory(['record', 'scenarios/zone-by-zone.yaml', '--to', '-', '--for', '15m']));
    const [first, second] = await Promise.all(twice);
    expect(second).toEqual(first);
  });

  it.each([
    [['record', '--to', 'x'], /Name either a scenario/],
    [['record', 'scenarios/zone-by-zone.yaml', '--server', '--to', 'x'], /Name either a scenario/],
    [['record', 'scenarios/zone-by-zone.yaml'], /--to/],
    [['record', 'scenarios/none.yaml', '--to', 'x'], /No such file/],
    [['record', 'scenarios/zone-by-zone.yaml', '--to', '/nowhere/x.gz'], /Cannot write/],
    [['record', '--server', 'http://127.0.0.1:1', '--to', 'x'], /No Lull answers/],
  ])('%j is wrong usage', async (argv, message) => {
    const { status, stderr } = await runInMemory(argv);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });
});
