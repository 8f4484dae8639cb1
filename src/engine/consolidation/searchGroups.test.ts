import { describe, expect, it } from 'vitest';
import { at, changesOf, noon, type Objects, type Plain, pdb, pod, pool, storeOf } from '../../../test/build.ts';
import { savingSettings, threeForOne } from '../../../test/threeForOne.ts';
import { emptyLedger } from '../../cluster/ledger.ts';
import { decide, searchBefore } from '../round.ts';
import type { Proposal } from './proposal.ts';
import { longSearch, searchGroups } from './searchGroups.ts';

const facts = (objects: Objects) => ({ cluster: storeOf(...objects), ledger: emptyLedger });
const searchOf = (objects: Objects, values: Plain = {}) =>
  searchBefore(facts(objects), at(noon), savingSettings(values));

function run(objects: Objects, steps = longSearch): { found: readonly Proposal[]; best: (readonly Proposal[])[] } {
  const task = searchOf(objects)?.task();
  if (!task) throw new Error('nothing to search');
  const search = searchGroups(task, steps);
  const best: (readonly Proposal[])[] = [];
  for (;;) {
    const next = search.next();
    if (next.done) return { found: next.value, best };
    best.push(next.value);
  }
}

const [web, ...others] = threeForOne;
const named = (proposals: readonly Proposal[]) => proposals.map(({ nodes }) => nodes.join(' '));

describe('A search for groups', () => {
  it('finds what no node can do by itself', () => {
    const { found } = run(threeForOne);
    expect(named(found)).toEqual(['n1 n2 n3']);
    expect(found[0]).toMatchObject({ isReplaced: true, podsMoved: 3, version: expect.any(String) });
    expect(found[0]?.savings).toBeCloseTo(0.1);
  });

  it('has an answer at any time, and never a worse one than before', () => {
    const worth = (proposals: readonly Proposal[]) => proposals.reduce((sum, { savings }) => sum + savings, 0);
    const { best, found } = run(threeForOne);
    const all = [...best, found].map(worth);
    expect(all.length).toBeGreaterThan(1);
    expect([...all].sort((a, b) => a - b)).toEqual(all);
  });

  it('ends after its steps', () => {
    expect(run(threeForOne, 0).found).toEqual([]);
  });

  it('says the same to the same question', () => {
    expect(run(threeForOne).found.map(({ version: _, ...rest }) => rest)).toEqual(
      run(threeForOne).found.map(({ version: _, ...rest }) => rest),
    );
  });

  it('works on a copy that went to a worker', () => {
    const task = structuredClone(searchOf(threeForOne)?.task());
    if (!task) throw new Error('nothing to search');
    const search = searchGroups(task, longSearch);
    let next = search.next();
    while (!next.done) next = search.next();
    expect(named(next.value)).toEqual(['n1 n2 n3']);
  });

  it.each([
    {
      it: 'a budget for two',
      objects: [pool('web', { consolidateAfter: '0s', budgets: [{ nodes: '2' }] }), ...others],
    },
    { it: 'a PDB that allows two', objects: [...threeForOne, pdb('guard', 2)] },
  ])('proposes no three with $it', ({ objects }) => {
    expect(named(run(objects).found)).toEqual([]);
  });
});

describe('Nothing is worth searching', () => {
  it.each([
    { it: 'where no pool consolidates', objects: [pool('web'), ...others] },
    {
      it: 'where no budget is left',
      objects: [pool('web', { consolidateAfter: '0s', budgets: [{ nodes: '0' }] }), ...others],
    },
    { it: 'where nothing runs', objects: [web as Plain] },
  ])('$it', ({ objects }) => {
    expect(searchOf(objects)).toBeUndefined();
    expect(decide(facts(objects), at(noon), savingSettings()).search).toBeUndefined();
  });

  it('twice over the same facts: the version is the same until something changes', () => {
    const store = storeOf(...threeForOne);
    const version = () => searchBefore({ cluster: store, ledger: emptyLedger }, at(noon), savingSettings())?.version;
    const first = version();
    expect(version()).toBe(first);
    for (const change of changesOf([pod('more', 'n1')])) store.apply(change);
    expect(version()).not.toBe(first);
  });
});
