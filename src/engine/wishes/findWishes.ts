// Which nodes have a reason to go, and when will the next reason arise by itself (A, A1)?
import { openSlot } from '../../cluster/memory.ts';
import type { Pool } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Settings } from '../../cluster/settings.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { compareReasons } from '../order.ts';
import { isGoverned, type Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { drifted } from './drifted.ts';
import { empty } from './empty.ts';
import { expired } from './expired.ts';
import { interrupted } from './interrupted.ts';
import { rebalance } from './rebalance.ts';
import type { WishRule } from './rule.ts';
import { underutilized } from './underutilized.ts';
import { unhealthy } from './unhealthy.ts';

/** In F1's order, but for Expired, whose instant hangs on its whole pool (N7) and is asked anew. */
const rules: readonly WishRule[] = [interrupted, unhealthy, empty, drifted, rebalance, underutilized];

export interface Wishes {
  /** By node, and by reason in F1's order. */
  readonly wishes: readonly Wish[];
  /** The first instant at which time alone gives a node another wish. */
  readonly arisesAt?: Instant;
}

export function findWishes(situation: Situation): Wishes {
  const wishes: Wish[] = [];
  let arisesAt: Instant | undefined;
  for (const view of situation.cluster.nodes) {
    if (!view.managed) continue;
    const pool = view.poolName === undefined ? undefined : situation.cluster.pools.get(view.poolName);
    if (pool && !isGoverned(pool, situation.settings)) continue;
    const found = wishesOf(view, pool, situation);
    const expiry = expired(view, pool, situation);
    if (expiry && 'wish' in expiry) wishes.push(...insert(found.wishes, expiry.wish));
    else for (const wish of found.wishes) wishes.push(wish);
    arisesAt = earliest(arisesAt, found.arisesAt);
    if (expiry && 'arisesAt' in expiry) arisesAt = earliest(arisesAt, expiry.arisesAt);
  }
  return { wishes, ...(arisesAt !== undefined && { arisesAt }) };
}

const insert = (wishes: readonly Wish[], wish: Wish): Wish[] =>
  [...wishes, wish].sort((a, b) => compareReasons(a.reason, b.reason));

interface Found {
  readonly pool: Pool | undefined;
  readonly settings: Settings;
  readonly asked: Instant;
  readonly wishes: readonly Wish[];
  readonly arisesAt: Instant | undefined;
}

/** Remembered with the view: it is replaced when anything about its node changes. */
const remembered = openSlot<Found>();

function wishesOf(view: NodeView, pool: Pool | undefined, situation: Situation): Found {
  const { now, settings } = situation;
  const known = remembered.recall(view);
  if (known && known.pool === pool && known.settings === settings && isStill(known, now)) return known;
  const wishes: Wish[] = [];
  let arisesAt: Instant | undefined;
  for (const rule of rules) {
    const finding = rule(view, pool, situation);
    if (!finding) continue;
    if ('wish' in finding) wishes.push(finding.wish);
    else arisesAt = earliest(arisesAt, finding.arisesAt);
  }
  return remembered.keep(view, { pool, settings, asked: now, wishes, arisesAt });
}

const isStill = ({ asked, arisesAt }: Found, now: Instant): boolean =>
  asked <= now && (arisesAt === undefined || now < arisesAt);
