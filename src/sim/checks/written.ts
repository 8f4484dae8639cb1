// What has changed in the ledger, who changed it, and what did they know? What every rule about starts is asked with.
import type { Pool } from '../../cluster/model.ts';
import { matches } from '../../cluster/selector.ts';
import type { Settings } from '../../cluster/settings.ts';
import { parseDuration } from '../../time/duration.ts';
import type { Instant } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';
import type { Host } from './host.ts';
import type { LedgerRecord, RawCommand } from './ledgerRecord.ts';
import { compiled } from './policy.ts';
import { instantOf, isTrue, taintsOf, textAt } from './raw.ts';
import type { Sight } from './sight.ts';

export interface Written {
  readonly before: LedgerRecord;
  readonly after: LedgerRecord;
  readonly at: Instant;
  readonly sight: Sight;
  readonly settings: Settings;
}

/** A node that a command takes, as its author saw it. */
export interface Taken {
  readonly command: RawCommand;
  readonly reason: string;
  readonly host: Host;
  readonly at: Instant;
}

const order = ['Interrupted', 'Unhealthy', 'Empty', 'Drifted', 'Expired', 'Rebalance', 'Underutilized'];

/** What this ledger starts, in the order in which reasons are tried (F1). */
export function startsOf({ before, after, sight }: Written): Taken[] {
  const begun = [...after.commands.values()].filter(
    (command) => !before.commands.has(command.id) && !isFoundAgain(command, sight),
  );
  begun.sort((a, b) => order.indexOf(a.reason) - order.indexOf(b.reason));
  return begun.flatMap((command) => taken(command, sight, command.startedAt));
}

/** G2: what is in the cluster and not in the ledger is put into it again, to be undone, or where it leaves already. That starts nothing. */
export const isFoundAgain = ({ step, nodes }: RawCommand, sight: Sight): boolean =>
  step === 'released' ||
  step === 'withdrawn' ||
  step === 'taken' ||
  (step === 'terminating' && nodes.every(({ name }) => sight.host(name)?.isDeleting ?? true));

/** The nodes of a command that are still there. */
export function taken(command: RawCommand, sight: Sight, at: Instant): Taken[] {
  return command.nodes.flatMap(({ name }) => {
    const host = sight.host(name);
    return host ? [{ command, reason: command.reason, host, at }] : [];
  });
}

/** A2, A4: nothing refuses it, but it is counted. */
export const isForced = (reason: string, { expiration }: Settings): boolean =>
  reason === 'Interrupted' || (reason === 'Expired' && expiration === 'forceful');

/** The cloud takes the node anyway, though the command may have begun for another reason. `object`: its pool. */
export const isPressed = ({ reason, host, at }: Taken, settings: Settings, object: KubeObject | undefined): boolean =>
  isForced(reason, settings) ||
  isInterrupted(host) ||
  (settings.expiration === 'forceful' && mayExpireAt(host, object && compiled('NodePool', object)) <= at);

const interruptions = [
  'aws-node-termination-handler/spot-itn',
  'aws-node-termination-handler/scheduled-maintenance',
  'aws-node-termination-handler/asg-lifecycle-termination',
  'cloud.google.com/impending-node-termination',
];

const isInterrupted = ({ node, claim }: Host): boolean =>
  isTrue(claim, 'Interrupted') || taintsOf(node).some(({ key }) => interruptions.includes(key));

/** N7: the earliest that expiry can begin: where the pool says so, or after half of the claim's own lifetime. */
function mayExpireAt({ claim }: Host, pool: Pool | undefined): number {
  const own = parseDuration(textAt(claim?.spec, 'expireAfter') ?? '') ?? Number.POSITIVE_INFINITY;
  const early = pool?.expireEarlyAfter ?? 'Never';
  const lasts = Math.min(own / 2, early === 'Never' ? Number.POSITIVE_INFINITY : early);
  return (instantOf(claim?.metadata.creationTimestamp) ?? 0) + lasts;
}

/** A2: blocked pods do not hold it, since a deadline stands behind it. */
export const isWaived = ({ reason, host }: Taken): boolean =>
  ['Drifted', 'Expired', 'Unhealthy'].includes(reason) && host.claim?.spec?.terminationGracePeriod !== undefined;

/** The nodes of the commands of a ledger. */
export function nodesIn({ commands }: LedgerRecord): Set<string> {
  const names = new Set<string>();
  for (const { nodes } of commands.values()) for (const { name } of nodes) names.add(name);
  return names;
}

export function poolOf({ host }: Taken, { sight }: Written): Pool | undefined {
  const object = poolObject(host, sight);
  return object && compiled('NodePool', object);
}

export const poolObject = ({ pool }: Host, sight: Pick<Sight, 'get'>): KubeObject | undefined =>
  pool === undefined ? undefined : sight.get('NodePool', pool);

export const isGoverned = (pool: Pool, { pools }: Settings): boolean => !pools || matches(pools, pool.labels);

/** When its author decided: it left a mark of that instant wherever something moved on. */
export function decidedAt({ before, after, at }: Written): Instant {
  let last: Instant | undefined;
  const note = (instant: Instant): void => {
    if (instant <= at && (last === undefined || instant > last)) last = instant;
  };
  for (const [id, { startedAt, stepAt }] of after.commands) {
    if (!before.commands.has(id)) note(startedAt);
    if (before.commands.get(id)?.stepAt !== stepAt) note(stepAt);
  }
  for (const turn of after.turns) if (!before.turns.some(({ takenAt }) => takenAt === turn.takenAt)) note(turn.takenAt);
  return last ?? at;
}
