// Parking (N2): the two annotations that keep Karpenter off a node, always written together, and their copies on the node's claim.
import type { Claim, Node } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import type { Instant } from '../../time/instant.ts';
import type { Action, PatchOperation } from './action.ts';
import {
  isMarked as hasMarker,
  type KeepOff,
  isParked as keepsOff,
  isUsersOwn as ofUser,
  parkPatch,
  unparkPatch,
} from './keepOff.ts';

const seenOn = ({ annotations }: Claim | Node): KeepOff => ({
  doNotDisrupt: annotations[annotation.doNotDisrupt],
  parked: annotations[annotation.parked],
  before: annotations[annotation.keptBefore],
});

/** Lull's marker is on it, whole or not. */
export const isMarked = (node: Node): boolean => hasMarker(seenOn(node));

/** Both annotations stand: Karpenter keeps off. */
export const isParked = (node: Node): boolean => keepsOff(seenOn(node));

/** do-not-disrupt "true" without the marker is a user's and is never touched. */
export const isUsersOwn = (node: Node): boolean => ofUser(seenOn(node));

export const park = (node: Node, now: Instant, command?: string): Action =>
  patchNode(node, parkPatch(seenOn(node), now, Object.keys(node.annotations).length === 0), command);

export const unpark = (node: Node, command?: string): Action => patchNode(node, unparkPatch(seenOn(node)), command);

/**
 * The claim was parked at birth, by the admission policy `lull-born-parked`. Karpenter copies a claim's annotations to its node once, when
 * the node registers; after that the claim's own copies mean nothing to it.
 */
export const isBornParked = (claim: Claim): boolean => hasMarker(seenOn(claim));

export const forgetBirth = (claim: Claim): Action => ({
  verb: 'patch',
  kind: 'NodeClaim',
  name: claim.name,
  patch: unparkPatch(seenOn(claim)),
});

const patchNode = ({ name }: Node, patch: readonly PatchOperation[], command: string | undefined): Action => ({
  verb: 'patch',
  kind: 'Node',
  name,
  patch,
  ...(command !== undefined && { command }),
});
