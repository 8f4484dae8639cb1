// Rules for metadata, labels and what selects by them.
import { annotation, atBirth } from '../../../cluster/names.ts';
import { formatSigned, parseSigned } from '../../../cluster/signedInstant.ts';
import { steering } from '../../../kinds/read/knownKeys.ts';
import { isMap, type Json } from '../../../kinds/read/reader.ts';
import { isLabelName, isLabelValue } from '../../../kinds/read/selectors.ts';
import { parseText } from '../../../kinds/text/documents.ts';
import { parseInstant } from '../../../time/instant.ts';
import { amountKeys, knownKeys, knownResources, namingKeys, ownerGroups, ownerKinds, wordKeys } from './allowed.ts';
import type { Masks, Sort } from './masks.ts';
import {
  apiVersion,
  count,
  cron,
  crons,
  digest,
  duration,
  durations,
  each,
  fields,
  flag,
  instant,
  keepText,
  type MaskRule,
  mapEntries,
  masked,
  name,
  number,
  oneOf,
  onlyFields,
  protection,
  quantity,
  reason,
  reasons,
  timeZone,
} from './rules.ts';

export function keyOf(key: string, masks: Masks): string {
  if (key === '' || knownKeys.has(key)) return key;
  // A key that Kubernetes would reject stays invalid.
  return `${masks.name('key', key)}${isLabelName(key) ? '' : '!'}`;
}

export const labelKey: MaskRule = (value, masks) =>
  typeof value === 'string' ? keyOf(value, masks) : masked(value, masks);

const plainWords = new Set(['', 'true', 'false']);
const wholeNumber = /^-?\d{1,15}$/;
const amount = /^\d{1,15}(\.\d{1,15})?([KMGT]i)?$/;

/** Several zones of a volume are written `a__b`. */
const places = new Set<Sort>(['zone', 'region']);

export function labelValue(key: string, value: string, masks: Masks): string {
  const sort = namingKeys.get(key);
  if (sort && places.has(sort))
    return value
      .split('__')
      .map((place) => masks.name(sort, place.trim()))
      .join('__');
  const valid = isLabelValue(value) ? '' : '!';
  if (sort) return `${masks.name(sort, value)}${valid}`;
  const isKept =
    plainWords.has(value) ||
    wordKeys.get(key)?.has(value) ||
    (masks.numeric.has(key) && wholeNumber.test(value)) ||
    (amountKeys.has(key) && amount.test(value));
  return isKept ? value : `${masks.name('value', value)}${valid}`;
}

export const labels: MaskRule = (value, masks) =>
  mapEntries(value, masks, (key, text) => [
    keyOf(key, masks),
    typeof text === 'string' ? labelValue(key, text, masks) : masked(text, masks),
  ]);

const numericOperators = new Set<unknown>(['Gt', 'Lt', 'Gte', 'Lte']);
const operator: MaskRule = oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte', 'Equal');

/** `key operator values`, of selectors, requirements and affinities. */
export const requirements: MaskRule = each((value, masks) => {
  const about = isMap(value) && typeof value.key === 'string' ? value.key : '';
  if (isMap(value) && numericOperators.has(value.operator)) masks.numeric.add(about);
  return fields({
    key: labelKey,
    operator,
    values: each((text) => (typeof text === 'string' ? labelValue(about, text, masks) : masked(text, masks))),
    minValues: number,
  })(value, masks);
});

export const selector: MaskRule = fields({ matchLabels: labels, matchExpressions: requirements });

/** Amounts by resource. */
export const resources: MaskRule = (value, masks) =>
  mapEntries(value, masks, (key, inside) => [
    knownResources.test(key) ? key : masks.name('key', key),
    quantity(inside, masks),
  ]);

