// `lull turn pass`: how does a person pass a turn that does not pass by itself (C12)?
import type { Command } from 'commander';
import { ledgerKind } from '../kube/apiKind.ts';
import { passTurn } from '../server/passTurn.ts';
import type { ClusterIdentity } from '../server/source.ts';
import { tellWhom } from './asked.ts';
import { askServer, usualServer } from './askServer.ts';
import { addClusterFlags } from './clusterFlags.ts';
import { wrongUsage } from './failure.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { type AskServer, asPerson, type PersonFlags, refusedBy, whichServer, whomToChange } from './person.ts';
import { plain } from './span.ts';
import { clusterField, sayCluster } from './whichCluster.ts';

interface Flags extends PersonFlags {
  readonly output: Form;
}

const examples = `
Examples:
  # zone a of pool web does not get well, and the others shall not wait for it any longer
  $ lull why pool/web
  $ lull turn pass web
`;

export function addTurn(program: Command, io: Io): void {
  const turn = program
    .command('turn')
    .summary('pass on the turn of a pool that is rolled domain by domain')
    .description('Whose turn it is in a pool that is rolled one topology domain after another.')
    .addHelpText('after', examples);
  const passing = turn
    .command('pass')
    .description(
      'Passes the turn on, whether the domain is well or not, as soon as nothing of it is in flight. What is left in it is left behind, and told in `lull why`.',
    )
    .argument('<pool>', 'the pool')
    .option(
      '--server <url>',
      `a running Lull, whichever cluster it is for (default: that of the cluster meant, if it is on ${usualServer()})`,
    )
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((pool: string, flags: Flags) => pass(pool, flags, io));
  addClusterFlags(passing);
}

type Passed = Readonly<Record<string, unknown>> & {
  readonly turns?: readonly { readonly topologyKey: string; readonly domain?: string }[];
  readonly cluster?: ClusterIdentity;
};

async function pass(pool: string, flags: Flags, io: Io): Promise<void> {
  const whom = await whomToChange(flags, io);
  const answer =
    whom.via === 'server' ? await passByServer(pool, { flags, whom, io }) : await passByHand(pool, flags, io);
  const told = (answer.turns ?? []).map(({ topologyKey, domain }) => domain ?? `the nodes without ${topologyKey}`);
  printAnswer(io, flags.output, {
    value: () => answer,
    lines: () => [
      [plain(`${pool}: the turn of ${told.join(' and ')} is to be passed on, in ${sayCluster(answer.cluster)}`)],
    ],
  });
}

interface AskedServer {
  readonly flags: Flags;
  readonly whom: AskServer;
  readonly io: Io;
}

async function passByServer(pool: string, { flags, whom, io }: AskedServer): Promise<Passed> {
  const answer = (await askServer({ server: whom.server, path: '/api/turn/pass', body: { pool } })) as Passed;
  if (whom.isNear) tellWhom(whichServer(whom), flags.output, io);
  return { ...answer, ...clusterField(whom.cluster) };
}

/** Into the ledger, where the Lull that leads finds it in its next round. */
const passByHand = (pool: string, flags: Flags, io: Io): Promise<Passed> =>
  asPerson(flags, { io, kinds: [ledgerKind, 'NodePool'] }, async (port, where) => {
    const passed = await passTurn(port, pool, io.now());
    if ('missing' in passed) throw wrongUsage(passed.missing);
    if ('answer' in passed) throw refusedBy(passed.answer);
    const turns = passed.turns.map(({ topologyKey, domain }) => ({
      topologyKey,
      ...(domain !== undefined && { domain }),
    }));
    return { pool, turns, cluster: where.cluster };
  });
