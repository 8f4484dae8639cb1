// Releases a cluster (N10): stops the running Lull, removes its marks until none is left, then the ledger and the lease.
import { listIn, mapIn } from '../../kinds/read/reader.ts';
import { bodyOf, isDone, isNotFound, sayReply } from '../../kube/apiReply.ts';
import type { Client } from '../../kube/client.ts';
import type { Connection } from '../../kube/connection.ts';
import type { FoundLease } from '../../kube/leaseSeen.ts';
import { steadyClock } from '../../kube/machine.ts';
import { TokenBucket } from '../../kube/pacing.ts';
import { asDuration, between, type Duration, second } from '../../time/instant.ts';
import { leaseOf, openProgress } from '../clusterInput.ts';
import { Failure } from '../failure.ts';
import { formatLength } from '../formatTime.ts';
import type { Io } from '../io.ts';
import { giveBack, type IsHeld, removeLease, withLease } from './releaseLease.ts';
import { type PoolRelease, planRelease, policySteps, type ReleasePlan, type ReleaseStep } from './releasePlan.ts';

interface ReleaseOptions {
  /** Only if the lease was not renewed for this long. */
  readonly ifStale?: Duration;
  readonly dryRun?: boolean;
  /** Even if a Lull leads. */
  readonly force?: boolean;
  /** The Deployment first: a running Lull would write its marks again. */
  readonly stop?: DeploymentName;
  /** Called once the steps are known; false = do nothing. Absent = yes. */
  readonly confirm?: (steps: readonly ReleaseStep[], pools: readonly PoolRelease[]) => Promise<boolean>;
}

export interface Released {
  /** What was done, or would be. */
  readonly steps: readonly ReleaseStep[];
  readonly lease?: FoundLease;
  /** Why nothing was done. */
  readonly left?: string;
  /** The pools that had parked nodes at the start. Those with `stays` are still parked. */
  readonly pools: readonly PoolRelease[];
}

export async function release(connection: Connection, options: ReleaseOptions, io: Io): Promise<Released> {
  const lease = await leaseOf(connection);
  const fresh = options.ifStale === undefined ? undefined : notStale(lease, options.ifStale, io);
  if (fresh !== undefined) return { steps: [], left: fresh, pools: [], ...(lease && { lease }) };
  const look = (): Promise<ReleasePlan> =>
    planRelease(connection, io, { now: io.now(), keepsUnlimited: options.ifStale !== undefined });
  const isStale = options.ifStale !== undefined;
  // A stale Lull may come back, so its policy stays. The next stale release releases nodes that the policy parks meanwhile.
  const policy = isStale ? [] : await policySteps(connection.client);
  const plan = await look();
  const { pools } = plan;
  // Without the lease the next stale release could not tell how long Lull has been gone.
  const leaseGoes = lease && !isStale ? [leaseStep(lease)] : [];
  const planned = [...policy, ...plan.traces, ...plan.own, ...leaseGoes];
  if (options.dryRun || (isStale && planned.length === 0)) return { steps: planned, pools, ...(lease && { lease }) };
  if (planned.length > 0 && !((await options.confirm?.(planned, pools)) ?? true))
    return { steps: [], left: 'nothing was changed', pools };
  if (options.stop) {
    await stopDeployment(connection.client, options.stop, io);
    const { stop: _, confirm: __, ...rest } = options;
    // It may have written until its end: plan again.
    return release(connection, rest, io);
  }
  const done: ReleaseStep[] = [];
  const work = (isHeld: IsHeld): Promise<void> => carryOut(connection, { policy, plan, look, done, isHeld, io });
  if (!lease || options.force) await work(() => true);
  else await withLease(connection, { lease, io }, work);
  if (lease && isStale) await giveBack(connection, lease);
  else if (lease) await endLease(connection, lease, options.force ?? false);
  return { steps: [...done, ...(options.force ? [] : leaseGoes)], pools, ...(lease && { lease }) };
}

/** Undefined = stale. Uses the renewal time in the lease: a day is long enough by any clock. */
function notStale(lease: FoundLease | undefined, ifStale: Duration, io: Io): string | undefined {
  if (!lease) return 'there is no lease whose age could be checked; without --if-stale everything is released';
  const age = lease.renewedAt === undefined ? undefined : between(lease.renewedAt, io.now());
  if (age === undefined || age >= ifStale) return undefined;
  return `the lease ${lease.namespace}/${lease.name} was renewed ${formatLength(asDuration(Math.max(0, age)))} ago${lease.holder === undefined ? '' : ` by ${lease.holder}`}: not stale`;
}

const leaseStep = ({ namespace, name }: FoundLease): ReleaseStep => ({
  kind: 'Lease',
  namespace,
  name,
  what: 'removed',
  call: { method: 'DELETE', path: '' },
});

