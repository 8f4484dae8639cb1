import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { upstreamCron } from './upstream-cron.ts';

const freeze = (schedule: string): string =>
  poolText(`- {nodes: "0", schedule: "${schedule}", duration: 1h}\n- nodes: "10%"`);

describe('B2: upstream-cron', () => {
  it('finds its example, and the same hours in words that Karpenter reads', () => {
    expect(found(upstreamCron)).toEqual([
      {
        rule: 'upstream-cron',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[1].schedule',
        message:
          'Karpenter cannot read this schedule (day-of-week sat-sun wraps around; upstream wants 6,0) and then moves no node of the pool for any reason.',
        suggestion: 'schedule: "0 0 * * 0,6"',
        fix: [{ path: 'spec.disruption.budgets[1].schedule', set: '0 0 * * 0,6' }],
      },
    ]);
  });

  it('is an error where Karpenter does the work', () => {
    expect(found(upstreamCron, undefined, { settings: { role: 'guide' } })[0]?.severity).toBe('error');
  });

  it.each([
    ['0 0 * * 6-7', '0 0 * * 0,6'],
    ['0 0 * * 7', '0 0 * * 0'],
    ['0 22-2 * * 1-5', '0 0,1,2,22,23 * * 1-5'],
    ['0 0 1 nov-feb *', '0 0 1 1,2,11,12 *'],
    ['0 9 * * mon,fri-sun', '0 9 * * mon,0,5,6'],
  ])('rewrites %s', (schedule, rewritten) => {
    expect(found(upstreamCron, freeze(schedule))[0]?.suggestion).toBe(`schedule: "${rewritten}"`);
  });

  it('sends a zone to the annotation, for certain nowhere', () => {
    const [finding] = found(upstreamCron, freeze('TZ=Europe/Berlin 0 9 * * *'));
    expect(finding?.suggestion).toContain('lull.dev/budgets');
    expect(finding?.fix).toBeUndefined();
  });

  it.each([
    { name: 'what Karpenter reads', text: freeze('0 0 * * sat,sun') },
    { name: 'the annotation', text: annotatedText('- {nodes: "0", schedule: "0 0 * * 6-7", duration: 24h}') },
    {
      name: 'a maintenance window, which Karpenter does not know',
      text: 'apiVersion: karpenter.sh/v1alpha1\nkind: MaintenanceWindow\nmetadata: {name: w}\nspec: {schedules: [{cron: 0 0 * * 6-7, duration: 24h}]}\n',
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(upstreamCron, text)).toEqual([]);
  });
});
