// Tests that every lint suggestion, applied to its object, is free of findings (L5).

import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleOf, policyOf } from '../../test/fixtures/lintPolicy.ts';
import type { Settings } from '../cluster/settings.ts';
import { applyEdits } from '../kinds/edit/applyEdits.ts';
import { steering } from '../kinds/read/knownKeys.ts';
import { nameOfObject } from '../kinds/read/metadata.ts';
import { isMap, type Json } from '../kinds/read/reader.ts';
import { parseText } from '../kinds/text/documents.ts';
import { splitPath } from '../kinds/text/path.ts';
import { rules } from './allRules.ts';
import { lint, type PlacedFinding } from './runRules.ts';

/** How to apply a suggestion: as a further budget, in place of one or all budgets, or as fields. */
type Use = 'beside' | 'in place of one' | 'in place of all' | 'fields beside' | 'fields of the spec' | 'fields';

const uses: Readonly<Record<string, Use>> = {
  'budget-empty-list': 'in place of all',
  'budget-freeze-gap': 'beside',
  'budget-frozen': 'in place of all',
  'budget-inverted': 'beside',
  'budget-never-least': 'in place of one',
  'budget-reason-missing': 'beside',
  'budget-shut': 'in place of one',
  'budget-tighter-off-hours': 'beside',
  'budget-topology-only': 'beside',
  'budget-unlimited-hours': 'beside',
  'schedule-overlap': 'fields beside',
  'schedule-zone-missing': 'fields beside',
  'upstream-cron': 'fields beside',
  'window-mode-missing': 'fields of the spec',
  'unknown-kind': 'fields',
};

interface Source {
  readonly name: string;
  readonly text: string;
  readonly role: Settings['role'];
}

const root = resolve(import.meta.dirname, '../..');
const seeds = resolve(root, 'scenarios/seeds');

function* texts(): Generator<Omit<Source, 'role'>> {
  for (const { name } of rules) yield { name, text: exampleOf(name) };
  for (const file of readdirSync(seeds).filter((each) => each.endsWith('.yaml')))
    yield { name: file, text: readFileSync(resolve(seeds, file), 'utf8') };
  const wild = parseText(readFileSync(resolve(root, 'test/vectors/wild-budgets.yaml'), 'utf8')).values;
  const rows = wild.flatMap(({ value }) => (Array.isArray(value) ? value.filter(isMap) : []));
  for (const [index, { budgets, meant: _, holds: __, ...more }] of rows.entries()) {
    const pool = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'default' } };
    yield { name: `wild ${index + 1}`, text: JSON.stringify({ ...pool, spec: { disruption: { ...more, budgets } } }) };
  }
}

const sources: Source[] = [...texts()].flatMap((each) =>
  (['observe', 'guide'] as const).map((role) => ({ ...each, role })),
);

const lintText = ({ text, role }: Pick<Source, 'text' | 'role'>): PlacedFinding[] =>
  lint(policyOf(text, { settings: { role } }));

/** The YAML of a suggestion; undefined if it is prose. */
function yamlOf(suggestion: string): Json | readonly unknown[] | undefined {
  const { values, errors } = parseText(suggestion);
  const value = values[0]?.value;
  if (errors.length > 0) return undefined;
  if (isMap(value)) return Object.keys(value).every((key) => fields.has(key)) ? value : undefined;
  return Array.isArray(value) ? value : undefined;
}

/** Prose may contain a colon. */
const fields: ReadonlySet<string> = new Set(['schedule', 'duration', 'timeZone', 'mode', 'kind', 'apiVersion']);

/** The documents with the suggestion of one finding applied. */
function applied({ text }: Source, finding: PlacedFinding, use: Use): string {
  const given = yamlOf(finding.suggestion ?? '');
  const documents = policyOf(text).documents.map(({ object }) => structuredClone(object) as Record<string, unknown>);
  const [kind, name] = [finding.object.split('/')[0], finding.object.split('/').at(-1)];
  const object = documents.find((each) => each.kind === kind && (each.metadata as Json | undefined)?.name === name);
  if (!object || !given) throw new Error(`Unknown object ${finding.object}.`);
  if (use === 'fields') Object.assign(object, given);
  else if (use === 'fields beside' && !finding.path.includes(steering.budgets))
    Object.assign(
      splitPath(finding.path)
        .slice(0, -1)
        .reduce(inside, object as unknown) as object,
      given,
    );
  else if (use === 'fields of the spec') Object.assign(object.spec as object, given);
  else changeBudgets(object, finding, (list) => used(list, given, { finding, use }));
  return documents.map((each) => JSON.stringify(each)).join('\n');
}

