// How many are there of each kind? As samples, one for each combination of labels.
import type { Sample } from './metric.ts';

export type Labels = Readonly<Record<string, string>>;

export function tally<It>(items: readonly It[], labelsOf: (item: It) => Labels): Sample[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(labelsOf(item)));
  return [...groups].map(([key, group]) => ({ labels: JSON.parse(key) as Labels, value: group.length }));
}
