// What would another policy do? The cluster of a snapshot under an edited policy: decided, compared, read in words, and linted.
import type { Ledger } from '../../src/cluster/ledger.ts';
import type { Settings } from '../../src/cluster/settings.ts';
import { type Change, ClusterStore } from '../../src/cluster/store.ts';
import { shortSearch } from '../../src/engine/consolidation/searchGroups.ts';
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import { drawPicture, type Picture } from '../../src/engine/picture/picture.ts';
import { decideSearched } from '../../src/engine/searchedRound.ts';
import type { Snapshot } from '../../src/forecast/snapshot.ts';
import { type Document, readDocuments } from '../../src/kinds/documents.ts';
import type { Json } from '../../src/kinds/reader.ts';
import { readObject } from '../../src/kinds/readObject.ts';
import { lint } from '../../src/lint/lint.ts';
import { sayPolicy } from '../../src/lint/words/policyWords.ts';
import { readSnapshot } from '../../src/recording/readSnapshot.ts';
import { put } from '../../src/recording/replay.ts';
import type { Instant } from '../../src/time/instant.ts';
import { patchText } from './patchText.ts';
import { isPolicy, keyOf, nameOf, over, policyKinds, policyYaml } from './policyYaml.ts';
import type { Decided, Difference, Loaded, Mark, PatchText, Reading, Words } from './protocol.ts';

const file = 'policy.yaml';
/** Beyond that nobody reads a list of nodes. */
const mostDifferences = 500;
const toldEvery = 1000;

export class WhatIf {
  readonly #objects: Json[] = [];
  readonly #cluster = new ClusterStore();
  readonly #originals = new Map<string, Json>();
  /** What the store has of the policy now, as text. */
  readonly #applied = new Map<string, string>();
  readonly #before: Picture;
  readonly #deciding: { readonly settings: Settings; readonly ledger: Ledger };
  readonly #at: Instant;

  /** Is told from time to time how many objects of how many are read. */
  constructor(text: string, onRead: (read: number, total: number) => void = () => undefined) {
    const { at, objects, ledger, settings } = readSnapshot(text);
    this.#at = at;
    this.#deciding = { settings, ledger };
    for (const [index, object] of objects.entries()) {
      this.#add(object);
      if (index % toldEvery === 0) onRead(index, objects.length);
    }
    this.#before = this.#decide();
  }

  #add(object: Json): void {
    this.#objects.push(object);
    put(this.#cluster, object);
    if (!isPolicy(object)) return;
    this.#originals.set(keyOf(object), object);
    this.#applied.set(keyOf(object), JSON.stringify(object));
  }

  get loaded(): Loaded {
    return { at: this.#at, nodes: this.#before.nodes.length, yaml: policyYaml(this.#objects) };
  }

  get snapshot(): Snapshot {
    return { at: this.#at, objects: this.#objects, ...this.#deciding };
  }

  /** Undefined = it cannot be read. */
  snapshotWith(yaml: string): Snapshot | undefined {
    const { documents, marks } = parse(yaml);
    if (marks.length > 0) return undefined;
    const others = this.#objects.filter((object) => !isPolicy(object));
    return { ...this.snapshot, objects: [...others, ...documents.map(({ object }) => this.#over(object))] };
  }

  decide(yaml: string): Decided {
    const { documents, marks } = parse(yaml);
    if (marks.length > 0) return { marks };
    const began = performance.now();
    this.#apply(documents);
    const after = this.#decide();
    const milliseconds = performance.now() - began;
    const differences = compare(this.#before, after);
    const counts = { before: countStates(this.#before), after: countStates(after) };
    return {
      marks,
      nodes: differences.length,
      counts,
      differences: differences.slice(0, mostDifferences),
      milliseconds,
    };
  }

  read(yaml: string): Reading {
    const { documents, marks } = parse(yaml);
    if (marks.length > 0) return { marks, words: [] };
    this.#apply(documents);
    const facts = { cluster: this.#cluster, settings: this.#deciding.settings, now: this.#at };
    const found = lint({ ...facts, documents });
    return {
      marks: found.map(({ position, severity, message, suggestion, rule }) => ({
        ...(position && { line: position.line }),
        severity,
        message,
        ...(suggestion !== undefined && { suggestion }),
        rule,
      })),
      words: this.#words(facts),
    };
  }

  patch(yaml: string): PatchText {
    const { documents, marks } = parse(yaml);
    return {
      text:
        marks.length > 0
          ? ''
          : patchText(
              this.#originals,
              documents.map(({ object }) => object),
            ),
    };
  }

  #words(facts: Parameters<typeof sayPolicy>[0]): Words[] {
    const { pools, windows, podSchedules } = sayPolicy(facts, []);
    return [
      ...pools.map(({ name, standing, groups, notes }) => ({
        title: name,
        sentences: [
          ...(standing === undefined ? [] : [standing]),
          ...groups.map(({ subject, text }) => `${subject}: ${text}`),
          ...notes,
        ],
      })),
      ...[...windows, ...podSchedules].map(({ name, text }) => ({ title: name, sentences: [text] })),
    ];
  }

  #over(object: Json): Json {
    return over(this.#originals.get(keyOf(object)), object);
  }

  #decide(): Picture {
    const { settings, ledger } = this.#deciding;
    const facts = { cluster: this.#cluster, ledger };
    // Somebody waits for it at a page, and types on.
    const { round } = decideSearched(facts, this.#at, settings, { steps: shortSearch });
    return drawPicture(round, this.#cluster);
  }

  /** Only what differs from what the store has: the rest of the cluster stays as it is. */
  #apply(documents: readonly Document[]): void {
    const wanted = new Map(documents.map(({ object }) => [keyOf(object), this.#over(object)]));
    for (const key of [...this.#applied.keys()].filter((it) => !wanted.has(it))) {
      const [kind, ...name] = key.split('/');
      this.#cluster.apply({ kind, gone: name.join('/') } as Change);
      this.#applied.delete(key);
    }
    for (const [key, object] of wanted) {
      const text = JSON.stringify(object);
      if (this.#applied.get(key) === text) continue;
      put(this.#cluster, object);
      this.#applied.set(key, text);
    }
  }
}

function parse(yaml: string): { readonly documents: readonly Document[]; readonly marks: readonly Mark[] } {
  const { documents, errors } = readDocuments(yaml, file);
  const unread = errors.map(({ line, message }): Mark => ({ line, severity: 'error', message }));
  const strange = documents
    .filter(({ object }) => !isPolicy(object))
    .map(({ object, position }): Mark => {
      const message = `Only ${policyKinds.join(', ')} can be changed here, not ${String(object.kind ?? 'this')}.`;
      return { line: position('').line, severity: 'error', message };
    });
  const nameless = documents
    .filter(({ object }) => isPolicy(object) && (nameOf(object) === '' || readObject(object).kind === 'ignored'))
    .map(
      ({ position }): Mark => ({
        line: position('').line,
        severity: 'error',
        message: 'This object has no name, or another apiVersion.',
      }),
    );
  return { documents, marks: [...unread, ...strange, ...nameless] };
}

function compare(before: Picture, after: Picture): Difference[] {
  const rows = new Map(before.nodes.map((row) => [row.name, row]));
  return after.nodes.flatMap((row) => {
    const was = rows.get(row.name);
    return was && said(was) !== said(row) ? [{ name: row.name, before: was, after: row }] : [];
  });
}

const said = ({ state, until, wishes }: NodeRow): string => JSON.stringify([state, until, wishes]);

function countStates({ nodes }: Picture): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of nodes) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
