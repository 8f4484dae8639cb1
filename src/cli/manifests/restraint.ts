// What keeps Lull from doing more than it says, whatever its code does (N12)? The API server itself: policies over its own requests.
import { annotation, lullKeys, taint } from '../../cluster/names.ts';
import { pauseWindow } from '../../server/pause.ts';
import { allOf, changedKeys, listOf, mapAt, onUpdate, quote, sameBut, sameOthers } from './cel.ts';
import { appName, labelsOf, type Manifest, releaseName, userOf, type Wanted } from './manifest.ts';

interface Restraint {
  readonly apiGroup: string;
  readonly resource: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** What must hold, and what is said where it does not. */
  readonly rules: Readonly<Record<string, string>>;
}

const pauseName = pauseWindow({}).metadata.name;

/** Those that people write for Lull to read. */
const usersOwn = [...lullKeys.node.written, ...lullKeys.pod.written, ...lullKeys.pool.written];

const [is, was, changed] = ['variables.is', 'variables.was', 'variables.changed'];

const annotations = {
  is: mapAt('object', 'metadata.annotations'),
  was: mapAt('oldObject', 'metadata.annotations'),
  changed: changedKeys(is, was),
};

const bookkeeping = ['annotations', 'managedFields', 'resourceVersion', 'generation'];

const onlyAnnotations = (extra: readonly string[]): Readonly<Record<string, string>> => ({
  [`Of its annotations only those of Lull itself may change${extra.map((key) => `, and ${key}`).join('')}.`]: onUpdate(
    `${changed}.all(k, k in ${listOf(extra)} || (k.startsWith('lull.dev/') && !(k in ${listOf(usersOwn)})))`,
  ),
  'Nothing else of its metadata may change.': onUpdate(
    sameBut('dyn(object.metadata)', 'dyn(oldObject.metadata)', bookkeeping),
  ),
});

const noSubresource = { 'Lull has no business with its subresources.': '!has(request.subResource)' };

const onlyUpdates = (...more: readonly string[]): Readonly<Record<string, string>> => ({
  'Lull may change it, and nothing else.': `request.operation in ${listOf(['UPDATE', ...more])}`,
});

const [kept, marker, beforeIt] = [annotation.doNotDisrupt, annotation.parked, annotation.keptBefore].map(quote);

/** N2: what carries no marker is the user's; what a user said that Karpenter does not read is kept beside it, and put back. */
const parking: Readonly<Record<string, string>> = {
  [`${annotation.doNotDisrupt} may change only where ${annotation.parked} stands or stood: otherwise it is a user's.`]:
    onUpdate(`!(${kept} in ${changed}) || ${marker} in ${was} || ${marker} in ${is}`),
  [`${annotation.parked} may not be put beside a user's ${annotation.doNotDisrupt}, and what else stood there is kept.`]:
    onUpdate(
      `!(${marker} in ${is}) || ${marker} in ${was} || !(${kept} in ${was}) || (${was}[${kept}] != 'true' && ${beforeIt} in ${is} && ${is}[${beforeIt}] == ${was}[${kept}])`,
    ),
  [`What ${annotation.keptBefore} kept is put back with the last of ${annotation.parked}.`]: onUpdate(
    `!(${beforeIt} in ${was}) || ${marker} in ${is} || !(${kept} in ${changed}) || (${kept} in ${is} && ${is}[${kept}] == ${was}[${beforeIt}])`,
  ),
};

const nodes = (role: Wanted['role']): Restraint => ({
  apiGroup: '',
  resource: 'nodes',
  variables: {
    ...annotations,
    taints: 'has(object.spec.taints) ? object.spec.taints : []',
    oldTaints: 'has(oldObject.spec.taints) ? oldObject.spec.taints : []',
  },
  rules: {
    ...noSubresource,
    ...onlyUpdates(...(role === 'drive' ? ['DELETE'] : [])),
    ...onlyAnnotations([annotation.doNotDisrupt]),
    ...parking,
    'Of its spec only the taints may change.': onUpdate(sameBut('dyn(object.spec)', 'dyn(oldObject.spec)', ['taints'])),
    [`Of its taints only ${taint.lullDisrupted}:NoSchedule may change.`]: onUpdate(
      allOf(
        sameOthers('variables.taints', 'variables.oldTaints', `it.key == ${quote(taint.lullDisrupted)}`),
        `variables.taints.all(it, it.key != ${quote(taint.lullDisrupted)} || it.effect == 'NoSchedule')`,
      ),
    ),
  },
});

const unchangedSpec = { 'Its spec may not change.': onUpdate('object.spec == oldObject.spec') };

const pods = (role: Wanted['role']): Restraint => ({
  apiGroup: '',
  resource: 'pods',
  variables: annotations,
  rules: {
    // An eviction is made by whoever may make one: its PodDisruptionBudget is kept by the API server.
    'Lull has no business with this subresource.':
      role === 'drive' ? "!has(request.subResource) || request.subResource == 'eviction'" : '!has(request.subResource)',
    'Lull may change and delete it, and nothing else.': `has(request.subResource) || request.operation in ${listOf(role === 'observe' ? ['UPDATE'] : ['UPDATE', 'DELETE'])}`,
    ...onlyAnnotations([annotation.doNotDisrupt]),
    ...parking,
    ...unchangedSpec,
  },
});

