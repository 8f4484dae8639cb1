import { describe, expect, it } from 'vitest';
import { at as instant, longAgo, machine, noon, type Objects, storeOf } from '../../test/build.ts';
import { savingSettings, threeForOne } from '../../test/threeForOne.ts';
import type { Command } from '../cluster/ledger.ts';
import type { Proposal } from '../engine/consolidation/proposal.ts';
import type { SearchRequest } from '../engine/consolidation/searchTask.ts';
import { InlineSearcher } from '../engine/search.ts';
import { asDuration, type Instant, minute, after as plus } from '../time/instant.ts';
import { openController, type Searcher } from './controller.ts';
import type { ApiRequest, Port, Rest } from './port.ts';

const now = instant(noon);

const standing = (objects: Objects): Port => ({
  view: () => ({ cluster: storeOf(...objects), unsynced: [], seen: {}, written: {} }),
  send: () => ({ status: 'done' }),
});

/** A searcher whose results and timing the test controls. */
class FakeSearcher implements Searcher {
  readonly searches: SearchRequest[] = [];
  proposals: readonly Proposal[] = [];
  comeAgain: Instant | undefined;

  submit(search: SearchRequest): Instant | undefined {
    this.searches.push(search);
    return this.comeAgain;
  }
}

const proposal = (nodes: readonly string[], more: Partial<Proposal> = {}): Proposal => ({
  ...{ version: 'old', nodes, isReplaced: true, savings: 0.1, podsMoved: 3 },
  ...more,
});

interface Ran {
  readonly begun: readonly (readonly string[])[];
  readonly rest: Rest;
}

function run(objects: Objects, searcher: Searcher, onRequest: (request: ApiRequest) => void = () => undefined): Ran {
  const pass = openController(standing(objects), savingSettings(), {}, searcher).pass(now);
  let commands: readonly Command[] = [];
  for (let step = pass.next(); ; ) {
    if (step.done) return { begun: commands.map(({ nodes }) => nodes.map(({ name }) => name)), rest: step.value };
    for (const request of step.value) {
      if (request.verb === 'commit') commands = request.ledger.commands;
      onRequest(request);
    }
    step = pass.next(step.value.map(() => ({ status: 'done' })));
  }
}

describe('Searches beside the loop', () => {
  it('get what is worth searching, and nothing waits for them', () => {
    const searcher = new FakeSearcher();
    const ran = run([...threeForOne, machine('n9', { drifted: longAgo })], searcher);
    expect(ran.begun).toEqual([['n9']]);
    expect(searcher.searches).toHaveLength(1);
  });

  it('with results by now have them judged in this round', () => {
    const searcher = new FakeSearcher();
    searcher.proposals = [proposal(['n1', 'n2', 'n3'])];
    expect(run(threeForOne, searcher).begun).toEqual([['n1', 'n2', 'n3']]);
  });

  it('that never end delay nothing', () => {
    expect(run(threeForOne, new FakeSearcher()).rest).not.toEqual({ again: true });
  });

  it('that ask for a later call are called then', () => {
    const searcher = new FakeSearcher();
    searcher.comeAgain = plus(now, asDuration(10_000));
    expect(run(threeForOne, searcher).rest).toEqual({ again: false, wakeAt: searcher.comeAgain });
  });

  it('that end while requests are sent have their results judged at once', () => {
    const searcher = new FakeSearcher();
    const found: Searcher = {
      get proposals() {
        return searcher.proposals;
      },
      submit: (search) => {
        searcher.submit(search);
        searcher.proposals = [proposal(['n1', 'n2', 'n3'])];
        return undefined;
      },
    };
    expect(run(threeForOne, found).rest).toEqual({ again: true });
    expect(run(threeForOne, searcher).begun).toEqual([['n1', 'n2', 'n3']]);
  });

  it.each([
    ['nodes that are not there', [proposal(['gone-1', 'gone-2'])]],
    ['one node that is not there', [proposal(['n1', 'gone-2'])]],
    ['no node at all', [proposal([])]],
    ['a node twice', [proposal(['n1', 'n1'])]],
    ['nodes that nothing cheaper can replace', [proposal(['n1', 'n2'])]],
    ['invalid figures', [proposal(['gone'], { savings: Number.NaN, podsMoved: -1 })]],
  ])('that return %s start nothing', (_, proposals) => {
    const searcher = new FakeSearcher();
    searcher.proposals = proposals;
    expect(run(threeForOne, searcher).begun).toEqual([]);
  });

  it('work with the inline searcher too: the next round has the results of the first search', () => {
    const searcher = new InlineSearcher();
    const first = run(threeForOne, searcher);
    expect(first).toEqual({ begun: [], rest: { again: true } });
    expect(run(threeForOne, searcher).begun).toEqual([['n1', 'n2', 'n3']]);
  });

  it('are not repeated on the same facts, however long ago', () => {
    const searcher = new InlineSearcher();
    const controller = openController(standing(threeForOne), savingSettings({ role: 'observe' }), {}, searcher);
    const rest = (at: Instant): unknown => controller.pass(at).next().value;
    expect(rest(now)).toEqual({ again: true });
    const found = searcher.proposals;
    expect(rest(plus(now, minute))).not.toEqual({ again: true });
    expect(searcher.proposals).toBe(found);
  });
});
