// Restores a cluster snapshot in the simulator: objects adapted to it, with all simulated controllers running.
import type { Ledger } from '../cluster/ledger.ts';
import { annotation, label } from '../cluster/names.ts';
import type { Settings } from '../cluster/settings.ts';
import { beyondKarpenter } from '../kinds/read/budget.ts';
import { writeLedger } from '../kinds/read/disruptionLedger.ts';
import { steering } from '../kinds/read/knownKeys.ts';
import { isMap, type Json } from '../kinds/read/reader.ts';
import { terminationFinalizer } from '../sim/actors/cloud/machineObjects.ts';
import { hashesOf } from '../sim/actors/karpenter/rows.ts';
import {
  conditionOf,
  dropTaints,
  nodeNameOf,
  type RawNode,
  type RawPod,
  type RawPodTemplate,
  type RawPool,
  type RawWorkload,
  taintsOf,
} from '../sim/actors/rawObjects.ts';
import { startActors, startKarpenter } from '../sim/actors/startActors.ts';
import { hashOf } from '../sim/actors/workloads/ownedPods.ts';
import { isDeleting, type KubeObject, keyOf, type OwnerReference } from '../sim/kubeObject.ts';
import { everything, openWorld, type SimInstanceType, type World } from '../sim/world.ts';
import { asDuration, asInstant, type Instant, minute, parseInstant, second } from '../time/instant.ts';
import { withKeptGates } from './keptGates.ts';

export interface ClusterSnapshot {
  readonly at: Instant;
  /** Raw, as Kubernetes keeps them: nodes, claims, pools, pods, PDBs, windows, namespaces. */
  readonly objects: readonly Json[];
  readonly ledger: Ledger;
  readonly settings: Settings;
}

/** Observe mode moves nothing: its forecast is what would happen in guide mode (C5/N4). */
export const actingSettings = (settings: Settings): Settings =>
  settings.role === 'observe' ? { ...settings, role: 'guide' } : settings;

interface WithWorkloads {
  readonly workloads: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
}

const revisionLabel = 'controller-revision-hash';
const controllers = new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet']);

/** Adds the workloads that own the pods. Pods of other owners, such as Jobs, are not recreated: their timing is unknown. */
function addWorkloads(pods: readonly KubeObject[], known: ReadonlySet<string>): WithWorkloads {
  const groups = Map.groupBy(pods, (pod) => controllerOf(pod)?.uid ?? '');
  const workloads: KubeObject[] = [];
  const owned = [...groups].flatMap(([uid, its]) => {
    const [first] = its;
    const controller = first && controllerOf(first);
    if (!controller || uid === '' || known.has(uid)) return its;
    const workload = workloadOf(controller, first, its);
    workloads.push(workload);
    return controller.kind === 'StatefulSet' ? its.map((pod) => ofRevision(pod, workload)) : its;
  });
  return { workloads, pods: owned };
}

const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller, kind }) => controller && controllers.has(kind));

function workloadOf(
  { apiVersion, kind, name, uid }: OwnerReference,
  first: RawPod,
  pods: readonly RawPod[],
): RawWorkload {
  const running = pods.filter((pod) => !isDeleting(pod));
  const [pattern = first] = running;
  const { nodeName: _, ...spec } = pattern.spec ?? {};
  const { [revisionLabel]: __, ...labels } = pattern.metadata.labels ?? {};
  const template: RawPodTemplate = {
    metadata: { labels, ...(pattern.metadata.annotations && { annotations: pattern.metadata.annotations }) },
    spec,
  };
  const namespace = pattern.metadata.namespace ?? 'default';
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid },
    spec: {
      ...(kind !== 'DaemonSet' && { replicas: Math.max(1, running.length) }),
      ...(kind === 'StatefulSet' && { podManagementPolicy: 'Parallel' }),
      selector: { matchLabels: labels },
      template,
    },
  };
}

/** Without the revision label the simulated controller would replace the pods as outdated. */
function ofRevision(pod: KubeObject, { metadata, spec }: RawWorkload): KubeObject {
  const revision = `${metadata.name}-${hashOf(spec?.template ?? {})}`;
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [revisionLabel]: revision } } };
}

/** The objects as the simulator would have written them. */
function asSimulated(objects: readonly KubeObject[]): KubeObject[] {
  const pools = new Map(objects.filter(({ kind }) => kind === 'NodePool').map((it) => [it.metadata.name, it]));
  return objects.filter(isRegistered).map((object) => {
    if (object.kind === 'NodePool') return withHash(object, poolHashOf(object), object);
    const poolName = object.metadata.labels?.[label.pool];
    if (poolName === undefined || (object.kind !== 'NodeClaim' && object.kind !== 'Node')) return object;
    const pool = pools.get(poolName);
    if (object.kind === 'Node') return finalized(withoutStarting(object));
    return finalized(pool ? withHash(object, poolHashOf(pool), pool) : object);
  });
}

/**
 * A pool of an observed cluster as guide mode wants it: budgets that Karpenter cannot read move to the annotation (C17). Guide mode would
 * only report them as a fault; `decide` shows Lull's own reading of such a pool in observe mode (N4), and so does its forecast.
 */
function asGuided(object: KubeObject): KubeObject {
  const { spec } = object;
  const disruption = isMap(spec?.disruption) ? spec.disruption : undefined;
  const annotations = object.metadata.annotations ?? {};
  const list = disruption?.budgets;
  if (object.kind !== 'NodePool' || annotations[steering.budgets] !== undefined || !beyondKarpenter(list))
    return object;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [steering.budgets]: JSON.stringify(list) } },
    spec: { ...spec, disruption: { ...disruption, budgets: [] } },
  };
}

