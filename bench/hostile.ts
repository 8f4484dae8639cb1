// What a tenant's hostile pods cost: each row of hostileRows.ts beside the same cluster without them, each in its own process.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { HostileRow } from './hostileRow.ts';
import { hostileRows } from './hostileRows.ts';
import { table } from './table.ts';

interface Figures {
  /** Reading the objects into the store. */
  readonly readMs: number;
  readonly firstMs: number;
  /** The median round after one change, ten seconds after the previous one. */
  readonly afterMs: number;
  readonly slowestMs: number;
  readonly peakMb: number;
}

/** A row that takes longer is reported as exceeding the limit. */
const longest = 120_000;
const script = fileURLToPath(new URL('hostileProcess.ts', import.meta.url));

/** `npm run bench -- hostile --rows=crons`: the rows whose name contains that text. */
export function benchHostile(): string {
  const wanted = process.argv.find((argument) => argument.startsWith('--rows='))?.slice('--rows='.length) ?? '';
  const plain = new Map<number, Figures | undefined>();
  const rows = hostileRows
    .filter(({ name }) => name.includes(wanted))
    .map((row) => {
      if (!plain.has(row.nodes)) plain.set(row.nodes, run(row.nodes));
      return tell(row, plain.get(row.nodes), run(row.nodes, row.name));
    });
  const head = ['nodes', 'hostile objects', 'read', 'first round', 'after one change', 'slowest of 9', 'peak memory'];
  return table(head, rows);
}

function run(nodes: number, row = ''): Figures | undefined {
  const { stdout, status } = spawnSync(process.execPath, [script, String(nodes), row], {
    encoding: 'utf8',
    timeout: longest,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return status === 0 ? (JSON.parse(stdout) as Figures) : undefined;
}

function tell({ nodes, name }: HostileRow, plain: Figures | undefined, hostile: Figures | undefined): string[] {
  if (!plain || !hostile) return [String(nodes), name, `more than ${longest / 1000} s`];
  const beside = (key: Exclude<keyof Figures, 'peakMb'>): string =>
    `${say(hostile[key])} (plain ${say(plain[key])}: × ${(hostile[key] / plain[key]).toFixed(1)})`;
  return [
    String(nodes),
    name,
    beside('readMs'),
    beside('firstMs'),
    beside('afterMs'),
    beside('slowestMs'),
    `${hostile.peakMb.toFixed(0)} MB (plain ${plain.peakMb.toFixed(0)})`,
  ];
}

const say = (ms: number): string => (ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`);
