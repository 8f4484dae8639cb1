// Tests of the lint rules about the hours of budgets.
import { describe, expect, it } from 'vitest';
import { exampleOf, found, places, poolText } from '../../../test/fixtures/lintPolicy.ts';

describe('budget-freeze-gap', () => {
  const freeze = (schedule: string, duration: string, zone = ''): string =>
    poolText(
      `- {nodes: "0", schedule: "${schedule}", duration: ${duration}${zone && `, timeZone: ${zone}`}}\n- nodes: "10%"`,
    );

  it('finds the weekend that the zones document leaves open, and the budget that closes it', () => {
    expect(found('budget-freeze-gap')).toEqual([
      {
        rule: 'budget-freeze-gap',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].schedule',
        message:
          'Nodes may be disrupted for Drifted Tuesday to Friday 09:00 to 17:00, but also all the time from Saturday 09:00 to Monday 17:00 UTC, because no freeze begins in between. The limit then is budgets[1] (10%).',
        suggestion: '- nodes: "0"\n  schedule: "0 9 * * sat"\n  duration: 48h\n  reasons: [Drifted]',
      },
    ]);
  });

  it('is satisfied by what it suggests', () => {
    const [finding] = found('budget-freeze-gap');
    const closed = `${exampleOf('budget-freeze-gap')}${finding?.suggestion?.replace(/^/gm, '      ')}\n`;
    expect(found('budget-freeze-gap', closed)).toEqual([]);
  });

  it('uses the time zone of the freeze', () => {
    const [finding] = found('budget-freeze-gap', freeze('0 18 * * 1-5', '15h', 'Europe/Berlin'));
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
    { name: 'a permanent freeze', text: poolText('- nodes: "0"') },
  ])('is silent about $name', ({ text }) => {
    expect(places('budget-freeze-gap', text)).toEqual([]);
  });
});

describe('budget-inverted', () => {
  it('finds its example, with the hours that are free and the freeze that was meant', () => {
    expect(found('budget-inverted')).toEqual([
      {
        rule: 'budget-inverted',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].schedule',
        message:
          'This schedule says when at most 10% may be disrupted, not when nodes may be disrupted. Empty and Underutilized have no limit outside it: Monday to Thursday 17:00 to 09:00 the next day and Friday 17:00 to Monday 09:00 UTC.',
        suggestion: `# to allow disruption only in the scheduled hours, freeze all other hours
- nodes: "0"
  schedule: "0 17 * * mon-thu"
  duration: 16h
  reasons: [Empty, Underutilized]
- nodes: "0"
  schedule: "0 17 * * fri"
  duration: 64h
  reasons: [Empty, Underutilized]`,
      },
    ]);
  });

  it('finds it where the schedule cannot be read, without its hours', () => {
    const text = poolText(
      '- {nodes: 10%, reasons: [Empty], schedule: "0 9 * * MON-FRI"}\n- {nodes: "5", reasons: [Drifted]}',
    );
    expect(found('budget-inverted', text)).toMatchObject([
      {
        path: 'spec.disruption.budgets[0].schedule',
        message:
          'This schedule says when at most 10% may be disrupted, not when nodes may be disrupted. Outside its hours Empty would have no limit.',
      },
    ]);
  });

  it.each([
    {
      name: 'a limit for all other hours',
      budgets: '- {nodes: "1", schedule: "0 9 * * *", duration: 8h}\n- nodes: "10%"',
    },
    {
      name: 'other hours that are frozen',
      budgets:
        '- {nodes: "1", schedule: "0 9 * * *", duration: 8h}\n- {nodes: "0", schedule: "0 17 * * *", duration: 16h}',
    },
    { name: 'a freeze, which is an exception', budgets: '- {nodes: "0", schedule: "0 9 * * *", duration: 8h}' },
    { name: 'a schedule that is always open', budgets: '- {nodes: "1", schedule: "@daily", duration: 24h}' },
    {
      name: 'a broken schedule beside a limit',
      budgets: '- {nodes: "1", schedule: "0 9 * * *"}\n- nodes: "10%"',
    },
  ])('is silent about $name', ({ budgets }) => {
    expect(places('budget-inverted', poolText(budgets))).toEqual([]);
  });
});

