// How are findings told to a person? As a good compiler does: where, what, the line itself, why it matters, what to write instead.
import type { PlacedFinding } from '../lint/lint.ts';
import type { Severity } from '../lint/rule.ts';
import { rules } from '../lint/rules.ts';
import { indented, wrap } from './columns.ts';
import { excerpt } from './lintExcerpt.ts';
import type { Report } from './lintReport.ts';
import { count } from './scene.ts';
import { bold, dim, emptyLine, type Line, plain, type Style, styled } from './span.ts';

const styles: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', info: 'cyan' };

export function renderFindings({ findings, sources, documents }: Report, width: number): Line[] {
  if (findings.length === 0)
    return [[styled('green', `Nothing found in ${count(documents.flat().length, 'object')}.`)]];
  const lines = new Map(sources.map(({ file, text }) => [file, text.split('\n')]));
  const explained = new Set<string>();
  const told = findings.flatMap((finding) => {
    const why = explained.has(finding.rule) ? undefined : whyOf(finding.rule);
    explained.add(finding.rule);
    return [...renderFinding(finding, { lines, why, width }), emptyLine];
  });
  return [...told, summary(findings)];
}

const whyOf = (name: string): string | undefined => rules.find((rule) => rule.name === name)?.why;

interface View {
  readonly lines: ReadonlyMap<string, readonly string[]>;
  /** Said only once for each rule. */
  readonly why: string | undefined;
  readonly width: number;
}

const margin = 2;

function renderFinding(finding: PlacedFinding, { lines, why, width }: View): Line[] {
  const { rule, severity, object, path, position, message, suggestion } = finding;
  const place = position ? `${position.file}:${position.line}:${position.column}: ` : '';
  const style = styles[severity];
  const head: Line = [bold(place), styled(style, severity), dim(`[${rule}] `), plain(message)];
  const source = position && lines.get(position.file)?.[position.line - 1];
  const say = (line: Line): Line[] => indented(wrap(line, width - margin), margin);
  return [
    ...hanging(head, width),
    [plain('  '), dim(`${object} ${path}`)],
    ...(position && source !== undefined ? excerpt(source, position, { width, style }) : []),
    ...(why === undefined ? [] : say([dim('why: '), plain(why)])),
    ...(suggestion === undefined ? [] : renderSuggestion(suggestion, say)),
  ];
}

function hanging(head: Line, width: number): Line[] {
  const [first = [], ...rest] = wrap(head, width);
  return [first, ...indented(rest, margin)];
}

/** A sentence is wrapped; YAML stands as it is to be copied. */
function renderSuggestion(suggestion: string, say: (line: Line) => Line[]): Line[] {
  const isYaml = suggestion.includes('\n') || /^(- )?[\w./-]+: /.test(suggestion);
  if (!isYaml) return say([dim('instead: '), plain(suggestion)]);
  const yaml = suggestion.split('\n').map((line): Line => [styled('green', line)]);
  return [[plain('  '), dim('instead:')], ...indented(yaml, 2 * margin)];
}

function summary(findings: readonly PlacedFinding[]): Line {
  const files = new Set(findings.flatMap(({ position }) => position?.file ?? []));
  const counted = (['error', 'warning', 'info'] as const).flatMap((severity): Line => {
    const number = findings.filter((finding) => finding.severity === severity).length;
    return number === 0
      ? []
      : [styled(styles[severity], severity === 'info' ? `${number} info` : count(number, severity))];
  });
  const fixable = findings.filter(({ fix, position }) => fix && position?.file !== '<stdin>').length;
  const hint = fixable > 0 ? `; \`--fix\` puts ${fixable} of them right` : '';
  const list = counted.flatMap((span, index) => (index === 0 ? [span] : [plain(', '), span]));
  return [...list, plain(` in ${count(files.size, 'file')}${hint}.`)];
}

/** What was put right in the files. */
export function renderFixed(fixed: readonly PlacedFinding[]): Line[] {
  if (fixed.length === 0) return [[plain('Nothing to fix for certain.')], emptyLine];
  const lines = fixed.map(({ position, rule, message }): Line => {
    const place = position ? `${position.file}:${position.line}:${position.column}: ` : '';
    return [bold(place), styled('green', 'fixed'), dim(`[${rule}] `), plain(message)];
  });
  return [...lines, emptyLine];
}
