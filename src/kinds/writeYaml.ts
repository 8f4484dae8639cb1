// How is a value written as YAML that every reader takes the same?
import { Document, visit } from 'yaml';
import { escapeYaml, needsQuotes } from './escaping.ts';

/**
 * Read as YAML 1.1 too (kubectl, PyYAML), so that `on` and 12:30 are quoted; without anchors and folds, to be grepped.
 * A text that a terminal or a CI system would obey is in quotes, on one line and escaped (K8): read, it is the same.
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
