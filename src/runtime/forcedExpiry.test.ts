import { describe, expect, it } from 'vitest';
import {
  at,
  command,
  ledger,
  machine,
  maintenanceWindow,
  type Objects,
  type Plain,
  pool,
  settings,
  storeOf,
} from '../../test/build.ts';
import { decideRound } from '../engine/round.ts';
import { openNotices } from './notices.ts';

/** It may grow ten days old, and is so at noon. */
const born = '2026-02-28T12:00:00Z';
const old = (claim: Plain = {}) => machine('n1', { created: born, claim: { spec: { expireAfter: '240h' }, ...claim } });
const freeze = maintenanceWindow('freeze', { actions: ['Expiration'], note: 'Ann' });

interface Scene {
  readonly objects: Objects;
  readonly at: string;
  readonly ledger?: Plain;
}

const beforeNoon: Scene = { objects: [pool(), old(), freeze], at: '2026-03-10T11:59:00Z' };
const deleted = (when: string): Scene => ({
  objects: [pool(), old({ deleted: when }), freeze],
  at: '2026-03-10T12:00:05Z',
});

/** The warnings of forced expiry after the last scene. */
function told(scenes: readonly Scene[], role = 'guide'): string[] {
  const inForce = settings({ role });
  const noticesOf = openNotices();
  let said: string[] = [];
  for (const { objects, at: when, ledger: known = {} } of scenes) {
    const facts = { cluster: storeOf(...objects), ledger: ledger(known) };
    const round = decideRound(facts, at(when), inForce);
    const notices = noticesOf({ round, facts, settings: inForce, now: round.at });
    said = notices.filter(({ reason }) => reason === 'ForcedExpiry').map((it) => `${it.about.kind} ${it.message}`);
  }
  return said;
}

const message =
  'n1 of pool web reached its expireAfter at 2026-03-10T12:00:00Z and Karpenter deleted it, although Lull held it: MaintenanceWindow freeze blocks it now (Ann).';

describe('N7: a held node that Karpenter deletes at its expireAfter', () => {
  it.each(['guide', 'drive'])('is reported on node and pool, with the refusals (%s)', (role) => {
    expect(told([beforeNoon, deleted('2026-03-10T12:00:00Z')], role)).toEqual([
      `Node ${message}`,
      `NodePool ${message}`,
    ]);
  });

  it('also if node and claim are gone before the next round', () => {
    const gone = { objects: [pool(), freeze], at: '2026-03-10T12:00:05Z' };
    expect(told([beforeNoon, gone])).toHaveLength(2);
  });

  it('once', () => {
    const scene = deleted('2026-03-10T12:00:00Z');
    expect(told([beforeNoon, scene, { ...scene, at: '2026-03-10T12:00:09Z' }])).toEqual([]);
  });

  it.each([
    { it: 'that a person deletes before', scenes: [beforeNoon, deleted('2026-03-10T11:59:30Z')] },
    { it: 'that is not deleted', scenes: [beforeNoon, { ...beforeNoon, at: '2026-03-10T12:00:05Z' }] },
    { it: 'that was not known before', scenes: [deleted('2026-03-10T12:00:00Z')] },
    {
      it: 'that Karpenter has taken from an offer',
      scenes: [
        beforeNoon,
        {
          ...deleted('2026-03-10T12:00:00Z'),
          ledger: { commands: [command('n1', { hands: 'karpenter', step: 'taken', reason: 'Expired' })] },
        },
      ],
    },
  ])('is not a node $it', ({ scenes }) => {
    expect(told(scenes)).toEqual([]);
  });

  it('is not reported in observe, where Lull holds nothing', () => {
    expect(told([beforeNoon, deleted('2026-03-10T12:00:00Z')], 'observe')).toEqual([]);
  });
});
