// The initial cluster of a scenario: checks its objects, creates nodes of the given ages, and lets pods start on them.
import type { Fault } from '../../cluster/fault.ts';
import { annotation, label, taint } from '../../cluster/names.ts';
import { Findings } from '../../kinds/read/findings.ts';
import { nameOfObject } from '../../kinds/read/metadata.ts';
import { nearest } from '../../kinds/read/nearMiss.ts';
import { isMap, type Json, Reader } from '../../kinds/read/reader.ts';
import type { Document } from '../../kinds/text/documents.ts';
import { asDuration, before, type Duration, type Instant, minute } from '../../time/instant.ts';
import { isLifecycle } from '../actors/cloud/launching.ts';
import { chooseOffering, claimOf, launched, nodeOf, ready, yes } from '../actors/cloud/machineObjects.ts';
import {
  dropTaints,
  isTaint,
  isTrue,
  type RawClaim,
  type RawNode,
  type RawRequirement,
  taintsOf,
  withConditions,
} from '../actors/rawObjects.ts';
import { isDeleting, type KubeObject, type Meta } from '../kubeObject.ts';
import { readLedger } from '../ledgerRecord.ts';
import type { Objects } from '../objects.ts';
import type { World } from '../world.ts';
import type { InitialNodes, Scenario } from './scenario.ts';
import { checkShape, kinds, type ObjectKind } from './shapes.ts';

/** Kinds that the simulation creates itself. */
const createdKinds = ['Node', 'NodeClaim', 'ReplicaSet', 'DisruptionLedger'];

export function checkObjects(documents: readonly Document[]): Fault[] {
  return documents.flatMap(({ object, position }) => {
    const findings = new Findings(() => nameOfObject(object), 'error', position);
    checkObject(new Reader(object, findings));
    return findings.faults;
  });
}

const kindName = /^[A-Z][A-Za-z0-9]*$/;

/** Objects of kinds unknown to the simulator are stored and ignored. */
export function checkObject(object: Reader): void {
  const name = object.has('kind') ? (object.text('kind') ?? '') : missingKind(object);
  const metadata = object.map('metadata');
  if (!metadata.has('name')) metadata.fault('name', 'metadata.name is missing. Give one.');
  checkShape(metadata, { name: 'text', namespace: 'text', labels: 'texts', annotations: 'texts' });
  const kind = kinds.get(name);
  if (kind) checkKind(object, name, kind);
  else if (createdKinds.includes(name)) {
    object.fault(
      'kind',
      `The simulation creates every ${name} itself. Give the number of nodes under spec.nodes of the Scenario.`,
    );
  } else checkUnknown(object, name);
}

function missingKind(object: Reader): string {
  object.fault('kind', 'kind is missing. Give apiVersion, kind and metadata.');
  return '';
}

function checkKind(object: Reader, name: string, { group, spec }: ObjectKind): void {
  const version = object.text('apiVersion') ?? '';
  const given = version.slice(0, Math.max(version.indexOf('/'), 0));
  if (given !== group || version === '') {
    const right =
      group === '' ? 'v1' : `${group}/${group === 'karpenter.sh' && name !== 'NodePool' ? 'v1alpha1' : 'v1'}`;
    object.fault('apiVersion', `Wrong apiVersion for kind ${name}. Use ${right}.`);
  }
  checkShape(object, { spec });
}

function checkUnknown(object: Reader, name: string): void {
  const meant = nearest(name, [...kinds.keys()]);
  if (meant) object.fault('kind', `Unknown kind ${name}. Did you mean ${meant}?`);
  else if (name !== '' && !kindName.test(name)) object.wrong('kind', 'kind', 'Use one such as Deployment.');
}

/** The names of all objects of a kind, including those that the script applies. */
export function namesIn(objects: readonly Json[], spec: Reader, kind: string): string[] {
  const script = spec.raw('script');
  const applied = (Array.isArray(script) ? script : []).map((entry) => (isMap(entry) ? entry.apply : undefined));
  return [...objects, ...applied].flatMap((object) => {
    if (!isMap(object) || object.kind !== kind || !isMap(object.metadata)) return [];
    return typeof object.metadata.name === 'string' ? [object.metadata.name] : [];
  });
}

const clusterScoped = new Set([
  'Node',
  'NodePool',
  'NodeClaim',
  'Namespace',
  'MaintenanceWindow',
  'HealthGate',
  'PodDisruptionSchedule',
  'DisruptionLedger',
  'CustomResourceDefinition',
]);

export const hasNamespace = (kind: string): boolean => !clusterScoped.has(kind);

