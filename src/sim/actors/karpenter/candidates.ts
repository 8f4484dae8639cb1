// Which nodes may Karpenter take, and for what? Its own filters: what it manages, what is not kept from it, what its pods allow.
import { annotation, label } from '../../../cluster/names.ts';
import { parseDuration } from '../../../time/duration.ts';
import { type Instant, parseInstant } from '../../../time/instant.ts';
import { isDeleting, type KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { optsOut } from '../cloud/drain.ts';
import { claimOfNode } from '../cloud/launching.ts';
import {
  type Claim,
  controllerReference,
  isDaemonPod,
  isTerminal,
  type Node,
  type Pod,
  type Pool,
  poolOf,
} from '../manifest.ts';
import { conditionOf, isTrue } from '../status.ts';
import { blockers, type Say } from './blocked.ts';

export interface Candidate {
  readonly node: Node;
  readonly claim: Claim;
  readonly pool: Pool;
  /** What would have to go elsewhere. */
  readonly pods: readonly Pod[];
}

/** What it takes nodes for, in this order. */
export type Cause = 'Empty' | 'Drifted' | 'Underutilized';

/** What is looked at together: Karpenter's own memory, and whom it tells. */
export interface Look {
  readonly world: World;
  /** In a command of Karpenter's already, or needed by one. */
  readonly isTaken: (node: string) => boolean;
  readonly say: Say;
}

/** Every node is asked whether it may be taken before it is asked whether it is to be: so it speaks of nodes that nobody wants. */
export function candidatesFor(reason: Cause, { world, isTaken, say }: Look): Candidate[] {
  const found: Candidate[] = [];
  for (const node of world.objects.list('Node') as Iterable<Node>) {
    const claim = claimOfNode(node, world);
    const pool = world.objects.get('NodePool', poolOf(node) ?? '') as Pool | undefined;
    if (!claim || !pool || isTaken(node.metadata.name) || !mayBeTaken(node, claim)) continue;
    if (node.metadata.annotations?.[annotation.doNotDisrupt] === 'true') {
      say(node, blockers.annotation);
      continue;
    }
    const all = [...world.objects.podsOn(node.metadata.name)] as Pod[];
    const blocker = isEventual(reason, claim) ? undefined : firstBlocker(all, world);
    if (blocker !== undefined) {
      say(node, blocker);
      continue;
    }
    const candidate = { node, claim, pool, pods: all.filter(isReschedulable) };
    if (meant[reason](candidate, world.clock.now)) found.push(candidate);
  }
  return found;
}

/** [a]: do-not-disrupt on the node holds, if it says `true`; [h]: on the claim it does nothing, once the node is there. */
const mayBeTaken = (node: Node, claim: Claim): boolean =>
  node.metadata.labels?.[label.initialized] === 'true' && !isDeleting(node) && !isDeleting(claim);

/** What is drifted goes in the end, where a deadline stands behind it. */
const isEventual = (reason: string, { spec }: Claim): boolean =>
  reason === 'Drifted' && spec?.terminationGracePeriod !== undefined;

function isReschedulable(pod: Pod): boolean {
  if (isTerminal(pod) || isDaemonPod(pod) || controllerReference(pod)?.kind === 'Node') return false;
  return !isDeleting(pod) || controllerReference(pod)?.kind === 'StatefulSet';
}

function firstBlocker(pods: readonly Pod[], { objects, clock }: World): string | undefined {
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

const meant: Readonly<Record<Cause, (candidate: Candidate, now: Instant) => boolean>> = {
  Empty: (candidate, now) => candidate.pods.length === 0 && isConsolidatable(candidate, now),
  Drifted: ({ claim }) => isTrue(claim, 'Drifted'),
  Underutilized: (candidate, now) =>
    candidate.pods.length > 0 &&
    disruptionOf(candidate.pool).consolidationPolicy !== 'WhenEmpty' &&
    isConsolidatable(candidate, now),
};

/** Of a pool that is not of fixed size, with no pod that came or went for `consolidateAfter`. */
function isConsolidatable({ claim, pool }: Candidate, now: Instant): boolean {
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

/** Since when it says so: the oldest goes first. */
export const driftedSince = ({ claim }: Candidate): string => conditionOf(claim, 'Drifted')?.lastTransitionTime ?? '';
