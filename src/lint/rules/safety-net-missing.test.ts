import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../cluster/settings.ts';
import { found, places, policyOf } from '../facts/policyOf.ts';
import { lint } from '../lint.ts';
import { safetyNetMissing } from './safety-net-missing.ts';

const { example } = safetyNetMissing;
const spec = (budgets: string): string => example.replace('[{nodes: 100%}]', budgets);

describe('C17: safety-net-missing', () => {
  it('finds its example', () => {
    expect(found(safetyNetMissing)).toEqual([
      {
        rule: 'safety-net-missing',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets',
        message:
          'Only lull.dev/budgets limits this pool. While Lull is away Karpenter goes by spec.disruption.budgets: no limit.',
        suggestion:
          'Write a limit in the spec that holds always, such as budgets: [{nodes: "10%"}]. The smaller of both limits holds.',
      },
    ]);
  });

  it.each([
    { name: 'an empty list', text: spec('[]'), says: 'budgets: no limit.' },
    {
      name: 'a reason without a limit',
      text: spec('[{nodes: 10%, reasons: [Drifted, Empty]}]'),
      says: 'Drifted and Empty: 10% at a time; Underutilized: no limit',
    },
    {
      name: 'hours without a limit',
      text: spec('[{nodes: "0", schedule: 0 9 * * *, duration: 8h}]'),
      says: '0 at a time; no limit for Drifted, Empty and Underutilized from 2026-11-17T17:00:00Z',
    },
  ])('finds $name', ({ text, says }) => {
    expect(found(safetyNetMissing, text)[0]?.message).toContain(says);
  });

  it.each([
    { name: 'a real limit', text: spec('[{nodes: 10%}]') },
    { name: 'the default', text: example.replace('    budgets: [{nodes: 100%}]', '    consolidateAfter: 5m') },
    { name: 'an annotation without a limit', text: example.replace('{nodes: "1"}', '{nodes: 100%}') },
    { name: 'budgets in the spec alone', text: example.replace(/ {2}annotations:[\s\S]*?spec:/, 'spec:') },
  ])('is silent about $name', ({ text }) => {
    expect(places(safetyNetMissing, text)).toEqual([]);
  });

  it('is silent in drive, where Karpenter is not there', () => {
    expect(places(safetyNetMissing, example, { settings: { role: 'drive' } })).toEqual([]);
  });

  it.each(['observe', 'guide'] as const)('K4: its suggestion is free of findings, in %s', (role) => {
    for (const annotated of [
      '{nodes: "1"}',
      '{nodes: 25%}',
      '{nodes: "30"}',
      '{nodes: "1", topologyKey: zone}\n      - {nodes: 15%}',
    ]) {
      const text = example.replace('{nodes: "1"}', annotated);
      const [finding] = found(safetyNetMissing, text, { settings: { role } });
      const suggested = /budgets: (\[.*?\])\./.exec(finding?.suggestion ?? '')?.[1] ?? 'none';
      const settings = { ...defaultSettings, role };
      const after = lint(policyOf(text.replace('[{nodes: 100%}]', suggested), { settings }));
      expect(after.filter(({ path }) => path.startsWith('spec.disruption.budgets'))).toEqual([]);
    }
  });
});
