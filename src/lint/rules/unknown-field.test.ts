import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { unknownField } from './unknown-field.ts';

const annotated = (budgets: string) => `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default, annotations: {lull.dev/budgets: ${JSON.stringify(budgets)}}}
`;
const own = (kind: string, spec: string) => `apiVersion: karpenter.sh/v1alpha1
kind: ${kind}
metadata: {name: it}
spec: ${spec}
`;

describe('K4: unknown-field', () => {
  it('finds its example, and repairs it within the text', () => {
    expect(found(unknownField)).toMatchObject([
      {
        severity: 'error',
        path: 'metadata.annotations[lull.dev/budgets][0].topologykey',
        message: 'Unknown field topologykey.',
        suggestion: 'Did you mean topologyKey?',
        fix: [
          {
            path: 'metadata.annotations[lull.dev/budgets]',
            set: '- nodes: "1"\n  reasons: [Drifted]\n  topologyKey: topology.kubernetes.io/zone\n',
          },
        ],
      },
    ]);
  });

  it.each([
    { name: 'a near miss in the spec', text: poolText('- {nodes: "1", topologykey: zone}'), fix: true },
    { name: 'a near miss of a field that is given too', text: poolText('- {nodes: "1", node: "2"}'), fix: false },
    { name: 'anything in the annotation', text: annotated('[{nodes: "1", comment: mine}]'), fix: false },
    {
      name: 'two entries with the same typo',
      text: annotated('[{node: "1"}, {nodes: "2", reason: [Drifted]}]'),
      fix: true,
    },
    { name: 'a window', text: own('MaintenanceWindow', '{nots: mine}'), fix: true },
    { name: 'the object of a window', text: own('MaintenanceWindow', '{}\nmetdata: {}'), fix: false },
    {
      name: 'a pod schedule',
      text: own('PodDisruptionSchedule', '{selector: {}, schedule: "@daily", zone: UTC}'),
      fix: false,
    },
  ])('finds $name', ({ text, fix }) => {
    const [finding, ...more] = found(unknownField, text);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: 'error' });
    expect(finding?.fix !== undefined).toBe(fix);
  });

  it.each([
    {
      name: 'a field of the spec nothing is like: Karpenter may know it',
      text: poolText('- {nodes: "1", comment: mine}'),
    },
    { name: 'fields that are known', text: poolText('- {nodes: "1", topologyKey: zone}') },
    {
      name: 'C2: older names',
      text: annotated('[{maxUnavailable: 1, crontab: "@daily", duration: 1h, reason: drift}]'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(unknownField, text)).toEqual([]);
  });
});