/** With --force a Lull may still hold the lease: then it keeps it. */
async function endLease(connection: Connection, lease: FoundLease, force: boolean): Promise<void> {
  const holder = await removeLease(connection, lease);
  if (holder === undefined || force) return;
  throw new Failure([
    { message: `Everything was released, but ${holder} has acquired the lease meanwhile. Stop it and release again.` },
  ]);
}

interface ReleaseWork {
  readonly policy: readonly ReleaseStep[];
  readonly plan: ReleasePlan;
  readonly look: () => Promise<ReleasePlan>;
  readonly done: ReleaseStep[];
  readonly isHeld: IsHeld;
  readonly io: Io;
}

/** Objects that change meanwhile are planned again; marks that come back every time are written by a running Lull. */
const mostPasses = 5;
const betweenPasses = asDuration(second);
/** The API server refreshes its policies once a second: until then a deleted policy still changes new objects. */
const policyLag = asDuration(2 * second);

async function carryOut(connection: Connection, work: ReleaseWork): Promise<void> {
  const bucket = new TokenBucket(steadyClock, { perSecond: 50, burst: 100 });
  const progress = openProgress(work.io);
  const send = async (steps: readonly ReleaseStep[]): Promise<void> => {
    for (const [index, step] of steps.entries()) {
      progress.show(`releasing ${connection.context}: ${index} of ${steps.length}`);
      if (!work.isHeld()) throw lost(work);
      await bucket.take();
      if (await isCarriedOut(connection, step)) work.done.push(step);
    }
  };
  try {
    let { plan } = work;
    if (work.policy.length > 0) {
      await send(work.policy);
      await work.io.wait?.(policyLag);
      plan = await work.look();
    }
    for (let pass = 0; plan.traces.length > 0; pass++) {
      if (pass === mostPasses) throw comesBack(plan.traces);
      if (pass > 0) await work.io.wait?.(betweenPasses);
      await send(plan.traces);
      plan = await work.look();
    }
    await send(plan.own);
    const { traces, own } = await work.look();
    if (traces.length + own.length > 0) throw comesBack([...traces, ...own]);
  } finally {
    progress.clear();
  }
}

/** False = the object has changed or is gone, and is planned again. */
async function isCarriedOut({ client }: Connection, { call, kind, name }: ReleaseStep): Promise<boolean> {
  const reply = await client.request(call);
  if (isDone(reply)) return true;
  if (reply.kind === 'answer' && [404, 409, 422, 429].includes(reply.code)) return false;
  const why = `${kind}/${name} could not be released: ${sayReply(reply)}`;
  throw new Failure([{ message: `${why} What was released so far stays released; try again.` }]);
}

const lost = ({ done }: ReleaseWork): Failure =>
  new Failure([
    {
      message: `The lease was lost after ${done.length} requests: a Lull may have started. Stop it and release again.`,
    },
  ]);

const comesBack = ([first, ...rest]: readonly ReleaseStep[]): Failure => {
  const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
  const message = `${first?.kind}/${first?.name}${more} carries a mark of Lull again: a Lull is still running. Stop every Lull and release again.`;
  return new Failure([{ message }]);
};

export interface DeploymentName {
  readonly namespace: string;
  readonly name: string;
}

/** 90 s: three times the grace period of the pods. */
const tries = 90;
const lookEvery = asDuration(second);

/**
 * Returns when its pods are gone, or should be: a pod on a lost node never is, and then the lease shows whether it still leads. If
 * there is no such Deployment, there is nothing to stop.
 */
export async function stopDeployment(client: Client, { namespace, name }: DeploymentName, io: Io): Promise<void> {
  const reply = await client.request({
    method: 'PATCH',
    path: `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments/${encodeURIComponent(name)}/scale`,
    body: { spec: { replicas: 0 } },
    contentType: 'application/merge-patch+json',
  });
  if (isNotFound(reply)) return;
  if (!isDone(reply))
    throw new Failure([
      { object: `Deployment/${namespace}/${name}`, message: `It could not be stopped: ${sayReply(reply)}` },
    ]);
  const { selector } = mapIn(bodyOf(reply)?.status);
  if (typeof selector !== 'string' || selector === '') return;
  for (let attempt = 0; attempt < tries; attempt++) {
    const left = await countPods(client, namespace, selector);
    if (left === 0) break;
    io.progress?.(`waiting for ${left} of its pods to end`);
    await io.wait?.(lookEvery);
  }
  io.progress?.('');
}

/** Lists pods of all namespaces, which release may do anyway. */
async function countPods(client: Client, namespace: string, selector: string): Promise<number> {
  const reply = await client.request({ method: 'GET', path: '/api/v1/pods', query: { labelSelector: selector } });
  if (!isDone(reply)) throw new Failure([{ message: `Its pods cannot be listed: ${sayReply(reply)}` }]);
  return listIn(bodyOf(reply), 'items').filter(({ metadata }) => mapIn(metadata).namespace === namespace).length;
}