describe('budget-shut', () => {
  it('finds its example, and the freeze that leaves the window out', () => {
    expect(found('budget-shut')).toEqual([
      {
        rule: 'budget-shut',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[1].nodes',
        message:
          'This 0 applies at all times and the smallest budget wins, so nothing is ever disrupted, not even in the hours of budgets[0] (100%, Saturday 02:00 to 06:00 UTC).',
        suggestion:
          '# replaces the budget of 0; keep the budget of 100%\n- nodes: "0"\n  schedule: "0 6 * * sat"\n  duration: 164h',
      },
    ]);
  });

  it('finds it for one reason', () => {
    const text = poolText(
      '- {nodes: "0", reasons: [Drifted]}\n- {nodes: "1", reasons: [Drifted], schedule: "0 2 * * *", duration: 4h}\n- nodes: "10%"',
    );
    expect(found('budget-shut', text)[0]?.suggestion).toContain(
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
    expect(places('budget-shut', poolText(budgets))).toEqual([]);
  });
});

describe('budget-tighter-off-hours', () => {
  const limit = (schedule: string, duration: string, nodes = '1'): string =>
    poolText(`- nodes: "10%"\n- {nodes: "${nodes}", schedule: "${schedule}", duration: ${duration}}`);

  it('finds its example, with the freeze by day that was meant', () => {
    expect(found('budget-tighter-off-hours')).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[1].schedule',
        message:
          'Fewer nodes may be disrupted every day 02:00 to 06:00 UTC (1) than at all other hours (budgets[0] (10%)). To allow disruption only in these hours, freeze the others.',
        suggestion: '- nodes: "0"\n  schedule: "0 6 * * *"\n  duration: 20h\n  reasons: [Drifted]',
      },
    ]);
  });

  it('finds weekends', () => {
    expect(places('budget-tighter-off-hours', limit('0 20 * * fri', '58h'))).toEqual([
      'info NodePool/default spec.disruption.budgets[1].schedule',
    ]);
  });

  it.each([
    { name: 'a tighter limit by day', text: limit('0 9 * * mon-fri', '8h') },
    { name: 'hours that reach into the day', text: limit('0 22 * * *', '12h') },
    { name: 'a freeze at night', text: limit('0 22 * * *', '8h', '0') },
    { name: 'a looser limit, which never decides', text: limit('0 22 * * *', '8h', '50%') },
    { name: 'the first of the month', text: limit('0 0 1 * *', '6h') },
    {
      name: 'hours without any limit, which another rule reports',
      text: poolText('- {nodes: "1", schedule: "0 2 * * *", duration: 4h}'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('budget-tighter-off-hours', text)).toEqual([]);
  });
});

describe('C5: budget-unlimited-hours', () => {
  const inBerlin = (first: string, second: string): string =>
    poolText(
      `- {nodes: "0", schedule: "0 9 * * *", duration: ${first}, timeZone: Europe/Berlin}\n- {nodes: "20%", schedule: "0 17 * * *", duration: ${second}, timeZone: Europe/Berlin}`,
    );

  it('finds the weekend of its example, and the budget that closes it', () => {
    expect(found('budget-unlimited-hours')).toEqual([
      {
        rule: 'budget-unlimited-hours',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].schedule',
        message:
          'No budget applies to every reason at these hours, so any number of nodes may be disrupted at the same time: Saturday 09:00 to Monday 09:00 UTC.',
        suggestion: '- nodes: "20%"\n  schedule: "0 9 * * sat"\n  duration: 48h',
      },
    ]);
  });

  it('is satisfied by what it suggests', () => {
    const [finding] = found('budget-unlimited-hours');
    const closed = `${exampleOf('budget-unlimited-hours')}${finding?.suggestion?.replace(/^/gm, '      ')}\n`;
    expect(found('budget-unlimited-hours', closed)).toEqual([]);
  });

  it('finds the limit that a freeze alone lacks', () => {
    const [finding] = found(
      'budget-unlimited-hours',
      poolText('- {nodes: "0", schedule: "0 9 * * mon-fri", duration: 8h}'),
    );
    expect(finding?.message).toContain(
      'Monday to Thursday 17:00 to 09:00 the next day and Friday 17:00 to Monday 09:00 UTC',
    );
    expect(finding?.suggestion).toBe('- nodes: "10%"');
  });

  it('names the reasons of a freeze of some', () => {
    const text = poolText('- {nodes: "0", reasons: [Drifted], schedule: "0 9 * * *", duration: 8h}');
    expect(found('budget-unlimited-hours', text).map(({ message, suggestion }) => [message, suggestion])).toEqual([
      [
        'No budget applies to Drifted at these hours, so any number of nodes may be disrupted at the same time: every day 17:00 to 09:00 the next day UTC.',
        '- nodes: "10%"\n  reasons: [Drifted]',
      ],
    ]);
  });

  it('finds the hour between two windows that a clock set back leaves open, in any year', () => {
    expect(found('budget-unlimited-hours', inBerlin('8h', '16h')).map(({ message }) => message)).toEqual([
      'No budget applies to every reason at these hours, so any number of nodes may be disrupted at the same time: Sunday 25 October 2026 08:00 to 09:00 Europe/Berlin.',
    ]);
    expect(
      found('budget-unlimited-hours', inBerlin('8h', '16h'), { at: '2027-02-01T00:00:00Z' })[0]?.message,
    ).toContain('Sunday 31 October 2027 08:00 to 09:00 Europe/Berlin');
  });

  it('finds hours that come once a month', () => {
    const text = poolText(
      '- {nodes: "0", schedule: "0 0 1 * *", duration: 24h}\n- {nodes: "5", schedule: "0 0 2-31 * *", duration: 23h}',
    );
    expect(found('budget-unlimited-hours', text)[0]?.message).toContain('23:00');
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
      name: 'a limit that applies only in a window, which budget-inverted reports',
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
    expect(places('budget-unlimited-hours', text)).toEqual([]);
  });
});
