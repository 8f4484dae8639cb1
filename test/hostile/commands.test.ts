import { afterAll, describe, expect, it } from 'vitest';
import { Apart } from './apart.ts';
import { extremes } from './extremeObjects.ts';
import { readable, unreadable } from './hostileFiles.ts';
import { lines } from './objects.ts';

const apart = new Apart();
afterAll(() => apart.end());

/** All commands read files in one way, so that the small ones of those are enough. */
const small = 10_000;
const files = [
  ...[...unreadable, ...readable].filter(({ content }) => content.length < small),
  ...extremes.map(({ name, objects }) => ({ name, content: lines(...objects) })),
];

/** Of the processor: it is there to find what grows without measure, not what is slow. */
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
