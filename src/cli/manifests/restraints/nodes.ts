// What Lull may do with Nodes: park and offer them, and in drive taint and delete those that Karpenter made (N2, G1, N12).
import { annotation, label, taint } from '../../../cluster/names.ts';
import type { Duty } from '../../../kube/permissions.ts';
import { allOf, listOf, mapAt, onUpdate, quote, sameBut, sameOthers } from '../cel.ts';
import { annotations, onlyAnnotations, parkingBy, parkingKeys } from './marks.ts';
import type { Restraint } from './restraint.ts';

/** A node has one of these from Karpenter. Lull may not write labels, so that no step makes another node Karpenter's. */
export const karpentersLabels = [label.pool, label.provisioner, label.registered, label.initialized];

export const noSubresource = { 'Lull may not write its subresources.': '!has(request.subResource)' };

export const onlyOperations = (...operations: readonly string[]): Readonly<Record<string, string>> => ({
  [`Lull may only ${operations.map((it) => it.toLowerCase()).join(' or ')} it.`]: `request.operation in ${listOf(operations)}`,
});

/** Observe writes nothing there, whatever RBAC says. */
export const nothingAtAll = { 'In role observe Lull may not write it.': 'false' };

const isOurs = `it.key == ${quote(taint.lullDisrupted)}`;

/** guide and the job that releases only take off what drive left. */
const taintsOf: Readonly<Record<'drive' | 'others', Readonly<Record<string, string>>>> = {
  drive: {
    [`The taint ${taint.lullDisrupted} has the effect NoSchedule, and stands once.`]: onUpdate(
      allOf(
        `variables.taints.all(it, !(${isOurs}) || it.effect == 'NoSchedule')`,
        `size(variables.taints.filter(it, ${isOurs})) <= 1`,
      ),
    ),
    "Only Karpenter's nodes are tainted or deleted.": `(request.operation == 'UPDATE' && !variables.taints.exists(it, ${isOurs})) || variables.isKarpenters`,
  },
  others: {
    [`The taint ${taint.lullDisrupted} may only be removed.`]: onUpdate(
      `variables.taints.all(it, !(${isOurs}) || it in variables.oldTaints)`,
    ),
  },
};

const steps = { guide: ['parks', 'unparks'], drive: ['parks'], release: ['unparks'] } as const;

export function nodes(duty: Duty): Restraint {
  const [apiGroup, resource] = ['', 'nodes'];
  if (duty === 'observe') return { apiGroup, resource, rules: nothingAtAll };
  const parking = parkingBy(...steps[duty]);
  return {
    apiGroup,
    resource,
    variables: {
      ...annotations,
      ...parking.variables,
      taints: 'has(object.spec.taints) ? object.spec.taints : []',
      oldTaints: 'has(oldObject.spec.taints) ? oldObject.spec.taints : []',
      labels: mapAt('oldObject', 'metadata.labels'),
      isKarpenters: `variables.labels.exists(k, k in ${listOf(karpentersLabels)})`,
    },
    rules: {
      ...noSubresource,
      ...(duty === 'drive' ? onlyOperations('UPDATE', 'DELETE') : onlyOperations('UPDATE')),
      // Karpenter copies the annotations of a claim to its node.
      ...onlyAnnotations(parkingKeys, duty === 'release' ? [annotation.command] : []),
      ...parking.rules,
      'Of its spec only the taints may change.': onUpdate(
        sameBut('dyn(object.spec)', 'dyn(oldObject.spec)', ['taints']),
      ),
      [`Of its taints only ${taint.lullDisrupted} may change.`]: onUpdate(
        sameOthers('variables.taints', 'variables.oldTaints', isOurs),
      ),
      ...taintsOf[duty === 'drive' ? 'drive' : 'others'],
    },
  };
}
