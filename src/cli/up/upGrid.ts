// The nodes as a small grid: a row per pool, a column per zone, a symbol per node.
import type { Step } from '../../cluster/ledger.ts';
import { label } from '../../cluster/names.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { RefusalCode } from '../../engine/refusal.ts';
import type { Round, Verdict } from '../../engine/verdict.ts';
import {
  alignColumns,
  bold,
  count,
  dim,
  type Line,
  plain,
  type Span,
  type Style,
  styled,
  widthOf,
  widthOfLine,
} from '../span.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** As much of the line as fits; the last column is `…` if something is cut. */
export function clip(line: Line, width: number): Line {
  if (widthOfLine(line) <= width) return line;
  const spans: Span[] = [];
  let left = width - 1;
  for (const span of line) {
    const size = widthOf(span.text);
    if (size <= left) {
      spans.push(span);
      left -= size;
      continue;
    }
    spans.push({ ...span, text: `${cut(span.text, left)}…` });
    break;
  }
  return width > 0 ? spans : [];
}

function cut(text: string, width: number): string {
  let kept = '';
  let left = width;
  for (const { segment } of graphemes.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return kept;
}

interface Sign {
  readonly sign: string;
  readonly style: Style | undefined;
  readonly means: string;
}

/** In the order of precedence. */
const signs = {
  unready: { sign: '✗', style: 'red', means: 'not Ready' },
  coming: { sign: '◌', style: 'cyan', means: 'starting' },
  chosen: { sign: '◔', style: 'yellow', means: 'chosen' },
  replacing: { sign: '◑', style: 'yellow', means: 'replacing' },
  draining: { sign: '◕', style: 'yellow', means: 'draining' },
  leaving: { sign: '○', style: 'yellow', means: 'terminating' },
  held: { sign: '●', style: 'yellow', means: 'held' },
  well: { sign: '●', style: 'green', means: 'healthy' },
} as const satisfies Readonly<Record<string, Sign>>;

const ofStep: Readonly<Record<Step, Sign>> = {
  chosen: signs.chosen,
  tainted: signs.chosen,
  replacing: signs.replacing,
  draining: signs.draining,
  terminating: signs.leaving,
  released: signs.held,
  offered: signs.chosen,
  taken: signs.draining,
  withdrawn: signs.held,
};

interface NodeStates {
  readonly steps: ReadonlyMap<string, Step>;
  /** Nodes with a wish that is held. */
  readonly held: ReadonlySet<string>;
}

function nodeStates({ commands, verdicts }: Round): NodeStates {
  const steps = new Map(commands.flatMap(({ nodes, step }) => nodes.map(({ name }) => [name, step] as const)));
  return { steps, held: new Set(verdicts.filter(isWaiting).map(({ node }) => node)) };
}

/** Refusals without interest to a viewer: moving the node gains nothing, or its pool does not want it. */
const idle: ReadonlySet<RefusalCode> = new Set([
  'PolicyOff',
  'NotStable',
  'NoPlacement',
  'NotCheaper',
  'NoPriceKnown',
  'KarpenterDeclined',
  'AlreadyUnderway',
] as const);

export const isWaiting = ({ outcome, refusals }: Verdict): boolean =>
  outcome === 'held' && !refusals.some(({ code }) => idle.has(code));

function signOf({ node, state }: NodeView, { steps, held }: NodeStates): Sign {
  const step = steps.get(node.name);
  if (step) return ofStep[step];
  if (state.leaving) return signs.leaving;
  if (!state.initialized) return signs.coming;
  if (!state.ready) return signs.unready;
  return held.has(node.name) ? signs.held : signs.well;
}

/** Keeps the picture from jumping when a node comes or goes. */
const leastCell = 14;

/** Above mostNamed a cell shows only symbols, above mostSigns only their counts. */
const mostNamed = 4;
const mostSigns = 16;

export function renderGrid(cluster: Cluster, round: Round, width: number): Line[] {
  const states = nodeStates(round);
  const managed = cluster.nodes.filter(({ managed: it }) => it);
  const zoneOf = ({ node }: NodeView): string => node.labels[label.zone] ?? '-';
  const zones = [...new Set(managed.map(zoneOf))].sort(compareText);
  const pools = [...cluster.pools.keys()].sort(compareText);
  const head: Line[] = [[], ...zones.map((zone): Line => [dim(`zone ${zone}`.padEnd(leastCell))])];
  const rows = pools.map((pool): Line[] => [
    [bold(pool)],
    ...zones.map((zone) =>
      cell(
        managed.filter((view) => view.poolName === pool && zoneOf(view) === zone),
        pool,
        states,
      ),
    ),
  ]);
  return alignColumns([head, ...rows], { indent: 0, width });
}

function cell(views: readonly NodeView[], pool: string, states: NodeStates): Line {
  if (views.length > mostSigns) return summed(views, states);
  return views.toSorted(byNumber).flatMap((view, index): Span[] => {
    const { sign, style } = signOf(view, states);
    const name = views.length > mostNamed ? '' : shortName(view.node.name, pool);
    return [plain(index === 0 ? '' : ' '), style ? styled(style, `${sign}${name}`) : plain(`${sign}${name}`)];
  });
}

/** web-9 before web-10. */
const byNumber = ({ node: a }: NodeView, { node: b }: NodeView): number =>
  a.name.length - b.name.length || compareText(a.name, b.name);

function summed(views: readonly NodeView[], states: NodeStates): Line {
  const groups = Map.groupBy(views, (view) => signOf(view, states));
  return [...groups].flatMap(([{ sign, style }, its], index): Span[] => [
    plain(index === 0 ? '' : ' '),
    style ? styled(style, `${sign}×${its.length}`) : plain(`${sign}×${its.length}`),
  ]);
}

/** A node's name without its pool; of long names the end, which differs. */
const longest = 6;
const shortName = (name: string, pool: string): string =>
  (name.startsWith(`${pool}-`) ? name.slice(pool.length + 1) : name).slice(-longest);

/** The symbols visible now, with their meaning. */
export function renderLegend(cluster: Cluster, round: Round): Line {
  const states = nodeStates(round);
  const managed = cluster.nodes.filter(({ managed: it }) => it);
  const seen = Map.groupBy(managed, (view) => signOf(view, states));
  const shown = Object.values(signs).filter((sign: Sign) => seen.has(sign));
  return shown.flatMap((sign, index): Span[] => [
    plain(index === 0 ? '' : '   '),
    styled(sign.style, sign.sign),
    dim(` ${sign.means} ${seen.get(sign)?.length ?? 0}`),
  ]);
}

export const countNodes = (cluster: Cluster): string =>
  count(cluster.nodes.filter(({ managed }) => managed).length, 'node');
