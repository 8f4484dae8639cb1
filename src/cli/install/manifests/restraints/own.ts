// What Lull may do to NodePools, windows, schedules and gates, and to its own ledger, lease, events and Deployment (N8, N9, D8, N12).
import { annotation, lullKeys } from '../../../../cluster/names.ts';
import { ledgerName } from '../../../../kube/apiKind.ts';
import type { Duty } from '../../../../kube/permissions.ts';
import { pauseName, pauseWindow } from '../../../../server/userRequests.ts';
import { asInstant } from '../../../../time/instant.ts';
import { allOf, listOf, mapAt, onUpdate, quote, sameBut, sameOthers } from '../cel.ts';
import { appName } from '../manifest.ts';
import { annotations, onlyAnnotations, sameMetadata } from './markRules.ts';
import { noSubresource, nothingAtAll, onlyOperations, unchangedSpec } from './nodes.ts';
import type { Restraint } from './restraint.ts';

const statuses = {
  status: mapAt('object', 'status'),
  oldStatus: mapAt('oldObject', 'status'),
  conditions: "'conditions' in variables.status ? variables.status.conditions : []",
  oldConditions: "'conditions' in variables.oldStatus ? variables.oldStatus.conditions : []",
};

/** The API server fills in `nodes` as soon as there is a status. */
const nodesIn = (status: string): string => `('nodes' in ${status} ? ${status}.nodes : 0)`;

const isStatus = "has(request.subResource) && request.subResource == 'status'";
const onlyStatus = "!has(request.subResource) || request.subResource == 'status'";

/** The release job only withdraws what Lull wrote. */
const withdrawn = {
  'Only what Lull wrote may be removed from its status.': onUpdate(
    allOf(
      "variables.status.all(k, k in ['conditions', 'nodes'] || (k in variables.oldStatus && variables.oldStatus[k] == variables.status[k]))",
      'variables.conditions.all(it, it in variables.oldConditions)',
    ),
  ),
};

