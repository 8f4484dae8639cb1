// `lull replay`: is the same decided again (J4)? And what would another policy have done?
import type { Command } from 'commander';
import type { Settings } from '../cluster/settings.ts';
import type { Json } from '../kinds/reader.ts';
import { type Differing, decideAgain } from '../recording/decideAgain.ts';
import { askWhatIf, type WhatIf } from '../recording/whatIf.ts';
import { formatExactly, formatInstant, type Instant } from '../time/instant.ts';
import { Found, wrongUsage } from './failure.ts';
import { listFlag } from './flags.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { policyIn, reading, settingsOver } from './recordingInput.ts';
import { renderReplay, renderWhatIf } from './replayText.ts';
import { roundAsJson } from './roundJson.ts';
import { readSources, type Source } from './sources.ts';
import { untilAsJson } from './until.ts';

interface Flags {
  readonly with?: readonly string[];
  readonly set?: readonly string[];
  readonly output: Form;
}

const examples = `
Examples:
  # decide every round of a recording again, and compare byte by byte
  $ lull replay roll.gz

  # what would another policy have done? budgets and annotations of pools, windows, schedules, PDBs
  $ lull replay roll.gz --with policy.yaml

  # or another setting
  $ lull replay roll.gz --set defaultBudgets=ceiling -o json
`;

export function addReplay(program: Command, io: Io): void {
  program
    .command('replay')
    .summary('decide a recording again, or ask what another policy would have done')
    .description(
      'Decides every round of a recording again and compares it, byte by byte, with what was decided then. Exits with 1 where they differ.\nWith another policy or setting: which nodes would have gone earlier, later, or not.',
    )
    .argument('<recording>', 'a file that `lull record` wrote; - for stdin')
    .option('--with <path>', 'policy objects that stand for those recorded, or beside them; repeatable', listFlag)
    .option('--set <key=value>', 'a setting that stands for the one recorded; repeatable', listFlag)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((file: string, flags: Flags) => replay(file, flags, io));
}

async function replay(file: string, flags: Flags, io: Io): Promise<void> {
  const [source] = await readSources([file], io);
  if (!source) throw wrongUsage('There is one recording to replay. Name its file.');
  if (flags.with || flags.set) await tellWhatIf(source, flags, io);
  else tellReplay(source, flags.output, io);
}

function tellReplay(source: Source, form: Form, io: Io): void {
  const outcome = reading(source, () => decideAgain(source.text, roundAsJson));
  printAnswer(io, form, {
    value: () => ({ ...outcome, ...instants(outcome), differs: differsAsJson(outcome.differs) }),
    lines: () => renderReplay(outcome, io.width),
  });
  if (outcome.differs) throw new Found();
}

const instants = ({ from, to }: { readonly from?: Instant; readonly to?: Instant }) => ({
  from: from === undefined ? undefined : formatInstant(from),
  to: to === undefined ? undefined : formatInstant(to),
});

const differsAsJson = (differs: Differing | undefined): unknown =>
  differs && { ...differs, at: formatExactly(differs.at) };

async function tellWhatIf(source: Source, flags: Flags, io: Io): Promise<void> {
  const objects = flags.with ? policyIn(await readSources(flags.with, io)) : [];
  const settings = (recorded: Json): Settings => settingsOver(recorded, flags.set ?? []);
  const outcome = reading(source, () => askWhatIf(source.text, { objects, settings }));
  printAnswer(io, flags.output, {
    value: () => whatIfAsJson(outcome),
    lines: () => renderWhatIf(outcome, io.width),
  });
}

function whatIfAsJson(outcome: WhatIf): unknown {
  const choice = (it: { readonly at: Instant; readonly reason: string } | undefined): unknown =>
    it && { ...it, at: formatInstant(it.at) };
  return {
    ...outcome,
    ...instants(outcome),
    differences: outcome.differences.map(({ recorded, instead, heldBy, ...rest }) => ({
      ...rest,
      recorded: choice(recorded),
      instead: choice(instead),
      heldBy: heldBy && { ...heldBy, ...untilAsJson(heldBy.until) },
    })),
  };
}
