// What does Karpenter say of a node that it does not take (N3)? Its own events name the blocker.
import type { NodeEvent } from '../cluster/model.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import { isMap, type Json, type Reader } from './reader.ts';

/** The words of Karpenter 1.15. */
const reasons: ReadonlyMap<unknown, NodeEvent['about']> = new Map([
  ['DisruptionBlocked', 'everything'],
  ['Unconsolidatable', 'consolidation'],
  ['ConsolidationRejected', 'consolidation'],
]);

/** What it says of every parked node: that is Lull's own doing, and no news. */
const parked = 'through the "karpenter.sh/do-not-disrupt" annotation';

/** Of all that is said nothing longer is repeated. */
const longest = 300;

/** Undefined = it is no such event. Nothing here is a fault: what cannot be read explains nothing, and that is all. */
export function readEvent(object: Reader): NodeEvent | undefined {
  const { metadata, involvedObject, reason, message: words } = object.values as Json;
  if (!isMap(metadata) || !isMap(involvedObject) || involvedObject.kind !== 'Node') return undefined;
  const about = reasons.get(reason);
  const { namespace = 'default', name } = metadata;
  const { name: node } = involvedObject;
  const at = saidAt(object.values as Json);
  if (![namespace, name, node, words].every(isText) || at === undefined || !about) return undefined;
  const text = String(words).replace(/^\(combined from similar events\): /, '');
  if (text.includes(parked)) return undefined;
  const message = text.slice(0, longest).trim();
  return { namespace: String(namespace), name: String(name), node: String(node), about, message, at };
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function saidAt({ lastTimestamp, series, eventTime, firstTimestamp, metadata }: Json): Instant | undefined {
  const last = isMap(series) ? series.lastObservedTime : undefined;
  const created = isMap(metadata) ? metadata.creationTimestamp : undefined;
  for (const text of [lastTimestamp, last, eventTime, firstTimestamp, created]) {
    const at = typeof text === 'string' ? parseInstant(text) : undefined;
    if (at !== undefined) return at;
  }
  return undefined;
}
