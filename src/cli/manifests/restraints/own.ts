// Objects that are Lull's own: the pause, the ledger, the lease and its events; and its Deployment, which only the job may stop (Q5, G2, N10, N12).
import { annotation } from '../../../cluster/names.ts';
import { ledgerName } from '../../../kube/apiKind.ts';
import type { Duty } from '../../../kube/permissions.ts';
import { pauseName, pauseWindow } from '../../../server/pause.ts';
import { asInstant } from '../../../time/instant.ts';
import { allOf, listOf, onUpdate, quote, sameBut } from '../cel.ts';
import { appName } from '../manifest.ts';
import { annotations, onlyAnnotations, sameMetadata } from './marks.ts';
import { noSubresource, nothingAtAll, onlyOperations } from './nodes.ts';
import { windowStatus } from './pools.ts';
import type { Restraint } from './restraint.ts';

const onCreate = (expression: string): string => `request.operation != 'CREATE' || (${expression})`;

/** Nothing that would tie the object to others. */
const bare = (field: string): string => `!has(object.metadata.${field})`;
const untied = allOf(...['labels', 'ownerReferences', 'finalizers'].map(bare));

/** As the writer of a pause makes it, with all it ever writes; `nodes` is the default of the CRD. */
const written = pauseWindow({ until: asInstant(0), note: '', author: '' });
const pauseFields = [...Object.keys(written.spec), 'nodes'];

const pauseShape = allOf(
  `dyn(object.spec).all(k, k in ${listOf(pauseFields)})`,
  `object.spec.mode == ${quote(written.spec.mode)}`,
  "!has(object.spec.nodes) || object.spec.nodes == '0'",
);

const isStatus = "has(request.subResource) && request.subResource == 'status'";

export function windows(duty: Duty): Restraint {
  const status = windowStatus(duty);
  const named = `(request.operation == 'DELETE' ? oldObject : object).metadata.name == ${quote(pauseName)}`;
  return {
    apiGroup: 'karpenter.sh',
    resource: 'maintenancewindows',
    variables: { ...annotations, ...status.variables },
    rules: {
      [`Lull may write no other than ${pauseName}, but for its status.`]: `(${isStatus}) || ${named}`,
      ...(duty === 'release'
        ? { [`The job may only delete ${pauseName}.`]: `(${isStatus}) || request.operation == 'DELETE'` }
        : {
            'A pause holds back everything on every node, and has nothing but an end and a note.': `(${isStatus}) || request.operation == 'DELETE' || (${pauseShape})`,
            [`A pause has no metadata but ${annotation.author}.`]: onCreate(
              allOf(untied, `variables.is.all(k, k == ${quote(annotation.author)})`),
            ),
            ...onlyAnnotations([annotation.author]),
          }),
      ...status.rules,
    },
  };
}

const begun = {
  [`Lull creates the ledger ${ledgerName}, without labels, annotations, owners or finalizers.`]: onCreate(
    allOf(`object.metadata.name == ${quote(ledgerName)}`, untied, bare('annotations')),
  ),
};

/** What is in it is Lull's memory; nothing else may hang on it. */
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

/** Only in its own namespace, which is all that RBAC lets it write. */
export const leases = (duty: Duty): Restraint => ({
  apiGroup: 'coordination.k8s.io',
  resource: 'leases',
  isLocal: true,
  variables: annotations,
  rules: {
    ...(duty === 'release' ? onlyOperations('UPDATE', 'DELETE') : onlyOperations('CREATE', 'UPDATE')),
    [`Lull may write no other lease than ${appName}.`]: `(request.operation == 'DELETE' ? oldObject : object).metadata.name == ${quote(appName)}`,
    'Nothing may hang on the lease.': onCreate(untied),
    "Only annotations of Lull's own may change.": onUpdate("variables.changed.all(k, k.startsWith('lull.dev/'))"),
    ...sameMetadata,
  },
});

const isOurs = (event: string): string =>
  `has(${event}.source) && has(${event}.source.component) && ${event}.source.component == ${quote(appName)}`;

/** Told again, an event changes its count, its time and its words. */
export const events: Restraint = {
  apiGroup: '',
  resource: 'events',
  variables: annotations,
  rules: {
    ...onlyOperations('CREATE', 'UPDATE'),
    'What Lull writes says that it comes from Lull.': `request.operation == 'DELETE' || (${isOurs('object')})`,
    'Lull may not change the events of others.': onUpdate(isOurs('oldObject')),
    'Of its own events only count, lastTimestamp and message may change.': onUpdate(
      sameBut('dyn(object)', 'dyn(oldObject)', ['metadata', 'count', 'lastTimestamp', 'message']),
    ),
    ...onlyAnnotations([]),
  },
};

/** Only the job touches it: Lull is stopped, never started. */
export const deployments: Restraint = {
  apiGroup: 'apps',
  resource: 'deployments',
  isLocal: true,
  rules: {
    'The job may only scale it.':
      "has(request.subResource) && request.subResource == 'scale' && request.operation == 'UPDATE'",
    'The job may only scale it to 0.':
      "request.operation != 'UPDATE' || !has(object.spec.replicas) || object.spec.replicas == 0",
  },
};
