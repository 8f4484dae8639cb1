// Tests of the width of output: terminals, terminals that do not report their width, and pipes.
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../test/inMemory.ts';
import { outputWidth } from './io.ts';

const piped = Number.POSITIVE_INFINITY;

describe('the width of output', () => {
  it.each([
    { name: 'a terminal', env: {}, terminal: { columns: 132 }, want: 132 },
    { name: 'a terminal of 60 columns', env: {}, terminal: { columns: 60 }, want: 60 },
    { name: 'a terminal of 59 columns', env: {}, terminal: { columns: 59 }, want: 80 },
    { name: 'a terminal that reports 0', env: {}, terminal: { columns: 0 }, want: 80 },
    { name: 'a terminal that reports nothing', env: {}, terminal: {}, want: 80 },
    { name: 'the same with COLUMNS', env: { COLUMNS: '120' }, terminal: { columns: 0 }, want: 120 },
    { name: 'a pipe', env: {}, terminal: undefined, want: piped },
    { name: 'a pipe with COLUMNS', env: { COLUMNS: '80' }, terminal: undefined, want: piped },
    { name: 'a pipe with LULL_COLUMNS', env: { LULL_COLUMNS: '100' }, terminal: undefined, want: 100 },
    { name: 'LULL_COLUMNS that is not a number', env: { LULL_COLUMNS: 'wide' }, terminal: undefined, want: piped },
  ])('$name', ({ env, terminal, want }) => {
    expect(outputWidth(env, terminal)).toBe(want);
  });
});

const files = ['-f', 'scenarios/first-look.yaml', '--at', '2026-11-17T10:20:00Z'];
/** `lull lint` has a form of its own in pipes: one line per finding. */
const wrapped = [
  ['decide', ...files],
  ['decide', ...files, '--all'],
  ['why', 'ip-10-0-2-18', ...files],
  ['why', 'pool/general', ...files],
  ['explain', ...files],
  ['simulate', 'scenarios/zone-by-zone.yaml', '--for', '15m'],
];
const words = (text: string): string[] => text.split(/\s+/);

describe('output', () => {
  it.each(wrapped)('of %s in a pipe has the same words, and a line for each paragraph', async (...argv) => {
    const [narrow, line] = [await runInMemory(argv, { width: 80 }), await runInMemory(argv, { width: piped })];
    const wide = await runInMemory(argv, { width: 10_000 });
    expect(line.stdout.split('\n').length).toBeLessThan(narrow.stdout.split('\n').length);
    expect(line.stdout).toBe(wide.stdout);
    expect(words(line.stdout)).toEqual(words(narrow.stdout));
  });

  it.each(wrapped)('of %s fits 60 columns', async (...argv) => {
    const { stdout } = await runInMemory(argv, { width: 60 });
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(60);
  });

  it('help is wrapped even in a pipe', async () => {
    const { stdout } = await runInMemory(['decide', '--help'], { width: piped });
    const usage = stdout.slice(0, stdout.indexOf('Examples:'));
    for (const line of usage.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });
});
