// Binary operators of PromQL: arithmetic, filtering comparisons, and sets.
import type { Sample, Value } from './evaluate.ts';
import { grouped, nameless } from './labels.ts';
import { keyOf } from './series.ts';
import type { Expr } from './syntax.ts';

type Binary = Extract<Expr, { kind: 'binary' }>;

const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
};

export function combine(expr: Binary, left: Value, right: Value): Value {
  if (expr.op === 'and' || expr.op === 'or' || expr.op === 'unless') return sets(expr, left, right);
  if (typeof left === 'number' && typeof right === 'number') return scalars(expr, left, right);
  if (typeof right === 'number') return withScalar(expr, left as readonly Sample[], (value) => [value, right]);
  if (typeof left === 'number') return withScalar(expr, right, (value) => [left, value]);
  return pairs(expr, left, right);
}

/** The number; undefined if a comparison filters it out. `kept` is the value that a comparison returns. */
function outcome({ op, isBool }: Binary, [a, b]: readonly [number, number], kept: number): number | undefined {
  const compare = comparisons[op];
  if (compare && isBool) return Number(compare(a, b));
  if (compare) return compare(a, b) ? kept : undefined;
  const work = arithmetic[op];
  if (!work) throw new Error(`${op} is not supported`);
  return work(a, b);
}

function scalars(expr: Binary, a: number, b: number): number {
  if (comparisons[expr.op] && !expr.isBool) throw new Error('comparing two numbers requires bool');
  return outcome(expr, [a, b], a) ?? 0;
}

const keepsName = ({ op, isBool }: Binary): boolean => comparisons[op] !== undefined && !isBool;

function withScalar(
  expr: Binary,
  samples: readonly Sample[],
  sides: (value: number) => readonly [number, number],
): Sample[] {
  return samples.flatMap(({ labels, value }) => {
    const result = outcome(expr, sides(value), value);
    return result === undefined ? [] : [{ labels: keepsName(expr) ? labels : nameless(labels), value: result }];
  });
}

const signature = (expr: Binary, { labels }: Sample): string => keyOf(grouped(labels, expr.matching));

/** One to one; several matches are an error, as in Prometheus. */
function pairs(expr: Binary, left: readonly Sample[], right: readonly Sample[]): Sample[] {
  const partners = bySignature(expr, right);
  return [...bySignature(expr, left)].flatMap(([key, { labels, value }]) => {
    const partner = partners.get(key);
    const result = partner && outcome(expr, [value, partner.value], value);
    if (result === undefined) return [];
    const named = keepsName(expr) && !expr.matching.by && expr.matching.labels.length === 0;
    return [{ labels: named ? labels : grouped(labels, expr.matching), value: result }];
  });
}

function bySignature(expr: Binary, samples: readonly Sample[]): Map<string, Sample> {
  const found = new Map<string, Sample>();
  for (const sample of samples) {
    const key = signature(expr, sample);
    if (found.has(key)) throw new Error(`${expr.op} matches many to many: ${key}`);
    found.set(key, sample);
  }
  return found;
}

function sets(expr: Binary, left: Value, right: Value): Sample[] {
  if (typeof left === 'number' || typeof right === 'number') throw new Error(`${expr.op} requires two vectors`);
  const there = new Set(right.map((sample) => signature(expr, sample)));
  if (expr.op === 'and') return left.filter((sample) => there.has(signature(expr, sample)));
  if (expr.op === 'unless') return left.filter((sample) => !there.has(signature(expr, sample)));
  const here = new Set(left.map((sample) => signature(expr, sample)));
  return [...left, ...right.filter((sample) => !here.has(signature(expr, sample)))];
}