const inside = (value: unknown, key: string): unknown =>
  Array.isArray(value) ? value[Number(key)] : isMap(value) ? value[key] : undefined;

function used(
  list: unknown[],
  given: Json | readonly unknown[],
  { finding, use }: { finding: PlacedFinding; use: Use },
) {
  const inText = Number(/budgets\[(\d+)\]/.exec(finding.suggestion ?? '')?.[1] ?? Number.NaN);
  const inPath = Number(splitPath(finding.path).find((key) => /^\d+$/.test(key)));
  const at = Number.isNaN(inText) ? inPath : inText;
  if (Array.isArray(given) && use === 'in place of all') return given;
  if (Array.isArray(given) && use === 'beside') return [...list, ...given];
  if (Array.isArray(given)) return list.flatMap((each, index) => (index === at ? given : [each]));
  return list.map((each, index) => (index === inPath ? { ...(each as Json), ...given } : each));
}

function changeBudgets(object: Record<string, unknown>, { path }: PlacedFinding, change: (list: unknown[]) => unknown) {
  if (path.includes(steering.budgets)) {
    const { annotations } = object.metadata as { annotations: Record<string, string> };
    const list = parseText(annotations[steering.budgets] ?? '').values[0]?.value as unknown[];
    annotations[steering.budgets] = JSON.stringify(change(list));
    return;
  }
  const disruption = (object.spec as { disruption: { budgets: unknown } }).disruption;
  disruption.budgets = change(disruption.budgets as unknown[]);
}

/** Rules about where budgets belong apply to any budgets. */
const matters = ({ severity, rule }: PlacedFinding): boolean =>
  severity !== 'info' && rule !== 'upstream-budgets-in-spec';
const nameOf = ({ rule, object, severity }: PlacedFinding): string => `${severity} ${rule} ${object}`;

describe('L5: a suggestion is itself free of findings', () => {
  it.each(sources)('$name in $role', (source) => {
    const before = lintText(source);
    const known = new Set(before.map(nameOf));
    for (const finding of before) {
      const given = yamlOf(finding.suggestion ?? '');
      if (!given) continue;
      const use = uses[finding.rule];
      if (!use) throw new Error(`How is the suggestion of ${finding.rule} meant? ${finding.suggestion}`);
      const after = lintText({ ...source, text: applied(source, finding, use) });
      const again = after.filter(
        ({ rule, object, path }) => rule === finding.rule && object === finding.object && path === finding.path,
      );
      expect({ of: finding.rule, suggestion: finding.suggestion, again }).toMatchObject({ again: [] });
      const fresh = after.filter((each) => matters(each) && !known.has(nameOf(each)));
      expect({ of: finding.rule, suggestion: finding.suggestion, fresh }).toMatchObject({ fresh: [] });
    }
  });

  it.each(sources)('what --fix writes as well: $name in $role', (source) => {
    const before = lintText(source);
    const known = new Set(before.map(nameOf));
    const documents = policyOf(source.text).documents.map(({ object }) => nameOfObject(object));
    for (const finding of before) {
      if (!finding.fix) continue;
      const group = { index: documents.lastIndexOf(finding.object), edits: finding.fix };
      const { text, errors } = applyEdits(source.text, [group]);
      expect(errors).toEqual([]);
      const after = lintText({ ...source, text });
      expect(after.filter(({ rule, path, object }) => `${rule} ${object} ${path}` === keyOf(finding))).toEqual([]);
      expect(after.filter((each) => each.severity === 'error' && !known.has(nameOf(each)))).toEqual([]);
    }
  });
});

const keyOf = ({ rule, object, path }: PlacedFinding): string => `${rule} ${object} ${path}`;
