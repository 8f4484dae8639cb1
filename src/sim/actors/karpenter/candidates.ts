// Karpenter's disruption candidates: its filters and budgets, and its DisruptionBlocked events (as of Karpenter 1.15).

import type { Pool as PoolRecord } from '../../../cluster/model.ts';
import { annotation, label } from '../../../cluster/names.ts';
import { readObject } from '../../../kinds/readObject.ts';
import { parseDuration } from '../../../time/duration.ts';
import { after, asDuration, formatInstant, type Instant, minute, parseInstant } from '../../../time/instant.ts';
import { isDeleting, type Json, type KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { claimOfNode } from '../cloud/launching.ts';
import { optsOut } from '../cloud/terminating.ts';
import {
  conditionOf,
  controllerReference,
  isDaemonPod,
  isTerminal,
  isTrue,
  poolOf,
  type RawClaim,
  type RawNode,
  type RawPod,
  type RawPool,
} from '../rawObjects.ts';

/** Karpenter repeats an event on the same node only after this long. */
const dedupe = asDuration(2 * minute);

export const blockers = {
  annotation: 'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation',
  pod: ({ metadata }: RawPod): string =>
    `Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=${metadata.namespace}/${metadata.name})`,
  pdb: ({ metadata }: KubeObject): string =>
    `Pdb prevents pod evictions (PodDisruptionBudget=[${metadata.namespace}/${metadata.name}])`,
  pdbs: (all: readonly KubeObject[]): string =>
    `Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[${all.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(' ')}])`,
  placement: (pods: readonly RawPod[]): string =>
    `Not all pods would schedule, ${pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ')}`,
} as const;

type ReportBlocked = (node: RawNode, message: string) => void;

/** Events about parked nodes take part in the deduplication but are not stored: there are many, and no component reads them. */
export function openEvents(world: World): ReportBlocked {
  const said = new Map<string, Instant>();
  return (node, message) => {
    const { now } = world.clock;
    const { uid = '' } = node.metadata;
    const last = said.get(uid);
    if (last !== undefined && now < after(last, dedupe)) return;
    said.set(uid, now);
    if (message !== blockers.annotation) write(world, node, message);
  };
}

/** Keeps one Event object per node; the API server deletes events after an hour anyway. */
function write({ objects, clock }: World, { metadata }: RawNode, message: string): void {
  const lastTimestamp = formatInstant(clock.now);
  const name = `${metadata.name}.blocked`;
  const known = objects.get('Event', `default/${name}`);
  if (known) {
    objects.write('Event', `default/${name}`, 'karpenter', (event) => ({ ...event, message, lastTimestamp }));
    return;
  }
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name },
    involvedObject: { apiVersion: 'v1', kind: 'Node', name: metadata.name, uid: metadata.uid },
    reason: 'DisruptionBlocked',
    type: 'Normal',
    source: { component: 'karpenter' },
    message,
    firstTimestamp: lastTimestamp,
    lastTimestamp,
  };
  objects.create(event as KubeObject, 'karpenter');
}

/** Nodes that are not Ready and deleted claims use up the budget, for every reason. */
export function budgetLeft(
  pool: RawPool,
  reason: KarpenterReason,
  { world, isTaken }: { world: World; isTaken: (node: string) => boolean },
): number {
  let [total, used] = [0, 0];
  for (const claim of world.claimsByPool.of(pool.metadata.name).values()) {
    const node = world.objects.get('Node', claim.status?.nodeName ?? '');
    if (node?.metadata.labels?.[label.initialized] !== 'true' || isTrue(claim, 'InstanceTerminating')) continue;
    total++;
    if (!isTrue(node, 'Ready') || isDeleting(claim) || isTaken(node.metadata.name)) used++;
  }
  return Math.max(0, limitOf(pool, reason, { total, world }) - used);
}

function limitOf(pool: RawPool, reason: KarpenterReason, { total, world }: { total: number; world: World }): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { nodes, reasons, window } of recordOf(pool).karpenterBudgets) {
    if ((reasons && !reasons.has(reason)) || (window && !window.isOpen(world.clock.now))) continue;
    least = Math.min(least, 'count' in nodes ? nodes.count : Math.ceil((nodes.percent * total) / 100));
  }
  return least;
}

const records = new WeakMap<RawPool, PoolRecord>();

function recordOf(pool: RawPool): PoolRecord {
  const known = records.get(pool);
  if (known) return known;
  const read = readObject(pool as unknown as Json);
  if (read.kind !== 'NodePool') throw new Error(`${pool.metadata.name} is not a NodePool`);
  records.set(pool, read.record);
  return read.record;
}

export interface KarpenterCandidate {
  readonly node: RawNode;
  readonly claim: RawClaim;
  readonly pool: RawPool;
  /** The pods that would have to move. */
  readonly pods: readonly RawPod[];
}

