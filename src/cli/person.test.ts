import { describe, expect, it } from 'vitest';
import { changesNear } from './person.ts';

const here = { context: 'here', server: 'https://127.0.0.1:6443' };
const there = { context: 'there', server: 'https://10.0.0.1:6443' };

describe('what a person changes, where nothing is named', () => {
  it.each([
    { name: 'goes to the Lull that is near', near: {}, current: undefined, byServer: true },
    { name: 'goes to the Lull of the current context', near: { cluster: here }, current: here, byServer: true },
    { name: 'goes to the current context where no Lull is near', near: undefined, current: here, byServer: false },
    { name: 'misses a Lull where there is neither', near: undefined, current: undefined, byServer: true },
  ])('$name', ({ near, current, byServer }) => {
    expect(changesNear(near, current)).toBe(byServer);
  });

  it.each([
    { name: 'one in memory', near: {}, said: 'a cluster in memory' },
    { name: 'that of another context', near: { cluster: there }, said: 'context there' },
  ])('is refused where it could be the current context, or $name', ({ near, said }) => {
    expect(() => changesNear(near, here)).toThrow(`is for ${said}, and the current context is here. Say --server`);
  });
});
