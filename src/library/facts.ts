// How do other programs get facts? From the text that kubectl prints, read as `lull decide` reads it.
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { type Change, ClusterStore } from '../cluster/store.ts';
import { rebuildLedger } from '../engine/commands/rebuild.ts';
import type { Facts } from '../engine/situation.ts';
import { readDocuments } from '../kinds/documents.ts';
import { readObject } from '../kinds/readObject.ts';

/** What could not be read, and where it stands. */
export interface ReadError {
  readonly line?: number;
  readonly message: string;
}

/** All or nothing (K1): with an error, the facts are empty. What is wrong with a single object is told by the round. */
export interface FactsRead {
  readonly facts: Facts;
  readonly errors: readonly ReadError[];
}

/** YAML or JSON, any mix of documents and lists. Kinds that Lull does not use are ignored; of two alike the later counts. */
export function readFacts(text: string, settings: Settings = defaultSettings): FactsRead {
  const { documents, errors } = readDocuments(text, 'input');
  if (errors.length > 0) return unread(errors.map(({ line, message }) => ({ line, message })));
  const cluster = new ClusterStore();
  let ledger: Ledger | undefined;
  for (const { object, position } of documents) {
    const read = readObject(object, position);
    if (read.kind === 'ignored') continue;
    if (read.kind !== 'DisruptionLedger') {
      cluster.apply({ kind: read.kind, put: read.record, faults: read.faults } as Change);
      continue;
    }
    const wrong = read.faults.filter(({ severity }) => severity === 'error');
    if (wrong.length > 0) return unread(wrong.map(({ message }) => ({ message })));
    ledger = read.record;
  }
  return { facts: { cluster, ledger: ledger ?? rebuildLedger(cluster, settings) }, errors: [] };
}

const unread = (errors: readonly ReadError[]): FactsRead => ({
  facts: { cluster: new ClusterStore(), ledger: emptyLedger },
  errors,
});
