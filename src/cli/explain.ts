// `lull explain`: what does this policy say? Read back in sentences, as the engine will read it.
import type { Command } from 'commander';
import { sayPolicy } from '../lint/words/policyWords.ts';
import { asInstant, type Instant, second } from '../time/instant.ts';
import { type ObjectFlags, objectsAsked, tellWhom } from './asked.ts';
import { addClusterFlags } from './clusterFlags.ts';
import { explanationAsJson } from './explainJson.ts';
import { renderExplanation } from './explainText.ts';
import { filesArgument, instantFlag, listFlag, withFiles } from './flags.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';

interface Flags extends ObjectFlags {
  readonly at?: Instant;
  readonly output: Form;
}

const examples = `
Examples:
  # what holds in the cluster of the current context
  $ lull explain

  # a pool before it is applied
  $ lull explain -f nodepool.yaml

  # with the nodes in the cluster, so that percentages become numbers
  $ kubectl get nodes,pods,nodepools,nodeclaims,maintenancewindows -A -o yaml | lull explain -f -

  # the week before Christmas, and budgets as Karpenter reads them
  $ lull explain -f policy/ --at 2026-12-21T09:00:00Z --set defaultBudgets=ceiling

  # the hours of each reason, for a program
  $ lull explain -f nodepool.yaml -o json | jq '.pools[].reasons[] | {reason, week}'
`;

export function addExplain(program: Command, io: Io): void {
  const command = program
    .command('explain')
    .summary('read a policy back in sentences, with the hours of the week')
    .description(
      'Reads a policy back in sentences: for each pool and reason when nodes may go and how many at once, as all budgets\nand windows together make it; then windows, pod schedules and the pods that say something themselves.',
    )
    .addArgument(filesArgument())
    .option('-f, --file <path>', 'objects as kubectl prints them; - for stdin, or a folder; repeatable', listFlag)
    .option('--at <instant>', 'the moment to look from, RFC 3339 (default: now)', instantFlag)
    .option('--settings <file>', 'settings in YAML or JSON')
    .option('--set <key=value>', 'one setting, before the file; repeatable', listFlag)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((files: readonly string[], flags: Flags) => explain(withFiles(files, flags), io));
  addClusterFlags(command);
}

async function explain(flags: Flags, io: Io): Promise<void> {
  const { input, settings, whom } = await objectsAsked(flags, io);
  const now = flags.at ?? asInstant(Math.floor(io.now() / second) * second);
  const words = sayPolicy({ cluster: input.cluster, settings, now }, input.pods, input.templates);
  tellWhom(whom, flags.output, io);
  printAnswer(io, flags.output, {
    value: () => explanationAsJson(words, now),
    lines: () => renderExplanation(words, { now, width: io.width }),
  });
}
