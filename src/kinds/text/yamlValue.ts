// Converts a YAML tree to plain values, resolves anchors within limits, and finds positions of fields.
import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap } from 'yaml';
import { brief } from '../read/findings.ts';
import { isMap as isPlainMap } from '../read/reader.ts';
import { duplicateKey, maxDepth, tooDeep } from './path.ts';

/** A parse error with its offset. */
export class YamlError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

export interface Tree {
  readonly root: ParsedNode | null;
  readonly value: unknown;
  /** The node each alias refers to. */
  readonly targets: ReadonlyMap<Alias, ParsedNode>;
}

/** How much larger anchors may make a text, against "billion laughs" attacks. */
const mostGrowth = 10;
/** Always allowed: a small text may consist of anchors. */
const alwaysAllowed = 1_000_000;

/** Throws YamlError. */
export function readTree(root: ParsedNode | null, length: number): Tree {
  const reading = new TreeReader(alwaysAllowed + mostGrowth * length);
  return { root, value: reading.read(root, 0), targets: reading.targets };
}

interface AnchoredNode {
  readonly node: ParsedNode;
  /** Absent while the node is being read, to detect a node that contains itself. */
  readonly read?: { readonly value: unknown; readonly weight: number; readonly levels: number };
}

class TreeReader {
  readonly targets = new Map<Alias, ParsedNode>();
  readonly #anchors = new Map<string, AnchoredNode>();
  readonly #limit: number;
  /** Characters and entries so far; those of an alias count each time it is used. */
  #weight = 0;
  #deepest = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  read(node: ParsedNode | null, depth: number): unknown {
    if (node === null) return null;
    if (isAlias(node)) return this.#follow(node, depth);
    if (depth > maxDepth) throw new YamlError(node.range[0], tooDeep);
    this.#deepest = Math.max(this.#deepest, depth);
    return node.anchor === undefined ? this.#plain(node, depth) : this.#anchored(node, node.anchor, depth);
  }

  #plain(node: ParsedNode, depth: number): unknown {
    this.#weight++;
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    const value = (isScalar(node) ? node.value : undefined) ?? null;
    if (typeof value === 'string') this.#weight += value.length;
    return value;
  }

  #anchored(node: ParsedNode, name: string, depth: number): unknown {
    const [weight, deepest] = [this.#weight, this.#deepest];
    this.#anchors.set(name, { node });
    this.#deepest = depth;
    const value = this.#plain(node, depth);
    const read = { value, weight: this.#weight - weight, levels: this.#deepest - depth };
    this.#anchors.set(name, { node, read });
    this.#deepest = Math.max(this.#deepest, deepest);
    return value;
  }

  #follow(alias: Alias.Parsed, depth: number): unknown {
    const [offset] = alias.range;
    const anchored = this.#anchors.get(alias.source);
    if (!anchored) throw new YamlError(offset, noAnchor(alias.source));
    if (!anchored.read) throw new YamlError(offset, containsItself(alias.source));
    const { value, weight, levels } = anchored.read;
    if (depth + levels > maxDepth) throw new YamlError(offset, tooDeep);
    this.#deepest = Math.max(this.#deepest, depth + levels);
    this.#weight += weight;
    if (this.#weight > this.#limit) throw new YamlError(offset, tooLarge);
    this.targets.set(alias, anchored.node);
    return value;
  }

  #map(map: YAMLMap.Parsed, depth: number): unknown {
    const fields: Record<string, unknown> = {};
    const sources: object[] = [];
    for (const { key, value } of map.items) {
      if (isMerge(key)) for (const source of this.#sources(value ?? key, depth)) sources.push(source);
      else {
        const name = this.#key(key, map.range[0]);
        if (Object.hasOwn(fields, name)) throw new YamlError(key.range[0], duplicateKey(name));
        define(fields, name, this.read(value, depth + 1));
      }
    }
    // The map's own fields override merged ones, and earlier sources override later ones.
    for (const source of sources) {
      for (const [name, value] of Object.entries(source)) {
        if (!Object.hasOwn(fields, name)) define(fields, name, value);
      }
    }
    return fields;
  }

  #key(key: ParsedNode | null, mapStart: number): string {
    const value = this.read(key, 0);
    if (typeof value === 'object' && value !== null) throw new YamlError(key?.range[0] ?? mapStart, noTextKey);
    return value === null ? '' : String(value);
  }

  #sources(node: ParsedNode, depth: number): readonly object[] {
    const value = this.read(node, depth + 1);
    const sources: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!sources.every(isPlainMap)) throw new YamlError(node.range[0], noMerge);
    return sources;
  }
}

/** `<<`, the merge key of YAML 1.1. */
const isMerge = (key: unknown): boolean => isScalar(key) && typeof key.value === 'symbol';

/** Defines a field named `__proto__` as an ordinary field. */
function define(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
  else fields[name] = value;
}

const noAnchor = (name: string): string =>
  `There is no anchor &${brief(name)} before this position. Define it before its use, or write the value instead.`;

const containsItself = (name: string): string =>
  `The anchor &${brief(name)} contains itself. Write the value instead of the alias.`;

const tooLarge = `Anchors expand this to more than ${mostGrowth} times its size. Write the values instead of aliases.`;

const noTextKey = 'A list or map is used as a key. Write a string.';

const noMerge = 'The value of << is not a map. Write a map, or a list of maps.';

type Pairs = ReadonlyMap<string, Pair<ParsedNode, ParsedNode | null>>;

/** Cached per map: an object with a thousand fields may have as many faults. */
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

const nameOf = (key: ParsedNode): string => String((isScalar(key) ? key.value : undefined) ?? '');
