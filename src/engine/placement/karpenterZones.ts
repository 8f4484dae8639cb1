// The zones that Karpenter counts as spread domains: also those without a node, if a pool could launch one there. The scheduler counts
// only zones with nodes, so a plan that is valid for it may not be valid for Karpenter, which then declines the offer (F6).
import { memo } from '../../cluster/memo.ts';
import type { Pool } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import type { InstanceType } from '../../cluster/settings.ts';
import type { Situation } from '../situation.ts';

/** How many zones there are for Karpenter. 0 = Karpenter does not judge the plans, and only zones with nodes count. */
export function countZones({ cluster, settings }: Situation): number {
  if (settings.role !== 'guide') return 0;
  const offered = zonesIn(settings.catalogue);
  const zones = new Set([...cluster.pools.values()].flatMap((pool) => zonesOf(pool, offered)));
  for (const { node } of cluster.nodes) {
    const zone = node.labels[label.zone];
    if (zone !== undefined) zones.add(zone);
  }
  return zones.size;
}

const zonesIn = memo((catalogue: readonly InstanceType[]): readonly string[] => [
  ...new Set(catalogue.flatMap(({ offerings }) => offerings.filter((it) => it.available).map(({ zone }) => zone))),
]);

/** The zones that the pool names, or those of the catalogue, without the zones that it excludes. */
function zonesOf({ template, deleting }: Pool, offered: readonly string[]): readonly string[] {
  if (deleting) return [];
  const rules = template.requirements.filter(({ key }) => key === label.zone);
  const named = rules.filter(({ operator }) => operator === 'In').map(({ values }) => values);
  const own = template.labels[label.zone];
  const [first = own === undefined ? offered : [own]] = named;
  return [...first].filter((zone) =>
    rules.every(({ operator, values }) => {
      if (operator === 'In') return values.includes(zone);
      return operator !== 'NotIn' || !values.includes(zone);
    }),
  );
}
