import { expect, it } from 'vitest';
import { applyPatch } from '../../../test/crds/applyPatch.ts';
import { karpenterCrd, v1, v1beta1 } from '../../../test/crds/karpenterCrd.ts';
import { readObject } from '../readObject.ts';
import { patchNodePoolCrd } from '../schema/patchNodePool.ts';

const read = (object: unknown) => {
  const result = readObject(object);
  return result.kind === 'CustomResourceDefinition' ? result.record : result.kind;
};

function patched(crd: object): unknown {
  const result = patchNodePoolCrd(crd);
  if ('fault' in result) throw new Error(result.fault);
  return applyPatch(crd, result.patch);
}

const name = 'nodepools.karpenter.sh';

it.each([
  { it: "Karpenter's own CRD does not keep the fields", crd: karpenterCrd(v1), keepsFields: false },
  { it: 'the patched one does', crd: patched(karpenterCrd(v1)), keepsFields: true },
  { it: 'in every version that is served', crd: patched(karpenterCrd(v1, v1beta1)), keepsFields: true },
  { it: 'one without a schema does not', crd: { ...karpenterCrd(v1), spec: {} }, keepsFields: false },
])('N9: $it', ({ crd, keepsFields }) => {
  expect(read(crd)).toMatchObject({ name, keepsFields });
});

it('N9: other CRDs are ignored', () => {
  expect(read({ ...karpenterCrd(v1), metadata: { name: 'nodeclaims.karpenter.sh' } })).toBe('ignored');
});

it('N9: its version has its uid and generation', () => {
  const versions = [1, 2].map((generation) => {
    const crd = karpenterCrd(v1);
    return read({ ...crd, metadata: { ...crd.metadata, uid: 'u', generation } });
  });
  expect(versions).toMatchObject([{ version: 'u.1' }, { version: 'u.2' }]);
});
