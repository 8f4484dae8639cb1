// What Lull has left in a cluster, and the requests that remove it (N10): from the objects as they are now, not from records.
import { defined } from '../../cluster/defined.ts';
import type { Ledger } from '../../cluster/ledger.ts';
import { compareText } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Action } from '../../engine/commands/action.ts';
import { isMarked } from '../../engine/commands/marks.ts';
import { releaseAll } from '../../engine/commands/releaseAll.ts';
import { lacksSafetyNet, type SafetyNet, safetyNetOf } from '../../engine/rules/safetyNet.ts';
import { readObject } from '../../kinds/readObject.ts';
import { ledgerKind, objectPath } from '../../kube/apiKind.ts';
import { isDone, isNotFound, sayReply } from '../../kube/apiReply.ts';
import { type AppliedTo, appliedTo, forgetting, withdrawal } from '../../kube/apply.ts';
import { bornParkedKinds, bornParkedName, servedPolicyVersion } from '../../kube/bornParked.ts';
import type { Call, Client } from '../../kube/client.ts';
import type { Connection } from '../../kube/connection.ts';
import { markedKinds } from '../../kube/listing.ts';
import type { RawObject } from '../../kube/rawObject.ts';
import { callFor } from '../../kube/requests.ts';
import { pauseWindow } from '../../server/userRequests.ts';
import type { Instant } from '../../time/instant.ts';
import { listCluster } from '../clusterInput.ts';
import { Failure } from '../failure.ts';
import { gatherReads, type LocatedRead } from '../input.ts';
import type { Io } from '../io.ts';

export interface ReleaseStep {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** What is done, in words: `parking removed`. */
  readonly what: string;
  readonly call: Call;
}

export interface ReleasePlan {
  /** Marks on objects of others. */
  readonly traces: readonly ReleaseStep[];
  /** Lull's own objects: the ledger last, since it records what was begun. */
  readonly own: readonly ReleaseStep[];
  /** The pools with parked nodes, and their limits once they are released. */
  readonly pools: readonly PoolRelease[];
}

export interface PoolRelease {
  readonly pool: string;
  readonly uid?: string;
  /** Parked nodes, by name. */
  readonly nodes: readonly string[];
  /** Karpenter's own limit, the only one after the release. */
  readonly net: SafetyNet;
  /** Its nodes stay parked: Karpenter has no limit for them. */
  readonly stays: boolean;
}

interface PlanOptions {
  readonly now: Instant;
  /** Leave the nodes of pools for which Karpenter has no limit parked. */
  readonly keepsUnlimited: boolean;
}

interface ListedObject extends LocatedRead {
  readonly applied: readonly AppliedTo[];
  readonly named?: ReleaseStep;
  readonly own?: ReleaseStep;
}

