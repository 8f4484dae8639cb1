// How does a cluster come to be before its story starts? Nodes as old as the scenario says, then what runs on them, left alone to settle.
import { label } from '../../cluster/names.ts';
import { asDuration, before, type Duration, type Instant, minute } from '../../time/instant.ts';
import { claimOf } from '../actors/cloud/claimObject.ts';
import { isLifecycle } from '../actors/cloud/launching.ts';
import { chooseOffering, launched, nodeOf, ready, yes } from '../actors/cloud/nodeObject.ts';
import type { Claim, Node, Pool, RawRequirement } from '../actors/manifest.ts';
import { withConditions } from '../actors/status.ts';
import { dropTaints, isTaint } from '../actors/taints.ts';
import type { KubeObject } from '../kubeObject.ts';
import type { World } from '../world.ts';
import { placed } from './objectsGiven.ts';
import type { Growth, Scenario } from './scenario.ts';

/** What the nodes carry. It comes once they are there, so that it finds its place at once. */
const onNodes = new Set(['Deployment', 'StatefulSet']);
/** What would be over if it had begun long ago. */
const fromTheStart = new Set(['Job', 'Pod']);

/** Time for pods to be placed and started, even where nodes are younger than that. */
const settling: Duration = asDuration(10 * minute);

/** The instant at which the world must be opened for the cluster to be grown by `from`. */
export const bornAt = ({ from, nodes }: Scenario): Instant =>
  before(from, asDuration(Math.max(settling, ...nodes.map(({ age }) => age))));

/** Runs the world, which stands at `bornAt`, up to the start of the story. */
export function growCluster(scenario: Scenario, world: World): void {
  const { clock } = world;
  const { from, nodes } = scenario;
  const objects = scenario.objects.map(placed);
  const put = (wanted: (kind: string) => boolean) => () => {
    for (const object of objects) if (wanted(object.kind)) world.objects.create(object, 'script');
  };
  const youngest = Math.min(...nodes.map(({ age }) => age));
  const filledAt = before(from, asDuration(nodes.length === 0 ? settling : Math.max(settling, youngest)));
  put((kind) => !onNodes.has(kind) && !fromTheStart.has(kind))();
  for (const growth of [...nodes].sort((a, b) => b.age - a.age)) {
    // Reserved now: what comes up meanwhile by itself has names of its own.
    const names = Array.from({ length: growth.count }, () => world.nodeNames.next(growth.pool));
    clock.at(before(from, growth.age), () => growNodes(growth, names, world));
  }
  clock.at(
    filledAt,
    put((kind) => onNodes.has(kind)),
  );
  runUntil(
    world,
    from,
    put((kind) => fromTheStart.has(kind)),
  );
}

function runUntil({ clock }: World, at: Instant, atLast: () => void): void {
  let isThere = false;
  clock.at(at, () => {
    isThere = true;
  });
  while (!isThere) clock.step();
  atLast();
}

function growNodes(growth: Growth, names: readonly string[], world: World): void {
  const pool = world.objects.get('NodePool', growth.pool) as Pool | undefined;
  if (!pool) return;
  names.forEach((name, index) => {
    const zone = growth.zones[index % growth.zones.length];
    const claim = claimOf(pool, { name, requirements: pinned(growth, zone) });
    const offering = chooseOffering(claim, world);
    if (!offering) throw new Error(`No instance type is what pool ${growth.pool} and its nodes ask for`);
    const { now } = world.clock;
    const made = launched(claim, offering, now);
    const finished = withConditions(made, now, [yes('Registered'), yes('Initialized'), yes('Ready')], {
      nodeName: name,
    });
    const created = world.objects.create(finished, 'script');
    if (created.ok) world.objects.create(grownNode(created.object as Claim, name, now), 'script');
  });
}

function grownNode(claim: Claim, name: string, at: Instant): Node {
  const node = nodeOf(claim, name, at);
  const startup = claim.spec?.startupTaints ?? [];
  const clean = dropTaints(node, (taint) => isLifecycle(taint) || startup.some((own) => isTaint(own, taint)));
  const labels = { ...clean.metadata.labels, [label.initialized]: 'true' };
  return withConditions({ ...clean, metadata: { ...clean.metadata, labels } } as KubeObject as Node, at, [ready]);
}

function pinned({ instanceType, capacityType }: Growth, zone: string | undefined): RawRequirement[] {
  const pins = { [label.zone]: zone, [label.instanceType]: instanceType, [label.capacityType]: capacityType };
  return Object.entries(pins).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }],
  );
}
