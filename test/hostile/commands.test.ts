// Every command on objects with a damaged field.
import { afterAll, describe, expect, it } from 'vitest';
import { runInMemory } from '../inMemory.ts';
import { Apart } from './apart.ts';
import { extremes } from './extremeObjects.ts';
import { readable, unreadable } from './hostileFiles.ts';
import { hostileValues } from './hostileValues.ts';
import { pathsIn, withAt } from './json.ts';
import { lines } from './objects.ts';
import { specimens, workloads } from './specimens.ts';

const apart = new Apart();
afterAll(() => apart.end());

/** All commands read files in the same way, so that the small files are enough. */
const small = 10_000;
const files = [
  ...[...unreadable, ...readable].filter(({ content }) => content.length < small),
  ...extremes.map(({ name, objects }) => ({ name, content: lines(...objects) })),
];

/** Processor time: to find unbounded growth, not slowness. */
const mostSeconds = 20;

describe.each([['decide', '--all'], ['when'], ['lint'], ['explain'], ['convert']])('L7: lull %s', (...command) => {
  it.each(files)('$name', async ({ content }) => {
    const { status, stderr, seconds } = await apart.read(content, command);
    expect(status).toBeOneOf([0, 1, 2]);
    expect(stderr).not.toContain('internal error');
    if (status === 2) expect(stderr).not.toBe('');
    expect(seconds).toBeLessThan(mostSeconds);
  });
});

/** The values that careless code fails on. */
const slippery = hostileValues.filter(({ name }) => /__proto__|constructor|like an object|list of lists/.test(name));

describe('K1: in any field of any kind', () => {
  it.each(['decide', 'explain', 'when', 'lint', 'convert'])(
    'lull %s meets anything',
    { timeout: 120_000 },
    async (command) => {
      const wrong: string[] = [];
      for (const sound of command === 'lint' ? [...specimens, ...workloads] : specimens) {
        for (const path of pathsIn(sound)) {
          for (const { name, value } of slippery) {
            const stdin = JSON.stringify(withAt(sound, path, value));
            const { stderr } = await runInMemory([command, '-f', '-'], { stdin });
            if (stderr.includes('internal error')) wrong.push(`${sound.kind} ${path.join('.')} = ${name}: ${stderr}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    },
  );
});
