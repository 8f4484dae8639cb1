// How do programs and pipelines read findings? As JSON (L5), and as the commands by which GitHub annotates lines.
import type { PlacedFinding } from '../lint/lint.ts';
import type { Severity } from '../lint/rule.ts';

export const findingsAsJson = (findings: readonly PlacedFinding[]): unknown[] =>
  findings.map(({ rule, severity, object, path, position, message, suggestion, fix }) => ({
    rule,
    severity,
    object,
    path,
    ...position,
    message,
    ...(suggestion !== undefined && { suggestion }),
    ...(fix && { fixable: true }),
  }));

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/** `::warning file=a.yaml,line=3,col=5,title=rule::message`, one line each. */
export const findingsForGithub = (findings: readonly PlacedFinding[]): string =>
  findings.map((finding) => `${githubCommand(finding)}\n`).join('');

function githubCommand({ rule, severity, object, position, message, suggestion }: PlacedFinding): string {
  const properties = {
    ...(position && { file: position.file, line: position.line, col: position.column }),
    title: rule,
  };
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  const text = `${object}: ${message}${suggestion === undefined ? '' : `\n\n${suggestion}`}`;
  return `::${commands[severity]} ${list.join()}::${escapeData(text)}`;
}

const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
