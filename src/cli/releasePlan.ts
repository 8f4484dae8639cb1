// What has Lull left in a cluster, and which requests take it off again (N10)? Looked for in what is there now, not in what was once written.
import type { Ledger } from '../cluster/ledger.ts';
import { compareText } from '../cluster/nodeView.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Action } from '../engine/commands/action.ts';
import { isMarked } from '../engine/commands/parking.ts';
import { releaseAll } from '../engine/commands/releaseAll.ts';
import { lacksSafetyNet, type SafetyNet, safetyNetOf } from '../engine/limits/safetyNet.ts';
import { readObject } from '../kinds/readObject.ts';
import { ledgerKind } from '../kube/apiKind.ts';
import type { Call } from '../kube/client.ts';
import type { Connection } from '../kube/connection.ts';
import { markedKinds } from '../kube/listing.ts';
import type { RawObject } from '../kube/rawObject.ts';
import { callFor } from '../kube/requests.ts';
import { type AppliedTo, appliedTo, forgetting, withdrawal } from '../kube/traces.ts';
import { pauseWindow } from '../server/pause.ts';
import type { Instant } from '../time/instant.ts';
import { listCluster } from './clusterInput.ts';
import { gatherReads, type ReadAt } from './input.ts';
import type { Io } from './io.ts';

export interface ReleaseStep {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** What is done, in words: `parking taken off`. */
  readonly what: string;
  readonly call: Call;
}

export interface ReleasePlan {
  /** On objects of others. */
  readonly traces: readonly ReleaseStep[];
  /** Lull's own objects: the ledger last, since it says what was begun. */
  readonly own: readonly ReleaseStep[];
  /** The pools with parked nodes, and what holds there once they are released. */
  readonly pools: readonly PoolRelease[];
}

export interface PoolRelease {
  readonly pool: string;
  readonly uid?: string;
  /** Parked nodes, by name. */
  readonly nodes: readonly string[];
  /** Karpenter's own limit, which is the only one then. */
  readonly net: SafetyNet;
  /** Its nodes stay parked: Karpenter has no limit for them. */
  readonly stays: boolean;
}

export interface PlanOptions {
  readonly now: Instant;
  /** Leave the nodes of pools for which Karpenter has no limit parked. */
  readonly keepsUnlimited: boolean;
}

interface Kept extends ReadAt {
  readonly applied: readonly AppliedTo[];
  readonly named?: ReleaseStep;
  readonly own?: ReleaseStep;
}

export async function planRelease(connection: Connection, io: Io, options: PlanOptions): Promise<ReleasePlan> {
  const { objects } = await listCluster(
    connection,
    io,
    (object): Kept => ({
      read: readObject(object),
      applied: appliedTo(object),
      ...namedIn(object),
      ...ownObject(object),
    }),
    markedKinds,
  );
  const { cluster } = gatherReads(objects.filter(({ read }) => read.kind !== ledgerKind));
  const pools = poolsIn(cluster, options);
  const kept = pools.filter(({ stays }) => stays);
  // What says that nodes are parked, and since when nobody renews it, stays with them.
  const own = kept.length > 0 ? [] : objects.flatMap((object) => object.own ?? []);
  const isOwn = new Set(own.map(placeOf));
  const others = (steps: readonly ReleaseStep[]): readonly ReleaseStep[] =>
    steps.filter((step) => !isOwn.has(placeOf(step)));
  const written = [
    ...releaseAll(cluster, ledgerIn(objects), new Set(kept.map(({ pool }) => pool))).map(actionStep),
    ...others(objects.flatMap(({ applied }) => applied.map(withdrawalStep))),
  ];
  return {
    // Most of them are forgotten with what they wrote; only those that are left after it are taken off by themselves.
    traces: written.length > 0 || kept.length > 0 ? written : others(objects.flatMap(({ named }) => named ?? [])),
    own: [...own.filter(({ kind }) => kind !== ledgerKind), ...own.filter(({ kind }) => kind === ledgerKind)],
    pools,
  };
}

