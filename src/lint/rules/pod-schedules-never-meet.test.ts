import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { podSchedulesNeverMeet } from './pod-schedules-never-meet.ts';

const changed = (from: string, to: string): string => podSchedulesNeverMeet.example.replace(from, to);

describe('E12: pod-schedules-never-meet', () => {
  it('finds its example, with the pods and their windows', () => {
    expect(found(podSchedulesNeverMeet)).toEqual([
      {
        rule: 'pod-schedules-never-meet',
        severity: 'warning',
        object: 'Pod/data/etl',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message:
          'These pods on one node may never be moved at the same time, so the node is never free to go: data/etl (0 2 * * 0 for 4h); web/cart (0 2 * * 6 for 4h). So it is on 1 node: n-1.',
        suggestion: 'Give the pods a window in common, or keep them on different nodes.',
      },
    ]);
  });

  const pod = (node: string, name: string, cron: string): string =>
    `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: ${name}, annotations: {karpenter.sh/disruption-schedule: "${cron}", karpenter.sh/disruption-schedule-duration: 4h}}, spec: {nodeName: ${node}}}`;
  const node = (name: string): string =>
    `{apiVersion: v1, kind: Node, metadata: {name: ${name}}}\n---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: ${name}}, status: {nodeName: ${name}}}`;

  it('names of three pods the two that quarrel', () => {
    const pods = [
      pod('n-1', 'daily', '0 2 * * *'),
      pod('n-1', 'saturday', '0 2 * * 6'),
      pod('n-1', 'sunday', '0 2 * * 0'),
    ];
    const [finding] = found(podSchedulesNeverMeet, [node('n-1'), ...pods].join('\n---\n'));
    expect(finding?.message).toContain('a/sunday (0 2 * * 0 for 4h); a/saturday (0 2 * * 6 for 4h).');
  });

  it('names all where only all together never meet', () => {
    const pods = [pod('n-1', 'x', '0 2 * * 1-2'), pod('n-1', 'y', '0 2 * * 2-3'), pod('n-1', 'z', '0 2 * * 1,3')];
    const [finding] = found(podSchedulesNeverMeet, [node('n-1'), ...pods].join('\n---\n'));
    expect(finding?.message.match(/ for 4h/g)).toHaveLength(3);
  });

  it('tells the same quarrel on several nodes once', () => {
    const on = (name: string) => [node(name), pod(name, `${name}-x`, '0 2 * * 6'), pod(name, `${name}-y`, '0 2 * * 0')];
    const findings = found(podSchedulesNeverMeet, [...on('n-1'), ...on('n-2')].join('\n---\n'));
    expect(findings.map(({ message }) => message.slice(-27))).toEqual(['is on 2 nodes: n-1 and n-2.']);
  });

  it.each([
    { name: 'windows that meet once a week', text: changed('0 2 * * 0,', '0 4 * * *,') },
    { name: 'pods on different nodes', text: changed('spec: {nodeName: n-1}', 'spec: {nodeName: n-2}') },
    { name: 'a node that is not managed', text: changed('status: {nodeName: n-1}', 'status: {nodeName: n-3}') },
    { name: 'a pod that never may: another rule says so', text: changed('0 2 * * 0,', '0 2 31 2 *,') },
    {
      name: 'a pod that opts out altogether',
      text: changed('karpenter.sh/disruption-schedule: 0 2 * * 0,', 'karpenter.sh/do-not-disrupt: "true",'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(text).not.toBe(podSchedulesNeverMeet.example);
    expect(places(podSchedulesNeverMeet, text)).toEqual([]);
  });
});
