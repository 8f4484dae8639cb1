// The admission policy `lull-born-parked`, played: claims made from now on are parked from their birth (N2).
import { annotation, atBirth } from '../../cluster/names.ts';
import type { KubeObject } from '../kubeObject.ts';
import type { Objects } from '../objects.ts';

export function parkAtBirth(objects: Objects): void {
  objects.admit = (object) => (object.kind === 'NodeClaim' ? parked(object) : object);
}

function parked(claim: KubeObject): KubeObject {
  const { annotations = {} } = claim.metadata;
  const before = annotations[annotation.doNotDisrupt];
  if (before === 'true') return claim;
  const added = {
    [annotation.doNotDisrupt]: 'true',
    [annotation.parked]: atBirth,
    ...(before !== undefined && { [annotation.keptBefore]: before }),
  };
  return { ...claim, metadata: { ...claim.metadata, annotations: { ...annotations, ...added } } };
}
