import { describe, expect, it } from 'vitest';
import { at, machine, noon, settings, storeOf } from '../../../test/build.ts';
import { type Backoff, emptyLedger } from '../../cluster/ledger.ts';
import { asDuration, asInstant, type Instant, minute } from '../../time/instant.ts';
import { observe } from '../situation.ts';
import { nextBackoffs, type ReplacementResults } from './nextLedger.ts';

const noPools: ReadonlySet<string> = new Set();
const failing = { failed: new Set(['web']), arrived: noPools };
const quiet = { failed: noPools, arrived: noPools };
const next = (backoffs: readonly Backoff[], trials: ReplacementResults, now: Instant): readonly Backoff[] =>
  nextBackoffs(observe({ cluster: storeOf(), ledger: { ...emptyLedger, backoffs } }, now, settings()), trials);

describe('F4: a pool that fails', () => {
  it.each([0, 10])(
    'waits twice as long each time it fails again after %i minutes, from one minute up to ten',
    (minutes) => {
      let known = next([], failing, at(noon));
      const delays = [known[0]?.delay];
      for (let trial = 0; trial < 5; trial++) {
        known = next(known, failing, asInstant((known[0]?.until ?? at(noon)) + minutes * minute));
        delays.push(known[0]?.delay);
      }
      expect(delays).toEqual([1, 2, 4, 8, 10, 10].map((it) => it * minute));
      expect(known).toHaveLength(1);
    },
  );

  it('does not double its delay for a failure while it is backing off', () => {
    const known = next([], failing, at(noon));
    const second = next(known, failing, at('2026-03-10T12:00:30Z'));
    expect(second).toEqual([{ pool: 'web', delay: minute, until: at('2026-03-10T12:01:30Z') }]);
  });

  it('starts over ten minutes after another attempt would have timed out', () => {
    const known = [{ pool: 'web', delay: asDuration(8 * minute), until: at(noon) }];
    expect(next(known, quiet, at('2026-03-10T12:19:59Z'))).toBe(known);
    expect(next(known, quiet, at('2026-03-10T12:20:00Z'))).toEqual([]);
    expect(next(known, failing, at('2026-03-10T12:19:59Z'))).toMatchObject([{ delay: 10 * minute }]);
    expect(next(known, failing, at('2026-03-10T12:20:00Z'))).toMatchObject([{ delay: minute }]);
  });

  it('stops backing off when one of its replacements arrives, unless another fails in the same round', () => {
    const known = [{ pool: 'web', delay: minute, until: at(noon) }];
    const arrived = new Set(['web']);
    expect(next(known, { failed: noPools, arrived }, at(noon))).toEqual([]);
    expect(next(known, { failed: arrived, arrived }, at(noon))).toMatchObject([{ delay: 2 * minute }]);
  });

  it('in guide stops backing off when a node of the pool has come up since', () => {
    const known = [{ pool: 'web', delay: minute, until: at('2026-03-10T12:01:00Z') }];
    const claim = (created: string) => machine('n1', { claim: { created, conditions: { Initialized: noon } } });
    const later = (created: string) =>
      nextBackoffs(
        observe(
          { cluster: storeOf(claim(created)), ledger: { ...emptyLedger, backoffs: known } },
          at('2026-03-10T12:00:50Z'),
          settings({ role: 'guide' }),
        ),
        quiet,
      );
    expect(later('2026-03-10T11:59:00Z')).toBe(known);
    expect(later('2026-03-10T12:00:10Z')).toEqual([]);
  });

  it('leaves the back-offs of other pools unchanged', () => {
    const api = { pool: 'api', delay: minute, until: at(noon) };
    expect(next([api], failing, at(noon))[0]).toBe(api);
  });
});
