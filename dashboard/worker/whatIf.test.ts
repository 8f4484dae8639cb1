// Tests of evaluating an edited policy and of the commands that apply it.
import { describe, expect, it } from 'vitest';
import { emptyLedger } from '../../src/cluster/ledger.ts';
import type { Json } from '../../src/kinds/read/reader.ts';
import { ObservedObjects } from '../../src/recording/recorder.ts';
import { snapshotLines } from '../../src/recording/snapshot.ts';
import { at, longAgo, machine, noon, pod, pool, settings, zone } from '../../test/build.ts';
import { mergePatch, patchText } from './patchText.ts';
import { WhatIf } from './whatIf.ts';

const objects = [
  pool('web', { budgets: [{ nodes: '0' }] }),
  machine('n1', { drifted: longAgo, zone: 'a' }),
  machine('n2', { drifted: longAgo, zone: 'b' }),
  pod('p', 'n1'),
  pod('q', 'n2'),
].flat() as Json[];

function snapshotOf(all: readonly Json[]): string {
  const observed = new ObservedObjects();
  for (const object of all) observed.read(object, false);
  const last = { at: at(noon), ledger: emptyLedger, printed: { at: noon } };
  return [...snapshotLines({ program: 't', settings: settings({ role: 'drive' }), observed, last })].join('\n');
}

const open = (): { whatIf: WhatIf; yaml: string } => {
  const whatIf = new WhatIf(snapshotOf(objects));
  return { whatIf, yaml: whatIf.loaded.yaml };
};

describe('An edited policy', () => {
  it('changes nothing if it is unchanged', () => {
    const { whatIf, yaml } = open();
    expect(whatIf.loaded).toMatchObject({ at: at(noon), nodes: 2 });
    expect(whatIf.decide(yaml)).toMatchObject({ nodes: 0, marks: [] });
    expect(whatIf.patch(yaml).text).toBe('');
  });

  it('with a larger budget disrupts more nodes, and undoing it holds them again', () => {
    const { whatIf, yaml } = open();
    const edited = yaml.replace("nodes: '0'", "nodes: '1'").replace('nodes: "0"', 'nodes: "1"');
    const told = whatIf.decide(edited);
    expect(told.counts).toEqual({ before: { held: 2 }, after: { offered: 1, wants: 1 } });
    expect(told.differences?.map(({ name, after }) => `${name} ${after.state}`)).toEqual(['n1 offered', 'n2 wants']);
    expect(whatIf.decide(yaml).nodes).toBe(0);
  });

  it('with a new window holds nodes, without it does not', () => {
    const { whatIf, yaml } = open();
    const free = yaml.replace(/nodes: ["']0["']/, 'nodes: "5"');
    const window = 'apiVersion: karpenter.sh/v1alpha1\nkind: MaintenanceWindow\nmetadata: { name: sale }\nspec: {}\n';
    expect(whatIf.decide(`${free}---\n${window}`).counts?.after).toEqual({ held: 2 });
    expect(whatIf.decide(free).counts?.after).toEqual({ offered: 1, wants: 1 });
  });

  it.each([
    ['no YAML', 'a: [', 1, /./],
    ['another kind', 'apiVersion: v1\nkind: Pod\nmetadata: { name: p }\n', 1, /Only NodePool/],
    ['no name', 'apiVersion: karpenter.sh/v1\nkind: NodePool\nspec: {}\n', 1, /name/],
  ])('with %s is marked at its line and decides nothing', (_, yaml, line, message) => {
    const { whatIf } = open();
    const told = whatIf.decide(yaml);
    expect(told.counts).toBeUndefined();
    expect(told.marks[0]).toMatchObject({ line, severity: 'error', message: expect.stringMatching(message) });
    expect(whatIf.snapshotWith(yaml)).toBeUndefined();
  });

  it('is linted and explained', () => {
    const { whatIf, yaml } = open();
    const { marks, words } = whatIf.read(
      yaml.replace(/nodes: ["']0["']/, 'nodes: "0"\n        schedule: "0 9 * * *"\n        duration: "24h"'),
    );
    expect(marks.length).toBeGreaterThan(0);
    expect(marks.every(({ line }) => line === undefined || line > 0)).toBe(true);
    expect(words[0]?.title).toBe('web');
    expect(words[0]?.sentences.join(' ')).toMatch(/Every reason|Drifted/);
  });

  it('with a topology budget is decided by domain', () => {
    const { whatIf, yaml } = open();
    const budget = `nodes: "1"\n        topologyKey: ${zone}\n        sequential: true`;
    const told = whatIf.decide(yaml.replace(/nodes: ["']0["']/, budget));
    expect(told.counts?.after).toEqual({ offered: 1, wants: 1 });
  });
});

describe('A change as commands', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, undefined],
    [{ a: 1 }, { a: 2 }, { a: 2 }],
    [{ a: 1, b: 2 }, { b: 2 }, { a: null }],
    [{ a: { b: [1] } }, { a: { b: [2], c: 1 } }, { a: { b: [2], c: 1 } }],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
  ])('%j to %j is %j', (before, after, patch) => {
    expect(mergePatch(before, after)).toEqual(patch);
  });

  it('quotes names that a shell would interpret', () => {
    const original = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: "we'b; rm" },
      spec: { weight: 1 },
    };
    const text = patchText(new Map([["NodePool/we'b; rm", original]]), [{ ...original, spec: { weight: 2 } }]);
    expect(text).toBe(`kubectl patch nodepools.karpenter.sh 'we'\\''b; rm' --type merge -p '{"spec":{"weight":2}}'\n`);
  });

  it('applies new objects and deletes removed ones', () => {
    const window = {
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'MaintenanceWindow',
      metadata: { name: 'sale' },
      spec: {},
    };
    expect(patchText(new Map(), [window])).toMatch(/^kubectl apply -f - <<'EOF'\n[\s\S]*name: sale\n[\s\S]*EOF\n$/);
    expect(patchText(new Map([['MaintenanceWindow/sale', window]]), [])).toBe(
      'kubectl delete maintenancewindows.karpenter.sh sale\n',
    );
  });
});
