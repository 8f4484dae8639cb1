// When every rule of time permits a wish (E12), by the test's own reading: all rules laid out on half minutes, and walked.
import type { PlainPod, PlainWindow } from '../plain.ts';
import { driftOldAt, readBudgets } from './budgets.ts';
import { type Hours, isOpenOnHalf } from './clock.ts';
import { type Host, isActive, ofKind, type Seen } from './cluster.ts';
import { recoveredAt } from './gates.ts';
import { approvedUntil, isToBeApproved } from './people.ts';
import { means, ownHours, scheduleHours } from './pods.ts';
import { ratesOver } from './rates.ts';
import { isBadSelector, readDuration, readReason } from './reading.ts';
import { readWhen, seeWindows, type When, windowsOver } from './windows.ts';

export const half = 30_000;

/** Whether a rule permits at an instant on a whole or half minute. */
type Permits = (at: number) => boolean;

/** One wish of a host, and its time rules. */
export interface Laid {
  /** The instant by which all one-time conditions have ended. */
  readonly from: number;
  readonly rules: readonly Permits[];
}

export function layOut(host: Host, reason: string, seen: Seen): Laid {
  // A2: nothing holds an expiry with a deadline.
  if (reason === 'Expired' && seen.plain.settings.expiration === 'forceful') return { from: seen.now, rules: [] };
  const isWaived = ['Drifted', 'Expired'].includes(reason) && host.claim?.spec.terminationGracePeriod !== undefined;
  const pods = isWaived || (reason === 'Unhealthy' && isWaivedFor(host)) ? [] : host.pods.filter(isActive);
  return {
    from: Math.max(seen.now, ...floorsOf(host, reason, pods, seen)),
    rules: [
      ...windowRules(host, reason, seen),
      ...budgetRules(host, reason),
      ...rateRules(host, reason, seen),
      ...(reason === 'Unhealthy' ? [] : pods.flatMap((pod) => podRules(pod, seen))),
    ],
  };
}

const isWaivedFor = ({ claim }: Host): boolean => claim?.spec.terminationGracePeriod !== undefined;

/** The first of `slots` slots from `from` on at which all rules permit and keep permitting for the margin. */
export function walk({ from, rules }: Laid, margin: number, slots: number): number | undefined {
  const start = Math.ceil(from / half) * half;
  const marginSlots = Math.floor(margin / half);
  const all = new Uint8Array(slots).fill(1);
  for (const permits of rules) {
    // From the end: for how many slots it keeps permitting.
    let run = permits(start + (slots + marginSlots) * half) ? Infinity : 0;
    for (let slot = slots + marginSlots - 1; slot >= 0; slot--) {
      run = permits(start + slot * half) ? run + 1 : 0;
      // B8: it must still be open when the margin is over.
      if (slot < slots && run <= marginSlots) all[slot] = 0;
    }
  }
  const found = all.indexOf(1);
  return found < 0 ? undefined : start + found * half;
}

function windowRules(host: Host, reason: string, seen: Seen): Permits[] {
  const names = new Set(windowsOver(seeWindows(seen), host, reason).map(({ name }) => name));
  const mine = ofKind(seen.plain.objects, 'MaintenanceWindow').filter(({ metadata }) => names.has(metadata.name));
  const readable = mine.flatMap((window) => {
    const when = isMisunderstood(window) ? undefined : readWhen(window.spec);
    return when ? [{ window, when }] : [];
  });
  const closing = readable.filter(({ window: { spec }, when: { cap } }) => spec.mode !== 'Allow' && cap.number === 0);
  const [asks, blocks] = [true, false].map((is) =>
    closing.filter(({ window: { spec } }) => (spec.approval ?? false) === is),
  ) as [typeof closing, typeof closing];
  const allows = readable.filter(({ window: { spec } }) => spec.mode === 'Allow');
  const isInLife = ({ from, to }: When, at: number): boolean => at >= from && at < to;
  const isActiveAt = (when: When, at: number): boolean =>
    isInLife(when, at) && (when.hours.length === 0 || when.hours.some((hours) => isOpenOnHalf(hours, at)));
  const until = approvedUntil(host);
  const isLasting = ({ hours, from, to }: When): boolean => hours.length === 0 && to === Infinity && from <= seen.now;
  return [
    // Q2: an approval ends; without one a user must act, unless the window ends before.
    ...(isToBeApproved(host) && until > seen.now ? [(at: number): boolean => at < until] : []),
    ...asks
      .filter(({ when }) => until > seen.now || (hasClock(when) && !isLasting(when)))
      .map(
        ({ when }): Permits =>
          (at) =>
            at < until || !isActiveAt(when, at),
      ),
    ...blocks
      .filter(({ when }) => hasClock(when))
      .map(
        ({ when }): Permits =>
          (at) =>
            !isActiveAt(when, at),
      ),
    ...(allows.length === 0
      ? []
      : [
          (at: number): boolean =>
            allows.some(({ when }) => isActiveAt(when, at)) || !allows.some(({ when }) => isInLife(when, at)),
        ]),
  ];
}

