// The row of one node in the picture: one of nine states, and its wishes in short.
import type { Command } from '../../cluster/ledger.ts';
import type { Pool } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { createdAt, type NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import { labelOf } from '../../cluster/selector.ts';
import type { Cluster } from '../../cluster/store.ts';
import { asDuration, earliest, type Instant, minute } from '../../time/instant.ts';
import type { RefusalCode } from '../refusal.ts';
import type { Allowance, Round, Verdict } from '../verdict.ts';
import { untilWhen } from '../why/wishWhy.ts';

/** In the order in which a node passes through them. `lost` = not Ready. */
export const nodeStates = [
  'steady',
  'wants',
  'held',
  'turn',
  'offered',
  'replacing',
  'draining',
  'new',
  'lost',
] as const;
export type NodeRowState = (typeof nodeStates)[number];

export interface NodeRow {
  readonly name: string;
  readonly pool?: string;
  /** The value of the label by which its pool is rolled, else its zone. */
  readonly domain?: string;
  readonly state: NodeRowState;
  readonly createdAt: Instant;
  /** Not initialized yet. */
  readonly starting?: true;
  /** Pods that have to be rescheduled. */
  readonly pods: number;
  readonly wishes?: readonly WishRow[];
  /** Why Karpenter removes it, if the cloud interrupts it (N3). */
  readonly interruption?: string;
  /** When time alone permits it to be disrupted. */
  readonly until?: Instant;
}

interface WishRow {
  readonly reason: Reason;
  readonly outcome: Verdict['outcome'];
  readonly codes: readonly RefusalCode[];
}

/** Refusals that pass as other nodes are done: the node waits in a queue and no rule of its own holds it. */
const queueing: ReadonlySet<RefusalCode> = new Set([
  'BudgetSpent',
  'DomainBudgetSpent',
  'WindowCapSpent',
  'KarpenterBudget',
  'NotItsTurn',
  'AnotherDomainInFlight',
  'DomainSettling',
  'WaveSettling',
  'WaveFull',
  'Nominated',
  'NotStable',
  'NotInitialized',
] as const);

/** Refusals of consolidation that is not worthwhile: not shown (A6). */
const idle: ReadonlySet<RefusalCode> = new Set([
  'PolicyOff',
  'NoPlacement',
  'NotCheaper',
  'NoPriceKnown',
  'KarpenterDeclined',
] as const);

/** How long a node is shown as new. */
const newFor = asDuration(15 * minute);

/** The label by which a pool is rolled; the zone without a topology budget. */
export const topologyOf = (pool: Pool | undefined): string =>
  pool?.budgets.find(({ topologyKey }) => topologyKey !== undefined)?.topologyKey ?? label.zone;

export function drawNodes(round: Round, cluster: Cluster): NodeRow[] {
  const verdicts = Map.groupBy(round.verdicts, ({ node }) => node);
  const commands = new Map(round.commands.flatMap((it) => it.nodes.map(({ name }) => [name, it] as const)));
  const allowances = Map.groupBy(round.allowances, ({ pool }) => pool);
  const keys = new Map([...cluster.pools.values()].map((pool) => [pool.name, topologyOf(pool)]));
  const turns = new Set(round.ledger.turns.map(({ pool, domain = '' }) => `${pool} ${domain}`));
  const interruptions = new Map(round.interruptions?.map((it) => [it.node, it]));
  return cluster.nodes.map((view) => {
    const { node, poolName, reschedulable } = view;
    const mine = (verdicts.get(node.name) ?? []).filter(isTelling);
    const domain = labelOf(node.labels, keys.get(poolName ?? '') ?? label.zone);
    const interruption = interruptions.get(node.name);
    const hasTurn = turns.has(`${poolName} ${domain ?? ''}`);
    const own = allowances.get(poolName ?? '') ?? [];
    const state = stateOf(view, { verdicts: mine, command: commands.get(node.name), hasTurn, own, now: round.at });
    const until = state === 'held' || state === 'wants' ? freedAt(mine) : undefined;
    return {
      name: node.name,
      ...(poolName !== undefined && { pool: poolName }),
      ...(domain !== undefined && { domain }),
      state,
      createdAt: createdAt(view),
      ...(view.managed && !view.state.initialized && { starting: true }),
      pods: reschedulable.length,
      ...(interruption && { interruption: interruption.message }),
      ...(mine.length > 0 && { wishes: mine.map(drawWish) }),
      ...(until !== undefined && { until }),
    };
  });
}

const isTelling = ({ outcome, refusals }: Verdict): boolean =>
  outcome !== 'held' || refusals.length === 0 || !refusals.every(({ code }) => idle.has(code));

const drawWish = ({ reason, outcome, refusals }: Verdict): WishRow => ({
  reason,
  outcome,
  codes: [...new Set(refusals.map(({ code }) => code))],
});

/** The first instant at which time alone permits one of its wishes. */
function freedAt(verdicts: readonly Verdict[]): Instant | undefined {
  let first: Instant | undefined;
  for (const verdict of verdicts) {
    const until = verdict.outcome === 'held' ? untilWhen(verdict) : undefined;
    if (typeof until === 'object' && 'at' in until) first = earliest(first, until.at);
  }
  return first;
}

interface NodeDecision {
  readonly verdicts: readonly Verdict[];
  readonly command: Command | undefined;
  /** Whether its domain has the turn (C11). */
  readonly hasTurn: boolean;
  /** The allowances of its pool. */
  readonly own: readonly Allowance[];
  readonly now: Instant;
}

function stateOf(view: NodeView, { verdicts, command, hasTurn, own, now }: NodeDecision): NodeRowState {
  if (command) return byStep[command.step];
  if (view.state.leaving || verdicts.some(({ outcome }) => outcome === 'underway')) return 'draining';
  if (view.managed && !view.state.initialized) return 'new';
  if (!view.state.ready) return 'lost';
  const held = verdicts.filter(({ outcome }) => outcome === 'held');
  if (held.length > 0) return heldState(held, hasTurn, own);
  return view.managed && now - createdAt(view) < newFor ? 'new' : 'steady';
}

const byStep: Readonly<Record<Command['step'], NodeRowState>> = {
  chosen: 'offered',
  tainted: 'offered',
  offered: 'offered',
  replacing: 'replacing',
  draining: 'draining',
  terminating: 'draining',
  taken: 'draining',
  released: 'held',
  withdrawn: 'held',
};

/** The state of the wish that is nearest to `go`. */
function heldState(held: readonly Verdict[], hasTurn: boolean, own: readonly Allowance[]): NodeRowState {
  const queued = held.filter(({ reason, refusals }) => {
    const isFrozen = (): boolean => own.some((it) => it.reason === reason && it.limit === 0);
    const isQueue = (code: RefusalCode): boolean => queueing.has(code) && !(code === 'BudgetSpent' && isFrozen());
    // A PDB used up by nodes in flight is a queue like a budget; a PDB that allows nothing by itself holds the node.
    const isAlso = (code: RefusalCode): boolean => code === 'PdbSpent' && refusals.some((it) => isQueue(it.code));
    return refusals.every(({ code }) => isQueue(code) || isAlso(code));
  });
  if (queued.length === 0) return 'held';
  return hasTurn && queued.some(({ reason }) => reason === 'Drifted') ? 'turn' : 'wants';
}
