// Checks that no command acts on a node that a user, a pod, a window, a gate or the breaker protects (A2, A5, D2, D3, E2, E8, G5, D6, O4):
// when it starts, and again before each step that cannot be undone.

import { parseDuration } from '../../time/duration.ts';
import type { Instant } from '../../time/instant.ts';
import { annotationsOf, instantOf } from '../kubeObject.ts';
import type { RawCommand } from '../ledgerRecord.ts';
import { userAnnotation } from './acts.ts';
import { closedBy, isOptedOut } from './compiledPolicies.ts';
import { gatesForbid } from './gateChecks.ts';
import {
  type CheckFinding,
  finding,
  ignoresBlockedPods,
  isForcedAnyway,
  type LedgerWrite,
  poolObject,
  type StartedNode,
  startedNodes,
  startsOf,
} from './ledgerWrite.ts';
import { isActive, isReschedulable } from './raw.ts';
import { approvalMissing, unitsOf, windowsForbid } from './startLimits.ts';

export function againstProtections(written: LedgerWrite): CheckFinding[] {
  const { settings, sight } = written;
  const looks = [...startsOf(written), ...secondLooks(written)].filter(
    (look) => !isForcedAnyway(look, settings, poolObject(look.host, sight)),
  );
  return looks.flatMap((look) => [
    ...nodeSays(look),
    ...podsSay(look, written),
    ...filledUp(look, written),
    ...windowsForbid(look, sight),
    ...gatesForbid(look, sight),
    ...approvalMissing(look, written),
    ...breakerSays(look, written),
  ]);
}

/** The steps that repeat the checks: the taint, the first eviction, the end of a node without evictions (G5). */
function secondLooks({ before, after, sight }: LedgerWrite): StartedNode[] {
  return [...after.commands.values()].flatMap((command) => {
    const was = before.commands.get(command.id);
    const at = was && irreversibleAt(was, command);
    // A node that another actor deleted is no longer Lull's responsibility.
    const isStanding = ({ host }: StartedNode): boolean =>
      host.claim !== undefined && !host.isLeaving && !host.isDeleting;
    return at === undefined ? [] : startedNodes(command, sight, at).filter(isStanding);
  });
}

function irreversibleAt(was: RawCommand, is: RawCommand): Instant | undefined {
  if (is.step === 'released') return undefined;
  if (was.evictedAt === undefined && is.evictedAt !== undefined) return is.evictedAt;
  const isFirstTaint = was.step === 'chosen' && is.step === 'tainted';
  const isEnd = was.step !== 'terminating' && is.step === 'terminating' && is.evictedAt === undefined;
  return isFirstTaint || isEnd ? is.stepAt : undefined;
}

/** Protections on the node itself (E2, A5). With Lull's own annotation, do-not-disrupt is Lull's (N2). */
function nodeSays({ host, reason, at }: StartedNode): CheckFinding[] {
  const annotations = annotationsOf(host.node);
  const text = userAnnotation(host.node);
  const lasts = text === undefined ? undefined : parseDuration(text);
  const created = instantOf(host.node.metadata.creationTimestamp) ?? 0;
  const isKept = text === 'true' || (lasts !== undefined && at < created + lasts);
  const isConsolidation = reason === 'Empty' || reason === 'Underutilized';
  const wrong: [boolean, string][] = [
    [isKept && reason !== 'Unhealthy', 'is annotated do-not-disrupt'],
    [annotations['lull.dev/hold'] !== undefined, 'is held'],
    [isConsolidation && annotations['karpenter.sh/do-not-consolidate'] === 'true', 'is not to be consolidated'],
    [reason === 'Unhealthy' && annotations['karpenter.sh/do-not-repair'] === 'true', 'is not to be repaired'],
  ];
  const held = wrong
    .filter(([is]) => is)
    .map(([, why]) => finding('E2', `${host.name} goes for ${reason}, but ${why}`));
  const isUnready = reason !== 'Unhealthy' && !host.isReady;
  return isUnready ? [...held, finding('A5', `${host.name} goes for ${reason}, but is not Ready`)] : held;
}

/** Protections by the node's pods (A2, E8, E11). */
function podsSay(look: StartedNode, { sight }: LedgerWrite): CheckFinding[] {
  const { host, reason, at } = look;
  if (ignoresBlockedPods(look)) return [];
  return sight
    .podsOn(host.name)
    .filter(isActive)
    .flatMap((pod) => {
      const what = `${host.name} goes for ${reason}, but pod ${pod.metadata.namespace}/${pod.metadata.name}`;
      if (isOptedOut(pod, reason, at)) return [finding('A2', `${what} has opted out`)];
      const schedule = reason === 'Unhealthy' ? undefined : closedBy(pod, at, sight);
      return schedule === undefined ? [] : [finding('E8', `${what} is held by ${schedule}`)];
    });
}

/** A node disrupted as Empty is still empty (A, G5). */
function filledUp({ host, reason }: StartedNode, { sight }: LedgerWrite): CheckFinding[] {
  if (reason !== 'Empty' || host.isDeleting) return [];
  const pods = sight.podsOn(host.name).filter(isReschedulable).length;
  return pods === 0 ? [] : [finding('G5', `${host.name} goes as Empty, with ${pods} pods on it`)];
}

/** The breaker: no repair while too many nodes of the pool are not Ready (A5). */
function breakerSays({ host, reason }: StartedNode, { sight, settings }: LedgerWrite): CheckFinding[] {
  if (reason !== 'Unhealthy') return [];
  const mine = sight.hosts().filter(({ pool, isCounted, isEnding }) => isCounted && !isEnding && pool === host.pool);
  const unready = mine.filter(({ isReady }) => !isReady).length;
  if (unready <= unitsOf(settings.repairBreaker, mine.length)) return [];
  return [
    finding('A5', `${host.name} is repaired, where ${unready} of ${mine.length} nodes of the pool are not Ready`),
  ];
}
