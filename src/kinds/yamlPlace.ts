// Where in a YAML text does a field stand? At its key; one that is not there, at its nearest ancestor.
import { isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap } from 'yaml';
import type { Tree } from './yamlValue.ts';

type Pairs = ReadonlyMap<string, Pair<ParsedNode, ParsedNode | null>>;

/** Kept with the map: an object of a thousand fields may have as many faults. */
const pairsOf = new WeakMap<YAMLMap.Parsed, Pairs>();

export function offsetIn({ root, targets }: Tree, path: readonly string[]): number {
  let node: ParsedNode | null | undefined = root;
  let offset = root?.range[0] ?? 0;
  for (const key of path) {
    if (isAlias(node)) node = targets.get(node);
    if (isMap(node)) {
      const pair = fieldsOf(node).get(key);
      if (!pair) break;
      offset = pair.key.range[0];
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      if (!node) break;
      offset = node.range[0];
    } else break;
  }
  return offset;
}

function fieldsOf(map: YAMLMap.Parsed): Pairs {
  const known = pairsOf.get(map);
  if (known) return known;
  const pairs = new Map(map.items.filter(({ key }) => isScalar(key)).map((pair) => [nameOf(pair.key), pair]));
  pairsOf.set(map, pairs);
  return pairs;
}

const nameOf = (key: ParsedNode): string => String((key as { readonly value?: unknown }).value ?? '');
