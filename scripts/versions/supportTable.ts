// The table of docs/support.md that runs on other versions write, between two markers: a row for each pair, the last run of it.
import type { Pair } from '../../test/cluster/versions.ts';

export interface Result {
  readonly pair: Pair;
  /** As 2026-11-16. */
  readonly date: string;
  readonly commit: string;
  /** File names without extensions. */
  readonly stories: readonly string[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const begins = '<!-- written by npm run test:versions: begin -->';
const ends = '<!-- written by npm run test:versions: end -->';

const headings = ['Kubernetes', 'Karpenter', 'passed', 'failed', 'skipped', 'stories', 'date', 'commit'] as const;
type Row = readonly string[];

/** The page with this result in its table, replacing an earlier one of the same pair. */
export function withResult(page: string, result: Result): string {
  const [start, end] = [page.indexOf(begins), page.indexOf(ends)];
  if (start < 0 || end < start)
    throw new Error(`The page has no table: add "${begins}" and "${ends}" where the table should be`);
  const row = rowOf(result);
  const others = rowsIn(page.slice(start, end)).filter((it) => it[0] !== row[0] || it[1] !== row[1]);
  const rows = [...others, row].toSorted((one, other) => byVersion(one[0], other[0]) || byVersion(one[1], other[1]));
  return `${page.slice(0, start)}${begins}\n\n${draw([headings, ...rows])}\n\n${page.slice(end)}`;
}

const byVersion = (one = '', other = ''): number => other.localeCompare(one, 'en', { numeric: true });

function rowOf({ pair, passed, failed, skipped, stories, date, commit }: Result): Row {
  const numbers = stories.map((story) => story.split('-')[0] ?? story).toSorted();
  return [pair.kubernetes, pair.karpenter, `${passed}`, `${failed}`, `${skipped}`, numbers.join(' '), date, commit];
}

function rowsIn(text: string): Row[] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function draw([head = [], ...rows]: readonly Row[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: Row): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
