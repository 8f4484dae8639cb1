// Mutations that change nothing anyone can observe, each with the reason; `npm run mutations -- --random` counts them apart.

interface Judged {
  readonly file: string;
  /** A text of the file that begins on the mutated line, to distinguish it from similar ones. */
  readonly on: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const judged: readonly Judged[] = [
  {
    file: 'src/engine/picture/timeline.ts',
    on: 'const pools = [...cluster.pools.values()].sort(',
    from: '1',
    to: '2',
    why: 'a comparator returns any positive number',
  },
];
