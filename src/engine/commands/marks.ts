// The marks Lull writes on nodes, claims and pods: parking (N2, N5), nudges (N6) and the taint of nodes being disrupted.
import { memo } from '../../cluster/memo.ts';
import type { Claim, Node, Pod, Taint } from '../../cluster/model.ts';
import { annotation, taint } from '../../cluster/names.ts';
import type { NodeView, PodView } from '../../cluster/nodeView.ts';
import { isActive } from '../../cluster/pod.ts';
import type { Reason } from '../../cluster/reason.ts';
import { formatInstant, type Instant, parseInstant } from '../../time/instant.ts';
import { podOptedOut, podScheduleRefusals } from '../rules/podRules.ts';
import { type Action, type AnnotationValues, annotate, type PatchOperation } from './action.ts';

// Annotations that keep Karpenter from disrupting a node or pod, and their removal (N2, N5).

/** The annotation values as they are. */
interface ParkMarks {
  readonly doNotDisrupt: string | undefined;
  readonly parked: string | undefined;
  readonly before: string | undefined;
}

/** The only value that Karpenter honours on nodes, and without an end on pods: it ignores durations on a node and `false`. */
const keeps = 'true';

/** Lull's marker is on it, whole or not. */
const hasMarker = ({ parked }: ParkMarks): boolean => parked !== undefined;

/** Whether both annotations are set: Karpenter does not disrupt it, because of Lull. */
const repelsPods = (seen: ParkMarks): boolean => hasMarker(seen) && seen.doNotDisrupt === keeps;

/** Whether a user has set a value that Karpenter honours. Lull never changes that. */
const ofUser = (seen: ParkMarks): boolean => !hasMarker(seen) && seen.doNotDisrupt === keeps;

/** A user's value that Karpenter does not honour is saved in another annotation and restored on unparking. */
function parkPatch(seen: ParkMarks, now: Instant, bare: boolean): readonly PatchOperation[] {
  const { doNotDisrupt } = seen;
  return keepOffPatch(seen, { doNotDisrupt: keeps, parked: formatInstant(now), before: doNotDisrupt }, bare);
}

/** Unparks only if the value is still Lull's. A value that another writer has set meanwhile stays. */
function unparkPatch(seen: ParkMarks): readonly PatchOperation[] {
  const doNotDisrupt = repelsPods(seen) ? seen.before : seen.doNotDisrupt;
  return keepOffPatch(seen, { doNotDisrupt, parked: undefined, before: undefined }, false);
}

function keepOffPatch(seen: ParkMarks, wanted: ParkMarks, bare: boolean): readonly PatchOperation[] {
  const hasBefore = seen.before !== undefined || wanted.before !== undefined;
  return annotate(texts(seen, hasBefore), texts(wanted, hasBefore), bare);
}

const texts = ({ doNotDisrupt, parked, before }: ParkMarks, hasBefore: boolean): AnnotationValues => ({
  [annotation.doNotDisrupt]: doNotDisrupt,
  [annotation.parked]: parked,
  ...(hasBefore && { [annotation.keptBefore]: before }),
});

// Parking of nodes (N2): the two annotations are always written together, with copies on the claim.

const seenOn = ({ annotations }: Claim | Node): ParkMarks => ({
  doNotDisrupt: annotations[annotation.doNotDisrupt],
  parked: annotations[annotation.parked],
  before: annotations[annotation.keptBefore],
});

/** Lull's marker is on it, whole or not. */
export const isMarked = (node: Node): boolean => hasMarker(seenOn(node));

/** Both annotations are set: Karpenter does not disrupt it. */
export const isParked = (node: Node): boolean => repelsPods(seenOn(node));

/** do-not-disrupt "true" without the marker belongs to a user and is never changed. */
export const isUsersOwn = (node: Node): boolean => ofUser(seenOn(node));

export const park = (node: Node, now: Instant, command?: string): Action =>
  patchNode(node, parkPatch(seenOn(node), now, Object.keys(node.annotations).length === 0), command);

export const unpark = (node: Node, command?: string): Action => patchNode(node, unparkPatch(seenOn(node)), command);

/**
 * The claim was parked at creation by the admission policy `lull-born-parked`. Karpenter copies a claim's annotations to its node once,
 * when the node registers, and ignores the claim's copies after that.
 */
export const isBornParked = (claim: Claim): boolean => hasMarker(seenOn(claim));

export const forgetBirth = (claim: Claim): Action => ({
  verb: 'patch',
  kind: 'NodeClaim',
  name: claim.name,
  patch: unparkPatch(seenOn(claim)),
});

const patchNode = ({ name }: Node, patch: readonly PatchOperation[], command: string | undefined): Action => ({
  verb: 'patch',
  kind: 'Node',
  name,
  patch,
  ...(command !== undefined && { command }),
});

// Parking of pods (N5): protects a pod whose schedule is closed from Karpenter's drain until its window opens.

/**
 * Pods that Karpenter's drain may evict though they must not be moved now: their schedule is closed, or they opt out by something other
 * than "true", which not every Karpenter reads (do-not-evict; durations, which it reads from 1.12.0 on). Schedules do not count on an
 * unhealthy node: they would delay the pods' own recovery (A2).
 */
function closedPods({ timed }: NodeView, reason: Reason, now: Instant): readonly Pod[] {
  if (reason === 'Interrupted') return [];
  const isClosed = (it: PodView): boolean => reason !== 'Unhealthy' && podScheduleRefusals(it, now).length > 0;
  const optsOut = ({ pod }: PodView): boolean => !ofUser(marksOn(pod)) && podOptedOut(pod, reason, now) !== undefined;
  return timed.flatMap((it) => (isClosed(it) || optsOut(it) ? [it.pod] : []));
}

