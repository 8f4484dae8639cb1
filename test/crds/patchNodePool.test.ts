// The patch of Karpenter's NodePool CRD adds Lull's fields, changes nothing else, and refuses a CRD it does not know (N9).
import { describe, expect, it } from 'vitest';
import { type JsonPatchOperation, patchNodePoolCrd } from '../../src/kinds/schema/patchNodePool.ts';
import type { Schema } from '../../src/kinds/schema/schema.ts';
import { admit } from './admit.ts';
import { applyPatch } from './applyPatch.ts';
import { type KarpenterVersion, karpenterCrd, v1, v1beta1 } from './karpenterCrd.ts';

type Crd = ReturnType<typeof karpenterCrd>;

function patchOf(crd: object): JsonPatchOperation[] {
  const answer = patchNodePoolCrd(crd);
  if ('fault' in answer) throw new Error(answer.fault);
  return answer.patch;
}

const faultOf = (crd: object): string => {
  const answer = patchNodePoolCrd(crd);
  return 'fault' in answer ? answer.fault : 'patched';
};

const patched = (crd: Crd): Crd => applyPatch(crd, patchOf(crd));

const schemaIn = (crd: Crd, version: string): Schema =>
  crd.spec.versions.find(({ name }) => name === version)?.schema.openAPIV3Schema ?? {};

const disruptionIn = (crd: Crd, version: string): Schema =>
  schemaIn(crd, version).properties?.spec?.properties?.disruption ?? {};

const budgetIn = (crd: Crd, version: string): Schema => disruptionIn(crd, version).properties?.budgets?.items ?? {};

const reasonsIn = (crd: Crd, version: string): unknown => budgetIn(crd, version).properties?.reasons?.items?.enum;

const drop = (schema: object | undefined, key: string): void => {
  delete (schema as Record<string, unknown>)[key];
};

const pool = (disruption: object) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'p' },
  spec: { disruption },
});

