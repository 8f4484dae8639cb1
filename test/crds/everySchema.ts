// All schemas given to an API server: Lull's own, the embedded NodePool, and Karpenter's after the patch.
import { embeddedKinds, ownKinds, schemaOf } from '../../src/kinds/schema/crds.ts';
import { patchNodePoolCrd } from '../../src/kinds/schema/patchNodePool.ts';
import type { Schema } from '../../src/kinds/schema/schema.ts';
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
