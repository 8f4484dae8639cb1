import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { budgetTighterOffHours } from './budget-tighter-off-hours.ts';

const limit = (schedule: string, duration: string, nodes = '1'): string =>
  poolText(`- nodes: "10%"\n- {nodes: "${nodes}", schedule: "${schedule}", duration: ${duration}}`);

describe('budget-tighter-off-hours', () => {
  it('finds its example, with the freeze by day that was meant', () => {
    expect(found(budgetTighterOffHours)).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[1].schedule',
        message:
          'Fewer nodes may go every day 02:00 to 06:00 UTC (1) than at all other hours (budgets[0] (10%)). If they are to go in these hours only, stop them at the others.',
        suggestion: '- nodes: "0"\n  schedule: "0 6 * * *"\n  duration: 20h\n  reasons: [Drifted]',
      },
    ]);
  });

  it('finds weekends', () => {
    expect(places(budgetTighterOffHours, limit('0 20 * * fri', '58h'))).toEqual([
      'info NodePool/default spec.disruption.budgets[1].schedule',
    ]);
  });

  it.each([
    { name: 'a tighter limit by day', text: limit('0 9 * * mon-fri', '8h') },
    { name: 'hours that reach into the day', text: limit('0 22 * * *', '12h') },
    { name: 'a freeze at night', text: limit('0 22 * * *', '8h', '0') },
    { name: 'a looser limit, which is never the least', text: limit('0 22 * * *', '8h', '50%') },
    { name: 'the first of the month', text: limit('0 0 1 * *', '6h') },
    {
      name: 'hours without any limit, which are told elsewhere',
      text: poolText('- {nodes: "1", schedule: "0 2 * * *", duration: 4h}'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(budgetTighterOffHours, text)).toEqual([]);
  });
});
