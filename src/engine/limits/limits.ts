// All limits of a round. Every limit is checked, so that all refusals are shown, and spent by the wishes that go.
import { maxCommands } from '../../cluster/ledger.ts';
import type { Reason } from '../../cluster/reason.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { type GatedWish, type HeldWish, held, isCandidate, type WishOutcome } from '../wishOutcome.ts';
import { openPdbReservations } from './pdbReservations.ts';
import { openKarpenterBudgets, openPoolBudgets } from './poolBudgets.ts';
import { openPoolRates, type RateLimit } from './poolRates.ts';
import { openRolls, type RollLimits } from './rolls.ts';
import type { SharedLimit } from './sharedLimit.ts';
import { countStarts, type StartCounts } from './startCounts.ts';
import { type DriftWishes, openTopologyLimits, type TopologyLimits } from './topologyLimits.ts';
import { openWindowCaps } from './windowCaps.ts';

export interface Limits extends SharedLimit {
  readonly topology: TopologyLimits;
  readonly starts: StartCounts;
  readonly rates: Pick<RateLimit, 'active' | 'rules'>;
  readonly rolls: RollLimits;
  /** Records that a candidate is held: in guide this may hold other wishes of its node. */
  hold(wish: Wish, refusals: readonly Refusal[]): void;
  finish(judged: WishOutcome): WishOutcome;
}

export function openLimits(situation: Situation, asked: readonly GatedWish[]): Limits {
  const drift = driftAmong(asked);
  const rolls = openRolls(situation, drift.drifted);
  const topology = openTopologyLimits(situation, drift, rolls.pools);
  const oneCommand = openOneCommand();
  const offers = openOffers(situation, asked);
  const starts = countStarts(situation);
  const poolRates = openPoolRates(situation, starts);
  const windowCaps = openWindowCaps(situation, starts);
  const limits: readonly SharedLimit[] = [
    openPoolBudgets(situation),
    poolRates,
    topology,
    rolls,
    windowCaps,
    openPdbReservations(situation),
    openKarpenterBudgets(situation),
    openPromises(),
    openLedgerRoom(situation),
    offers,
  ];
  return {
    topology,
    starts,
    rates: {
      active: [...poolRates.active, ...windowCaps.active],
      rules: (wish) => [...poolRates.rules(wish), ...windowCaps.rules(wish)],
    },
    rolls,
    hold: offers.hold,
    finish: oneCommand.finish,
    /** Forced wishes are never refused, but count as spent (A2). */
    refuse: (wish) => {
      const taken = oneCommand.refuse(wish);
      if (taken.length > 0 || wish.kind === 'forced') return taken;
      let refusals = none;
      for (const limit of limits) {
        const more = limit.refuse(wish);
        if (more.length > 0) refusals = refusals.length > 0 ? [...refusals, ...more] : more;
      }
      return withoutDuplicates(refusals, wish);
    },
    spend: (wish, placement) => {
      oneCommand.spend(wish, placement);
      for (const limit of limits) limit.spend(wish, placement);
    },
    takeBack: (wish) => {
      oneCommand.takeBack(wish);
      for (const limit of limits) limit.takeBack(wish);
    },
  };
}

/** Lull and Karpenter both read the spec's budgets: if one budget refuses by both readings until the same instant, keep one refusal. */
function withoutDuplicates(refusals: readonly Refusal[], { pool }: Wish): readonly Refusal[] {
  const own =
    refusals.length < 2 || pool?.budgetsFrom === 'annotation'
      ? undefined
      : refusals.find(({ code, owner }) => code === 'BudgetSpent' && owner?.kind === 'NodePool');
  if (!own) return refusals;
  return refusals.filter(
    ({ code, owner, liftsAt }) =>
      code !== 'KarpenterBudget' || owner?.index !== own.owner?.index || liftsAt !== own.liftsAt,
  );
}

function driftAmong(asked: readonly GatedWish[]): DriftWishes {
  const drifted = asked.filter(({ wish }) => wish.reason === 'Drifted');
  return { drifted: drifted.map(({ wish }) => wish), candidates: drifted.filter(isCandidate).map(({ wish }) => wish) };
}

