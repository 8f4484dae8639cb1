// Aggregations of PromQL.
import type { Sample } from './evaluate.ts';
import { grouped } from './labels.ts';
import { keyOf } from './series.ts';
import type { Expr } from './syntax.ts';

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const operations: Readonly<Record<string, (values: readonly number[]) => number>> = {
  sum,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  avg: (values) => sum(values) / values.length,
  count: (values) => values.length,
};

export function aggregate(
  { op, grouping }: Extract<Expr, { kind: 'aggregate' }>,
  samples: readonly Sample[],
): Sample[] {
  const operation = operations[op];
  if (!operation) throw new Error(`${op} is not supported`);
  const groups = Map.groupBy(samples, ({ labels }) => keyOf(grouped(labels, grouping)));
  return [...groups.values()].map((group) => ({
    labels: grouped(group[0]?.labels ?? {}, grouping),
    value: operation(group.map(({ value }) => value)),
  }));
}
