// The marks Lull writes on objects of others, as CEL: which steps between two states of an object's annotations are allowed (N2, N6, N12).
// No sequence of allowed steps loses what stood there before: a `*-before` value is written only together with its mark and from the very
// value that stood there, and removed only together with the mark, when that value is restored.
import { annotation } from '../../../cluster/names.ts';
import { changedKeys, listOf, mapAt, onUpdate, quote, sameBut } from '../cel.ts';

const [is, was, changed] = ['variables.is', 'variables.was', 'variables.changed'];

export const annotations = {
  is: mapAt('object', 'metadata.annotations'),
  was: mapAt('oldObject', 'metadata.annotations'),
  changed: changedKeys(is, was),
};

/** Fields of metadata that the API server keeps itself. managedFields cannot be held to more: it follows every write. */
const bookkeeping = ['annotations', 'managedFields', 'resourceVersion', 'generation'];

export const sameMetadata: Readonly<Record<string, string>> = {
  'Nothing of its metadata but annotations may change.': onUpdate(
    sameBut('dyn(object.metadata)', 'dyn(oldObject.metadata)', bookkeeping),
  ),
};

/** Which annotations may change at all: `free` in any way, `removable` only by being removed. */
export const onlyAnnotations = (free: readonly string[], removable: readonly string[] = []): Record<string, string> => {
  const removed = removable.length > 0 ? ` || (k in ${listOf(removable)} && !(k in ${is}))` : '';
  const names = [...free, ...removable.map((key) => `${key} (removed)`)];
  const only = names.length > 0 ? `only these may change: ${names.join(', ')}` : 'none may change';
  return {
    [`Of its annotations ${only}.`]: onUpdate(`${changed}.all(k, k in ${listOf(free)}${removed})`),
    ...sameMetadata,
  };
};

const [kept, marker, keptBefore] = [annotation.doNotDisrupt, annotation.parked, annotation.keptBefore].map(quote);
const [hash, hashBefore] = [annotation.poolHash, annotation.hashBefore].map(quote);

/** Both maps have the same value under these keys, or neither has any. */
const same = (a: string, aKey: string | undefined, b: string, bKey: string | undefined): string =>
  `(${aKey} in ${a} ? (${bKey} in ${b} && ${a}[${aKey}] == ${b}[${bKey}]) : !(${bKey} in ${b}))`;

export const parkingKeys = [annotation.doNotDisrupt, annotation.parked, annotation.keptBefore];
export const nudgeKeys = [annotation.poolHash, annotation.hashBefore];

const keepsOff = (map: string): string => `(${kept} in ${map} && ${map}[${kept}] == 'true')`;

/** Parking never begins where do-not-disrupt is "true": without the marker that is a user's opt-out. */
const parks = `${marker} in ${is} && ${keepsOff(is)} && !${keepsOff(was)} && ${same(is, keptBefore, was, kept)}`;

/** A word that somebody wrote over Lull's "true" stays; else the one from before is put back. */
const unparks = `${marker} in ${was} && !(${marker} in ${is}) && !(${keptBefore} in ${is}) && (${keepsOff(was)} ? ${same(is, kept, was, keptBefore)} : ${same(is, kept, was, kept)})`;

const nudges = `${hash} in ${was} && !(${hashBefore} in ${was}) && ${hash} in ${is} && ${is}[${hash}].startsWith('lull-') && ${same(is, hashBefore, was, hash)}`;

/** A hash that Karpenter wrote over Lull's stays. */
const unnudges = `${hashBefore} in ${was} && !(${hashBefore} in ${is}) && (${hash} in ${was} && ${was}[${hash}].startsWith('lull-') ? ${same(is, hash, was, hashBefore)} : ${same(is, hash, was, hash)})`;

const steps = { parks, unparks, nudges, unnudges } as const;
type Step = keyof typeof steps;

export interface Marks {
  readonly variables: Readonly<Record<string, string>>;
  readonly rules: Readonly<Record<string, string>>;
}

/** The three annotations of parking change together, and only by these steps. */
export const parkingBy = (...allowed: readonly ('parks' | 'unparks')[]): Marks =>
  changesBy(parkingKeys, allowed, {
    parks: `set, never over a user's opt-out, and ${annotation.keptBefore} keeps what stood there`,
    unparks: `removed, and what ${annotation.keptBefore} kept is put back`,
  });

/** So do both of a nudge. */
export const nudgeBy = (...allowed: readonly ('nudges' | 'unnudges')[]): Marks =>
  changesBy(nudgeKeys, allowed, {
    nudges: `set, and ${annotation.hashBefore} keeps what stood there`,
    unnudges: `removed, and what ${annotation.hashBefore} kept is put back`,
  });

function changesBy<Name extends Step>(
  keys: readonly string[],
  allowed: readonly Name[],
  words: Readonly<Record<Name, string>>,
): Marks {
  const how = allowed.map((step) => words[step]).join('; or ');
  const message = `${keys.join(', ')}: they may only be ${how}.`;
  const untouched = `!${changed}.exists(k, k in ${listOf(keys)})`;
  return {
    variables: Object.fromEntries(allowed.map((step) => [step, steps[step]])),
    rules: { [message]: onUpdate([untouched, ...allowed.map((step) => `variables.${step}`)].join(' || ')) },
  };
}
