// The steps that Lull carries out itself: chosen, tainted, terminating, released (G1, G4, G5). See also replacing.ts and draining.ts.
import type { Command, Replacement } from '../../cluster/ledger.ts';
import type { Claim } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import { isEvictable } from '../../cluster/pod.ts';
import type { Settings } from '../../cluster/settings.ts';
import { after, asDuration, asInstant, type Duration, type Instant, second } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { type Action, annotate } from './action.ts';
import { addTaint, markedAt, markOf, removeTaint } from './marks.ts';
import { promisedTo, replacementsOf, worthOf } from './start.ts';
import {
  beforeEviction,
  beforeTaint,
  type DisruptedNode,
  disruptedNodesOf,
  formatFirst,
  isGone,
  isLeaving,
  isUrgent,
  launchTimeout,
  move,
  objection,
  release,
  type StepContext,
  type StepRule,
} from './step.ts';

/** Graceful consolidation waits for a pause and is checked again before anything is changed (G1, G5). */
export const chosen: StepRule = (command, context) => {
  const { now, settings } = context.situation;
  if (isUrgent(command, context)) return { next: move(command, 'tainted', now) };
  if (!isJudgedAgain(command, context.situation)) return { command, actions: [], wakeAt: judgedAt(command, settings) };
  const against = objection(command, context, beforeTaint);
  if (against !== undefined) return { next: release(command, against, now) };
  const placed = command.reason === 'Underutilized' ? placeAgain(command, context) : command;
  if (typeof placed === 'string') return { next: release(command, placed, now) };
  return { next: move(placed, 'tainted', now) };
};

export const judgedAt = ({ stepAt }: Command, { consolidationPause }: Settings): Instant =>
  after(stepAt, consolidationPause);

export const isJudgedAgain = (command: Command, { now, settings }: Situation): boolean =>
  command.step === 'chosen' && now >= judgedAt(command, settings);

/** Places the pods of all nodes again and plans the replacements again; returns a reason if that is no longer worthwhile. */
function placeAgain(command: Command, { wishes, placer, situation }: StepContext): Command | string {
  const mine: Wish[] = [];
  for (const { name } of command.nodes) {
    const wish = wishes.get(name)?.find(({ reason }) => reason === command.reason);
    if (!wish) return `${name} no longer exists or is no longer ${command.reason}`;
    mine.push(wish);
  }
  const placed = placer.placeTogether(mine);
  if ('refusals' in placed) return formatFirst(placed.refusals) ?? 'its pods no longer fit elsewhere';
  const { placement } = placed;
  const nodes = mine.map(({ view }) => view);
  const { savings: _, ...rest } = command;
  const { savings, podsMoved } = worthOf(nodes, placement, situation);
  return {
    ...rest,
    replacements: replacementsOf(command.id, placement.replacements),
    promisedTo: promisedTo(placement),
    ...(savings !== undefined && { savings }),
    podsMoved,
  };
}

/** How long to wait for pods bound just before the taint. A quiet watch may not show how far it is. */
const bindingsSeenBy: Duration = asDuration(2 * second);

/** Keeps new pods off the node; then creates its replacements, or drains it at once (G1). */
export const tainted: StepRule = (command, context) => {
  const { cluster, now, podsBehind } = context.situation;
  const nodes = disruptedNodesOf(command, cluster).flatMap((place) =>
    place.view && !isLeaving(place) ? [place.view.node] : [],
  );
  const unmarked = nodes.filter((node) => markOf(node)?.value !== command.id);
  if (unmarked.length === 0) {
    if (command.replacements.length > 0 && !isUrgent(command, context))
      return { next: move(command, 'replacing', now) };
    const knownAt = after(asInstant(Math.max(0, ...nodes.map(markedAt))), bindingsSeenBy);
    // Not all of its pods may be visible yet: draining now could evict them out of order (G6), or one that refuses (G5).
    if (podsBehind && now < knownAt) return { command, actions: [], wakeAt: knownAt };
    return { next: move(command, 'draining', now) };
  }
  const against = objection(command, context, beforeTaint);
  if (against !== undefined) return { next: release(command, against, now) };
  const actions = unmarked.map((node) => addTaint(node, command.id, now));
  return { command, actions };
};

/** Deletes the claim; ends when node and claim are gone (G1). */
export const terminating: StepRule = (command, context) => {
  const { cluster, now } = context.situation;
  const standing = disruptedNodesOf(command, cluster).filter((place) => !isGone(place) && !isLeaving(place));
  if (standing.length === 0) return { command, actions: [] };
  const against = command.evictedAt === undefined ? objection(command, context, beforeEviction) : undefined;
  if (against !== undefined) return { next: release(command, against, now) };
  const isDrained = command.reason === 'Unhealthy' && !isUrgent(command, context);
  if (!isDrained && standing.some(({ view }) => view?.pods.some(isEvictable)))
    return { next: move(command, 'draining', now) };
  const actions = standing.flatMap((place) => deletion(place, command.id));
  return { command, actions };
};

/** Deletes the claim, or the node itself if it has none. */
function deletion({ claim, view }: DisruptedNode, command: string): readonly Action[] {
  const verb = 'delete';
  if (claim) return [{ verb, kind: 'NodeClaim', name: claim.name, preconditions: { uid: claim.uid }, command }];
  return view ? [{ verb, kind: 'Node', name: view.node.name, preconditions: { uid: view.node.uid }, command }] : [];
}

/** Undoes the command (G4, G5): removes the taint, the deadline, and replacements that are not used. */
export const released: StepRule = (command, { situation }) => {
  const { cluster } = situation;
  const actions = [
    ...disruptedNodesOf(command, cluster).flatMap((place) => restored(place, command.id)),
    ...command.replacements.flatMap((it) => takeAway(it, command.id, situation)),
  ];
  const unseen = unseenUntil(command, situation);
  if (actions.length === 0 && unseen === undefined) return { over: 'released' };
  return { command, actions, wakeAt: unseen };
};

function restored(place: DisruptedNode, command: string): readonly Action[] {
  const { view, claim } = place;
  if (isLeaving(place)) return [];
  return [
    ...(view && markOf(view.node) ? [removeTaint(view.node, command)] : []),
    ...(claim?.terminateAt !== undefined ? [removeDeadline(claim, command)] : []),
  ];
}

/** A deadline that is left on the claim would force all pods when the claim is deleted later. */
function removeDeadline({ name, annotations }: Claim, command: string): Action {
  const seen = { [annotation.terminateAt]: annotations[annotation.terminateAt] };
  const patch = annotate(seen, { [annotation.terminateAt]: undefined }, false);
  return { verb: 'patch', kind: 'NodeClaim', name, patch, command };
}

/** A replacement that already runs pods stays as an ordinary node. */
export function takeAway({ name }: Replacement, command: string, { cluster }: Situation): readonly Action[] {
  const claim = cluster.claim(name);
  if (!claim || claim.deletingSince !== undefined) return [];
  const view = claim.nodeName === undefined ? undefined : cluster.node(claim.nodeName);
  if (view && view.reschedulable.length > 0) return [];
  return [{ verb: 'delete', kind: 'NodeClaim', name, preconditions: { uid: claim.uid }, command }];
}

/** A create request without a response may still take effect: keep the command until then. */
function unseenUntil({ replacements, stepAt }: Command, { cluster, now }: Situation): Instant | undefined {
  const until = after(stepAt, launchTimeout);
  const unseen = replacements.some(({ name, state }) => state === undefined && !cluster.claim(name));
  return unseen && now < until ? until : undefined;
}
