// Tests of the lint rules about budgets that Karpenter reads as well.
import { describe, expect, it } from 'vitest';
import { annotatedText, exampleOf, found, places, policyOf, poolText } from '../../../test/fixtures/lintPolicy.ts';
import { defaultSettings } from '../../cluster/settings.ts';
import { lint } from '../runRules.ts';

describe('N4: karpenter-budget-binds', () => {
  const example = exampleOf('karpenter-budget-binds');
  const changed = (from: string, to: string): string => example.replace(from, to);
  const guide = { settings: { role: 'guide' } } as const;

  it('finds its example', () => {
    expect(found('karpenter-budget-binds')).toEqual([
      {
        rule: 'karpenter-budget-binds',
        severity: 'info',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets',
        message:
          'lull.dev/budgets allows 50 of 100 nodes at a time for Drifted, but spec.disruption.budgets allows Karpenter only 10: the smaller limit applies.',
        suggestion:
          'Keep it if the limit in the spec is intended: it also applies while Lull is not running. If not, raise it to 50, but keep a limit there.',
      },
    ]);
  });

  it('reports the same in guide mode', () => {
    expect(places('karpenter-budget-binds', example, guide)).toEqual(['info NodePool/default spec.disruption.budgets']);
  });

  it.each([
    {
      name: 'the default of 10%',
      text: changed('    budgets: [{nodes: 10%}]', '    consolidateAfter: 5m'),
      says: "Karpenter's default of 10% allows Karpenter only 10",
    },
    {
      name: 'a freeze that comes later',
      text: changed('[{nodes: 10%}]', '[{nodes: "0", schedule: 0 9 * * 6, duration: 8h}]'),
      says: 'for Drifted at 2026-11-21T09:00:00Z, but',
    },
    {
      name: 'a freeze beside budgets by zone',
      text: changed(
        '- {nodes: 50%}',
        '- {nodes: "1", topologyKey: zone, sequential: true}\n      - {nodes: 10%}',
      ).replace('[{nodes: 10%}]', '[{nodes: "0", reasons: [Drifted]}]'),
      says: 'allows 1 of 100 nodes at a time for Drifted, but spec.disruption.budgets allows Karpenter only 0',
    },
  ])('finds $name', ({ text, says }) => {
    expect(found('karpenter-budget-binds', text)[0]?.message).toContain(says);
  });

  it.each([
    { name: '100% in the spec', text: changed('[{nodes: 10%}]', '[{nodes: 100%}]') },
    {
      name: 'what Karpenter limits though Lull does not',
      text: changed('- {nodes: 50%}', '- {nodes: 5%, reasons: [Drifted]}'),
    },
    { name: 'no limit in the spec', text: changed('[{nodes: 10%}]', '[]') },
    { name: 'the same in both', text: changed('{nodes: 50%}', '{nodes: 10%}') },
    {
      name: 'budgets by zone, whose total is unknown',
      text: changed(
        '- {nodes: 50%}',
        '- {nodes: "1", topologyKey: zone}\n      - {nodes: 10%, reasons: [Empty, Underutilized]}',
      ),
    },
    { name: 'budgets in the spec alone', text: example.replace(/ {2}annotations:[\s\S]*?spec:/, 'spec:') },
    {
      name: 'a limit on consolidation that is off',
      text: changed('[{nodes: 10%}]', '[{nodes: "0", reasons: [Empty]}]\n    consolidateAfter: Never'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('karpenter-budget-binds', text, guide)).toEqual([]);
  });
});

describe('C17: safety-net-missing', () => {
  const example = exampleOf('safety-net-missing');
  const spec = (budgets: string): string => example.replace('[{nodes: 100%}]', budgets);

  it('finds its example', () => {
    expect(found('safety-net-missing')).toEqual([
      {
        rule: 'safety-net-missing',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets',
        message:
          'Only lull.dev/budgets limits this pool. While Lull is not running, Karpenter uses spec.disruption.budgets: no limit.',
        suggestion:
          'Write a limit in the spec that always applies, such as budgets: [{nodes: "10%"}]. The smaller of both limits applies.',
      },
    ]);
  });

  it.each([
    { name: 'an empty list', text: spec('[]'), says: 'budgets: no limit.' },
    {
      name: 'a reason without a limit',
      text: spec('[{nodes: 10%, reasons: [Drifted, Empty]}]'),
      says: 'Drifted and Empty: 10% at a time; Underutilized: no limit',
    },
    {
      name: 'hours without a limit',
      text: spec('[{nodes: "0", schedule: 0 9 * * *, duration: 8h}]'),
      says: '0 at a time; no limit for Drifted, Empty and Underutilized from 2026-11-17T17:00:00Z',
    },
  ])('finds $name', ({ text, says }) => {
    expect(found('safety-net-missing', text)[0]?.message).toContain(says);
  });

  it.each([
    { name: 'a real limit', text: spec('[{nodes: 10%}]') },
    { name: 'the default', text: example.replace('    budgets: [{nodes: 100%}]', '    consolidateAfter: 5m') },
    { name: 'an annotation without a limit', text: example.replace('{nodes: "1"}', '{nodes: 100%}') },
    { name: 'budgets in the spec alone', text: example.replace(/ {2}annotations:[\s\S]*?spec:/, 'spec:') },
  ])('is silent about $name', ({ text }) => {
    expect(places('safety-net-missing', text)).toEqual([]);
  });

  it('is silent in drive, where Karpenter is not there', () => {
    expect(places('safety-net-missing', example, { settings: { role: 'drive' } })).toEqual([]);
  });

  it.each(['observe', 'guide'] as const)('K4: its suggestion is free of findings, in %s', (role) => {
    for (const annotated of [
      '{nodes: "1"}',
      '{nodes: 25%}',
      '{nodes: "30"}',
      '{nodes: "1", topologyKey: zone}\n      - {nodes: 15%}',
    ]) {
      const text = example.replace('{nodes: "1"}', annotated);
      const [finding] = found('safety-net-missing', text, { settings: { role } });
      const suggested = /budgets: (\[.*?\])\./.exec(finding?.suggestion ?? '')?.[1] ?? 'none';
      const settings = { ...defaultSettings, role };
      const after = lint(policyOf(text.replace('[{nodes: 100%}]', suggested), { settings }));
      expect(after.filter(({ path }) => path.startsWith('spec.disruption.budgets'))).toEqual([]);
    }
  });
});

describe('C2: upstream-admission', () => {
  it('finds its example', () => {
    expect(found('upstream-admission')).toMatchObject([
      {
        severity: 'error',
        path: 'spec.disruption.budgets[1].nodes',
        message:
          "Karpenter's CRD rejects this pool as written: budgets[1].nodes (a number, not a string) and budgets[1].reasons (Expired is not a reason in Karpenter).",
        suggestion: 'Move budgets with reasons that Karpenter does not have to the annotation lull.dev/budgets.',
      },
    ]);
  });

  it('is a note in drive, where the CRD is that of Lull, and of an older version', () => {
    expect(found('upstream-admission', undefined, { settings: { role: 'drive' } })[0]?.severity).toBe('info');
    const older = exampleOf('upstream-admission').replace('karpenter.sh/v1', 'karpenter.sh/v1beta1');
    expect(found('upstream-admission', older)[0]?.severity).toBe('info');
  });

  it.each([
    {
      budgets: '- {nodes: "1", reasons: [drifted]}',
      what: 'budgets[0].reasons (drifted is not a reason in Karpenter)',
    },
    {
      budgets: '- {nodes: "1", schedule: "@daily", duration: 1h30s}',
      what: 'budgets[0].duration (1h30s, not hours and minutes)',
    },
    { budgets: '- maxUnavailable: 10%', what: 'budgets[0].maxUnavailable (an old name)' },
    { budgets: '- {nodes: "1", schedule: "* * * * *"}', what: 'budgets[0].schedule (without a duration)' },
  ])('finds $what', ({ budgets, what }) => {
    expect(found('upstream-admission', poolText(budgets))[0]?.message).toContain(`as written: ${what}.`);
  });

  it.each([
    {
      name: 'what Karpenter admits',
      text: poolText('- {nodes: "1", reasons: [Unhealthy], schedule: "@daily", duration: 1h30m}'),
    },
    { name: 'how Go writes a duration', text: poolText('- {nodes: "1", schedule: "@daily", duration: 8h0m0s}') },
    { name: 'the annotation', text: annotatedText('- {nodes: 1, reasons: [Expired]}') },
    { name: 'what is a fault in itself', text: poolText('- {nodes: "1", duration: 10s}') },
    {
      name: 'a Provisioner',
      text: 'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\nspec: {disruption: {budgets: [{nodes: 1}]}}\n',
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('upstream-admission', text)).toEqual([]);
  });
});

describe('C5: upstream-ceiling', () => {
  it('finds its example', () => {
    expect(found('upstream-ceiling')).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[1].reasons',
        message:
          'For Empty, Lull uses budgets[1] (100%), because it names it. Karpenter uses the smallest of all active budgets: there budgets[0] (10%) is a ceiling, and fewer nodes may be disrupted.',
      },
    ]);
  });

  it('matters more where Karpenter does the work', () => {
    expect(found('upstream-ceiling', undefined, { settings: { role: 'guide' } })[0]?.severity).toBe('warning');
  });

  it("finds the example of Karpenter's own documentation, where 5 is a ceiling", () => {
    const text = poolText(
      '- {nodes: "20%", reasons: [Empty, Drifted]}\n- nodes: "5"\n- {nodes: "0", schedule: "@daily", duration: 10m, reasons: [Underutilized]}',
    );
    expect(found('upstream-ceiling', text)[0]?.message).toContain(
      'For Empty and Drifted, Lull uses budgets[0] (20%), because',
    );
  });

  it('names the budget that decides for each reason', () => {
    const text = poolText(
      '- {nodes: "15", reasons: [Drifted, Underutilized]}\n- {nodes: "10", reasons: [Drifted]}\n- nodes: "5"',
    );
    expect(found('upstream-ceiling', text).map(({ path, message }) => [path, message.slice(0, 50)])).toEqual([
      ['spec.disruption.budgets[1].reasons', 'For Drifted, Lull uses budgets[1] (10), because it'],
      ['spec.disruption.budgets[0].reasons', 'For Underutilized, Lull uses budgets[0] (15), beca'],
    ]);
  });

  it.each([
    {
      name: 'a named budget that is the least anyway',
      text: poolText('- nodes: "10%"\n- {nodes: "1", reasons: [Drifted]}'),
    },
    {
      name: 'a freeze, which binds all in both',
      text: poolText('- {nodes: "5", reasons: [Drifted]}\n- {nodes: "0", schedule: "0 9 * * *", duration: 8h}'),
    },
    {
      name: 'budgets that all name reasons',
      text: poolText('- {nodes: "5", reasons: [Drifted]}\n- {nodes: "1", reasons: [Empty]}'),
    },
    { name: 'the annotation', text: annotatedText('- nodes: "10%"\n- {nodes: "100%", reasons: [Empty]}') },
    {
      name: 'a reason that Karpenter has no budgets for',
      text: poolText('- nodes: "10%"\n- {nodes: "100%", reasons: [Expired]}'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('upstream-ceiling', text)).toEqual([]);
  });

  it('is silent where Lull reads them as Karpenter does', () => {
    expect(
      places('upstream-ceiling', exampleOf('upstream-ceiling'), { settings: { defaultBudgets: 'ceiling' } }),
    ).toEqual([]);
  });
});

