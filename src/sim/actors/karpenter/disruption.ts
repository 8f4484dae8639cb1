// Karpenter's disruption loop. Every ten seconds it starts at most one command: Empty before Drifted before Underutilized. A command
// taints the nodes, launches replacements, waits for them, and deletes the nodes. Underutilized nodes are removed one at a time and only
// if their pods fit on other nodes: prices are not simulated.

import { taint } from '../../../cluster/names.ts';
import { asDuration, asInstant, type Instant, minute, second } from '../../../time/instant.ts';
import { instantOf, isDeleting, type KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type ActorController, type ActorWrite, change, create, remove } from '../actor.ts';
import { claimOfNode } from '../cloud/launching.ts';
import {
  addTaints,
  conditionOf,
  dropTaints,
  isTrue,
  poolOf,
  type RawClaim,
  type RawNode,
  taintsOf,
  withConditions,
} from '../rawObjects.ts';
import {
  blockers,
  budgetLeft,
  candidatesFor,
  driftedSince,
  type KarpenterCandidate,
  type KarpenterReason,
  type LoopContext,
  openEvents,
} from './candidates.ts';
import { replacementsFor } from './replacements.ts';
import { withoutCondition } from './rows.ts';

/** Karpenter keeps its commands in memory, not in the cluster. */
interface KarpenterCommand {
  readonly candidates: readonly KarpenterCommandNode[];
  /** Names of claims. */
  readonly replacements: readonly string[];
  readonly since: Instant;
}

interface KarpenterCommandNode {
  readonly node: RawNode;
  readonly claim: RawClaim;
}

/** Karpenter taints a node and launches its replacements within this long. */
const launchedWithin = asDuration(30 * second);

/**
 * The commands of a world that starts in the middle of a roll. Only Karpenter's memory says which claims replace which node, so each
 * tainted node is assumed to wait for all claims of its pool that are not initialized and not older than its command.
 */
export function commandsUnderway(world: World): KarpenterCommand[] {
  const coming = [...world.objects.list('NodeClaim')].filter(
    (claim) => !isDeleting(claim) && !isTrue(claim, 'Initialized'),
  );
  return [...world.objects.list('Node')].flatMap((node): KarpenterCommand[] => {
    const claim = claimOfNode(node, world);
    if (!claim || isDeleting(claim) || isDeleting(node) || !isTaken(node)) return [];
    const since = instantOf(conditionOf(claim, 'DisruptionReason')?.lastTransitionTime) ?? world.clock.now;
    const replacements = coming.filter(
      (it) => poolOf(it) === poolOf(claim) && createdAt(it, world) >= since - launchedWithin,
    );
    return [{ candidates: [{ node, claim }], replacements: replacements.map(({ metadata }) => metadata.name), since }];
  });
}

const isTaken = (node: RawNode): boolean => taintsOf(node).some(({ key }) => key === taint.karpenterDisrupted);

const createdAt = ({ metadata }: KubeObject, { clock }: World): Instant =>
  instantOf(metadata.creationTimestamp) ?? clock.now;

/** A command that is validated once more before it starts. */
interface ProposedCommand {
  readonly reason: KarpenterReason;
  readonly names: ReadonlySet<string>;
  readonly at: Instant;
}

/** The interval of the loop. */
const pollEvery = asDuration(10 * second);
/** Consolidation is validated once more after this long. */
const validatedAfter = asDuration(15 * second);
/** While nothing changes, a cluster that was found consolidated is not searched again for this long. */
const consolidatedFor = asDuration(5 * minute);
/** A command whose replacements are not initialized by then is rolled back. */
const longestWait = asDuration(10 * minute);

const loop = ['loop'];

