// Tests of the claims of the cookbook.
import { describe, expect, it } from 'vitest';
import { readClaim } from './claim.ts';

describe('cookbook: a claim', () => {
  it('is an instant, the cluster, settings and clauses', () => {
    expect(
      readClaim(
        '2026-03-11T12:00:00Z on drifted api-on-a1 with role=guide: go a1 Drifted; goes 2 Empty;\n held b1 Drifted A+B until T',
      ),
    ).toEqual({
      at: '2026-03-11T12:00:00Z',
      facts: ['drifted', 'api-on-a1'],
      settings: ['role=guide'],
      clauses: [
        { kind: 'go', node: 'a1', reason: 'Drifted', text: 'go a1 Drifted' },
        { kind: 'goes', count: 2, reason: 'Empty', text: 'goes 2 Empty' },
        {
          kind: 'held',
          node: 'b1',
          reason: 'Drifted',
          codes: ['A', 'B'],
          until: 'T',
          text: 'held b1 Drifted A+B until T',
        },
      ],
    });
  });

  it.each([
    'go a1 Drifted',
    '2026-03-11T12:00:00Z: go',
    '2026-03-11T12:00:00Z: held a1 Drifted',
    '2026-03-11T12:00:00Z: held a1 Drifted A for T',
  ])('is never misread: %s', (text) => {
    expect(() => readClaim(text)).toThrow(/^not a cl/);
  });
});
