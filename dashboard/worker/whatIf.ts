// Evaluates an edited policy on the cluster of a snapshot: decision, differences, explanation and lint.
import type { Ledger } from '../../src/cluster/ledger.ts';
import type { Settings } from '../../src/cluster/settings.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import { shortSearch } from '../../src/engine/consolidation/searchGroups.ts';
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import { drawPicture, type Picture } from '../../src/engine/picture/picture.ts';
import { decideSearched } from '../../src/engine/search.ts';
import { describePolicy } from '../../src/explain/describePolicy.ts';
import type { ClusterSnapshot } from '../../src/forecast/restore.ts';
import type { Json } from '../../src/kinds/read/reader.ts';
import { readObject } from '../../src/kinds/readObject.ts';
import { type Document, readDocuments } from '../../src/kinds/text/documents.ts';
import { lint } from '../../src/lint/runRules.ts';
import { put } from '../../src/recording/replay.ts';
import { readSnapshot } from '../../src/recording/snapshot.ts';
import type { Instant } from '../../src/time/instant.ts';
import { patchText } from './patchText.ts';
import { isPolicy, keyOf, nameOf, over, policyKinds, policyYaml } from './policyYaml.ts';
import type { Decided, Difference, ExplainedObject, Loaded, Mark, PatchText, Reading } from './protocol.ts';

const file = 'policy.yaml';
/** The most differences that are listed. */
const mostDifferences = 500;
const reportEvery = 1000;

export class WhatIf {
  readonly #objects: Json[] = [];
  readonly #cluster = new ClusterStore();
  readonly #originals = new Map<string, Json>();
  /** The policy objects in the store now, as text. */
  readonly #applied = new Map<string, string>();
  readonly #before: Picture;
  readonly #deciding: { readonly settings: Settings; readonly ledger: Ledger };
  readonly #at: Instant;

  /** `onRead` reports the progress of reading. */
  constructor(text: string, onRead: (read: number, total: number) => void = () => undefined) {
    const { at, objects, ledger, settings } = readSnapshot(text);
    this.#at = at;
    this.#deciding = { settings, ledger };
    for (const [index, object] of objects.entries()) {
      this.#add(object);
      if (index % reportEvery === 0) onRead(index, objects.length);
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

  get snapshot(): ClusterSnapshot {
    return { at: this.#at, objects: this.#objects, ...this.#deciding };
  }

  /** Undefined = the policy is invalid. */
  snapshotWith(yaml: string): ClusterSnapshot | undefined {
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

  #words(facts: Parameters<typeof describePolicy>[0]): ExplainedObject[] {
    const { pools, windows, podSchedules } = describePolicy(facts, []);
    return [
      ...pools.map(({ name, blocked, groups, notes }) => ({
        title: name,
        sentences: [
          ...(blocked === undefined ? [] : [blocked]),
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
    // A user is waiting for the result while typing.
    const { round } = decideSearched(facts, this.#at, settings, { steps: shortSearch });
    return drawPicture(round, this.#cluster);
  }

  /** Applies only the differences to the store. */
  #apply(documents: readonly Document[]): void {
    const edited = new Map(documents.map(({ object }) => [keyOf(object), this.#over(object)]));
    for (const key of [...this.#applied.keys()].filter((it) => !edited.has(it))) {
      const [kind = '', ...name] = key.split('/');
      this.#cluster.remove(kind, name.join('/'));
      this.#applied.delete(key);
    }
    for (const [key, object] of edited) {
      const text = JSON.stringify(object);
      if (this.#applied.get(key) === text) continue;
      put(this.#cluster, object);
      this.#applied.set(key, text);
    }
  }
}

function parse(yaml: string): { readonly documents: readonly Document[]; readonly marks: readonly Mark[] } {
  const { documents, errors } = readDocuments(yaml, file);
  const syntaxErrors = errors.map(({ line, message }): Mark => ({ line, severity: 'error', message }));
  const unsupported = documents
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
        message: 'The object has no name, or an unknown apiVersion.',
      }),
    );
  return { documents, marks: [...syntaxErrors, ...unsupported, ...nameless] };
}

function compare(before: Picture, after: Picture): Difference[] {
  const rows = new Map(before.nodes.map((row) => [row.name, row]));
  return after.nodes.flatMap((row) => {
    const was = rows.get(row.name);
    return was && outcomeOf(was) !== outcomeOf(row) ? [{ name: row.name, before: was, after: row }] : [];
  });
}

const outcomeOf = ({ state, until, wishes }: NodeRow): string => JSON.stringify([state, until, wishes]);

function countStates({ nodes }: Picture): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of nodes) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
