// Pods and DaemonSets: node, requests, owner and scheduling. A cluster may have 200,000 pods: nothing is copied without need.

import { defined } from '../../cluster/defined.ts';
import type { DaemonSet } from '../../cluster/facts.ts';
import type { Owner, Pod, PodMarks, Toleration } from '../../cluster/model.ts';
import type { Resources } from '../../cluster/quantity.ts';
import { show } from './findings.ts';
import { steering } from './knownKeys.ts';
import { longestName, type Metadata, readMetadata, readNamespace } from './metadata.ts';
import { readPodRules } from './podAnnotations.ts';
import { readScheduling } from './podScheduling.ts';
import { isMap, type Json, maxInt32, type Reader } from './reader.ts';
import { noNodes, readNodeSelector, readTolerations } from './selectors.ts';

/** Kubernetes' own default. */
const defaultGraceSeconds = 30;

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

/** Shared by the many pods that have only other annotations. */
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
    // Create Readers only to report faults.
    if (!isMap(condition) || typeof condition.type !== 'string') return readReadyWithFaults(status);
    if (condition.type !== 'Ready') continue;
    return typeof condition.status === 'string' ? condition.status : readReadyWithFaults(status);
  }
  return undefined;
}

const readReadyWithFaults = (status: Reader): string | undefined =>
  status
    .maps('conditions')
    .find((condition) => condition.text('type') === 'Ready')
    ?.text('status');

/** Which of several owners counts: a DaemonSet or node binds its pod to the node, a StatefulSet to its name. */
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

/** Keeps the group of other DaemonSets, such as that of `apps.kruise.io`: Kubernetes and Karpenter mean the one of `apps`. */
function qualifiedKind(reference: Reader): string {
  const kind = reference.shortText('kind', longestName) ?? '';
  const apiVersion = reference.text('apiVersion');
  if (apiVersion === undefined || !weightOfOwner.has(kind)) return kind;
  return apiVersion === (kind === 'Node' ? 'v1' : 'apps/v1') ? kind : `${kind}.${apiVersion.split('/')[0]}`;
}

/** The cost of moving the pod (F3). An invalid karpenter.sh/disruption-cost still takes precedence over pod-deletion-cost. */
function readDeletionCost({ reader, annotations }: Metadata): number {
  const key = annotations[steering.disruptionCost] === undefined ? steering.deletionCost : steering.disruptionCost;
  const text = annotations[key];
  if (text === undefined) return 0;
  const cost = /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  if (cost !== undefined && cost <= maxInt32 && cost >= -maxInt32 - 1) return cost;
  reader.at('annotations').fault(key, `${show(text)} is not a valid cost and counts as 0. Use a 32-bit whole number.`);
  return 0;
}

/** The pod's total requests. During an in-place resize, a running pod also counts what it has allocated. */
function readRequests(spec: Reader, status?: Reader): Resources {
  const total: Record<string, number> = {};
  const allocation = status ? readAllocation(status) : noAllocation;
  for (const container of spec.maps('containers')) add(total, allocation.requestsOf(container));
  if (spec.has('initContainers')) addInitContainers(total, spec, allocation);
  if (spec.has('resources')) addPodLevel(total, requestsOf(spec));
  if (spec.has('overhead')) add(total, spec.resources('overhead'));
  total.pods = 1;
  return total;
}

/** Pod-level requests take precedence over the sum of the containers. */
function addPodLevel(total: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) if (podLevel.test(name)) total[name] = amounts[name] ?? 0;
}

/** The scheduler ignores other resources at pod level. */
const podLevel = /^(cpu|memory|hugepages-.*)$/;

/** Init containers run one after another, each beside the sidecars started before it. */
function addInitContainers(total: Record<string, number>, spec: Reader, allocation: Allocation): void {
  const sidecars: Record<string, number> = {};
  const peak: Record<string, number> = {};
  for (const container of spec.maps('initContainers')) {
    const isSidecar = container.text('restartPolicy') === 'Always';
    const own: Record<string, number> = { ...(isSidecar ? allocation.requestsOf(container) : requestsOf(container)) };
    if (isSidecar) {
      add(sidecars, own);
      raise(peak, sidecars);
    } else {
      add(own, sidecars);
      raise(peak, own);
    }
  }
  add(total, sidecars);
  raise(total, peak);
}

