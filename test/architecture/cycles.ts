// Import cycles: each once, starting with its first file by name.
import type { Source } from './sources.ts';

export function findCycles(sources: readonly Source[]): string[][] {
  const imports = new Map(sources.map(({ path, imports: all }) => [path, filesAmong(all)]));
  const cycles = new Map<string, string[]>();
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      const cycle = fromLeast(trail.slice(start));
      cycles.set(cycle.join(' '), cycle);
      return;
    }
    if (done.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return [...cycles.values()].sort((a, b) => (a.join() < b.join() ? -1 : 1));
}

const filesAmong = (imports: Source['imports']): string[] =>
  imports.flatMap(({ isFile, target }) => (isFile && target !== undefined ? [target] : []));

function fromLeast(cycle: readonly string[]): string[] {
  const least = cycle.indexOf([...cycle].sort()[0] as string);
  return [...cycle.slice(least), ...cycle.slice(0, least)];
}