function poolsIn(cluster: Cluster, { now, keepsUnlimited }: PlanOptions): readonly PoolRelease[] {
  const parked = cluster.nodes.filter(({ node }) => isMarked(node));
  const byPool = [...Map.groupBy(parked, ({ poolName = '' }) => poolName)].sort(([a], [b]) => compareText(a, b));
  return byPool.flatMap(([name, views]): PoolRelease[] => {
    const pool = cluster.pools.get(name);
    // Karpenter disrupts no node that has no pool.
    if (!pool) return [];
    const { uid } = pool;
    const nodes = views.map(({ node }) => node.name).sort(compareText);
    const stays = keepsUnlimited && lacksSafetyNet(pool, now);
    return [{ pool: pool.name, ...(uid !== undefined && { uid }), nodes, net: safetyNetOf(pool, now), stays }];
  });
}

export const isUnlimited = ({ net }: PoolRelease): boolean => net.gaps.length > 0;

/** What a person should know before the nodes of pools without a limit are released; with a space in front. */
export function warnUnlimited(pools: readonly PoolRelease[]): string {
  const names = pools.filter(isUnlimited).map(({ pool }) => pool);
  if (names.length === 0) return '';
  const their = names.length === 1 ? 'its' : 'their';
  return ` Karpenter has no limit for ${names.join(', ')}: it may take all ${their} nodes at once. Write one in spec.disruption.budgets first, such as 10%.`;
}

function namedIn(object: RawObject): { named?: ReleaseStep } {
  const named = forgetting(object);
  return named ? { named: { ...named, what: 'name taken off its fields' } } : {};
}

/** It goes whatever it says, and where it cannot be read too; what it says of commands under way is heeded. */
function ledgerIn(objects: readonly Kept[]): Ledger | undefined {
  const read = objects.map((kept) => kept.read).find(({ kind }) => kind === ledgerKind);
  return read?.kind === ledgerKind && read.faults.length === 0 ? read.record : undefined;
}

const placeOf = ({ kind, namespace = '', name }: ReleaseStep): string => `${kind}/${namespace}/${name}`;

/** The ledger, and the window of a pause: it was made by Lull, if at a person's word, and holds nobody but Lull. */
function ownObject({ kind, metadata }: RawObject): { own?: ReleaseStep } {
  const { name, uid, resourceVersion } = metadata;
  const pause = pauseWindow({});
  const isPause = kind === pause.kind && name === pause.metadata.name;
  if (!isPause && kind !== ledgerKind) return {};
  // As it was seen: whoever changes it meanwhile has more to say.
  const call = callFor({ verb: 'delete', kind, name, preconditions: { uid, resourceVersion } });
  return { own: { kind, name, what: 'removed', call } };
}

const actionStep = (action: Action): ReleaseStep => ({
  kind: action.kind,
  ...(action.namespace !== undefined && { namespace: action.namespace }),
  name: action.name,
  what: action.verb === 'delete' ? 'replacement that nobody uses removed' : sayPatch(action),
  call: callFor(action),
});

function sayPatch({ kind, patch = [] }: Action): string {
  const changes = patch.filter(({ op }) => op !== 'test').map(({ path }) => path);
  const touches = (part: string): boolean => changes.some((path) => path.includes(part));
  if (touches('/spec/taints')) return 'taint taken off';
  if (touches('nodepool-hash')) return 'hash of its pool restored';
  if (touches('lull.dev~1parked')) return kind === 'Node' ? 'offered: parking taken off' : 'parking taken off';
  if (touches('termination-timestamp')) return 'deadline taken off';
  return 'annotation taken off';
}

const withdrawalStep = (applied: AppliedTo): ReleaseStep => ({
  kind: applied.kind,
  ...(applied.namespace !== undefined && { namespace: applied.namespace }),
  name: applied.name,
  what: `${applied.subresource ?? 'fields'} withdrawn`,
  call: withdrawal(applied),
});