function add(total: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) total[name] = (total[name] ?? 0) + (amounts[name] ?? 0);
}

function raise(total: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) total[name] = Math.max(total[name] ?? 0, amounts[name] ?? 0);
}

interface Allocation {
  /** The requests that count for a container. */
  requestsOf(container: Reader): Resources;
}

const requestsOf = (holder: Reader): Resources => holder.map('resources').resources('requests');

const noAllocation: Allocation = { requestsOf };

/** A status usually repeats the requests: compare only those that differ. */
function readAllocation(status: Reader): Allocation {
  if (!status.has('containerStatuses') && !status.has('initContainerStatuses')) return noAllocation;
  reportInvalid(status);
  return {
    requestsOf: (container) => {
      const given = findStatus(status, container.raw('name'));
      // A kubelet that does not report resources does not resize.
      if (!given || !isMap(given.resources)) return requestsOf(container);
      const asked = container.raw('resources');
      const requested = isMap(asked) ? asked.requests : undefined;
      const shown = [given.resources.requests, given.allocatedResources];
      if (shown.every((amounts) => isSame(amounts, requested))) return requestsOf(container);
      return most(container, namedStatus(status, container.raw('name')), isInfeasible(status));
    },
  };
}

/** The maximum of requested and allocated; the request of an infeasible resize does not count. */
function most(container: Reader, given: Reader | undefined, isInfeasible: boolean): Resources {
  const asked = requestsOf(container);
  const total: Record<string, number> = isInfeasible ? {} : { ...asked };
  if (!given) return total;
  for (const amounts of [given.map('resources').resources('requests'), given.resources('allocatedResources')])
    for (const name in amounts) total[name] = Math.max(total[name] ?? 0, amounts[name] ?? 0);
  return total;
}

const lists = ['containerStatuses', 'initContainerStatuses'] as const;

/** Reports invalid container statuses, which are then ignored. Creates Readers only if there are any. */
function reportInvalid(status: Reader): void {
  for (const key of lists) {
    const isInvalid = (each: unknown): boolean => !isMap(each) || !isMap(each.resources ?? {});
    if (status.list(key)?.some(isInvalid)) for (const each of status.maps(key)) each.map('resources');
  }
}

function findStatus(status: Reader, name: unknown): Json | undefined {
  for (const key of lists) {
    const list = status.raw(key);
    const found: unknown = Array.isArray(list) ? list.find((each) => isMap(each) && each.name === name) : undefined;
    if (isMap(found)) return found;
  }
  return undefined;
}

function namedStatus(status: Reader, name: unknown): Reader | undefined {
  for (const key of lists) {
    const found = status.maps(key).find((each) => each.raw('name') === name);
    if (found) return found;
  }
  return undefined;
}

/** Absent amounts count as the same. */
function isSame(amounts: unknown, requested: unknown): boolean {
  if (!isMap(amounts)) return amounts === undefined || amounts === null;
  const asked = isMap(requested) ? requested : {};
  return Object.keys(amounts).every((name) => amounts[name] === asked[name]);
}

function isInfeasible(status: Reader): boolean {
  const pending = status.maps('conditions').find((condition) => condition.text('type') === 'PodResizePending');
  return pending?.text('reason') === 'Infeasible';
}

export function readDaemonSet(object: Reader): DaemonSet {
  const { reader, name } = readMetadata(object);
  const spec = object.map('spec').map('template').map('spec');
  return defined<DaemonSet>({
    namespace: readNamespace(reader),
    name,
    requests: readRequests(spec),
    tolerations: [...readTolerations(spec), ...added, ...(spec.boolean('hostNetwork') ? addedOnHost : [])],
    nodeSelector: readNodeSelector(spec),
  });
}

const tolerates = (key: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect,
});

/** The DaemonSet controller adds these to all of its pods. */
const added: readonly Toleration[] = [
  tolerates('not-ready', 'NoExecute'),
  tolerates('unreachable', 'NoExecute'),
  tolerates('disk-pressure', 'NoSchedule'),
  tolerates('memory-pressure', 'NoSchedule'),
  tolerates('pid-pressure', 'NoSchedule'),
  tolerates('unschedulable', 'NoSchedule'),
];

const addedOnHost: readonly Toleration[] = [tolerates('network-unavailable', 'NoSchedule')];
