import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { budgetUnlimitedHours } from './budget-unlimited-hours.ts';

const inBerlin = (first: string, second: string): string =>
  poolText(
    `- {nodes: "0", schedule: "0 9 * * *", duration: ${first}, timeZone: Europe/Berlin}\n- {nodes: "20%", schedule: "0 17 * * *", duration: ${second}, timeZone: Europe/Berlin}`,
  );

describe('C5: budget-unlimited-hours', () => {
  it('finds the weekend of its example, and the budget that closes it', () => {
    expect(found(budgetUnlimitedHours)).toEqual([
      {
        rule: 'budget-unlimited-hours',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].schedule',
        message:
          'No budget holds for every reason at these hours, so any number of nodes may go at once: Saturday 09:00 to Monday 09:00 UTC.',
        suggestion: '- nodes: "20%"\n  schedule: "0 9 * * sat"\n  duration: 48h',
      },
    ]);
  });

  it('is satisfied by what it suggests', () => {
    const [finding] = found(budgetUnlimitedHours);
    const closed = `${budgetUnlimitedHours.example}${finding?.suggestion?.replace(/^/gm, '      ')}\n`;
    expect(found(budgetUnlimitedHours, closed)).toEqual([]);
  });

  it('finds the limit that a freeze alone lacks', () => {
    const [finding] = found(
      budgetUnlimitedHours,
      poolText('- {nodes: "0", schedule: "0 9 * * mon-fri", duration: 8h}'),
    );
    expect(finding?.message).toContain(
      'Monday to Thursday 17:00 to 09:00 the next day and Friday 17:00 to Monday 09:00 UTC',
    );
    expect(finding?.suggestion).toBe('- nodes: "10%"');
  });

  it('names the reasons of a freeze of some', () => {
    const text = poolText('- {nodes: "0", reasons: [Drifted], schedule: "0 9 * * *", duration: 8h}');
    expect(found(budgetUnlimitedHours, text).map(({ message, suggestion }) => [message, suggestion])).toEqual([
      [
        'No budget holds for Drifted at these hours, so any number of nodes may go at once: every day 17:00 to 09:00 the next day UTC.',
        '- nodes: "10%"\n  reasons: [Drifted]',
      ],
    ]);
  });

  it('finds the hour between two windows that a clock set back leaves open, in any year', () => {
    expect(found(budgetUnlimitedHours, inBerlin('8h', '16h')).map(({ message }) => message)).toEqual([
      'No budget holds for every reason at these hours, so any number of nodes may go at once: Sunday 25 October 2026 08:00 to 09:00 Europe/Berlin.',
    ]);
    expect(found(budgetUnlimitedHours, inBerlin('8h', '16h'), { at: '2027-02-01T00:00:00Z' })[0]?.message).toContain(
      'Sunday 31 October 2027 08:00 to 09:00 Europe/Berlin',
    );
  });

  it('finds hours that come once a month', () => {
    const text = poolText(
      '- {nodes: "0", schedule: "0 0 1 * *", duration: 24h}\n- {nodes: "5", schedule: "0 0 2-31 * *", duration: 23h}',
    );
    expect(found(budgetUnlimitedHours, text)[0]?.message).toContain('23:00');
  });

  it.each([
    {
      name: 'windows that cover the day',
      text: poolText(
        '- {nodes: "0", schedule: "0 9 * * *", duration: 8h}\n- {nodes: "20%", schedule: "0 17 * * *", duration: 16h}',
      ),
    },
    { name: 'windows that overlap by an hour where clocks change', text: inBerlin('8h', '17h') },
    {
      name: 'a limit at all times',
      text: poolText('- {nodes: "0", schedule: "0 9 * * *", duration: 8h}\n- nodes: "10%"'),
    },
    {
      name: 'a limit that holds in a window alone, which budget-inverted tells',
      text: poolText('- {nodes: "1", schedule: "0 9 * * *", duration: 8h}'),
    },
    {
      name: 'drift that a topology budget limits',
      text: poolText(
        '- {nodes: "0", reasons: [Drifted], schedule: "0 9 * * *", duration: 8h}\n- {nodes: "1", topologyKey: zone, reasons: [Drifted]}\n- {nodes: "1", reasons: [Empty, Underutilized, Expired, Rebalance, Unhealthy]}',
      ),
    },
    { name: 'a budget that cannot be read', text: poolText('- {nodes: "0", schedule: "0 9 * * *", duration: soon}') },
  ])('is silent about $name', ({ text }) => {
    expect(places(budgetUnlimitedHours, text)).toEqual([]);
  });
});
