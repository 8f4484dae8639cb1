// How is a pool drawn? What may go of it now, whose turn it is, and how long the turn may still last.
import type { Turn } from '../../cluster/ledger.ts';
import type { Budget, Pool } from '../../cluster/model.ts';
import type { Cluster } from '../../cluster/store.ts';
import { after, type Instant } from '../../time/instant.ts';
import { patienceEndsAt } from '../limits/patience.ts';
import type { Refusal } from '../refusal.ts';
import type { Allowance, Round } from '../verdict.ts';
import { topologyOf } from './nodeRow.ts';

export interface PoolRow {
  readonly name: string;
  /** The label by which its nodes are grouped. */
  readonly topologyKey: string;
  /** Whether one domain goes after another. */
  readonly sequential?: true;
  readonly counted: number;
  readonly allowances: readonly Omit<Allowance, 'pool'>[];
  readonly turns: readonly TurnRow[];
  /** C8: it moves nothing until this is mended. */
  readonly fault?: string;
  readonly backsOffUntil?: Instant;
  /** F7: what does not become ready. */
  readonly slow?: string;
}

export interface TurnRow {
  readonly topologyKey: string;
  readonly domain?: string;
  readonly takenAt: Instant;
  readonly progressAt: Instant;
  /** C12: when it is passed, should nothing happen; absent = not as long as the pool is closed. */
  readonly patienceEndsAt?: Instant;
  /** C13: when it is passed, should the domain stay well. */
  readonly settledAt?: Instant;
  /** C13: what is not well. */
  readonly settling?: string;
  readonly passAsked?: true;
  /** C12: null = the nodes without the label. */
  readonly passedOver: readonly (string | null)[];
}

export function drawPool(pool: Pool, round: Round, cluster: Cluster): PoolRow {
  const { name } = pool;
  const { nodes } = cluster.nodesOf(name);
  const slow = round.slowClaims?.find((it) => it.pool === name);
  const backoff = round.ledger.backoffs.find((it) => it.pool === name && round.at < it.until);
  return {
    name,
    topologyKey: topologyOf(pool),
    ...(pool.budgets.some(({ sequential }) => sequential) && { sequential: true }),
    counted: nodes.filter(({ state }) => state.counted).length,
    allowances: round.allowances.filter((it) => it.pool === name).map(({ pool: _, ...rest }) => rest),
    turns: round.ledger.turns.filter((turn) => turn.pool === name).map((turn) => drawTurn(turn, pool, round, cluster)),
    ...(pool.fault && { fault: `${pool.fault.path}: ${pool.fault.message}` }),
    ...(backoff && { backsOffUntil: backoff.until }),
    ...(slow && { slow: slow.message }),
  };
}

function drawTurn(turn: Turn, pool: Pool, round: Round, cluster: Cluster): TurnRow {
  const { topologyKey, domain, takenAt, progressAt, wellSince, passAsked, passedOver } = turn;
  const isIts = (it: Budget): boolean => it.sequential && it.topologyKey === topologyKey;
  const budget = pool.budgets.find((it) => isIts(it) && (it.window?.isOpen(round.at) ?? true));
  const ends = budget && patienceEndsAt(turn, { budget, tally: { pool, nodes: cluster.nodesOf(pool.name).nodes } });
  const settling = settlingOf(pool.name, round);
  return {
    topologyKey,
    ...(domain !== undefined && { domain }),
    takenAt,
    progressAt,
    ...(ends !== undefined && { patienceEndsAt: ends }),
    ...(budget && wellSince !== undefined && { settledAt: after(wellSince, budget.settle) }),
    ...(settling && { settling: settling.message }),
    ...(passAsked !== undefined && { passAsked: true }),
    passedOver,
  };
}

/** The first that says so will do: all that are held by it say the same. */
function settlingOf(pool: string, { verdicts }: Round): Refusal | undefined {
  for (const verdict of verdicts) {
    if (verdict.pool !== pool) continue;
    const found = verdict.refusals.find(({ code }) => code === 'DomainSettling');
    if (found) return found;
  }
  return undefined;
}
