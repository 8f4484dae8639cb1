// How much of its limits has a pool used? What its claims have, or will have.
import { parseResources, type Resources } from '../../../cluster/quantity.ts';
import type { Json } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { chooseOffering } from '../cloud/nodeObject.ts';
import type { Claim, Pool } from '../manifest.ts';
import { add } from '../scheduler/needs.ts';

export function usedBy(pool: string, world: World): Record<string, number> {
  const used: Record<string, number> = { nodes: 0 };
  for (const claim of world.claimsByPool.of(pool).values() as Iterable<Claim>) {
    const { capacity } = claim.status ?? {};
    add(used, capacity ? amountsOf(capacity) : (chooseOffering(claim, world)?.room ?? {}));
    used.nodes = (used.nodes ?? 0) + 1;
  }
  return used;
}

const known = new WeakMap<Json, Resources>();

/** Machines of one type share what they have. */
function amountsOf(capacity: Json): Resources {
  const amounts = known.get(capacity) ?? parseResources(capacity);
  known.set(capacity, amounts);
  return amounts;
}

export function isWithin({ spec }: Pool, used: Resources): boolean {
  const limits = parseResources(spec?.limits);
  return Object.keys(limits).every((name) => (used[name] ?? 0) <= (limits[name] ?? 0));
}
