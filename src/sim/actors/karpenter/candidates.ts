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

export interface Candidate {
  readonly node: Node;
  readonly claim: Claim;
  readonly pool: Pool;
  /** What would have to go elsewhere. */
  readonly pods: readonly Pod[];
}

/** `isTaken`: in a command of Karpenter's already, or needed by one. */
export function candidatesFor(
  reason: 'Empty' | 'Drifted',
  world: World,
  isTaken: (node: string) => boolean,
): Candidate[] {
  const found: Candidate[] = [];
  for (const node of world.objects.list('Node') as Iterable<Node>) {
    const claim = claimOfNode(node, world);
    const pool = world.objects.get('NodePool', poolOf(node) ?? '') as Pool | undefined;
    if (!claim || !pool || isTaken(node.metadata.name) || !mayBeTaken(node, claim)) continue;
    const all = [...world.objects.podsOn(node.metadata.name)] as Pod[];
    const candidate = { node, claim, pool, pods: all.filter(isReschedulable) };
    const isMeant = reason === 'Empty' ? isEmptyLongEnough(candidate, world.clock.now) : isTrue(claim, 'Drifted');
    if (isMeant && (isEventual(reason, claim) || all.every((pod) => mayBeMoved(pod, world)))) found.push(candidate);
  }
  return found;
}

/** [a]: do-not-disrupt on the node holds; [h]: on the claim it does nothing, once the node is there. */
const mayBeTaken = (node: Node, claim: Claim): boolean =>
  node.metadata.labels?.[label.initialized] === 'true' &&
  node.metadata.annotations?.[annotation.doNotDisrupt] !== 'true' &&
  !isDeleting(node) &&
  !isDeleting(claim);

/** What is drifted goes in the end, where a deadline stands behind it. */
const isEventual = (reason: string, { spec }: Claim): boolean =>
  reason === 'Drifted' && spec?.terminationGracePeriod !== undefined;

function isReschedulable(pod: Pod): boolean {
  if (isTerminal(pod) || isDaemonPod(pod) || controllerReference(pod)?.kind === 'Node') return false;
  return !isDeleting(pod) || controllerReference(pod)?.kind === 'StatefulSet';
}

function mayBeMoved(pod: Pod, { objects, clock }: World): boolean {
  if (isTerminal(pod) || isDeleting(pod)) return true;
  if (optsOut(pod, clock.now)) return false;
  const pdbs = isDaemonPod(pod) ? [] : objects.pdbsOver(pod);
  return pdbs.length < 2 && pdbs.every(({ status }) => Number(status?.disruptionsAllowed ?? 0) > 0);
}

/** Of a pool that is not of fixed size, without a pod for `consolidateAfter`. */
function isEmptyLongEnough({ claim, pool, pods }: Candidate, now: Instant): boolean {
  const { consolidateAfter = '0s' } = disruptionOf(pool);
  const wait = parseDuration(String(consolidateAfter));
  if (pods.length > 0 || wait === undefined || pool.spec?.replicas !== undefined) return false;
  const initialized = parseInstant(conditionOf(claim, 'Initialized')?.lastTransitionTime ?? '') ?? now;
  const lastPod = parseInstant(claim.status?.lastPodEventTime ?? '') ?? initialized;
  return now - Math.max(initialized, lastPod) >= wait;
}

const disruptionOf = ({ spec }: KubeObject): { readonly consolidateAfter?: unknown } =>
  (spec as { disruption?: { consolidateAfter?: unknown } } | undefined)?.disruption ?? {};

/** Since when it says so: the oldest goes first. */
export const driftedSince = ({ claim }: Candidate): string => conditionOf(claim, 'Drifted')?.lastTransitionTime ?? '';
