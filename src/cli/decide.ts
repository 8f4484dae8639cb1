// `lull decide`: what would Lull do now, and why not more? Writes nothing anywhere.
import type { Command } from 'commander';
import type { Settings } from '../cluster/settings.ts';
import { decideRound } from '../engine/round.ts';
import { observe } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import { asInstant, type Instant, second } from '../time/instant.ts';
import { wrongUsage } from './failure.ts';
import { instantFlag, listFlag } from './flags.ts';
import { gatherInput, type Input } from './input.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { renderRound } from './renderRound.ts';
import { roundAsJson } from './roundJson.ts';
import type { Scene } from './scene.ts';
import { type SettingsFlags, settingsFrom } from './settingsInput.ts';
import { readSources } from './sources.ts';
import { isWorthTelling } from './worthTelling.ts';

interface Flags extends SettingsFlags {
  readonly file?: readonly string[];
  readonly at?: Instant;
  readonly all?: boolean;
  readonly output: Form;
}

const examples = `
Examples:
  # what kubectl shows, decided as of now
  $ kubectl get nodes,pods,nodepools,nodeclaims,pdb,namespaces,daemonsets -A -o yaml | lull decide -f -

  # files and folders together, as of Monday morning, for a program to read
  $ lull decide -f snapshot.yaml -f windows/ --at 2026-11-16T09:00:00Z -o json

  # what if budgets were read as Karpenter reads them? every node with every refusal
  $ lull decide -f snapshot.yaml --set defaultBudgets=ceiling --all
`;

export function addDecide(program: Command, io: Io): void {
  program
    .command('decide')
    .summary('say which nodes may go now, what holds the others, and until when')
    .description(
      'Decides one round over the objects given: which nodes may go now, what holds the others, and until when.\nNothing is written to any cluster.',
    )
    .option('-f, --file <path>', 'objects as kubectl prints them; - for stdin, or a folder; repeatable', listFlag)
    .option('--at <instant>', 'the moment to decide for, RFC 3339 (default: now)', instantFlag)
    .option('--settings <file>', 'settings in YAML or JSON')
    .option('--set <key=value>', 'one setting, before the file; repeatable', listFlag)
    .option('--all', 'every verdict, every node by itself, every refusal')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((flags: Flags) => decide(flags, io));
}

async function decide(flags: Flags, io: Io): Promise<void> {
  if (!flags.file) throw wrongUsage('There is nothing to decide. Name files with -f, or -f - for stdin.');
  const settings = settingsFrom(flags);
  const input = gatherInput(await readSources(flags.file, io));
  // To the second, so that the round printed can be decided again.
  const now = flags.at ?? asInstant(Math.floor(io.now() / second) * second);
  const decided = decideRound(input, now, settings);
  const round: Round = {
    ...decided,
    verdicts: flags.all ? decided.verdicts : decided.verdicts.filter(isWorthTelling),
    faults: [...decided.faults, ...input.faults],
  };
  printAnswer(io, flags.output, {
    value: () => roundAsJson(round, input.ledger),
    lines: () => renderRound(round, sceneOf(input, now, { settings, all: flags.all ?? false, width: io.width })),
  });
}

function sceneOf(
  input: Input,
  now: Instant,
  { settings, all, width }: { settings: Settings; all: boolean; width: number },
): Scene {
  const { tallies } = observe(input, now, settings);
  const counted = new Map([...tallies].map(([pool, tally]) => [pool, tally.counted]));
  return { cluster: input.cluster, counted, role: settings.role, all, width };
}
