// Counted and consumed nodes equal upstream's (C3, C4, C6).
import { describe, expect, it } from 'vitest';
import { emptyLedger, type Ledger } from '../../src/cluster/ledger.ts';
import type { Round } from '../../src/engine/verdict.ts';
import { decide, instant } from './decide.ts';
import { type Case, compareWithUpstream, readCases } from './facets.ts';
import { condition, type PlainObject, type PlainPool, withBudgets, withCondition } from './objects.ts';

interface Input {
  readonly at: string;
  readonly nodePools: readonly PlainPool[];
  readonly nodeClaims: readonly PlainObject[];
  readonly nodes: readonly PlainObject[];
  /** Nodes in a command. */
  readonly markedForDeletion: readonly string[];
}

type Figures = { readonly counted: number; readonly consumed: number; readonly allowed: number };
type Want = { readonly reasons: Readonly<Record<string, Readonly<Record<string, Figures>>>> };

const noLimit = 2 ** 31 - 1;

/** In a command of Karpenter. */
function inCommand({ nodeClaims, markedForDeletion, at }: Input): readonly PlainObject[] {
  const commanded = condition('DisruptionReason', at, 'Drifted');
  return nodeClaims.map((claim) =>
    markedForDeletion.includes(claim.metadata.name) ? withCondition(claim, commanded) : claim,
  );
}

/** In a command of Lull. */
function ledgerOf({ markedForDeletion, at }: Input): Ledger {
  const commands = markedForDeletion.map((name) => ({
    id: `drifted-${name}`,
    reason: 'Drifted' as const,
    pool: 'p',
    hands: 'lull' as const,
    nodes: [{ name }],
    replacements: [],
    promisedTo: [],
    step: 'tainted' as const,
    startedAt: instant(at),
    stepAt: instant(at),
  }));
  return { ...emptyLedger, commands };
}

/** `counted consumed left`, for every reason and pool of upstream's answer. The limit under a budget of 100 % is the count. */
function figures(
  { input, want }: Case<Input, Want>,
  ask: (pools: readonly PlainPool[]) => Round,
): Record<string, string> {
  const round = ask(input.nodePools);
  const whole = ask(input.nodePools.map((pool) => withBudgets(pool, [{ nodes: '100%' }])));
  const rows = Object.entries(want.reasons).flatMap(([reason, pools]) =>
    Object.keys(pools).map((pool) => [reason, pool] as const),
  );
  return Object.fromEntries(
    rows.map(([reason, pool]) => {
      const find = ({ allowances }: Round) => allowances.find((it) => it.pool === pool && it.reason === reason);
      const mine = find(round);
      return [`${reason} ${pool}`, `${find(whole)?.limit} ${mine?.consumed} ${mine?.left ?? '-'}`];
    }),
  );
}

compareWithUpstream<Input, Want>('consumed', (vector) => {
  const { input, want } = vector;
  const rows = Object.entries(want.reasons).flatMap(([reason, pools]) =>
    Object.entries(pools).map(([pool, { counted, consumed, allowed }]) => {
      return [`${reason} ${pool}`, `${counted} ${consumed} ${allowed === noLimit ? '-' : allowed}`];
    }),
  );
  return {
    upstream: Object.fromEntries(rows),
    lull: figures(vector, (pools) =>
      decide({ objects: [...pools, ...input.nodes, ...inCommand(input)], at: input.at }),
    ),
  };
});

describe('C4: a command of the ledger consumes like one of Karpenter', () => {
  const marked = readCases<Input, Want>('consumed').filter(({ input }) => input.markedForDeletion.length > 0);

  it.each(marked.map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
    const { input } = vector;
    const karpenters = figures(vector, (pools) =>
      decide({ objects: [...pools, ...input.nodes, ...inCommand(input)], at: input.at }),
    );
    const ours = figures(vector, (pools) => {
      return decide({
        objects: [...pools, ...input.nodes, ...input.nodeClaims],
        at: input.at,
        ledger: ledgerOf(input),
      });
    });
    expect(ours).toEqual(karpenters);
  });
});
