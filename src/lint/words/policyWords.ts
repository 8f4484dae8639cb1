// What does a whole policy say, in sentences? Pools, windows and pods, for the command line and the dashboard alike.
import type { Fault } from '../../cluster/fault.ts';
import type { Pod } from '../../cluster/model.ts';
import { reasons } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Template } from '../facts/templates.ts';
import { sayDuration } from './clockWords.ts';
import { sayMaintenance } from './maintenanceWords.ts';
import { type PodWords, sayPodSchedule, sayPods } from './podWords.ts';
import { type PolicyFacts, type PoolWords, sayPools } from './poolWords.ts';

export interface Named {
  readonly name: string;
  /** Without the name in front. */
  readonly text: string;
}

export interface PolicyWords {
  readonly pools: readonly PoolWords[];
  readonly windows: readonly Named[];
  readonly podSchedules: readonly Named[];
  readonly pods: readonly PodWords[];
  /** What is wrong besides what is told above: something was not read as it was written. */
  readonly faults: readonly Fault[];
  /** What holds in every pool. */
  readonly everywhere: readonly string[];
}

export function sayPolicy(facts: PolicyFacts, pods: readonly Pod[], templates: readonly Template[] = []): PolicyWords {
  const { cluster, settings, now } = facts;
  const pools = sayPools(facts);
  return {
    pools,
    windows: cluster.windows.map((it) => ({ name: it.name, text: sayMaintenance(it, cluster, now) })),
    podSchedules: cluster.podSchedules.map((it) => ({ name: it.name, text: sayPodSchedule(it, cluster, now) })),
    pods: sayPods(pods, templates, now),
    faults: [...furtherFaults(cluster), ...templates.flatMap((it) => it.faults)],
    everywhere: pools.length === 0 ? [] : sayEverywhere(settings),
  };
}

/** Those that make a pool, a window or a schedule stand still are told there. */
function furtherFaults({ faults, pools, windows, podSchedules }: Cluster): Fault[] {
  const told = new Set([...pools.values(), ...windows, ...podSchedules].map(({ fault }) => fault));
  return faults.filter((fault) => fault.severity !== 'info' && !told.has(fault));
}

function sayEverywhere({ defaultBudgets, expiration, windowMargin }: Settings): string[] {
  const sentences = [
    'Numbers count all nodes of a pool that are going or not Ready, whatever they go for. Percentages are rounded up, to one node at least.',
    `${reasons[0]} nodes go at once: no budget and no window holds them.`,
  ];
  if (expiration === 'graceful')
    sentences.push(
      'What is said of Expired binds Lull. Karpenter itself takes a node when its expireAfter is over, whatever holds it.',
    );
  if (defaultBudgets === 'ceiling')
    sentences.push(
      'Budgets without reasons bind named reasons too, as in Karpenter (setting defaultBudgets: ceiling).',
    );
  if (windowMargin > 0)
    sentences.push(
      `Nothing new begins in the last ${sayDuration(windowMargin)} before hours end (setting windowMargin).`,
    );
  return sentences;
}
