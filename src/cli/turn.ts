// `lull turn pass`: how does a person pass a turn that does not pass by itself (C12)?
import type { Command } from 'commander';
import { ledgerKind } from '../kube/apiKind.ts';
import { passTurn } from '../server/passTurn.ts';
import { tellWhom } from './asked.ts';
import { askServer, usualServer } from './askServer.ts';
import { addClusterFlags } from './clusterFlags.ts';
import { wrongUsage } from './failure.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { asPerson, changesByServer, type PersonFlags, refusedBy, whichServer } from './person.ts';
import { plain } from './span.ts';

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
    .option('--server <url>', `a running Lull (default: ${usualServer}, where one answers and no cluster is named)`)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((pool: string, flags: Flags) => pass(pool, flags, io));
  addClusterFlags(passing);
}

type Passed = Readonly<Record<string, unknown>> & {
  readonly turns?: readonly { readonly topologyKey: string; readonly domain?: string }[];
};

async function pass(pool: string, flags: Flags, io: Io): Promise<void> {
  const answer = (await changesByServer(flags, io))
    ? await passByServer(pool, flags, io)
    : await passByHand(pool, flags, io);
  const told = (answer.turns ?? []).map(({ topologyKey, domain }) => domain ?? `the nodes without ${topologyKey}`);
  printAnswer(io, flags.output, {
    value: () => answer,
    lines: () => [[plain(`${pool}: the turn of ${told.join(' and ')} is to be passed on`)]],
  });
}

async function passByServer(pool: string, flags: Flags, io: Io): Promise<Passed> {
  const answer = await askServer({ server: flags.server, path: '/api/turn/pass', body: { pool } });
  if (flags.server === undefined) tellWhom(whichServer(flags), flags.output, io);
  return answer as Passed;
}

/** Into the ledger, where the Lull that leads finds it in its next round. */
const passByHand = (pool: string, flags: Flags, io: Io): Promise<Passed> =>
  asPerson(flags, { io, kinds: [ledgerKind] }, async (port, where) => {
    const passed = await passTurn(port, pool, io.now());
    if ('missing' in passed) throw wrongUsage(passed.missing);
    if ('answer' in passed) throw refusedBy(passed.answer);
    tellWhom(where, flags.output, io);
    const turns = passed.turns.map(({ topologyKey, domain }) => ({
      topologyKey,
      ...(domain !== undefined && { domain }),
    }));
    return { pool, turns };
  });
