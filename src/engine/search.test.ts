import { describe, expect, it } from 'vitest';
import { at, noon, pool, storeOf } from '../../test/build.ts';
import { savingSettings, threeForOne } from '../../test/threeForOne.ts';
import { emptyLedger } from '../cluster/ledger.ts';
import { asDuration, after as plus, second } from '../time/instant.ts';
import { decideRound } from './round.ts';
import { decideSearched, newsOf, nothingFound, SearchPace, searchEvery } from './search.ts';

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

const later = (seconds: number) => plus(now, asDuration(seconds * second));

const searchOf = (version: string) => ({ version });

describe('A search is made', () => {
  it('at once, where there was none', () => {
    expect(new SearchPace().next(searchOf('1'), now)).toBe('now');
  });

  it.each([
    ['never again on the same facts', '1', 3600, undefined],
    ['not again too soon: come back then', '2', 3, plus(now, searchEvery)],
    ['just when it is time', '2', 10, 'now'],
    ['long after', '2', 3600, 'now'],
  ])('%s', (_, version, seconds, expected) => {
    const pace = new SearchPace();
    pace.began(searchOf('1'), now);
    expect(pace.next(searchOf(version), later(seconds))).toBe(expected);
  });

  it('again on the same facts, where nothing came of the last', () => {
    const pace = new SearchPace();
    pace.began(searchOf('1'), now);
    pace.forget();
    expect(pace.next(searchOf('1'), later(3))).toBe(plus(now, searchEvery));
    expect(pace.next(searchOf('1'), later(60))).toBe('now');
  });
});

describe('What was found', () => {
  const some = [{ version: '1', nodes: ['n1'], isReplaced: false, savings: 1, podsMoved: 0 }];

  it('is news, but nothing after nothing is none', () => {
    expect(newsOf(nothingFound, [])).toBe(nothingFound);
    expect(newsOf(nothingFound, some)).toBe(some);
    expect(newsOf(some, [])).toEqual([]);
  });
});
