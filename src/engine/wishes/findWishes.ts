// Which nodes have a reason to go, and when will the next reason arise by itself (A, A1)?
import { openSlot } from '../../cluster/memory.ts';
import type { Pool } from '../../cluster/model.ts';
import type { NodeGroup } from '../../cluster/nodeGroups.ts';
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

/** In F1's order, but for Expired, whose instant hangs on its whole pool (N7). */
const rules: readonly WishRule[] = [interrupted, unhealthy, empty, drifted, rebalance, underutilized];

export interface Wishes {
  /** By pool and node, and by reason in F1's order. */
  readonly wishes: readonly Wish[];
  /** The first instant at which time alone gives a node another wish. */
  readonly arisesAt: Instant | undefined;
}

export function findWishes(situation: Situation): Wishes {
  const { cluster, settings } = situation;
  const wishes: Wish[] = [];
  let arisesAt: Instant | undefined;
  for (const group of cluster.groups) {
    const pool = group.poolName === undefined ? undefined : cluster.pools.get(group.poolName);
    if (!group.managed || (pool && !isGoverned(pool, settings))) continue;
    const found = wishesIn(group, pool, situation);
    for (const wish of found.wishes) wishes.push(wish);
    arisesAt = earliest(arisesAt, found.arisesAt);
  }
  return { wishes, arisesAt };
}

/** Remembered with a node's view, which is replaced when anything about the node changes, and with its pool's nodes together. */
interface Found extends Wishes {
  readonly pool: Pool | undefined;
  readonly settings: Settings;
  readonly asked: Instant;
}

const inGroup = openSlot<Found>();
const onNode = openSlot<Found>();

const isStill = (found: Found, pool: Pool | undefined, { now, settings }: Situation): boolean =>
  found.pool === pool &&
  found.settings === settings &&
  found.asked <= now &&
  (found.arisesAt === undefined || now < found.arisesAt);

function wishesIn(group: NodeGroup, pool: Pool | undefined, situation: Situation): Found {
  const known = inGroup.recall(group);
  if (known && isStill(known, pool, situation)) return known;
  const wishes: Wish[] = [];
  let arisesAt: Instant | undefined;
  for (const view of group.nodes) {
    const found = wishesOf(view, pool, situation);
    const expiry = expired(view, pool, situation);
    if (expiry && 'wish' in expiry) wishes.push(...insert(found.wishes, expiry.wish));
    else for (const wish of found.wishes) wishes.push(wish);
    arisesAt = earliest(arisesAt, found.arisesAt);
    if (expiry && 'arisesAt' in expiry) arisesAt = earliest(arisesAt, expiry.arisesAt);
  }
  return inGroup.keep(group, { pool, settings: situation.settings, asked: situation.now, wishes, arisesAt });
}

const insert = (wishes: readonly Wish[], wish: Wish): Wish[] =>
  [...wishes, wish].sort((a, b) => compareReasons(a.reason, b.reason));

function wishesOf(view: NodeView, pool: Pool | undefined, situation: Situation): Found {
  const known = onNode.recall(view);
  if (known && isStill(known, pool, situation)) return known;
  const wishes: Wish[] = [];
  let arisesAt: Instant | undefined;
  for (const rule of rules) {
    const finding = rule(view, pool, situation);
    if (!finding) continue;
    if ('wish' in finding) wishes.push(finding.wish);
    else arisesAt = earliest(arisesAt, finding.arisesAt);
  }
  return onNode.keep(view, { pool, settings: situation.settings, asked: situation.now, wishes, arisesAt });
}
