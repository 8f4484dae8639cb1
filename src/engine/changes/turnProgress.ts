// The progress of a sequential roll (C11–C13): the turn, what holds it, and the domains that wait, are done or were left behind.
import type { Turn } from '../../cluster/ledger.ts';
import type { Pool } from '../../cluster/model.ts';
import { labelOf } from '../../cluster/selector.ts';
import { after, asDuration, between, type Instant, minute } from '../../time/instant.ts';
import type { DomainReport } from '../verdict.ts';
import type { RoundWithFacts } from './roundWithFacts.ts';

export interface TurnProgress {
  readonly topologyKey: string;
  readonly state: 'Waiting' | 'Rolling' | 'Settling' | 'SettleStuck' | 'Rolled';
  /** Absent = no domain has the turn. */
  readonly holder?: Turn;
  /** Drifted nodes of the domain that has the turn. */
  readonly left: readonly string[];
  /** Why that domain is not healthy (C13). */
  readonly unwell: readonly string[];
  readonly settlesAt?: Instant;
  readonly waiting: readonly (string | undefined)[];
  readonly done: readonly (string | undefined)[];
  readonly leftBehind: readonly { readonly domain: string | undefined; readonly nodes: readonly string[] }[];
}

/** Pods and nodes need time to become ready: only a longer wait counts as stuck. */
const stuckAfter = asDuration(2 * minute);

/** Undefined if the pool is not rolled sequentially. */
export function turnOf(pool: Pool, { round, facts, now }: RoundWithFacts): TurnProgress | undefined {
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
