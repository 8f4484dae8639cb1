// A whole policy in sentences: pools, windows and pods, for the command line and the dashboard.
import type { Fault } from '../cluster/fault.ts';
import type { Pod } from '../cluster/model.ts';
import { reasons } from '../cluster/reason.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { PodTemplate } from '../kinds/podTemplate.ts';
import { describeDuration } from '../time/describeClock.ts';
import { describeGate } from './describeGate.ts';
import { describePodSchedule, describePods, type PodText } from './describePods.ts';
import { describePools, type PolicyFacts, type PoolText } from './describePool.ts';
import { describeMaintenance } from './describeWindow.ts';

export interface NamedText {
  readonly name: string;
  /** Without the name in front. */
  readonly text: string;
}

export interface PolicyText {
  readonly pools: readonly PoolText[];
  readonly windows: readonly NamedText[];
  readonly gates: readonly NamedText[];
  readonly podSchedules: readonly NamedText[];
  readonly pods: readonly PodText[];
  /** Faults that are not part of the texts above. */
  readonly faults: readonly Fault[];
  /** What applies to every pool. */
  readonly everywhere: readonly string[];
}

export function describePolicy(
  facts: PolicyFacts,
  pods: readonly Pod[],
  templates: readonly PodTemplate[] = [],
): PolicyText {
  const { cluster, settings, now } = facts;
  const pools = describePools(facts);
  return {
    pools,
    windows: cluster.windows.map((it) => ({ name: it.name, text: describeMaintenance(it, cluster, now) })),
    gates: cluster.gates.map((it) => ({ name: it.name, text: describeGate(it, cluster, now) })),
    podSchedules: cluster.podSchedules.map((it) => ({ name: it.name, text: describePodSchedule(it, cluster, now) })),
    pods: describePods(pods, templates, now),
    faults: [...furtherFaults(cluster), ...templates.flatMap((it) => it.faults)],
    everywhere: pools.length === 0 ? [] : describeEverywhere(settings),
  };
}

/** The faults of pools, windows, gates and schedules are part of their own texts. */
function furtherFaults({ faults, pools, windows, gates, podSchedules }: Cluster): Fault[] {
  const reported = new Set([...pools.values(), ...windows, ...gates, ...podSchedules].map(({ fault }) => fault));
  return faults.filter((fault) => fault.severity !== 'info' && !reported.has(fault));
}

function describeEverywhere({ defaultBudgets, expiration, windowMargin }: Settings): string[] {
  const sentences = [
    'Limits count all nodes of a pool that are being disrupted or not Ready, for any reason. Percentages round up to at least one node.',
    `${reasons[0]} nodes are disrupted immediately: no budget or window holds them.`,
  ];
  if (expiration === 'graceful')
    sentences.push(
      'The rules for Expired apply to Lull. Karpenter itself terminates a node when its expireAfter has passed, regardless of them.',
    );
  if (defaultBudgets === 'ceiling')
    sentences.push(
      'Budgets without reasons also apply to named reasons, as in Karpenter (setting defaultBudgets: ceiling).',
    );
  if (windowMargin > 0)
    sentences.push(
      `No new disruption starts in the last ${describeDuration(windowMargin)} before hours end (setting windowMargin).`,
    );
  return sentences;
}
