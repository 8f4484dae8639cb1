// The YAML in the docs is linted, validated, rendered or played, depending on what it is.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { binary, chart, helm } from '../chart/helm.ts';
import { type Manifest, parse, textAt } from '../cookbook/manifest.ts';
import { admit } from '../crds/admit.ts';
import { everySchema, ownSchemas } from '../crds/everySchema.ts';
import { runInMemory } from '../inMemory.ts';
import { type Block, blocksIn, codeBlocks } from './blocks.ts';
import { keeperOf } from './keepers.ts';
import { kindOfYaml, toldRules, type YamlKind } from './yamlKind.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pieces = codeBlocks().filter((block) => block.language === 'yaml' && !keeperOf(block));

/** What is wrong with it; empty if nothing is. */
const judges: Readonly<Record<YamlKind, (block: Block) => Promise<unknown[]>>> = {
  objects: async (block) => [...(await unexpected(block)), ...parse(block.text).flatMap(refused)],
  scenario: async ({ text }) => {
    const file = join(folder, 'scenario.yaml');
    writeFileSync(file, text);
    const { status, stdout, stderr } = await runInMemory(['simulate', file]);
    return status === 0 && /violations\s+none/.test(stdout) ? [] : [stdout + stderr];
  },
  settings: async ({ text }) => {
    const file = join(folder, 'settings.yaml');
    writeFileSync(file, text);
    const { status, stderr } = await runInMemory(['settings', '--settings', file]);
    return status === 0 ? [] : [stderr];
  },
  values: async ({ text }) => {
    if (binary === undefined) return [];
    const file = join(folder, 'values.yaml');
    writeFileSync(file, text);
    return helm(['template', 'lull', chart, '-f', file]).includes('kind: Deployment') ? [] : ['no Deployment'];
  },
};

/** The rules that find something: exactly those that the text mentions. */
async function unexpected(block: Block): Promise<string[]> {
  const argv = ['lint', '-f', '-', '-o', 'json'];
  const { stdout, stderr } = await runInMemory(argv, { stdin: block.text, now: '2026-11-16T12:00:00Z' });
  if (stdout === '') return [stderr];
  const all = JSON.parse(stdout) as { rule: string; severity: string; message: string }[];
  const found = all.filter(({ severity }) => severity !== 'info');
  const told = toldRules(block);
  return [
    ...found.filter(({ rule }) => !told.includes(rule)).map(({ rule, message }) => `${rule}: ${message}`),
    ...told.filter((rule) => !all.some((each) => each.rule === rule)).map((rule) => `${rule} finds nothing here`),
  ];
}

/** By the schema that an API server would use: for Karpenter's pools its own, with Lull's fields. */
function refused(object: Manifest): readonly string[] {
  const kind = textAt(object, 'kind') ?? '';
  const isPool = kind === 'NodePool';
  const schema = isPool ? everySchema['NodePool of Karpenter, patched'] : ownSchemas[kind];
  return schema ? admit(schema, object).errors.map((error) => `${kind}: ${error}`) : [];
}

describe('YAML in the docs', () => {
  it.each(pieces.map((block) => ({ block, at: `${block.page}:${block.line}` })))('$at is valid', async ({ block }) => {
    const kind = kindOfYaml(block);
    expect(kind).toBeDefined();
    expect(kind && (await judges[kind](block))).toEqual([]);
  });

  it.each([
    { it: 'a budget that never applies', marks: '', text: pool('{ nodes: "1", reasons: [] }') },
    { it: 'a warning that is mentioned but not found', marks: 'lint=no-such-rule', text: pool('{ nodes: "1" }') },
    { it: 'a value that no API server accepts', marks: '', text: pool('{ nodes: "120%" }') },
    { it: 'an unknown setting', marks: 'settings', text: 'roll: guide\n' },
  ])('$it is found', async ({ marks, text }) => {
    const fence = '```';
    const [block] = blocksIn('docs/x.md', `${fence}yaml ${marks}\n${text}${fence}\n`);
    const kind = block && kindOfYaml(block);
    expect(block && kind && (await judges[kind](block))).not.toEqual([]);
  });
});

function pool(budget: string): string {
  return `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec:
  template: { spec: { nodeClassRef: { group: a, kind: B, name: c }, requirements: [] } }
  disruption: { consolidateAfter: 1m, budgets: [${budget}] }
`;
}
