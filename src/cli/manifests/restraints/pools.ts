// What Lull may write on NodePools (conditions of its own, a mirror of its fields) and on windows and schedules (their status) (N8, N9, D8, N12).
import { lullKeys } from '../../../cluster/names.ts';
import type { Duty } from '../../../kube/permissions.ts';
import { allOf, mapAt, onUpdate, quote, sameBut, sameOthers } from '../cel.ts';
import { annotations, onlyAnnotations } from './marks.ts';
import { onlyOperations } from './nodes.ts';
import { unchangedSpec } from './pods.ts';
import type { Restraint } from './restraint.ts';

const statuses = {
  status: mapAt('object', 'status'),
  oldStatus: mapAt('oldObject', 'status'),
  conditions: "'conditions' in variables.status ? variables.status.conditions : []",
  oldConditions: "'conditions' in variables.oldStatus ? variables.oldStatus.conditions : []",
};

/** The API server itself fills it in, as soon as there is a status at all. */
const nodesIn = (status: string): string => `('nodes' in ${status} ? ${status}.nodes : 0)`;

const onlyStatus = "!has(request.subResource) || request.subResource == 'status'";

/** The job only withdraws what Lull wrote. */
const withdrawn = {
  'Its status may only lose what Lull wrote there.': onUpdate(
    allOf(
      "variables.status.all(k, k in ['conditions', 'nodes'] || (k in variables.oldStatus && variables.oldStatus[k] == variables.status[k]))",
      'variables.conditions.all(it, it in variables.oldConditions)',
    ),
  ),
};

/** Conditions of Lull's own stand beside Karpenter's (N8). */
export function nodePools(duty: Duty): Restraint {
  const mirrors = duty === 'observe' ? [] : lullKeys.pool.marks;
  return {
    apiGroup: 'karpenter.sh',
    resource: 'nodepools',
    variables: { ...annotations, ...statuses },
    rules: {
      'Of its subresources only the status may be written.': onlyStatus,
      ...onlyOperations('UPDATE'),
      ...(duty === 'release' ? onlyAnnotations([], mirrors) : onlyAnnotations(mirrors)),
      ...unchangedSpec,
      "Of its status only the conditions and the field of Lull's own may change.": onUpdate(
        allOf(
          sameBut('variables.status', 'variables.oldStatus', ['conditions', 'lull', 'nodes']),
          `${nodesIn('variables.status')} == ${nodesIn('variables.oldStatus')}`,
          sameOthers('variables.conditions', 'variables.oldConditions', "it.type.startsWith('Lull')"),
        ),
      ),
      ...(duty === 'release' && withdrawn),
    },
  };
}

/** Schedules of pods are people's; Lull writes their status. */
export const schedules = (duty: Duty): Restraint => ({
  apiGroup: 'karpenter.sh',
  resource: 'poddisruptionschedules',
  variables: statuses,
  rules: {
    'Lull may only write its status.': `has(request.subResource) && request.subResource == ${quote('status')}`,
    ...(duty === 'release' && withdrawn),
  },
});

export const windowStatus = (
  duty: Duty,
): Pick<Restraint, 'rules'> & { variables: Readonly<Record<string, string>> } => ({
  variables: duty === 'release' ? statuses : {},
  rules: duty === 'release' ? withdrawn : {},
});
