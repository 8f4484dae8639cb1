// Was anything done to a node that somebody protects: a person, a pod, a window, the breaker (A2, A5, D2, D3, E2, E8, G5, D6)?
// Asked when a command starts, and again before each step that cannot be undone.
import { parseDuration } from '../../time/duration.ts';
import type { Instant } from '../../time/instant.ts';
import { unitsOf } from './budgets.ts';
import type { RawCommand } from './ledgerRecord.ts';
import { wordOfUsers } from './parking.ts';
import { closedBy, isOptedOut } from './podRules.ts';
import { annotationsOf, instantOf, isActive, isReschedulable } from './raw.ts';
import { type Finding, finding } from './violation.ts';
import { windowsForbid } from './windows.ts';
import { isPressed, isWaived, poolObject, startsOf, type Taken, taken, type Written } from './written.ts';

export function againstProtections(written: Written): Finding[] {
  const { settings, sight } = written;
  const looks = [...startsOf(written), ...secondLooks(written)].filter(
    (look) => !isPressed(look, settings, poolObject(look.host, sight)),
  );
  return looks.flatMap((look) => [
    ...nodeSays(look),
    ...podsSay(look, written),
    ...filledUp(look, written),
    ...windowsForbid(look, sight),
    ...breakerSays(look, written),
  ]);
}

/** G5: the taint, the first eviction, the end of a node that nothing was evicted from. */
function secondLooks({ before, after, sight }: Written): Taken[] {
  return [...after.commands.values()].flatMap((command) => {
    const was = before.commands.get(command.id);
    const at = was && irreversibleAt(was, command);
    // Whoever deletes a node meanwhile has taken it out of Lull's hands.
    const isStanding = ({ host }: Taken): boolean => host.claim !== undefined && !host.isLeaving && !host.isDeleting;
    return at === undefined ? [] : taken(command, sight, at).filter(isStanding);
  });
}

function irreversibleAt(was: RawCommand, is: RawCommand): Instant | undefined {
  if (is.step === 'released') return undefined;
  if (was.evictedAt === undefined && is.evictedAt !== undefined) return is.evictedAt;
  const isFirstTaint = was.step === 'chosen' && is.step === 'tainted';
  const isEnd = was.step !== 'terminating' && is.step === 'terminating' && is.evictedAt === undefined;
  return isFirstTaint || isEnd ? is.stepAt : undefined;
}

/** E2, A5. Beside Lull's own mark, do-not-disrupt is Lull's own (N2). */
function nodeSays({ host, reason, at }: Taken): Finding[] {
  const annotations = annotationsOf(host.node);
  const text = wordOfUsers(host.node);
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

/** A2, E8, E11. */
function podsSay(look: Taken, { sight }: Written): Finding[] {
  const { host, reason, at } = look;
  if (isWaived(look)) return [];
  return sight
    .podsOn(host.name)
    .filter(isActive)
    .flatMap((pod) => {
      const what = `${host.name} goes for ${reason}, but pod ${pod.metadata.namespace}/${pod.metadata.name}`;
      if (isOptedOut(pod, reason, at)) return [finding('A2', `${what} is opted out`)];
      const schedule = reason === 'Unhealthy' ? undefined : closedBy(pod, at, sight);
      return schedule === undefined ? [] : [finding('E8', `${what} is held by ${schedule}`)];
    });
}

/** A, G5: what goes for being empty is empty, whenever it is looked at. */
function filledUp({ host, reason }: Taken, { sight }: Written): Finding[] {
  if (reason !== 'Empty' || host.isDeleting) return [];
  const pods = sight.podsOn(host.name).filter(isReschedulable).length;
  return pods === 0 ? [] : [finding('G5', `${host.name} goes for being empty, with ${pods} pods on it`)];
}

/** A5. */
function breakerSays({ host, reason }: Taken, { sight, settings }: Written): Finding[] {
  if (reason !== 'Unhealthy') return [];
  const mine = sight.hosts().filter(({ pool, isCounted }) => isCounted && pool === host.pool);
  const unready = mine.filter(({ isReady }) => !isReady).length;
  if (unready <= unitsOf(settings.repairBreaker, mine.length)) return [];
  return [
    finding('A5', `${host.name} is repaired, where ${unready} of ${mine.length} nodes of the pool are not Ready`),
  ];
}
