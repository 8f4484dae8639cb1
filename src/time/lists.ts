// Lists, counts and ordinals in sentences.

/** `1 node`, `3 nodes` */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** `a, b and c` */
export const andList = (words: readonly string[]): string => joined(words, 'and');

/** `a, b or c` */
export const orList = (words: readonly string[]): string => joined(words, 'or');

const joined = (words: readonly string[], last: string): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** How many items are listed before the rest is counted. */
const named = 3;

/** `a, b, c and 4 more` */
export const someOf = (words: readonly string[]): string =>
  words.length <= named + 1 ? andList(words) : `${words.slice(0, named).join(', ')} and ${words.length - named} more`;

/** `1st`, `2nd`, `23rd`, `11th` */
export function ordinal(number: number): string {
  const teens = number % 100 > 10 && number % 100 < 14;
  return `${number}${(teens ? undefined : ['th', 'st', 'nd', 'rd'][number % 10]) ?? 'th'}`;
}

/** Runs of three or more as their ends, `1st to 7th`, and all other values one by one, in the order given. */
export function runsOf(values: readonly number[], say: (value: number) => string): string[] {
  const runs: number[][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run && run.at(-1) === value - 1) run.push(value);
    else runs.push([value]);
  }
  return runs.flatMap((run) => (run.length > 2 ? [`${say(run[0] ?? 0)} to ${say(run.at(-1) ?? 0)}`] : run.map(say)));
}

/** With a capital letter. */
export const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Groups by likeness, in the order of the first thing of each group. */
export function groupsOf<Thing>(things: Iterable<Thing>, likeness: (thing: Thing) => unknown): [Thing, ...Thing[]][] {
  const groups = new Map<unknown, [Thing, ...Thing[]]>();
  for (const thing of things) {
    const key = likeness(thing);
    const group = groups.get(key);
    if (group) group.push(thing);
    else groups.set(key, [thing]);
  }
  return [...groups.values()];
}
