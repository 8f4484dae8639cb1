// `lull decide`: what would Lull do now, and why not more? Writes nothing anywhere.
import type { Command } from 'commander';
import type { Settings } from '../cluster/settings.ts';
import { decideRound } from '../engine/round.ts';
import { decideSearched } from '../engine/searchedRound.ts';
import { type Facts, observe } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import { isWorthTelling } from '../engine/why/worthTelling.ts';
import { asDuration, asInstant, between, type Instant, second } from '../time/instant.ts';
import { type ObjectFlags, objectsAsked, tellWhom } from './asked.ts';
import { addClusterFlags } from './clusterFlags.ts';
import { filesArgument, instantFlag, listFlag, withFiles } from './flags.ts';
import { factsOf } from './input.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { renderRound } from './renderRound.ts';
import { roundAsJson } from './roundJson.ts';
import type { Scene } from './scene.ts';
import { clusterField, clusterLines } from './whichCluster.ts';

interface Flags extends ObjectFlags {
  readonly at?: Instant;
  readonly all?: boolean;
  /** False = --no-search. */
  readonly search: boolean;
  readonly output: Form;
}

const examples = `
Examples:
  # the cluster of the current context, with the settings of the Lull that leads there
  $ lull decide

  # a new pool over another cluster: what if it were applied?
  $ lull decide --context production -f nodepool.yaml

  # what kubectl shows, decided as of now
  $ kubectl get nodes,pods,nodepools,nodeclaims,pdb,namespaces,daemonsets -A -o yaml | lull decide -f -

  # files and folders together, as of Monday morning, for a program to read
  $ lull decide -f snapshot.yaml -f windows/ --at 2026-11-16T09:00:00Z -o json

  # what if budgets were read as Karpenter reads them? every node with every refusal
  $ lull decide -f snapshot.yaml --set defaultBudgets=ceiling --all
`;

export function addDecide(program: Command, io: Io): void {
  const command = program
    .command('decide')
    .summary('say which nodes may go now, what holds the others, and until when')
    .description(
      'Decides one round over the objects given, or over a cluster as it is now: which nodes may go now, what holds the others, and until when.\nNothing is written to any cluster.',
    )
    .addArgument(filesArgument())
    .option('-f, --file <path>', 'objects as kubectl prints them; - for stdin, or a folder; repeatable', listFlag)
    .option('--at <instant>', 'the moment to decide for, RFC 3339 (default: now)', instantFlag)
    .option('--settings <file>', 'settings in YAML or JSON (default: of a cluster those in force there)')
    .option('--set <key=value>', 'one setting, before the file; repeatable', listFlag)
    .option('--all', 'every verdict, every node by itself, every refusal')
    .option(
      '--no-search',
      'do not search for groups of nodes that could go together; a large cluster is decided sooner',
    )
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((files: readonly string[], flags: Flags) => decide(withFiles(files, flags), io));
  addClusterFlags(command);
}

async function decide(flags: Flags, io: Io): Promise<void> {
  const { input, settings, whom, cluster } = await objectsAsked(flags, io);
  const facts = factsOf(input, settings);
  // To the second, so that the round printed can be decided again.
  const now = flags.at ?? asInstant(Math.floor(io.now() / second) * second);
  const decided = flags.search ? searched(facts, now, settings, io) : decideRound(facts, now, settings);
  const round: Round = {
    ...decided,
    verdicts: flags.all ? decided.verdicts : decided.verdicts.filter(isWorthTelling),
    faults: [...decided.faults, ...input.faults],
  };
  tellWhom(whom, flags.output, io);
  printAnswer(io, flags.output, {
    value: () => ({ ...roundAsJson(round, facts.ledger), ...clusterField(cluster) }),
    lines: () => [
      ...renderRound(round, sceneOf(facts, now, { settings, all: flags.all ?? false, width: io.width })),
      ...clusterLines(cluster),
    ],
  });
}

/** So long one waits without being told what for. */
const patience = asDuration(2 * second);

/** As a running Lull does it beside its rounds. */
function searched(facts: Facts, now: Instant, settings: Settings, io: Io): Round {
  const began = io.now();
  const onBreath = (): void => {
    if (between(began, io.now()) >= patience)
      io.progress?.('searching for nodes that could go together (--no-search decides without)');
  };
  const { round } = decideSearched(facts, now, settings, { onBreath });
  io.progress?.('');
  return round;
}

function sceneOf(
  facts: Facts,
  now: Instant,
  { settings, all, width }: { settings: Settings; all: boolean; width: number },
): Scene {
  const { tallies } = observe(facts, now, settings);
  const counted = new Map([...tallies].map(([pool, tally]) => [pool, tally.counted]));
  return { cluster: facts.cluster, counted, role: settings.role, all, width };
}