describe('N9: the patch of the CRD found', () => {
  const after = patched(karpenterCrd(v1));

  it('adds the fields of budgets', () =>
    expect(Object.keys(budgetIn(after, 'v1').properties ?? {}).slice(4)).toEqual([
      'timeZone',
      'topologyKey',
      'sequential',
      'settle',
      'patience',
      'driftAfter',
      'per',
      'waves',
      'haltAfter',
    ]));

  it('adds repairAfter and expireAfter, without defaults of its own', () => {
    const { repairAfter, expireAfter } = disruptionIn(after, 'v1').properties ?? {};
    expect([repairAfter?.type, expireAfter?.type]).toEqual(['string', 'string']);
    expect([repairAfter?.default, expireAfter?.default]).toEqual([undefined, undefined]);
  });

  it.each([
    { name: 'of 1.15', version: v1, want: [...v1.reasons, 'Expired', 'Rebalance'] },
    {
      name: 'of an older one without Unhealthy',
      version: { ...v1, reasons: ['Underutilized', 'Empty', 'Drifted'] },
      want: ['Underutilized', 'Empty', 'Drifted', 'Unhealthy', 'Expired', 'Rebalance'],
    },
    { name: 'of one with all of them', version: { ...v1, reasons: [...v1.reasons, 'Rebalance', 'Expired'] } },
  ])('adds the missing reasons to those $name', ({ version, want }) =>
    expect(reasonsIn(patched(karpenterCrd(version)), 'v1')).toEqual(want ?? version.reasons),
  );

  it('adds only the check that Karpenter does not have', () => {
    expect(budgetIn(after, 'v1')['x-kubernetes-validations']?.map(({ message }) => message)).toEqual([
      "'sequential' requires 'topologyKey'",
      "'driftAfter' requires the reason Drifted",
      "'driftAfter' cannot be combined with 'schedule'",
      "'per' cannot be combined with topologyKey, sequential, settle, patience, driftAfter, waves or haltAfter",
      "'waves' requires the reason Drifted, and no other",
      "'waves' cannot be combined with 'schedule'",
      "'haltAfter' requires the reason Drifted",
      "'haltAfter' cannot be combined with 'schedule'",
    ]);
    const bare = karpenterCrd(v1);
    drop(disruptionIn(bare, 'v1').properties?.budgets, 'x-kubernetes-validations');
    expect(budgetIn(patched(bare), 'v1')['x-kubernetes-validations']).toHaveLength(9);
  });

  it('only adds: existing fields stay', () => {
    const before = karpenterCrd(v1, v1beta1);
    expect(patched(before)).toMatchObject(withoutReasons(before));
    expect(patchOf(before).every(({ op }) => op === 'add' || op === 'test')).toBe(true);
  });

  it('is empty for a CRD that is patched already', () => {
    for (const found of [karpenterCrd(v1), karpenterCrd(v1, v1beta1), karpenterCrd(v1beta1)])
      expect(patchOf(patched(found))).toEqual([]);
  });

  it('does not modify its input', () => {
    const found = karpenterCrd(v1);
    const before = structuredClone(found);
    patchOf(found);
    expect(found).toEqual(before);
  });

  it('fails as a whole if it is applied twice, or if the order of the versions has changed', () => {
    const found = karpenterCrd(v1, v1beta1);
    const patch = patchOf(found);
    expect(() => applyPatch(applyPatch(found, patch), patch)).toThrow('The test of');
    expect(() => applyPatch(karpenterCrd(v1beta1, v1), patch)).toThrow('The test of /spec/versions/0/name failed');
  });

  it('covers every served version that has budgets', () => {
    const crd = patched(karpenterCrd(v1, v1beta1, { ...v1beta1, name: 'v1alpha9', served: false }));
    expect(
      ['v1', 'v1beta1', 'v1alpha9'].map((version) => 'settle' in (budgetIn(crd, version).properties ?? {})),
    ).toEqual([true, true, false]);
    // In that version it is the lifetime itself.
    expect(disruptionIn(crd, 'v1beta1').properties?.expireAfter?.default).toBe('720h');
  });

  it.each([
    {
      name: 'zones one after another',
      disruption: { budgets: [{ nodes: '1', topologyKey: 'zone', sequential: true, settle: '10m' }] },
      admitted: true,
    },
    {
      name: 'a time zone',
      disruption: { budgets: [{ schedule: '@daily', duration: '1h', timeZone: 'Europe/Berlin' }] },
      admitted: true,
    },
    {
      name: 'a new reason',
      disruption: { budgets: [{ nodes: '1', reasons: ['Expired', 'Rebalance'] }] },
      admitted: true,
    },
    { name: 'an early expiry', disruption: { expireAfter: '600h', repairAfter: 'Never' }, admitted: true },
    { name: 'sequential alone', disruption: { budgets: [{ nodes: '1', sequential: true }] }, admitted: false },
    {
      name: 'drift that waits',
      disruption: { budgets: [{ nodes: '1', reasons: ['Drifted'], driftAfter: '72h' }] },
      admitted: true,
    },
    {
      name: 'driftAfter for every reason',
      disruption: { budgets: [{ nodes: '1', driftAfter: '72h' }] },
      admitted: false,
    },
    { name: 'a schedule alone', disruption: { budgets: [{ nodes: '1', schedule: '@daily' }] }, admitted: false },
    {
      name: 'a key that is not a label',
      disruption: { budgets: [{ nodes: '1', topologyKey: 'a b' }] },
      admitted: false,
    },
    {
      name: 'a settle that is not a duration',
      disruption: { budgets: [{ nodes: '1', settle: 'soon' }] },
      admitted: false,
    },
    { name: 'an unknown reason', disruption: { budgets: [{ nodes: '1', reasons: ['Interrupted'] }] }, admitted: false },
  ])('makes the CRD admit or refuse $name', ({ disruption, admitted }) => {
    const { object, errors } = admit(schemaIn(after, 'v1'), pool(disruption));
    expect(errors.length === 0).toBe(admitted);
    if (admitted) expect(object).toMatchObject(pool(disruption));
  });
});

