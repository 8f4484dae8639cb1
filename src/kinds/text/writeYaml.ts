// Writes values as YAML that YAML 1.1 and 1.2 parsers read the same.
import { Document, visit } from 'yaml';
import { escapeYaml, needsQuotes } from './escaping.ts';

/**
 * YAML 1.1, as kubectl and PyYAML read it, so `on` and 12:30 are quoted. Without anchors and folded lines, so that it can be grepped.
 * A string that could control a terminal or a CI system is quoted on one line and escaped (K8); it parses to the same value.
 */
export function writeYaml(value: unknown): string {
  const document = new Document(value, { version: '1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && needsQuotes(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeYaml(document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }));
}
