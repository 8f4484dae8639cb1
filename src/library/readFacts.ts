// Reads facts for `lull/engine` from YAML or JSON as kubectl prints it, like `lull decide` does.
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { ClusterStore } from '../cluster/store.ts';
import { rebuildLedger } from '../engine/commands/rebuild.ts';
import type { Facts } from '../engine/situation.ts';
import { applyRead, readObject } from '../kinds/readObject.ts';
import { readDocuments } from '../kinds/text/documents.ts';

/** An input error with its line. */
export interface ReadError {
  readonly line?: number;
  readonly message: string;
}

/** With an error, the facts are empty (K1). Faults of single objects are in the round. */
export interface FactsRead {
  readonly facts: Facts;
  readonly errors: readonly ReadError[];
}

/** Accepts any mix of YAML and JSON documents and lists. Kinds that Lull does not use are ignored; of duplicates the last counts. */
export function readFacts(text: string, settings: Settings = defaultSettings): FactsRead {
  const { documents, errors } = readDocuments(text, 'input');
  if (errors.length > 0) return unread(errors.map(({ line, message }) => ({ line, message })));
  const cluster = new ClusterStore();
  let ledger: Ledger | undefined;
  for (const { object, position } of documents) {
    const read = readObject(object, position);
    if (read.kind === 'ignored') continue;
    if (read.kind !== 'DisruptionLedger') {
      applyRead(cluster, read);
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
