import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { podOptOutUnderDeadline } from './pod-opt-out-under-deadline.ts';

const { example } = podOptOutUnderDeadline;
const changed = (from: string | RegExp, to: string): string => example.replace(from, to);

describe('H3: pod-opt-out-under-deadline', () => {
  it('finds its example', () => {
    expect(found(podOptOutUnderDeadline)).toEqual([
      {
        rule: 'pod-opt-out-under-deadline',
        severity: 'warning',
        object: 'Pod/web/session-1',
        path: 'metadata.annotations[karpenter.sh/do-not-disrupt]',
        message:
          '2 pods of PodDisruptionBudget web/session (session-1 and session-2) are annotated do-not-disrupt on 2 nodes with a terminationGracePeriod (24h). When it ends they are deleted, several at once if their nodes go together, whatever the budget allows.',
        suggestion:
          'Give them a schedule (karpenter.sh/disruption-schedule) or a do-not-disrupt that ends (such as "8h"), so that they can be moved one by one before the deadline.',
      },
    ]);
  });

  it.each([
    {
      name: 'a single pod',
      text: changed('name: session-2, labels: {app: session}', 'name: session-2, labels: {app: other}'),
    },
    { name: 'nodes without a deadline', text: changed(/spec: \{terminationGracePeriod: 24h\}, /g, '') },
    { name: 'pods without a budget', text: changed('matchLabels: {app: session}', 'matchLabels: {app: other}') },
    { name: 'a protection that ends', text: changed(/"true"/g, '8h') },
    {
      name: 'a protection from consolidation alone',
      text: changed(/"true"/g, '"true", karpenter.sh/do-not-disrupt-reasons: "Empty,Underutilized"'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(podOptOutUnderDeadline, text)).toEqual([]);
  });
});
