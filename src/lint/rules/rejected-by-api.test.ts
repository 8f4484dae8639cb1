import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { rejectedByApi } from './rejected-by-api.ts';

const window = (spec: string) => `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: it}
spec: ${spec}
`;

describe('L5: rejected-by-api', () => {
  it('finds its example, and puts the number in quotes', () => {
    expect(found(rejectedByApi)).toEqual([
      {
        rule: 'rejected-by-api',
        severity: 'error',
        object: 'MaintenanceWindow/two-at-a-time',
        path: 'spec.nodes',
        message: 'The API server rejects 2 here: it must be a text, in quotes.',
        suggestion: 'Write "2" in quotes.',
        fix: [{ path: 'spec.nodes', set: '2' }],
      },
    ]);
  });

  it('finds an action that is named twice', () => {
    expect(places(rejectedByApi, window('{mode: Block, actions: [Drift, Drift]}'))).toEqual([
      'error MaintenanceWindow/it spec.actions',
    ]);
  });

  it.each([
    { name: 'what is a fault already', text: window('{mode: Sometimes}') },
    { name: 'what is admitted', text: window('{nodes: "2", schedules: [{cron: "@daily", duration: 1h}]}') },
    { name: "another maker's window", text: window('{nodes: 2}').replace('karpenter.sh', 'example.com') },
  ])('is silent about $name', ({ text }) => {
    expect(places(rejectedByApi, text)).toEqual([]);
  });
});
