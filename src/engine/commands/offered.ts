// offered: Karpenter may take the node now; what it does not take in time, or may not any more, is withdrawn (G1, N3, N4).
import type { Command } from '../../cluster/ledger.ts';
import { isActive } from '../../cluster/pod.ts';
import type { Settings } from '../../cluster/settings.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, type Duration } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { canBeNudged, isNudged, needsNudge, nudge } from './nudge.ts';
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
  const until = after(command.stepAt, offerTime(command, settings));
  if (now >= until)
    return { next: withdraw(command, whyNotTaken(command, situation), now), declined: places.map(({ name }) => name) };
  return { command, actions: offerings(command, situation), wakeAt: until };
};

/** N3. */
const offerTime = ({ reason }: Command, settings: Settings): Duration =>
  reason === 'Underutilized' ? settings.offerTimeoutUnderutilized : settings.offerTimeout;

/** What is still to be done for Karpenter to see the offer. N5: not before every pod is safe that must not be moved now. */
export function offerings(command: Command, { cluster, now }: Situation): readonly Action[] {
  return placesOf(command, cluster).flatMap(({ view, claim }) => {
    if (!view || unguardedPods(view, command.reason, now).length > 0) return [];
    const nudges = claim && needsNudge(command.reason) && !isNudged(claim) && canBeNudged(claim);
    return [
      ...(nudges ? [nudge(claim, command.id)] : []),
      ...(isMarked(view.node) ? [unpark(view.node, command.id)] : []),
    ];
  });
}

/** What the facts say of it. Karpenter's own events would say more: whoever reads them adds it here. */
function whyNotTaken(command: Command, { cluster, settings }: Situation): string {
  const late = `Karpenter did not take it within ${formatDuration(offerTime(command, settings))}`;
  const mute = placesOf(command, cluster).find(({ claim }) => claim && !canBeNudged(claim));
  if (mute && needsNudge(command.reason))
    return `${late}: its claim has no hash, so that it cannot be made to seem drifted`;
  const kept = placesOf(command, cluster)
    .flatMap(({ view }) => view?.timed ?? [])
    .find(({ pod }) => pod.rules?.optOut?.reasons && isActive(pod));
  // E3 is Lull's alone.
  if (kept) return `${late}: it reads do-not-disrupt on pod ${kept.pod.namespace}/${kept.pod.name} for every reason`;
  // [b!] One claim that cannot be launched stops all that Karpenter does.
  for (const { name, providerId, conditions } of cluster.claims)
    if (providerId === undefined && conditions.Launched?.status !== 'True')
      return `${late}: it does nothing while NodeClaim ${name} is not launched`;
  return late;
}
