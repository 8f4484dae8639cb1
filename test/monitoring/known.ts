// Checks that expressions use only metrics of the table, with their own labels or those of the scrape.
import { metrics } from '../../src/server/metrics.ts';
import type { Expr, Grouping, Selector } from './promql/syntax.ts';

/** Labels that Prometheus adds, or users with several clusters. */
const ofTheScrape = ['instance', 'job', 'cluster'];

const labelsByName: ReadonlyMap<string, readonly string[]> = new Map(
  metrics.flatMap(({ name, type, labels }) =>
    type === 'histogram'
      ? [
          [`${name}_bucket`, [...labels, 'le']],
          [`${name}_sum`, labels],
          [`${name}_count`, labels],
        ]
      : [[name, labels]],
  ),
);

/** The labels that an expression may have. */
export const labelsIn = (expr: Expr): string[] => [
  ...ofTheScrape,
  ...selectorsIn(expr).flatMap(({ metric }) => labelsByName.get(metric) ?? []),
];

/** All unknown metrics and labels, as sentences. */
export function unknownIn(expr: Expr): string[] {
  const selectors = selectorsIn(expr).flatMap((selector) => {
    const labels = labelsByName.get(selector.metric);
    if (!labels) return [`no metric is called ${selector.metric}`];
    return selector.matchers
      .filter(({ label }) => ![...labels, ...ofTheScrape].includes(label))
      .map(({ label }) => `${selector.metric} has no label ${label}`);
  });
  const groups = groupingsIn(expr).flatMap(({ grouping, of }) =>
    grouping.labels
      .filter((label) => !labelsIn(of).includes(label))
      .map((label) => `nothing there has a label ${label}`),
  );
  return [...selectors, ...groups];
}

function partsOf(expr: Expr): readonly Expr[] {
  if (expr.kind === 'call') return expr.args;
  if (expr.kind === 'aggregate') return [expr.of];
  return expr.kind === 'binary' ? [expr.left, expr.right] : [];
}

const selectorsIn = (expr: Expr): Selector[] =>
  expr.kind === 'selector' ? [expr] : partsOf(expr).flatMap(selectorsIn);

interface Grouped {
  readonly grouping: Grouping;
  readonly of: Expr;
}

/** Both sides of an operation must have the labels they are matched by. */
function groupingsIn(expr: Expr): Grouped[] {
  const own =
    expr.kind === 'aggregate'
      ? [{ grouping: expr.grouping, of: expr.of }]
      : expr.kind === 'binary'
        ? partsOf(expr).map((of) => ({ grouping: expr.matching, of }))
        : [];
  return [...own, ...partsOf(expr).flatMap(groupingsIn)];
}
