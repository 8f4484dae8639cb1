import { describe, expect, it } from 'vitest';
import { at, noon, pool, storeOf } from '../../test/build.ts';
import { savingSettings, threeForOne } from '../../test/threeForOne.ts';
import { emptyLedger } from '../cluster/ledger.ts';
import { decideRound } from './round.ts';
import { decideSearched } from './searchedRound.ts';

const now = at(noon);
const factsOf = (objects = threeForOne) => ({ cluster: storeOf(...objects), ledger: emptyLedger });
const groupsOf = ({ commands }: { commands: readonly { nodes: readonly { name: string }[] }[] }) =>
  commands.map(({ nodes }) => nodes.map(({ name }) => name));

describe('A round that is searched', () => {
  it('lets nodes go together that no round finds by itself, and says what that is worth', () => {
    expect(decideRound(factsOf(), now, savingSettings()).commands).toEqual([]);
    const { round } = decideSearched(factsOf(), now, savingSettings());
    expect(groupsOf(round)).toEqual([['n1', 'n2', 'n3']]);
    expect(round.commands[0]).toMatchObject({ podsMoved: 3, replacements: [{ instanceType: 'medium' }] });
    expect(round.commands[0]?.savings).toBeCloseTo(0.1);
  });

  it('comes out the same from the facts that it gives back, without a search', () => {
    const { round, facts } = decideSearched(factsOf(), now, savingSettings());
    expect(decideRound(facts, now, savingSettings())).toEqual(round);
  });

  it('is not searched where no pool consolidates', () => {
    let breaths = 0;
    const [, ...others] = threeForOne;
    const onBreath = (): void => void breaths++;
    decideSearched(factsOf([pool('web'), ...others]), now, savingSettings(), { onBreath });
    expect(breaths).toBe(0);
    decideSearched(factsOf(), now, savingSettings(), { onBreath });
    expect(breaths).toBeGreaterThan(0);
  });

  it('offers the nodes of a group one by one in guide', () => {
    const { round } = decideSearched(factsOf(), now, savingSettings({ role: 'guide' }));
    expect(groupsOf(round)).toEqual([['n1'], ['n2'], ['n3']]);
  });
});