const [hash, before, deadline] = [annotation.poolHash, annotation.hashBefore, annotation.terminateAt].map(quote);

const nodeClaims = (role: Wanted['role']): Restraint => ({
  apiGroup: 'karpenter.sh',
  resource: 'nodeclaims',
  variables: annotations,
  rules: {
    ...noSubresource,
    ...onlyUpdates(...(role === 'drive' ? ['CREATE', 'DELETE'] : [])),
    [`What Lull creates says so in ${annotation.command}.`]: `request.operation != 'CREATE' || ${quote(annotation.command)} in ${is}`,
    // One that was born parked, by an admission policy, is released as nodes are.
    ...onlyAnnotations([annotation.doNotDisrupt, annotation.poolHash, annotation.terminateAt]),
    ...parking,
    // N6: Karpenter's hash is never lost.
    [`${annotation.poolHash} may change only while ${annotation.hashBefore} keeps it, and back.`]: onUpdate(
      `!(${hash} in ${changed}) || (${hash} in ${was} && !(${before} in ${was}) && ${before} in ${is} && ${is}[${before}] == ${was}[${hash}]) || (${before} in ${was} && ${hash} in ${is} && ${is}[${hash}] == ${was}[${before}])`,
    ),
    ...(role !== 'drive' && {
      [`${annotation.terminateAt} may only be taken off.`]: onUpdate(
        `!(${deadline} in ${changed}) || !(${deadline} in ${is})`,
      ),
    }),
    ...unchangedSpec,
  },
});

/** The API server itself fills it in, as soon as there is a status at all. */
const nodesIn = (status: string): string => `('nodes' in ${status} ? ${status}.nodes : 0)`;

/** N8: conditions of Lull's own stand beside Karpenter's. */
const nodePools: Restraint = {
  apiGroup: 'karpenter.sh',
  resource: 'nodepools',
  variables: {
    ...annotations,
    status: mapAt('object', 'status'),
    oldStatus: mapAt('oldObject', 'status'),
    conditions: "'conditions' in variables.status ? variables.status.conditions : []",
    oldConditions: "'conditions' in variables.oldStatus ? variables.oldStatus.conditions : []",
  },
  rules: {
    'Lull has no business with this subresource.': "!has(request.subResource) || request.subResource == 'status'",
    ...onlyUpdates(),
    ...onlyAnnotations([]),
    ...unchangedSpec,
    "Of its status only the conditions and the field of Lull's own may change.": onUpdate(
      allOf(
        sameBut('variables.status', 'variables.oldStatus', ['conditions', 'lull', 'nodes']),
        `${nodesIn('variables.status')} == ${nodesIn('variables.oldStatus')}`,
        sameOthers('variables.conditions', 'variables.oldConditions', "it.type.startsWith('Lull')"),
      ),
    ),
  },
};

/** The ledger needs no such rule: its definition knows no other name. */
const windows: Restraint = {
  apiGroup: 'karpenter.sh',
  resource: 'maintenancewindows',
  rules: {
    [`Lull may write no other than ${pauseName}, but for its status.`]: `(has(request.subResource) && request.subResource == 'status') || (request.operation == 'DELETE' ? oldObject : object).metadata.name == ${quote(pauseName)}`,
  },
};

export function restraintsFor(wanted: Wanted): readonly Manifest[] {
  const { role } = wanted;
  const restraints = [nodes(role), pods(role), nodeClaims(role), nodePools, windows];
  const policies = restraints.map((restraint) => policy(wanted, restraint));
  return [...policies, ...policies.map((it) => binding(wanted, it.metadata.name))];
}

const apiVersion = 'admissionregistration.k8s.io/v1';

const policy = (wanted: Wanted, { apiGroup, resource, variables = {}, rules }: Restraint): Manifest => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: `lull-restraint-${resource}`, labels: labelsOf(wanted) },
  spec: {
    // Who cannot be judged is refused: it is Lull alone that has to wait.
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [apiGroup],
          apiVersions: ['*'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          resources: [resource, `${resource}/*`],
        },
      ],
    },
    matchConditions: [
      {
        name: 'lull-itself',
        expression: `request.userInfo.username in ${listOf([appName, releaseName].map((it) => userOf(wanted.namespace, it)))}`,
      },
    ],
    variables: Object.entries(variables).map(([name, expression]) => ({ name, expression })),
    validations: Object.entries(rules).map(([message, expression]) => ({ expression, message, reason: 'Forbidden' })),
  },
});

const binding = (wanted: Wanted, name: string): Manifest => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name, labels: labelsOf(wanted) },
  spec: { policyName: name, validationActions: ['Deny'] },
});
