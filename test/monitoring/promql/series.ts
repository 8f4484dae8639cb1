// Series of samples, in promtool's notation or scraped.
export type Labels = Readonly<Record<string, string>>;

export interface Point {
  /** In seconds. */
  readonly at: number;
  /** The end of a series; NaN would be a value. */
  readonly value: number | 'stale';
}

export interface Series {
  /** With its name under `__name__`. */
  readonly labels: Labels;
  readonly points: Point[];
}

export const keyOf = (labels: Labels): string =>
  JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

/** promtool's: `1+2x3`, `5x2`, `_`, `_x4`, `stale`, with a sample each interval. */
export function seriesOf(name: string, values: string, interval: number): Series {
  const points = values
    .trim()
    .split(/\s+/)
    .flatMap(expand)
    .map((value, index) => ({ at: index * interval, value }));
  return {
    labels: labelsOf(name),
    points: points.filter((it): it is Point => it.value !== undefined),
  };
}

function expand(word: string): (number | 'stale' | undefined)[] {
  if (word === 'stale') return ['stale'];
  const gap = /^_(?:x(\d+))?$/.exec(word);
  if (gap) return Array.from({ length: Number(gap[1] ?? 1) }, () => undefined);
  const [, first, step, times] = /^(-?[\d.]+(?:e\d+)?)(?:([+-][\d.]+))?(?:x(\d+))?$/.exec(word) ?? [];
  if (first === undefined) throw new Error(`not a value: ${word}`);
  // The first value and the given number of further ones.
  return Array.from({ length: Number(times ?? 0) + 1 }, (_, index) => Number(first) + index * Number(step ?? 0));
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?$/;
const pair = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** `name{label="value"}` */
export function labelsOf(text: string): Labels {
  const [, name, pairs = ''] = line.exec(text) ?? [];
  if (name === undefined) throw new Error(`not a series: ${text}`);
  const labels = [...pairs.matchAll(pair)].map(([, key, value]) => [key, JSON.parse(`"${value}"`) as string]);
  return { __name__: name, ...Object.fromEntries(labels) };
}

/** The series of scrapes of one target; a series that is missing in a scrape is stale from then on. */
export class Scraped {
  readonly #series = new Map<string, Series>();
  readonly #target: Labels;

  constructor(target: Labels) {
    this.#target = target;
  }

  scrape(text: string, at: number): void {
    const seen = new Set<string>();
    for (const row of text.split('\n')) {
      if (row === '' || row.startsWith('#')) continue;
      const split = row.lastIndexOf(' ');
      const labels = { ...labelsOf(row.slice(0, split)), ...this.#target };
      const key = keyOf(labels);
      seen.add(key);
      const series = this.#series.get(key) ?? { labels, points: [] };
      series.points.push({ at, value: Number(row.slice(split + 1)) });
      this.#series.set(key, series);
    }
    for (const [key, { points }] of this.#series)
      if (!seen.has(key) && points.at(-1)?.value !== 'stale') points.push({ at, value: 'stale' });
  }

  get series(): Series[] {
    return [...this.#series.values()];
  }
}
