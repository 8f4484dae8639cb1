// How is a value written as YAML that every reader takes the same?
import { stringify } from 'yaml';

/** Read as YAML 1.1 too (kubectl, PyYAML), so that `on` and 12:30 are quoted; without anchors and folds, to be grepped. */
export function writeYaml(value: unknown): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
}
