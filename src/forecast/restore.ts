// How does a snapshot become a cluster that goes on? Its objects in a world of memory, with everyone who acts in a cluster.
import { label } from '../cluster/names.ts';
import { writeLedger } from '../kinds/disruptionLedger.ts';
import { type Node, nodeNameOf } from '../sim/actors/manifest.ts';
import { startActors, startKarpenter } from '../sim/actors/startActors.ts';
import { conditionOf } from '../sim/actors/status.ts';
import { everything } from '../sim/conditions.ts';
import { isDeleting, type KubeObject, keyOf } from '../sim/kubeObject.ts';
import { type InstanceType, openWorld, type World } from '../sim/world.ts';
import { asDuration, asInstant, type Instant, minute, parseInstant, second } from '../time/instant.ts';
import { actingSettings, type Snapshot } from './snapshot.ts';
import { asGuided, asHere } from './translate.ts';
import { staff } from './workloads.ts';

export function restore({ at, objects, ledger, settings }: Snapshot, seed: number): World {
  const here = asHere(objects.map((object) => withoutVersion(object as unknown as KubeObject)));
  const all = settings.role === 'observe' ? here.map(asGuided) : here;
  const nodes = all.filter(({ kind }) => kind === 'Node') as Node[];
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
  if (boot !== undefined) world.conditions.set('boots', everything, boot);
  for (const object of all) leaveUnwell(object, at, world);
  startActors(world);
  const pods = all.filter(({ kind }) => kind === 'Pod');
  const known = new Set(all.flatMap(({ metadata }) => metadata.uid ?? []));
  const { workloads, pods: staffed } = staff(pods, known);
  const others = all.filter(({ kind }) => kind !== 'Pod' && kind !== 'DisruptionLedger');
  // How far another process had seen is nothing that this one could have seen.
  const { seen: _, ...record } = ledger;
  const memory = writeLedger(record) as unknown as KubeObject;
  for (const object of [...others, ...workloads, memory, ...staffed]) world.objects.create(object, 'snapshot');
  startKarpenter(world);
  return world;
}

/** Who has not been well for so long does not get well by being forecast. */
const unwellFor = asDuration(2 * minute);

function leaveUnwell(object: KubeObject, now: Instant, { conditions }: World): void {
  const { kind, metadata } = object;
  if ((kind !== 'Pod' && kind !== 'Node') || isDeleting(object)) return;
  const ready = conditionOf(object, 'Ready');
  const since = instantOf(ready?.lastTransitionTime);
  if (!ready || ready.status === 'True' || since === undefined || now - since < unwellFor) return;
  if (kind === 'Node') conditions.set('kubelets', metadata.name, 'dead');
  else if (nodeNameOf(object) !== undefined) conditions.set('workloads', keyOf(object), 'crash');
}

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** What the cloud offers is what it has given already; a node is as large as it says. */
function typesOf(nodes: readonly Node[]): ReadonlyMap<string, InstanceType> {
  const types = new Map<string, InstanceType>();
  for (const { metadata, status } of nodes) {
    const name = metadata.labels?.[label.instanceType];
    const { cpu, memory, pods } = (status?.allocatable ?? {}) as Readonly<Record<string, string | undefined>>;
    if (name === undefined || cpu === undefined || memory === undefined || types.has(name)) continue;
    const price = Number(metadata.labels?.[label.price]);
    types.set(name, { cpu, memory, ...(pods !== undefined && { pods }), ...(price > 0 && { price }) });
  }
  return types;
}

/** How long the box takes from a claim to an initialized node. */
const usualBoot = 40 * second;
/** Few say little. */
const fewest = 3;

/** How many times as long it takes here, by the nodes that are there; undefined = nobody can say. */
function bootFactor(objects: readonly KubeObject[]): number | undefined {
  const times = objects.flatMap((object) => (object.kind === 'NodeClaim' ? (bootOf(object) ?? []) : []));
  if (times.length < fewest) return undefined;
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
