// Rules for metadata: when an object came, whose it is, its labels, and its annotations as far as Lull reads them.
import { annotation, atBirth } from '../../cluster/names.ts';
import { steering } from '../../kinds/annotationName.ts';
import { isMap, type Json } from '../../kinds/reader.ts';
import { parseText } from '../../kinds/text.ts';
import { parseInstant } from '../../time/instant.ts';
import { ownerGroups, ownerKinds } from './allowed.ts';
import { keyOf, labelKey, labels, plainWords } from './labels.ts';
import type { Masks, Sort } from './masks.ts';
import { digest, each, fields, keepText, mapEntries, masked, name, onlyFields, type Rule } from './rules.ts';
import {
  apiVersion,
  count,
  cron,
  crons,
  duration,
  durations,
  flag,
  instant,
  number,
  protection,
  reason,
  reasons,
  timeZone,
} from './values.ts';

const reasonOrList: Rule = (value, masks) => (Array.isArray(value) ? each(reason) : reason)(value, masks);

const budgetFields: Readonly<Record<string, Rule>> = {
  nodes: count,
  maxUnavailable: count,
  reasons: reasonOrList,
  reason: reasonOrList,
  schedule: cron,
  crontab: cron,
  duration,
  timeZone,
  topologyKey: labelKey,
  sequential: flag,
  settle: duration,
  patience: duration,
};

export const budgets: Rule = fields(budgetFields);

/** What cannot be read stays unreadable. */
const unreadable = '{';

/** A text that holds budgets; comments in it are for people. An unknown field there is a fault of the pool (C8). */
const budgetsText: Rule = (value, masks) => {
  const { values, errors } = parseText(String(value));
  const [first] = values;
  if (errors.length > 0 || values.length !== 1) return unreadable;
  return JSON.stringify(onlyFields(budgetFields)(first?.value ?? null, masks));
};

/** In the order in which Lull writes them: the text is compared. */
const mirror: Rule = fields({ budgets, repairAfter: duration, expireAfter: duration });

/** A copy of some fields of `spec.disruption`, as JSON (N9). */
const mirrorText: Rule = (value, masks) => {
  try {
    return JSON.stringify(mirror(JSON.parse(String(value)), masks));
  } catch {
    return unreadable;
  }
};

/** The CRD under which the copy was made: its uid and generation (N9). */
const seenUnder: Rule = (value, masks) => {
  if (typeof value !== 'string') return masked(value, masks);
  const [, uid = value, generation = ''] = /^(.*)\.(\d{0,15})$/.exec(value) ?? [];
  return `${String(digest(uid, masks))}.${generation}`;
};

const nudged = 'lull-';

/** Karpenter's hash of a template could be guessed at; a nudged one names the command (N6). */
const poolHash: Rule = (value, masks) =>
  typeof value === 'string' && value.startsWith(nudged)
    ? `${nudged}${masks.name('command', value.slice(nudged.length))}`
    : digest(value, masks);

const marked: Rule = keepText((text) => ['', 'true', atBirth].includes(text) || parseInstant(text) !== undefined);
const wholeNumber: Rule = keepText((text) => /^[+-]?\d{1,15}$/.test(text));

const read: Readonly<Record<string, Rule>> = {
  [steering.doNotDisrupt]: protection,
  [steering.keptBefore]: protection,
  [steering.doNotEvict]: protection,
  [steering.doNotRepair]: protection,
  [steering.doNotConsolidate]: protection,
  [steering.doNotDisruptReasons]: reasons,
  [steering.schedule]: crons,
  [steering.scheduleDuration]: durations,
  [steering.timeZone]: timeZone,
  [steering.blockSchedule]: crons,
  [steering.blockDuration]: durations,
  [steering.disruptionCost]: wholeNumber,
  [steering.deletionCost]: wholeNumber,
  [steering.budgets]: budgetsText,
  [steering.expireAfter]: duration,
  [annotation.parked]: marked,
  [annotation.command]: name('command'),
  [annotation.poolHash]: poolHash,
  [annotation.hashBefore]: poolHash,
  [annotation.poolHashVersion]: keepText((text) => /^v\d{1,3}$/.test(text)),
  [annotation.budgetsSeen]: mirrorText,
  [annotation.budgetsSeenUnder]: seenUnder,
  [annotation.budgetsGone]: instant,
  [annotation.terminateAt]: instant,
  'volume.beta.kubernetes.io/storage-class': name('storageclass'),
};

