// tainted: no new pod is to come to the node; then its replacements are made, or it is drained at once (G1).
import { after, asDuration, asInstant, type Duration, second } from '../../time/instant.ts';
import { addTaint, markedAt, markOf } from './disruptedTaint.ts';
import { isLeaving, placesOf } from './place.ts';
import { beforeTaint, isPressed, objection } from './secondLook.ts';
import { move, release, type StepRule } from './step.ts';

/** How long a pod that was bound just before the taint is waited for. A kind that nothing happens to may not show how far it is seen. */
const bindingsSeenBy: Duration = asDuration(2 * second);

export const tainted: StepRule = (command, context) => {
  const { cluster, now, podsBehind } = context.situation;
  const nodes = placesOf(command, cluster).flatMap((place) =>
    place.view && !isLeaving(place) ? [place.view.node] : [],
  );
  const unmarked = nodes.filter((node) => markOf(node)?.value !== command.id);
  if (unmarked.length === 0) {
    if (command.replacements.length > 0 && !isPressed(command, context))
      return { next: move(command, 'replacing', now) };
    const knownAt = after(asInstant(Math.max(0, ...nodes.map(markedAt))), bindingsSeenBy);
    // Its pods are not all known yet: drained now, it would lose them out of order (G6), or one that refuses (G5).
    if (podsBehind && now < knownAt) return { command, actions: [], wakeAt: knownAt };
    return { next: move(command, 'draining', now) };
  }
  const against = objection(command, context, beforeTaint);
  if (against !== undefined) return { next: release(command, against, now) };
  const actions = unmarked.map((node) => addTaint(node, command.id, now));
  return { command, actions };
};
