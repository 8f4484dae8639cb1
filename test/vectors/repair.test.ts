// Nodes are repaired when they are upstream (A, A2, A5, C4).
import { parseDuration } from '../../src/time/duration.ts';
import { asDuration } from '../../src/time/instant.ts';
import { compareWithUpstream } from './facets.ts';
import {
  candidatesIn,
  decideAlone,
  decideFrozen,
  describeCommand,
  type Method,
  type SmallCluster,
  upstreamCommands,
} from './smallCluster.ts';

interface Input extends SmallCluster {
  /** How long a condition is tolerated. Both policies of a case are equal. */
  readonly repairPolicies: readonly { readonly toleration: string }[];
}

type Figures = { readonly counted: number; readonly consumed: number; readonly allowed: number };

compareWithUpstream<Input, Method<Figures>>('repair', ({ input, want }) => {
  const settings = { repairAfter: parseDuration(input.repairPolicies[0]?.toleration ?? '') ?? asDuration(0) };
  const round = decideAlone(input, 'Unhealthy', settings);
  const commands = round.commands.map(({ nodes, replacements }) =>
    describeCommand(
      nodes.map(({ name }) => name),
      replacements.length,
    ),
  );
  const first = commands[0] ?? 'none';
  const budgets = Object.entries(want.budget ?? {});
  return {
    upstream: {
      candidates: [...(want.candidates ?? [])].sort().join(' '),
      command: upstreamCommands(want, first),
      count: want.commands?.length ?? 0,
      ...Object.fromEntries(
        budgets.map(([pool, { consumed, allowed }]) => [`budget ${pool}`, `${consumed} ${allowed}`]),
      ),
    },
    lull: {
      candidates: candidatesIn(decideFrozen(input, settings), ({ reason }) => reason === 'Unhealthy'),
      command: first,
      count: commands.length,
      ...Object.fromEntries(
        budgets.map(([pool]) => {
          const mine = round.allowances.find((it) => it.pool === pool && it.reason === 'Unhealthy');
          return [`budget ${pool}`, `${mine?.consumed} ${mine?.left}`];
        }),
      ),
    },
  };
});
