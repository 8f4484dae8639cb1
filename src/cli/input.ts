// Which cluster is meant? The objects of all texts as facts, with what has to be said about the input itself (L1).
import type { Fault } from '../cluster/fault.ts';
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import type { Pod } from '../cluster/model.ts';
import type { Settings } from '../cluster/settings.ts';
import { type Change, ClusterStore, keyOf } from '../cluster/store.ts';
import { rebuildLedger } from '../engine/commands/rebuild.ts';
import type { Facts } from '../engine/situation.ts';
import { type Document, eachDocument, type InputError, readDocuments } from '../kinds/documents.ts';
import { type ReadResult, readObject } from '../kinds/readObject.ts';
import { ledgerKind } from '../kube/apiKind.ts';
import { readTemplate, type Template } from '../lint/facts/templates.ts';
import { Failure, type Problem } from './failure.ts';
import type { Source } from './sources.ts';

export interface Input {
  readonly cluster: ClusterStore;
  readonly ledger: Ledger;
  /** False = the input holds no ledger: the one above is empty, and may be rebuilt from what the facts show (G2). */
  readonly hasLedger: boolean;
  /** Every pod, those too whose nodes were not given: what they say holds wherever they run. */
  readonly pods: readonly Pod[];
  /** The pods that workloads of files would make: what they say holds as well (E4). */
  readonly templates: readonly Template[];
  /** What is wrong with none of the objects, but with their sum. */
  readonly faults: readonly Fault[];
}

type Read = Exclude<ReadResult, { kind: 'ignored' }>;

/** One object as it was read, and where it stands; one of a live cluster stands in no file. */
export interface ReadAt {
  readonly read: ReadResult;
  readonly position?: Document['position'];
  /** Of a workload in a file. */
  readonly templates?: readonly Template[];
}

export const gatherInput = (sources: readonly Source[]): Input => gather(readEach(sources));

export const gatherDocuments = (documents: readonly Document[]): Input => gather(documents.map(readDocument));

/** An object is forgotten once it is read: a large snapshot is not held twice. */
function* readEach(sources: readonly Source[]): Generator<ReadAt, void> {
  const errors: InputError[] = [];
  for (const { file, text } of sources) {
    for (const document of eachDocument(text, file, errors)) yield readDocument(document);
  }
  if (errors.length > 0) throw new Failure(errors);
}

function gather(reads: Iterable<ReadAt>): Input {
  const { seen, ...input } = gatherReads(reads);
  return {
    ...input,
    faults: [...input.faults, ...missingKinds(seen), ...missingVolumes(input, seen), ...missingLedger(input)],
  };
}

export const readDocument = (document: Document): ReadAt => ({
  read: readObject(document.object, document.position),
  position: document.position,
  templates: readTemplate(document),
});

/** Where an object is given twice the later one counts. */
export function gatherReads(reads: Iterable<ReadAt>): Input & { readonly seen: ReadonlyMap<string, ReadAt> } {
  const cluster = new ClusterStore();
  const faults: Fault[] = [];
  const seen = new Map<string, ReadAt>();
  let remembered: Extract<Read, { kind: 'DisruptionLedger' }> | undefined;
  const templates = new Map<string, Template>();
  for (const each of reads) {
    const { read, position } = each;
    for (const template of each.templates ?? []) templates.set(template.object, template);
    if (read.kind === 'ignored') continue;
    const name = nameOf(read);
    const earlier = seen.get(name);
    if (earlier && position) faults.push(givenTwice(name, earlier, position));
    seen.set(name, each);
    if (read.kind === 'DisruptionLedger') remembered = read;
    else cluster.apply({ kind: read.kind, put: read.record, faults: read.faults } as Change);
  }
  const ledger = remembered && trusted(remembered);
  const pods = [...seen.values()].flatMap(({ read }) => (read.kind === 'Pod' ? [read.record] : []));
  const hasLedger = ledger !== undefined;
  return { cluster, ledger: ledger ?? emptyLedger, hasLedger, pods, templates: [...templates.values()], faults, seen };
}

/** What a controller would decide on: where the ledger is lost, what was begun is known by its marks (G2). */
export const factsOf = ({ cluster, ledger, hasLedger }: Input, settings: Settings): Facts => ({
  cluster,
  ledger: hasLedger ? ledger : rebuildLedger(cluster, settings),
});

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

function givenTwice(object: string, earlier: ReadAt, position: Document['position']): Fault {
  const before = earlier.position?.('');
  const message = before
    ? `This object was given before, at ${before.file}:${before.line}. The later one counts.`
    : 'This object is in the cluster too. The one given here counts.';
  return {
    object,
    path: 'metadata.name',
    value: object.slice(object.lastIndexOf('/') + 1),
    message,
    severity: 'info',
    position: position('metadata.name'),
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

/** F6: what a pod runs with can be had where it runs; where else, only its volume says. */
function missingVolumes({ pods }: Input, seen: ReadonlyMap<string, unknown>): Fault[] {
  const kind = ['PersistentVolumeClaim', 'PersistentVolume'].find((it) => !hasKind(seen, it));
  const mounting = kind && pods.filter(({ scheduling }) => scheduling && scheduling.volumeClaims.length > 0).length;
  if (!kind || !mounting) return [];
  const who = mounting === 1 ? 'a pod has volumes' : `${mounting} pods have volumes`;
  const message = `The input holds no ${kind}, though ${who}: such pods are taken to stay in the zone they run in, and nobody counts how many volumes a node can attach. Add \`kubectl get pv,pvc,storageclass,csinode -A -o yaml\`.`;
  return [{ object: 'Input/-', path: 'kind', value: kind, message, severity: 'info' }];
}

function hasKind(seen: ReadonlyMap<string, unknown>, kind: string): boolean {
  for (const name of seen.keys()) if (name.startsWith(`${kind}/`)) return true;
  return false;
}

/** Marks tell that a Lull is at work there; what it has begun, and when, only its ledger tells. */
function missingLedger({ cluster, hasLedger }: Input): Fault[] {
  if (hasLedger || !cluster.nodes.some(({ node }) => node.rules.parked)) return [];
  const message =
    'The input holds nodes that a Lull has parked, but no DisruptionLedger, so what is under way can only be guessed. Add `kubectl get disruptionledgers -o yaml`.';
  return [{ object: 'Input/-', path: 'kind', value: ledgerKind, message, severity: 'info' }];
}
