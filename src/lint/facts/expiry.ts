// When must each node have gone by itself, and when may it (N7)? Karpenter's expiry is a deadline that nothing refuses.
import { emptyLedger } from '../../cluster/ledger.ts';
import type { MaintenanceWindow, Pool } from '../../cluster/model.ts';
import { createdAt, type NodeView } from '../../cluster/nodeView.ts';
import { openByBudgets, windowRules } from '../../engine/limits/poolHours.ts';
import { observe, type Situation } from '../../engine/situation.ts';
import { expired } from '../../engine/wishes/expired.ts';
import { all } from '../../time/combine.ts';
import { after, type Instant } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';
import type { Policy } from '../rule.ts';
import type { PoolFacts } from './pools.ts';

export interface Expiry {
  readonly view: NodeView;
  /** From then on Lull would let it go for its age; not before now. */
  readonly from: Instant;
  /** Then Karpenter takes it, whatever budgets and windows say. */
  readonly deadline: Instant;
}

/** Judged as where Lull acts: who only watches has no deadline to stay ahead of. */
export function actingSituation({ cluster, settings, now }: Policy): Situation {
  const role = settings.role === 'observe' ? 'guide' : settings.role;
  return observe({ cluster, ledger: emptyLedger }, now, { ...settings, role });
}

/** The nodes of a pool that have a deadline ahead of them, the earliest first. */
export function expiriesOf({ pool, nodes }: PoolFacts, situation: Situation): Expiry[] {
  const { now } = situation;
  const expiries = nodes.flatMap((view): Expiry[] => {
    const lifetime = view.claim?.spec.expireAfter;
    if (typeof lifetime !== 'number' || view.state.leaving) return [];
    const deadline = after(createdAt(view), lifetime);
    const finding = expired(view, pool, situation);
    const from = finding && 'arisesAt' in finding ? finding.arisesAt : now;
    return deadline > now ? [{ view, from, deadline }] : [];
  });
  return expiries.sort((a, b) => a.deadline - b.deadline);
}

/** When budgets and windows let a node go for its age; worked out once for nodes under the same windows. */
export function expiryHours(pool: Pool): (windows: readonly MaintenanceWindow[]) => Window {
  const known = new Map<readonly MaintenanceWindow[], Window>();
  return (windows) => {
    const hours = known.get(windows) ?? all([openByBudgets(pool, 'Expired'), windowRules(windows, 'Expired').hours]);
    known.set(windows, hours);
    return hours;
  };
}

/** A pool whose expiry Karpenter enforces by the clock; a Provisioner's never was. */
export const isEnforced = ({ pool }: PoolFacts, { settings }: Policy): boolean =>
  !pool.provisioner && !pool.deleting && settings.expiration === 'graceful';