/** Taints and tolerations. */
export const taints: MaskRule = each((value, masks) => {
  const about = isMap(value) && typeof value.key === 'string' ? value.key : '';
  return fields({
    key: labelKey,
    operator,
    value: (text) => (typeof text === 'string' ? labelValue(about, text, masks) : masked(text, masks)),
    effect: oneOf('', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'),
    timeAdded: instant,
    tolerationSeconds: number,
  })(value, masks);
});

const reasonOrList: MaskRule = (value, masks) => (Array.isArray(value) ? each(reason) : reason)(value, masks);

const budgetFields: Readonly<Record<string, MaskRule>> = {
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
  driftAfter: duration,
  per: duration,
  waves: each(count),
  haltAfter: number,
};

export const budgets: MaskRule = fields(budgetFields);

/** Unreadable text stays unreadable. */
const unreadable = '{';

/** A text with budgets; comments are removed. An unknown field in it is a fault of the pool (C8). */
const budgetsText: MaskRule = (value, masks) => {
  const { values, errors } = parseText(String(value));
  const [first] = values;
  if (errors.length > 0 || values.length !== 1) return unreadable;
  return JSON.stringify(onlyFields(budgetFields)(first?.value ?? null, masks));
};

/** In the order in which Lull writes them: the text is compared. */
const mirror: MaskRule = fields({ budgets, repairAfter: duration, expireAfter: duration });

/** A copy of some fields of `spec.disruption`, as JSON (N9). */
const mirrorText: MaskRule = (value, masks) => {
  try {
    return JSON.stringify(mirror(JSON.parse(String(value)), masks));
  } catch {
    return unreadable;
  }
};

/** The CRD under which the copy was made: its uid and generation (N9). */
const seenUnder: MaskRule = (value, masks) => {
  if (typeof value !== 'string') return masked(value, masks);
  const [, uid = value, generation = ''] = /^(.*)\.(\d{0,15})$/.exec(value) ?? [];
  return `${String(digest(uid, masks))}.${generation}`;
};

const nudged = 'lull-';

/** Karpenter's hash of a template could be guessed at; a nudged one names the command (N6). */
const poolHash: MaskRule = (value, masks) =>
  typeof value === 'string' && value.startsWith(nudged)
    ? `${nudged}${masks.name('command', value.slice(nudged.length))}`
    : digest(value, masks);

const marked: MaskRule = keepText((text) => ['', 'true', atBirth].includes(text) || parseInstant(text) !== undefined);
const wholeNumberText: MaskRule = keepText((text) => /^[+-]?\d{1,15}$/.test(text));

/** The instant is kept; who wrote it and why is masked. */
const signed: MaskRule = (value, masks) => {
  const parsed = parseSigned(String(value));
  if (!parsed) return unreadable;
  const { at, author, note } = parsed;
  const by = author === undefined ? {} : { author: masks.name('value', author) };
  return formatSigned({ at, ...by, ...(note !== undefined && { note: masks.name('value', note) }) });
};

const read: Readonly<Record<string, MaskRule>> = {
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
  [steering.disruptionCost]: wholeNumberText,
  [steering.deletionCost]: wholeNumberText,
  [steering.budgets]: budgetsText,
  [steering.expireAfter]: duration,
  [steering.driftAfter]: duration,
  [steering.rollRequested]: signed,
  [steering.approved]: signed,
  [steering.approval]: keepText((text) => text === 'required'),
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

const flagOrMasked: MaskRule = keepText((text) => plainWords.has(text));

/** Free text for people is masked, including hold and author. */
export const annotations: MaskRule = (value, masks) =>
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

const owners = (hash: unknown): MaskRule =>
  each((value, masks) => {
    const sort = sortOfOwner.get(isMap(value) ? value.kind : undefined);
    const called: MaskRule = (text) => {
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
export const metadata = (sort: Sort): MaskRule => metadataWith(name(sort));

/** The same for kinds in namespaces: where none is named, `default` is meant, which has a rank like any other. */
export const metadataInNamespace = (sort: Sort): MaskRule => {
  const rule = metadata(sort);
  return (value, masks) => rule(isMap(value) ? { ...value, namespace: value.namespace || 'default' } : value, masks);
};

export const metadataWith = (called: MaskRule): MaskRule => {
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
