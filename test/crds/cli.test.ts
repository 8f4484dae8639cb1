// The output and errors of `lull crds`.
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { runInMemory } from '../inMemory.ts';
import { applyPatch } from './applyPatch.ts';
import { karpenterCrd, v1 } from './karpenterCrd.ts';

const names = (text: string): string[] =>
  parseAllDocuments(text).map((document) => (document.toJS() as { metadata: { name: string } }).metadata.name);

const own = [
  'maintenancewindows.karpenter.sh',
  'poddisruptionschedules.karpenter.sh',
  'healthgates.lull.dev',
  'disruptionledgers.lull.dev',
];

describe('lull crds', () => {
  it("prints Lull's own as YAML documents, and never Karpenter's NodePool", async () => {
    const { status, stdout } = await runInMemory(['crds']);
    expect(status).toBe(0);
    expect(names(stdout)).toEqual(own);
  });

  it('prints several as one JSON List, as kubectl expects, and one by itself', async () => {
    const all = JSON.parse((await runInMemory(['crds', '-o', 'json'])).stdout);
    expect([all.kind, all.items.map((it: { metadata: { name: string } }) => it.metadata.name)]).toEqual(['List', own]);
    const one = JSON.parse((await runInMemory(['crds', 'mw', '-o', 'json'])).stdout);
    expect([one.kind, one.metadata.name]).toEqual(['CustomResourceDefinition', own[0]]);
  });

  it.each([
    { argv: ['MaintenanceWindow'], want: [own[0]] },
    { argv: ['pds', 'mw'], want: [own[1], own[0]] },
    { argv: ['mw', 'maintenancewindows'], want: [own[0]] },
    { argv: ['hg', 'disruptionledgers.lull.dev'], want: [own[2], own[3]] },
    { argv: ['nodepools'], want: ['nodepools.karpenter.sh'] },
  ])('knows $argv by name', async ({ argv, want }) =>
    expect(names((await runInMemory(['crds', ...argv])).stdout)).toEqual(want),
  );

  it.each([
    {
      name: 'an unknown kind',
      argv: ['nodeclaims'],
      says: 'lull: "nodeclaims" is not a kind of Lull. Use MaintenanceWindow, ',
    },
    { name: 'names beside a patch', argv: ['mw', '--patch-nodepool', '-'], says: 'Leave out the names.' },
    { name: 'an unknown form', argv: ['-o', 'text'], says: 'yaml, json' },
    {
      name: 'another CRD',
      argv: ['--patch-nodepool', '-'],
      says: '<stdin>:1: This is not a CustomResourceDefinition.',
    },
    {
      name: 'a missing file',
      argv: ['--patch-nodepool', '/nope.yaml'],
      says: '/nope.yaml: No such file',
    },
  ])('refuses $name', async ({ argv, says }) => {
    const { status, stdout, stderr } = await runInMemory(['crds', ...argv], { stdin: 'kind: Pod' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(says);
  });
});

describe('lull crds --patch-nodepool', () => {
  const crd = karpenterCrd(v1);

  it.each([
    { name: 'the CRD alone', found: crd },
    { name: 'a list that contains it', found: { kind: 'List', items: [{ kind: 'Pod' }, crd] } },
  ])('prints the patch of $name, for kubectl patch --type json', async ({ found }) => {
    const stdin = JSON.stringify(found);
    const json = JSON.parse((await runInMemory(['crds', '--patch-nodepool', '-', '-o', 'json'], { stdin })).stdout);
    const yaml = parse((await runInMemory(['crds', '--patch-nodepool', '-'], { stdin })).stdout);
    expect(json).toEqual(yaml);
    expect(JSON.stringify(applyPatch(crd, json))).toContain('"sequential"');
  });

  it('prints an empty list if there is nothing to add', async () => {
    const patch = JSON.parse(
      (await runInMemory(['crds', '--patch-nodepool', '-', '-o', 'json'], { stdin: JSON.stringify(crd) })).stdout,
    );
    const stdin = JSON.stringify(applyPatch(crd, patch));
    expect((await runInMemory(['crds', '--patch-nodepool', '-', '-o', 'json'], { stdin })).stdout).toBe('[]\n');
  });
});
