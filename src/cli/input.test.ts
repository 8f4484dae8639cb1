// Tests of input from files, folders and stdin.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { runInMemory } from '../../test/inMemory.ts';
import { readSources, readStream } from './sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string | Uint8Array): string => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};

const node = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'karpenter.sh/nodepool': 'blue', 'karpenter.sh/initialized': 'true' } },
  spec: { providerID: `p-${name}` },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});
const claim = (name: string) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name, labels: { 'karpenter.sh/nodepool': 'blue' } },
  status: { nodeName: name, providerID: `p-${name}` },
});
const pool = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'blue' },
  spec: { template: { spec: {} } },
};
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  status: { phase: 'Running' },
};
const pdb = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web', namespace: 'shop' } };

async function nodesSeen(argv: string[], stdin: string | Uint8Array = ''): Promise<string[]> {
  const { status, stdout, stderr } = await runInMemory(['decide', ...argv, '-o', 'json'], { stdin });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return (JSON.parse(stdout) as { verdicts: { node: string }[] }).verdicts.map(({ node: name }) => name);
}

const json = (...objects: unknown[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
const one = (name: string): string => json(pool, node(name), claim(name));

describe('L1: input', () => {
  it.each([
    { name: 'a JSON list', text: one('a') },
    { name: 'one object a line', text: [pool, node('a'), claim('a')].map((it) => JSON.stringify(it)).join('\n') },
    { name: 'YAML documents', text: [pool, node('a'), claim('a')].map((it) => JSON.stringify(it)).join('\n---\n') },
    { name: 'with a byte order mark', text: `\ufeff${one('a')}` },
    {
      name: 'with kinds Lull does not use',
      text: json(pool, node('a'), claim('a'), { apiVersion: 'v1', kind: 'Secret' }),
    },
  ])('reads $name', async ({ text }) => {
    expect(await nodesSeen(['-f', '-'], text)).toEqual(['a']);
    expect(await nodesSeen(['-f', write('one.yaml', text)])).toEqual(['a']);
  });

  it('fails on a stdin that is too large', async () => {
    let given = 0;
    let closed = false;
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      const megabyte = new Uint8Array(2 ** 20);
      try {
        for (; given < 2000; given++) yield megabyte;
      } finally {
        closed = true;
      }
    };
    const asked = readSources(['-'], { stdin: () => readStream(endless()) });
    await expect(asked).rejects.toMatchObject({
      problems: [
        {
          file: '<stdin>',
          message: 'Too large to read at once. Split it into several files, and name each with -f.',
        },
      ],
    });
    expect([given, closed]).toEqual([512, true]);
    const two = async function* (): AsyncGenerator<Uint8Array> {
      yield* [Uint8Array.of(1, 2), Uint8Array.of(3)];
    };
    expect([...(await readStream(two()))]).toEqual([1, 2, 3]);
  });

  it('reads gzip and UTF-16, also from stdin', async () => {
    expect(await nodesSeen(['-f', '-'], gzipSync(one('a')))).toEqual(['a']);
    expect(await nodesSeen(['-f', write('one.json.gz', gzipSync(one('b')))])).toEqual(['b']);
    expect(await nodesSeen(['-f', '-'], Buffer.from(`\ufeff${one('c')}`, 'utf16le'))).toEqual(['c']);
  });

  it('reads several files, and the YAML and JSON files of a folder', async () => {
    const within = join(folder, 'many');
    mkdirSync(join(within, 'deeper.yaml'), { recursive: true });
    write('many/b.yml', json(node('b'), claim('b')));
    write('many/a.json', one('a'));
    write('many/notes.txt', 'not: [yaml');
    expect(await nodesSeen(['-f', within])).toEqual(['a', 'b']);
    expect(await nodesSeen(['-f', within, '-f', '-'], json(node('c'), claim('c')))).toEqual(['a', 'b', 'c']);
  });

  it('notes that there are no pods or PDBs', async () => {
    const faults = async (...objects: unknown[]) => {
      const { stdout } = await runInMemory(['decide', '-f', '-', '-o', 'json'], { stdin: json(...objects) });
      return (JSON.parse(stdout) as { faults: { severity: string; value: string }[] }).faults.map(
        ({ severity, value }) => [severity, value],
      );
    };
    expect(await faults(pool)).toEqual([
      ['info', 'Pod'],
      ['info', 'PodDisruptionBudget'],
    ]);
    expect(await faults(pool, pod)).toEqual([['info', 'PodDisruptionBudget']]);
    expect(await faults(pool, pod, pdb)).toEqual([]);
  });

  it('F6: notes missing volumes of pods, and keeps such pods in their zone', async () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data-0' } }];
    const mounting = { ...pod, spec: { volumes } };
    const about = async (...more: readonly unknown[]): Promise<string[]> => {
      const objects = [pool, node('n1'), claim('n1'), mounting, ...more];
      const file = write('volumes.ndjson', objects.map((each) => JSON.stringify(each)).join('\n'));
      const { stdout } = await runInMemory(['decide', '-f', file, '-o', 'json']);
      const { faults } = JSON.parse(stdout) as { faults: { message: string }[] };
      return faults.map(({ message }) => message).filter((message) => message.includes('volumes'));
    };
    const claimed = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data-0', namespace: 'shop' },
      spec: { volumeName: 'pv-0' },
    };
    const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv-0' }, spec: {} };
    expect(await about()).toEqual([
      expect.stringMatching(/^The input has no PersistentVolumeClaims, although a pod has/),
    ]);
    expect(await about(claimed)).toEqual([
      expect.stringMatching(/^The input has no PersistentVolumes, although a pod/),
    ]);
    expect(await about(claimed, volume)).toEqual([]);
  });

  it('uses the later of two objects with one name, and notes it', async () => {
    const later = { ...node('a'), metadata: { name: 'a', labels: {} } };
    const { stdout } = await runInMemory([
      'decide',
      '-f',
      write('first.json', json(pool, node('a'), claim('a'), pod, pdb)),
      '-f',
      write('second.json', json(later)),
      '-o',
      'json',
    ]);
    const { faults } = JSON.parse(stdout) as { faults: Record<string, unknown>[] };
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ object: 'Node/a', path: 'metadata.name', value: 'a', severity: 'info', line: 1 });
    expect(faults[0]?.file).toMatch(/second.json$/);
    expect(faults[0]?.message).toMatch(/The same object is at .*first.json:1\. The later one is used/);
  });

  it('decides as of --at, or now in whole seconds', async () => {
    const at = async (...argv: string[]) =>
      (
        JSON.parse(
          (
            await runInMemory(['decide', '-f', '-', '-o', 'json', ...argv], {
              stdin: json(pool),
              now: '2026-11-17T10:20:00.900Z',
            })
          ).stdout,
        ) as { at: string }
      ).at;
    expect(await at()).toBe('2026-11-17T10:20:00Z');
    expect(await at('--at', '2026-11-15T10:00:00+01:00')).toBe('2026-11-15T09:00:00Z');
  });
});