export function disruption(world: World): ActorController {
  const random = world.random.fork('karpenter replacements');
  // In a world that starts in the middle of a roll, Karpenter continues its commands.
  const queue = new Set<KarpenterCommand>(commandsUnderway(world));
  let nextPoll = world.clock.now;
  let pending: ProposedCommand | undefined;
  /** When and at which version of the cluster nothing was found to consolidate. */
  let consolidated: { readonly at: Instant; readonly version: number } | undefined;

  const isQueued = (node: string): boolean => someNode(queue, (it) => it === node);
  /** Nodes of commands, and their replacements. */
  const isTaken = (node: string): boolean => isQueued(node) || isReplacement(node, queue, world);
  const context: LoopContext = { world, isTaken, reportBlocked: openEvents(world) };

  const poll = (): ActorWrite[] => {
    if (!isSynced(world)) {
      nextPoll = asInstant(world.clock.now + second);
      return [];
    }
    nextPoll = asInstant(world.clock.now + pollEvery);
    const cleared = strayTaints(world, isQueued);
    const empty = allowed('Empty', context);
    if (empty.length > 0) {
      propose('Empty', empty);
      return cleared;
    }
    const drifted = drift();
    const spare = drifted.length > 0 ? undefined : findSpare();
    if (spare) propose('Underutilized', [spare]);
    return [...cleared, ...drifted];
  };

  const findSpare = (): KarpenterCandidate | undefined => {
    const { now } = world.clock;
    const { version } = world.objects;
    if (consolidated && consolidated.version === version && now - consolidated.at < consolidatedFor) return undefined;
    const within = allowed('Underutilized', context);
    const spare = within.find(fitsElsewhere);
    // Candidates held by a budget may go later without any change of the cluster.
    const isConstrained = within.length < candidatesFor('Underutilized', context).length;
    consolidated = spare || isConstrained ? undefined : { at: now, version };
    return spare;
  };

  const propose = (reason: KarpenterReason, candidates: readonly KarpenterCandidate[]): void => {
    const names = new Set(candidates.map(({ node }) => node.metadata.name));
    pending = { reason, names, at: asInstant(world.clock.now + validatedAfter) };
    nextPoll = pending.at;
  };

  const fitsElsewhere = (candidate: KarpenterCandidate): boolean =>
    replacementsFor(candidate, world, () => random.next())?.length === 0;

  const drift = (): ActorWrite[] => {
    const oldest = allowed('Drifted', context).sort(byDrift);
    for (const candidate of oldest) {
      const claims = replacementsFor(candidate, world, () => random.next());
      if (claims) return begin([candidate], 'Drifted', claims);
      context.reportBlocked(candidate.node, blockers.placement(candidate.pods));
    }
    return [];
  };

  const validate = ({ reason, names }: ProposedCommand): ActorWrite[] => {
    pending = undefined;
    const still = allowed(reason, context).filter(({ node }) => names.has(node.metadata.name));
    const valid = reason === 'Empty' ? still : still.filter(fitsElsewhere);
    return valid.length > 0 ? begin(valid, reason, []) : [];
  };

  const begin = (
    candidates: readonly KarpenterCandidate[],
    reason: KarpenterReason,
    claims: readonly RawClaim[],
  ): ActorWrite[] => {
    queue.add({ candidates, replacements: claims.map(({ metadata }) => metadata.name), since: world.clock.now });
    return [...candidates.flatMap((it) => mark(it, reason, world)), ...claims.map(create)];
  };

  return {
    name: 'karpenter',
    wakes: { NodePool: ({ type }) => (type === 'ADDED' ? loop : []) },
    after: [1, 1],
    reconcile: () => {
      const { now } = world.clock;
      const writes = [...queue].flatMap((command) => advance(command, queue, world));
      // In a world without Karpenter's disruption it only finishes the commands it had started.
      if (!world.karpenter) return queue.size > 0 ? { writes, again: 1 } : { writes };
      if (pending && now >= pending.at && isSynced(world)) writes.push(...validate(pending));
      else if (!pending && now >= nextPoll) writes.push(...poll());
      // Without commands, sleep until the next round of the loop.
      const idle = queue.size > 0 ? 0 : ((pending?.at ?? nextPoll) - now) / second;
      return { writes, again: Math.max(1, idle) };
    },
  };
}

