// Which nodes are alike, as far as anybody asks? Their taints, and the labels that some pod's rules speak of.
import type { Place } from './rule.ts';
import type { Tables } from './tables.ts';

/** The number of a node's place, which is made where there is none. */
export function placeId(tables: Tables, { name, labels, taints, unschedulable }: Place): number {
  let text = unschedulable ? 'cordoned' : '';
  for (const { key, value, effect } of taints) text += `\n${key} ${value ?? ''} ${effect}`;
  const own = keysAskedOf(labels, tables.nodeKeys);
  for (const key of own) text += `\n=${key}=${labels[key]}`;
  if (tables.asksNames) text += `\n${name}`;
  const known = tables.placeIds.get(text);
  if (known !== undefined) return known;
  const place: Place = {
    name: tables.asksNames ? name : '',
    labels: Object.fromEntries(own.map((key) => [key, labels[key] as string])),
    taints,
    unschedulable,
  };
  const id = tables.places.push(place) - 1;
  tables.placeIds.set(text, id);
  return id;
}

/** By the labels of the node, of which there are few, not by the keys that pods ask for. */
function keysAskedOf(labels: Place['labels'], asked: ReadonlySet<string>): readonly string[] {
  const own: string[] = [];
  for (const key in labels) if (asked.has(key)) own.push(key);
  return own.sort();
}
