// Consolidation as the cluster grows: how fast it judges, searches and decides, and how much it saves.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chartOf } from './consolidateChart.ts';
import { decideSnapshot } from './consolidateDecide.ts';
import { type Figures, karpenter, perCandidate } from './consolidateFigures.ts';
import { againstOptimum } from './consolidateOptimum.ts';
import { table } from './table.ts';

const utilisations = [0.45, 0.8];
/** Long enough for the largest cluster on a loaded machine. */
const patienceMs = 900_000;

/** `--nodes 100,1000` for other sizes, `--seeds 500` for more small clusters, `--write` to write figures and chart into the docs. */
export async function benchConsolidate(): Promise<string> {
  const sizes = flag('--nodes', '100,1000,10000').split(',').map(Number);
  const figures: Figures[] = [];
  for (const nodes of sizes) for (const used of utilisations) figures.push(await measure(nodes, used));
  const folder = mkdtempSync(join(tmpdir(), 'lull-bench-'));
  try {
    const parts = [
      judgingTable(figures),
      searchTable(figures),
      ratioTable(figures),
      await decideSnapshot(Math.max(...sizes), folder),
      await againstOptimum(Number(flag('--seeds', '200'))),
    ].join('\n\n');
    if (process.argv.includes('--write')) writeResults(parts, chartOf(figures));
    return parts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Replaces the tables only; check the sentences around them by hand. */
function writeResults(parts: string, chart: string): void {
  const file = join(import.meta.dirname, 'RESULTS.md');
  const isTable = /(?:^\|.*\n?)+/gm;
  const fresh = parts.match(isTable) ?? [];
  const [summary = ''] = /^.* clusters of 3 to 12 nodes;[^.]*\./m.exec(parts) ?? [];
  const text = readFileSync(file, 'utf8').replace(/^## consolidate\n[\s\S]*?(?=^## )/m, (section) => {
    let next = 0;
    return section
      .replace(isTable, (old) => `${fresh[next++]?.trimEnd() ?? old.trimEnd()}\n`)
      .replace(/^.* clusters of 3 to 12 nodes;[^.]*\./m, summary);
  });
  writeFileSync(file, text);
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'images', 'consolidation.svg'), chart);
}

function flag(name: string, otherwise: string): string {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise);
}

/** A process for each part, so that none uses another's caches, and its memory is measured alone. */
async function measure(nodes: number, utilisation: number): Promise<Figures> {
  const judging = await measurePart(nodes, utilisation, 'judging');
  const round = await measurePart(nodes, utilisation, 'round');
  const peakMb = Math.max(judging.peakMb, round.peakMb);
  return { ...judging, ...round, peakMb };
}

async function measurePart(nodes: number, utilisation: number, part: 'judging' | 'round'): Promise<Figures> {
  const file = join(import.meta.dirname, 'consolidateProcess.ts');
  const words = ['--expose-gc', file, `${nodes}`, `${utilisation}`, part];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { timeout: patienceMs });
  if (stderr) process.stderr.write(stderr);
  process.stderr.write(`bench consolidate: ${stdout}`);
  return JSON.parse(stdout) as Figures;
}

const judgingTable = (figures: readonly Figures[]): string =>
  table(
    [
      'nodes',
      'pods',
      'used',
      'board laid out',
      'every removal judged',
      'candidates a second',
      'after one change',
      'first round',
      'round after one change',
      'peak memory',
    ],
    figures.map(({ nodes, pods, utilisation, judging, round, peakMb }) => [
      count(nodes),
      count(pods),
      percent(utilisation),
      ms(judging.openMs),
      ms(judging.allMs),
      count(Math.round((judging.candidates / judging.allMs) * 1000)),
      ms(judging.afterChangeMs),
      ms(round.firstMs),
      ms(round.afterChangeMs),
      `${count(peakMb)} MB`,
    ]),
  );

const searchTable = (figures: readonly Figures[]): string =>
  table(
    [
      'nodes',
      'used',
      'task made',
      'first proposal',
      'whole search',
      'single nodes: saves an hour',
      'pods moved',
      'with the search: saves an hour',
      'pods moved',
    ],
    figures.map(({ nodes, utilisation, round, search }) => [
      count(nodes),
      percent(utilisation),
      ms(search.taskMs),
      ms(search.firstMs),
      ms(search.allMs),
      `${round.savings.toFixed(2)} (${count(round.commands)} commands)`,
      count(round.podsMoved),
      `${search.savings.toFixed(2)} (${count(search.commands)} commands)`,
      count(search.podsMoved),
    ]),
  );

/** Per candidate, laying out the board included: the ratio depends less on the machine than the figures. */
function ratioTable(figures: readonly Figures[]): string {
  const rows = figures.flatMap((it) => {
    // Karpenter's figure for the nearest size that is not larger.
    const other = [...karpenter].reverse().find(({ nodes }) => nodes <= it.nodes);
    if (!other) return [];
    const micros = perCandidate(it);
    const times = (milliseconds: number): string => count(Math.round((milliseconds * 1000) / micros));
    return [
      [
        count(it.nodes),
        percent(it.utilisation),
        `${micros.toFixed(0)} µs`,
        `${other.fastest}–${other.slowest} ms at ${count(other.nodes)} nodes`,
        `${times(other.fastest)}–${times(other.slowest)}`,
      ],
    ];
  });
  return table(['nodes', 'used', 'one candidate', 'Karpenter 1.15', 'times as fast'], rows);
}

const count = (value: number): string => value.toLocaleString('en');
const percent = (share: number): string => `${Math.round(share * 100)} %`;
const ms = (value: number): string => (value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(1)} ms`);