describe('N9: a CRD that Lull does not know is not patched, and the message says why', () => {
  const changed = (change: (crd: Crd) => void, version: KarpenterVersion = v1): Crd => {
    const crd = karpenterCrd(version);
    change(crd);
    return crd;
  };

  it.each([
    { name: 'another kind', crd: { kind: 'NodePool' }, says: 'not a CustomResourceDefinition' },
    {
      name: 'an older API',
      crd: { ...karpenterCrd(v1), apiVersion: 'apiextensions.k8s.io/v1beta1' },
      says: 'apiextensions.k8s.io/v1.',
    },
    {
      name: 'another CRD',
      crd: { ...karpenterCrd(v1), metadata: { name: 'nodepools.example.com' } },
      says: 'nodepools.example.com',
    },
    { name: 'no name', crd: { ...karpenterCrd(v1), metadata: {} }, says: 'unnamed' },
    { name: 'no versions', crd: { ...karpenterCrd(v1), spec: {} }, says: 'No served version' },
    { name: 'no served version', crd: karpenterCrd({ ...v1, served: false }), says: 'No served version' },
    {
      name: 'no budgets',
      crd: changed((crd) => drop(disruptionIn(crd, 'v1').properties, 'budgets')),
      says: 'No served version has spec.disruption.budgets.',
    },
    {
      name: 'budgets without number',
      crd: changed((crd) => drop(disruptionIn(crd, 'v1').properties?.budgets, 'maxItems')),
      says: 'v1 spec.disruption.budgets has no maxItems',
    },
    {
      name: 'budgets without fields',
      crd: changed((crd) => drop(budgetIn(crd, 'v1'), 'properties')),
      says: 'v1 spec.disruption.budgets[] is not an object schema with properties.',
    },
    {
      name: 'budgets without reasons',
      crd: changed((crd) => drop(budgetIn(crd, 'v1').properties, 'reasons')),
      says: 'v1 spec.disruption.budgets[].reasons does not list reasons',
    },
    {
      name: 'unknown reasons',
      crd: karpenterCrd({ ...v1, reasons: ['drifted'] }),
      says: 'v1 spec.disruption.budgets[].reasons does not list reasons',
    },
    {
      name: 'a field of the same name that is something else',
      crd: changed((crd) => Object.assign(budgetIn(crd, 'v1').properties ?? {}, { settle: { type: 'integer' } })),
      says: 'v1 spec.disruption.budgets[].settle exists already, but is not of type string.',
    },
    {
      name: 'rules that are not a list',
      crd: changed((crd) => Object.assign(budgetIn(crd, 'v1'), { 'x-kubernetes-validations': {} })),
      says: 'x-kubernetes-validations is not a list.',
    },
  ])('$name', ({ crd, says }) => {
    expect(faultOf(crd)).toContain(says);
    expect(faultOf(crd)).toMatch(/\. (Use the CRD that `kubectl get crd|.*lull\.dev\/budgets instead\.$)/);
  });

  it.each([{}, { spec: null }, { spec: { versions: null } }, { spec: { versions: [null, 5, { served: true }] } }])(
    'nor does it crash on %j',
    (rest) => expect(faultOf({ ...karpenterCrd(v1), ...rest, metadata: { name: 'x' } })).toContain('This CRD is x'),
  );
});

/** The list of reasons is longer afterwards: an exact match would not find it again. */
function withoutReasons(crd: Crd): Crd {
  const copy = structuredClone(crd);
  for (const { name } of copy.spec.versions) {
    drop(budgetIn(copy, name).properties, 'reasons');
  }
  return copy;
}
