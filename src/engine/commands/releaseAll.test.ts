import { describe, expect, it } from 'vitest';
import { longAgo, machine, marked, noon, type Objects, pod, pool, storeOf } from '../../../test/build.ts';
import type { Ledger } from '../../cluster/ledger.ts';
import { releaseAll } from './releaseAll.ts';

const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': longAgo };
const asksFor = (...objects: Objects): string[] =>
  releaseAll(storeOf(pool(), ...objects)).map(({ kind, name }) => `${kind} ${name}`);

it.each([
  { it: 'parked nodes', objects: [machine('n1', { annotations: parked })], asks: ['Node n1'] },
  { it: 'parked pods', objects: [machine('n1'), pod('p1', 'n1', { annotations: parked })], asks: ['Pod p1'] },
  { it: "Lull's taint", objects: [machine('n1', { spec: marked() })], asks: ['Node n1'] },
  {
    it: 'claims before their nodes',
    objects: [
      machine('n1', {
        annotations: parked,
        claim: {
          annotations: {
            'karpenter.sh/nodepool-hash': 'lull-x',
            'lull.dev/nodepool-hash-before': 'h',
            'lull.dev/command': 'c',
          },
        },
      }),
    ],
    asks: ['NodeClaim n1-claim', 'NodeClaim n1-claim', 'Node n1'],
  },
  {
    it: 'the deadline of a drain that was never begun',
    objects: [machine('n1', { claim: { annotations: { 'karpenter.sh/nodeclaim-termination-timestamp': noon } } })],
    asks: ['NodeClaim n1-claim'],
  },
  {
    it: "Karpenter's copies of a claim's mark",
    objects: [machine('n1', { annotations: { 'lull.dev/command': 'c' } })],
    asks: ['Node n1'],
  },
  {
    it: 'claims that were born parked',
    objects: [machine('n1', { claim: { annotations: parked } })],
    asks: ['NodeClaim n1-claim'],
  },
  {
    it: 'mirrors of what pools said (N9)',
    objects: [pool('web', { annotations: { 'lull.dev/budgets-seen': '[]', 'lull.dev/budgets': '[{"nodes":"1"}]' } })],
    asks: ['NodePool web'],
  },
])('N10: $it are released', ({ objects, asks }) => {
  expect(asksFor(...objects)).toEqual(asks);
});

describe('N10: a replacement that Lull made', () => {
  const made = (parts: object = {}) => machine('r1', { claim: { annotations: { 'lull.dev/command': 'c' }, ...parts } });
  const underway = { commands: [{ replacements: [{ name: 'r1-claim', pool: 'web' }] }] } as unknown as Ledger;
  const verbs = (ledger: Ledger | undefined, ...objects: Objects): string[] =>
    releaseAll(storeOf(pool(), ...objects), ledger).map(({ verb, kind }) => `${verb} ${kind}`);

  it.each([
    { it: 'goes while its command is under way', ledger: underway, objects: [made()], asks: ['delete NodeClaim'] },
    {
      it: 'goes where it has not come up: it would hold all of Karpenter’s work',
      objects: [made({ conditions: { Initialized: { status: 'Unknown' } } })],
      asks: ['delete NodeClaim'],
    },
    { it: 'stays where its command is over', objects: [made()], asks: ['patch NodeClaim'] },
    { it: 'stays where pods use it', ledger: underway, objects: [made(), pod('p1', 'r1')], asks: ['patch NodeClaim'] },
    {
      it: 'is left alone where it goes already',
      ledger: underway,
      objects: [made({ deleted: noon })],
      asks: ['patch NodeClaim'],
    },
  ])('$it', ({ ledger, objects, asks }) => {
    expect(verbs(ledger, ...objects)).toEqual(asks);
  });
});

it("N10: nothing of a user's or Karpenter's is touched", () => {
  const own = { 'karpenter.sh/do-not-disrupt': 'true' };
  const deadline = { 'karpenter.sh/nodeclaim-termination-timestamp': noon };
  const leaving = machine('n2', { claim: { deleted: noon, annotations: deadline } });
  expect(asksFor(machine('n1', { annotations: own }), pod('p1', 'n1', { annotations: own }), leaving)).toEqual([]);
});
