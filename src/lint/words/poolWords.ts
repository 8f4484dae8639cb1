// What does a pool's policy say, in sentences? Reasons with the same rule together, then what else there is to know.

import { emptyLedger } from '../../cluster/ledger.ts';
import type { Pool } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { budgetReasons } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { isReadByKarpenter } from '../../engine/limits/karpenterBudgets.ts';
import { observe } from '../../engine/situation.ts';
import type { Instant } from '../../time/instant.ts';
import type { Zone } from '../../time/zone.ts';
import { closed } from './bound.ts';
import type { Size } from './boundWords.ts';
import { sayBudgets } from './budgetWords.ts';
import { sayFurtherWindows } from './furtherWindows.ts';
import { sayLives } from './lifeWords.ts';
import { sayHeldNodes } from './nodeWords.ts';
import { sayOff } from './offWords.ts';
import { asKarpenterReads, type PoolParts, type PoolRules, poolRules } from './poolRule.ts';
import { grouped, groupedByKarpenter, type ReasonGroup, tellReason, wholeWeek } from './reasonGroup.ts';
import { sayShared } from './sharedCount.ts';
import { reachesOf } from './windowsOver.ts';
import { utc } from './windowWords.ts';

export interface PolicyFacts {
  readonly cluster: Cluster;
  readonly settings: Settings;
  readonly now: Instant;
}

export interface PoolWords {
  readonly name: string;
  /** On whose clock the hours are told. */
  readonly zone: Zone;
  readonly size: Size;
  /** Present = nothing moves whatever the reason, and this is why. */
  readonly standing?: string;
  readonly groups: readonly ReasonGroup[];
  /** What else there is to know, a sentence each. */
  readonly notes: readonly string[];
}

export function sayPools(facts: PolicyFacts): PoolWords[] {
  const { cluster, settings, now } = facts;
  const { tallies } = observe({ cluster, ledger: emptyLedger }, now, settings);
  return [...cluster.pools.values()]
    .sort((a, b) => compareText(a.name, b.name))
    .map((pool) => {
      const nodes = tallies.get(pool.name)?.nodes;
      return nodes
        ? sayPool(pool, nodes, facts)
        : standing(pool, 'is not governed by Lull (setting pools), so Lull moves nothing of it.');
    });
}

function sayPool(pool: Pool, nodes: readonly NodeView[], { cluster, settings, now }: PolicyFacts): PoolWords {
  if (pool.fault) return standing(pool, `cannot be read, so nothing moves: ${pool.fault.path}: ${pool.fault.message}`);
  // D4: one whose life is over has no effect any more.
  const windows = cluster.windows.filter(({ life }) => life.isOpen(now) || life.nextChange(now) !== undefined);
  const parts: PoolParts = { pool, reaches: reachesOf(pool, nodes, windows), settings, now };
  const { zone, rules } = poolRules(parts);
  const size = sizeOf(nodes);
  const tell = ({ zone: clock, rules: its }: PoolRules) =>
    its.map((rule) => tellReason(rule, sayOff(rule.reason, pool, nodes, settings), { zone: clock, size, now }));
  const own = tell({ zone, rules });
  const theirs = isReadWhole(pool, settings) ? tell(poolRules(asKarpenterReads(parts))) : own;
  const [ownGroups, theirGroups] = [grouped(own), groupedByKarpenter(theirs, own)];
  const notes = [
    ...sayShared(ownGroups, size.counted),
    ...sayBudgets(parts),
    ...(theirGroups.length > 0 ? [bothHold] : []),
    ...sayLives(pool, nodes, settings),
    ...sayFurtherWindows(parts, rules, nodes),
    ...sayHeldNodes(nodes, now),
  ];
  return { name: pool.name, zone, size, groups: [...ownGroups, ...theirGroups], notes };
}

/** Whether Karpenter can read all budgets that it is given: no older spelling, and not an older Provisioner. */
const isReadWhole = (pool: Pool, settings: Settings): boolean =>
  isReadByKarpenter(pool, { settings }) &&
  !pool.provisioner &&
  (pool.budgetsFrom !== 'spec' || pool.karpenterBudgets.length === pool.budgets.length);

const bothHold = 'Of both readings the smaller limit holds. Unhealthy, Expired and Rebalance are Drifted to Karpenter.';

/** C8, or not ours: no reason but Interrupted moves anything. */
const standing = (pool: Pool, text: string): PoolWords => ({
  name: pool.name,
  zone: utc,
  size: sizeOf([]),
  standing: text,
  groups: grouped(budgetReasons.map((reason) => ({ reason, text, week: wholeWeek(closed) }))),
  notes: [],
});

function sizeOf(nodes: readonly NodeView[]): Size {
  const counted = nodes.filter(({ state }) => state.counted);
  return {
    counted: counted.length,
    domains: (topologyKey) => {
      const groups = Map.groupBy(counted, ({ node }) => node.labels[topologyKey]);
      return [...groups]
        .map(([name, its]) => [name, its.length] as const)
        .sort(([a = '\uffff'], [b = '\uffff']) => compareText(a, b));
    },
  };
}
