// The embedded NodePool admits and stores what Karpenter's CRD does, except for admissionDifferences.ts.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { schemaOf } from '../../src/kinds/schema/crds.ts';
import { nodePool } from '../../src/kinds/schema/nodePoolSchema.ts';
import { admit, type Plain } from '../crds/admit.ts';
import { admissionDifferences, type Facet, type Facets } from './admissionDifferences.ts';

interface Stored {
  readonly disruption: Plain;
  readonly expireAfter: string;
}

interface Case {
  readonly name: string;
  readonly input: { readonly nodePool: Plain; readonly old?: Plain };
  readonly want: { readonly admitted: boolean; readonly defaulted?: Stored };
}

const file = new URL('admission.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly Case[] };
const schema = schemaOf(nodePool);

function facets(stored: Stored | undefined): Facets {
  const { budgets, consolidationPolicy = '-', consolidateAfter = '-', repairAfter = '-' } = stored?.disruption ?? {};
  return {
    admitted: stored ? 'yes' : 'no',
    budgets: budgets ? JSON.stringify(sorted(budgets)) : '-',
    consolidationPolicy: String(consolidationPolicy),
    consolidateAfter: String(consolidateAfter),
    repairAfter: String(repairAfter),
    expireAfter: stored?.expireAfter ?? '-',
  };
}

/** The order of fields does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

function answerOf({ input }: Case): Facets {
  const { object, errors } = admit(schema, input.nodePool, input.old);
  if (errors.length > 0) return facets(undefined);
  const { disruption, template } = object.spec as { disruption: Plain; template: { spec: { expireAfter: string } } };
  return facets({ disruption, expireAfter: template.spec.expireAfter });
}

const upstreamOf = ({ want }: Case): Facets => facets(want.defaulted);

describe('admission.json, compared with upstream', () => {
  it.each(cases.map((it) => [it.name, it] as const))('%s', (name, vector) => {
    const upstream = upstreamOf(vector);
    const answers = Object.values(admissionDifferences).flatMap(({ answer }) => answer(upstream, name) ?? []);
    expect(answerOf(vector)).toEqual(Object.assign({}, upstream, ...answers));
    // A listed difference must occur, exactly once.
    const explained = answers.flatMap((answer) => Object.entries(answer)) as [Facet, string][];
    expect(explained.filter(([facet, value]) => upstream[facet] === value)).toEqual([]);
    expect(new Set(explained.map(([facet]) => facet)).size).toBe(explained.length);
  });
});

describe('the list of differences', () => {
  it.each(Object.entries(admissionDifferences))(
    'covers the number of cases it gives: %s',
    (_, { answer, cases: count }) => expect(cases.filter((it) => answer(upstreamOf(it), it.name)).length).toBe(count),
  );

  it('changes whether a pool is admitted in only four of them', () => {
    expect(cases.length).toBe(108);
    const differing = cases.filter((it) => answerOf(it).admitted !== upstreamOf(it).admitted);
    expect(differing.map(({ name }) => name)).toEqual([
      'schedule/"* * * * * *"',
      'schedule/"0 0 0 * * *"',
      'duration/"0m"',
      'reasons/["Expired"]',
    ]);
  });
});
