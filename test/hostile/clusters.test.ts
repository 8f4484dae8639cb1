// Clusters with arbitrary objects: decided without a crash, in the documented form.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../src/cluster/settings.ts';
import { readSettings } from '../../src/kinds/readSettings.ts';
import { type Instant, parseInstant } from '../../src/time/instant.ts';
import { decideAnything } from './decideAnything.ts';
import { mangledOf } from './mangle.ts';
import { wrongInRound } from './roundShape.ts';
import { longEnough, runsOf, watchOver } from './runs.ts';
import { cluster, settingsSpecimen } from './specimens.ts';

const instants = ['2026-11-17T10:20:00Z', '2026-11-17T22:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].map(
  (text) => parseInstant(text) as Instant,
);

const settings = ['observe', 'guide', 'drive'].flatMap((role) =>
  ['claims', 'computed'].map((drift) => readSettings({ ...settingsSpecimen, pools: 'all', role, drift }).settings),
);

/** Control characters that a terminal would interpret. */
const obeyed = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const mangled = fc.array(mangledOf(cluster), { minLength: 1, maxLength: 3 });

describe('K1, L2: a cluster with arbitrary objects', () => {
  it('is decided', () => {
    for (const each of settings) {
      const { json = '' } = decideAnything(cluster, instants[0] as Instant, each);
      expect(wrongInRound(json)).toEqual([]);
      expect((JSON.parse(json) as { verdicts: unknown[] }).verdicts.length).toBeGreaterThan(0);
    }
  });

  it('gives a valid round, or the reason for none', { timeout: longEnough }, () => {
    watchOver();
    fc.assert(
      fc.property(mangled, fc.constantFrom(...instants), fc.nat({ max: settings.length - 1 }), (list, at, which) => {
        const objects = list.reduce((all, { index, object }) => all.with(index, object), cluster);
        const inForce = settings[which] as Settings;
        const { json, text = '', refused } = decideAnything(objects, at, inForce);
        if (json !== undefined) expect(wrongInRound(json)).toEqual([]);
        else expect(refused?.length).toBeGreaterThan(0);
        expect(text.replaceAll('\n', '')).not.toMatch(obeyed);
      }),
      runsOf('clusters'),
    );
  });
});
