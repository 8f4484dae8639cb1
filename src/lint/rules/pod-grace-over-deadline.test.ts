import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { podGraceOverDeadline } from './pod-grace-over-deadline.ts';

const { example } = podGraceOverDeadline;
const changed = (from: string | RegExp, to: string): string => example.replace(from, to);

describe('H2: pod-grace-over-deadline', () => {
  it('finds its example', () => {
    expect(found(podGraceOverDeadline)).toEqual([
      {
        rule: 'pod-grace-over-deadline',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.template.spec.terminationGracePeriod',
        message:
          'Nodes of default are given 30m to end, but pod ml/trainer may take 2h: what has not ended by then is killed.',
        suggestion: 'Make terminationGracePeriod longer than 2h, or terminationGracePeriodSeconds of the pods shorter.',
      },
    ]);
  });

  it('names the claim where the template no longer says so, and the longest pod', () => {
    const longer = `  - {apiVersion: v1, kind: Pod, metadata: {namespace: ml, name: slow}, spec: {nodeName: n-1, terminationGracePeriodSeconds: 10800}}\n`;
    const [finding] = found(
      podGraceOverDeadline,
      changed('spec: {template: {spec: {terminationGracePeriod: 30m}}}', 'spec: {}') + longer,
    );
    expect(finding).toMatchObject({ object: 'NodeClaim/default-1', path: 'spec.terminationGracePeriod' });
    expect(finding?.message).toContain('pod ml/slow may take 3h, and 1 more pod too long');
  });

  it.each([
    { name: 'a deadline just as long', text: changed(/30m/g, '2h') },
    { name: 'claims without one, though the template has', text: changed('spec: {terminationGracePeriod: 30m}, ', '') },
    {
      name: 'a pod that has ended',
      text: changed(
        'terminationGracePeriodSeconds: 7200}',
        'terminationGracePeriodSeconds: 7200}, status: {phase: Failed}',
      ),
    },
    {
      name: 'a mirror pod, which belongs to its node',
      text: changed(
        'name: trainer',
        'name: trainer, ownerReferences: [{kind: Node, name: n-1, uid: "1", controller: true}]',
      ),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(podGraceOverDeadline, text)).toEqual([]);
  });
});
