// The input of the checks (a ledger write with its author's view, or the current objects) and their findings.

import type { Pool } from '../../cluster/model.ts';
import { matches } from '../../cluster/selector.ts';
import type { Settings } from '../../cluster/settings.ts';
import { parseDuration } from '../../time/duration.ts';
import type { Instant } from '../../time/instant.ts';
import { isTrue, taintsOf } from '../actors/rawObjects.ts';
import { instantOf, type KubeObject, textAt } from '../kubeObject.ts';
import type { LedgerRecord, RawCommand } from '../ledgerRecord.ts';
import type { Objects } from '../objects.ts';
import type { AuthorView } from './authorView.ts';
import { compiled } from './compiledPolicies.ts';
import { type Host, hostOf } from './raw.ts';
import type { TrackedCommands } from './trackedCommands.ts';

export interface InvariantViolation {
  readonly at: Instant;
  /** The violated clause: `C6`, `G2`. */
  readonly rule: string;
  readonly message: string;
}

/** A violation without its instant. */
export type CheckFinding = Omit<InvariantViolation, 'at'>;

export const finding = (rule: string, message: string): CheckFinding => ({ rule, message });

export interface LedgerWrite {
  readonly before: LedgerRecord;
  readonly after: LedgerRecord;
  readonly at: Instant;
  readonly sight: AuthorView;
  readonly settings: Settings;
}

/** A node of a started command, as its author saw it. */
export interface StartedNode {
  readonly command: RawCommand;
  readonly reason: string;
  readonly host: Host;
  readonly at: Instant;
}

const order = ['Interrupted', 'Unhealthy', 'Empty', 'Drifted', 'Expired', 'Rebalance', 'Underutilized'];

/** The nodes that this write starts to disrupt, in the order of the reasons (F1). */
export function startsOf({ before, after, sight }: LedgerWrite): StartedNode[] {
  const begun = [...after.commands.values()].filter(
    (command) => !before.commands.has(command.id) && !isRebuilt(command, sight),
  );
  begun.sort((a, b) => order.indexOf(a.reason) - order.indexOf(b.reason));
  return begun.flatMap((command) => startedNodes(command, sight, command.startedAt));
}

/** A command rebuilt from the cluster after the ledger was lost: it is undone or already in progress, so it starts nothing (G2). */
export const isRebuilt = ({ step, nodes }: RawCommand, sight: AuthorView): boolean =>
  step === 'released' ||
  step === 'withdrawn' ||
  step === 'taken' ||
  (step === 'terminating' && nodes.every(({ name }) => sight.host(name)?.isDeleting ?? true));

/** The nodes of a command that still exist. */
export function startedNodes(command: RawCommand, sight: AuthorView, at: Instant): StartedNode[] {
  return command.nodes.flatMap(({ name }) => {
    const host = sight.host(name);
    return host ? [{ command, reason: command.reason, host, at }] : [];
  });
}

/** No rule refuses it, but it counts against limits (A2, A4). */
export const isForced = (reason: string, { expiration }: Settings): boolean =>
  reason === 'Interrupted' || (reason === 'Expired' && expiration === 'forceful');

/** The node goes in any case, even if the command started for another reason. `object`: its pool. */
export const isForcedAnyway = (
  { reason, host, at }: StartedNode,
  settings: Settings,
  object: KubeObject | undefined,
): boolean =>
  isForced(reason, settings) ||
  isInterrupted(host) ||
  (settings.expiration === 'forceful' && mayExpireAt(host, object && compiled('NodePool', object)) <= at);

const interruptions = [
  'aws-node-termination-handler/spot-itn',
  'aws-node-termination-handler/scheduled-maintenance',
  'aws-node-termination-handler/asg-lifecycle-termination',
  'cloud.google.com/impending-node-termination',
];

export const isInterrupted = ({ node, claim }: Host): boolean =>
  isTrue(claim, 'Interrupted') || taintsOf(node).some(({ key }) => interruptions.includes(key));

/** The earliest expiry: at the pool's age, or after half of the claim's lifetime (N7). */
function mayExpireAt({ claim }: Host, pool: Pool | undefined): number {
  const own = parseDuration(textAt(claim?.spec, 'expireAfter') ?? '') ?? Number.POSITIVE_INFINITY;
  const early = pool?.expireEarlyAfter ?? 'Never';
  const lasts = Math.min(own / 2, early === 'Never' ? Number.POSITIVE_INFINITY : early);
  return (instantOf(claim?.metadata.creationTimestamp) ?? 0) + lasts;
}

/** Blocked pods do not hold it, because it has a deadline (A2). */
export const ignoresBlockedPods = ({ reason, host }: StartedNode): boolean =>
  ['Drifted', 'Expired', 'Unhealthy'].includes(reason) && host.claim?.spec?.terminationGracePeriod !== undefined;

/** The nodes of all commands in a ledger. */
export function nodesIn({ commands }: LedgerRecord): Set<string> {
  const names = new Set<string>();
  for (const { nodes } of commands.values()) for (const { name } of nodes) names.add(name);
  return names;
}

export function poolOf({ host }: StartedNode, { sight }: LedgerWrite): Pool | undefined {
  const object = poolObject(host, sight);
  return object && compiled('NodePool', object);
}

export const poolObject = ({ pool }: Host, sight: Pick<AuthorView, 'get'>): KubeObject | undefined =>
  pool === undefined ? undefined : sight.get('NodePool', pool);

export const isGoverned = (pool: Pool, { pools }: Settings): boolean => !pools || matches(pools, pool.labels);

/** When the author decided: the latest instant it recorded in the ledger. */
export function decidedAt({ before, after, at }: LedgerWrite): Instant {
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

export interface InvariantContext {
  readonly objects: Pick<Objects, 'get' | 'list' | 'podsOn'>;
  readonly commands: TrackedCommands;
  readonly settings: Settings;
}

/** The command is forced, or its node goes in any case: no rule refuses or delays it (A2). */
export function isForcedCommand(command: RawCommand, { objects, settings }: InvariantContext, at?: Instant): boolean {
  if (isForced(command.reason, settings)) return true;
  return command.nodes.some(({ name, claim }) => {
    const node = objects.get('Node', name);
    const host = node && hostOf(node, claim === undefined ? undefined : objects.get('NodeClaim', claim));
    if (!host) return false;
    const started = { command, reason: command.reason, host, at: at ?? command.stepAt };
    return isForcedAnyway(started, settings, poolObject(host, objects));
  });
}
