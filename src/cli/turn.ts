// `lull turn pass`: how does a person pass a turn that does not pass by itself (C12)?
import type { Command } from 'commander';
import { askServer, usualServer } from './askServer.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { plain } from './span.ts';

interface Flags {
  readonly server?: string;
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
  turn
    .command('pass')
    .description(
      'Passes the turn on, whether the domain is well or not, as soon as nothing of it is in flight. What is left in it is left behind, and told in `lull why`.',
    )
    .argument('<pool>', 'the pool')
    .option('--server <url>', `a running Lull (default: ${usualServer})`)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((pool: string, flags: Flags) => pass(pool, flags, io));
}

async function pass(pool: string, { server, output }: Flags, io: Io): Promise<void> {
  const answer = (await askServer({ server, path: '/api/turn/pass', body: { pool } })) as {
    turns?: readonly { readonly topologyKey: string; readonly domain?: string }[];
  };
  const told = (answer.turns ?? []).map(({ topologyKey, domain }) => domain ?? `the nodes without ${topologyKey}`);
  printAnswer(io, output, {
    value: () => answer,
    lines: () => [[plain(`${pool}: the turn of ${told.join(' and ')} is to be passed on`)]],
  });
}
