// PodDisruptionBudgets hold the nodes that they hold upstream (E10).
import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../src/engine/refusal.ts';
import type { Round } from '../../src/engine/verdict.ts';
import { decide } from './decide.ts';
import { compareWithUpstream, readCases } from './facets.ts';
import { annotated, claimOf, freePool, onNode, type PlainObject, poolLabel, readyNode, withStatus } from './objects.ts';

interface Input {
  readonly at: string;
  readonly pdbs: readonly PlainObject[];
  readonly pods: readonly PlainObject[];
}

interface Want {
  /** One invalid PDB stops all of upstream. */
  readonly error?: string;
  readonly canEvictPods?: boolean;
  readonly blockingPDBs?: readonly string[];
  readonly pods?: readonly { readonly pod: string; readonly canEvict: boolean }[];
}

const node = { name: 'node-1', labels: poolLabel('p') };

const byPdb = (refusals: readonly Refusal[] = []): Refusal[] =>
  refusals.filter(({ code }) => code === 'PdbSpent' || code === 'PdbOverlap');

/** As the owner, or (two on one pod) in the sentence. */
const names = ({ owner, message }: Refusal, pdb: string): boolean =>
  `${owner?.namespace}/${owner?.name}` === pdb || message.includes(` ${pdb.split('/')[1]}`);

/** All pods on a node with a wish for a graceful reason. */
const ask = ({ at, pdbs, pods }: Input): Round =>
  decide({
    objects: [
      freePool('p'),
      annotated(readyNode(node), { 'lull.dev/rebalance': 'asked' }),
      claimOf(node),
      ...pdbs,
      ...pods.map((pod) => onNode(pod, node.name)),
    ],
    at,
  });

const heldBy = ({ verdicts }: Round): Refusal[] =>
  byPdb(verdicts.find(({ reason }) => reason === 'Rebalance')?.refusals);

compareWithUpstream<Input, Want>('pdbs', ({ input, want }) => {
  const round = ask(input);
  const refusals = heldBy(round);
  const unnamed = (want.blockingPDBs ?? []).filter((pdb) => !refusals.some((refusal) => names(refusal, pdb)));
  const podRows = want.pods ?? [];
  return {
    upstream: {
      'may go': want.canEvictPods ?? 'error',
      'blocking but not named': '',
      ...Object.fromEntries(podRows.map(({ pod, canEvict }) => [pod, canEvict])),
    },
    lull: {
      'may go': refusals.length === 0,
      'blocking but not named': unnamed.join(' '),
      ...Object.fromEntries(
        podRows.map(({ pod }) => {
          const report = round.pods.find(({ namespace, name }) => `${namespace}/${name}` === pod);
          return [pod, byPdb(report?.refusals).length === 0];
        }),
      ),
    },
  };
});

describe('E10: a negative disruptionsAllowed allows nothing, although upstream accepts it', () => {
  const allowing = ['basic/allowed 1', 'basic/five pods share one allowance'];
  const covered = readCases<Input, Want>('pdbs').filter(({ name }) => allowing.includes(name));

  it.each(covered)('$name', ({ input }) => {
    const pdbs = input.pdbs.map((pdb) => withStatus(pdb, { disruptionsAllowed: -1 }));
    expect(heldBy(ask({ ...input, pdbs })).map(({ code }) => code)).toEqual(['PdbSpent']);
  });
});
