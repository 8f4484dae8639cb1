// `lull lint`: what in this policy means something else than it seems to, and what would be right? Changes files only with --fix.
import { type Command, Option } from 'commander';
import type { PlacedFinding } from '../lint/lint.ts';
import { asInstant, type Instant, second } from '../time/instant.ts';
import { type ObjectFlags, tellWhom, textsAsked } from './asked.ts';
import { addClusterFlags } from './clusterFlags.ts';
import { Found, wrongUsage } from './failure.ts';
import { filesArgument, instantFlag, listFlag, withFiles } from './flags.ts';
import type { Io } from './io.ts';
import { type Fixed, fixSources, writeSources } from './lintFix.ts';
import { findingsAsJson, findingsForGithub } from './lintForms.ts';
import { type Report, reportOn } from './lintReport.ts';
import { findingsAsSarif } from './lintSarif.ts';
import { renderFindings, renderFixed } from './lintText.ts';
import { paint } from './span.ts';

const forms = ['text', 'json', 'github', 'sarif'] as const;

interface Flags extends ObjectFlags {
  readonly at?: Instant;
  readonly strict?: boolean;
  readonly fix?: boolean;
  readonly output: (typeof forms)[number];
}

const examples = `
Examples:
  # budgets, windows and schedules before they are applied
  $ lull lint -f policy/

  # what holds in the cluster of the current context
  $ lull lint

  # files over another cluster: its nodes and pods make numbers of percentages
  $ lull lint -f policy/ --context production

  # the same of what kubectl shows: with the nodes and pods of a cluster, so that percentages and selectors are looked at too
  $ kubectl get nodepools,nodes,nodeclaims,pods,pdb,namespaces -A -o yaml | lull lint -f policy/ -f -

  # in a pipeline: annotations on the changed lines, and warnings fail as well
  $ lull lint -f policy/ -o github --strict

  # write what is certain into the files: today's names for older ones
  $ lull lint -f policy/ --fix

Exit status: 0 nothing that matters, 1 errors (with --strict: or warnings), 2 wrong usage or unreadable input.
`;

export function addLint(program: Command, io: Io): void {
  const command = program
    .command('lint')
    .summary('say what in a policy means something else than it seems to')
    .description(
      'Looks for budgets, windows and schedules that mean something else than they seem to, and says what would be right.',
    )
    .addArgument(filesArgument())
    .option('-f, --file <path>', 'objects as kubectl prints them; - for stdin, or a folder; repeatable', listFlag)
    .option('--strict', 'warnings too end with exit status 1')
    .option('--fix', 'write into the files what is certain; never into stdin')
    .option('--at <instant>', 'the moment to judge for, RFC 3339 (default: now)', instantFlag)
    .option('--settings <file>', 'settings in YAML or JSON')
    .option('--set <key=value>', 'one setting, before the file; repeatable', listFlag)
    .addOption(new Option('-o, --output <form>', 'how to write the findings').choices([...forms]).default('text'))
    .addHelpText('after', examples)
    .action((files: readonly string[], flags: Flags) => lintObjects(withFiles(files, flags), io));
  addClusterFlags(command);
}

async function lintObjects(flags: Flags, io: Io): Promise<void> {
  const { sources, settings, whom } = await textsAsked(flags, io);
  if (whom !== undefined && flags.fix)
    throw wrongUsage('--fix writes into files, not into a cluster. Give -f alone, and apply what it writes.');
  const now = flags.at ?? asInstant(Math.floor(io.now() / second) * second);
  const before = reportOn(sources, settings, now);
  tellWhom(whom, flags.output === 'text' ? 'text' : 'json', io);
  const fixed = flags.fix ? fixSources(before) : { report: before, fixed: [] };
  writeSources(before.sources, fixed.report.sources);
  print(fixed, flags, io);
  const { findings } = fixed.report;
  if (findings.some((finding) => matters(finding, flags.strict === true))) throw new Found();
}

const matters = ({ severity }: PlacedFinding, strict: boolean): boolean =>
  severity === 'error' || (strict && severity === 'warning');

function print({ report, fixed }: Fixed, { output, fix }: Flags, io: Io): void {
  if (fix) (output === 'text' ? io.stdout : io.stderr)(paint(renderFixed(fixed), output === 'text' && io.color));
  io.stdout(written(report, output, io), output === 'sarif' ? 'json' : output);
}

function written(report: Report, form: Flags['output'], io: Io): string {
  switch (form) {
    case 'text':
      return paint(renderFindings(report, io.width), io.color);
    case 'json':
      return `${JSON.stringify(findingsAsJson(report.findings), null, 2)}\n`;
    case 'github':
      return findingsForGithub(report.findings);
    case 'sarif':
      return `${JSON.stringify(findingsAsSarif(report.findings, io.version), null, 2)}\n`;
  }
}
