// Which schemas do we give to an API server? Our own, the embedded one, and Karpenter's once it is patched.
import { embeddedKinds, ownKinds } from '../../src/kinds/crds/crds.ts';
import { schemaOf } from '../../src/kinds/crds/definition.ts';
import { patchNodePoolCrd } from '../../src/kinds/crds/patchNodePool.ts';
import type { Schema } from '../../src/kinds/crds/schema.ts';
import { applyPatch } from './applyPatch.ts';
import { karpenterCrd, v1 } from './karpenterCrd.ts';

function patchedKarpenter(): Schema {
  const found = karpenterCrd(v1);
  const answer = patchNodePoolCrd(found);
  if ('fault' in answer) throw new Error(answer.fault);
  return applyPatch(found, answer.patch).spec.versions[0]?.schema.openAPIV3Schema ?? {};
}

export const ownSchemas: Readonly<Record<string, Schema>> = Object.fromEntries(
  [...ownKinds, ...embeddedKinds].map((definition) => [definition.kind, schemaOf(definition)]),
);

export const everySchema: Readonly<Record<string, Schema>> = {
  ...ownSchemas,
  'NodePool of Karpenter, patched': patchedKarpenter(),
};
