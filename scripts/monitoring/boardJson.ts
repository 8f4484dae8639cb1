// Renders the board as Grafana's JSON model; the data source is a variable.
import { board, type Panel, type Row } from './board.ts';

/** A variable, so that the importing user chooses the data source. */
const datasource = { type: 'prometheus', uid: '$datasource' };
const height = 8;
const shortHeight = 4;
const columns = 24;

export function boardJson(): string {
  return `${JSON.stringify(model(), undefined, 2)}\n`;
}

const model = (): object => ({
  uid: 'lull',
  title: 'Lull',
  description: 'Which nodes are disrupted, which are held and why. Generated from the code by `npm run reference`.',
  tags: ['lull', 'karpenter'],
  editable: true,
  graphTooltip: 1,
  schemaVersion: 39,
  version: 1,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  timezone: '',
  templating: { list: [sourceVariable, variable('cluster', 'lull_rounds_total'), variable('nodepool', 'lull_wishes')] },
  annotations: { list: [] },
  links: [],
  panels: laidOut(board),
});

const sourceVariable = {
  name: 'datasource',
  label: 'Data source',
  type: 'datasource',
  query: 'prometheus',
  hide: 0,
  refresh: 1,
  current: {},
};

/** "All" also matches series without the label. */
const variable = (label: string, metric: string): object => ({
  name: label,
  type: 'query',
  datasource,
  query: { query: `label_values(${metric}, ${label})`, refId: label },
  definition: `label_values(${metric}, ${label})`,
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { selected: true, text: ['All'], value: ['$__all'] },
});

/** Places panels from left to right, and on the next line if one does not fit. */
function laidOut(rows: readonly Row[]): object[] {
  const placed: object[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: columns, h: 1 },
    });
    y += 1;
    const h = panels.every(({ kind }) => kind === 'stat') ? shortHeight : height;
    let x = 0;
    for (const panel of panels) {
      if (x + panel.width > columns) {
        x = 0;
        y += h;
      }
      placed.push({ id: placed.length + 1, gridPos: { x, y, w: panel.width, h }, ...panelModel(panel) });
      x += panel.width;
    }
    y += h;
  }
  return placed;
}

const panelModel = ({ title, description, kind, unit = 'short', alarms, stacked, queries }: Panel): object => ({
  type: kind,
  title,
  description,
  datasource,
  targets: queries.map(({ expr, legend }, index) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    datasource,
    expr,
    ...(legend && { legendFormat: legend }),
    ...(kind === 'timeseries' || kind === 'state-timeline' ? { range: true } : { instant: true, range: false }),
  })),
  fieldConfig: {
    defaults: {
      unit,
      min: 0,
      color: { mode: alarms ? 'thresholds' : 'palette-classic' },
      thresholds: { mode: 'absolute', steps: stepsOf(alarms) },
      ...(kind === 'timeseries' && {
        custom: { fillOpacity: stacked ? 30 : 5, stacking: { mode: stacked ? 'normal' : 'none', group: 'A' } },
      }),
    },
    overrides: [],
  },
  options: {},
});

function stepsOf(alarms: Panel['alarms']): object[] {
  const [orange, red] = alarms ?? [];
  return [
    { color: 'green', value: null },
    ...(orange === undefined || orange === red ? [] : [{ color: 'orange', value: orange }]),
    ...(red === undefined ? [] : [{ color: 'red', value: red }]),
  ];
}
