// Checks that nothing starts that a person, pod, schedule or window protects (A2, A5, D2, D3, E2, E8).
import type { Round } from '../../../src/engine/verdict.ts';
import { driftOldAt } from './budgets.ts';
import { type Host, isActive, isCounted, isEnding, isReady, type Seen, type Start, startsOf } from './cluster.ts';
import { gatesHolding } from './gates.ts';
import { approvedUntil, isToBeApproved } from './people.ts';
import { isOffHours, isOptedOut } from './pods.ts';
import { amountOf, readCount, readDuration } from './reading.ts';
import { type SeenWindow, seeWindows, windowsOver } from './windows.ts';

export function againstProtections(round: Round, seen: Seen): string[] {
  const windows = seeWindows(seen);
  const starts = startsOf(round, seen).filter(({ forced }) => !forced);
  return starts.flatMap((start) => {
    const said = [
      ...nodeSays(start, seen),
      ...podsSay(start, seen),
      ...windowsSay(windowsOver(windows, start.host, start.reason)),
      ...poolSays(start, seen),
      ...gatesHolding(start.host, start.reason, seen).map((name) => `O4: ${name} holds it`),
      ...approvalSays(start, windowsOver(windows, start.host, start.reason), seen),
    ];
    return said.map((why) => `${why} (${start.host.name} goes for ${start.reason})`);
  });
}

/** Protections on the node itself: opt-outs, a hold, and not being Ready (E2, A5). */
function nodeSays({ host, reason }: Start, { now }: Seen): string[] {
  const { annotations = {}, creationTimestamp = '' } = host.node.metadata;
  const text = annotations['lull.dev/parked'] === undefined ? annotations['karpenter.sh/do-not-disrupt'] : undefined;
  const until = Date.parse(creationTimestamp) + (readDuration(text ?? '') ?? 0);
  const isConsolidation = reason === 'Empty' || reason === 'Underutilized';
  const is = (key: string): boolean => annotations[key] === 'true';
  return [
    ...(reason !== 'Unhealthy' && (text === 'true' || until > now) ? ['E2: the node is opted out'] : []),
    ...(annotations['lull.dev/hold'] !== undefined ? ['E2: the node is held'] : []),
    ...(isConsolidation && is('karpenter.sh/do-not-consolidate') ? ['E2: the node is not to be consolidated'] : []),
    ...(reason === 'Unhealthy' && is('karpenter.sh/do-not-repair') ? ['E2: the node is not to be repaired'] : []),
    ...(reason !== 'Unhealthy' && !isReady(host) ? ['A5: the node is not Ready'] : []),
  ];
}

/** Opt-outs and schedules of the pods on the node (A2, E8). */
function podsSay({ host, reason, podsWaived }: Start, seen: Seen): string[] {
  if (podsWaived) return [];
  return host.pods.filter(isActive).flatMap((pod) => {
    const { name } = pod.metadata;
    if (isOptedOut(pod, reason, seen.now)) return [`A2: pod ${name} is opted out`];
    return reason !== 'Unhealthy' && isOffHours(pod, seen) ? [`E8: pod ${name} may not be moved now`] : [];
  });
}

/** Windows that block, and Allow windows if none of them is open (D2, D3, D7). */
function windowsSay(mine: readonly SeenWindow[]): string[] {
  const blocks = mine.filter(({ state }) => state === 'blocks').map(({ name }) => `D2: ${name} forbids it`);
  const isPermitted = mine.some(({ state }) => state === 'permits');
  const closed = mine.filter(({ state }) => state === 'closed').map(({ name }) => `D3: ${name} is not open`);
  return isPermitted ? blocks : [...blocks, ...closed];
}

/** A pool or a window requires approval, and there is none (Q2). */
function approvalSays({ host }: Start, mine: readonly SeenWindow[], { now }: Seen): string[] {
  const isAsked = isToBeApproved(host) || mine.some(({ state }) => state === 'asks');
  return isAsked && approvedUntil(host) <= now ? ['Q2: it is not approved'] : [];
}

/** Drift that is too recent (P7), and the repair breaker: too many nodes of the pool are not Ready (A5). */
function poolSays({ host, reason }: Start, seen: Seen): string[] {
  if (reason === 'Drifted' && driftOldAt(host, seen) > seen.now) return ['P7: it has not been drifted for long enough'];
  if (reason !== 'Unhealthy') return [];
  const { hosts, plain } = seen;
  const mine = [...hosts.values()].filter(
    (it: Host) => it.poolName === host.poolName && isCounted(it, { plain }) && !isEnding(it),
  );
  const unready = mine.filter((it) => !isReady(it)).length;
  const breaker = readCount(plain.settings.repairBreaker ?? '20%');
  return breaker && unready > amountOf(breaker, mine.length) ? ['A5: too many nodes of the pool are not Ready'] : [];
}
