// Evaluates an expression at an instant as Prometheus 3 does, for the part of PromQL that Lull's rules use.
import { aggregate } from './aggregate.ts';
import { combine } from './combine.ts';
import { nameless } from './labels.ts';
import { rangeFunctions } from './rangeFunctions.ts';
import type { Labels, Point, Series } from './series.ts';
import type { Expr, Matcher, Selector } from './syntax.ts';

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export type Value = number | readonly Sample[];

export interface Moment {
  readonly series: readonly Series[];
  /** In seconds. */
  readonly at: number;
}

/** How long a sample is used after its instant. */
const lookback = 300;

export function evaluate(expr: Expr, moment: Moment): Value {
  switch (expr.kind) {
    case 'number':
      return expr.value;
    case 'selector':
      return instantly(expr, moment);
    case 'aggregate':
      return aggregate(expr, vectorOf(evaluate(expr.of, moment), expr.op));
    case 'binary':
      return combine(expr, evaluate(expr.left, moment), evaluate(expr.right, moment));
    case 'call':
      return call(expr, moment);
  }
}

function vectorOf(value: Value, who: string): readonly Sample[] {
  if (typeof value === 'number') throw new Error(`${who} requires a vector`);
  return value;
}

function matching({ metric, matchers }: Selector, series: readonly Series[]): Series[] {
  const all: readonly Matcher[] = [
    ...(metric ? [{ label: '__name__', op: '=', value: metric } as const] : []),
    ...matchers,
  ];
  return series.filter(({ labels }) => all.every((it) => fits(it, labels[it.label] ?? '')));
}

function fits({ op, value }: Matcher, text: string): boolean {
  if (op === '=' || op === '!=') return (text === value) === (op === '=');
  return new RegExp(`^(?:${value})$`, 's').test(text) === (op === '=~');
}

function instantly(selector: Selector, { series, at }: Moment): Sample[] {
  if (selector.range !== undefined)
    throw new Error(`${selector.metric} is a range vector where an instant vector is expected`);
  return matching(selector, series).flatMap(({ labels, points }) => {
    const last = points.findLast((point) => point.at <= at);
    if (!last || last.value === 'stale' || last.at <= at - lookback) return [];
    return [{ labels, value: last.value }];
  });
}

function call(expr: Extract<Expr, { kind: 'call' }>, moment: Moment): Value {
  const [first] = expr.args;
  if (expr.name === 'time') return moment.at;
  if (!first) throw new Error(`${expr.name} without an argument is not supported`);
  if (expr.name === 'absent') return absent(first, evaluate(first, moment));
  const over = rangeFunctions[expr.name];
  if (!over || first.kind !== 'selector' || first.range === undefined) throw new Error(`${expr.name} is not supported`);
  const window = { from: moment.at - first.range, to: moment.at };
  return matching(first, moment.series).flatMap(({ labels, points }) => {
    const value = over(pointsIn(points, window), window);
    return value === undefined ? [] : [{ labels: nameless(labels), value }];
  });
}

/** Start exclusive, end inclusive. */
const pointsIn = (points: readonly Point[], { from, to }: { from: number; to: number }) =>
  points.flatMap(({ at, value }) => (value !== 'stale' && at > from && at <= to ? [{ at, value }] : []));

/** The labels that a selector matches for equality. */
function absent(of: Expr, value: Value): Sample[] {
  if (vectorOf(value, 'absent').length > 0) return [];
  const said = of.kind === 'selector' ? of.matchers.filter(({ op }) => op === '=') : [];
  return [{ labels: Object.fromEntries(said.map((it) => [it.label, it.value])), value: 1 }];
}
