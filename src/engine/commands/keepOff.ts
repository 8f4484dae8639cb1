// N2, N5: what is written on a node or a pod so that Karpenter keeps off it, and what when it need not any more?
import { annotation } from '../../cluster/names.ts';
import { formatInstant, type Instant } from '../../time/instant.ts';
import type { PatchOperation } from './action.ts';
import { annotate, type Seen } from './annotate.ts';

/** What stands there, to the letter. */
export interface KeepOff {
  readonly doNotDisrupt: string | undefined;
  readonly parked: string | undefined;
  readonly before: string | undefined;
}

/** The one word that Karpenter reads on nodes, and on pods for ever: durations on a node and `false` say nothing to it. */
const keeps = 'true';

/** Lull's marker is on it, whole or not. */
export const isMarked = ({ parked }: KeepOff): boolean => parked !== undefined;

/** Both annotations stand: Karpenter keeps off because Lull says so. */
export const isParked = (seen: KeepOff): boolean => isMarked(seen) && seen.doNotDisrupt === keeps;

/** A user says so, in words that Karpenter reads. That is never touched. */
export const isUsersOwn = (seen: KeepOff): boolean => !isMarked(seen) && seen.doNotDisrupt === keeps;

/** What a user wrote in words that Karpenter does not read is kept beside it, and put back when the marker goes. */
export function parkPatch(seen: KeepOff, now: Instant, bare: boolean): readonly PatchOperation[] {
  const { doNotDisrupt } = seen;
  return patch(seen, { doNotDisrupt: keeps, parked: formatInstant(now), before: doNotDisrupt }, bare);
}

/** Parking is taken off only where it is still Lull's own. A word that somebody wrote over it meanwhile stays. */
export function unparkPatch(seen: KeepOff): readonly PatchOperation[] {
  const doNotDisrupt = isParked(seen) ? seen.before : seen.doNotDisrupt;
  return patch(seen, { doNotDisrupt, parked: undefined, before: undefined }, false);
}

function patch(seen: KeepOff, wanted: KeepOff, bare: boolean): readonly PatchOperation[] {
  const hasBefore = seen.before !== undefined || wanted.before !== undefined;
  return annotate(texts(seen, hasBefore), texts(wanted, hasBefore), bare);
}

const texts = ({ doNotDisrupt, parked, before }: KeepOff, hasBefore: boolean): Seen => ({
  [annotation.doNotDisrupt]: doNotDisrupt,
  [annotation.parked]: parked,
  ...(hasBefore && { [annotation.keptBefore]: before }),
});
