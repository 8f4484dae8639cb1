// How does Karpenter take nodes away? Its disruption loop: a look every ten seconds, one command a look, Empty before Drifted before
// Underutilized; each command taints, launches what is needed, waits for it, and deletes. Underutilized nodes go one at a time, and only
// where their pods fit on others: prices are left out.
import { taint } from '../../../cluster/names.ts';
import { asDuration, asInstant, type Instant, minute, second } from '../../../time/instant.ts';
import { isDeleting } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import type { Controller } from '../controller.ts';
import type { Claim, Node } from '../manifest.ts';
import { isTrue, withConditions } from '../status.ts';
import { addTaints, dropTaints, taintsOf } from '../taints.ts';
import { change, create, remove, type Write } from '../write.ts';
import { blockers, openEvents } from './blocked.ts';
import { type Candidate, type Cause, candidatesFor, driftedSince, type Look } from './candidates.ts';
import { type Command, commandsUnderway, type Taken } from './command.ts';
import { budgetLeft } from './ownBudgets.ts';
import { replacementsFor } from './replacements.ts';
import { withoutCondition } from './rows.ts';

/** What is looked at once more before it begins. */
interface Pending {
  readonly reason: Cause;
  readonly names: ReadonlySet<string>;
  readonly at: Instant;
}

/** [k, m]: one command a look. */
const pollEvery = asDuration(10 * second);
/** Before nodes are consolidated they are looked at once more. [h]: so 17 s at least. */
const validatedAfter = asDuration(15 * second);
/** While nothing changes, what was found consolidated is taken to be so. */
const consolidatedFor = asDuration(5 * minute);
/** A command whose replacements have not come by then is rolled back. */
const longestWait = asDuration(10 * minute);

const loop = ['loop'];

export function disruption(world: World): Controller {
  const random = world.random.fork('karpenter replacements');
  // A world that begins in the middle of a roll: what Karpenter had begun by then, it carries out.
  const queue = new Set<Command>(commandsUnderway(world));
  let nextPoll = world.clock.now;
  let pending: Pending | undefined;
  /** When nothing was found to consolidate, and in which state of the cluster. */
  let nothingSpare: { readonly at: Instant; readonly version: number } | undefined;

  const isQueued = (node: string): boolean => someNode(queue, (it) => it === node);
  /** Its own, and what is launched for others. */
  const isTaken = (node: string): boolean => isQueued(node) || isPromised(node, queue, world);
  const look: Look = { world, isTaken, say: openEvents(world) };

  const poll = (): Write[] => {
    if (!isSynced(world)) {
      nextPoll = asInstant(world.clock.now + second);
      return [];
    }
    nextPoll = asInstant(world.clock.now + pollEvery);
    const cleared = strayTaints(world, isQueued);
    const empty = allowed('Empty', look);
    if (empty.length > 0) {
      propose('Empty', empty);
      return cleared;
    }
    const drifted = drift();
    const spare = drifted.length > 0 ? undefined : findSpare();
    if (spare) propose('Underutilized', [spare]);
    return [...cleared, ...drifted];
  };

  const findSpare = (): Candidate | undefined => {
    const { now } = world.clock;
    const { version } = world.objects;
    if (nothingSpare && nothingSpare.version === version && now - nothingSpare.at < consolidatedFor) return undefined;
    const within = allowed('Underutilized', look);
    const spare = within.find(fitsElsewhere);
    // A budget opens by the clock alone.
    const isConstrained = within.length < candidatesFor('Underutilized', look).length;
    nothingSpare = spare || isConstrained ? undefined : { at: now, version };
    return spare;
  };

  const propose = (reason: Cause, candidates: readonly Candidate[]): void => {
    const names = new Set(candidates.map(({ node }) => node.metadata.name));
    pending = { reason, names, at: asInstant(world.clock.now + validatedAfter) };
    nextPoll = pending.at;
  };

  const fitsElsewhere = (candidate: Candidate): boolean =>
    replacementsFor(candidate, world, () => random.next())?.length === 0;

  const drift = (): Write[] => {
    const oldest = allowed('Drifted', look).sort(byDrift);
    for (const candidate of oldest) {
      const claims = replacementsFor(candidate, world, () => random.next());
      if (claims) return begin([candidate], 'Drifted', claims);
      look.say(candidate.node, blockers.placement(candidate.pods));
    }
    return [];
  };

  const validate = ({ reason, names }: Pending): Write[] => {
    pending = undefined;
    const still = allowed(reason, look).filter(({ node }) => names.has(node.metadata.name));
    const valid = reason === 'Empty' ? still : still.filter(fitsElsewhere);
    return valid.length > 0 ? begin(valid, reason, []) : [];
  };

  const begin = (candidates: readonly Candidate[], reason: Cause, claims: readonly Claim[]): Write[] => {
    queue.add({ candidates, replacements: claims.map(({ metadata }) => metadata.name), since: world.clock.now });
    return [...candidates.flatMap((it) => mark(it, reason, world)), ...claims.map(create)];
  };

  return {
    name: 'karpenter',
    wakes: { NodePool: ({ type }) => (type === 'ADDED' ? loop : []) },
    after: [1, 1],
    settle: () => {
      const { now } = world.clock;
      const writes = [...queue].flatMap((command) => goOn(command, queue, world));
      // Where its own disruption is not part of the world, it only finishes what it had begun.
      if (!world.karpenter) return queue.size > 0 ? { writes, again: 1 } : { writes };
      if (pending && now >= pending.at && isSynced(world)) writes.push(...validate(pending));
      else if (!pending && now >= nextPoll) writes.push(...poll());
      // With nothing begun, nothing happens before the next look.
      const idle = queue.size > 0 ? 0 : ((pending?.at ?? nextPoll) - now) / second;
      return { writes, again: Math.max(1, idle) };
    },
  };
}

