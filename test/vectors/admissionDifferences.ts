// Intended differences in admission between the embedded NodePool and Karpenter's, each with its clause.

/** The input and the stored value, by question; `-` is nothing. */
export type Facets = Readonly<Record<Facet, string>>;
export type Facet = 'admitted' | 'budgets' | 'consolidationPolicy' | 'consolidateAfter' | 'repairAfter' | 'expireAfter';

export interface AdmissionDifference {
  readonly clause: string;
  readonly upstream: string;
  readonly lull: string;
  /** How many cases show it. */
  readonly cases: number;
  /** Lull's own answers to cases with these answers of upstream; undefined if the case does not show the difference. */
  readonly answer: (upstream: Facets, name: string) => Partial<Facets> | undefined;
}

/** Refused before anything is stored. */
const refused: Partial<Facets> = {
  admitted: 'no',
  budgets: '-',
  consolidationPolicy: '-',
  consolidateAfter: '-',
  expireAfter: '-',
};

const only = (names: readonly string[], answer: Partial<Facets>): AdmissionDifference['answer'] => {
  const shown = new Set(names);
  return (_, name) => (shown.has(name) ? answer : undefined);
};

const sixFields = ['schedule/"* * * * * *"', 'schedule/"0 0 0 * * *"'];
const noDuration = ['duration/"0m"'];
const refusedByLull = new Set([...sixFields, ...noDuration]);
const expired = 'reasons/["Expired"]';

export const admissionDifferences: Readonly<Record<string, AdmissionDifference>> = {
  'cron with six fields': {
    clause: 'C8, D7',
    upstream: 'admitted: the budget then fails closed',
    lull: 'rejected at admission',
    cases: 2,
    answer: only(sixFields, refused),
  },
  'openings below a minute': {
    clause: 'B5, C8',
    upstream: 'admitted: the budget is never active',
    lull: 'rejected at admission',
    cases: 1,
    answer: only(noDuration, refused),
  },
  'more reasons': {
    clause: 'C1',
    upstream: 'Expired and Rebalance are rejected',
    lull: 'they are reasons like others',
    cases: 1,
    answer: only([expired], {
      admitted: 'yes',
      budgets: '[{"nodes":"1","reasons":["Expired"]}]',
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '15s',
      repairAfter: '30m',
      expireAfter: '720h',
    }),
  },
  'consolidateAfter that is not given': {
    clause: 'A3',
    upstream: '0s is stored',
    lull: '15s is stored',
    cases: 49,
    answer: ({ consolidateAfter }, name) =>
      consolidateAfter === '0s' && name !== 'consolidateAfter/"0s"' && !refusedByLull.has(name)
        ? { consolidateAfter: '15s' }
        : undefined,
  },
  'repairAfter that is not given': {
    clause: 'A3, A7',
    upstream: 'no such field',
    lull: '30m is stored',
    cases: 52,
    answer: ({ admitted }, name) =>
      admitted === 'yes' && !refusedByLull.has(name) ? { repairAfter: '30m' } : undefined,
  },
};
