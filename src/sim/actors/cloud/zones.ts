// Which zone is a new node of a pool to go to? Where the pool has fewest, so that it spreads over its zones by itself.
import { label } from '../../../cluster/names.ts';
import { isDeleting } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import type { Claim } from '../manifest.ts';
import type { Offering } from './offerings.ts';

/** How many nodes a pool has in each zone, or will have. */
export function zonesUsed(pool: string, { claimsByPool }: World): Map<string, number> {
  const used = new Map<string, number>();
  for (const claim of claimsByPool.of(pool).values() as Iterable<Claim>) {
    const zone = isDeleting(claim) ? undefined : zoneOf(claim);
    if (zone !== undefined) used.set(zone, (used.get(zone) ?? 0) + 1);
  }
  return used;
}

/** Where it is, or where alone it may go. */
function zoneOf({ metadata, spec }: Claim): string | undefined {
  const known = metadata.labels?.[label.zone];
  if (known !== undefined) return known;
  const asked = spec?.requirements?.filter(({ key, operator }) => key === label.zone && operator === 'In') ?? [];
  return asked.find(({ values }) => values?.length === 1)?.values?.[0];
}

/** The first of those whose zone has fewest. */
export function leastUsed(offerings: readonly Offering[], used: ReadonlyMap<string, number>): Offering | undefined {
  const count = ({ labels }: Offering): number => used.get(labels[label.zone] ?? '') ?? 0;
  let best: Offering | undefined;
  for (const offering of offerings) if (!best || count(offering) < count(best)) best = offering;
  return best;
}
