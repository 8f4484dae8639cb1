// A wish: one reason that one node has to be disrupted (A1). Each is evaluated separately.
import type { Memory } from '../cluster/memo.ts';
import type { Pool } from '../cluster/model.ts';
import { createdAt, type NodeView } from '../cluster/nodeView.ts';
import { type DisruptionKind, kindOf, type Reason } from '../cluster/reason.ts';
import type { Instant } from '../time/instant.ts';

export interface Wish {
  readonly view: NodeView;
  /** Absent where the pool is missing. */
  readonly pool?: Pool;
  readonly reason: Reason;
  readonly kind: DisruptionKind;
  /** Orders wishes of the same reason (F2): since when the node has drifted, exists, or has not been Ready. */
  readonly since: Instant;
  /** The cause, e.g. the fields that drifted (I3). */
  readonly detail?: string;
  /** A person asked for it, and nothing else about the node has drifted (Q1). */
  readonly isRequested?: true;
  readonly memory: Memory;
}

/** The result of a reason for one node: a wish, the instant at which time gives it one or changes it, or neither. */
export type WishFinding =
  | { readonly wish: Wish; readonly arisesAt?: Instant }
  | { readonly arisesAt: Instant }
  | undefined;

type Details = Partial<Pick<Wish, 'since' | 'kind' | 'isRequested'>> & { readonly detail?: string | undefined };

export const wishFor = (
  view: NodeView,
  pool: Pool | undefined,
  reason: Reason,
  { since = createdAt(view), kind = kindOf[reason], detail, isRequested }: Details = {},
): { readonly wish: Wish } => ({
  wish: {
    view,
    ...(pool && { pool }),
    reason,
    kind,
    since,
    ...(detail && { detail }),
    ...(isRequested && { isRequested }),
    memory: [],
  },
});
