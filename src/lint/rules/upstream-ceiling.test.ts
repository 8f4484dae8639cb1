import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { upstreamCeiling } from './upstream-ceiling.ts';

describe('C5: upstream-ceiling', () => {
  it('finds its example', () => {
    expect(found(upstreamCeiling)).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[1].reasons',
        message:
          'For Empty budgets[1] (100%) decides here, because it names it. Karpenter takes the least of all active budgets: there budgets[0] (10%) is a ceiling, and fewer nodes may go.',
      },
    ]);
  });

  it('matters more where Karpenter does the work', () => {
    expect(found(upstreamCeiling, undefined, { settings: { role: 'guide' } })[0]?.severity).toBe('warning');
  });

  it("finds the example of Karpenter's own documentation, where 5 is to be a ceiling", () => {
    const text = poolText(
      '- {nodes: "20%", reasons: [Empty, Drifted]}\n- nodes: "5"\n- {nodes: "0", schedule: "@daily", duration: 10m, reasons: [Underutilized]}',
    );
    expect(found(upstreamCeiling, text)[0]?.message).toContain('For Empty and Drifted budgets[0] (20%) decides here');
  });

  it('names for each reason the budget that decides, in the by-reason document too', () => {
    const text = poolText(
      '- {nodes: "15", reasons: [Drifted, Underutilized]}\n- {nodes: "10", reasons: [Drifted]}\n- nodes: "5"',
    );
    expect(found(upstreamCeiling, text).map(({ path, message }) => [path, message.slice(0, 60)])).toEqual([
      ['spec.disruption.budgets[1].reasons', 'For Drifted budgets[1] (10) decides here, because it names i'],
      ['spec.disruption.budgets[0].reasons', 'For Underutilized budgets[0] (15) decides here, because it n'],
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
    expect(places(upstreamCeiling, text)).toEqual([]);
  });

  it('is silent where Lull reads them as Karpenter does', () => {
    expect(places(upstreamCeiling, upstreamCeiling.example, { settings: { defaultBudgets: 'ceiling' } })).toEqual([]);
  });
});