const poolHashOf = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[annotation.poolHash];

/** Objects with the pool's current hash get the simulator's hash; drifted ones keep a different hash. */
function withHash(object: KubeObject, current: string | undefined, pool: RawPool): KubeObject {
  if (current === undefined || poolHashOf(object) !== current) return object;
  const annotations = { ...object.metadata.annotations, ...hashesOf(pool) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Without the finalizer it would disappear as soon as it is deleted, while its pods and machine still exist. */
function finalized(object: KubeObject): KubeObject {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(terminationFinalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, terminationFinalizer] } };
}

const unregistered = 'karpenter.sh/unregistered';
const notReady = 'node.kubernetes.io/not-ready';

/** Nodes that have not registered are left out: they join again through their claim. */
const isRegistered = (object: KubeObject): boolean =>
  object.kind !== 'Node' || !taintsOf(object).some(({ key }) => key === unregistered);

/** The simulator removes the not-ready taint when a node becomes ready, so a node that already is must not have it. */
const withoutStarting = (node: RawNode): KubeObject =>
  conditionOf(node, 'Ready')?.status === 'True' ? dropTaints(node, ({ key }) => key === notReady) : node;

export function restore({ at, objects, ledger, settings }: ClusterSnapshot, seed: number): World {
  const here = asSimulated(objects.map((object) => withoutVersion(object as unknown as KubeObject)));
  const all = withKeptGates(settings.role === 'observe' ? here.map(asGuided) : here, at);
  const nodes = all.filter(({ kind }) => kind === 'Node');
  const types = typesOf(nodes);
  const zones = [...new Set(nodes.flatMap(({ metadata }) => metadata.labels?.[label.zone] ?? []))].sort();
  const world = openWorld({
    at,
    seed,
    ...(types.size > 0 && { instanceTypes: types }),
    ...(zones.length > 0 && { zones }),
    karpenter: actingSettings(settings).role === 'guide',
  });
  const boot = bootFactor(all);
  if (boot !== undefined) world.faults.set('boots', everything, boot);
  for (const object of all) keepUnhealthy(object, at, world);
  startActors(world);
  const pods = all.filter(({ kind }) => kind === 'Pod');
  const known = new Set(all.flatMap(({ metadata }) => metadata.uid ?? []));
  const { workloads, pods: owned } = addWorkloads(pods, known);
  const others = all.filter(({ kind }) => kind !== 'Pod' && kind !== 'DisruptionLedger');
  // The resource versions seen by another process mean nothing here.
  const { seen: _, ...record } = ledger;
  const memory: KubeObject = writeLedger(record);
  for (const object of [...others, ...workloads, memory, ...owned]) world.objects.create(object, 'snapshot');
  startKarpenter(world);
  return world;
}

/** What has been unhealthy for this long is assumed to stay unhealthy. */
const unhealthyFor = asDuration(2 * minute);

function keepUnhealthy(object: KubeObject, now: Instant, { faults }: World): void {
  const { kind, metadata } = object;
  if ((kind !== 'Pod' && kind !== 'Node') || isDeleting(object)) return;
  const ready = conditionOf(object, 'Ready');
  const since = instantOf(ready?.lastTransitionTime);
  if (!ready || ready.status === 'True' || since === undefined || now - since < unhealthyFor) return;
  if (kind === 'Node') faults.set('kubelets', metadata.name, 'dead');
  else if (nodeNameOf(object) !== undefined) faults.set('workloads', keyOf(object), 'crash');
}

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The simulated cloud offers the instance types of the existing nodes, in their sizes. */
function typesOf(nodes: readonly RawNode[]): ReadonlyMap<string, SimInstanceType> {
  const types = new Map<string, SimInstanceType>();
  for (const { metadata, status } of nodes) {
    const name = metadata.labels?.[label.instanceType];
    const { cpu, memory, pods } = status?.allocatable ?? {};
    if (name === undefined || cpu === undefined || memory === undefined || types.has(name)) continue;
    const price = Number(metadata.labels?.[label.price]);
    // Files written by hand have numbers here.
    const size = { cpu: String(cpu), memory: String(memory), ...(pods !== undefined && { pods: String(pods) }) };
    types.set(name, { ...size, ...(price > 0 && { price }) });
  }
  return types;
}

/** How long the simulator takes from a claim to an initialized node. */
const usualBoot = 40 * second;
/** With fewer samples the boot time is not estimated. */
const minSamples = 3;

/** The median boot time of existing nodes relative to the simulator's; undefined = too few samples. */
function bootFactor(objects: readonly KubeObject[]): number | undefined {
  const times = objects.flatMap((object) => (object.kind === 'NodeClaim' ? (bootOf(object) ?? []) : []));
  if (times.length < minSamples) return undefined;
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? usualBoot;
  return Math.min(20, Math.max(0.2, median / usualBoot));
}

function bootOf(claim: KubeObject): number | undefined {
  const made = instantOf(claim.metadata.creationTimestamp);
  const up = instantOf(conditionOf(claim, 'Initialized')?.lastTransitionTime);
  return made === undefined || up === undefined || up <= made ? undefined : up - made;
}

const instantOf = (text: string | undefined): Instant | undefined =>
  text === undefined ? undefined : (parseInstant(text) ?? asInstant(Number.NaN));
