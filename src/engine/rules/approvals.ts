// Approvals: which disruptions wait for a person, and until when a person has approved them (Q2).
import { memo } from '../../cluster/memo.ts';
import type { SignedInstant } from '../../cluster/signedInstant.ts';
import { any, not } from '../../time/combine.ts';
import { formatInstant } from '../../time/instant.ts';
import { always, lifetime, type Window } from '../../time/window.ts';
import type { RuleOwner } from '../refusal.ts';
import type { Wish } from '../wish.ts';
import { activeHours, note, windowOwner, windowRules } from './openHours.ts';

export interface ApprovalRule {
  /** `pool gpu requires approval`. */
  readonly message: string;
  readonly owner: RuleOwner;
  /** When it is required. */
  readonly hours: Window;
}

const nothing: readonly ApprovalRule[] = [];

/** The pool's own annotation, and the windows that ask for approval. */
export function approvalRules({ view, pool, reason }: Wish): readonly ApprovalRule[] {
  if (!pool?.needsApproval && view.windows.length === 0) return nothing;
  const { asks } = windowRules(view.windows, reason);
  if (!pool?.needsApproval && asks.length === 0) return nothing;
  const ofPool = (name: string): ApprovalRule => ({
    message: `pool ${name} requires approval`,
    owner: { kind: 'NodePool', name },
    hours: always,
  });
  return [
    ...(pool?.needsApproval ? [ofPool(pool.name)] : []),
    ...asks.map((window) => ({
      message: `MaintenanceWindow ${window.name} requires approval${note(window)}`,
      owner: windowOwner(window),
      hours: activeHours(window),
    })),
  ];
}

/** Of the node's and the pool's approval the one that ends later. It may have ended. */
export function approvalOf({ view, pool }: Wish): SignedInstant | undefined {
  const [own, ofPool] = [view.node.rules.approved, pool?.approved];
  return own && ofPool ? (own.at < ofPool.at ? ofPool : own) : (own ?? ofPool);
}

/** When the rule permits the wish: while it is not in force, and until the approval ends. */
export const permittedHours = ({ hours }: ApprovalRule, approval: SignedInstant | undefined): Window =>
  approval ? approvedHours(approval, hours) : not(hours);

/** The nodes of a pool share its approval, and so the window. */
const approvedHours = memo(
  (approval: SignedInstant, hours: Window): Window => any([not(hours), lifetime(undefined, approval.at)]),
);

export const describeApproval = ({ at, author }: SignedInstant): string =>
  `the approval${author === undefined ? '' : ` by ${author}`} ends at ${formatInstant(at)}`;
