// May an offer stand? As long as no gate refuses what Karpenter may take the node for, and no limit is exceeded (D6, N4).
import type { Command } from '../../cluster/ledger.ts';
import { compareText } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import { askGates } from '../gates/gates.ts';
import { sayWithheld, withheldWhy } from '../gates/offersWithheld.ts';
import { limitAt } from '../limits/budgets.ts';
import { domainOf, findDomains } from '../limits/domains.ts';
import { triedBefore } from '../limits/offers.ts';
import { consumedFor, limitQuery } from '../limits/poolBudgets.ts';
import type { Situation, Tally } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { needsNudge } from './nudge.ts';
import { placesOf } from './place.ts';
import { beforeEviction, type Counts, objection, sayFirst } from './secondLook.ts';
import type { Context } from './step.ts';

/** Why it is to be withdrawn, in a sentence; undefined = it stands. */
export function objectionToOffer(command: Command, context: Context): string | undefined {
  const withheld = withheldWhy(context.situation.settings);
  if (withheld !== undefined) return `OffersWithheld: ${sayWithheld(withheld)}`;
  const own = objection(command, context, isForOffers);
  if (own !== undefined) return own;
  for (const { name } of command.nodes) {
    const wishes = context.wishes.get(name) ?? [];
    if (wishes.some(({ kind }) => kind === 'forced')) continue;
    const earlier = wishes.filter(({ reason }) => seenBefore(command.reason).includes(reason));
    for (const wish of earlier) {
      const against = sayFirst(refusalsOf(wish, context.situation));
      if (against !== undefined) return `Karpenter would take it for ${wish.reason} first: ${against}`;
    }
    for (const reason of [command.reason, ...earlier.map((wish) => wish.reason)]) {
      const against = beyondLimit(command, reason, context.situation);
      if (against !== undefined) return against;
    }
  }
  return undefined;
}

/** F7: Karpenter has not begun on an offer, so that no more is taken while a claim of the pool is slow. */
const isForOffers: Counts = (code) => code === 'ReplacementSlow' || beforeEviction(code);

/** N6: what was nudged seems drifted because Lull wants it so. */
const seenBefore = (reason: Reason): readonly Reason[] =>
  triedBefore(reason).filter((it) => it !== 'Drifted' || !needsNudge(reason));

/** What its policy turns off Karpenter does not try. */
function refusalsOf(wish: Wish, situation: Situation) {
  const refusals = askGates(wish, situation);
  if (refusals.some(({ code }) => code === 'PolicyOff')) return [];
  return refusals.filter(({ code }) => beforeEviction(code) && code !== 'NotReady');
}

/** A limit that has shrunk since, or is used up by others: of those offered, the last are withdrawn. */
function beyondLimit(command: Command, reason: Reason, situation: Situation): string | undefined {
  const tally = situation.tallies.get(command.pool);
  if (!tally) return undefined;
  const { limit, budget } = limitAt(limitQuery(tally, reason, situation), situation.now);
  const flat = limit !== undefined && isBeyond(command, { limit, consumed: consumedFor(reason, tally), situation });
  if (flat) return `budget ${budget?.index} of ${command.pool} lets ${limit} go at once for ${reason}`;
  return reason === 'Drifted' ? beyondDomain(command, tally, situation) : undefined;
}

function beyondDomain(command: Command, tally: Tally, situation: Situation): string | undefined {
  const views = placesOf(command, situation.cluster).flatMap(({ view }) => view ?? []);
  for (const { topologyKey, name, limit, consumed, budget } of findDomains(tally, situation)) {
    if (!views.some((view) => domainOf(view, topologyKey) === name)) continue;
    const isIn = (other: Command): boolean =>
      placesOf(other, situation.cluster).some(({ view }) => view && domainOf(view, topologyKey) === name);
    if (isBeyond(command, { limit, consumed, situation, isIn }))
      return `budget ${budget.index} of ${command.pool} lets ${limit} of ${name ?? 'the unlabelled nodes'} go at once`;
  }
  return undefined;
}

interface Use {
  readonly limit: number;
  /** All that is used, those offered included. */
  readonly consumed: number;
  readonly situation: Situation;
  readonly isIn?: (other: Command) => boolean;
}

function isBeyond(command: Command, { limit, consumed, situation, isIn = () => true }: Use): boolean {
  if (consumed <= limit) return limit === 0;
  const rivals = situation.ledger.commands
    .filter(({ step, pool }) => step === 'offered' && pool === command.pool)
    .filter((other) => isCounted(other, situation) && isIn(other))
    .sort((a, b) => a.startedAt - b.startedAt || compareText(a.id, b.id));
  const place = rivals.findIndex(({ id }) => id === command.id);
  return place >= limit - (consumed - rivals.length);
}

const isCounted = (command: Command, { cluster }: Situation): boolean =>
  placesOf(command, cluster).some(({ view }) => view?.state.counted);
