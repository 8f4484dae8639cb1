// What Lull may do with Pods: park them, and evict or delete those of nodes that leave (N5, G6, H2, N12).
import { taint } from '../../../cluster/names.ts';
import type { Duty } from '../../../kube/permissions.ts';
import { listOf, onUpdate } from '../cel.ts';
import { annotations, onlyAnnotations, parkingBy, parkingKeys } from './marks.ts';
import { karpentersLabels, noSubresource, nothingAtAll, onlyOperations } from './nodes.ts';
import type { Restraint } from './restraint.ts';

export const unchangedSpec = { 'Its spec may not change.': onUpdate('object.spec == oldObject.spec') };

const onDelete = (expression: string): string => `request.operation != 'DELETE' || (${expression})`;

const taintKeys = listOf([taint.karpenterDisrupted, taint.lullDisrupted]);

/** As `isEvictable` has it (G6): a pod that tolerates the taint of a leaving node stays until the node is gone. */
const tolerates = [
  "(!has(it.effect) || it.effect == '' || it.effect == 'NoSchedule')",
  `(!has(it.key) || it.key == '' || it.key in ${taintKeys})`,
  "((has(it.operator) && it.operator == 'Exists') || (has(it.key) && it.key != '' && (!has(it.value) || it.value == '')))",
].join(' && ');

const deletion: Readonly<Record<string, string>> = {
  'A pod is deleted with at least a second of grace: with none it would be forgotten while it may still run.': onDelete(
    'has(request.options) && has(request.options.gracePeriodSeconds) && request.options.gracePeriodSeconds >= 1',
  ),
  'Only a pod that runs on a node is deleted.': onDelete(
    "has(oldObject.spec.nodeName) && oldObject.spec.nodeName != ''",
  ),
  'A static pod belongs to its node, and is not deleted.': onDelete("!variables.owners.exists(it, it.kind == 'Node')"),
  'A pod that tolerates the taint of a leaving node stays until the node is gone.': onDelete(
    `!variables.tolerations.exists(it, ${tolerates})`,
  ),
};

const eviction: Readonly<Record<string, string>> = {
  'Of its subresources only eviction may be written.': "!has(request.subResource) || request.subResource == 'eviction'",
  // The eviction itself says no more than the name of its pod; its PodDisruptionBudgets are kept by the API server.
  'An eviction leaves the pod the grace it asks for.':
    '!has(request.subResource) || !has(object.deleteOptions) || !has(object.deleteOptions.gracePeriodSeconds)',
};

const steps = { guide: ['parks', 'unparks'], drive: ['unparks'], release: ['unparks'] } as const;

export function pods(duty: Duty): Restraint {
  const [apiGroup, resource] = ['', 'pods'];
  if (duty === 'observe') return { apiGroup, resource, rules: nothingAtAll };
  const parking = parkingBy(...steps[duty]);
  const mayDelete = duty !== 'release';
  return {
    apiGroup,
    resource,
    variables: {
      ...annotations,
      ...parking.variables,
      ...(mayDelete && {
        owners: 'has(oldObject.metadata.ownerReferences) ? oldObject.metadata.ownerReferences : []',
        tolerations: 'has(oldObject.spec.tolerations) ? oldObject.spec.tolerations : []',
      }),
    },
    rules: {
      ...(duty === 'drive' ? eviction : noSubresource),
      ...operationsOf(duty),
      ...onlyAnnotations(parkingKeys),
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

/** Judged against the nodes that Karpenter did not make: usually a handful, such as those of the control plane. */
export const deletedPods: Restraint = {
  apiGroup: '',
  resource: 'pods',
  name: 'pods-deleted',
  operations: ['DELETE'],
  rules: {
    'Its node is one that Karpenter did not make.':
      '!(has(oldObject.spec.nodeName) && params.metadata.name == oldObject.spec.nodeName)',
  },
  params: {
    apiVersion: 'v1',
    kind: 'Node',
    selector: { matchExpressions: karpentersLabels.map((key) => ({ key, operator: 'DoesNotExist' })) },
  },
};
