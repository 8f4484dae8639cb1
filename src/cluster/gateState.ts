// Whether a HealthGate holds nodes at an instant, by its last result alone, and the status after a check (O3, O4).
import { after, asDuration, before, type Duration, earliest, type Instant } from '../time/instant.ts';
import { defined } from './defined.ts';
import type { CheckResult, GateStatus, Health, HealthGate, ManualCheck } from './healthGateRecord.ts';

/** A gate at an instant. */
export interface GateState {
  readonly state: 'open' | 'closed' | 'recovering' | 'unknown';
  /** Whether it refuses. An unknown gate with onUnknown Ignore does not, unless it was closed when it became unknown. */
  readonly holds: boolean;
  readonly message: string;
  /** Since when the check has had this result. */
  readonly since?: Instant;
  /** While recovering: when it opens if its check stays healthy. */
  readonly opensAt?: Instant;
  /** The first instant at which time alone changes the state. */
  readonly changesAt?: Instant;
}

/** A status older than this number of intervals is Unknown (O3). */
const staleIntervals = 3;

export const staleAfter = ({ interval }: Pick<HealthGate, 'interval'>): Duration =>
  asDuration(staleIntervals * interval);

export function gateStateAt(gate: HealthGate, now: Instant): GateState {
  const { fault, status, check, onUnknown } = gate;
  if (fault || !check) return { state: 'unknown', holds: true, message: `${fault?.path}: ${fault?.message}` };
  if (check.type === 'manual') return manualState(gate, check, now);
  if (!status) return { state: 'unknown', holds: onUnknown === 'Hold', message: 'it has not been checked yet' };
  const staleAt = after(status.checkedAt, staleAfter(gate));
  // A time far in the future is not from a clock like ours, and would not become old.
  const trustedFrom = before(status.checkedAt, staleAfter(gate));
  if (now < trustedFrom)
    return { state: 'unknown', holds: true, message: 'its last check is in the future', changesAt: trustedFrom };
  if (now < staleAt) return until(staleAt, knownState(gate, status, now));
  const message = 'it has not been checked for three intervals';
  return { state: 'unknown', holds: onUnknown === 'Hold' || knownState(gate, status, staleAt).holds, message };
}

const until = (at: Instant, known: GateState): GateState => ({
  ...known,
  changesAt: earliest(known.changesAt, at) ?? at,
});

/** The state by the status alone, as if it were never too old. */
function knownState(gate: HealthGate, status: GateStatus, now: Instant): GateState {
  const { health, since, message } = status;
  if (health === 'Unknown')
    return { state: 'unknown', holds: gate.onUnknown === 'Hold' || status.closedSince !== undefined, message, since };
  if (health === 'Healthy') return healthyState(gate, status, now);
  const closesAt = after(since, gate.failAfter);
  if (status.closedSince !== undefined || now >= closesAt) return { state: 'closed', holds: true, message, since };
  return { state: 'open', holds: false, message, since, changesAt: closesAt };
}

function healthyState(
  { recoverAfter }: HealthGate,
  { since, message, closedSince }: GateStatus,
  now: Instant,
): GateState {
  const opensAt = after(since, recoverAfter);
  if (closedSince === undefined || now >= opensAt) return { state: 'open', holds: false, message, since };
  return { state: 'recovering', holds: true, message, since, opensAt, changesAt: opensAt };
}

/** A manual gate is what its spec says: it closes at once, needs no check, and its status only tells since when. */
function manualState(gate: HealthGate, check: ManualCheck, now: Instant): GateState {
  const { status } = gate;
  const message = check.message ?? (check.healthy ? 'switched to healthy' : 'switched to unhealthy');
  const isSeen = status?.health === (check.healthy ? 'Healthy' : 'Unhealthy');
  const since = isSeen ? status.since : undefined;
  if (!check.healthy) return defined<GateState>({ state: 'closed', holds: true, message, since, ...unchanging });
  if (!status) return { state: 'open', holds: false, message };
  // Until the leader has seen the switch, it is not known when the recovery began.
  if (!isSeen) return { state: 'recovering', holds: true, message };
  return { ...healthyState(gate, status, now), message };
}

const unchanging = { opensAt: undefined, changesAt: undefined };

/** Since when the gate has been closed at an instant by its status; undefined = it was open. */
function closedBefore(gate: HealthGate, { health, since, closedSince }: GateStatus, now: Instant): Instant | undefined {
  if (health === 'Unhealthy') return closedSince ?? (now >= closesAt(gate, since) ? closesAt(gate, since) : undefined);
  return health === 'Healthy' && now >= after(since, gate.recoverAfter) ? undefined : closedSince;
}

/** Without failAfter for a manual gate: a person does not flap. */
const closesAt = ({ check, failAfter }: HealthGate, since: Instant): Instant =>
  check?.type === 'manual' ? since : after(since, failAfter);

/** The status after a check at an instant. */
export function nextStatus(gate: HealthGate, { health, message }: CheckResult, now: Instant): GateStatus {
  const { status } = gate;
  const since = status && continues(gate, status, { health, now }) ? status.since : now;
  // A recovery does not end while nothing is checked.
  const closed = status && closedBefore(gate, status, gate.check?.type === 'manual' ? now : asOf(gate, status, now));
  const isOver = health === 'Healthy' && now >= after(since, gate.recoverAfter);
  const closedSince =
    closed ?? (health === 'Unhealthy' && now >= closesAt(gate, since) ? closesAt(gate, since) : undefined);
  return defined<GateStatus>({ health, message, since, checkedAt: now, closedSince: isOver ? undefined : closedSince });
}

/** The instant, or the end of what the status tells. */
function asOf(gate: HealthGate, { checkedAt }: GateStatus, now: Instant): Instant {
  const staleAt = after(checkedAt, staleAfter(gate));
  return now < staleAt ? now : staleAt;
}

/** Whether the result is the same as before. A healthy one does not count through a gap in which nothing was checked. */
const continues = (
  gate: HealthGate,
  status: GateStatus,
  { health, now }: { readonly health: Health; readonly now: Instant },
): boolean =>
  status.health === health &&
  (health !== 'Healthy' || gate.check?.type === 'manual' || now < after(status.checkedAt, staleAfter(gate)));
