// How do code scanners read findings? As SARIF 2.1.0, with what each rule is about.
import type { PlacedFinding } from '../lint/lint.ts';
import type { Severity } from '../lint/rule.ts';
import { rules } from '../lint/rules.ts';

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

/** Relative to where lull was run, as scanners want it. */
const uriOf = (file: string): string => encodeURI(file.replaceAll('\\', '/')).replace(/[?#]/g, encodeURIComponent);
