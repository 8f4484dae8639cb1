// Annotation and label keys that mean nothing where they are written: unknown ones under lull.dev/, and typos of Karpenter's (K4).
import { type KeyPlace, label, lullKeys } from '../cluster/names.ts';
import { keep } from '../time/bounded.ts';
import { otherKarpenterKeys, steering } from './annotationName.ts';
import { brief } from './findings.ts';
import { didYouMean, nearMisses } from './nearMiss.ts';
import { orList, type Reader } from './reader.ts';

export interface UnknownKey {
  readonly message: string;
  /** The known keys it is close to. */
  readonly meant: readonly string[];
}

/** Warns of every annotation under lull.dev/ that is not known there. */
export function faultUnknownKeys(annotations: Reader, place: KeyPlace): void {
  for (const key in annotations.values) {
    if (!key.startsWith(lullPrefix)) continue;
    const unknown = unknownAnnotation(key, place);
    if (unknown) annotations.unknown(key, unknown.meant, { message: unknown.message, severity: 'warning' });
  }
}

/** Undefined where the key is known, or is none of ours to judge. */
export const unknownAnnotation = (key: string, place: KeyPlace): UnknownKey | undefined =>
  once(`annotation ${place} ${key}`, () => judgeAnnotation(key, place));

/** A label that should be an annotation, or is close to one of Karpenter's labels. */
export const unknownLabel = (key: string, place: KeyPlace): UnknownKey | undefined =>
  once(`label ${place} ${key}`, () => judgeLabel(key, place));

/** Ten thousand nodes carry the same keys. */
const judged = new Map<string, { readonly unknown: UnknownKey | undefined }>();
const judgedKept = 10_000;

const once = (about: string, judge: () => UnknownKey | undefined): UnknownKey | undefined =>
  (judged.get(about) ?? keep(judged, judgedKept, about, { unknown: judge() })).unknown;

function judgeAnnotation(key: string, place: KeyPlace): UnknownKey | undefined {
  if (knownIn(place).includes(key) || karpenterKeys.has(key)) return undefined;
  const meant = closeTo(key, [...lullKeys[place].written, ...karpenterAnnotations]);
  if (!key.startsWith(lullPrefix)) {
    return meant.length > 0 ? { meant, message: `Unknown annotation ${cut(key)}. ${didYouMean(meant)}` } : undefined;
  }
  const elsewhere = places.filter((each) => knownIn(each).includes(key));
  if (elsewhere.length > 0) {
    const there = orList(elsewhere.map(plural));
    return { meant: [], message: `${key} is not read on ${plural(place)}, and is ignored here. Write it on ${there}.` };
  }
  const remedy = meant.length > 0 ? didYouMean(meant) : sayKnown(place);
  return { meant, message: `Unknown annotation ${cut(key)}, which is ignored. ${remedy}` };
}

function judgeLabel(key: string, place: KeyPlace): UnknownKey | undefined {
  if (lullKeys[place].written.some((each) => each === key) || karpenterAnnotations.includes(key))
    return { meant: [], message: `${key} is an annotation, and is ignored as a label. Write it under annotations.` };
  if (karpenterKeys.has(key)) return undefined;
  const meant = closeTo(key, karpenterLabels);
  return meant.length > 0 ? { meant, message: `Unknown label ${cut(key)}. ${didYouMean(meant)}` } : undefined;
}

const lullPrefix = 'lull.dev/';
const places: readonly KeyPlace[] = ['pool', 'node', 'pod'];

/** What people write on pods and nodes. */
const karpenterAnnotations: readonly string[] = Object.values(steering).filter((key) =>
  key.startsWith('karpenter.sh/'),
);
const karpenterLabels: readonly string[] = [label.pool, label.capacityType];
const karpenterKeys: ReadonlySet<string> = new Set([...karpenterAnnotations, ...otherKarpenterKeys]);

const knownIn = (place: KeyPlace): readonly string[] => [...lullKeys[place].written, ...lullKeys[place].marks];

/** One slip away as a whole, or of the same name under another prefix of Karpenter's or Lull's. */
function closeTo(key: string, known: readonly string[]): readonly string[] {
  const near = nearMisses(key, known);
  if (near.length > 0 || !/karpenter|lull/.test(key.slice(0, key.indexOf('/') + 1))) return near;
  return known.filter((each) => nameOf(each) === nameOf(key));
}

const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1);
const plural = (place: KeyPlace): string => `${place}s`;

function sayKnown(place: KeyPlace): string {
  const { written } = lullKeys[place];
  return written.length > 0
    ? `Known on ${plural(place)}: ${written.join(', ')}.`
    : `None is known on ${plural(place)}.`;
}

/** As long as Kubernetes lets a key be: a prefix, a slash and a name. */
const longestKey = 317;
const cut = (key: string): string => brief(key, longestKey);
