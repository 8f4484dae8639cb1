// released: all that was done is undone (G4, G5): the taint, the deadline, and replacements that nobody needs.
import type { Command, Replacement } from '../../cluster/ledger.ts';
import type { Claim } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import { after, type Instant } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { markOf, removeTaint } from './disruptedTaint.ts';
import { isLeaving, type Place, placesOf } from './place.ts';
import { launchTimeout, type StepRule } from './step.ts';

export const released: StepRule = (command, { situation }) => {
  const { cluster } = situation;
  const actions = [
    ...placesOf(command, cluster).flatMap((place) => restored(place, command.id)),
    ...command.replacements.flatMap((it) => taken(it, command.id, situation)),
  ];
  const unseen = unseenUntil(command, situation);
  if (actions.length === 0 && unseen === undefined) return { over: 'released' };
  return { command, actions, wakeAt: unseen };
};

function restored(place: Place, command: string): readonly Action[] {
  const { view, claim } = place;
  if (isLeaving(place)) return [];
  return [
    ...(view && markOf(view.node) ? [removeTaint(view.node, command)] : []),
    ...(claim?.terminateAt !== undefined ? [removeDeadline(claim, command)] : []),
  ];
}

/** A deadline that stays would force everything at once when the claim is deleted some day. */
function removeDeadline({ name, annotations }: Claim, command: string): Action {
  const path = `/metadata/annotations/${annotation.terminateAt.replaceAll('/', '~1')}`;
  const patch = [
    { op: 'test', path, value: annotations[annotation.terminateAt] },
    { op: 'remove', path },
  ] as const;
  return { verb: 'patch', kind: 'NodeClaim', name, patch, command };
}

/** A replacement on which pods run already is an ordinary node now, and stays. */
export function taken({ name }: Replacement, command: string, { cluster }: Situation): readonly Action[] {
  const claim = cluster.claim(name);
  if (!claim || claim.deletingSince !== undefined) return [];
  const view = claim.nodeName === undefined ? undefined : cluster.node(claim.nodeName);
  if (view && view.reschedulable.length > 0) return [];
  return [{ verb: 'delete', kind: 'NodeClaim', name, preconditions: { uid: claim.uid }, command }];
}

/** A create that nobody answered may still show: until then the command is not forgotten. */
function unseenUntil({ replacements, stepAt }: Command, { cluster, now }: Situation): Instant | undefined {
  const until = after(stepAt, launchTimeout);
  const unseen = replacements.some(({ name, state }) => state === undefined && !cluster.claim(name));
  return unseen && now < until ? until : undefined;
}
