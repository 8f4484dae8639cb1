// What does a tree of YAML say, as plain values? Anchors are followed here, and counted, so that no bomb of them goes off.
import { type Alias, isAlias, isMap, isScalar, isSeq, type ParsedNode, type Scalar, type YAMLMap } from 'yaml';
import { brief } from './findings.ts';
import { maxDepth, standsTwice, tooDeep } from './parsed.ts';

/** What cannot be read, and where. */
export class Unreadable extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

export interface Tree {
  readonly root: ParsedNode | null;
  readonly value: unknown;
  /** The node that each alias stands for. */
  readonly targets: ReadonlyMap<Alias, ParsedNode>;
}

/** Anchors may make a text so much larger; who really has so much to say writes it out. */
const mostGrowth = 10;
/** A small text may be all anchors. */
const alwaysAllowed = 1_000_000;

/** Throws Unreadable. */
export function readTree(root: ParsedNode | null, length: number): Tree {
  const reading = new Reading(alwaysAllowed + mostGrowth * length);
  return { root, value: reading.read(root, 0), targets: reading.targets };
}

interface Anchored {
  readonly node: ParsedNode;
  /** Absent while it is being read: it must not contain itself. */
  readonly read?: { readonly value: unknown; readonly weight: number; readonly levels: number };
}

class Reading {
  readonly targets = new Map<Alias, ParsedNode>();
  readonly #anchors = new Map<string, Anchored>();
  readonly #limit: number;
  /** Characters and entries so far, those behind aliases each time anew. */
  #weight = 0;
  #deepest = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  read(given: unknown, depth: number): unknown {
    const node = given as ParsedNode | null;
    if (node === null) return null;
    if (isAlias(node)) return this.#follow(node, depth);
    if (depth > maxDepth) throw new Unreadable(node.range[0], tooDeep);
    this.#deepest = Math.max(this.#deepest, depth);
    return node.anchor === undefined ? this.#plain(node, depth) : this.#anchored(node, node.anchor, depth);
  }

  #plain(node: ParsedNode, depth: number): unknown {
    this.#weight++;
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    const value = (node as Scalar).value ?? null;
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
    if (!anchored) throw new Unreadable(offset, noAnchor(alias.source));
    if (!anchored.read) throw new Unreadable(offset, containsItself(alias.source));
    const { value, weight, levels } = anchored.read;
    if (depth + levels > maxDepth) throw new Unreadable(offset, tooDeep);
    this.#deepest = Math.max(this.#deepest, depth + levels);
    this.#weight += weight;
    if (this.#weight > this.#limit) throw new Unreadable(offset, tooLarge);
    this.targets.set(alias, anchored.node);
    return value;
  }

  #map(map: YAMLMap.Parsed, depth: number): unknown {
    const fields: Record<string, unknown> = {};
    const sources: unknown[] = [];
    for (const { key, value } of map.items) {
      if (isMerge(key)) for (const source of this.#sources(value ?? key, depth)) sources.push(source);
      else {
        const name = this.#key(key, map.range[0]);
        if (Object.hasOwn(fields, name)) throw new Unreadable(key.range[0], standsTwice(name));
        define(fields, name, this.read(value, depth + 1));
      }
    }
    // What a map says itself stands before what it takes over, and the first of several before the later.
    for (const source of sources) {
      for (const [name, value] of Object.entries(source as object)) {
        if (!Object.hasOwn(fields, name)) define(fields, name, value);
      }
    }
    return fields;
  }

  #key(given: unknown, mapStart: number): string {
    const key = given as ParsedNode | null;
    const value = this.read(key, 0);
    if (typeof value === 'object' && value !== null) throw new Unreadable(key?.range[0] ?? mapStart, noTextKey);
    return value === null ? '' : String(value);
  }

  #sources(node: ParsedNode, depth: number): unknown[] {
    const value = this.read(node, depth + 1);
    const sources = Array.isArray(value) ? value : [value];
    const isSound = sources.every((source) => typeof source === 'object' && source !== null && !Array.isArray(source));
    if (!isSound) throw new Unreadable(node.range[0], noMerge);
    return sources;
  }
}

/** `<<`, which YAML 1.1 reads as a sign of its own. */
const isMerge = (key: unknown): boolean => isScalar(key) && typeof key.value === 'symbol';

/** A field called `__proto__` is a field like any other. */
function define(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
  else fields[name] = value;
}

const noAnchor = (name: string): string =>
  `There is no anchor &${brief(name)} before this place. Define it before it is used, or write the value out.`;

const containsItself = (name: string): string =>
  `What is called &${brief(name)} contains itself. Write the objects out plainly.`;

const tooLarge = `Anchors make this more than ${mostGrowth} times as large as it is written. Write the objects out plainly.`;

const noTextKey = 'A list or map stands where the name of a field belongs. Give a text.';

const noMerge = 'What stands at << is no map. Give a map, or a list of maps.';
