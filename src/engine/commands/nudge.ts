// N6: how is Karpenter brought to replace a node for a reason it does not know? Its claim is made to look drifted, and
// what the hash said before is kept beside it.
import type { Claim } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Action } from './action.ts';
import { annotate, type Seen } from './annotate.ts';

const itsOwn: ReadonlySet<Reason> = new Set(['Empty', 'Drifted', 'Underutilized'] as const);

/** Everything Karpenter does not replace gracefully by itself. */
export const needsNudge = (reason: Reason): boolean => !itsOwn.has(reason);

/** I5: and drift that only Lull has worked out. */
export const isToBeNudged = (claim: Claim, reason: Reason): boolean =>
  !isNudged(claim) &&
  canBeNudged(claim) &&
  (needsNudge(reason) || (reason === 'Drifted' && claim.conditions.Drifted?.status !== 'True'));

const seenOn = ({ annotations }: Claim): Seen => ({
  [annotation.poolHash]: annotations[annotation.poolHash],
  [annotation.hashBefore]: annotations[annotation.hashBefore],
});

export const isNudged = ({ annotations }: Claim): boolean => annotations[annotation.hashBefore] !== undefined;

/** A claim without a hash never drifts, so it cannot be made to seem so. */
export const canBeNudged = ({ annotations }: Claim): boolean => Boolean(annotations[annotation.poolHash]);

/** No hash of Karpenter's has this form. */
const nudgedHash = (command: string): string => `lull-${command}`;

export function nudge(claim: Claim, command: string): Action {
  const wanted = {
    [annotation.hashBefore]: claim.annotations[annotation.poolHash],
    [annotation.poolHash]: nudgedHash(command),
  };
  return { verb: 'patch', kind: 'NodeClaim', name: claim.name, patch: annotate(seenOn(claim), wanted, false), command };
}

/** Where Karpenter has written another hash meanwhile, that one stays. */
export function unnudge(claim: Claim, command?: string): Action {
  const { [annotation.poolHash]: hash = '', [annotation.hashBefore]: before } = claim.annotations;
  const wanted = {
    [annotation.hashBefore]: undefined,
    ...(hash.startsWith(nudgedHash('')) && { [annotation.poolHash]: before }),
  };
  const patch = annotate(seenOn(claim), wanted, false);
  return { verb: 'patch', kind: 'NodeClaim', name: claim.name, patch, ...(command !== undefined && { command }) };
}