/** Karpenter's disruption reasons, in the order it tries them. */
export type KarpenterReason = 'Empty' | 'Drifted' | 'Underutilized';

/** What the disruption loop passes to its steps. */
export interface LoopContext {
  readonly world: World;
  /** The node is part of a command, or is one's replacement. */
  readonly isTaken: (node: string) => boolean;
  readonly reportBlocked: ReportBlocked;
}

/** Checks blockers before the reason, as Karpenter does, so that it reports blocked nodes it has no reason to disrupt. */
export function candidatesFor(
  reason: KarpenterReason,
  { world, isTaken, reportBlocked }: LoopContext,
): KarpenterCandidate[] {
  const found: KarpenterCandidate[] = [];
  for (const node of world.objects.list('Node')) {
    const claim = claimOfNode(node, world);
    const pool = world.objects.get('NodePool', poolOf(node) ?? '');
    if (!claim || !pool || isTaken(node.metadata.name) || !isEligible(node, claim)) continue;
    if (node.metadata.annotations?.[annotation.doNotDisrupt] === 'true') {
      reportBlocked(node, blockers.annotation);
      continue;
    }
    const all = [...world.objects.podsOn(node.metadata.name)];
    const blocker = isEventual(reason, claim) ? undefined : firstBlocker(all, world);
    if (blocker !== undefined) {
      reportBlocked(node, blocker);
      continue;
    }
    const candidate = { node, claim, pool, pods: all.filter(isReschedulable) };
    if (isCandidate[reason](candidate, world.clock.now)) found.push(candidate);
  }
  return found;
}

/** do-not-disrupt counts on the node only, not on the claim. */
const isEligible = (node: RawNode, claim: RawClaim): boolean =>
  node.metadata.labels?.[label.initialized] === 'true' && !isDeleting(node) && !isDeleting(claim);

/** Drift ignores blocking pods if the claim has a terminationGracePeriod. */
const isEventual = (reason: string, { spec }: RawClaim): boolean =>
  reason === 'Drifted' && spec?.terminationGracePeriod !== undefined;

function isReschedulable(pod: RawPod): boolean {
  if (isTerminal(pod) || isDaemonPod(pod) || controllerReference(pod)?.kind === 'Node') return false;
  return !isDeleting(pod) || controllerReference(pod)?.kind === 'StatefulSet';
}

function firstBlocker(pods: readonly RawPod[], { objects, clock }: World): string | undefined {
  const active = pods.filter((pod) => !isTerminal(pod) && !isDeleting(pod));
  const kept = active.find((pod) => optsOut(pod, clock.now));
  if (kept) return blockers.pod(kept);
  for (const pod of active) {
    const pdbs = isDaemonPod(pod) ? [] : objects.pdbsOver(pod);
    if (pdbs.length > 1) return blockers.pdbs(pdbs);
    const spent = pdbs.find(({ status }) => Number(status?.disruptionsAllowed ?? 0) <= 0);
    if (spent) return blockers.pdb(spent);
  }
  return undefined;
}

const isCandidate: Readonly<Record<KarpenterReason, (candidate: KarpenterCandidate, now: Instant) => boolean>> = {
  Empty: (candidate, now) => candidate.pods.length === 0 && isConsolidatable(candidate, now),
  Drifted: ({ claim }) => isTrue(claim, 'Drifted'),
  Underutilized: (candidate, now) =>
    candidate.pods.length > 0 &&
    disruptionOf(candidate.pool).consolidationPolicy !== 'WhenEmpty' &&
    isConsolidatable(candidate, now),
};

/** The pool is not static, and no pod was added or removed for `consolidateAfter`. */
function isConsolidatable({ claim, pool }: KarpenterCandidate, now: Instant): boolean {
  const { consolidateAfter = '0s' } = disruptionOf(pool);
  const wait = parseDuration(String(consolidateAfter));
  if (wait === undefined || pool.spec?.replicas !== undefined) return false;
  const initialized = parseInstant(conditionOf(claim, 'Initialized')?.lastTransitionTime ?? '') ?? now;
  const lastPod = parseInstant(claim.status?.lastPodEventTime ?? '') ?? initialized;
  return now - Math.max(initialized, lastPod) >= wait;
}

interface Disruption {
  readonly consolidateAfter?: unknown;
  readonly consolidationPolicy?: unknown;
}

const disruptionOf = ({ spec }: KubeObject): Disruption =>
  (spec as { disruption?: Disruption } | undefined)?.disruption ?? {};

/** When the claim drifted: the oldest goes first. */
export const driftedSince = ({ claim }: KarpenterCandidate): string =>
  conditionOf(claim, 'Drifted')?.lastTransitionTime ?? '';
