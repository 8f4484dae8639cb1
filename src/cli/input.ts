// The cluster in a set of texts, with notes about the input as a whole, such as missing kinds (L1).
import type { Fault } from '../cluster/fault.ts';
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import type { Pod } from '../cluster/model.ts';
import type { Settings } from '../cluster/settings.ts';
import { ClusterStore, keyOf } from '../cluster/store.ts';
import { rebuildLedger } from '../engine/commands/rebuild.ts';
import type { Facts } from '../engine/situation.ts';
import { type PodTemplate, readPodTemplates } from '../kinds/podTemplate.ts';
import { applyRead, type ReadResult, readObject } from '../kinds/readObject.ts';
import { type Document, eachDocument, type InputError, readDocuments } from '../kinds/text/documents.ts';
import { ledgerKind } from '../kube/apiKind.ts';
import type { ClusterIdentity } from '../server/roundSource.ts';
import { Failure, type Problem } from './failure.ts';
import type { SourceText } from './sources.ts';

export interface Input {
  readonly cluster: ClusterStore;
  readonly ledger: Ledger;
  /** False = the input has no ledger: the one above is empty, and may be rebuilt from the objects (G2). */
  readonly hasLedger: boolean;
  /** Every pod, including pods whose nodes were not given: their rules apply wherever they run. */
  readonly pods: readonly Pod[];
  /** The pod templates of workloads in files: their rules are checked too (E4). */
  readonly templates: readonly PodTemplate[];
  /** Faults of the input as a whole, not of one object. */
  readonly faults: readonly Fault[];
}

/** The input of a command, and its origin. */
interface LoadedInput {
  readonly settings: Settings;
  /** The cluster it was read from, as text; absent for files. */
  readonly origin?: string;
  readonly cluster: ClusterIdentity;
}

export interface LoadedObjects extends LoadedInput {
  readonly input: Input;
}

export interface LoadedTexts extends LoadedInput {
  readonly sources: readonly SourceText[];
}

type Read = Exclude<ReadResult, { kind: 'ignored' }>;

/** One object as it was read, and its position in a file; objects of a cluster have none. */
export interface LocatedRead {
  readonly read: ReadResult;
  readonly position?: Document['position'];
  /** Of a workload in a file. */
  readonly templates?: readonly PodTemplate[];
}

export const gatherInput = (sources: readonly SourceText[]): Input => gather(readEach(sources));

export const gatherDocuments = (documents: readonly Document[]): Input => gather(documents.map(readDocument));

/** One object at a time, so that a large snapshot is not in memory twice. */
function* readEach(sources: readonly SourceText[]): Generator<LocatedRead, void> {
  const errors: InputError[] = [];
  for (const { file, text } of sources) {
    for (const document of eachDocument(text, file, errors)) yield readDocument(document);
  }
  if (errors.length > 0) throw new Failure(errors);
}

function gather(reads: Iterable<LocatedRead>): Input {
  const { seen, ...input } = gatherReads(reads);
  return {
    ...input,
    faults: [...input.faults, ...missingKinds(seen), ...missingVolumes(input, seen), ...missingLedger(input)],
  };
}

export const readDocument = (document: Document): LocatedRead => ({
  read: readObject(document.object, document.position),
  position: document.position,
  templates: readPodTemplates(document),
});

/** The later of two objects with the same name wins. */
export function gatherReads(reads: Iterable<LocatedRead>): Input & { readonly seen: ReadonlyMap<string, LocatedRead> } {
  const cluster = new ClusterStore();
  const faults: Fault[] = [];
  const seen = new Map<string, LocatedRead>();
  let remembered: Extract<Read, { kind: 'DisruptionLedger' }> | undefined;
  const templates = new Map<string, PodTemplate>();
  for (const each of reads) {
    const { read, position } = each;
    for (const template of each.templates ?? []) templates.set(template.object, template);
    if (read.kind === 'ignored') continue;
    const name = nameOf(read);
    const earlier = seen.get(name);
    if (earlier && position) faults.push(duplicateFault(name, earlier, position));
    seen.set(name, each);
    if (read.kind === 'DisruptionLedger') remembered = read;
    else applyRead(cluster, read);
  }
  const ledger = remembered && checkedLedger(remembered);
  const pods = [...seen.values()].flatMap(({ read }) => (read.kind === 'Pod' ? [read.record] : []));
  const hasLedger = ledger !== undefined;
  return { cluster, ledger: ledger ?? emptyLedger, hasLedger, pods, templates: [...templates.values()], faults, seen };
}

