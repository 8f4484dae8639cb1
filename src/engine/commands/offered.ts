// offered: Karpenter may take the node now; what it does not take in time, or may not any more, is withdrawn (G1, N3, N4).
import type { Command } from '../../cluster/ledger.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, asDuration, before, type Duration, second } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { canBeNudged, isToBeNudged, needsNudge, nudge } from './nudge.ts';
import { objectionToOffer } from './offerObjection.ts';
import { isMarked, unpark } from './parking.ts';
import { isGone, isTaken, placesOf } from './place.ts';
import { unguardedPods } from './podParking.ts';
import { move, type StepRule, withdraw } from './step.ts';

export const offered: StepRule = (command, context) => {
  const { situation } = context;
  const { cluster, now, settings } = situation;
  const places = placesOf(command, cluster);
  if (places.every(isGone)) return { over: 'gone' };
  if (places.some(isTaken)) return { next: move(command, 'taken', now) };
  const against = objectionToOffer(command, context);
  if (against !== undefined) return { next: withdraw(command, against, now) };
  const declined = places.map(({ name }) => name);
  const judgedAt = after(command.stepAt, judgingTime);
  const judged = command.reason === 'Underutilized' ? wordsOfKarpenter(command, cluster) : undefined;
  if (judged !== undefined && now >= judgedAt)
    return { next: withdraw(command, `Karpenter has judged it, and says: ${judged}`, now), declined };
  const until = after(command.stepAt, offerTime(command, settings));
  if (now >= until) return { next: withdraw(command, whyNotTaken(command, situation), now), declined };
  return { command, actions: offerings(command, situation), wakeAt: judged === undefined ? until : judgedAt };
};

/** Karpenter looks every 10 s, at nodes together before each by itself, and waits 15 s before it begins. */
const judgingTime = asDuration(30 * second);

/** N3. */
const offerTime = ({ reason }: Command, settings: Settings): Duration =>
  reason === 'Underutilized' ? settings.offerTimeoutUnderutilized : settings.offerTimeout;

/** What is still to be done for Karpenter to see the offer. N5: not before every pod is safe that must not be moved now. */
export function offerings(command: Command, { cluster, now }: Situation): readonly Action[] {
  return placesOf(command, cluster).flatMap(({ view, claim }) => {
    if (!view || unguardedPods(view, command.reason, now).length > 0) return [];
    return [
      ...(claim && isToBeNudged(claim, command.reason) ? [nudge(claim, command.id)] : []),
      ...(isMarked(view.node) ? [unpark(view.node, command.id)] : []),
    ];
  });
}

/** N3: what Karpenter itself says of it, else what the facts say. */
function whyNotTaken(command: Command, { cluster, settings }: Situation): string {
  const late = `Karpenter did not take it within ${formatDuration(offerTime(command, settings))}`;
  const words = wordsOfKarpenter(command, cluster);
  if (words !== undefined) return `${late}; it says: ${words}`;
  const mute = placesOf(command, cluster).find(({ claim }) => claim && !canBeNudged(claim));
  if (mute && needsNudge(command.reason))
    return `${late}: its claim has no hash, so that it cannot be made to seem drifted`;
  // [b!] One claim that cannot be launched stops all that Karpenter does.
  for (const { name, providerId, conditions } of cluster.claims)
    if (providerId === undefined && conditions.Launched?.status !== 'True')
      return `${late}: it does nothing while NodeClaim ${name} is not launched`;
  return late;
}

/** Of a node that is to be consolidated it may say why that is not worth it; of every other it says so, too, and means nothing by it. */
function wordsOfKarpenter({ nodes, reason, stepAt }: Command, cluster: Cluster): string | undefined {
  const isConsolidated = reason === 'Empty' || reason === 'Underutilized';
  const subjects = isConsolidated ? (['everything', 'consolidation'] as const) : (['everything'] as const);
  const events = nodes.flatMap(({ name }) => subjects.flatMap((about) => cluster.eventOn(name, about) ?? []));
  // Events are stamped to the second. What was said before the offer was said of a parked node.
  return events.filter(({ at }) => at > before(stepAt, second)).sort((a, b) => b.at - a.at)[0]?.message;
}
