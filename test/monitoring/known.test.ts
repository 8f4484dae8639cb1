// Tests of the check for unknown metrics and labels.
import { describe, expect, it } from 'vitest';
import { unknownIn } from './known.ts';
import { readRules } from './promql/rules.ts';
import { parseExpr } from './promql/syntax.ts';

describe('J5: the rules use existing metrics', () => {
  it.each(readRules('deploy/monitoring/alerts.yaml'))('$alert', ({ expr, annotations, labels }) => {
    expect(unknownIn(parseExpr(expr))).toEqual([]);
    expect(labels.severity).toMatch(/^(warning|critical)$/);
    expect(annotations.summary).toMatch(/^(A|No|The|Pool|\{\{)/);
  });

  it.each([
    ['sum by (nodepool) (lull_nothing)', 'no metric is called lull_nothing'],
    ['lull_leader{nodepool="web"} > 0', 'lull_leader has no label nodepool'],
    ['sum by (code) (lull_wishes)', 'nothing there has a label code'],
    ['lull_wishes and on (nodepool) lull_leader', 'nothing there has a label nodepool'],
  ])('unknown names are reported: %s', (expr, says) => {
    expect(unknownIn(parseExpr(expr))).toContain(says);
  });
});
