// How is it said? Sentences for what was gathered: nodes that went or stayed, nodes that came, events of one sort.
import { between } from '../../time/instant.ts';
import { type Arrival, slowest } from './arrival.ts';
import type { EventKind, StoryEvent } from './event.ts';
import { wordFor } from './ledgerStory.ts';
import { roughly } from './story.ts';
import { joined, type Tale } from './tale.ts';

/** `web-1, web-4 and web-7 in zone a are replaced (Drifted), one by one, a new node ready within 51s; 9 pods of shop/web move.` */
export function sentenceOfTales(tales: readonly Tale[]): string {
  const [first, ...others] = tales as [Tale, ...Tale[]];
  const tale = others.reduce(joined, first);
  const { pool, domain, topologyKey, reason, how } = tale;
  const nodes = [...new Set(tale.nodes)];
  const where =
    domain === undefined ? '' : ` in ${topologyKey === undefined ? 'zone' : wordFor(topologyKey)} ${domain}`;
  const isOne = nodes.length === 1;
  const replaced = tales.filter(({ replacements }) => replacements > 0).flatMap((it) => it.nodes).length;
  const verb = how !== 'gone' ? 'chosen' : replaced > 0 ? 'replaced' : 'removed';
  const times = tale.nodes.length > nodes.length ? ` ${tale.nodes.length} times` : '';
  const isMixed = how === 'gone' && replaced > 0 && replaced < tale.nodes.length;
  const what = isMixed ? `removed, ${replaced} of them replaced` : `${verb}${byFewer(tales, verb)}`;
  const who = `${named(nodes, pool)}${where} ${isOne ? 'is' : 'are'} ${what}${times}`;
  return `${[`${who} (${reason})${isOne ? '' : paceOf(tales)}${took(tale)}`, ...moves(tale), ...endOf(tale, isOne)].join('; ')}.`;
}

/** Several that were taken together may get less in their place. */
function byFewer([first, ...others]: readonly Tale[], verb: string): string {
  if (!first || others.length > 0 || verb !== 'replaced' || first.replacements >= first.nodes.length) return '';
  return ` together by ${first.replacements === 1 ? 'one' : first.replacements}`;
}

function endOf({ how, why = 'is released and stays' }: Tale, isOne: boolean): string[] {
  if (how === 'underway') return ['that is not over yet'];
  return how === 'released' ? [`${isOne ? 'it' : 'each'} ${why.replace(/\.$/, '')}`] : [];
}

function paceOf(tales: readonly Tale[]): string {
  if (tales.length === 1) return '';
  const atOnce = mostAtOnce(tales);
  return atOnce === 1 ? ', one by one' : `, up to ${atOnce} at once`;
}

/** How many counted as under way at once, at most. */
function mostAtOnce(tales: readonly Tale[]): number {
  const ends = tales.map(({ countedTo, to }) => countedTo ?? to ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  let over = 0;
  let most = 0;
  tales.forEach(({ from }, begun) => {
    while ((ends[over] as number) < from) over++;
    most = Math.max(most, begun + 1 - over);
  });
  return most;
}

function took({ from, to, how, nodes, readyAfter }: Tale): string {
  if (how !== 'gone' || to === undefined) return '';
  const ready = readyAfter === undefined ? '' : `, a new node ready within ${roughly(readyAfter)}`;
  return nodes.length === 1 ? `${ready}, gone after ${roughly(between(from, to))}` : ready;
}

function moves({ moved, forced }: Tale): string[] {
  return [
    ...(moved.size > 0 ? [`${podsOf(moved)} ${total(moved) === 1 ? 'moves' : 'move'}`] : []),
    ...(forced.size > 0 ? [`${podsOf(forced)} ${total(forced) === 1 ? 'is' : 'are'} deleted at the deadline`] : []),
  ];
}

const mostWorkloads = 3;

function podsOf(counts: ReadonlyMap<string, number>): string {
  const all = total(counts);
  const noun = all === 1 ? '1 pod' : `${all} pods`;
  const names = [...counts.keys()].sort();
  return names.length > mostWorkloads ? `${noun} of ${names.length} workloads` : `${noun} of ${andList(names)}`;
}

const total = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, it) => sum + it, 0);

/** `web-46 comes up within 33s, for pods that fit nowhere.` */
export function sentenceOfArrivals(arrivals: readonly Arrival[]): string {
  const within = slowest(arrivals);
  const names = arrivals.map(({ name }) => name);
  const isOne = names.length === 1;
  const who = named(names, arrivals[0]?.pool);
  if (within === undefined) return `${who} ${isOne ? 'is' : 'are'} launched for pods that fit nowhere.`;
  return `${who} ${isOne ? 'comes' : 'come'} up within ${roughly(within)}, for pods that fit nowhere.`;
}

const eventWords: Partial<Readonly<Record<EventKind, (many: string) => string>>> = {
  NodeGone: (many) => `${many} are gone.`,
  NodeNotReady: (many) => `${many} are not Ready any more.`,
};

export function sentenceOfEvents(events: readonly StoryEvent[]): string {
  const [first, ...others] = events as [StoryEvent, ...StoryEvent[]];
  const last = others.at(-1);
  if (!last) return first.text;
  if (first.controller !== undefined) return sentenceOfDeaths(events);
  if (first.pods && last.pods) {
    const way = first.pods.from < last.pods.to ? 'up' : 'down';
    return `${first.workload} is scaled ${way} from ${first.pods.from} to ${last.pods.to} pods in ${events.length} steps.`;
  }
  const many = named(
    events.map(({ node = '' }) => node),
    first.pool,
  );
  if (first.kind === 'NodeGone' && first.claim !== undefined) return `${many}, replacements, are given back.`;
  return eventWords[first.kind]?.(many) ?? first.text;
}

/** `lull-1 dies 11 times, and is back after 5s.` */
function sentenceOfDeaths(events: readonly StoryEvent[]): string {
  const deaths = events.filter(({ text }) => text.endsWith(' dies.'));
  const gaps = events.flatMap((event, place) => {
    const next = events[place + 1];
    return next && deaths.includes(event) ? [between(event.at, next.at)] : [];
  });
  const times = deaths.length === 1 ? '' : ` ${deaths.length} times`;
  const back = `, and is back after ${roughly(Math.max(...gaps))}`;
  return `${events[0]?.controller} dies${times}${gaps.length > 0 ? back : ''}; it knows nothing then but what the cluster remembers.`;
}

const mostNamed = 4;

function named(nodes: readonly string[], pool: string | undefined): string {
  if (nodes.length <= mostNamed) return andList(nodes);
  return `${nodes.length} nodes${pool === undefined ? '' : ` of pool ${pool}`}`;
}

const andList = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
