import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readObject } from '../readObject.ts';

function pdb(text: string) {
  const result = readObject({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: 'ns' },
    ...parse(text),
  });
  if (result.kind !== 'PodDisruptionBudget') throw new Error(result.kind);
  return result;
}

describe('E10: which pods a PDB means', () => {
  it.each([
    { name: 'no pod without a selector', spec: '{}', selector: { requirements: [], nothing: true } },
    { name: 'no pod with null', spec: '{selector: null}', selector: { requirements: [], nothing: true } },
    { name: 'every pod with an empty one', spec: '{selector: {}}', selector: { requirements: [] } },
    {
      name: 'those with a label',
      spec: '{selector: {matchLabels: {app: a}}}',
      selector: { requirements: [{ key: 'app', operator: 'In', values: ['a'] }] },
    },
    {
      name: 'those of an expression',
      spec: '{selector: {matchExpressions: [{key: tier, operator: NotIn, values: [web]}, {key: app, operator: Exists}]}}',
      selector: {
        requirements: [
          { key: 'tier', operator: 'NotIn', values: ['web'] },
          { key: 'app', operator: 'Exists', values: [] },
        ],
      },
    },
  ])('$name', ({ spec, selector }) => {
    const { record, faults } = pdb(`spec: ${spec}`);
    expect([record.selector, faults]).toEqual([selector, []]);
    expect(record.fault).toBeUndefined();
  });

  it.each([
    {
      name: 'an operator that labels do not know',
      selector: '{matchExpressions: [{key: app, operator: Gt, values: ["1"]}]}',
      path: 'matchExpressions[0].operator',
    },
    { name: 'a value that is not a label', selector: '{matchLabels: {app: "not valid!"}}', path: 'matchLabels.app' },
    {
      name: 'a key that is not a label',
      selector: '{matchExpressions: [{key: "a b", operator: Exists}]}',
      path: 'matchExpressions[0].key',
    },
    {
      name: 'In without values',
      selector: '{matchExpressions: [{key: app, operator: In}]}',
      path: 'matchExpressions[0].values',
    },
    {
      name: 'Exists with values',
      selector: '{matchExpressions: [{key: app, operator: Exists, values: [a]}]}',
      path: 'matchExpressions[0].values',
    },
    {
      name: 'a value that is not text',
      selector: '{matchExpressions: [{key: app, operator: In, values: [1]}]}',
      path: 'matchExpressions[0].values[0]',
    },
  ])('$name is left out, so that it blocks what it might mean', ({ selector, path }) => {
    const { record, faults } = pdb(`spec: {selector: ${selector}}`);
    expect(record.selector).toEqual({ requirements: [] });
    expect(faults).toMatchObject([
      { object: 'PodDisruptionBudget/ns/b', path: `spec.selector.${path}`, severity: 'error' },
    ]);
    expect(record.fault).toBe(faults[0]);
  });

  it('what is right beside what is wrong still selects', () => {
    const { record } = pdb('spec: {selector: {matchLabels: {app: a}, matchExpressions: [{key: x, operator: Near}]}}');
    expect(record.selector).toEqual({ requirements: [{ key: 'app', operator: 'In', values: ['a'] }] });
  });
});

describe('E10: how many may go', () => {
  it.each([
    { status: '{disruptionsAllowed: 2}', want: 2 },
    { status: '{disruptionsAllowed: 0}', want: 0 },
    { status: '{disruptionsAllowed: -3}', want: 0 },
    { status: '{}', want: 0 },
  ])('$status is $want', ({ status, want }) => {
    expect(pdb(`status: ${status}`).record.disruptionsAllowed).toBe(want);
  });

  it.each([
    { text: 'status: {disruptionsAllowed: "2"}', says: '"2" is not a valid number of pods' },
    { text: 'status: {disruptionsAllowed: .inf}', says: 'Infinity is not a valid number of pods' },
    { text: 'spec: {unhealthyPodEvictionPolicy: Never}', says: '"Never" is not a known policy' },
  ])('$says: a warning, and nothing more may go for it', ({ text, says }) => {
    const { record, faults } = pdb(text);
    expect(faults).toMatchObject([{ severity: 'warning', message: expect.stringContaining(says) }]);
    expect(record).toMatchObject({ disruptionsAllowed: 0, alwaysAllowUnready: false });
    expect(record.fault).toBeUndefined();
  });

  it('unready pods may always go where the policy says so', () => {
    expect(pdb('spec: {unhealthyPodEvictionPolicy: AlwaysAllow}').record.alwaysAllowUnready).toBe(true);
    expect(pdb('spec: {unhealthyPodEvictionPolicy: IfHealthyBudget}').record.alwaysAllowUnready).toBe(false);
  });
});
