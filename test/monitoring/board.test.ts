// Tests of the Grafana dashboard: queries, variables and layout (J5).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { board } from '../../scripts/monitoring/board.ts';
import { boardJson } from '../../scripts/monitoring/boardJson.ts';
import { labelsIn, unknownIn } from './known.ts';
import { parseExpr } from './promql/syntax.ts';

interface Placed {
  readonly id: number;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: unknown;
  readonly targets?: readonly { readonly refId: string; readonly datasource: unknown }[];
}

interface Model {
  readonly uid: string;
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly panels: readonly Placed[];
}

const text = boardJson();
const model = JSON.parse(text) as Model;
const queries = board.flatMap(({ title, panels }) =>
  panels.flatMap((panel) => panel.queries.map((query) => ({ ...query, where: `${title}: ${panel.title}` }))),
);

/** The query as Grafana sends it. */
const asked = (expr: string): string => expr.replaceAll('$__rate_interval', '5m');

describe('J5: the Grafana dashboard', () => {
  it('is as `npm run reference` writes it', () => {
    expect(readFileSync('deploy/monitoring/grafana.json', 'utf8')).toBe(text);
  });

  it.each(queries)('$where: $expr', ({ expr, legend }) => {
    const parsed = parseExpr(asked(expr));
    expect(unknownIn(parsed)).toEqual([]);
    const named = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    expect(labelsIn(parsed)).toEqual(expect.arrayContaining(named));
  });

  it('defines exactly the variables that it uses', () => {
    const grafanas = ['__rate_interval', '__all'];
    const used = new Set([...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name ?? ''));
    const own = model.templating.list.map(({ name }) => name);
    expect([...used].filter((name) => !grafanas.includes(name)).sort()).toEqual([...own].sort());
  });

  it('takes its variables from existing labels', () => {
    const asks = model.templating.list.flatMap(({ definition }) => definition ?? []);
    for (const ask of asks) {
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(ask) ?? [];
      expect(unknownIn(parseExpr(`${metric}{${label}="x"}`))).toEqual([]);
    }
    expect(asks).toHaveLength(2);
  });

  it('has no data source wired in', () => {
    const source = { type: 'prometheus', uid: '$datasource' };
    for (const { type, datasource, targets = [] } of model.panels) {
      if (type === 'row') continue;
      expect([datasource, ...targets.map((it) => it.datasource)]).toEqual([source, ...targets.map(() => source)]);
    }
    expect(text).not.toMatch(/"uid": "(?!\$datasource"|lull")/);
  });

  it('has panels with unique ids and positions', () => {
    expect(new Set(model.panels.map(({ id }) => id)).size).toBe(model.panels.length);
    const cells = model.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of model.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    for (const { targets = [] } of model.panels)
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  });
});
