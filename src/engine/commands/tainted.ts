// tainted: no new pod is to come to the node; then its replacements are made, or it is drained at once (G1).
import { addTaint, markOf } from './disruptedTaint.ts';
import { isLeaving, placesOf } from './place.ts';
import { beforeTaint, isPressed, objection } from './secondLook.ts';
import { move, release, type StepRule } from './step.ts';

export const tainted: StepRule = (command, context) => {
  const { cluster, now } = context.situation;
  const unmarked = placesOf(command, cluster).flatMap((place) =>
    place.view && !isLeaving(place) && markOf(place.view.node)?.value !== command.id ? [place.view.node] : [],
  );
  if (unmarked.length === 0) {
    const waits = command.replacements.length > 0 && !isPressed(command, context);
    return { next: move(command, waits ? 'replacing' : 'draining', now) };
  }
  const against = objection(command, context, beforeTaint);
  if (against !== undefined) return { next: release(command, against, now) };
  const actions = unmarked.map((node) => addTaint(node, command.id, now));
  return { command, actions };
};
