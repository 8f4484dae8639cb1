// What has Lull left lying about? Commands that go on, taints, and replacements that are no nodes: none of it at rest.
import { annotation, taint } from '../../cluster/names.ts';
import type { Node } from '../actors/manifest.ts';
import { taintsOf } from '../actors/taints.ts';
import { isDeleting } from '../kubeObject.ts';
import type { Objects } from '../objects.ts';
import { hasTrue } from '../story/hasTrue.ts';
import { ledgerIn } from '../story/ledgerSpec.ts';

/** In half sentences. */
export function leftovers(objects: Objects): string[] {
  const { commands } = ledgerIn(objects.get('DisruptionLedger', 'lull'));
  const tainted = [...objects.list('Node')].filter((node) =>
    taintsOf(node as Node).some(({ key }) => key === taint.lullDisrupted),
  );
  const unborn = [...objects.list('NodeClaim')].filter(
    (claim) =>
      claim.metadata.annotations?.[annotation.command] !== undefined &&
      !isDeleting(claim) &&
      !hasTrue(claim, 'Initialized'),
  );
  return [
    ...commands.map(({ id, step }) => `${id} is still ${step}`),
    ...tainted.map(({ metadata }) => `${metadata.name} is still tainted`),
    ...unborn.map(({ metadata }) => `replacement ${metadata.name} is no node`),
  ];
}
