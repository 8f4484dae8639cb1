import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { budgetFreezeGap } from './budget-freeze-gap.ts';

const freeze = (schedule: string, duration: string, zone = ''): string =>
  poolText(
    `- {nodes: "0", schedule: "${schedule}", duration: ${duration}${zone && `, timeZone: ${zone}`}}\n- nodes: "10%"`,
  );

describe('budget-freeze-gap', () => {
  it('finds the weekend that the zones document leaves open, and the budget that closes it', () => {
    expect(found(budgetFreezeGap)).toEqual([
      {
        rule: 'budget-freeze-gap',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].schedule',
        message:
          'Nodes may go for Drifted Tuesday to Friday 09:00 to 17:00, but also all the time from Saturday 09:00 to Monday 17:00 UTC, because no freeze begins in between. The limit is that of budgets[1] (10%) then.',
        suggestion: '- nodes: "0"\n  schedule: "0 9 * * sat"\n  duration: 48h\n  reasons: [Drifted]',
      },
    ]);
  });

  it('is satisfied by what it suggests', () => {
    const [finding] = found(budgetFreezeGap);
    const closed = `${budgetFreezeGap.example}${finding?.suggestion?.replace(/^/gm, '      ')}\n`;
    expect(found(budgetFreezeGap, closed)).toEqual([]);
  });

  it('looks at the clock of the freeze', () => {
    const [finding] = found(budgetFreezeGap, freeze('0 18 * * 1-5', '15h', 'Europe/Berlin'));
    expect(finding?.message).toContain('Saturday 09:00 to Monday 18:00 Europe/Berlin');
    expect(finding?.suggestion).toContain('timeZone: Europe/Berlin');
  });

  it.each([
    { name: 'a freeze of office hours: the weekend is free on purpose', text: freeze('0 9 * * mon-fri', '8h') },
    { name: 'long office hours, which leave every night free', text: freeze('0 8 * * mon-fri', '14h') },
    { name: 'nights of all seven days', text: freeze('0 17 * * *', '16h') },
    { name: 'a freeze from Friday to Monday', text: freeze('0 17 * * fri', '64h') },
    { name: 'whole weekdays', text: freeze('0 0 * * mon-fri', '24h') },
    { name: 'the first of the month', text: freeze('0 0 1 * *', '24h') },
    { name: 'a freeze for ever', text: poolText('- nodes: "0"') },
  ])('is silent about $name', ({ text }) => {
    expect(places(budgetFreezeGap, text)).toEqual([]);
  });
});
