import { expect, it } from 'vitest';
import { shareOf } from './share.ts';

it.each([
  { value: 2, pods: 5, share: 2 },
  { value: '50%', pods: 3, share: 2 },
  { value: '0%', pods: 3, share: 0 },
  { value: '1%', pods: 3, share: 1 },
  { value: '2', pods: 5, share: undefined },
  { value: undefined, pods: 5, share: undefined },
])('$value of $pods pods is $share', ({ value, pods, share }) => {
  expect(shareOf(value, pods)).toBe(share);
});