/** Lull's own conditions stand beside Karpenter's (N8). */
export function nodePools(duty: Duty): Restraint {
  const mirrors = duty === 'observe' ? [] : lullKeys.pool.marks;
  return {
    apiGroup: 'karpenter.sh',
    resource: 'nodepools',
    variables: { ...annotations, ...statuses },
    rules: {
      'Only its subresource status may be written.': onlyStatus,
      ...onlyOperations('UPDATE'),
      ...(duty === 'release' ? onlyAnnotations([], mirrors) : onlyAnnotations(mirrors)),
      ...unchangedSpec,
      "Only Lull's own conditions and field may change in its status.": onUpdate(
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

/** Users write PodDisruptionSchedules; Lull writes their status. */
export const schedules = (duty: Duty): Restraint => ({
  apiGroup: 'karpenter.sh',
  resource: 'poddisruptionschedules',
  variables: statuses,
  rules: {
    'Lull may only write its status.': isStatus,
    ...(duty === 'release' && withdrawn),
  },
});

/** Users write HealthGates; Lull writes their status. */
export const healthGates = (duty: Duty): Restraint => ({
  apiGroup: 'lull.dev',
  resource: 'healthgates',
  rules:
    duty === 'release'
      ? { 'The release job may not write it.': 'false' }
      : { 'Lull may only write its status.': isStatus },
});

const windowStatus = (duty: Duty): Pick<Restraint, 'rules'> & { variables: Readonly<Record<string, string>> } => ({
  variables: duty === 'release' ? statuses : {},
  rules: duty === 'release' ? withdrawn : {},
});

const onCreate = (expression: string): string => `request.operation != 'CREATE' || (${expression})`;

/** No metadata that would tie the object to others. */
const bare = (field: string): string => `!has(object.metadata.${field})`;
const untied = allOf(...['labels', 'ownerReferences', 'finalizers'].map(bare));

/** The window that a pause writes, with every field it may have; `nodes` is the CRD's default. */
const written = pauseWindow({ until: asInstant(0), note: '', author: '' });
const pauseFields = [...Object.keys(written.spec), 'nodes'];

const pauseShape = allOf(
  `dyn(object.spec).all(k, k in ${listOf(pauseFields)})`,
  `object.spec.mode == ${quote(written.spec.mode)}`,
  "!has(object.spec.nodes) || object.spec.nodes == '0'",
);

export function windows(duty: Duty): Restraint {
  const status = windowStatus(duty);
  const named = `(request.operation == 'DELETE' ? oldObject : object).metadata.name == ${quote(pauseName)}`;
  return {
    apiGroup: 'karpenter.sh',
    resource: 'maintenancewindows',
    variables: { ...annotations, ...status.variables },
    rules: {
      [`Lull may write only ${pauseName}, and the status of others.`]: `(${isStatus}) || ${named}`,
      ...(duty === 'release'
        ? { [`The release job may only delete ${pauseName}.`]: `(${isStatus}) || request.operation == 'DELETE'` }
        : {
            'A pause must hold everything on every node, and may have only an end and a note.': `(${isStatus}) || request.operation == 'DELETE' || (${pauseShape})`,
            [`A pause may have no metadata except ${annotation.author}.`]: onCreate(
              allOf(untied, `variables.is.all(k, k == ${quote(annotation.author)})`),
            ),
            ...onlyAnnotations([annotation.author]),
          }),
      ...status.rules,
    },
  };
}

const begun = {
  [`Lull may create only the ledger ${ledgerName}, without labels, annotations, owners or finalizers.`]: onCreate(
    allOf(`object.metadata.name == ${quote(ledgerName)}`, untied, bare('annotations')),
  ),
};

/** The spec is Lull's memory; it may have no other metadata. */
const ledgerRules: Readonly<Record<Duty, Readonly<Record<string, string>>>> = {
  observe: nothingAtAll,
  guide: { ...noSubresource, ...onlyOperations('CREATE', 'UPDATE'), ...begun, ...onlyAnnotations([]) },
  drive: { ...noSubresource, ...onlyOperations('CREATE', 'UPDATE'), ...begun, ...onlyAnnotations([]) },
  release: { ...noSubresource, ...onlyOperations('DELETE') },
};

export const ledgers = (duty: Duty): Restraint => ({
  apiGroup: 'lull.dev',
  resource: 'disruptionledgers',
  variables: annotations,
  rules: ledgerRules[duty],
});

/** Only in Lull's own namespace, the only one where RBAC lets it write. */
export const leases = (duty: Duty): Restraint => ({
  apiGroup: 'coordination.k8s.io',
  resource: 'leases',
  isLocal: true,
  variables: annotations,
  rules: {
    ...(duty === 'release' ? onlyOperations('UPDATE', 'DELETE') : onlyOperations('CREATE', 'UPDATE')),
    [`Lull may write only the lease ${appName}.`]: `(request.operation == 'DELETE' ? oldObject : object).metadata.name == ${quote(appName)}`,
    'The lease may have no labels, owners or finalizers.': onCreate(untied),
    "Only Lull's own annotations may change.": onUpdate("variables.changed.all(k, k.startsWith('lull.dev/'))"),
    ...sameMetadata,
  },
});

const isOurs = (event: string): string =>
  `has(${event}.source) && has(${event}.source.component) && ${event}.source.component == ${quote(appName)}`;

/** A repeated event changes its count, its time and its message. */
export const events: Restraint = {
  apiGroup: '',
  resource: 'events',
  variables: annotations,
  rules: {
    ...onlyOperations('CREATE', 'UPDATE'),
    'An event of Lull must name Lull as its source.': `request.operation == 'DELETE' || (${isOurs('object')})`,
    'Lull may not change the events of others.': onUpdate(isOurs('oldObject')),
    'Only count, lastTimestamp and message of its own events may change.': onUpdate(
      sameBut('dyn(object)', 'dyn(oldObject)', ['metadata', 'count', 'lastTimestamp', 'message']),
    ),
    ...onlyAnnotations([]),
  },
};

/** Only the release job writes it: to stop Lull, never to start it. */
export const deployments: Restraint = {
  apiGroup: 'apps',
  resource: 'deployments',
  isLocal: true,
  rules: {
    'The release job may only scale it.':
      "has(request.subResource) && request.subResource == 'scale' && request.operation == 'UPDATE'",
    'The release job may only scale it to 0.':
      "request.operation != 'UPDATE' || !has(object.spec.replicas) || object.spec.replicas == 0",
  },
};
