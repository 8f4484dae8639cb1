// When do the pods of a node agree to move (E12), and when does that change?
// Remembered with the view: as long as it is the same view, and no pod's window opens or closes, the answer is the same.
import { openSlot } from '../cluster/memory.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import { after, asDuration, day, earliest, type Instant } from '../time/instant.ts';
import { type MovableTogether, movableHours, movableTogetherAt, together } from './gates/podRules.ts';

interface PodTimes {
  readonly asked: Instant;
  /** The next instant at which time alone changes what a pod of this node may. */
  readonly nextChange: Instant | undefined;
}

const remembered = openSlot<PodTimes>();

/** A change is looked for 400 days ahead: that there is none is believed for less than that. */
const trust = asDuration(300 * day);

/** Whether what was said at `asked` holds at `now`, where it next changes at `until`; undefined = no change is known. */
export const isStillSo = (asked: Instant, until: Instant | undefined, now: Instant): boolean =>
  asked <= now && now < (until ?? after(asked, trust));

function timesOf(view: NodeView, now: Instant): PodTimes {
  const known = remembered.recall(view);
  if (known && isStillSo(known.asked, known.nextChange, now)) return known;
  return remembered.keep(view, { asked: now, nextChange: findNextChange(view, now) });
}

export const nextPodChange = (view: NodeView, now: Instant): Instant | undefined =>
  view.timed.length === 0 ? undefined : timesOf(view, now).nextChange;

/** Asked from one instant, found at another: the answer for every instant between them. */
interface Agreed {
  readonly hours: MovableTogether;
  readonly from?: Instant;
  readonly found?: Instant;
}

const agreed = openSlot<Map<Reason, Agreed>>();

/** E12: the earliest instant at which all pods of a node may move together; undefined = never, or not worked out. */
export function podsAgreeAt(view: NodeView, reason: Reason, now: Instant): Instant | undefined {
  const known = agreed.recall(view) ?? agreed.keep(view, new Map<Reason, Agreed>());
  const earlier = known.get(reason);
  if (earlier?.from !== undefined && earlier.found !== undefined && earlier.from <= now && now <= earlier.found)
    return earlier.found;
  const hours = earlier?.hours ?? together(view.timed.map((pod) => movableHours(pod, reason)));
  const found = movableTogetherAt(hours, now);
  known.set(reason, found === undefined ? { hours } : { hours, from: now, found });
  return found;
}

function findNextChange({ timed }: NodeView, now: Instant): Instant | undefined {
  let next: Instant | undefined;
  for (const { pod, schedules, unworked } of timed) {
    const { optOut, allow, block } = pod.rules ?? {};
    if (optOut?.until !== undefined && optOut.until > now) next = earliest(next, optOut.until);
    if (unworked) continue;
    next = earliest(next, allow?.nextChange(now));
    next = earliest(next, block?.nextChange(now));
    for (const { window } of schedules) next = earliest(next, window.nextChange(now));
  }
  return next;
}