const byDrift = (a: Candidate, b: Candidate): number =>
  Number(a.pods.length > 0) - Number(b.pods.length > 0) ||
  compare(driftedSince(a), driftedSince(b)) ||
  compare(a.node.metadata.name, b.node.metadata.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const someNode = (queue: Iterable<Command>, is: (node: string) => boolean): boolean =>
  [...queue].some(({ candidates }) => candidates.some(({ node }) => is(node.metadata.name)));

/** As many of each pool as its budgets allow. */
function allowed(reason: Cause, look: Look): Candidate[] {
  const left = new Map<string, number>();
  return candidatesFor(reason, look).filter(({ pool }) => {
    const { name } = pool.metadata;
    const units = left.get(name) ?? budgetLeft(pool, reason, look);
    left.set(name, units - 1);
    return units > 0;
  });
}

/** [b!]: one claim that the cloud has not answered stops everything. */
const isSynced = ({ objects }: World): boolean =>
  [...(objects.list('NodeClaim') as Iterable<Claim>)].every(({ status }) => status?.providerID !== undefined);

/** A replacement waits for the pods of the node it replaces, until that is gone. */
const isPromised = (node: string, queue: Iterable<Command>, { objects }: World): boolean =>
  [...queue].some(({ replacements }) =>
    replacements.some((name) => (objects.get('NodeClaim', name) as Claim | undefined)?.status?.nodeName === node),
  );

const disrupted = { key: taint.karpenterDisrupted, effect: 'NoSchedule' };

const mark = ({ node, claim }: Taken, reason: Cause, { clock }: World): Write[] => [
  change('Node', node.metadata.name, (it) => addTaints(it as Node, [disrupted])),
  change('NodeClaim', claim.metadata.name, (it) =>
    withConditions(it, clock.now, [{ type: 'DisruptionReason', status: 'True', reason, message: reason }]),
  ),
];

const unmark = ({ node, claim }: Taken): Write[] => [
  change('Node', node.metadata.name, (it) => (isDeleting(it) ? undefined : dropTaints(it as Node, isDisrupted))),
  change('NodeClaim', claim.metadata.name, (it) => withoutCondition(it, 'DisruptionReason')),
];

const isDisrupted = ({ key }: { key: string }): boolean => key === taint.karpenterDisrupted;

/** [c]: the taint is Karpenter's own; where it knows nothing of it, it goes again. */
function strayTaints({ objects }: World, isQueued: (node: string) => boolean): Write[] {
  return [...(objects.list('Node') as Iterable<Node>)]
    .filter((node) => !isDeleting(node) && !isQueued(node.metadata.name) && taintsOf(node).some(isDisrupted))
    .map(({ metadata }) => change('Node', metadata.name, (it) => dropTaints(it as Node, isDisrupted)));
}

/** [l]: once begun, neither annotation nor budget stops it; only a replacement that does not come. */
function goOn(command: Command, queue: Set<Command>, { objects, clock }: World): Write[] {
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
