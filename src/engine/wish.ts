// Why would this node go? A wish is one reason one node has (A1); each is judged on its own.
import type { Memory } from '../cluster/memory.ts';
import type { Pool } from '../cluster/model.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import type { Kind, Reason } from '../cluster/reason.ts';
import type { Instant } from '../time/instant.ts';

export interface Wish {
  readonly view: NodeView;
  /** Absent where the pool is missing. */
  readonly pool?: Pool;
  readonly reason: Reason;
  readonly kind: Kind;
  /** What its order within the reason goes by (F2): since when it has drifted, was created, or has not been Ready. */
  readonly since: Instant;
  /** What a person should know of it, e.g. the fields that drifted (I3). */
  readonly detail?: string;
  readonly memory: Memory;
}

/** A reason's answer for one node: a wish, the instant at which one will arise by itself, or neither. */
export type Finding = { readonly wish: Wish } | { readonly arisesAt: Instant } | undefined;
