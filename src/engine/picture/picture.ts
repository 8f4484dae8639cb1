// The picture of a whole cluster: small rows, so that 10,000 nodes fit into one response; details are requested one by one (J1).
import type { Step } from '../../cluster/ledger.ts';
import { compareText } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Instant } from '../../time/instant.ts';
import type { CommandReport, DomainReport, Round, WindowReport } from '../verdict.ts';
import { drawNodes, type NodeRow } from './nodeRow.ts';
import { drawPool, type PoolRow } from './poolRow.ts';

/** Plain data, sent as it is; instants are milliseconds. */
export interface Picture {
  readonly at: Instant;
  readonly wakeAt?: Instant;
  /** By name. */
  readonly nodes: readonly NodeRow[];
  readonly pools: readonly PoolRow[];
  readonly domains: readonly DomainReport[];
  readonly commands: readonly CommandRow[];
  readonly windows: readonly WindowReport[];
  readonly faults: readonly FaultRow[];
}

export interface CommandRow {
  readonly id: string;
  readonly reason: Reason;
  readonly pool: string;
  readonly hands: 'lull' | 'karpenter';
  readonly nodes: readonly string[];
  readonly replacements: readonly string[];
  readonly step: Step;
  readonly startedAt: Instant;
  readonly stepAt: Instant;
  readonly deadline?: Instant;
  /** Savings per hour, and the number of pods it moves; absent = unknown. */
  readonly savings?: number;
  readonly podsMoved?: number;
  /** The message of the first refusal it waits for. */
  readonly waitsFor?: string;
}

export interface FaultRow {
  readonly object: string;
  readonly path: string;
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
}

export function drawPicture(round: Round, cluster: Cluster): Picture {
  return {
    at: round.at,
    ...(round.wakeAt !== undefined && { wakeAt: round.wakeAt }),
    nodes: drawNodes(round, cluster),
    pools: [...cluster.pools.values()]
      .sort((a, b) => compareText(a.name, b.name))
      .map((pool) => drawPool(pool, round, cluster)),
    domains: round.domains,
    commands: round.commands.map(drawCommand),
    windows: round.windows,
    faults: round.faults.map(({ object, path, message, severity }) => ({ object, path, message, severity })),
  };
}

function drawCommand(command: CommandReport): CommandRow {
  const { id, reason, pool, hands, nodes, replacements, step, startedAt, stepAt } = command;
  const { deadline, savings, podsMoved, waitingFor = [] } = command;
  return {
    id,
    reason,
    pool,
    hands,
    nodes: nodes.map(({ name }) => name),
    replacements: replacements.map(({ name }) => name),
    step,
    startedAt,
    stepAt,
    ...(deadline !== undefined && { deadline }),
    ...(savings !== undefined && { savings }),
    ...(podsMoved !== undefined && { podsMoved }),
    ...(waitingFor[0] && { waitsFor: waitingFor[0].message }),
  };
}
