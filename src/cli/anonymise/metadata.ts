// What may others know of who an object is? When it came, and whose it is; its labels and annotations as far as Lull reads them.
import { annotation } from '../../cluster/names.ts';
import { steering } from '../../kinds/annotationName.ts';
import { isMap, type Json } from '../../kinds/reader.ts';
import { parseText } from '../../kinds/text.ts';
import { parseDuration } from '../../time/duration.ts';
import type { Masks, Sort } from './masks.ts';
import { digest, fields, freeText, keep, keyOf, labelKey, labels, mapEntries, name, type Rule } from './rules.ts';

export const budgets: Rule = fields({
  nodes: keep,
  maxUnavailable: keep,
  reasons: keep,
  reason: keep,
  schedule: keep,
  crontab: keep,
  duration: keep,
  timeZone: keep,
  topologyKey: labelKey,
  sequential: keep,
  settle: keep,
  patience: keep,
});

/** A text that holds budgets; comments in it are for people. What cannot be read stays unreadable. */
const budgetsText: Rule = (value, masks) => {
  const { values, errors } = parseText(String(value));
  return errors.length > 0 ? '{' : JSON.stringify(budgets(values[0]?.value ?? null, masks));
};

/** N9: a copy of some fields of `spec.disruption`, as JSON. */
const mirrorText: Rule = (value, masks) => {
  const { values, errors } = parseText(String(value));
  const copy = fields({ budgets, expireAfter: keep, repairAfter: keep });
  return errors.length > 0 ? '{' : JSON.stringify(copy(values[0]?.value ?? null, masks));
};

/** `true`, a duration, or something that protects nothing. */
const protection: Rule = (value) => {
  const text = String(value);
  return text === 'true' || text === 'false' || parseDuration(text) !== undefined ? text : 'masked';
};

const read: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries([...Object.values(steering), ...Object.values(annotation)].map((key) => [key, keep])),
  [steering.doNotDisrupt]: protection,
  [steering.hold]: freeText,
  [steering.rebalance]: freeText,
  [steering.budgets]: budgetsText,
  [annotation.keptBefore]: protection,
  [annotation.author]: freeText,
  [annotation.budgetsSeen]: mirrorText,
  'volume.beta.kubernetes.io/storage-class': name('storageclass'),
};

export const annotations: Rule = (value, masks) =>
  mapEntries(value, (key, text) => {
    const rule = Object.hasOwn(read, key) ? read[key] : undefined;
    return rule ? [key, rule(text, masks)] : [keyOf(key, masks), masks.name('value', text)];
  });

const builtIn = /^(v1|apps\/v1|batch\/v1|karpenter\.sh\/v1(beta1)?)$/;
const builtInKinds = new Set<unknown>([
  'DaemonSet',
  'Deployment',
  'Job',
  'CronJob',
  'Node',
  'NodeClaim',
  'NodePool',
  'Pod',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
]);
const sortOfOwner: ReadonlyMap<unknown, Sort> = new Map([
  ['Node', 'node'],
  ['NodeClaim', 'claim'],
  ['NodePool', 'pool'],
  ['Pod', 'pod'],
]);

/** What it is called by its makers, unless everybody knows it. */
export const kindOf = (kind: string, masks: Masks): string =>
  builtInKinds.has(kind) ? kind : masks.name('kind', kind);

/** A ReplicaSet is called after its Deployment and a hash, which its pods carry as a label: it stays so. */
function ownerName(owner: string, hash: unknown, masks: Masks): string {
  if (typeof hash !== 'string' || hash === '' || !owner.endsWith(`-${hash}`)) return masks.name('owner', owner);
  return `${masks.name('owner', owner.slice(0, -hash.length - 1))}-${masks.name('value', hash)}`;
}

function owners(value: unknown, hash: unknown, masks: Masks): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((owner: unknown) => {
    if (!isMap(owner)) return owner;
    const { apiVersion, kind, name: called, uid, controller } = owner;
    const sort = sortOfOwner.get(kind);
    const masked = (text: string): string => (sort ? masks.name(sort, text) : ownerName(text, hash, masks));
    return {
      ...(typeof apiVersion === 'string' && {
        apiVersion: builtIn.test(apiVersion) ? apiVersion : `${masks.name('kind', apiVersion)}.example/v1`,
      }),
      ...(kind !== undefined && { kind: typeof kind === 'string' ? kindOf(kind, masks) : kind }),
      ...(called !== undefined && { name: typeof called === 'string' ? masked(called) : called }),
      ...(uid !== undefined && { uid: digest(uid, masks) }),
      ...(controller !== undefined && { controller }),
    };
  });
}

/** Of an object whose name is of this sort. */
export const metadata = (sort: Sort | 'its own'): Rule => {
  const rest = fields({
    name: sort === 'its own' ? keep : name(sort),
    namespace: name('namespace'),
    uid: digest,
    creationTimestamp: keep,
    deletionTimestamp: keep,
    deletionGracePeriodSeconds: keep,
    labels,
    annotations,
  });
  return (value, masks) => {
    if (!isMap(value)) return value;
    const hash = isMap(value.labels) ? value.labels['pod-template-hash'] : undefined;
    const whose = owners(value.ownerReferences, hash, masks);
    return { ...(rest(value, masks) as Json), ...(whose !== undefined && { ownerReferences: whose }) };
  };
};