/** What a controller would decide on: where the ledger is lost, what was begun is known by its marks (G2). */
export const factsOf = ({ cluster, ledger, hasLedger }: Input, settings: Settings): Facts => ({
  cluster,
  ledger: hasLedger ? ledger : rebuildLedger(cluster, settings),
});

/** If one text cannot be read, none is used (K1). */
export function documentsIn(sources: readonly SourceText[]): Document[] {
  const read = sources.map(({ file, text }) => readDocuments(text, file));
  const errors = read.flatMap((it) => it.errors);
  if (errors.length > 0) throw new Failure(errors);
  return read.flatMap(({ documents }) => documents);
}

const nameOf = (read: Read): string =>
  read.kind === 'DisruptionLedger' ? 'DisruptionLedger/lull' : `${read.kind}/${keyOf(read.record)}`;

/** A ledger with errors is refused: deciding without it would start everything again (G2). */
function checkedLedger({ record, faults }: Extract<Read, { kind: 'DisruptionLedger' }>): Ledger {
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

function duplicateFault(object: string, earlier: LocatedRead, position: Document['position']): Fault {
  const before = earlier.position?.('');
  const message = before
    ? `The same object is at ${before.file}:${before.line}. The later one is used.`
    : 'The same object is in the cluster. The one in the file is used.';
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
  Pod: 'The input has no Pods, so every node looks empty. If the cluster has Pods, add `kubectl get pods -A -o yaml`.',
  PodDisruptionBudget:
    'The input has no PodDisruptionBudgets (PDBs), so none refuses. If the cluster has PDBs, add `kubectl get pdb -A -o yaml`.',
};

function missingKinds(seen: ReadonlyMap<string, unknown>): Fault[] {
  const kinds = new Set([...seen.keys()].map((name) => name.slice(0, name.indexOf('/'))));
  return Object.entries(expected)
    .filter(([kind]) => !kinds.has(kind))
    .map(([kind, message]) => ({ object: 'Input/-', path: 'kind', value: kind, message, severity: 'info' }));
}

/** Without its volumes, it is not known where else a pod can run (F6). */
function missingVolumes({ pods }: Input, seen: ReadonlyMap<string, unknown>): Fault[] {
  const kind = ['PersistentVolumeClaim', 'PersistentVolume'].find((it) => !hasKind(seen, it));
  const mounting = kind && pods.filter(({ scheduling }) => scheduling && scheduling.volumeClaims.length > 0).length;
  if (!kind || !mounting) return [];
  const who = mounting === 1 ? 'a pod has volumes' : `${mounting} pods have volumes`;
  const message = `The input has no ${kind}s, although ${who}: such pods are assumed to stay in their zone, and volume limits of nodes are not checked. Add \`kubectl get pv,pvc,storageclass,csinode -A -o yaml\`.`;
  return [{ object: 'Input/-', path: 'kind', value: kind, message, severity: 'info' }];
}

function hasKind(seen: ReadonlyMap<string, unknown>, kind: string): boolean {
  for (const name of seen.keys()) if (name.startsWith(`${kind}/`)) return true;
  return false;
}

/** Parked nodes show that a Lull acts there; only its ledger has the commands under way. */
function missingLedger({ cluster, hasLedger }: Input): Fault[] {
  if (hasLedger || !cluster.nodes.some(({ node }) => node.rules.parked)) return [];
  const message =
    'The input has nodes that Lull parked, but no DisruptionLedger, so commands under way are inferred from the nodes. Add `kubectl get disruptionledgers -o yaml`.';
  return [{ object: 'Input/-', path: 'kind', value: ledgerKind, message, severity: 'info' }];
}
