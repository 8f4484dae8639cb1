// Limits of a pool equal upstream's for every reason, budget and instant (B, C1–C8).
import { describe, expect, it } from 'vitest';
import type { Round } from '../../src/engine/verdict.ts';
import { decide } from './decide.ts';
import { differences } from './differences.ts';
import { compareWithUpstream, readCases } from './facets.ts';
import {
  claimOf,
  condition,
  type PlainObject,
  type PlainPool,
  poolLabel,
  readyNode,
  withCondition,
} from './objects.ts';

interface Input {
  readonly nodePool: PlainPool;
  readonly numNodes: number;
  readonly at: string;
}

interface Want {
  /** The object cannot be decoded. */
  readonly decodeError?: string;
  readonly budgets?: readonly { readonly active?: boolean; readonly allowed: number }[];
  readonly reasons?: Readonly<Record<string, { readonly must: number; readonly error?: string }>>;
}

/** The order of the figures in an answer such as `5 5 - 1`, where `-` means unlimited. */
const reasons = ['Drifted', 'Empty', 'Underutilized', 'Unhealthy'];
const noLimit = 2 ** 31 - 1;

const decideOn = (
  { nodePool, numNodes, at }: Input,
  defaultBudgets: 'ceiling' | 'fallback',
  claims?: 'Drifted',
): Round => {
  const labels = poolLabel(nodePool.metadata.name);
  const parts = Array.from({ length: numNodes }, (_, index) => ({ name: `n${index}`, labels }));
  const withIts = (claim: PlainObject): PlainObject => (claims ? withCondition(claim, condition(claims, at)) : claim);
  const objects = [nodePool, ...parts.map(readyNode), ...parts.map((part) => withIts(claimOf(part)))];
  return decide({ objects, at, settings: { defaultBudgets, ...(claims && { role: 'observe' }) } });
};

const figures = (limits: readonly (number | undefined)[]): string =>
  limits.map((limit = noLimit) => (limit === noLimit ? '-' : limit)).join(' ');

const limitsOf = ({ allowances }: Round): string =>
  figures(reasons.map((reason) => allowances.find((allowance) => allowance.reason === reason)?.limit));

/** C8: reported in faults, and on every node that would be disrupted. */
function faultOf({ faults, verdicts }: Round): boolean | string {
  const isFaulty = faults.some(({ severity }) => severity === 'error');
  const held = verdicts.filter(({ refusals }) => refusals.some(({ code }) => code === 'PoolFault'));
  return held.length === (isFaulty ? verdicts.length : 0)
    ? isFaulty
    : `${held.length} of ${verdicts.length} nodes held`;
}

compareWithUpstream<Input, Want>('budgets', ({ input, want }) => {
  const round = decideOn(input, 'ceiling');
  const of = (reason: string) => want.reasons?.[reason] ?? { must: 0, error: want.decodeError };
  const must = reasons.map((reason) => of(reason).must);
  return {
    upstream: { limits: figures(must), fault: reasons.some((reason) => of(reason).error !== undefined) },
    lull: { limits: limitsOf(round), fault: faultOf(round) },
  };
});

describe('C5: by default a budget without reasons applies only to reasons that no budget names, and a freeze to all', () => {
  const differing = new Set(differences.flatMap(({ cases }) => Object.keys(cases.budgets ?? {})));
  const sound = readCases<Input, Want>('budgets').filter(
    ({ name, want }) => !differing.has(name) && reasons.every((reason) => want.reasons?.[reason]?.error === undefined),
  );

  it('is tested with most of the cases', () => expect(sound.length).toBe(429));

  it.each(sound.map(({ name, input, want }) => [name, input, want] as const))('%s', (_, input, want) => {
    const active = (input.nodePool.spec.disruption.budgets ?? []).flatMap((budget, index) => {
      const figure = want.budgets?.[index];
      return figure?.active
        ? [{ names: budget.reasons, allowed: figure.allowed, freezes: /^0+%?$/.test(budget.nodes ?? '') }]
        : [];
    });
    const expected = reasons.map((reason) => {
      const named = active.filter(({ names }) => names?.includes(reason));
      const unnamed = active.filter(({ names, freezes }) => names === undefined && (named.length === 0 || freezes));
      const least = Math.min(...[...named, ...unnamed].map(({ allowed }) => allowed));
      return Number.isFinite(least) ? least : undefined;
    });
    expect(limitsOf(decideOn(input, 'fallback'))).toBe(figures(expected));
  });
});

describe("C5, N4: beside Karpenter as many drifted nodes are disrupted by default as Karpenter's own code allows", () => {
  const differing = new Set(differences.flatMap(({ cases }) => Object.keys(cases.budgets ?? {})));
  const sound = readCases<Input, Want>('budgets').filter(
    ({ name, want }) => !differing.has(name) && want.reasons?.Drifted?.error === undefined,
  );

  it('is tested with most of the cases', () => expect(sound.length).toBeGreaterThan(420));

  it.each(sound.map(({ name, input, want }) => [name, input, want] as const))('%s', (_, input, want) => {
    const { disruption } = input.nodePool.spec;
    const spec = { ...input.nodePool.spec, disruption: { ...disruption, consolidateAfter: 'Never' } };
    const round = decideOn({ ...input, nodePool: { ...input.nodePool, spec } }, 'fallback', 'Drifted');
    const gone = round.verdicts.filter(({ reason, outcome }) => reason === 'Drifted' && outcome === 'go');
    expect(gone.length).toBe(Math.min(want.reasons?.Drifted?.must ?? 0, input.numNodes));
  });
});