export async function planRelease(connection: Connection, io: Io, options: PlanOptions): Promise<ReleasePlan> {
  const { objects } = await listCluster(
    connection,
    io,
    (object): ListedObject => ({
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
  // If nodes stay parked, the ledger and the lease stay too: they show that nodes are parked, and since when Lull is gone.
  const own = kept.length > 0 ? [] : objects.flatMap((object) => object.own ?? []);
  const isOwn = new Set(own.map(placeOf));
  const others = (steps: readonly ReleaseStep[]): readonly ReleaseStep[] =>
    steps.filter((step) => !isOwn.has(placeOf(step)));
  const written = [
    ...releaseAll(cluster, ledgerIn(objects), new Set(kept.map(({ pool }) => pool))).map(actionStep),
    ...others(objects.flatMap(({ applied }) => applied.map(withdrawalStep))),
  ];
  return {
    // Field ownership disappears with most of these writes; what is left of it is removed in the next pass.
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
    // Karpenter disrupts no node without a pool.
    if (!pool) return [];
    const { uid } = pool;
    const nodes = views.map(({ node }) => node.name).sort(compareText);
    const stays = keepsUnlimited && lacksSafetyNet(pool, now);
    return [{ pool: pool.name, ...(uid !== undefined && { uid }), nodes, net: safetyNetOf(pool, now), stays }];
  });
}

export const isUnlimited = ({ net }: PoolRelease): boolean => net.gaps.length > 0;

/** The warning before nodes of pools without a limit are released; begins with a space. */
export function warnUnlimited(pools: readonly PoolRelease[]): string {
  const names = pools.filter(isUnlimited).map(({ pool }) => pool);
  if (names.length === 0) return '';
  const their = names.length === 1 ? 'its' : 'their';
  return ` Karpenter has no limit for ${names.join(', ')}: it may disrupt all ${their} nodes at a time. Add one in spec.disruption.budgets first, such as 10%.`;
}

function namedIn(object: RawObject): { named?: ReleaseStep } {
  const named = forgetting(object);
  return named ? { named: { ...named, what: 'field ownership removed' } } : {};
}

/** The ledger is deleted even if it cannot be read; the commands in it are taken into account if it can. */
function ledgerIn(objects: readonly ListedObject[]): Ledger | undefined {
  const read = objects.map((kept) => kept.read).find(({ kind }) => kind === ledgerKind);
  return read?.kind === ledgerKind && read.faults.length === 0 ? read.record : undefined;
}

const placeOf = ({ kind, namespace = '', name }: ReleaseStep): string => `${kind}/${namespace}/${name}`;

/** The ledger, and the window of a pause: Lull created it, even if on a person's request, and it affects only Lull. */
function ownObject({ kind, metadata }: RawObject): { own?: ReleaseStep } {
  const { name, uid, resourceVersion } = metadata;
  const pause = pauseWindow({});
  const isPause = kind === pause.kind && name === pause.metadata.name;
  if (!isPause && kind !== ledgerKind) return {};
  // With the version that was seen: if someone changes it meanwhile, it must be read again.
  const call = callFor({ verb: 'delete', kind, name, preconditions: { uid, resourceVersion } });
  return { own: { kind, name, what: 'removed', call } };
}

function actionStep(action: Action): ReleaseStep {
  const { kind, namespace, name, verb } = action;
  const what = verb === 'delete' ? 'unused replacement deleted' : describePatch(action);
  return defined({ kind, namespace, name, what, call: callFor(action) });
}

function describePatch({ kind, patch = [] }: Action): string {
  const changes = patch.filter(({ op }) => op !== 'test').map(({ path }) => path);
  const touches = (part: string): boolean => changes.some((path) => path.includes(part));
  if (touches('/spec/taints')) return 'taint removed';
  if (touches('nodepool-hash')) return 'pool hash restored';
  if (touches('lull.dev~1parked')) return kind === 'Node' ? 'offered: parking removed' : 'parking removed';
  if (touches('termination-timestamp')) return 'deadline removed';
  return 'annotation removed';
}

function withdrawalStep(applied: AppliedTo): ReleaseStep {
  const { kind, namespace, name, subresource = 'fields' } = applied;
  return defined({ kind, namespace, name, what: `${subresource} withdrawn`, call: withdrawal(applied) });
}

/** As long as the policy exists, whatever created it, every new node gets a marker that nothing removes any more. */
export async function policySteps(client: Client): Promise<readonly ReleaseStep[]> {
  const version = await servedPolicyVersion(client);
  if (version === undefined || version === 'none') return [];
  const steps: ReleaseStep[] = [];
  for (const kind of bornParkedKinds(version)) {
    const path = objectPath(kind, bornParkedName);
    const reply = await client.request({ method: 'GET', path });
    if (isNotFound(reply)) continue;
    if (!isDone(reply))
      throw new Failure([{ message: `${kind.kind} ${bornParkedName} cannot be read: ${sayReply(reply)}` }]);
    steps.push({ kind: kind.kind, name: bornParkedName, what: 'removed', call: { method: 'DELETE', path } });
  }
  return steps;
}
