// What does a Pod say? Where it runs, what it needs, whose it is, and what it asks for itself. There are 200,000: nothing is copied that need not be.
import type { Owner, Pod, PodMarks } from '../cluster/model.ts';
import { steering } from './annotationName.ts';
import { longestName, type Metadata, readMetadata, readNamespace } from './metadata.ts';
import { noNodes, readNodeSelector, readTolerations } from './nodeSelector.ts';
import { readRequests } from './podRequests.ts';
import { readPodRules } from './podRules.ts';
import { defined, isMap, type Reader } from './reader.ts';
import { readScheduling } from './scheduling.ts';

/** Kubernetes' own default. */
const defaultGraceSeconds = 30;
const maxInt32 = 2 ** 31 - 1;

export function readPod(object: Reader): Pod {
  const metadata = readMetadata(object);
  const spec = object.map('spec');
  const status = object.map('status');
  const namespace = readNamespace(metadata.reader);
  const { scheduling, isSound } = readScheduling(spec, { namespace, name: metadata.name, labels: metadata.labels });
  const nodeSelector = readNodeSelector(spec);
  return defined<Pod>({
    namespace,
    name: metadata.name,
    uid: metadata.uid,
    createdAt: metadata.createdAt,
    labels: metadata.labels,
    nodeName: spec.shortText('nodeName', longestName) || undefined,
    nominatedNode: status.shortText('nominatedNodeName', longestName) || undefined,
    phase: status.text('phase') ?? '',
    deletingAt: metadata.reader.instant('deletionTimestamp'),
    ready: readReady(status),
    owner: readOwner(metadata.reader),
    priority: spec.whole('priority', -maxInt32 - 1, maxInt32) ?? 0,
    priorityClass: spec.text('priorityClassName') || undefined,
    deletionCost: readDeletionCost(metadata),
    requests: readRequests(spec, status),
    tolerations: readTolerations(spec),
    nodeSelector: isSound ? nodeSelector : noNodes,
    scheduling,
    graceSeconds: spec.whole('terminationGracePeriodSeconds', 0, Number.MAX_SAFE_INTEGER) ?? defaultGraceSeconds,
    rules: readPodRules(metadata, status),
    marks: readMarks(metadata),
  });
}

/** Shared by the many pods whose annotations say other things. */
const unmarked: PodMarks = {};

function readMarks({ annotations }: Metadata): PodMarks | undefined {
  const {
    [steering.doNotDisrupt]: doNotDisrupt,
    [steering.parked]: parked,
    [steering.keptBefore]: before,
  } = annotations;
  if (doNotDisrupt !== undefined || parked !== undefined) return defined<PodMarks>({ doNotDisrupt, parked, before });
  return Object.keys(annotations).length === 0 ? undefined : unmarked;
}

function readReady(status: Reader): string | undefined {
  for (const condition of status.list('conditions') ?? []) {
    // Readers are made only where there is something to say.
    if (!isMap(condition) || typeof condition.type !== 'string') return readOddReady(status);
    if (condition.type !== 'Ready') continue;
    return typeof condition.status === 'string' ? condition.status : readOddReady(status);
  }
  return undefined;
}

const readOddReady = (status: Reader): string | undefined =>
  status
    .maps('conditions')
    .find((condition) => condition.text('type') === 'Ready')
    ?.text('status');

/** Of several owners the one that decides most: a DaemonSet or node keeps its pod where it is, a StatefulSet its name. */
const weightOfOwner: ReadonlyMap<unknown, number> = new Map([
  ['DaemonSet', 4],
  ['Node', 3],
  ['StatefulSet', 2],
]);

function readOwner(metadata: Reader): Owner | undefined {
  let best: Owner | undefined;
  let most = -1;
  for (const reference of metadata.maps('ownerReferences')) {
    const kind = qualifiedKind(reference);
    const weight = weightOfOwner.get(kind) ?? (reference.boolean('controller') ? 1 : 0);
    if (weight <= most) continue;
    most = weight;
    best = { kind, name: reference.shortText('name', longestName) ?? '', uid: reference.text('uid') ?? '' };
  }
  return best;
}

/** Other makers have a DaemonSet too (`apps.kruise.io`). It is not the one that Kubernetes and Karpenter mean, so it keeps its group. */
function qualifiedKind(reference: Reader): string {
  const kind = reference.shortText('kind', longestName) ?? '';
  const apiVersion = reference.text('apiVersion');
  if (apiVersion === undefined || !weightOfOwner.has(kind)) return kind;
  return apiVersion === (kind === 'Node' ? 'v1' : 'apps/v1') ? kind : `${kind}.${apiVersion.split('/')[0]}`;
}

/** F3. A karpenter.sh/disruption-cost that is no number still hides the other. */
function readDeletionCost({ reader, annotations }: Metadata): number {
  const key = annotations[steering.disruptionCost] === undefined ? steering.deletionCost : steering.disruptionCost;
  const text = annotations[key];
  if (text === undefined) return 0;
  const cost = /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  if (cost !== undefined && cost <= maxInt32 && cost >= -maxInt32 - 1) return cost;
  reader.at('annotations').wrong(key, 'cost, and counts as 0', 'Use a whole number of 32 bits.');
  return 0;
}
