// taken: Karpenter has it, and nothing stops that any more [l]; over when node and claim are gone, undone if it gives up (N3).
import type { Claim } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { isEvictable } from '../../cluster/pod.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { podOptedOut, podScheduleRefusals } from '../gates/podRules.ts';
import type { Refusal } from '../refusal.ts';
import { isGone, isTaken, placesOf } from './place.ts';
import { type StepRule, withdraw } from './step.ts';

export const taken: StepRule = (command, { situation }) => {
  const { cluster, now } = situation;
  const places = placesOf(command, cluster);
  if (places.every(isGone)) return { over: 'gone' };
  // F4: it rolls back where its replacements do not come.
  if (!places.some(isTaken))
    return { next: withdraw(command, 'Karpenter gave it up again', now), failed: [command.pool] };
  const isDraining = ({ claim }: { claim?: Claim }): boolean => claim?.deletingSince !== undefined;
  return {
    command,
    actions: [],
    deadline: places.map(({ claim }) => claim?.terminateAt).reduce<Instant | undefined>(earliest, undefined),
    waitingFor: places.filter(isDraining).flatMap(({ view }) => (view ? holders(view, now) : [])),
  };
};

function holders({ timed }: NodeView, now: Instant): readonly Refusal[] {
  return timed
    .filter(({ pod }) => isEvictable(pod))
    .flatMap((it) => podOptedOut(it.pod, 'Drifted', now) ?? podScheduleRefusals(it, now));
}