/** Those of them that are not protected from every Karpenter yet. */
export const unguardedPods = (view: NodeView, reason: Reason, now: Instant): readonly Pod[] =>
  closedPods(view, reason, now).filter((pod) => !repelsPods(marksOn(pod)) && !ofUser(marksOn(pod)));

/** Parked pods that may be moved now. */
export function guardedInVain(view: NodeView, reason: Reason, now: Instant): readonly Pod[] {
  const parked = parkedPods(view);
  if (parked.length === 0) return parked;
  const closed = new Set(closedPods(view, reason, now));
  return parked.filter((pod) => !closed.has(pod));
}

export const parkedPods = memo(({ pods }: NodeView): readonly Pod[] =>
  pods.filter((pod) => pod.marks?.parked !== undefined && isActive(pod)),
);

function marksOn({ marks }: Pod): ParkMarks {
  return { doNotDisrupt: marks?.doNotDisrupt, parked: marks?.parked, before: marks?.before };
}

export const parkPod = (pod: Pod, now: Instant): Action =>
  patchPod(pod, parkPatch(marksOn(pod), now, pod.marks === undefined));

export const unparkPod = (pod: Pod): Action => patchPod(pod, unparkPatch(marksOn(pod)));

const patchPod = (pod: Pod, patch: readonly PatchOperation[]): Action => ({
  verb: 'patch',
  kind: 'Pod',
  namespace: pod.namespace,
  name: pod.name,
  patch,
  preconditions: { uid: pod.uid },
});

// Nudges (N6): to make Karpenter replace a node for a reason it does not know, Lull makes its claim look drifted by changing the hash, and
// saves the old hash in another annotation.

const itsOwn: ReadonlySet<Reason> = new Set(['Empty', 'Drifted', 'Underutilized'] as const);

/** Whether Karpenter does not disrupt nodes gracefully for this reason by itself. */
export const needsNudge = (reason: Reason): boolean => !itsOwn.has(reason);

/** Also for drift that only Lull has computed (I5). */
export const isToBeNudged = (claim: Claim, reason: Reason): boolean =>
  !isNudged(claim) &&
  canBeNudged(claim) &&
  (needsNudge(reason) || (reason === 'Drifted' && claim.conditions.Drifted?.status !== 'True'));

const hashesOn = ({ annotations }: Claim): AnnotationValues => ({
  [annotation.poolHash]: annotations[annotation.poolHash],
  [annotation.hashBefore]: annotations[annotation.hashBefore],
});

export const isNudged = ({ annotations }: Claim): boolean => annotations[annotation.hashBefore] !== undefined;

/** A claim without a hash never drifts, so it cannot be nudged. */
export const canBeNudged = ({ annotations }: Claim): boolean => Boolean(annotations[annotation.poolHash]);

/** No hash of Karpenter's has this form. */
const nudgedHash = (command: string): string => `lull-${command}`;

export function nudge(claim: Claim, command: string): Action {
  const wanted = {
    [annotation.hashBefore]: claim.annotations[annotation.poolHash],
    [annotation.poolHash]: nudgedHash(command),
  };
  return {
    verb: 'patch',
    kind: 'NodeClaim',
    name: claim.name,
    patch: annotate(hashesOn(claim), wanted, false),
    command,
  };
}

/** If Karpenter has written another hash meanwhile, that one stays. */
export function unnudge(claim: Claim, command?: string): Action {
  const { [annotation.poolHash]: hash = '', [annotation.hashBefore]: before } = claim.annotations;
  const wanted = {
    [annotation.hashBefore]: undefined,
    ...(hash.startsWith(nudgedHash('')) && { [annotation.poolHash]: before }),
  };
  const patch = annotate(hashesOn(claim), wanted, false);
  return { verb: 'patch', kind: 'NodeClaim', name: claim.name, patch, ...(command !== undefined && { command }) };
}

// A node being disrupted has one taint, whose value is the command ID.

const taintsPath = '/spec/taints';

const isOurTaint = ({ key }: Taint): boolean => key === taint.lullDisrupted;

/** Lull's taint on a node. */
export const markOf = ({ taints }: Node): Taint | undefined => taints.find(isOurTaint);

/** When a node was tainted; its creation time if the taint has no time. */
export const markedAt = (node: Node): Instant => parseInstant(markOf(node)?.timeAdded ?? '') ?? node.createdAt;

/** List items cannot be patched by key: test the whole list, so that a taint added meanwhile is not lost. */
export function addTaint({ name, taints }: Node, command: string, now: Instant): Action {
  const ours = { key: taint.lullDisrupted, value: command, effect: 'NoSchedule', timeAdded: formatInstant(now) };
  const test = { op: 'test', path: taintsPath, value: taints.length === 0 ? null : taints } as const;
  const add = { op: 'add', path: taintsPath, value: [...taints.filter((it) => !isOurTaint(it)), ours] } as const;
  return { verb: 'patch', kind: 'Node', name, patch: [test, add], command };
}

export function removeTaint({ name, taints }: Node, command?: string): Action {
  const others = taints.filter((it) => !isOurTaint(it));
  const test = { op: 'test', path: taintsPath, value: taints } as const;
  const rest =
    others.length === 0
      ? ({ op: 'remove', path: taintsPath } as const)
      : ({ op: 'replace', path: taintsPath, value: others } as const);
  return { verb: 'patch', kind: 'Node', name, patch: [test, rest], ...(command !== undefined && { command }) };
}
