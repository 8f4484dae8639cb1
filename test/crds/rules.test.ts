// Every CEL rule, wherever it occurs, is run on valid and invalid values.
import { describe, expect, it } from 'vitest';
import type { Schema, ValidationRule } from '../../src/kinds/schema/schema.ts';
import { broken } from './cel.ts';
import { everySchema } from './everySchema.ts';
import { fieldsOf } from './fieldsOf.ts';
import { type Change, ruleCases } from './ruleCases.ts';

interface Placed {
  readonly place: string;
  readonly schema: Schema;
  readonly rule: ValidationRule;
}

const rules: Placed[] = Object.entries(everySchema).flatMap(([kind, root]) =>
  fieldsOf(root).flatMap(({ path, schema }) =>
    (schema['x-kubernetes-validations'] ?? []).map((rule) => ({ place: `${kind} ${path || '(whole)'}`, schema, rule })),
  ),
);

/** The longest prefix wins: one message may begin like another. */
const casesFor = ({ rule: { message } }: Placed): string | undefined =>
  Object.keys(ruleCases)
    .filter((words) => message.startsWith(words))
    .sort((a, b) => b.length - a.length)[0];

describe('The cases of the rules', () => {
  it('exist for every rule, good and bad', () => {
    expect(rules.filter((rule) => casesFor(rule) === undefined).map(({ place, rule }) => [place, rule])).toEqual([]);
    const poor = Object.entries(ruleCases).filter(([, { good, bad }]) => good.length === 0 || bad.length === 0);
    expect(poor).toEqual([]);
  });

  it('all belong to existing rules', () => {
    const used = new Set(rules.map(casesFor));
    expect(Object.keys(ruleCases).filter((words) => !used.has(words))).toEqual([]);
  });

  it('cover the expected number of rules and places', () =>
    expect({ places: rules.length, rules: new Set(rules.map(({ rule }) => rule.rule)).size }).toEqual({
      places: 143,
      rules: 50,
    }));
});

const isChange = (value: unknown): value is Change => typeof value === 'object' && value !== null && 'from' in value;

/** Label names follow the same rule as the key of a requirement. */
const onPlace = ({ schema }: Placed, value: unknown): unknown =>
  schema.additionalProperties && typeof value === 'string' ? { [value]: 'a' } : value;

function refusal(placed: Placed, value: unknown): string | undefined {
  const { from, to } = isChange(value) ? value : { from: undefined, to: value };
  return broken(placed.rule, placed.schema, onPlace(placed, to), from);
}

describe.each(rules.map((placed) => ({ ...placed, says: placed.rule.message.slice(0, 60) })))(
  '$place: $says',
  ({ place, schema, rule }) => {
    const placed = { place, schema, rule };
    const { good, bad } = ruleCases[casesFor(placed) ?? ''] ?? { good: [], bad: [] };

    it('admits good values', () => {
      for (const value of good) expect(refusal(placed, value), JSON.stringify(value)).toBeUndefined();
    });

    it('refuses bad values, with its own message', () => {
      for (const value of bad)
        expect(refusal(placed, value) ?? 'admitted', JSON.stringify(value)).toContain(rule.message);
    });
  },
);
