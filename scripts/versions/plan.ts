// Which pair of versions and which stories `npm run test:versions` runs.
import { defaultPair, type Pair, versionList } from '../../test/cluster/versions.ts';

const day = 86_400_000;

/** Every pair except the default in turn, by the day of the year (UTC), so that each runs every few days. */
export function pairOfTheDay(now: Date): Pair {
  const others = versionList.pairs.filter((pair) => pair !== defaultPair);
  const today = Math.floor((now.getTime() - Date.UTC(now.getUTCFullYear(), 0, 1)) / day);
  return others[today % others.length] ?? defaultPair;
}

/** How many stories run at a time (vitest.e2e.config.ts). */
const lanes = 3;

/** The stories that fit into the given minutes, in the order of the list; at least the first. */
export function storiesWithin(minutes: number): readonly string[] {
  const free = Array<number>(lanes).fill(0);
  const chosen: string[] = [];
  for (const [story, takes] of Object.entries(versionList.stories)) {
    const lane = free.indexOf(Math.min(...free));
    const end = (free[lane] ?? 0) + takes;
    if (end > minutes && chosen.length > 0) continue;
    free[lane] = end;
    chosen.push(story);
  }
  return chosen;
}

/** Story files by the start of their names, such as 20 or 20-zone. */
export function storiesNamed(names: readonly string[]): readonly string[] {
  const known = Object.keys(versionList.stories);
  return names.map((name) => {
    const found = known.find((story) => story.startsWith(name));
    if (found === undefined) throw new Error(`Unknown core story "${name}": use ${known.join(', ')}`);
    return found;
  });
}
