// Karpenter's events that name what blocks the disruption of a node, or what interrupts it (N3).
import type { NodeEvent } from '../../cluster/model.ts';
import { type Instant, parseInstant } from '../../time/instant.ts';
import { isMap, type Json, type Reader } from './reader.ts';

/** The event reasons of Karpenter 1.15, and of its AWS provider 1.14 for interruptions. */
const reasons: ReadonlyMap<string, NodeEvent['about']> = new Map([
  ['DisruptionBlocked', 'everything'],
  ['Unconsolidatable', 'consolidation'],
  ['ConsolidationRejected', 'consolidation'],
  ['SpotInterrupted', 'interruption'],
  ['CapacityReservationInstanceInterrupted', 'interruption'],
  ['InstanceUnhealthy', 'interruption'],
  ['InstanceStopping', 'interruption'],
  ['InstanceTerminating', 'interruption'],
  ['TerminatingOnInterruption', 'termination'],
]);

/** In Karpenter's event on every parked node. Lull parked it, so the event adds nothing. */
const parked = 'through the "karpenter.sh/do-not-disrupt" annotation';

/** Longer messages are cut, but not before the zone that they are about: it comes late in what Karpenter writes of a shortage. */
const longest = 300;
const zones = /topology\.kubernetes\.io\/zone In \[[^\]]{0,200}\]/;

function shorten(text: string): string {
  const head = text.slice(0, longest).trim();
  const [zone] = zones.exec(text) ?? [];
  return zone === undefined || head.includes(zone) ? head : `${head} … ${zone}`;
}

/** Undefined for other events. An event that cannot be read is ignored without a fault: it only serves as an explanation. */
export function readEvent(object: Reader): NodeEvent | undefined {
  const { metadata, involvedObject, reason, message: words } = object.fields();
  if (!isMap(metadata) || !isMap(involvedObject) || involvedObject.kind !== 'Node') return undefined;
  const about = reasons.get(String(reason));
  const { namespace = 'default', name } = metadata;
  const { name: node } = involvedObject;
  const at = eventTimeOf(object.fields());
  if (![namespace, name, node, words].every(isText) || at === undefined || !about) return undefined;
  const text = String(words).replace(/^\(combined from similar events\): /, '');
  if (text.includes(parked)) return undefined;
  const isInterruption = about === 'interruption' || about === 'termination';
  const message = shorten(isInterruption ? `${reason}: ${text}` : text);
  return { namespace: String(namespace), name: String(name), node: String(node), about, message, at };
}

/** The reasons that are read. */
export const eventReasons: readonly string[] = [...reasons.keys()];

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function eventTimeOf({ lastTimestamp, series, eventTime, firstTimestamp, metadata }: Json): Instant | undefined {
  const last = isMap(series) ? series.lastObservedTime : undefined;
  const created = isMap(metadata) ? metadata.creationTimestamp : undefined;
  for (const text of [lastTimestamp, last, eventTime, firstTimestamp, created]) {
    const at = typeof text === 'string' ? parseInstant(text) : undefined;
    if (at !== undefined) return at;
  }
  return undefined;
}
