import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { upstreamAdmission } from './upstream-admission.ts';

describe('C2: upstream-admission', () => {
  it('finds its example', () => {
    expect(found(upstreamAdmission)).toMatchObject([
      {
        severity: 'error',
        path: 'spec.disruption.budgets[1].nodes',
        message:
          'The CRD of Karpenter does not admit this pool as it is written: budgets[1].nodes (a number, not a text) and budgets[1].reasons (Expired is no reason of Karpenter).',
        suggestion: 'Reasons that Karpenter does not know belong in the annotation lull.dev/budgets.',
      },
    ]);
  });

  it('is a note in drive, where the CRD is that of Lull, and of an older version', () => {
    expect(found(upstreamAdmission, undefined, { settings: { role: 'drive' } })[0]?.severity).toBe('info');
    const older = upstreamAdmission.example.replace('karpenter.sh/v1', 'karpenter.sh/v1beta1');
    expect(found(upstreamAdmission, older)[0]?.severity).toBe('info');
  });

  it.each([
    { budgets: '- {nodes: "1", reasons: [drifted]}', what: 'budgets[0].reasons (drifted is no reason of Karpenter)' },
    {
      budgets: '- {nodes: "1", schedule: "@daily", duration: 1h30s}',
      what: 'budgets[0].duration (1h30s, not hours and minutes)',
    },
    { budgets: '- maxUnavailable: 10%', what: 'budgets[0].maxUnavailable (an older name)' },
    { budgets: '- {nodes: "1", schedule: "* * * * *"}', what: 'budgets[0].schedule (no duration beside it)' },
  ])('finds $what', ({ budgets, what }) => {
    expect(found(upstreamAdmission, poolText(budgets))[0]?.message).toContain(`as it is written: ${what}.`);
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
    expect(places(upstreamAdmission, text)).toEqual([]);
  });
});