const byDrift = (a: KarpenterCandidate, b: KarpenterCandidate): number =>
  Number(a.pods.length > 0) - Number(b.pods.length > 0) ||
  compare(driftedSince(a), driftedSince(b)) ||
  compare(a.node.metadata.name, b.node.metadata.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const someNode = (queue: Iterable<KarpenterCommand>, is: (node: string) => boolean): boolean =>
  [...queue].some(({ candidates }) => candidates.some(({ node }) => is(node.metadata.name)));

/** The candidates within the budgets of their pools. */
function allowed(reason: KarpenterReason, context: LoopContext): KarpenterCandidate[] {
  const left = new Map<string, number>();
  return candidatesFor(reason, context).filter(({ pool }) => {
    const { name } = pool.metadata;
    const units = left.get(name) ?? budgetLeft(pool, reason, context);
    left.set(name, units - 1);
    return units > 0;
  });
}

/** Karpenter disrupts nothing while any claim is not launched. */
const isSynced = ({ objects }: World): boolean =>
  [...objects.list('NodeClaim')].every(({ status }) => status?.providerID !== undefined);

/** Replacements are not disrupted until the node they replace is gone. */
const isReplacement = (node: string, queue: Iterable<KarpenterCommand>, { objects }: World): boolean =>
  [...queue].some(({ replacements }) =>
    replacements.some((name) => objects.get('NodeClaim', name)?.status?.nodeName === node),
  );

const disrupted = { key: taint.karpenterDisrupted, effect: 'NoSchedule' };

const mark = ({ node, claim }: KarpenterCommandNode, reason: KarpenterReason, { clock }: World): ActorWrite[] => [
  change('Node', node.metadata.name, (it) => addTaints(it, [disrupted])),
  change('NodeClaim', claim.metadata.name, (it) =>
    withConditions(it, clock.now, [{ type: 'DisruptionReason', status: 'True', reason, message: reason }]),
  ),
];

const unmark = ({ node, claim }: KarpenterCommandNode): ActorWrite[] => [
  change('Node', node.metadata.name, (it) => (isDeleting(it) ? undefined : dropTaints(it, isDisrupted))),
  change('NodeClaim', claim.metadata.name, (it) => withoutCondition(it, 'DisruptionReason')),
];

const isDisrupted = ({ key }: { key: string }): boolean => key === taint.karpenterDisrupted;

/** Karpenter removes its own taint from nodes that are not part of a command. */
function strayTaints({ objects }: World, isQueued: (node: string) => boolean): ActorWrite[] {
  return [...objects.list('Node')]
    .filter((node) => !isDeleting(node) && !isQueued(node.metadata.name) && taintsOf(node).some(isDisrupted))
    .map(({ metadata }) => change('Node', metadata.name, (it) => dropTaints(it, isDisrupted)));
}

/** Continues a command. Neither an annotation nor a budget stops it, only a replacement that does not come up. */
function advance(command: KarpenterCommand, queue: Set<KarpenterCommand>, { objects, clock }: World): ActorWrite[] {
  const here = command.candidates.filter(({ claim }) => objects.get('NodeClaim', claim.metadata.name));
  if (here.length === 0) {
    queue.delete(command);
    return [];
  }
  const staying = here.filter(({ claim }) => !isDeleting(objects.get('NodeClaim', claim.metadata.name) ?? claim));
  if (staying.length === 0) return [];
  const claims = command.replacements.map((name) => objects.get('NodeClaim', name));
  if (claims.every((claim) => claim && isTrue(claim, 'Initialized')))
    return staying.map(({ claim: { metadata } }) => remove('NodeClaim', metadata.name));
  const isLost = claims.some((claim) => !claim || isDeleting(claim));
  if (!isLost && clock.now - command.since < longestWait) return [];
  queue.delete(command);
  return staying.flatMap(unmark);
}
