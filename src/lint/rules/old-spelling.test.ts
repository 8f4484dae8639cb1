import { describe, expect, it } from 'vitest';
import { readDocuments } from '../../kinds/documents.ts';
import { applyEdits } from '../../kinds/edit.ts';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { oldSpelling } from './old-spelling.ts';

/** The text after all fixes, as often as there are any. */
function fixed(text: string): unknown {
  let now = text;
  for (let round = 0; round < 4; round++) {
    const groups = found(oldSpelling, now).flatMap(({ fix }) => (fix ? [{ index: 0, edits: fix }] : []));
    now = applyEdits(now, groups).text;
  }
  const [document] = readDocuments(now, '').documents;
  return document?.object.spec;
}

describe('C2: old-spelling', () => {
  it('finds its example', () => {
    expect(found(oldSpelling).map(({ severity, path, message }) => `${severity} ${path}: ${message}`)).toEqual([
      'info spec.disruption.budgets[0].maxUnavailable: maxUnavailable is an older name. Write nodes instead.',
      'info spec.disruption.budgets[0].maxUnavailable: A number is an older spelling. Write "0" in quotes.',
      'info spec.disruption.budgets[0].crontab: crontab is an older name. Write schedule instead.',
      'info spec.disruption.budgets[1].maxUnavailable: maxUnavailable is an older name. Write nodes instead.',
      'info spec.disruption.budgets[1].maxUnavailable: A number is an older spelling. Write "10" in quotes.',
    ]);
  });

  it.each([
    {
      name: 'its example',
      text: oldSpelling.example,
      spec: { disruption: { budgets: [{ schedule: '0 9 * * mon-fri', duration: '8h', nodes: '0' }, { nodes: '10' }] } },
    },
    {
      name: 'a reason as text',
      text: poolText('- {nodes: 5, reason: drift}'),
      spec: { disruption: { budgets: [{ nodes: '5', reasons: ['Drifted'] }] } },
    },
    {
      name: 'reasons by their older names',
      text: poolText('- {nodes: "5", reasons: [drifted, consolidation]}'),
      spec: { disruption: { budgets: [{ nodes: '5', reasons: ['Drifted', 'Underutilized'] }] } },
    },
    {
      name: 'a single reason under the new name',
      text: poolText('- {nodes: "5", reasons: Empty}'),
      spec: { disruption: { budgets: [{ nodes: '5', reasons: ['Empty'] }] } },
    },
    {
      name: 'every minute, with a zone that was about it',
      text: poolText('- {nodes: "5", schedule: "* * * * *", timeZone: Europe/Berlin}'),
      spec: { disruption: { budgets: [{ nodes: '5' }] } },
    },
    {
      name: 'every minute by its older name, with a duration: that is a schedule',
      text: poolText('- {nodes: "5", crontab: "* * * * *", duration: 1h}'),
      spec: { disruption: { budgets: [{ nodes: '5', schedule: '* * * * *', duration: '1h' }] } },
    },
    {
      name: 'both names: the new one wins',
      text: poolText('- {nodes: "5", maxUnavailable: 3}'),
      spec: { disruption: { budgets: [{ nodes: '5' }] } },
    },
    {
      name: 'fields directly under spec',
      text: 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\nspec:\n  consolidateAfter: 10m\n  disruption:\n    budgets:\n      - nodes: "5"\n',
      spec: { disruption: { budgets: [{ nodes: '5' }], consolidateAfter: '10m' } },
    },
  ])('writes what is certain: $name', ({ text, spec }) => {
    expect(fixed(text)).toEqual(spec);
  });

  it('writes nothing into the text of an annotation', () => {
    const [finding] = found(oldSpelling, annotatedText('- nodes: 5'));
    expect(finding?.path).toBe('metadata.annotations[lull.dev/budgets][0].nodes');
    expect(finding?.fix).toBeUndefined();
  });

  it.each([
    { name: 'spellings of today', text: poolText('- {nodes: "5", reasons: [Drifted]}') },
    { name: 'a name that never was one', text: poolText('- {nodes: "5", minAvailable: 3}') },
  ])('is silent about $name', ({ text }) => {
    expect(places(oldSpelling, text)).toEqual([]);
  });
});
