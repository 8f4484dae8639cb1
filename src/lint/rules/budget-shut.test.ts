import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { budgetShut } from './budget-shut.ts';

describe('budget-shut', () => {
  it('finds its example, and the freeze that leaves the window out', () => {
    expect(found(budgetShut)).toEqual([
      {
        rule: 'budget-shut',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[1].nodes',
        message:
          '0 holds at all times and the least wins, so nothing ever goes: the hours of budgets[0] (100%), Saturday 02:00 to 06:00 UTC, open nothing.',
        suggestion:
          '# in place of the 0 at all times; 100% may stay as it is\n- nodes: "0"\n  schedule: "0 6 * * sat"\n  duration: 164h',
      },
    ]);
  });

  it('finds it for one reason', () => {
    const text = poolText(
      '- {nodes: "0", reasons: [Drifted]}\n- {nodes: "1", reasons: [Drifted], schedule: "0 2 * * *", duration: 4h}\n- nodes: "10%"',
    );
    expect(found(budgetShut, text)[0]?.suggestion).toContain(
      '- nodes: "0"\n  schedule: "0 6 * * *"\n  duration: 20h\n  reasons: [Drifted]',
    );
  });

  it.each([
    { name: 'a freeze and nothing else', budgets: '- nodes: "0"' },
    { name: 'a freeze of a window', budgets: '- {nodes: "0", schedule: "0 9 * * *", duration: 8h}\n- nodes: "10%"' },
    {
      name: 'a window for another reason',
      budgets:
        '- {nodes: "0", reasons: [Drifted]}\n- {nodes: "1", reasons: [Empty], schedule: "0 2 * * *", duration: 4h}',
    },
    { name: 'a limit that is not a window', budgets: '- nodes: "10%"\n- nodes: "0"' },
  ])('is silent about $name', ({ budgets }) => {
    expect(places(budgetShut, poolText(budgets))).toEqual([]);
  });
});
