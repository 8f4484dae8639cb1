// How is a cluster released (N10)? Trace by trace, looked for again until there is none; then the ledger and the lease.
import type { Connection } from '../kube/connection.ts';
import type { FoundLease } from '../kube/findLease.ts';
import { steadyClock } from '../kube/machine.ts';
import { sayReply } from '../kube/status.ts';
import { TokenBucket } from '../kube/tokenBucket.ts';
import { asDuration, between, type Duration, second } from '../time/instant.ts';
import { leaseOf, openProgress } from './clusterInput.ts';
import { Failure } from './failure.ts';
import type { Io } from './io.ts';
import { sayLength } from './moment.ts';
import { giveBack, type IsHeld, removeLease, withLease } from './releaseLease.ts';
import { type PoolRelease, planRelease, type ReleasePlan, type ReleaseStep } from './releasePlan.ts';
import { policySteps } from './releasePolicy.ts';
import { type Stopped, stopDeployment } from './releaseStop.ts';

export interface ReleaseOptions {
  /** Only where the lease was not renewed for this long. */
  readonly ifStale?: Duration;
  readonly dryRun?: boolean;
  /** Even where a Lull leads. */
  readonly force?: boolean;
  /** Ended first: what runs would write again what is taken off. */
  readonly stop?: Stopped;
  /** Asked once it is known what is to be done; false = nothing is. Absent = yes. */
  readonly confirm?: (steps: readonly ReleaseStep[], pools: readonly PoolRelease[]) => Promise<boolean>;
}

export interface Released {
  /** What was done, or would be. */
  readonly steps: readonly ReleaseStep[];
  readonly lease?: FoundLease;
  /** Nothing was done, and why. */
  readonly left?: string;
  /** The pools that had parked nodes as it began. Those that stay are parked still. */
  readonly pools: readonly PoolRelease[];
}

export async function release(connection: Connection, options: ReleaseOptions, io: Io): Promise<Released> {
  const lease = await leaseOf(connection);
  const fresh = options.ifStale === undefined ? undefined : notStale(lease, options.ifStale, io);
  if (fresh !== undefined) return { steps: [], left: fresh, pools: [], ...(lease && { lease }) };
  const look = (): Promise<ReleasePlan> =>
    planRelease(connection, io, { now: io.now(), keepsUnlimited: options.ifStale !== undefined });
  const isStale = options.ifStale !== undefined;
  // A stale Lull may come back, so its policy stays. What is born parked meanwhile the next stale release frees.
  const policy = isStale ? [] : await policySteps(connection.client);
  const plan = await look();
  const { pools } = plan;
  // Without the lease the next stale release could not tell how long Lull has been away.
  const leaseGoes = lease && !isStale ? [leaseStep(lease)] : [];
  const planned = [...policy, ...plan.traces, ...plan.own, ...leaseGoes];
  if (options.dryRun || (isStale && planned.length === 0)) return { steps: planned, pools, ...(lease && { lease }) };
  if (planned.length > 0 && !((await options.confirm?.(planned, pools)) ?? true))
    return { steps: [], left: 'nothing was changed', pools };
  if (options.stop) {
    await stopDeployment(connection.client, options.stop, io);
    const { stop: _, confirm: __, ...rest } = options;
    // It may have written until its end: all is looked at again.
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

/** Absent = it is stale. Its own time of renewal counts here: what is a day old is old by any clock. */
function notStale(lease: FoundLease | undefined, ifStale: Duration, io: Io): string | undefined {
  if (!lease) return 'there is no lease that could be old; without --if-stale all is released';
  const age = lease.renewedAt === undefined ? undefined : between(lease.renewedAt, io.now());
  if (age === undefined || age >= ifStale) return undefined;
  return `the lease ${lease.namespace}/${lease.name} was renewed ${sayLength(asDuration(Math.max(0, age)))} ago${lease.holder === undefined ? '' : ` by ${lease.holder}`}, which is not stale`;
}

const leaseStep = ({ namespace, name }: FoundLease): ReleaseStep => ({
  kind: 'Lease',
  namespace,
  name,
  what: 'removed',
  call: { method: 'DELETE', path: '' },
});

/** With --force a Lull may hold it still: then it stays with it. */
async function endLease(connection: Connection, lease: FoundLease, force: boolean): Promise<void> {
  const holder = await removeLease(connection, lease);
  if (holder === undefined || force) return;
  throw new Failure([
    { message: `All was released, but ${holder} has taken the lease meanwhile. Stop it, and release again.` },
  ]);
}

interface Work {
  readonly policy: readonly ReleaseStep[];
  readonly plan: ReleasePlan;
  readonly look: () => Promise<ReleasePlan>;
  readonly done: ReleaseStep[];
  readonly isHeld: IsHeld;
  readonly io: Io;
}

/** What changes under our hands is looked at again; what comes back each time is written by somebody. */
const mostPasses = 5;
const betweenPasses = asDuration(second);
/** The API server looks at its policies once a second: until then one that is deleted still changes what is created. */
const policyLag = asDuration(2 * second);

async function carryOut(connection: Connection, work: Work): Promise<void> {
  const bucket = new TokenBucket(steadyClock, { perSecond: 50, burst: 100 });
  const progress = openProgress(work.io);
  const send = async (steps: readonly ReleaseStep[]): Promise<void> => {
    for (const [index, step] of steps.entries()) {
      progress.show(`releasing ${connection.context}: ${index} of ${steps.length}`);
      if (!work.isHeld()) throw lost(work);
      await bucket.take();
      if (await isDone(connection, step)) work.done.push(step);
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

/** False = it has changed or gone meanwhile, and is looked at again. */
async function isDone({ client }: Connection, { call, kind, name }: ReleaseStep): Promise<boolean> {
  const reply = await client.request(call);
  if (reply.kind === 'answer' && reply.code < 300) return true;
  if (reply.kind === 'answer' && [404, 409, 422, 429].includes(reply.code)) return false;
  const why = sayReply(reply);
  throw new Failure([
    { message: `${kind}/${name} could not be released: ${why} What was done so far stays done; try again.` },
  ]);
}

const lost = ({ done }: Work): Failure =>
  new Failure([
    {
      message: `The lease was lost after ${done.length} requests: a Lull may have started. Stop it, and release again.`,
    },
  ]);

const comesBack = ([first, ...rest]: readonly ReleaseStep[]): Failure => {
  const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
  const message = `${first?.kind}/${first?.name}${more} has a trace of Lull again: somebody still writes there. Stop every Lull, and release again.`;
  return new Failure([{ message }]);
};
