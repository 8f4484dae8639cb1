// Lint findings as text: one line each when piped; in a terminal with the source line, the reason and a suggestion.
import type { Position } from '../../cluster/fault.ts';
import { rules } from '../../lint/allRules.ts';
import type { Severity } from '../../lint/rule.ts';
import type { PlacedFinding } from '../../lint/runRules.ts';
import type { Zone } from '../../time/zone.ts';
import { messageInZone } from '../formatTime.ts';
import {
  bold,
  count,
  dim,
  emptyLine,
  indented,
  type Line,
  plain,
  type Style,
  spaces,
  styled,
  widthOf,
  wrap,
} from '../span.ts';
import type { Report } from './lintForms.ts';

const styles: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', info: 'cyan' };

interface LintView {
  readonly width: number;
  readonly zone: Zone;
}

export function renderFindings({ findings, sources, documents }: Report, view: LintView): Line[] {
  if (findings.length === 0)
    return [[styled('green', `Nothing found in ${count(documents.flat().length, 'object')}.`)]];
  if (view.width === Number.POSITIVE_INFINITY) return findings.map((finding) => findingLine(finding, view.zone));
  const lines = new Map(sources.map(({ file, text }) => [file, text.split('\n')]));
  const explained = new Set<string>();
  const blocks = findings.flatMap((finding) => {
    const why = explained.has(finding.rule) ? undefined : whyOf(finding.rule);
    explained.add(finding.rule);
    return [...renderFinding(finding, { ...view, lines, why }), emptyLine];
  });
  return [...blocks, summary(findings)];
}

/** `policy.yaml:8:10: warning[budget-shut] NodePool/web spec.disruption.budgets[1].nodes: message suggestion`; no multi-line YAML. */
function findingLine(finding: PlacedFinding, zone: Zone): Line {
  const { rule, severity, object, path, message, suggestion = '' } = finding;
  const what =
    suggestion === '' || suggestion.includes('\n') ? '' : ` ${isYaml(suggestion) ? 'Write ' : ''}${suggestion}`;
  return [
    bold(placeOf(finding)),
    styled(styles[severity], severity),
    dim(`[${rule}] ${object} ${path}: `),
    plain(messageInZone(`${message}${what}`, zone)),
  ];
}

const placeOf = ({ position }: PlacedFinding): string =>
  position ? `${position.file}:${position.line}:${position.column}: ` : '';

const isYaml = (suggestion: string): boolean => suggestion.includes('\n') || /^(- )?[\w./-]+: /.test(suggestion);

const whyOf = (name: string): string | undefined => rules.find((rule) => rule.name === name)?.why;

interface FindingView extends LintView {
  readonly lines: ReadonlyMap<string, readonly string[]>;
  /** Present only for the first finding of each rule. */
  readonly why: string | undefined;
}

const margin = 2;

function renderFinding(finding: PlacedFinding, { lines, why, width, zone }: FindingView): Line[] {
  const { rule, severity, object, path, position, message, suggestion } = finding;
  const style = styles[severity];
  const head: Line = [
    bold(placeOf(finding)),
    styled(style, severity),
    dim(`[${rule}] `),
    plain(messageInZone(message, zone)),
  ];
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
  const [first = [], ...rest] = wrap(head, width - margin);
  return [first, ...indented(rest, margin)];
}

/** Wraps a sentence; leaves YAML unchanged, to be copied. */
function renderSuggestion(suggestion: string, say: (line: Line) => Line[]): Line[] {
  if (!isYaml(suggestion)) return say([dim('what to do: '), plain(suggestion)]);
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
  const hint = fixable > 0 ? `; --fix can fix ${fixable} of them` : '';
  const list = counted.flatMap((span, index) => (index === 0 ? [span] : [plain(', '), span]));
  return [...list, plain(` in ${count(files.size, 'file')}${hint}.`)];
}

/** The findings that --fix has fixed. */
export function renderFixed(fixed: readonly PlacedFinding[]): Line[] {
  if (fixed.length === 0) return [[plain('Nothing can be fixed automatically.')], emptyLine];
  const lines = fixed.map(
    (finding): Line => [
      bold(placeOf(finding)),
      styled('green', 'fixed'),
      dim(`[${finding.rule}] `),
      plain(finding.message),
    ],
  );
  return [...lines, emptyLine];
}

interface ExcerptView {
  readonly width: number;
  readonly style: Style;
}

/** Columns kept before the field if a line is too long for the screen. */
const keptBefore = 20;

function excerpt(source: string, { line, column }: Position, { width, style }: ExcerptView): Line[] {
  const number = String(line);
  const room = Math.max(width - number.length - 5, 2 * keptBefore);
  const shown = crop(source.replaceAll('\t', ' ').replace(/\r$/, ''), column - 1, room);
  const before = plain(shown.text.slice(0, shown.at)).text;
  const mark = Math.max(1, widthOf(plain(fieldAt(shown.text.slice(shown.at))).text));
  return [
    [dim(`  ${number} | `), plain(shown.text)],
    [dim(`  ${' '.repeat(number.length)} | `), spaces(widthOf(before)), styled(style, '^'.repeat(mark))],
  ];
}

/** The part of a long line around a column, and the column within it. */
function crop(text: string, at: number, room: number): { text: string; at: number } {
  if (text.length <= room) return { text, at };
  // One column on either side for the ellipsis.
  const start = Math.max(0, Math.min(at - keptBefore, text.length - room + 1));
  const head = start > 0 ? '…' : '';
  const end = start + room - head.length;
  const rest = text.slice(start, end);
  const shown = end < text.length ? `${rest.slice(0, -1)}…` : rest;
  return { text: `${head}${shown}`, at: at - start + head.length };
}

const word = `"[^"]*"|'[^']*'|[^\\s:,#{}[\\]]+`;
const field = new RegExp(
  `^(?:${word})(?::\\s*(?:"[^"]*"|'[^']*'|[^\\s,#{}[\\]"'][^\\s,#{}[\\]]*)(?=\\s*(?:[,#}\\]]|$)))?`,
);

/** A key with its value if that is a single word, otherwise only the key. */
const fieldAt = (text: string): string => field.exec(text)?.[0] ?? text.slice(0, 1);
