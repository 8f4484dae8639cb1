import { describe, expect, it } from 'vitest';
import { at, noon, storeOf } from '../../test/build.ts';
import { emptyLedger, type Seen } from '../cluster/ledger.ts';
import { after, asDuration, type Instant, second } from '../time/instant.ts';
import { Lag } from './lag.ts';
import type { View } from './port.ts';

const now = at(noon);
const later = (seconds: number): Instant => after(now, asDuration(seconds * second));

/** The ledger's author saw Node up to 90 and Pod up to 50. */
const view = (seen: Seen, { version = '7', unsynced = [] as readonly string[] } = {}): View => ({
  cluster: storeOf(),
  ledger: { version, record: { ...emptyLedger, seen: { Node: '90', Pod: '50' } } },
  unsynced,
  seen,
  written: {},
});
const behind = view({ Node: '80', Pod: '50' });

function scene() {
  const asked: string[][] = [];
  const warnings: string[] = [];
  const port = {
    view: () => behind,
    send: () => ({ status: 'done' as const }),
    catchUp: (kinds: readonly string[]) => asked.push([...kinds]),
  };
  return { lag: new Lag(port, (words) => warnings.push(words)), asked, warnings };
}

describe('K3: a view that is older than the ledger’s', () => {
  it('says which kinds, and is none where all was seen', () => {
    const { lag } = scene();
    expect(lag.of(behind, now)).toEqual(["Node is seen up to 80, the ledger's author saw 90"]);
    expect(lag.of(view({ Node: '90', Pod: '51' }), now)).toEqual([]);
  });

  it('is looked at anew after two seconds, and then every quarter of a minute', () => {
    const { lag, asked } = scene();
    for (let seconds = 0; seconds <= 40; seconds++) lag.of(behind, later(seconds));
    expect(asked).toEqual([['Node'], ['Node'], ['Node']]);
  });

  it('not while it is not complete anyway', () => {
    const { lag, asked } = scene();
    const listing = view({ Node: '80', Pod: '50' }, { unsynced: ['Node is being listed again'] });
    for (let seconds = 0; seconds <= 40; seconds++) lag.of(listing, later(seconds));
    expect(asked).toEqual([]);
  });

  it('is never taken for more than that while others go on writing the ledger', () => {
    const { lag, warnings } = scene();
    for (let seconds = 0; seconds <= 900; seconds += 2) {
      const written = view({ Node: '80', Pod: '50' }, { version: String(Math.floor(seconds / 60)) });
      expect(lag.of(written, later(seconds))).toHaveLength(1);
    }
    expect(warnings).toEqual([]);
  });

  it('begins anew once it has caught up', () => {
    const { lag, asked } = scene();
    lag.of(behind, now);
    lag.of(view({ Node: '90', Pod: '50' }), later(1));
    lag.of(behind, later(2));
    expect(asked).toEqual([]);
  });
});

describe('a server that has gone back in time', () => {
  it('is recognised when every look for three minutes shows an older state; what the ledger remembers is gone on from', () => {
    const { lag, warnings } = scene();
    for (let seconds = 0; seconds < 180; seconds += 2) expect(lag.of(behind, later(seconds))).toHaveLength(1);
    expect(warnings).toEqual([]);
    expect(lag.of(behind, later(180))).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(/^The server has gone back in time: .* saw Node up to 90, .* up to 80/),
    ]);
    expect(lag.of(behind, later(182))).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it('is not believed of a view that nobody can look at anew', () => {
    const warnings: string[] = [];
    const lag = new Lag({ view: () => behind, send: () => ({ status: 'done' }) }, (words) => warnings.push(words));
    for (let seconds = 0; seconds < 600; seconds += 2) expect(lag.of(behind, later(seconds))).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('is believed of one ledger only', () => {
    const { lag } = scene();
    for (let seconds = 0; seconds <= 180; seconds += 2) lag.of(behind, later(seconds));
    expect(lag.of(view({ Node: '80', Pod: '50' }, { version: '8' }), later(181))).toHaveLength(1);
  });
});