const flagOrMasked: Rule = keepText((text) => plainWords.has(text));

/** What people wrote for people is masked, hold and author too. */
export const annotations: Rule = (value, masks) =>
  mapEntries(value, masks, (key, inside) => {
    const rule = Object.hasOwn(read, key) ? read[key] : undefined;
    return [keyOf(key, masks), (typeof inside === 'string' && rule ? rule : flagOrMasked)(inside, masks)];
  });

const groupOf = (group: string, masks: Masks): string => (ownerGroups.has(group) ? group : masks.name('group', group));

/** What a workload's kind is called by its makers, unless everybody has it. One that shares its name with Kubernetes' own carries its group. */
export function kindOf(kind: string, masks: Masks): string {
  const [plain = '', ...group] = kind.split('.');
  const masked = ownerKinds.has(plain) ? plain : masks.name('kind', plain);
  return group.length > 0 ? `${masked}.${groupOf(group.join('.'), masks)}` : masked;
}

const sortOfOwner: ReadonlyMap<unknown, Sort> = new Map([
  ['Node', 'node'],
  ['NodeClaim', 'claim'],
  ['NodePool', 'pool'],
  ['Pod', 'pod'],
]);

/** A ReplicaSet is called after its Deployment and a hash, which its pods carry as a label: it stays so. */
function ownerName(owner: string, hash: unknown, masks: Masks): string {
  if (typeof hash !== 'string' || hash === '' || !owner.endsWith(`-${hash}`)) return masks.name('owner', owner);
  return `${masks.name('owner', owner.slice(0, -hash.length - 1))}-${masks.name('value', hash)}`;
}

const owners = (hash: unknown): Rule =>
  each((value, masks) => {
    const sort = sortOfOwner.get(isMap(value) ? value.kind : undefined);
    const called: Rule = (text) => {
      if (typeof text !== 'string') return masked(text, masks);
      return sort ? masks.name(sort, text) : ownerName(text, hash, masks);
    };
    return fields({
      apiVersion: apiVersion(groupOf),
      kind: (text) => (typeof text === 'string' ? kindOf(text, masks) : masked(text, masks)),
      name: called,
      uid: digest,
      controller: flag,
    })(value, masks);
  });

/** Metadata of an object whose name is of this sort. */
export const metadata = (sort: Sort): Rule => metadataWith(name(sort));

/** The same for kinds in namespaces: where none is named, `default` is meant, which has a rank like any other. */
export const metadataInNamespace = (sort: Sort): Rule => {
  const rule = metadata(sort);
  return (value, masks) => rule(isMap(value) ? { ...value, namespace: value.namespace || 'default' } : value, masks);
};

export const metadataWith = (called: Rule): Rule => {
  const rest = fields({
    name: called,
    namespace: name('namespace'),
    uid: digest,
    generation: number,
    creationTimestamp: instant,
    deletionTimestamp: instant,
    deletionGracePeriodSeconds: number,
    labels,
    annotations,
  });
  return (value, masks) => {
    const kept = rest(value, masks);
    if (!isMap(value) || !isMap(kept) || value.ownerReferences === undefined) return kept;
    const hash = isMap(value.labels) ? value.labels['pod-template-hash'] : undefined;
    return { ...kept, ownerReferences: owners(hash)(value.ownerReferences, masks) } satisfies Json;
  };
};
