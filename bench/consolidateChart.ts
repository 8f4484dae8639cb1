// The time for one candidate as the cluster grows: a small picture for the docs, readable on light and dark pages.
import { type Figures, karpenter, perCandidate } from './consolidateFigures.ts';

const width = 640;
const height = 320;
const left = 76;
const right = 20;
const top = 44;
const bottom = 48;

/** 10 µs to 1 s, 100 to 10,000 nodes; both axes logarithmic. */
const x = (nodes: number): number => left + ((Math.log10(nodes) - 2) / 2) * (width - left - right);
const y = (micros: number): number => height - bottom - ((Math.log10(micros) - 1) / 5) * (height - top - bottom);

const style = `
  text { font: 12px system-ui, sans-serif; fill: #333 }
  text.title { font-size: 14px; font-weight: 600 }
  line.grid { stroke: #8884; stroke-width: 1 }
  path { fill: none; stroke-width: 2 }
  line.karpenter { stroke: #bf5b00; stroke-width: 6; stroke-linecap: round }
  text.karpenter { fill: #bf5b00 }
  path.lull { stroke: #1f6feb }
  path.full { stroke: #8250df }
  circle.lull, text.lull { fill: #1f6feb }
  circle.full, text.full { fill: #8250df }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd }
    line.karpenter { stroke: #f0883e }
    text.karpenter { fill: #f0883e }
    path.lull { stroke: #58a6ff }
    path.full { stroke: #bc8cff }
    circle.lull, text.lull { fill: #58a6ff }
    circle.full, text.full { fill: #bc8cff }
  }`;

export function chartOf(figures: readonly Figures[]): string {
  const ticks = [
    [10, '10 µs'],
    [100, '100 µs'],
    [1_000, '1 ms'],
    [10_000, '10 ms'],
    [100_000, '100 ms'],
    [1_000_000, '1 s'],
  ] as const;
  const lines = [
    ...ticks.map(
      ([micros, word]) =>
        `<line class="grid" x1="${left}" x2="${width - right}" y1="${at(y(micros))}" y2="${at(y(micros))}"/>` +
        `<text x="${left - 8}" y="${at(y(micros) + 4)}" text-anchor="end">${word}</text>`,
    ),
    ...[100, 1_000, 10_000].map(
      (nodes) =>
        `<text x="${at(x(nodes))}" y="${height - bottom + 20}" text-anchor="middle">${nodes.toLocaleString('en')}</text>`,
    ),
    `<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle">nodes, 20 pods each (Karpenter: 15)</text>`,
    `<text class="title" x="${left}" y="20">Judging one candidate for consolidation</text>`,
    ...[0.45, 0.8].map((used) =>
      curve(
        figures.filter(({ utilisation }) => utilisation === used),
        used,
      ),
    ),
    ...karpenter.map(
      ({ nodes, fastest, slowest }) =>
        `<line class="karpenter" x1="${at(x(nodes))}" x2="${at(x(nodes))}" y1="${at(y(fastest * 1000))}" y2="${at(y(slowest * 1000))}"/>`,
    ),
    `<text class="karpenter" x="${at(x(2_000) + 12)}" y="${at(y(300_000) + 4)}">Karpenter 1.15, as measured</text>`,
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Time for one candidate, Lull against Karpenter"><style>${style}</style>
${lines.join('\n')}
</svg>
`;
}

/** Labelled at its end: the fuller cluster above, the emptier below, so that the labels do not overlap. */
function curve(figures: readonly Figures[], used: number): string {
  const points = [...figures]
    .sort((a, b) => a.nodes - b.nodes)
    .map((it) => [x(it.nodes), y(perCandidate(it))] as const);
  const [endX = 0, endY = 0] = points.at(-1) ?? [];
  const kind = used > 0.5 ? 'full' : 'lull';
  const path = points.map(([px, py], index) => `${index === 0 ? 'M' : 'L'}${at(px)} ${at(py)}`).join(' ');
  const dots = points.map(([px, py]) => `<circle class="${kind}" cx="${at(px)}" cy="${at(py)}" r="3.5"/>`).join('');
  const word = `Lull, ${Math.round(used * 100)} % used`;
  return `<path class="${kind}" d="${path}"/>${dots}<text class="${kind}" x="${at(endX)}" y="${at(endY + (used > 0.5 ? -10 : 18))}" text-anchor="end">${word}</text>`;
}

const at = (value: number): string => value.toFixed(1);
