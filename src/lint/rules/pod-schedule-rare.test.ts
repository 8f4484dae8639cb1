import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { podScheduleRare } from './pod-schedule-rare.ts';

const changed = (from: string, to: string): string => podScheduleRare.example.replace(from, to);

describe('E4: pod-schedule-rare', () => {
  it('finds its example', () => {
    expect(found(podScheduleRare)).toEqual([
      {
        rule: 'pod-schedule-rare',
        severity: 'info',
        object: 'Pod/erp/ledger',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message:
          'The node of pod erp/ledger has to wait up to 91 days for its window (0 2 1 */3 * for 4h). It opens next at 2027-01-01T02:00:00Z.',
        suggestion: 'Open the window at least once a month.',
      },
    ]);
  });

  it('counts how long it has been closed already', () => {
    const text = changed('0 2 1 */3 *', '0 2 1 1 *');
    expect(found(podScheduleRare, text, { at: '2026-12-31T00:00:00Z' })[0]?.message).toContain('up to 364 days');
  });

  it.each([
    { name: 'once a month', text: changed('0 2 1 */3 *', '0 2 1 * *') },
    { name: 'once a week', text: changed('0 2 1 */3 *', '0 2 * * 6') },
    { name: 'always', text: changed('0 2 1 */3 *', '"* * * * *"') },
    { name: 'never: another rule says so', text: changed('0 2 1 */3 *', '0 2 31 2 *') },
  ])('is silent about $name', ({ text }) => {
    expect(places(podScheduleRare, text)).toEqual([]);
  });
});
