// A command of Karpenter's disruption loop, and those that a world shows as begun when it starts in the middle of a roll.
import { taint } from '../../../cluster/names.ts';
import { asDuration, type Instant, parseInstant, second } from '../../../time/instant.ts';
import { isDeleting, type KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { claimOfNode } from '../cloud/launching.ts';
import { type Claim, type Node, poolOf } from '../manifest.ts';
import { conditionOf, isTrue } from '../status.ts';
import { taintsOf } from '../taints.ts';

/** Karpenter keeps it in memory, not in the cluster. */
export interface Command {
  readonly candidates: readonly Taken[];
  /** Names of claims. */
  readonly replacements: readonly string[];
  readonly since: Instant;
}

export interface Taken {
  readonly node: Node;
  readonly claim: Claim;
}

/** Karpenter taints a node and launches its replacements within this long. */
const launchedWithin = asDuration(30 * second);

/**
 * Which claims replace which node is only in Karpenter's memory. Each node that it has tainted is taken to wait for all claims of its pool
 * that are still coming up and were created no earlier than its command.
 */
export function commandsUnderway(world: World): Command[] {
  const coming = [...(world.objects.list('NodeClaim') as Iterable<Claim>)].filter(
    (claim) => !isDeleting(claim) && !isTrue(claim, 'Initialized'),
  );
  return [...(world.objects.list('Node') as Iterable<Node>)].flatMap((node): Command[] => {
    const claim = claimOfNode(node, world);
    if (!claim || isDeleting(claim) || isDeleting(node) || !isTaken(node)) return [];
    const since = instantOf(conditionOf(claim, 'DisruptionReason')?.lastTransitionTime) ?? world.clock.now;
    const replacements = coming.filter(
      (it) => poolOf(it) === poolOf(claim) && createdAt(it, world) >= since - launchedWithin,
    );
    return [{ candidates: [{ node, claim }], replacements: replacements.map(({ metadata }) => metadata.name), since }];
  });
}

const isTaken = (node: Node): boolean => taintsOf(node).some(({ key }) => key === taint.karpenterDisrupted);

const createdAt = ({ metadata }: KubeObject, { clock }: World): Instant =>
  instantOf(metadata.creationTimestamp) ?? clock.now;

const instantOf = (text: string | undefined): Instant | undefined =>
  text === undefined ? undefined : parseInstant(text);
