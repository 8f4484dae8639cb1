import { describe, expect, it } from 'vitest';
import { at, noon } from '../../test/build.ts';
import { asDuration, after as plus, second } from '../time/instant.ts';
import type { Search } from './consolidation/searchTask.ts';
import { newsOf, nothingFound, SearchPace, searchEvery } from './pacedSearch.ts';

const now = at(noon);
const later = (seconds: number) => plus(now, asDuration(seconds * second));

const searchOf = (version: string): Search => ({
  version,
  task: () => {
    throw new Error('Nobody needs the task to tell whether it is worth it.');
  },
});

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
