// `lull lint`: reports mistakes in a policy and what to write instead. Changes files only with --fix.
import type { PlacedFinding } from '../../lint/runRules.ts';
import type { Instant } from '../../time/instant.ts';
import { ExitWithFindings, wrongUsage } from '../failure.ts';
import type { ObjectFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { decisionTime, loadTexts, reportOrigin } from '../loadInput.ts';
import { outputZone, type ZoneFlags, zoneLines } from '../outputZone.ts';
import { paint } from '../span.ts';
import { type FixResult, fixSources, writeSources } from './lintFix.ts';
import { findingsAsJson, findingsAsSarif, findingsForGithub, type Report, reportOn } from './lintForms.ts';
import { renderFindings, renderFixed } from './lintText.ts';

const forms = ['text', 'json', 'github', 'sarif'] as const;

interface LintFlags extends ObjectFlags, ZoneFlags {
  readonly at?: Instant;
  readonly strict?: boolean;
  readonly fix?: boolean;
  readonly output: (typeof forms)[number];
}

export async function lintObjects(flags: LintFlags, io: Io): Promise<void> {
  const { sources, settings, origin } = await loadTexts(flags, io);
  if (origin !== undefined && flags.fix)
    throw wrongUsage('--fix changes files, not a cluster. Use only -f, then apply the changed files.');
  const now = decisionTime(flags, io);
  const before = reportOn(sources, settings, now);
  reportOrigin(origin, flags.output === 'text' ? 'text' : 'json', io);
  const fixed = flags.fix ? fixSources(before) : { report: before, fixed: [] };
  writeSources(before.sources, fixed.report.sources);
  print(fixed, flags, io);
  const { findings } = fixed.report;
  if (findings.some((finding) => matters(finding, flags.strict === true))) throw new ExitWithFindings();
}

const matters = ({ severity }: PlacedFinding, strict: boolean): boolean =>
  severity === 'error' || (strict && severity === 'warning');

function print({ report, fixed }: FixResult, flags: LintFlags, io: Io): void {
  const { output, fix } = flags;
  if (fix) (output === 'text' ? io.stdout : io.stderr)(paint(renderFixed(fixed), output === 'text' && io.color));
  io.stdout(written(report, flags, io), output === 'sarif' ? 'json' : output);
}

function written(report: Report, flags: LintFlags, io: Io): string {
  const zone = outputZone(flags, io);
  switch (flags.output) {
    case 'text':
      return paint([...renderFindings(report, { width: io.width, zone }), ...zoneLines(zone)], io.color);
    case 'json':
      return `${JSON.stringify(findingsAsJson(report.findings), null, 2)}\n`;
    case 'github':
      return findingsForGithub(report.findings);
    case 'sarif':
      return `${JSON.stringify(findingsAsSarif(report.findings, io.version), null, 2)}\n`;
  }
}