/** A node that is to receive pods of this round's commands is not disrupted (N0). */
function openPromises(): SharedLimit {
  const promised = new Set<string>();
  return {
    refuse: ({ view }) =>
      promised.has(view.node.name)
        ? [refuse('Nominated', 'pods of a node disrupted in this round are to be scheduled on it')]
        : none,
    spend: (_, placement) => {
      for (const { target } of placement.moves) promised.add(target);
    },
    // Targets are only recorded once all pods are placed.
    takeBack: () => undefined,
  };
}

/** The ledger's maximum number of commands (G2). */
function openLedgerRoom({ ledger }: Situation): SharedLimit {
  let commands = ledger.commands.length;
  return {
    refuse: () =>
      commands < maxCommands
        ? none
        : [
            refuse('BudgetSpent', `${maxCommands} commands are under way, as many as the ledger can hold`, {
              owner: { kind: 'DisruptionLedger', name: 'lull' },
            }),
          ],
    spend: () => {
      commands++;
    },
    takeBack: () => {
      commands--;
    },
  };
}

interface OneCommand extends SharedLimit {
  /** Adds AlreadyUnderway to a wish that was held before another wish took its node. */
  finish(judged: WishOutcome): WishOutcome;
}

function openOneCommand(): OneCommand {
  const taken = new Map<string, Refusal>();
  const refuseTaken = ({ view }: Wish): readonly Refusal[] => {
    const refusal = taken.get(view.node.name);
    return refusal ? [refusal] : none;
  };
  return {
    refuse: refuseTaken,
    spend: ({ view, reason }) => {
      taken.set(view.node.name, refuse('AlreadyUnderway', `the node is disrupted for ${reason} in this round`));
    },
    takeBack: ({ view }) => {
      taken.delete(view.node.name);
    },
    finish: (judged) => {
      const refusals = judged.outcome === 'held' ? refuseTaken(judged.wish) : none;
      const isTold = refusals.length === 0 || judged.refusals.some(({ code }) => code === 'AlreadyUnderway');
      return isTold ? judged : held(judged.wish, judged.refusals, refusals);
    },
  };
}

/** The reasons that Karpenter tries before this one. Reasons that it does not know are nudged as drift (N6). */
export function triedBefore(reason: Reason): readonly Reason[] {
  if (reason === 'Empty') return [];
  if (reason === 'Drifted') return ['Empty'];
  return ['Empty', 'Drifted'];
}

interface Offers extends SharedLimit {
  hold(wish: Wish, refusals: readonly Refusal[]): void;
}

/** In guide, a refusal of a wish that Karpenter would try first also holds this wish. */
function openOffers({ settings }: Situation, asked: readonly GatedWish[]): Offers {
  const held = new Map<string, HeldWish[]>();
  const hold = (wish: Wish, refusals: readonly Refusal[]): void => {
    if (settings.role !== 'guide' || refusals.length === 0) return;
    const { name } = wish.view.node;
    held.set(name, [...(held.get(name) ?? []), { wish, refusals }]);
  };
  for (const { wish, refusals } of asked) hold(wish, refusals ?? none);
  return {
    hold,
    refuse: ({ view, reason }) => {
      const mine = held.get(view.node.name);
      if (!mine) return none;
      const before = triedBefore(reason);
      return mine.filter(({ wish }) => before.includes(wish.reason)).flatMap(asOfKarpenter);
    },
    spend: () => undefined,
    takeBack: () => undefined,
  };
}

/** Karpenter does not try reasons that the policy turns off. NotReady does not count: the node may be repaired. */
const asOfKarpenter = ({ wish, refusals }: HeldWish): Refusal[] =>
  refusals.some(({ code }) => code === 'PolicyOff')
    ? []
    : refusals
        .filter(({ code }) => code !== 'NotReady')
        .map((refusal) => ({
          ...refusal,
          message: `Karpenter would disrupt it for ${wish.reason} first: ${refusal.message}`,
        }));
