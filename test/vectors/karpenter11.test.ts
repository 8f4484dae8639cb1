// A cluster beside Karpenter 1.1, which marks a node that it takes with its taint alone: Lull decides as beside a version that sets the condition too.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/cluster/settings.ts';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { decide } from './decide.ts';

const at = '2026-11-16T05:10:30Z';

function decideFile(file: string, role: 'guide' | 'observe') {
  const text = readFileSync(new URL(`karpenter-1.1/${file}`, import.meta.url), 'utf8');
  const { documents, errors } = readDocuments(text, file);
  expect(errors).toEqual([]);
  return decide({ objects: documents.map(({ object }) => object), at, settings: { ...defaultSettings, role } });
}

describe.each(['observe', 'guide'] as const)('C4: beside Karpenter 1.1, in %s', (role) => {
  const tainted = decideFile('taint.json', role);

  it('a node with only the taint is under way, and no second zone starts', () => {
    const outcomes = tainted.verdicts.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'underway')).toHaveLength(1);
    expect(outcomes).not.toContain('go');
    expect(tainted.domains.map(({ domain, consumed }) => `${domain} ${consumed}`)).toEqual([
      'test-zone-a 1',
      'test-zone-b 0',
      'test-zone-c 0',
    ]);
  });

  it('the verdicts are those of the same cluster with the condition', () => {
    const verdictsOf = (file: string) =>
      decideFile(file, role).verdicts.map(({ node, reason, outcome, refusals }) => ({
        node,
        reason,
        outcome,
        codes: refusals.map(({ code }) => code),
      }));
    expect(verdictsOf('taint.json')).toEqual(verdictsOf('reason.json'));
  });
});
