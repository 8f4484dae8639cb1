// The annotations Lull reads, and keys that have no effect: unknown ones under lull.dev/ and misspelled ones of Karpenter (K4).
import { annotation, type KeyPlace, label, lullKeys } from '../../cluster/names.ts';
import { keepNewest } from '../../time/keepNewest.ts';
import { brief } from './findings.ts';
import { didYouMean, nearMisses } from './nearMiss.ts';
import { orList, type Reader } from './reader.ts';

export const steering = {
  doNotDisrupt: annotation.doNotDisrupt,
  parked: annotation.parked,
  keptBefore: annotation.keptBefore,
  /** The old name of do-not-disrupt (E1). */
  doNotEvict: 'karpenter.sh/do-not-evict',
  /** Limits do-not-disrupt to some reasons (E3). */
  doNotDisruptReasons: 'karpenter.sh/do-not-disrupt-reasons',
  /** Node opt-outs for one reason each (E2). */
  doNotRepair: 'karpenter.sh/do-not-repair',
  doNotConsolidate: 'karpenter.sh/do-not-consolidate',
  hold: annotation.hold,
  rebalance: annotation.rebalance,
  /** When a pod may be moved (E4), and when it may not (E5). */
  schedule: 'karpenter.sh/disruption-schedule',
  scheduleDuration: 'karpenter.sh/disruption-schedule-duration',
  timeZone: 'karpenter.sh/disruption-schedule-timezone',
  blockSchedule: 'karpenter.sh/disruption-block-schedule',
  blockDuration: 'karpenter.sh/disruption-block-duration',
  /** What it costs to move a pod, for the order of candidates (F3). */
  disruptionCost: 'karpenter.sh/disruption-cost',
  deletionCost: 'controller.kubernetes.io/pod-deletion-cost',
  /** Budgets and early expiry of a pool, where the CRD cannot hold them (C17, N7), and how long its drifted nodes wait (P7). */
  budgets: annotation.budgets,
  expireAfter: annotation.expireAfter,
  driftAfter: annotation.driftAfter,
  /** A roll that a person asks for, of a pool or a node (Q1). */
  rollRequested: annotation.rollRequested,
  /** Whether nodes of a pool need approval, and until when a pool or a node is approved (Q2). */
  approval: annotation.approval,
  approved: annotation.approved,
} as const;

/** Keys under karpenter.sh/ that Lull does not read, but Karpenter or users write: they are not typos (K4). */
export const otherKarpenterKeys: readonly string[] = [
  'capacity-type',
  'discovery',
  'disrupted',
  'disruption',
  'do-not-sync-taints',
  'emptiness-timestamp',
  'initialized',
  'interruption',
  'linked',
  'machine-name',
  'managed-by',
  'nodeclaim',
  'nodeclaim-min-values-relaxed',
  'nodeclaim-termination-timestamp',
  'nodepool',
  'nodepool-hash',
  'nodepool-hash-version',
  'provisioner-hash',
  'provisioner-name',
  'registered',
  'stored-version-migrated',
  'termination',
  'unregistered',
  'voluntary-disruption',
].map((name) => `karpenter.sh/${name}`);

export interface UnknownKey {
  readonly message: string;
  /** The known keys it is close to. */
  readonly meant: readonly string[];
}

/** Warns of each unknown annotation under lull.dev/. */
export function faultUnknownKeys(annotations: Reader, place: KeyPlace): void {
  for (const key in annotations.values) {
    if (!key.startsWith(lullPrefix)) continue;
    const unknown = unknownAnnotation(key, place);
    if (unknown) annotations.unknown(key, unknown.meant, { message: unknown.message, severity: 'warning' });
  }
}

/** Undefined if the key is known, or belongs to neither Karpenter nor Lull. */
export const unknownAnnotation = (key: string, place: KeyPlace): UnknownKey | undefined =>
  once(`annotation ${place} ${key}`, () => checkAnnotation(key, place));

/** Reports a label that should be an annotation, or is close to one of Karpenter's labels. */
export const unknownLabel = (key: string, place: KeyPlace): UnknownKey | undefined =>
  once(`label ${place} ${key}`, () => checkLabel(key, place));

/** Ten thousand nodes have the same keys: check each key once. */
const checked = new Map<string, { readonly unknown: UnknownKey | undefined }>();
const maxChecked = 10_000;

const once = (id: string, check: () => UnknownKey | undefined): UnknownKey | undefined =>
  (checked.get(id) ?? keepNewest(checked, maxChecked, id, { unknown: check() })).unknown;

function checkAnnotation(key: string, place: KeyPlace): UnknownKey | undefined {
  if (knownIn(place).includes(key) || karpenterKeys.has(key)) return undefined;
  const meant = closeTo(key, [...lullKeys[place].written, ...karpenterAnnotations]);
  if (!key.startsWith(lullPrefix)) {
    return meant.length > 0 ? { meant, message: `Unknown annotation ${cut(key)}. ${didYouMean(meant)}` } : undefined;
  }
  const elsewhere = places.filter((each) => knownIn(each).includes(key));
  if (elsewhere.length > 0) {
    const there = orList(elsewhere.map(plural));
    return { meant: [], message: `${key} has no effect on ${plural(place)}. Set it on ${there}.` };
  }
  const remedy = meant.length > 0 ? didYouMean(meant) : listKnown(place);
  return { meant, message: `Unknown annotation ${cut(key)}, which is ignored. ${remedy}` };
}

function checkLabel(key: string, place: KeyPlace): UnknownKey | undefined {
  if (lullKeys[place].written.some((each) => each === key) || karpenterAnnotations.includes(key))
    return { meant: [], message: `${key} is an annotation and has no effect as a label. Move it to annotations.` };
  if (karpenterKeys.has(key)) return undefined;
  const meant = closeTo(key, karpenterLabels);
  return meant.length > 0 ? { meant, message: `Unknown label ${cut(key)}. ${didYouMean(meant)}` } : undefined;
}

const lullPrefix = 'lull.dev/';
const places: readonly KeyPlace[] = ['pool', 'node', 'pod'];

/** Those that users set on pods and nodes. */
const karpenterAnnotations: readonly string[] = Object.values(steering).filter((key) =>
  key.startsWith('karpenter.sh/'),
);
const karpenterLabels: readonly string[] = [label.pool, label.capacityType];
const karpenterKeys: ReadonlySet<string> = new Set([...karpenterAnnotations, ...otherKarpenterKeys]);

const knownIn = (place: KeyPlace): readonly string[] => [...lullKeys[place].written, ...lullKeys[place].marks];

/** Known keys one typo away, or with the same name under another prefix of Karpenter or Lull. */
function closeTo(key: string, known: readonly string[]): readonly string[] {
  const near = nearMisses(key, known);
  if (near.length > 0 || !/karpenter|lull/.test(key.slice(0, key.indexOf('/') + 1))) return near;
  return known.filter((each) => nameOf(each) === nameOf(key));
}

const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1);
const plural = (place: KeyPlace): string => `${place}s`;

function listKnown(place: KeyPlace): string {
  const { written } = lullKeys[place];
  return written.length > 0
    ? `Known annotations on ${plural(place)}: ${written.join(', ')}.`
    : `Lull reads no annotations of its own on ${plural(place)}.`;
}

/** The longest key in Kubernetes: prefix, slash and name. */
const longestKey = 317;
const cut = (key: string): string => brief(key, longestKey);
