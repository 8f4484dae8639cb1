import { describe, expect, it } from 'vitest';
import { at, noon, settings, storeOf } from '../../../test/build.ts';
import { type Backoff, emptyLedger } from '../../cluster/ledger.ts';
import { asDuration, asInstant, type Instant, minute } from '../../time/instant.ts';
import { observe } from '../situation.ts';
import { nextBackoffs, type Trials } from './backoffs.ts';

const nobody: ReadonlySet<string> = new Set();
const failing = { failed: new Set(['web']), arrived: nobody };
const quiet = { failed: nobody, arrived: nobody };
const next = (backoffs: readonly Backoff[], trials: Trials, now: Instant): readonly Backoff[] =>
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

  it('is not punished twice for what it had begun before it waited', () => {
    const known = next([], failing, at(noon));
    const second = next(known, failing, at('2026-03-10T12:00:30Z'));
    expect(second).toEqual([{ pool: 'web', delay: minute, until: at('2026-03-10T12:01:30Z') }]);
  });

  it('begins anew ten minutes after another try would have failed', () => {
    const known = [{ pool: 'web', delay: asDuration(8 * minute), until: at(noon) }];
    expect(next(known, quiet, at('2026-03-10T12:19:59Z'))).toBe(known);
    expect(next(known, quiet, at('2026-03-10T12:20:00Z'))).toEqual([]);
    expect(next(known, failing, at('2026-03-10T12:19:59Z'))).toMatchObject([{ delay: 10 * minute }]);
    expect(next(known, failing, at('2026-03-10T12:20:00Z'))).toMatchObject([{ delay: minute }]);
  });

  it('is forgotten when one of its replacements comes, unless another fails in that moment', () => {
    const known = [{ pool: 'web', delay: minute, until: at(noon) }];
    const arrived = new Set(['web']);
    expect(next(known, { failed: nobody, arrived }, at(noon))).toEqual([]);
    expect(next(known, { failed: arrived, arrived }, at(noon))).toMatchObject([{ delay: 2 * minute }]);
  });

  it('does not touch the others', () => {
    const api = { pool: 'api', delay: minute, until: at(noon) };
    expect(next([api], failing, at(noon))[0]).toBe(api);
  });
});
