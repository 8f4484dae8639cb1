// `lull explain`: what does this policy say? Read back in sentences, as the engine will read it.
import type { Command } from 'commander';
import type { Pod } from '../cluster/model.ts';
import { type Change, ClusterStore, keyOf } from '../cluster/store.ts';
import type { Document } from '../kinds/documents.ts';
import { readObject } from '../kinds/readObject.ts';
import { sayPolicy } from '../lint/words/policyWords.ts';
import { asInstant, type Instant, second } from '../time/instant.ts';
import { explanationAsJson } from './explainJson.ts';
import { renderExplanation } from './explainText.ts';
import { wrongUsage } from './failure.ts';
import { instantFlag, listFlag } from './flags.ts';
import { documentsIn } from './input.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { type SettingsFlags, settingsFrom } from './settingsInput.ts';
import { readSources } from './sources.ts';

interface Flags extends SettingsFlags {
  readonly file?: readonly string[];
  readonly at?: Instant;
  readonly output: Form;
}

const examples = `
Examples:
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
  program
    .command('explain')
    .summary('read a policy back in sentences, with the hours of the week')
    .description(
      'Reads a policy back in sentences: for each pool and reason when nodes may go and how many at once, as all budgets\nand windows together make it; then windows, pod schedules and the pods that say something themselves.',
    )
    .option('-f, --file <path>', 'objects as kubectl prints them; - for stdin, or a folder; repeatable', listFlag)
    .option('--at <instant>', 'the moment to look from, RFC 3339 (default: now)', instantFlag)
    .option('--settings <file>', 'settings in YAML or JSON')
    .option('--set <key=value>', 'one setting, before the file; repeatable', listFlag)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((flags: Flags) => explain(flags, io));
}

async function explain(flags: Flags, io: Io): Promise<void> {
  if (!flags.file) throw wrongUsage('There is nothing to explain. Name files with -f, or -f - for stdin.');
  const settings = settingsFrom(flags);
  const { cluster, pods } = readPolicy(documentsIn(await readSources(flags.file, io)));
  const now = flags.at ?? asInstant(Math.floor(io.now() / second) * second);
  const words = sayPolicy({ cluster, settings, now }, pods);
  printAnswer(io, flags.output, {
    value: () => explanationAsJson(words, now),
    lines: () => renderExplanation(words, { now, width: io.width }),
  });
}

/** Pods too whose nodes were not given: what they say holds wherever they run. */
function readPolicy(documents: readonly Document[]): { cluster: ClusterStore; pods: readonly Pod[] } {
  const cluster = new ClusterStore();
  const pods = new Map<string, Pod>();
  for (const { object, position } of documents) {
    const read = readObject(object, position);
    if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') continue;
    if (read.kind === 'Pod') pods.set(keyOf(read.record), read.record);
    cluster.apply({ kind: read.kind, put: read.record, faults: read.faults } as Change);
  }
  return { cluster, pods: [...pods.values()] };
}
