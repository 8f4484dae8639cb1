// How far is the roll of a pool whose domains go one after another (C11–C13)? Whose turn it is, what holds it, who waits, what was left behind.
import type { Turn } from '../cluster/ledger.ts';
import type { Pool } from '../cluster/model.ts';
import { labelOf } from '../cluster/selector.ts';
import type { DomainReport } from '../engine/verdict.ts';
import { after, asDuration, between, formatInstant, type Instant, minute } from '../time/instant.ts';
import type { Told, WantedCondition } from './wantedStatus.ts';

export interface TurnProgress {
  readonly topologyKey: string;
  readonly state: 'Waiting' | 'Rolling' | 'Settling' | 'SettleStuck' | 'Rolled';
  /** Absent = nobody has the turn. */
  readonly holder?: Turn;
  /** Drifted nodes of the domain that has the turn. */
  readonly left: readonly string[];
  /** C13: why that domain is not well. */
  readonly unwell: readonly string[];
  readonly settlesAt?: Instant;
  readonly waiting: readonly (string | undefined)[];
  readonly done: readonly (string | undefined)[];
  readonly leftBehind: readonly { readonly domain: string | undefined; readonly nodes: readonly string[] }[];
}

/** Pods and nodes need a while to come up: only what lasts longer is called stuck. */
const stuckAfter = asDuration(2 * minute);

/** Undefined where the domains of the pool do not go one after another. */
export function turnOf(pool: Pool, { round, facts, now }: Told): TurnProgress | undefined {
  const keys = pool.budgets.filter(({ sequential }) => sequential).map(({ topologyKey }) => topologyKey);
  const mine = round.domains.filter((it) => it.pool === pool.name && keys.includes(it.topologyKey));
  const [first] = mine;
  if (!first) return undefined;
  const { topologyKey } = first;
  const drifted = round.verdicts.filter((it) => it.pool === pool.name && it.reason === 'Drifted');
  const driftedIn = (domain: string | undefined): string[] =>
    drifted.map(({ node }) => node).filter((node) => labelOf(labelsOf(node), topologyKey) === domain);
  const labelsOf = (node: string) => facts.cluster.node(node)?.node.labels ?? {};
  const holder = round.ledger.turns.find((it) => it.pool === pool.name && it.topologyKey === topologyKey);
  const its = holder && mine.find(({ domain }) => domain === holder.domain);
  const settle = pool.budgets.find((it) => it.sequential && it.topologyKey === topologyKey)?.settle;
  const named = (state: DomainReport['state']) => mine.filter((it) => it.state === state).map(({ domain }) => domain);
  return {
    topologyKey,
    state: stateOf(holder, its, { mine, now }),
    ...(holder && { holder }),
    left: holder ? driftedIn(holder.domain) : [],
    unwell: its?.unwell ?? [],
    ...(holder?.wellSince !== undefined && settle && { settlesAt: after(holder.wellSince, settle) }),
    waiting: named('waiting'),
    done: named('done'),
    leftBehind: (holder?.passedOver ?? [])
      .map((it) => ({ domain: it ?? undefined, nodes: driftedIn(it ?? undefined) }))
      .filter(({ nodes }) => nodes.length > 0),
  };
}

function stateOf(
  holder: Turn | undefined,
  its: DomainReport | undefined,
  { mine, now }: { mine: readonly DomainReport[]; now: Instant },
): TurnProgress['state'] {
  if (!holder) return mine.every(({ state }) => state === 'done') ? 'Rolled' : 'Waiting';
  if (its?.state !== 'settling') return 'Rolling';
  return its.unwell && between(holder.progressAt, now) >= stuckAfter ? 'SettleStuck' : 'Settling';
}

/** A condition is no place for a list of a thousand nodes. */
const mostNames = 10;

export function turnCondition(turn: TurnProgress): WantedCondition {
  const status = turn.state === 'SettleStuck' ? 'False' : 'True';
  return { type: 'LullTurn', status, reason: turn.state, message: sayTurn(turn) };
}

export function sayTurn(turn: TurnProgress): string {
  const { topologyKey, waiting, done, leftBehind } = turn;
  const names = (domains: readonly (string | undefined)[]): string =>
    domains.map((domain) => sayDomain(topologyKey, domain)).join(', ');
  return [
    sayHolder(turn),
    ...(waiting.length > 0 ? [`Waiting: ${names(waiting)}.`] : []),
    ...(done.length > 0 && turn.holder ? [`Done: ${names(done)}.`] : []),
    ...leftBehind.map(({ domain, nodes }) => `Left behind in ${sayDomain(topologyKey, domain)}: ${listed(nodes)}.`),
  ].join(' ');
}

function sayHolder({ topologyKey, state, holder, left, unwell, settlesAt }: TurnProgress): string {
  if (!holder) return state === 'Rolled' ? 'Every domain is as its pool asks.' : 'Nobody has the turn yet.';
  const domain = sayDomain(topologyKey, holder.domain);
  if (unwell.length > 0) return `${domain} has had its turn, but is not well: ${listed(unwell, '; ')}.`;
  if (settlesAt !== undefined)
    return `${domain} has had its turn, is well, and settles until ${formatInstant(settlesAt)}.`;
  if (state === 'Settling') return `${domain} has had its turn, is well, and begins to settle.`;
  const going = holder.inFlight.length > 0 ? `, going: ${listed(holder.inFlight)}` : '';
  return `${domain} has the turn since ${formatInstant(holder.takenAt)}; drifted: ${left.length}${going}.`;
}

export const sayDomain = (topologyKey: string, domain: string | undefined): string =>
  domain === undefined ? `the nodes without ${topologyKey}` : `${topologyKey.split('/').at(-1)} ${domain}`;

function listed(names: readonly string[], separator = ', '): string {
  const more = names.length > mostNames ? [`${names.length - mostNames} more`] : [];
  return names.length === 0 ? 'none' : [...names.slice(0, mostNames), ...more].join(separator);
}

/** Absent and empty alike are left out: the nodes without the label are null. */
export function turnField({ topologyKey, state, holder, left, unwell, settlesAt, ...rest }: TurnProgress): unknown {
  const orNull = (domain: string | undefined): string | null => domain ?? null;
  return {
    topologyKey,
    state,
    ...(holder && { domain: orNull(holder.domain), since: formatInstant(holder.takenAt) }),
    ...(holder && { inFlight: holder.inFlight.slice(0, mostNames), drifted: left.length }),
    ...(unwell.length > 0 && { unwell: unwell.slice(0, mostNames) }),
    ...(settlesAt !== undefined && { settlesAt: formatInstant(settlesAt) }),
    waiting: rest.waiting.map(orNull),
    done: rest.done.map(orNull),
    leftBehind: rest.leftBehind.map((it) => ({ domain: orNull(it.domain), nodes: it.nodes.slice(0, mostNames) })),
  };
}