describe('L7: unreadable input exits with 2 and names its position', () => {
  const broken = write('broken.yaml', 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n  name: y\n');
  mkdirSync(join(folder, 'empty'));
  it.each([
    {
      name: 'a file that is not there',
      argv: ['-f', '/nope.yaml'],
      says: '/nope.yaml: No such file or folder.\n',
    },
    {
      name: 'a folder without input',
      argv: ['-f', join(folder, 'empty')],
      says: `${join(folder, 'empty')}: No .yaml`,
    },
    { name: 'broken YAML', argv: ['-f', broken], says: `${broken}:5: Duplicate key "name"` },
    {
      name: 'a text that is not an object',
      argv: ['-f', '-'],
      stdin: 'just words',
      says: '<stdin>:1: This is a string, not an object',
    },
    { name: 'an object without kind', argv: ['-f', '-'], stdin: 'a: 1', says: '<stdin>:1: This object has no kind' },
    { name: 'nothing at all', argv: ['-f', '-'], stdin: ' \n', says: '<stdin>: The input is empty.' },
    {
      name: 'bytes that are not text',
      argv: ['-f', '-'],
      stdin: Uint8Array.of(0x80, 0x81),
      says: '<stdin>: Not valid UTF-8.',
    },
    {
      name: 'a gzip file cut short',
      argv: ['-f', '-'],
      stdin: gzipSync('kind: Pod').subarray(0, 15),
      says: '<stdin>: The gzip file is truncated.',
    },
    {
      name: 'a gzip file in a gzip file',
      argv: ['-f', '-'],
      stdin: gzipSync(gzipSync('kind: Pod')),
      says: '<stdin>: Not valid UTF-8.',
    },
    {
      name: 'a device without an end',
      argv: ['-f', '/dev/zero'],
      says: '/dev/zero: Too large to read at once. Split it',
    },
    {
      name: 'a ledger of a newer Lull',
      argv: ['-f', '-'],
      stdin: 'apiVersion: lull.dev/v1alpha1\nkind: DisruptionLedger\nmetadata: {name: lull}\nspec:\n  version: 9\n',
      says: '<stdin>:5: DisruptionLedger/lull spec.version: Ledger version 9 is newer',
    },
  ])('$name', async ({ argv, stdin = '', says }) => {
    const { status, stdout, stderr } = await runInMemory(['decide', ...argv], { stdin });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.startsWith(says) || stderr).toBe(true);
  });

  it('every missing file is named, also in JSON', async () => {
    const { stderr } = await runInMemory(['decide', '-f', '/a', '-f', '/b', '-o', 'json']);
    const message = 'No such file or folder.';
    expect(JSON.parse(stderr)).toEqual({
      errors: [
        { file: '/a', message },
        { file: '/b', message },
      ],
    });
  });

  it('as JSON with line and column', async () => {
    const { stderr } = await runInMemory(['decide', '-f', broken, '-o', 'json']);
    expect(JSON.parse(stderr)).toMatchObject({ errors: [{ file: broken, line: 5, column: 3 }] });
  });

  it('faults in readable objects are not errors', async () => {
    const stdin =
      'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: blue}\nspec:\n  disruption:\n    budgets: [{nodes: many}]\n';
    const { status, stdout } = await runInMemory(['decide', '-f', '-', '-o', 'json'], { stdin });
    expect(status).toBe(0);
    const { faults } = JSON.parse(stdout) as { faults: Record<string, unknown>[] };
    expect(faults[0]).toMatchObject({
      object: 'NodePool/blue',
      path: 'spec.disruption.budgets[0].nodes',
      value: 'many',
      severity: 'error',
      file: '<stdin>',
      line: 6,
    });
  });
});
