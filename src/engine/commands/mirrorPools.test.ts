import { describe, expect, it } from 'vitest';
import { at, decide, machine, noon, type Objects, type Plain, pool, requestsOf } from '../../../test/build.ts';
import { applyPatch } from '../../../test/crds/applyPatch.ts';
import { karpenterCrd, v1 } from '../../../test/crds/karpenterCrd.ts';
import { patchNodePoolCrd } from '../../kinds/schema/patchNodePool.ts';

const seen = 'lull.dev/budgets-seen';
const under = 'lull.dev/budgets-seen-under';
const gone = 'lull.dev/budgets-seen-gone';
const path = (key: string): string => `/metadata/annotations/${key.replace('/', '~1')}`;
const stock: Plain = karpenterCrd(v1);
const patch = patchNodePoolCrd(stock);
const withId = (crd: Plain, generation: number): Plain => ({
  ...crd,
  metadata: { ...(crd.metadata as Plain), uid: 'crd', generation },
});
const patched = withId(applyPatch(stock, 'patch' in patch ? patch.patch : []) as Plain, 1);
const again = withId(patched, 3);

const rolling = [{ nodes: '1', settle: '5m' }];
const pruned = [{ nodes: '1' }];
const copy = JSON.stringify({ budgets: rolling });
const known = { [seen]: copy, [under]: 'crd.1' };
/** Opted out by a user, so that the node itself needs no action in any role. */
const kept = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };

const round = (crd: Plain | undefined, web: Plain, role = 'guide') => {
  const objects: Objects = [web, machine('n1', kept), ...(crd ? [crd] : [])];
  return decide(objects, { settings: { role } });
};
const changes = (crd: Plain | undefined, web: Plain, role?: string) =>
  round(crd, web, role).actions.flatMap(({ patch: operations = [] }) => operations.filter(({ op }) => op !== 'test'));
const web = (budgets: unknown, annotations: Readonly<Record<string, string>> = { a: 'b' }) =>
  pool('web', { budgets, annotations });

describe('N9: a copy of the fields that only the patched CRD keeps', () => {
  it('is written when they are set', () => {
    const { actions } = round(patched, web(rolling));
    expect(actions).toEqual([
      {
        verb: 'patch',
        kind: 'NodePool',
        name: 'web',
        patch: [
          { op: 'test', path: path(seen), value: null },
          { op: 'test', path: path(under), value: null },
          { op: 'add', path: path(seen), value: copy },
          { op: 'add', path: path(under), value: 'crd.1' },
        ],
      },
    ]);
  });

  it.each([
    { it: 'is written once', crd: patched, pool: web(rolling, known), asks: [] },
    {
      it: 'is written in drive too',
      crd: patched,
      pool: web(rolling),
      role: 'drive',
      asks: [
        { op: 'add', path: path(seen), value: copy },
        { op: 'add', path: path(under), value: 'crd.1' },
      ],
    },
    {
      it: 'is not written in observe, which writes nothing',
      crd: patched,
      pool: web(rolling),
      role: 'observe',
      asks: [],
    },
    { it: 'is not written when the CRD is unknown', crd: undefined, pool: web(rolling), asks: [] },
    { it: 'is not written when no such field is set', crd: patched, pool: web(pruned), asks: [] },
    {
      it: 'is written again when they change',
      crd: patched,
      pool: web([{ nodes: '2', settle: '5m' }], known),
      asks: [{ op: 'add', path: path(seen), value: JSON.stringify({ budgets: [{ nodes: '2', settle: '5m' }] }) }],
    },
    {
      it: 'is unchanged while the stock CRD still shows fields that the next write prunes',
      crd: stock,
      pool: web(rolling, known),
      asks: [],
    },
    { it: 'stays when the stock CRD prunes them', crd: stock, pool: web(pruned, known), asks: [] },
    {
      it: 'is removed when the budgets are changed',
      crd: stock,
      pool: web([{ nodes: '3' }], known),
      asks: [
        { op: 'remove', path: path(seen) },
        { op: 'remove', path: path(under) },
      ],
    },
    { it: 'stays after the CRD keeps the fields again', crd: again, pool: web(pruned, known), asks: [] },
    {
      it: 'names the new CRD when the fields are set again',
      crd: again,
      pool: web(rolling, known),
      asks: [{ op: 'add', path: path(under), value: 'crd.3' }],
    },
    {
      it: 'is only marked when the fields are gone: the CRD may just have been applied',
      crd: patched,
      pool: web(pruned, known),
      asks: [{ op: 'add', path: path(gone), value: noon }],
    },
    {
      it: 'stays for the next three minutes',
      crd: patched,
      pool: web(pruned, { ...known, [gone]: '2026-03-10T11:58:00Z' }),
      asks: [],
    },
    {
      it: 'is removed three minutes later, if the CRD still keeps the fields',
      crd: patched,
      pool: web(pruned, { ...known, [gone]: '2026-03-10T11:57:00Z' }),
      asks: [
        { op: 'remove', path: path(seen) },
        { op: 'remove', path: path(under) },
        { op: 'remove', path: path(gone) },
      ],
    },
    {
      it: 'loses the mark if the CRD no longer keeps them',
      crd: stock,
      pool: web(pruned, { ...known, [gone]: '2026-03-10T11:57:00Z' }),
      asks: [{ op: 'remove', path: path(gone) }],
    },
    {
      it: 'loses the mark if the CRD has changed meanwhile',
      crd: again,
      pool: web(pruned, { ...known, [gone]: '2026-03-10T11:57:00Z' }),
      asks: [{ op: 'remove', path: path(gone) }],
    },
  ])('$it', ({ crd, pool: given, role, asks }) => {
    expect(changes(crd, given, role)).toEqual(asks);
  });

  it('the round wakes when the wait is over', () => {
    expect(round(patched, web(pruned, { ...known, [gone]: '2026-03-10T11:58:00Z' })).wakeAt).toBe(
      at('2026-03-10T12:01:00Z'),
    );
  });

  it('limits the pool while it is there, and is reported as a warning', () => {
    const topology = [{ nodes: '1', topologyKey: 'topology.kubernetes.io/zone' }];
    const text = JSON.stringify({ budgets: topology });
    const { domains, faults, actions } = round(stock, web(pruned, { [seen]: text }), 'drive');
    expect(domains).toHaveLength(1);
    expect(faults).toMatchObject([{ object: 'NodePool/web', severity: 'warning' }]);
    expect(actions).toEqual([]);
  });

  it('is not written on a pool that is being deleted', () => {
    const going = pool('web', { budgets: rolling, deleted: noon });
    expect(requestsOf(round(patched, going))).toEqual([]);
  });
});
