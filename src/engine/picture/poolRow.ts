// The row of one pool in the picture: its allowances, its turns and how long they may last.
import type { Turn } from '../../cluster/ledger.ts';
import type { Budget, Pool } from '../../cluster/model.ts';
import type { Cluster } from '../../cluster/store.ts';
import { after, type Instant } from '../../time/instant.ts';
import { patienceEndsAt } from '../limits/turn.ts';
import type { Refusal } from '../refusal.ts';
import type { Allowance, Round } from '../verdict.ts';
import { topologyOf } from './nodeRow.ts';

export interface PoolRow {
  readonly name: string;
  /** The label that groups its nodes. */
  readonly topologyKey: string;
  /** Whether its domains are rolled one after another. */
  readonly sequential?: true;
  readonly counted: number;
  readonly allowances: readonly Omit<Allowance, 'pool'>[];
  readonly turns: readonly TurnRow[];
  /** An invalid field: nodes of the pool are held until it is fixed (C8). */
  readonly fault?: string;
  readonly backsOffUntil?: Instant;
  /** A NodeClaim that is not ready in time (F7). */
  readonly slow?: string;
}

export interface TurnRow {
  readonly topologyKey: string;
  readonly domain?: string;
  readonly takenAt: Instant;
  readonly progressAt: Instant;
  /** When the turn passes without progress; absent = not while the pool is closed (C12). */
  readonly patienceEndsAt?: Instant;
  /** When the turn passes if the domain stays healthy (C13). */
  readonly settledAt?: Instant;
  /** What is not healthy (C13). */
  readonly settling?: string;
  readonly passAsked?: true;
  /** Domains that lost the turn with drifted nodes left; null = the nodes without the label (C12). */
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

/** The first will do: all nodes held by it have the same message. */
function settlingOf(pool: string, { verdicts }: Round): Refusal | undefined {
  for (const verdict of verdicts) {
    if (verdict.pool !== pool) continue;
    const found = verdict.refusals.find(({ code }) => code === 'DomainSettling');
    if (found) return found;
  }
  return undefined;
}
