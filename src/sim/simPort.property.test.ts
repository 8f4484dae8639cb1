// Property tests of the simulated port.
import { describe, expect, it } from 'vitest';
import { difference } from '../../test/invariants/difference.ts';
import { rawNode, rawPdb, rawPod, running } from '../../test/rawObjects.ts';
import type { ClusterStore } from '../cluster/store.ts';
import type { ApiRequest, ClusterView } from '../runtime/port.ts';
import { after, asDuration, type Instant, parseInstant } from '../time/instant.ts';
import { type KubeObject, keyOf } from './kubeObject.ts';
import { type ObjectChange, Objects } from './objects.ts';
import { Random } from './random.ts';
import { SimPort } from './simPort.ts';
import { VirtualClock } from './virtualClock.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const seeds = Array.from({ length: 150 }, (_, index) => index + 1);
const nodes = ['n0', 'n1', 'n2'];
const pods = Array.from({ length: 8 }, (_, index) => `p${index}`);

const pool = (name: string): KubeObject => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: { template: { spec: {} } },
});

const window = (name: string): KubeObject => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'MaintenanceWindow',
  metadata: { name },
  spec: {},
});

/** One random change to the cluster. */
function happen(objects: Objects, random: Random): void {
  const pod = random.pick(pods);
  const node = random.pick(nodes);
  const touch = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, labels: { app: random.pick(['web', 'api']), x: String(random.whole(1e6)) } },
  });
  const deeds = [
    () => objects.create(rawPod(pod, { node, labels: { app: 'web' } }), 'rs'),
    () => objects.create(rawPod(pod), 'rs'),
    () =>
      objects.write('Pod', `default/${pod}`, 'scheduler', (it) => ({ ...it, spec: { ...it.spec, nodeName: node } })),
    () => objects.write('Pod', `default/${pod}`, 'kubelet', (it) => ({ ...it, status: running(random.chance(0.5)) })),
    () => objects.delete('Pod', `default/${pod}`, 'kubelet', random.chance(0.5) ? { graceSeconds: 0 } : {}),
    () => objects.create(rawNode(node), 'cloud'),
    () => objects.write('Node', node, 'person', touch),
    () => objects.delete('Node', node, 'cloud'),
    () => objects.create(rawPdb('guard', { app: 'web' }), 'person'),
    () => objects.delete('PodDisruptionBudget', 'default/guard', 'person'),
    () => objects.create(random.chance(0.5) ? pool('web') : window('night'), 'person'),
    () => objects.write('NodePool', 'web', 'person', touch),
    () => objects.delete(random.pick(['NodePool', 'MaintenanceWindow']), random.pick(['web', 'night']), 'person'),
  ];
  random.pick<() => unknown>(deeds)();
}

function ask(random: Random): ApiRequest {
  const name = random.pick(pods);
  const node = random.pick(nodes);
  const of = { kind: 'Pod', namespace: 'default', name };
  const value = String(random.whole(1e6));
  const patch = [{ op: 'add', path: '/metadata/labels', value: { value } } as const];
  return random.pick<ApiRequest>([
    { verb: 'evict', ...of },
    { verb: 'delete', ...of, graceSeconds: random.whole(3) },
    { verb: 'patch', kind: 'Node', name: node, patch },
    { verb: 'create', kind: 'Node', name: node, object: rawNode(node) },
    { verb: 'delete', kind: 'Node', name: node },
  ]);
}

/** All that a view shows, as text. IDs are left out: they depend on the order of arrival. */
const shown = ({ cluster }: ClusterView): string => {
  const { pools, windows, pendingPods, faults } = cluster as ClusterStore;
  const views = cluster.nodes.map(({ memory: _, ...view }) => view);
  const text = (key: string, value: unknown): unknown => {
    if (key === 'id') return undefined;
    return value instanceof Map ? [...value].sort() : value instanceof Set ? [...value] : value;
  };
  return JSON.stringify({ views, pools, windows, pendingPods, faults }, text);
};

/** Pods that the view lacks, or shows older than the version it claims to have seen. */
function missing(
  { cluster, seen }: ClusterView,
  history: readonly ObjectChange[],
  read: ReadonlyMap<string, number>,
): string[] {
  const versions = new Map<string, number>();
  for (const { name } of [...cluster.nodes.flatMap((view) => view.pods), ...cluster.pendingPods])
    versions.set(`default/${name}`, read.get(name) ?? 0);
  const known = new Set(cluster.nodes.map(({ node }) => node.name));
  return pods.flatMap((name) => {
    const key = `default/${name}`;
    const mine = history.filter(({ object }) => object.kind === 'Pod' && keyOf(object) === key);
    const last = mine.findLast(({ version }) => version <= Number(seen.Pod));
    const has = versions.get(key);
    // The view may know newer versions of the pod, and does not show pods on unknown nodes.
    if (last && last.type !== 'DELETED' && has === undefined) {
      const isHidden = mine.some(({ type, version, object }) => {
        if (version < last.version) return false;
        const node = object.spec?.nodeName as string | undefined;
        return type === 'DELETED' || (node !== undefined && !known.has(node));
      });
      return isHidden ? [] : [`${key} is not shown`];
    }
    return last && has !== undefined && has < last.version ? [`${key} is shown as of ${has}, not ${last.version}`] : [];
  });
}

describe('K3: whatever the delivery', () => {
  it.each(seeds)('seed %i: nothing is missing of what is said to be seen, and in the end nothing at all', (seed) => {
    const random = new Random(seed);
    const clock = new VirtualClock(noon);
    const objects = new Objects(clock);
    const history: ObjectChange[] = [];
    objects.onChange((change) => history.push(change));
    for (const name of nodes) objects.create(rawNode(name), 'cloud');
    const lag = () => [0, random.pick([0, 30, 400, 5000])] as const;
    const faults = { away: false, lossy: false, lag: { Pod: lag(), Node: lag() } };
    const read = new Map<string, number>();
    const options = {
      name: 'lull-1',
      onRead: ({ kind, metadata: { name, resourceVersion } }: KubeObject) => {
        if (kind === 'Pod') read.set(name, Number(resourceVersion));
      },
      random: random.fork('port'),
      lag: lag(),
      repeats: random.pick([0, 0.3, 1]),
      faults,
    };
    const port = new SimPort(objects, clock, options);
    let isStale = false;
    port.onWake(() => {
      isStale = true;
    });

    for (let step = 0; step < 120; step++) {
      happen(objects, random);
      if (random.chance(0.3)) port.send(ask(random));
      if (random.chance(0.1)) faults.away = !faults.away;
      if (random.chance(0.1)) faults.lossy = !faults.lossy;
      clock.in(asDuration(random.whole(200)), () => {});
      while (clock.nextAt !== undefined && random.chance(0.7)) clock.step();
      if (random.chance(0.3)) expect(missing(port.view(), history, read)).toEqual([]);
    }

    faults.away = false;
    const before = shown(port.view());
    isStale = false;
    const end = after(clock.now, asDuration(60_000));
    clock.at(end, () => {});
    while (clock.nextAt !== undefined && clock.nextAt <= end) clock.step();
    const last = port.view();
    const fresh = new SimPort(objects, clock, { name: 'lull-2', random });
    expect(difference(shown(last), shown(fresh.view()))).toBeUndefined();
    expect(last.seen).toEqual(fresh.view().seen);
    // K5: a change of the view has woken the controller.
    if (shown(last) !== before) expect(isStale).toBe(true);
  });
});