const hasClock = ({ hours, from, to }: When): boolean =>
  hours.length > 0 || Number.isFinite(from) || Number.isFinite(to);

const knownActions = /^(Expiration|Consolidation|EmptyConsolidation|NonEmptyConsolidation|Drift|Rebalance|Repair)$/;

const isMisunderstood = ({ spec }: PlainWindow): boolean =>
  spec.actions?.some((action) => !knownActions.test(action)) ||
  (spec.selector !== undefined && isBadSelector(spec.selector));

function budgetRules(host: Host, reason: string): Permits[] {
  const budgets = (host.pool ? readBudgets(host.pool) : undefined) ?? [];
  return budgets.flatMap(({ count, reasons, hours, topologyKey }): Permits[] => {
    const binds = (topologyKey === undefined || reason === 'Drifted') && (reasons?.includes(reason) ?? true);
    return count.number === 0 && hours && binds ? [(at) => !isOpenOnHalf(hours, at)] : [];
  });
}

/** Rates that are used up now; a rate of zero is one of the budgets' rules. */
const rateRules = (host: Host, reason: string, seen: Seen): Permits[] =>
  ratesOver(host, reason, seen).flatMap(({ budget: { hours }, freeAt }): Permits[] =>
    freeAt === undefined || freeAt === seen.now
      ? []
      : [(at) => at >= freeAt || (hours ? !isOpenOnHalf(hours, at) : false)],
  );

function podRules(pod: PlainPod, seen: Seen): Permits[] {
  const annotations = pod.metadata.annotations ?? {};
  const allow = ownHours(annotations, 'schedule', 'schedule-duration');
  const block = ownHours(annotations, 'block-schedule', 'block-duration');
  const open = (hours: readonly Hours[], at: number): boolean => hours.some((one) => isOpenOnHalf(one, at));
  if (allow || block) {
    return [
      // A schedule that never opens has no instant.
      ...(allow && allow.length > 0 ? [(at: number): boolean => open(allow, at)] : []),
      ...(block ? [(at: number): boolean => !open(block, at)] : []),
    ];
  }
  return ofKind(seen.plain.objects, 'PodDisruptionSchedule').flatMap((schedule): Permits[] => {
    const hours = means(schedule, pod, seen) ? scheduleHours(schedule) : undefined;
    return hours ? [(at) => isOpenOnHalf(hours, at) !== (schedule.spec.mode === 'Block')] : [];
  });
}

/** Opt-outs that end, consolidateAfter, driftAfter, back-offs, gates that recover. */
function floorsOf(host: Host, reason: string, pods: readonly PlainPod[], seen: Seen): number[] {
  const backoffs = ofKind(seen.plain.objects, 'DisruptionLedger')[0]?.spec.backoffs ?? [];
  return [
    ...pods.map((pod) => optedOutUntil(pod, reason)),
    ...(reason === 'Unhealthy' ? [] : [nodeOptedOutUntil(host)]),
    ...(reason === 'Empty' || reason === 'Underutilized' ? [stableAt(host)] : []),
    ...(reason === 'Drifted' ? [driftOldAt(host, seen)] : []),
    recoveredAt(host, reason, seen),
    ...(reason === 'Empty' ? [] : backoffs.filter((it) => it.pool === host.poolName).map((it) => Date.parse(it.until))),
  ].filter((floor) => Number.isFinite(floor));
}

function optedOutUntil({ metadata: { annotations = {} }, status }: PlainPod, reason: string): number {
  const lasting = readDuration(annotations['karpenter.sh/do-not-disrupt'] ?? '');
  const names = annotations['karpenter.sh/do-not-disrupt-reasons']?.split(',').map(readReason).filter(Boolean) ?? [];
  const isEndless = annotations['karpenter.sh/do-not-evict'] === 'true';
  if (lasting === undefined || isEndless || (names.length > 0 && !names.includes(reason))) return -Infinity;
  return status.startTime ? Date.parse(status.startTime) + lasting : -Infinity;
}

function nodeOptedOutUntil({ node: { metadata } }: Host): number {
  const { annotations = {}, creationTimestamp = '' } = metadata;
  if (annotations['lull.dev/parked'] !== undefined) return -Infinity;
  return Date.parse(creationTimestamp) + (readDuration(annotations['karpenter.sh/do-not-disrupt'] ?? '') ?? -Infinity);
}

function stableAt({ claim, pool, node }: Host): number {
  const { disruption } = pool?.spec ?? {};
  // Karpenter's default, if there is a disruption section (A3).
  const quiet = readDuration(disruption ? (disruption.consolidateAfter ?? '15s') : '');
  if (quiet === undefined) return -Infinity;
  const initialized = claim?.status.conditions?.find(({ type, status }) => type === 'Initialized' && status === 'True');
  // Not before it is initialized, and that does not depend on time alone.
  if (claim && !initialized) return -Infinity;
  const created = Date.parse((claim ?? node).metadata.creationTimestamp ?? '');
  const since = initialized?.lastTransitionTime ? Date.parse(initialized.lastTransitionTime) : created;
  const event = claim?.status.lastPodEventTime;
  return Math.max(since, event ? Date.parse(event) : -Infinity) + quiet;
}
