import { describe, expect, it } from 'vitest';
import { at, noon, storeOf } from '../../test/build.ts';
import { emptyLedger, type SeenVersions } from '../cluster/ledger.ts';
import { after, asDuration, type Instant, second } from '../time/instant.ts';
import { LagCheck } from './lag.ts';
import { type ClusterView, describeUnsynced, type Unsynced } from './port.ts';

const now = at(noon);
const later = (seconds: number): Instant => after(now, asDuration(seconds * second));

/** The ledger's author saw Node up to 90 and Pod up to 50. */
const view = (seen: SeenVersions, { version = '7', unsynced = [] as readonly Unsynced[] } = {}): ClusterView => ({
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
  return { lag: new LagCheck(port, (words) => warnings.push(words)), asked, warnings };
}

describe('K3: a view that is older than the ledger', () => {
  it('names the kinds; nothing if everything was seen', () => {
    const { lag } = scene();
    expect(lag.of(behind, now).map(describeUnsynced)).toEqual([
      'Node is seen up to resourceVersion 80, but the ledger was written at 90',
    ]);
    expect(lag.of(view({ Node: '90', Pod: '51' }), now)).toEqual([]);
  });

  it('is listed again after two seconds, and then every 15 seconds', () => {
    const { lag, asked } = scene();
    for (let seconds = 0; seconds <= 40; seconds++) lag.of(behind, later(seconds));
    expect(asked).toEqual([['Node'], ['Node'], ['Node']]);
  });

  it('but not while it is incomplete anyway', () => {
    const { lag, asked } = scene();
    const listing = view({ Node: '80', Pod: '50' }, { unsynced: [{ cause: 'listed again', kind: 'Node' }] });
    for (let seconds = 0; seconds <= 40; seconds++) lag.of(listing, later(seconds));
    expect(asked).toEqual([]);
  });

  it('never counts as a restored server while others keep writing the ledger', () => {
    const { lag, warnings } = scene();
    for (let seconds = 0; seconds <= 900; seconds += 2) {
      const written = view({ Node: '80', Pod: '50' }, { version: String(Math.floor(seconds / 60)) });
      expect(lag.of(written, later(seconds))).toHaveLength(1);
    }
    expect(warnings).toEqual([]);
  });

  it('starts over once it has caught up', () => {
    const { lag, asked } = scene();
    lag.of(behind, now);
    lag.of(view({ Node: '90', Pod: '50' }), later(1));
    lag.of(behind, later(2));
    expect(asked).toEqual([]);
  });
});

describe('a server whose versions have gone back', () => {
  it('is recognised when every list for three minutes shows an older state; the ledger stays in force', () => {
    const { lag, warnings } = scene();
    for (let seconds = 0; seconds < 180; seconds += 2) expect(lag.of(behind, later(seconds))).toHaveLength(1);
    expect(warnings).toEqual([]);
    expect(lag.of(behind, later(180))).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(/^The API server's resource versions went back: .* written at 90 of Node, .* now 80/),
    ]);
    expect(lag.of(behind, later(182))).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it('is not assumed for a view that cannot be listed again', () => {
    const warnings: string[] = [];
    const lag = new LagCheck({ view: () => behind, send: () => ({ status: 'done' }) }, (words) => warnings.push(words));
    for (let seconds = 0; seconds < 600; seconds += 2) expect(lag.of(behind, later(seconds))).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('is assumed for one ledger only', () => {
    const { lag } = scene();
    for (let seconds = 0; seconds <= 180; seconds += 2) lag.of(behind, later(seconds));
    expect(lag.of(view({ Node: '80', Pod: '50' }, { version: '8' }), later(181))).toHaveLength(1);
  });
});
