// terminating: the claim is deleted, and whoever made the node takes it away; over when both are gone (G1).

import { isEvictable } from '../../cluster/pod.ts';
import type { Action } from './action.ts';
import { isGone, isLeaving, type Place, placesOf } from './place.ts';
import { beforeEviction, isPressed, objection } from './secondLook.ts';
import { move, release, type StepRule } from './step.ts';

export const terminating: StepRule = (command, context) => {
  const { cluster, now } = context.situation;
  const standing = placesOf(command, cluster).filter((place) => !isGone(place) && !isLeaving(place));
  if (standing.length === 0) return { command, actions: [] };
  const against = command.evictedAt === undefined ? objection(command, context, beforeEviction) : undefined;
  if (against !== undefined) return { next: release(command, against, now) };
  const isDrained = command.reason === 'Unhealthy' && !isPressed(command, context);
  if (!isDrained && standing.some(({ view }) => view?.pods.some(isEvictable)))
    return { next: move(command, 'draining', now) };
  const actions = standing.flatMap((place) => deletion(place, command.id));
  return { command, actions };
};

/** Its claim; where there is none, the node itself. */
function deletion({ claim, view }: Place, command: string): readonly Action[] {
  const verb = 'delete';
  if (claim) return [{ verb, kind: 'NodeClaim', name: claim.name, preconditions: { uid: claim.uid }, command }];
  return view ? [{ verb, kind: 'Node', name: view.node.name, preconditions: { uid: view.node.uid }, command }] : [];
}