/** The object as the API server stores it: with a namespace if its kind has one, and without nulls. */
export function asStored(object: Json): KubeObject {
  const { metadata, ...rest } = withoutNulls(object) as Json & { metadata: Meta };
  const namespace = hasNamespace(String(object.kind)) ? { namespace: metadata.namespace ?? 'default' } : {};
  return { ...rest, metadata: { ...metadata, ...namespace } } as unknown as KubeObject;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(([, inside]) => inside !== null);
  return Object.fromEntries(kept.map(([key, inside]) => [key, withoutNulls(inside)]));
}

/** What Lull left behind: unfinished commands, taints, and replacements without a node. */
export function residue(objects: Objects): string[] {
  const { commands } = readLedger(objects.get('DisruptionLedger', 'lull'));
  const tainted = [...objects.list('Node')].filter((node) =>
    taintsOf(node).some(({ key }) => key === taint.lullDisrupted),
  );
  const unregistered = [...objects.list('NodeClaim')].filter(
    (claim) =>
      claim.metadata.annotations?.[annotation.command] !== undefined &&
      !isDeleting(claim) &&
      !isTrue(claim, 'Initialized'),
  );
  return [
    ...[...commands.values()].map(({ id, step }) => `${id} is still ${step}`),
    ...tainted.map(({ metadata }) => `${metadata.name} is still tainted`),
    ...unregistered.map(({ metadata }) => `replacement ${metadata.name} has no node`),
  ];
}

/** Created once the nodes exist, so that their pods are placed at once. */
const afterNodes = new Set(['Deployment', 'StatefulSet']);
/** Created at the start of the story: they would be finished if they had started earlier. */
const atStart = new Set(['Job', 'Pod']);

/** The least time for pods to be placed and started, even if all nodes are younger. */
const settling: Duration = asDuration(10 * minute);

/** The instant at which the world must open so that the cluster is complete at `from`. */
export const worldStart = ({ from, nodes }: Scenario): Instant =>
  before(from, asDuration(Math.max(settling, ...nodes.map(({ age }) => age))));

/** Creates the cluster, running the world from `worldStart` to the start of the story. */
export function createCluster(scenario: Scenario, world: World): void {
  const { clock } = world;
  const { from, nodes } = scenario;
  const objects = scenario.objects.map(asStored);
  const create = (isSelected: (kind: string) => boolean) => () => {
    for (const object of objects) if (isSelected(object.kind)) world.objects.create(object, 'script');
  };
  const youngest = Math.min(...nodes.map(({ age }) => age));
  const workloadsAt = before(from, asDuration(nodes.length === 0 ? settling : Math.max(settling, youngest)));
  create((kind) => !afterNodes.has(kind) && !atStart.has(kind))();
  for (const initial of [...nodes].sort((a, b) => b.age - a.age)) {
    // Reserve the names now, so that nodes the simulation launches meanwhile get other names.
    const names = Array.from({ length: initial.count }, () => world.nodeNames.next(initial.pool));
    clock.at(before(from, initial.age), () => createNodes(initial, names, world));
  }
  clock.at(
    workloadsAt,
    create((kind) => afterNodes.has(kind)),
  );
  runUntil(
    world,
    from,
    create((kind) => atStart.has(kind)),
  );
}

function runUntil({ clock }: World, at: Instant, then: () => void): void {
  let isReached = false;
  clock.at(at, () => {
    isReached = true;
  });
  while (!isReached) clock.step();
  then();
}

function createNodes(initial: InitialNodes, names: readonly string[], world: World): void {
  const pool = world.objects.get('NodePool', initial.pool);
  if (!pool) return;
  names.forEach((name, index) => {
    const zone = initial.zones[index % initial.zones.length];
    const claim = claimOf(pool, { name, requirements: pinned(initial, zone) });
    const offering = chooseOffering(claim, world);
    if (!offering) throw new Error(`No instance type satisfies pool ${initial.pool} and its nodes`);
    const { now } = world.clock;
    const made = launched(claim, offering, now);
    const finished = withConditions(made, now, [yes('Registered'), yes('Initialized'), yes('Ready')], {
      nodeName: name,
    });
    const created = world.objects.create(finished, 'script');
    if (created.ok) world.objects.create(initializedNode(created.object, name, now), 'script');
  });
}

function initializedNode(claim: RawClaim, name: string, at: Instant): RawNode {
  const node = nodeOf(claim, name, at);
  const startup = claim.spec?.startupTaints ?? [];
  const clean = dropTaints(node, (taint) => isLifecycle(taint) || startup.some((own) => isTaint(own, taint)));
  const labels = { ...clean.metadata.labels, [label.initialized]: 'true' };
  return withConditions({ ...clean, metadata: { ...clean.metadata, labels } }, at, [ready]);
}

function pinned({ instanceType, capacityType }: InitialNodes, zone: string | undefined): RawRequirement[] {
  const pins = { [label.zone]: zone, [label.instanceType]: instanceType, [label.capacityType]: capacityType };
  return Object.entries(pins).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }],
  );
}
