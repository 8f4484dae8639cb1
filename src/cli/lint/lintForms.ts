// The lint report on all texts, and its machine-readable formats: JSON, GitHub annotations, SARIF.
import type { Settings } from '../../cluster/settings.ts';
import { type Document, readDocuments } from '../../kinds/text/documents.ts';
import { rules } from '../../lint/allRules.ts';
import type { Severity } from '../../lint/rule.ts';
import { lint, type PlacedFinding } from '../../lint/runRules.ts';
import type { Instant } from '../../time/instant.ts';
import { Failure } from '../failure.ts';
import { gatherDocuments } from '../input.ts';
import type { SourceText } from '../sources.ts';

export interface Report {
  readonly sources: readonly SourceText[];
  readonly settings: Settings;
  readonly now: Instant;
  /** By source, in the same order. */
  readonly documents: readonly (readonly Document[])[];
  readonly findings: readonly PlacedFinding[];
}

/** All or nothing (K1): if one text cannot be parsed, none is checked. */
export function reportOn(sources: readonly SourceText[], settings: Settings, now: Instant): Report {
  const read = sources.map(({ file, text }) => readDocuments(text, file));
  const errors = read.flatMap((it) => it.errors);
  if (errors.length > 0) throw new Failure(errors);
  const documents = read.map((it) => it.documents);
  const all = documents.flat();
  const { cluster } = gatherDocuments(all);
  return { sources, settings, now, documents, findings: lint({ cluster, documents: all, settings, now }) };
}

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

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

export function findingsAsSarif(findings: readonly PlacedFinding[], version: string): unknown {
  const described = rules.map(({ name, finds, why }) => ({
    id: name,
    shortDescription: { text: finds },
    fullDescription: { text: why },
  }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'lull', version, rules: described } }, results: findings.map(asResult) }],
  };
}

function asResult({ rule, severity, object, path, position, message, suggestion }: PlacedFinding): unknown {
  return {
    ruleId: rule,
    ruleIndex: rules.findIndex(({ name }) => name === rule),
    level: levels[severity],
    message: { text: suggestion === undefined ? message : `${message}\n\n${suggestion}` },
    locations: [
      {
        ...(position && {
          physicalLocation: {
            artifactLocation: { uri: uriOf(position.file) },
            region: { startLine: position.line, startColumn: position.column },
          },
        }),
        logicalLocations: [{ fullyQualifiedName: `${object} ${path}` }],
      },
    ],
  };
}

/** Relative to the working directory, as scanners expect. */
const uriOf = (file: string): string => encodeURI(file.replaceAll('\\', '/')).replace(/[?#]/g, encodeURIComponent);
