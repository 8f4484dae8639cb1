// The marks that Lull writes on other objects, as CEL: which changes of an object's annotations are allowed (N2, N6, N12).
// No sequence of allowed changes loses an earlier value: a `*-before` annotation is written only together with its mark and with the
// previous value, and removed only together with the mark, when that value is restored.
import { annotation, label } from '../../../../cluster/names.ts';
import { allOf, changedKeys, listOf, mapAt, onUpdate, quote, sameBut } from '../cel.ts';

const [is, was, changed] = ['variables.is', 'variables.was', 'variables.changed'];

export const annotations = {
  is: mapAt('object', 'metadata.annotations'),
  was: mapAt('oldObject', 'metadata.annotations'),
  changed: changedKeys(is, was),
};

/** Metadata fields that the API server maintains itself. managedFields cannot be restricted further: it changes with every write. */
const bookkeeping = ['annotations', 'managedFields', 'resourceVersion', 'generation'];

const metadataExcept = (...free: readonly string[]): string =>
  onUpdate(sameBut('dyn(object.metadata)', 'dyn(oldObject.metadata)', [...bookkeeping, ...free]));

export const sameMetadata: Readonly<Record<string, string>> = {
  'Only annotations may change in its metadata.': metadataExcept(),
};

/** Nothing else in the metadata may change. */
export const onlyAnnotations = (free: readonly string[], removable?: readonly string[]): Record<string, string> => ({
  ...changedAnnotations(free, removable),
  ...sameMetadata,
});

/** Which annotations may change at all: `free` in any way, `removable` only by removal. */
export const changedAnnotations = (
  free: readonly string[],
  removable: readonly string[] = [],
): Record<string, string> => {
  const removed = removable.length > 0 ? ` || (k in ${listOf(removable)} && !(k in ${is}))` : '';
  const names = [...free, ...removable.map((key) => `${key} (removal only)`)];
  const only =
    names.length > 0 ? `Only these annotations may change: ${names.join(', ')}.` : 'No annotation may change.';
  return { [only]: onUpdate(`${changed}.all(k, k in ${listOf(free)}${removed})`) };
};

const [kept, marker, keptBefore] = [annotation.doNotDisrupt, annotation.parked, annotation.keptBefore].map(quote);
const [hash, hashBefore] = [annotation.poolHash, annotation.hashBefore].map(quote);

/** Both maps have the same value under these keys, or neither has one. */
const same = (a: string, aKey: string | undefined, b: string, bKey: string | undefined): string =>
  `(${aKey} in ${a} ? (${bKey} in ${b} && ${a}[${aKey}] == ${b}[${bKey}]) : !(${bKey} in ${b}))`;

export const parkingKeys = [annotation.doNotDisrupt, annotation.parked, annotation.keptBefore];
export const nudgeKeys = [annotation.poolHash, annotation.hashBefore];

const isProtected = (map: string): string => `(${kept} in ${map} && ${map}[${kept}] == 'true')`;

/** Parking never begins if do-not-disrupt is "true": without the marker that is a user's opt-out. */
const parks = `${marker} in ${is} && ${isProtected(is)} && !${isProtected(was)} && ${same(is, keptBefore, was, kept)}`;

/** A value that someone wrote over Lull's "true" stays; otherwise the earlier one is restored. */
const unparks = `${marker} in ${was} && !(${marker} in ${is}) && !(${keptBefore} in ${is}) && (${isProtected(was)} ? ${same(is, kept, was, keptBefore)} : ${same(is, kept, was, kept)})`;

const nudges = `${hash} in ${was} && !(${hashBefore} in ${was}) && ${hash} in ${is} && ${is}[${hash}].startsWith('lull-') && ${same(is, hashBefore, was, hash)}`;

/** A hash that Karpenter wrote over Lull's stays. */
const unnudges = `${hashBefore} in ${was} && !(${hashBefore} in ${is}) && (${hash} in ${was} && ${was}[${hash}].startsWith('lull-') ? ${same(is, hash, was, hashBefore)} : ${same(is, hash, was, hash)})`;

const steps = { parks, unparks, nudges, unnudges } as const;
type MarkStep = keyof typeof steps;

export interface Marks {
  readonly variables: Readonly<Record<string, string>>;
  readonly rules: Readonly<Record<string, string>>;
}

/** The three annotations of parking change together, and only in these ways. */
export const parkingBy = (...allowed: readonly ('parks' | 'unparks')[]): Marks =>
  changesBy(parkingKeys, allowed, {
    parks: `set together, never over a user's opt-out, with the previous value in ${annotation.keptBefore}`,
    unparks: `removed together, with the value from ${annotation.keptBefore} restored`,
  });

/** Both annotations of a nudge change together, and only in these ways. */
export const nudgeBy = (...allowed: readonly ('nudges' | 'unnudges')[]): Marks =>
  changesBy(nudgeKeys, allowed, {
    nudges: `set together, with the previous value in ${annotation.hashBefore}`,
    unnudges: `removed together, with the value from ${annotation.hashBefore} restored`,
  });

function changesBy<Name extends MarkStep>(
  keys: readonly string[],
  allowed: readonly Name[],
  words: Readonly<Record<Name, string>>,
): Marks {
  const how = allowed.map((step) => words[step]).join('; or ');
  const message = `${keys.join(', ')} may only be ${how}.`;
  const untouched = `!${changed}.exists(k, k in ${listOf(keys)})`;
  return {
    variables: Object.fromEntries(allowed.map((step) => [step, steps[step]])),
    rules: { [message]: onUpdate([untouched, ...allowed.map((step) => `variables.${step}`)].join(' || ')) },
  };
}

const leader = quote(label.leader);
const labels = { labels: mapAt('object', 'metadata.labels'), oldLabels: mapAt('oldObject', 'metadata.labels') };

/** The token of a pod names the pod. The namespace of a pod is that of its ServiceAccount. */
const podUid = quote('authentication.kubernetes.io/pod-uid');
const isOwnPod = `has(request.userInfo.extra) && ${podUid} in request.userInfo.extra && request.userInfo.extra[${podUid}] == [object.metadata.uid]`;
const isHere = `request.userInfo.username == 'system:serviceaccount:' + request.namespace + ':lull'`;

/** For Lull's pods: the leader's label is put on by its own pod, and taken off by any. A label may decide which PodDisruptionBudget applies. */
export const leaderLabel: Marks = {
  variables: labels,
  rules: {
    [`Only annotations and the label ${label.leader} may change in its metadata.`]: allOf(
      metadataExcept('labels'),
      onUpdate(sameBut('variables.labels', 'variables.oldLabels', [label.leader])),
    ),
    [`The label ${label.leader} may only be set to "true" on the pod that Lull runs in, or removed in its namespace.`]:
      onUpdate(
        `${same('variables.labels', leader, 'variables.oldLabels', leader)} || (${isHere} && (!(${leader} in variables.labels) || (variables.labels[${leader}] == 'true' && ${isOwnPod})))`,
      ),
  },
};
