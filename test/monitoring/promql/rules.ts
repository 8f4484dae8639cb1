// Evaluates alerting rules at every interval; an alert fires when it has held for its duration.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { secondsOf } from './duration.ts';
import { evaluate, type Sample } from './evaluate.ts';
import { nameless } from './labels.ts';
import { keyOf, type Labels, type Series } from './series.ts';
import { type Expr, parseExpr } from './syntax.ts';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Labels;
  readonly annotations: Labels;
}

export interface Alert {
  readonly alert: string;
  /** The labels without the alert's name. */
  readonly labels: Labels;
  readonly annotations: Labels;
}

export function readRules(path: string): readonly Rule[] {
  const file = parse(readFileSync(path, 'utf8')) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap(({ rules }) => rules);
}

/** What fires at an instant, with the rules evaluated from `from` on. */
export class Alerting {
  readonly #rules: readonly { readonly rule: Rule; readonly expr: Expr; readonly since: Map<string, number> }[];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules.map((rule) => ({ rule, expr: parseExpr(rule.expr), since: new Map() }));
  }

  at(at: number, series: readonly Series[]): Alert[] {
    return this.#rules.flatMap(({ rule, expr, since }) => {
      const value = evaluate(expr, { series, at });
      if (typeof value === 'number') throw new Error(`${rule.alert} is a number, not a vector`);
      const standing = new Map(value.map((sample) => [keyOf(nameless(sample.labels)), sample]));
      for (const key of [...since.keys()]) if (!standing.has(key)) since.delete(key);
      return [...standing].flatMap(([key, sample]) => {
        const began = since.get(key) ?? at;
        since.set(key, began);
        return at - began >= secondsOf(rule.for ?? '0s') ? [alertOf(rule, sample)] : [];
      });
    });
  }
}

function alertOf({ alert, labels, annotations }: Rule, sample: Sample): Alert {
  const found = nameless(sample.labels);
  const told = Object.entries(annotations).map(([key, text]) => [key, expand(text, found, sample.value)]);
  return { alert, labels: { ...found, ...labels }, annotations: Object.fromEntries(told) };
}

/** The part of Go's templates that the rules use; everything else is an error. */
const expand = (text: string, labels: Labels, value: number): string =>
  text.replaceAll(/\{\{\s*(.*?)\s*\}\}/g, (_, word: string) => {
    if (word === '$value') return String(value);
    const label = /^\$labels\.(\w+)$/.exec(word)?.[1];
    if (label === undefined) throw new Error(`{{ ${word} }} is not supported`);
    return labels[label] ?? '';
  });
