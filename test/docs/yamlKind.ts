// Classifies YAML in the docs: cluster objects, a scenario, settings, or chart values.
import { type Manifest, parse, textAt } from '../cookbook/manifest.ts';
import type { Block } from './blocks.ts';

export type YamlKind = 'objects' | 'scenario' | 'settings' | 'values';

/** Undefined if its kind is unknown. */
export function kindOfYaml({ text, marks }: Block): YamlKind | undefined {
  if (/(?:^|\s)settings(?:\s|$)/.test(marks)) return 'settings';
  if (/(?:^|\s)values(?:\s|$)/.test(marks)) return 'values';
  const objects = parse(text);
  if (objects.length === 0 || !objects.every(isObject)) return undefined;
  return objects.some(({ kind }) => kind === 'Scenario') ? 'scenario' : 'objects';
}

const isObject = (object: Manifest): boolean =>
  textAt(object, 'apiVersion') !== undefined && textAt(object, 'kind') !== undefined;

/** The rules of `lull lint` that the text around it mentions: `lint=empty-budgets,no-limit`. */
export const toldRules = ({ marks }: Block): readonly string[] =>
  /(?:^|\s)lint=(\S+)/.exec(marks)?.[1]?.split(',') ?? [];
