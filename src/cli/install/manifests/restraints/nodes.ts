// What Lull may do to Nodes and Pods: park and taint nodes, and evict or delete pods of disrupted nodes (N2, N5, G6, H2, N12).
import { annotation, label, taint } from '../../../../cluster/names.ts';
import type { Duty } from '../../../../kube/permissions.ts';
import { allOf, listOf, mapAt, onUpdate, quote, sameBut, sameOthers } from '../cel.ts';
import {
  annotations,
  changedAnnotations,
  leaderLabel,
  onlyAnnotations,
  parkingBy,
  parkingKeys,
  sameMetadata,
} from './markRules.ts';
import type { Restraint } from './restraint.ts';

/** Karpenter's nodes have one of these labels. Lull may not write labels, so it cannot turn another node into Karpenter's. */
const karpentersLabels = [label.pool, label.provisioner, label.registered, label.initialized];

export const noSubresource = { 'Lull may not write its subresources.': '!has(request.subResource)' };

export const onlyOperations = (...operations: readonly string[]): Readonly<Record<string, string>> => ({
  [`Lull may only ${operations.map((it) => it.toLowerCase()).join(' or ')} it.`]: `request.operation in ${listOf(operations)}`,
});

/** Observe writes nothing, whatever RBAC allows. */
export const nothingAtAll = { 'In role observe Lull may not write it.': 'false' };

const isOurs = `it.key == ${quote(taint.lullDisrupted)}`;

/** guide and the release job only remove what drive left. */
const taintsOf: Readonly<Record<'drive' | 'others', Readonly<Record<string, string>>>> = {
  drive: {
    [`The taint ${taint.lullDisrupted} must have the effect NoSchedule, and may occur only once.`]: onUpdate(
      allOf(
        `variables.taints.all(it, !(${isOurs}) || it.effect == 'NoSchedule')`,
        `size(variables.taints.filter(it, ${isOurs})) <= 1`,
      ),
    ),
    "Only Karpenter's nodes may be tainted or deleted.": `(request.operation == 'UPDATE' && !variables.taints.exists(it, ${isOurs})) || variables.isKarpenters`,
  },
  others: {
    [`The taint ${taint.lullDisrupted} may only be removed.`]: onUpdate(
      `variables.taints.all(it, !(${isOurs}) || it in variables.oldTaints)`,
    ),
  },
};

const nodeSteps = { guide: ['parks', 'unparks'], drive: ['parks'], release: ['unparks'] } as const;

export function nodes(duty: Duty): Restraint {
  const [apiGroup, resource] = ['', 'nodes'];
  if (duty === 'observe') return { apiGroup, resource, rules: nothingAtAll };
  const parking = parkingBy(...nodeSteps[duty]);
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
      // Karpenter copies a claim's annotations to its node.
      ...onlyAnnotations(parkingKeys, duty === 'release' ? [annotation.command] : []),
      ...parking.rules,
      'Only the taints may change in its spec.': onUpdate(
        sameBut('dyn(object.spec)', 'dyn(oldObject.spec)', ['taints']),
      ),
      [`Only the taint ${taint.lullDisrupted} may change.`]: onUpdate(
        sameOthers('variables.taints', 'variables.oldTaints', isOurs),
      ),
      ...taintsOf[duty === 'drive' ? 'drive' : 'others'],
    },
  };
}

export const unchangedSpec = { 'Its spec may not change.': onUpdate('object.spec == oldObject.spec') };

const onDelete = (expression: string): string => `request.operation != 'DELETE' || (${expression})`;

const taintKeys = listOf([taint.karpenterDisrupted, taint.lullDisrupted]);

/** Like `isEvictable` (G6): a pod that tolerates the taint of a disrupted node stays until the node is gone. */
const tolerates = [
  "(!has(it.effect) || it.effect == '' || it.effect == 'NoSchedule')",
  `(!has(it.key) || it.key == '' || it.key in ${taintKeys})`,
  "((has(it.operator) && it.operator == 'Exists') || (has(it.key) && it.key != '' && (!has(it.value) || it.value == '')))",
].join(' && ');

