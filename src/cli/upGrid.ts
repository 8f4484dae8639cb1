// Which nodes are there, and how does each fare? A small grid: a row for each pool, a column for each zone, a sign for each node.
import type { Step } from '../cluster/ledger.ts';
import { label } from '../cluster/names.ts';
import { compareText, type NodeView } from '../cluster/nodeView.ts';
import type { Cluster } from '../cluster/store.ts';
import type { RefusalCode } from '../engine/refusal.ts';
import type { Round, Verdict } from '../engine/verdict.ts';
import { alignColumns } from './columns.ts';
import { count } from './scene.ts';
import { bold, dim, type Line, plain, type Span, type Style, styled } from './span.ts';

interface Sign {
  readonly sign: string;
  readonly style: Style | undefined;
  readonly means: string;
}

/** In the order in which they are asked. */
const signs = {
  unready: { sign: '✗', style: 'red', means: 'not Ready' },
  coming: { sign: '◌', style: 'cyan', means: 'coming' },
  chosen: { sign: '◔', style: 'yellow', means: 'chosen' },
  replacing: { sign: '◑', style: 'yellow', means: 'replacing' },
  draining: { sign: '◕', style: 'yellow', means: 'draining' },
  leaving: { sign: '○', style: 'yellow', means: 'leaving' },
  held: { sign: '●', style: 'yellow', means: 'held' },
  well: { sign: '●', style: 'green', means: 'well' },
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

interface Standing {
  readonly steps: ReadonlyMap<string, Step>;
  /** Nodes with a wish that is held. */
  readonly held: ReadonlySet<string>;
}

function standingOf({ commands, verdicts }: Round): Standing {
  const steps = new Map(commands.flatMap(({ nodes, step }) => nodes.map(({ name }) => [name, step] as const)));
  return { steps, held: new Set(verdicts.filter(isWaiting).map(({ node }) => node)) };
}

/** That nothing is gained by moving a node, or that its pool does not want it, is nothing anybody waits for. */
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

function signOf({ node, state }: NodeView, { steps, held }: Standing): Sign {
  const step = steps.get(node.name);
  if (step) return ofStep[step];
  if (state.leaving) return signs.leaving;
  if (!state.initialized) return signs.coming;
  if (!state.ready) return signs.unready;
  return held.has(node.name) ? signs.held : signs.well;
}

/** So that the picture does not jump whenever a node comes or goes. */
const leastCell = 14;

/** Beyond so many a cell has signs alone, beyond so many more it has their numbers. */
const mostNamed = 4;
const mostSigns = 16;

export function renderGrid(cluster: Cluster, round: Round, width: number): Line[] {
  const standing = standingOf(round);
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
        standing,
      ),
    ),
  ]);
  return alignColumns([head, ...rows], { indent: 0, width });
}

function cell(views: readonly NodeView[], pool: string, standing: Standing): Line {
  if (views.length > mostSigns) return summed(views, standing);
  return views.toSorted(byNumber).flatMap((view, index): Span[] => {
    const { sign, style } = signOf(view, standing);
    const name = views.length > mostNamed ? '' : shortName(view.node.name, pool);
    return [plain(index === 0 ? '' : ' '), style ? styled(style, `${sign}${name}`) : plain(`${sign}${name}`)];
  });
}

/** web-9 before web-10. */
const byNumber = ({ node: a }: NodeView, { node: b }: NodeView): number =>
  a.name.length - b.name.length || compareText(a.name, b.name);

function summed(views: readonly NodeView[], standing: Standing): Line {
  const groups = Map.groupBy(views, (view) => signOf(view, standing));
  return [...groups].flatMap(([{ sign, style }, its], index): Span[] => [
    plain(index === 0 ? '' : ' '),
    style ? styled(style, `${sign}×${its.length}`) : plain(`${sign}×${its.length}`),
  ]);
}

/** What is left of a name where its pool is known; of long ones the end, which tells them apart. */
const longest = 6;
const shortName = (name: string, pool: string): string =>
  (name.startsWith(`${pool}-`) ? name.slice(pool.length + 1) : name).slice(-longest);

/** The signs that are to be seen now, with what they mean. */
export function renderLegend(cluster: Cluster, round: Round): Line {
  const standing = standingOf(round);
  const managed = cluster.nodes.filter(({ managed: it }) => it);
  const seen = Map.groupBy(managed, (view) => signOf(view, standing));
  const shown = Object.values(signs).filter((sign: Sign) => seen.has(sign));
  return shown.flatMap((sign, index): Span[] => [
    plain(index === 0 ? '' : '   '),
    styled(sign.style, sign.sign),
    dim(` ${sign.means} ${seen.get(sign)?.length ?? 0}`),
  ]);
}

export const countNodes = (cluster: Cluster): string =>
  count(cluster.nodes.filter(({ managed }) => managed).length, 'node');
