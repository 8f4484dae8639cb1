import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { budgetSequentialUnused } from './budget-sequential-unused.ts';

const budget = (key: string, more: string): string => `- {nodes: "1", topologyKey: ${key}, ${more}}`;

describe('C15: budget-sequential-unused', () => {
  it('finds its example', () => {
    expect(found(budgetSequentialUnused)).toMatchObject([
      {
        severity: 'warning',
        path: 'spec.disruption.budgets[2].sequential',
        message:
          'Only the first active sequential budget of a pool is used, and budgets[1] (2) stands before this one whenever it is active: it does nothing.',
      },
    ]);
  });

  it('finds one whose hours lie within those of the first', () => {
    const text = poolText(
      [
        budget('zone', 'sequential: true, schedule: "0 8 * * *", duration: 12h'),
        budget('rack', 'sequential: true, schedule: "0 9 * * *", duration: 8h'),
      ].join('\n'),
    );
    expect(places(budgetSequentialUnused, text)).toEqual([
      'warning NodePool/default spec.disruption.budgets[1].sequential',
    ]);
  });

  it.each([
    {
      name: 'one that has hours of its own',
      budgets: [
        budget('zone', 'sequential: true, schedule: "0 8 * * *", duration: 12h'),
        budget('rack', 'sequential: true'),
      ],
    },
    {
      name: 'a topology budget that is not sequential',
      budgets: [budget('zone', 'sequential: true'), budget('rack', 'sequential: false')],
    },
    {
      name: 'one before it that is not for drift',
      budgets: [budget('zone', 'sequential: true, reasons: [Empty]'), budget('rack', 'sequential: true')],
    },
  ])('is silent about $name', ({ budgets }) => {
    expect(places(budgetSequentialUnused, poolText(budgets.join('\n')))).toEqual([]);
  });
});
