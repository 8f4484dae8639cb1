// Describes limits: how many nodes may be disrupted at a time, with today's numbers if there are nodes to count.
import type { Budget, NodeCount, RateBudget } from '../cluster/model.ts';
import { amountOf } from '../engine/rules/budgets.ts';
import type { SafetyNet } from '../engine/rules/safetyNet.ts';
import { formatNodeCount } from '../kinds/read/reader.ts';
import { describeDuration } from '../time/describeClock.ts';
import { formatInstant, hour, type Instant } from '../time/instant.ts';
import { andList, count } from '../time/lists.ts';
import { describePeriod, describeWindow } from './describeWindow.ts';
import type { Bound, NodeCap } from './poolRule.ts';

/** The size of a pool today; 0 = no numbers in the texts. */
export interface PoolSize {
  readonly counted: number;
  /** The domains of a label with their counted nodes; undefined is the domain of nodes without the label. */
  domains(topologyKey: string): readonly (readonly [string | undefined, number])[];
}

/** The details of budgets in `told` are left out, because an earlier sentence has them. */
export function describeBound({ closed, cap, domains }: Bound, size: PoolSize, told?: Set<Budget>): string {
  if (closed) return 'not at all';
  if (domains.length === 0) return cap ? describeCap(cap, size.counted) : 'without a limit (no budget applies)';
  const each = domains.map((budget) => {
    const words = describeDomains(budget, size, told?.has(budget));
    told?.add(budget);
    return words;
  });
  // Other reasons may use up the pool's limit when the zone's own is not used up.
  const inAll = cap ? [`together with all other reasons ${describeCap(cap, size.counted)}`] : [];
  return [...each, ...inAll].join(', and ');
}

/** For a legend: without details that the sentences have. */
export const describeBoundBriefly = (bound: Bound, size: PoolSize): string =>
  describeBound(bound, size, new Set(bound.domains));

const usualPatience = hour;
/** How many domains are listed with their numbers. */
const mostDomains = 4;

function describeCap({ count: most, percent }: NodeCap, counted: number): string {
  if (percent === undefined) return describeCount(most ?? 0, counted);
  if (percent === 100) return 'all nodes at a time (100%)';
  const limits = [amountOf({ percent }, counted), most ?? Infinity];
  const today = counted === 0 ? '' : ` (${Math.min(...limits)} of ${count(counted, 'node')} today)`;
  const few = most === undefined ? '' : `, but never more than ${count(most, 'node')}`;
  return `at most ${percent}% of the pool at a time${few}${today}`;
}

function describeCount(most: number, counted: number): string {
  if (most === 1) return 'one node at a time';
  const all = counted > 0 && most >= counted ? ` (the pool has ${counted} today)` : '';
  return `at most ${most} nodes at a time${all}`;
}

/** `one node at a time, one zone after another, the next once this zone has been healthy for 10 min` */
function describeDomains(budget: Budget, size: PoolSize, wasTold = false): string {
  const { nodes, topologyKey = '', sequential } = budget;
  const domain = domainWord(topologyKey);
  const today = wasTold ? '' : describeToday(nodes, size.domains(topologyKey));
  const order = sequential ? `one ${domain} after another` : `all ${domain}s at the same time`;
  return [
    `${describeDomainLimit(nodes, domain, sequential)}${today}`,
    order,
    ...(sequential && !wasTold ? describeTurns(budget, domain) : []),
  ].join(', ');
}

/** When the turn passes: settle (C12) and patience (C13). */
const describeTurns = ({ settle, patience }: Budget, domain: string): string[] => [
  ...(settle > 0 ? [`the next once this ${domain} has been healthy for ${describeDuration(settle)}`] : []),
  ...(patience === usualPatience
    ? []
    : [`a ${domain} without progress for ${describeDuration(patience)} loses the turn`]),
];

function describeDomainLimit(nodes: NodeCount, domain: string, sequential: boolean): string {
  if ('count' in nodes && nodes.count === 1)
    return sequential ? 'one node at a time' : `one node of each ${domain} at a time`;
  if ('percent' in nodes && nodes.percent === 100) return `all nodes of a ${domain} at a time (100%)`;
  return `at most ${'count' in nodes ? `${nodes.count} nodes` : `${nodes.percent}%`} of a ${domain} at a time`;
}

/** Today's numbers: a percentage of a few nodes is more than it seems, 25% of one node is that node. */
function describeToday(nodes: NodeCount, domains: ReturnType<PoolSize['domains']>): string {
  const present = domains.filter(([, counted]) => counted > 0);
  if ('count' in nodes || nodes.percent === 100 || present.length === 0) return '';
  const named = present
    .slice(0, mostDomains)
    .map(
      ([name, counted]) =>
        `${amountOf(nodes, counted)} of ${counted} ${name === undefined ? 'without the label' : `in ${name}`}`,
    );
  const more = present.length > mostDomains ? [`${present.length - mostDomains} more`] : [];
  return ` (today ${andList([...named, ...more])})`;
}

/** `At most 5 nodes of the pool begin to be disrupted in any 24 hours, for any reason (budgets[1]).` */
export function describeRate({ index, nodes, per, reasons, window }: RateBudget, now: Instant): string {
  const forWhat = reasons ? `for ${andList([...reasons])}` : 'for any reason';
  const when = window ? `, while it is active (${describeWindow(window, now)})` : '';
  const most = 'count' in nodes ? count(nodes.count, 'node') : `${nodes.percent}% of the nodes`;
  const begin = 'count' in nodes && nodes.count === 1 ? 'begins' : 'begin';
  return `At most ${most} of the pool ${begin} to be disrupted ${describePeriod(per)}, ${forWhat}${when} (budgets[${index}]).`;
}

/** `zone`, `hostname`, `rack`: the last part of the label. */
const domainWord = (topologyKey: string): string => topologyKey.slice(topologyKey.lastIndexOf('/') + 1);

/** `10% at a time`, `Drifted: 2 at a time; Empty: no limit`, `10% at a time; no limit for Drifted from 2026-03-10T17:00:00Z` */
export function describeSafetyNet({ limits, gaps }: SafetyNet, now: Instant): string {
  const told = limits.map(({ reason, atMost }) => ({ reason, text: describeLimit(atMost.map(formatNodeCount)) }));
  const alike = [...Map.groupBy(told, ({ text }) => text)];
  const today = alike.map(([text, its]) =>
    alike.length === 1 ? text : `${andList(its.map(({ reason }) => reason))}: ${text}`,
  );
  const later = Map.groupBy(
    gaps.filter(({ from }) => from > now),
    ({ from }) => from,
  );
  return [
    ...today,
    ...[...later].map(
      ([from, its]) => `no limit for ${andList(its.map(({ reason }) => reason))} from ${formatInstant(from)}`,
    ),
  ].join('; ');
}

const describeLimit = (atMost: readonly string[]): string =>
  atMost.length === 0 ? 'no limit' : `${andList([...new Set(atMost)])} at a time`;
