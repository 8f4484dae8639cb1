import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { expiryNeverAndDriftFrozen } from './expiry-never-and-drift-frozen.ts';

const { example } = expiryNeverAndDriftFrozen;
const changed = (from: string, to: string): string => example.replace(from, to);

describe('A: expiry-never-and-drift-frozen', () => {
  it('finds its example', () => {
    expect(found(expiryNeverAndDriftFrozen)).toEqual([
      {
        rule: 'expiry-never-and-drift-frozen',
        severity: 'warning',
        object: 'NodePool/database',
        path: 'spec.template.spec.expireAfter',
        message:
          'Nodes of database never expire, and its budgets and windows never let one go for Drifted: no new image ever reaches them.',
        suggestion: 'Open the pool for Drifted at some hour, such as a night of the week; or give it an expireAfter.',
      },
    ]);
  });

  it('finds a freeze by a window', () => {
    const window =
      '---\n{apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: {name: freeze}, spec: {actions: [Drift]}}\n';
    const text = changed('{nodes: "0", reasons: [Drifted]}, ', '') + window;
    expect(places(expiryNeverAndDriftFrozen, text)).toHaveLength(1);
  });

  it.each([
    { name: 'nodes that expire', text: changed('Never', '720h') },
    {
      name: 'nodes that go for their age before',
      text: changed('{name: database}', '{name: database, annotations: {lull.dev/expire-after: 480h}}'),
    },
    {
      name: 'drift at weekends',
      text: changed('reasons: [Drifted]', 'reasons: [Drifted], schedule: 0 0 * * 1, duration: 120h'),
    },
    { name: 'another frozen reason', text: changed('[Drifted]', '[Underutilized]') },
  ])('is silent about $name', ({ text }) => {
    expect(places(expiryNeverAndDriftFrozen, text)).toEqual([]);
  });
});
