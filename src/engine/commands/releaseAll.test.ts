import { expect, it } from 'vitest';
import { longAgo, machine, marked, noon, type Objects, pod, pool, storeOf } from '../../../test/build.ts';
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
])('N10: $it are released', ({ objects, asks }) => {
  expect(asksFor(...objects)).toEqual(asks);
});

it("N10: nothing of a user's or Karpenter's is touched", () => {
  const own = { 'karpenter.sh/do-not-disrupt': 'true' };
  const deadline = { 'karpenter.sh/nodeclaim-termination-timestamp': noon };
  const leaving = machine('n2', { claim: { deleted: noon, annotations: deadline } });
  expect(asksFor(machine('n1', { annotations: own }), pod('p1', 'n1', { annotations: own }), leaving)).toEqual([]);
});
