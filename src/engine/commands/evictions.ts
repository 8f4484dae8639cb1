// Which pods of a node are asked to go now, which are forced, and what holds the rest (G6, E9, E10, H2)?
import type { Command } from '../../cluster/ledger.ts';
import type { Pod } from '../../cluster/model.ts';
import type { NodeView, PdbBox, PodView } from '../../cluster/nodeView.ts';
import { isEvictable, isOnItsWay } from '../../cluster/pod.ts';
import { after, asDuration, before, earliest, type Instant, minute, second } from '../../time/instant.ts';
import { pdbOverlap, pdbSpent } from '../gates/pdbs.ts';
import { podOptedOut, podScheduleRefusals } from '../gates/podRules.ts';
import type { Refusal } from '../refusal.ts';
import type { Action } from './action.ts';
import { pdbsOn } from './drains.ts';
import { isPressed } from './secondLook.ts';
import type { Context } from './step.ts';
import { currentTier, tierOf } from './tiers.ts';

export interface Evictions {
  readonly actions: readonly Action[];
  readonly waitingFor: readonly Refusal[];
  /** Pods still to be asked to go. */
  readonly left: number;
  /** Whether pods are on their way out. */
  readonly busy: boolean;
  readonly wakeAt: Instant | undefined;
}

/** A pod that is still there so long after its time does not end by itself, and nobody waits for it. */
const overdue = minute;

export function evictionsOn(
  view: NodeView,
  command: Command,
  { context, deadline }: { context: Context; deadline: Instant | undefined },
): Evictions {
  const { now } = context.situation;
  const waiting = view.pods.filter((pod) => isOnItsWay(pod) && now < endsAt(pod));
  const left = view.pods.filter(isEvictable);
  const tier = currentTier([...left, ...waiting]);
  const moments = deadline === undefined ? undefined : context.drains.momentsFor(command);
  const rules = openRules(view, command, context);
  const boxes = pdbsOn(view);
  const actions: Action[] = [];
  const waitingFor: Refusal[] = [];
  let wakeAt: Instant | undefined;
  for (const pod of left) {
    const moment = moments?.get(pod.uid);
    if (deadline !== undefined && moment !== undefined && moment <= now) {
      const latest = latestMoment(pod, deadline);
      const box = boxes.get(pod);
      if (!box || latest <= now || context.drains.forceOne(box))
        actions.push(force(pod, command.id, { deadline, now }));
      else wakeAt = earliest(wakeAt, latest);
      continue;
    }
    wakeAt = earliest(wakeAt, moment);
    if (tierOf(pod) !== tier) continue;
    const refusals = rules(pod);
    if (refusals.length === 0) actions.push(evict(pod, command.id));
    else waitingFor.push(...refusals);
  }
  for (const pod of waiting) {
    wakeAt = earliest(wakeAt, endsAt(pod));
    if (deadline !== undefined && isTooSlow(pod, deadline, now))
      actions.push(force(pod, command.id, { deadline, now }));
  }
  for (const { liftsAt } of waitingFor) wakeAt = earliest(wakeAt, liftsAt);
  return { actions, waitingFor, left: left.length, busy: waiting.length > 0, wakeAt };
}

/** H2: from then on nothing is waited for any more. */
const latestMoment = ({ graceSeconds }: Pod, deadline: Instant): Instant =>
  before(deadline, asDuration(graceSeconds * second));

/** H2: it was asked to go with more time than there is left, and asking again would give it less. */
const isTooSlow = ({ deletingAt }: Pod, deadline: Instant, now: Instant): boolean =>
  deletingAt !== undefined && deletingAt >= after(deadline, second) && deletingAt > after(now, second);

const endsAt = ({ deletingAt }: Pod): Instant => after(deletingAt as Instant, overdue);

/** E9: each pod's own rules and its PDB are asked again for every eviction. */
function openRules(view: NodeView, command: Command, context: Context): (pod: Pod) => readonly Refusal[] {
  const { now } = context.situation;
  const pressed = isPressed(command, context);
  const timed = new Map<Pod, PodView>(view.timed.map((it) => [it.pod, it]));
  const overlapping = new Map<Pod, PodView>(view.overlapping.map((it) => [it.pod, it]));
  const boxes = pdbsOn(view);
  return (pod) => {
    const own = pressed ? [] : ownRefusals(pod, timed.get(pod), { command, now });
    if (own.length > 0) return own;
    const twice = overlapping.get(pod);
    if (twice) return [pdbOverlap(twice)];
    const box = boxes.get(pod);
    return !box || context.pdbs.take(box) ? [] : [pdbHolds(pod, box)];
  };
}

function ownRefusals(
  pod: Pod,
  timed: PodView | undefined,
  { command: { reason }, now }: { command: Command; now: Instant },
): readonly Refusal[] {
  const optedOut = podOptedOut(pod, reason, now);
  if (optedOut) return [optedOut];
  return timed && reason !== 'Unhealthy' ? podScheduleRefusals(timed, now) : [];
}

const pdbHolds = ({ namespace, name }: Pod, { pdb }: PdbBox): Refusal =>
  pdbSpent(pdb, `it allows no eviction of pod ${namespace}/${name} now`);

const evict = ({ namespace, name, uid }: Pod, command: string): Action => ({
  verb: 'evict',
  kind: 'Pod',
  namespace,
  name,
  preconditions: { uid },
  command,
});

/** With the seconds that remain, but no more than it asks for itself. */
export function force(
  { namespace, name, uid, graceSeconds }: Pod,
  command: string | undefined,
  { deadline, now }: { deadline: Instant; now: Instant },
): Action {
  const remaining = Math.floor((deadline - now) / second);
  return {
    verb: 'delete',
    kind: 'Pod',
    namespace,
    name,
    preconditions: { uid },
    graceSeconds: Math.max(Math.min(graceSeconds, remaining), 1),
    ...(command !== undefined && { command }),
  };
}