describe('B2, R1: upstream-cron', () => {
  const freeze = (schedule: string): string =>
    poolText(`- {nodes: "0", schedule: "${schedule}", duration: 1h}\n- nodes: "10%"`);

  it('finds its example, and the same hours in words that Karpenter reads', () => {
    expect(found('upstream-cron')).toEqual([
      {
        rule: 'upstream-cron',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[1].schedule',
        message:
          'Karpenter cannot parse this schedule (day-of-week sat-sun wraps around; upstream wants 6,0) and therefore disrupts no node of the pool, for any reason.',
        suggestion: 'schedule: "0 0 * * 0,6"',
        fix: [{ path: 'spec.disruption.budgets[1].schedule', set: '0 0 * * 0,6' }],
      },
    ]);
  });

  it('is an error where Karpenter does the work', () => {
    expect(found('upstream-cron', undefined, { settings: { role: 'guide' } })[0]?.severity).toBe('error');
  });

  it.each([
    ['0 0 * * 6-7', '0 0 * * 0,6'],
    ['0 0 * * 7', '0 0 * * 0'],
    ['0 22-2 * * 1-5', '0 0,1,2,22,23 * * 1-5'],
    ['0 0 1 nov-feb *', '0 0 1 1,2,11,12 *'],
    ['0 9 * * mon,fri-sun', '0 9 * * mon,0,5,6'],
    ['0 9 L 1,3 *', '0 9 31 1,3 *'],
    ['0 9 1,L 4,jun *', '0 9 1,30 4,jun *'],
    ['0 9 * * mon#1,mon#2,mon#3,mon#4,mon#5', '0 9 * * 1'],
  ])('rewrites %s', (schedule, rewritten) => {
    expect(found('upstream-cron', freeze(schedule))[0]?.suggestion).toBe(`schedule: "${rewritten}"`);
  });

  it.each(['0 22 * * sat#1', '0 22 * * sunL', '0 22 L * *', '0 22 L 2 *', '0 22 L 1,4 *'])(
    'R1: says that Karpenter rejects %s, and sends it to the annotation',
    (schedule) => {
      const [finding] = found('upstream-cron', freeze(schedule));
      expect(finding?.message).toContain('is counted within the month; upstream cannot express it');
      expect(finding?.suggestion).toContain('lull.dev/budgets');
      expect(finding?.fix).toBeUndefined();
    },
  );

  it('sends a zone to the annotation, for certain nowhere', () => {
    const [finding] = found('upstream-cron', freeze('TZ=Europe/Berlin 0 9 * * *'));
    expect(finding?.suggestion).toContain('lull.dev/budgets');
    expect(finding?.fix).toBeUndefined();
  });

  it.each([
    { name: 'what Karpenter reads', text: freeze('0 0 * * sat,sun') },
    { name: 'the annotation', text: annotatedText('- {nodes: "0", schedule: "0 0 * * 6-7", duration: 24h}') },
    { name: 'R1 in the annotation', text: annotatedText('- {nodes: "0", schedule: "0 0 * * sat#1", duration: 24h}') },
    {
      name: 'a maintenance window, which Karpenter does not know',
      text: 'apiVersion: karpenter.sh/v1alpha1\nkind: MaintenanceWindow\nmetadata: {name: w}\nspec: {schedules: [{cron: 0 0 * * 6-7, duration: 24h}]}\n',
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('upstream-cron', text)).toEqual([]);
  });
});

describe('C17: upstream-fields', () => {
  it('finds its example', () => {
    expect(found('upstream-fields')).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[1].topologyKey',
        message:
          'Karpenter does not support topologyKey and sequential: it reads this as 1 of the whole pool, across all domains.',
      },
    ]);
  });

  it('is an error where Karpenter does the work', () => {
    expect(found('upstream-fields', undefined, { settings: { role: 'guide' } })[0]?.severity).toBe('error');
  });

  it('finds a zone', () => {
    const text = poolText('- {nodes: "0", schedule: "0 9 * * *", duration: 8h, timeZone: Europe/Berlin}');
    expect(found('upstream-fields', text)[0]?.message).toBe(
      'Karpenter does not support timeZone: it reads the schedule as UTC.',
    );
  });

  it.each([
    {
      name: 'fields that Karpenter knows',
      text: poolText('- {nodes: "1", reasons: [Drifted], schedule: "@daily", duration: 1h}'),
    },
    { name: 'the annotation', text: annotatedText('- {nodes: "1", topologyKey: zone}') },
  ])('is silent about $name', ({ text }) => {
    expect(places('upstream-fields', text)).toEqual([]);
  });
});
