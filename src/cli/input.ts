// Which cluster is meant? The objects of all texts as facts, with what has to be said about the input itself (L1).
import type { Fault } from '../cluster/fault.ts';
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import { type Change, ClusterStore, keyOf } from '../cluster/store.ts';
import { type Document, readDocuments } from '../kinds/documents.ts';
import { type ReadResult, readObject } from '../kinds/readObject.ts';
import { Failure, type Problem } from './failure.ts';
import type { Source } from './sources.ts';

export interface Input {
  readonly cluster: ClusterStore;
  readonly ledger: Ledger;
  /** What is wrong with none of the objects, but with their sum. */
  readonly faults: readonly Fault[];
}

type Read = Exclude<ReadResult, { kind: 'ignored' }>;

export const gatherInput = (sources: readonly Source[]): Input => gatherDocuments(documentsIn(sources));

export function gatherDocuments(documents: readonly Document[]): Input {
  const cluster = new ClusterStore();
  const faults: Fault[] = [];
  const seen = new Map<string, Document>();
  let ledger = emptyLedger;
  for (const document of documents) {
    const read = readObject(document.object, document.position);
    if (read.kind === 'ignored') continue;
    const name = nameOf(read);
    const earlier = seen.get(name);
    if (earlier) faults.push(givenTwice(name, earlier, document));
    seen.set(name, document);
    if (read.kind === 'DisruptionLedger') ledger = trusted(read);
    else cluster.apply({ kind: read.kind, put: read.record, faults: read.faults } as Change);
  }
  return { cluster, ledger, faults: [...faults, ...missingKinds(seen)] };
}

/** All or nothing (K1): where one text cannot be read, none is used. */
export function documentsIn(sources: readonly Source[]): Document[] {
  const read = sources.map(({ file, text }) => readDocuments(text, file));
  const errors = read.flatMap((it) => it.errors);
  if (errors.length > 0) throw new Failure(errors);
  return read.flatMap(({ documents }) => documents);
}

const nameOf = (read: Read): string =>
  read.kind === 'DisruptionLedger' ? 'DisruptionLedger/lull' : `${read.kind}/${keyOf(read.record)}`;

/** To decide without the memory of what is under way would be to start it all again (G2). */
function trusted({ record, faults }: Extract<Read, { kind: 'DisruptionLedger' }>): Ledger {
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Failure(errors.map(asProblem));
  return record;
}

export const asProblem = ({ object, path, message, position }: Fault): Problem => ({
  ...position,
  object,
  path,
  message,
});

function givenTwice(object: string, earlier: Document, later: Document): Fault {
  const { file, line } = earlier.position('');
  return {
    object,
    path: 'metadata.name',
    value: object.slice(object.lastIndexOf('/') + 1),
    message: `This object was given before, at ${file}:${line}. The later one counts.`,
    severity: 'info',
    position: later.position('metadata.name'),
  };
}

const expected = {
  Pod: 'The input holds no Pod, so every node looks empty. A file cannot say that nothing is missing: add `kubectl get pods -A -o yaml`.',
  PodDisruptionBudget:
    'The input holds no PodDisruptionBudget (PDB), so none refuses. A file cannot say that nothing is missing: add `kubectl get pdb -A -o yaml`.',
};

function missingKinds(seen: ReadonlyMap<string, unknown>): Fault[] {
  const kinds = new Set([...seen.keys()].map((name) => name.slice(0, name.indexOf('/'))));
  return Object.entries(expected)
    .filter(([kind]) => !kinds.has(kind))
    .map(([kind, message]) => ({ object: 'Input/-', path: 'kind', value: kind, message, severity: 'info' }));
}
