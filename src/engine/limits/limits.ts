// All that wishes share: each limit is asked, so that all of them are shown, and spent by whoever goes.
import { maxCommands } from '../../cluster/ledger.ts';
import { type Asked, isCandidate, type Judged } from '../judged.ts';
import { nothingToMove } from '../placement/placement.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { openKarpenterBudgets } from './karpenterBudgets.ts';
import { openOffers } from './offers.ts';
import { openOneCommand } from './oneCommand.ts';
import { openPdbReservations } from './pdbReservations.ts';
import { openPoolBudgets } from './poolBudgets.ts';
import type { SharedLimit } from './sharedLimit.ts';
import { type DriftWishes, openTopologyLimits, type TopologyLimits } from './topologyLimits.ts';
import { openWindowCaps } from './windowCaps.ts';

export interface Limits extends SharedLimit {
  readonly topology: TopologyLimits;
  /** A candidate stays: others may have to know. */
  hold(wish: Wish, refusals: readonly Refusal[]): void;
  finish(judged: Judged): Judged;
}

export function openLimits(situation: Situation, asked: readonly Asked[]): Limits {
  const topology = openTopologyLimits(situation, driftAmong(asked));
  const oneCommand = openOneCommand();
  const offers = openOffers(situation, asked);
  const limits: readonly SharedLimit[] = [
    openPoolBudgets(situation),
    topology,
    openWindowCaps(situation),
    openPdbReservations(situation),
    openKarpenterBudgets(situation),
    openPromises(),
    openLedgerRoom(situation),
    offers,
  ];
  return {
    topology,
    hold: offers.hold,
    finish: oneCommand.finish,
    /** Forced wishes are never refused, but what they use up is counted (A2). */
    refuse: (wish) => {
      const taken = oneCommand.refuse(wish);
      if (taken.length > 0 || wish.kind === 'forced') return taken;
      let refusals = none;
      for (const limit of limits) {
        const more = limit.refuse(wish);
        if (more.length > 0) refusals = refusals.length > 0 ? [...refusals, ...more] : more;
      }
      return sayOnce(refusals, wish);
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

/** Budgets of the spec are read by Lull and by Karpenter: where one budget refuses by both readings until the same instant, it is one refusal. */
function sayOnce(refusals: readonly Refusal[], { pool }: Wish): readonly Refusal[] {
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

/** Whether all of them may go together. Nothing is spent yet. */
export function admitsAll(wishes: readonly Wish[], limits: SharedLimit): boolean {
  const spent: Wish[] = [];
  for (const wish of wishes) {
    if (limits.refuse(wish).length > 0) break;
    limits.spend(wish, nothingToMove);
    spent.push(wish);
  }
  for (const wish of spent) limits.takeBack(wish);
  return spent.length === wishes.length;
}

function driftAmong(asked: readonly Asked[]): DriftWishes {
  const drifted = asked.filter(({ wish }) => wish.reason === 'Drifted');
  return { drifted: drifted.map(({ wish }) => wish), candidates: drifted.filter(isCandidate).map(({ wish }) => wish) };
}

/** N0: a node that was promised pods of this round's commands stays. */
function openPromises(): SharedLimit {
  const promised = new Set<string>();
  return {
    refuse: ({ view }) =>
      promised.has(view.node.name)
        ? [refuse('Nominated', 'pods of a node that goes in this round are to be placed on it')]
        : none,
    spend: (_, placement) => {
      for (const { target } of placement.moves) promised.add(target);
    },
    // Nothing is promised before all have their places.
    takeBack: () => undefined,
  };
}

/** G2: the ledger holds so many commands and no more. */
function openLedgerRoom({ ledger }: Situation): SharedLimit {
  let commands = ledger.commands.length;
  return {
    refuse: () =>
      commands < maxCommands
        ? none
        : [
            refuse('BudgetSpent', `${maxCommands} commands are under way, as many as the ledger holds`, {
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
