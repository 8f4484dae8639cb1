// Range functions of PromQL; counters are extrapolated to the ends of the range, as in Prometheus.
interface Point {
  readonly at: number;
  readonly value: number;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

type OverRange = (points: readonly Point[], range: Range) => number | undefined;

const over =
  (work: (values: readonly number[]) => number): OverRange =>
  (points) =>
    points.length === 0 ? undefined : work(points.map(({ value }) => value));

export const rangeFunctions: Readonly<Record<string, OverRange>> = {
  changes: over((values) => values.filter((value, index) => index > 0 && value !== values[index - 1]).length),
  max_over_time: over((values) => Math.max(...values)),
  min_over_time: over((values) => Math.min(...values)),
  increase,
  rate: (points, range) => {
    const more = increase(points, range);
    return more === undefined ? undefined : more / (range.to - range.from);
  },
};

function increase(points: readonly Point[], range: Range): number | undefined {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return undefined;
  const raw = risen(points);
  const sampled = last.at - first.at;
  return (
    (raw *
      (sampled + beforeFirst(first, raw, { sampled, points, range }) + afterLast(last, { sampled, points, range }))) /
    sampled
  );
}

/** A counter that falls has restarted from zero. */
const risen = (points: readonly Point[]): number =>
  points.reduce((sum, { value }, index) => {
    const before = points[index - 1]?.value ?? value;
    return sum + (value < before ? value : value - before);
  }, 0);

interface Sampled {
  readonly sampled: number;
  readonly points: readonly Point[];
  readonly range: Range;
}

/** A larger gap than usual is an end of the series: extrapolates half a step there. */
function gap(missing: number, { sampled, points }: Sampled): number {
  const usual = sampled / (points.length - 1);
  return missing >= usual * 1.1 ? usual / 2 : missing;
}

/** No further back than to the zero of the counter. */
function beforeFirst(first: Point, raw: number, it: Sampled): number {
  const back = gap(first.at - it.range.from, it);
  return raw > 0 && first.value >= 0 ? Math.min(back, (it.sampled * first.value) / raw) : back;
}

const afterLast = (last: Point, it: Sampled): number => gap(it.range.to - last.at, it);
