// How many may go at once, in words? With today's numbers where there are nodes to count.
import type { Budget, NodeCount } from '../../cluster/model.ts';
import { amountOf } from '../../engine/limits/budgets.ts';
import { hour } from '../../time/instant.ts';
import type { Bound, Cap } from './bound.ts';
import { sayDuration } from './clockWords.ts';
import { andList, count } from './lists.ts';

/** How large a pool is today; nothing to count = no numbers. */
export interface Size {
  readonly counted: number;
  /** The domains of a label with their counted nodes; the nodes without it under no name. */
  domains(topologyKey: string): readonly (readonly [string | undefined, number])[];
}

/** What the budgets in `told` add to their number is left out: it was said before. */
export function sayBound({ closed, cap, domains }: Bound, size: Size, told?: Set<Budget>): string {
  if (closed) return 'not at all';
  if (domains.length === 0) return cap ? sayCap(cap, size.counted) : 'without any limit (no budget holds)';
  const each = domains.map((budget) => {
    const words = sayDomains(budget, size, told?.has(budget));
    told?.add(budget);
    return words;
  });
  // The count of the pool may be spent by other reasons where a zone's own is not.
  const inAll = cap ? [`with all other reasons together ${sayCap(cap, size.counted)}`] : [];
  return [...each, ...inAll].join(', and ');
}

/** For a legend: without what was said before anyway. */
export const sayBriefly = (bound: Bound, size: Size): string => sayBound(bound, size, new Set(bound.domains));

const usualPatience = hour;
/** So many domains are named with their numbers. */
const mostDomains = 4;

function sayCap({ count: most, percent }: Cap, counted: number): string {
  if (percent === undefined) return sayCount(most ?? 0, counted);
  if (percent === 100) return 'all nodes at once (100%)';
  const limits = [amountOf({ percent }, counted), most ?? Infinity];
  const today = counted === 0 ? '' : ` (${Math.min(...limits)} of ${count(counted, 'node')} today)`;
  const few = most === undefined ? '' : `, but never more than ${count(most, 'node')}`;
  return `at most ${percent}% of the pool at once${few}${today}`;
}

function sayCount(most: number, counted: number): string {
  if (most === 1) return 'one node at a time';
  const all = counted > 0 && most >= counted ? ` (the pool has ${counted} today)` : '';
  return `at most ${most} nodes at once${all}`;
}

/** `one node at a time, one zone after another, the next only after 10 min in which all is well` */
function sayDomains(budget: Budget, size: Size, wasTold = false): string {
  const { nodes, topologyKey = '', sequential } = budget;
  const domain = domainWord(topologyKey);
  const today = wasTold ? '' : sayToday(nodes, size.domains(topologyKey));
  const order = sequential ? `one ${domain} after another` : `all ${domain}s at the same time`;
  return [
    `${sayDomainLimit(nodes, domain, sequential)}${today}`,
    order,
    ...(sequential && !wasTold ? sayTurns(budget, domain) : []),
  ].join(', ');
}

/** C12, C13. */
const sayTurns = ({ settle, patience }: Budget, domain: string): string[] => [
  ...(settle > 0 ? [`the next only after ${sayDuration(settle)} in which all is well`] : []),
  ...(patience === usualPatience ? [] : [`a ${domain} without progress for ${sayDuration(patience)} is passed over`]),
];

function sayDomainLimit(nodes: NodeCount, domain: string, sequential: boolean): string {
  if ('count' in nodes && nodes.count === 1)
    return sequential ? 'one node at a time' : `one node of each ${domain} at a time`;
  if ('percent' in nodes && nodes.percent === 100) return `all nodes of a ${domain} at once (100%)`;
  return `at most ${'count' in nodes ? `${nodes.count} nodes` : `${nodes.percent}%`} of a ${domain} at once`;
}

/** A percentage of few nodes is more than it looks like: 25% of one node is that node. */
function sayToday(nodes: NodeCount, domains: ReturnType<Size['domains']>): string {
  const present = domains.filter(([, counted]) => counted > 0);
  if ('count' in nodes || nodes.percent === 100 || present.length === 0) return '';
  const named = present
    .slice(0, mostDomains)
    .map(([name, counted]) => `${amountOf(nodes, counted)} of ${counted} in ${name ?? 'those without the label'}`);
  const more = present.length > mostDomains ? [`${present.length - mostDomains} more`] : [];
  return ` (today ${andList([...named, ...more])})`;
}

/** `zone`, `hostname`, `rack`: the last part of the label. */
const domainWord = (topologyKey: string): string => topologyKey.slice(topologyKey.lastIndexOf('/') + 1);
