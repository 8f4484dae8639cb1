// N2: how is a node kept from Karpenter, and offered to it? By two annotations, always written together.
import type { Node } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import { formatInstant, type Instant } from '../../time/instant.ts';
import type { Action } from './action.ts';
import { annotate, type Seen } from './annotate.ts';

const seenOn = ({ annotations }: Node): Seen => ({
  [annotation.doNotDisrupt]: annotations[annotation.doNotDisrupt],
  [annotation.parked]: annotations[annotation.parked],
});

/** Lull's marker is on it, whole or not. */
export const isMarked = ({ annotations }: Node): boolean => annotations[annotation.parked] !== undefined;

/** Both annotations stand: Karpenter keeps off. */
export const isParked = (node: Node): boolean => isMarked(node) && node.annotations[annotation.doNotDisrupt] === 'true';

/** do-not-disrupt without the marker is a user's, whatever it says, and is never touched. */
export const isUsersOwn = (node: Node): boolean =>
  !isMarked(node) && node.annotations[annotation.doNotDisrupt] !== undefined;

export function park(node: Node, now: Instant, command?: string): Action {
  const wanted = { [annotation.doNotDisrupt]: 'true', [annotation.parked]: formatInstant(now) };
  const patch = annotate(seenOn(node), wanted, Object.keys(node.annotations).length === 0);
  return { verb: 'patch', kind: 'Node', name: node.name, patch, ...(command !== undefined && { command }) };
}

/** Parking is taken off only where it is still Lull's own. */
export function unpark(node: Node, command?: string): Action {
  const wanted = { [annotation.doNotDisrupt]: undefined, [annotation.parked]: undefined };
  const patch = annotate(seenOn(node), wanted, false);
  return { verb: 'patch', kind: 'Node', name: node.name, patch, ...(command !== undefined && { command }) };
}