const deletion: Readonly<Record<string, string>> = {
  'A pod must be deleted with a grace period of at least one second: without it, the object would vanish while the pod may still run.':
    onDelete(
      'has(request.options) && has(request.options.gracePeriodSeconds) && request.options.gracePeriodSeconds >= 1',
    ),
  'Only a pod that is bound to a node may be deleted.': onDelete(
    "has(oldObject.spec.nodeName) && oldObject.spec.nodeName != ''",
  ),
  'A static pod belongs to its node and may not be deleted.': onDelete(
    "!variables.owners.exists(it, it.kind == 'Node')",
  ),
  'A pod that tolerates the taint of a disrupted node may not be deleted before the node is gone.': onDelete(
    `!variables.tolerations.exists(it, ${tolerates})`,
  ),
};

const eviction: Readonly<Record<string, string>> = {
  'Only its subresource eviction may be written.': "!has(request.subResource) || request.subResource == 'eviction'",
  // An eviction contains only the pod's name; the API server enforces PodDisruptionBudgets.
  'An eviction may not change the grace period of the pod.':
    '!has(request.subResource) || !has(object.deleteOptions) || !has(object.deleteOptions.gracePeriodSeconds)',
};

const podSteps = { guide: ['parks', 'unparks'], drive: ['unparks'], release: ['unparks'] } as const;

export function pods(duty: Duty): Restraint {
  const [apiGroup, resource] = ['', 'pods'];
  // The release job does not lead.
  const own = duty === 'release' ? { variables: {}, rules: sameMetadata } : leaderLabel;
  if (duty === 'observe')
    return {
      apiGroup,
      resource,
      variables: { ...annotations, ...own.variables },
      rules: {
        ...noSubresource,
        ...onlyOperations('UPDATE'),
        ...changedAnnotations([]),
        ...own.rules,
        ...unchangedSpec,
      },
    };
  const parking = parkingBy(...podSteps[duty]);
  const mayDelete = duty !== 'release';
  return {
    apiGroup,
    resource,
    variables: {
      ...annotations,
      ...own.variables,
      ...parking.variables,
      ...(mayDelete && {
        owners: 'has(oldObject.metadata.ownerReferences) ? oldObject.metadata.ownerReferences : []',
        tolerations: 'has(oldObject.spec.tolerations) ? oldObject.spec.tolerations : []',
      }),
    },
    rules: {
      ...(duty === 'drive' ? eviction : noSubresource),
      ...operationsOf(duty),
      ...changedAnnotations(parkingKeys),
      ...own.rules,
      ...parking.rules,
      ...unchangedSpec,
      ...(mayDelete && deletion),
    },
  };
}

function operationsOf(duty: Duty): Readonly<Record<string, string>> {
  if (duty === 'release') return onlyOperations('UPDATE');
  const only = onlyOperations('UPDATE', 'DELETE');
  if (duty === 'guide') return only;
  return Object.fromEntries(
    Object.entries(only).map(([message, expression]) => [message, `has(request.subResource) || ${expression}`]),
  );
}

/** Checked against the nodes that Karpenter did not create: usually a handful, such as control plane nodes. */
export const deletedPods: Restraint = {
  apiGroup: '',
  resource: 'pods',
  name: 'pods-deleted',
  operations: ['DELETE'],
  rules: {
    'Karpenter did not create its node.':
      '!(has(oldObject.spec.nodeName) && params.metadata.name == oldObject.spec.nodeName)',
  },
  params: {
    apiVersion: 'v1',
    kind: 'Node',
    selector: { matchExpressions: karpentersLabels.map((key) => ({ key, operator: 'DoesNotExist' })) },
  },
};
