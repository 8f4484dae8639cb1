// How long small commands take from the shell and back, beside a Node that does nothing. Runs dist: build first.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { table } from './table.ts';

const program = join(import.meta.dirname, '..', 'dist', 'lull.mjs');
const times = 31;

const commands: readonly (readonly [name: string, words: readonly string[]])[] = [
  ['node -e 0', ['-e', '0']],
  ['lull version', [program, 'version']],
  ['lull when', [program, 'when', '0 9 * * mon-fri', '--duration', '8h']],
  ['lull --help', [program, '--help']],
  ['lull decide -f', [program, 'decide', '-f', join(import.meta.dirname, '..', 'scenarios', 'first-look.yaml')]],
];

/** Alternating, so that other load on the machine affects all of them equally. */
export function benchStartup(): string {
  const took = commands.map((): number[] => []);
  for (let turn = 0; turn < times; turn++) {
    commands.forEach(([, words], index) => {
      const started = performance.now();
      const { status } = spawnSync(process.execPath, words, { stdio: 'ignore' });
      if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}`);
      took[index]?.push(performance.now() - started);
    });
  }
  const sorted = took.map((each) => each.toSorted((a, b) => a - b));
  const median = (each: readonly number[] = []): number => each[Math.floor(times / 2)] ?? Number.NaN;
  const bare = median(sorted[0]);
  const rows = commands.map(([name], index) => [
    name,
    `${(sorted[index]?.[0] ?? 0).toFixed(0)} ms`,
    `${median(sorted[index]).toFixed(0)} ms`,
    `${(median(sorted[index]) / bare).toFixed(1)} ×`,
  ]);
  return table(['command', 'best', 'median', 'to bare Node'], rows);
}
