import { describe, expect, it } from 'vitest';
import {
  at,
  decide,
  ledger,
  machine,
  maintenanceWindow,
  noon,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  requestsOf,
  underway,
} from '../../../test/build.ts';

const web = pool('web', { consolidateAfter: '15s' });
const chosen = (reason: string, name = 'n1', fields: Plain = {}): Plain =>
  underway(name, { id: `${reason.toLowerCase()}-${name}`, reason, step: 'chosen', ...fields });
const carryOn = (objects: Objects, commands: readonly Plain[], when = noon) =>
  decide(objects, { ledger: ledger({ commands }), at: when });

/** n2 has one core free, and its pod must not be moved. */
const rooms = [
  machine('n2'),
  pod('stays', 'n2', { cpu: '3', annotations: { 'karpenter.sh/do-not-disrupt': 'true' }, labels: { app: 'other' } }),
];

describe('G1: a chosen command', () => {
  it('waits for consolidationPause before anything is changed, and sets wakeAt to its end', () => {
    const round = carryOn([web, machine()], [chosen('Empty')], '2026-03-10T11:59:14Z');
    expect(requestsOf(round)).toEqual([]);
    expect(round.ended).toEqual([]);
    expect(round.commands[0]).toMatchObject({ step: 'chosen' });
    expect(round.wakeAt).toBe(at('2026-03-10T11:59:15Z'));
  });

  it('sets wakeAt in the round that chooses it', () => {
    const round = decide([web, machine()], { settings: { consolidationPause: '40s' } });
    expect(round.wakeAt).toBe(at('2026-03-10T12:00:40Z'));
  });

  it.each([
    { reason: 'Empty', objects: [web, machine()] },
    { reason: 'Underutilized', objects: [web, machine(), pod('p1', 'n1', { cpu: '1' }), rooms] },
  ])('$reason is tainted when the second evaluation agrees', ({ reason, objects }) => {
    const round = carryOn(objects, [chosen(reason)]);
    expect(requestsOf(round)).toEqual(['patch Node n1']);
    expect(round.ledger.commands).toMatchObject([{ step: 'tainted', stepAt: at(noon) }]);
  });

  it('is tainted at once when the cloud interrupts the node', () => {
    const interrupted = machine('n1', { claim: { conditions: { Interrupted: noon } } });
    const round = carryOn([web, interrupted], [chosen('Empty')], '2026-03-10T11:59:01Z');
    expect(round.commands[0]).toMatchObject({ step: 'tainted' });
  });
});

describe('G5: a chosen command is released, with nothing changed, when the second evaluation disagrees', () => {
  const mine = pod('p1', 'n1', { cpu: '1' });
  it.each([
    { it: 'Empty: it filled up', reason: 'Empty', objects: [web, machine(), pod()], why: 'n1 is no longer Empty' },
    {
      it: 'Empty: pods came and went',
      reason: 'Empty',
      objects: [web, machine('n1', { claim: { lastPodEvent: '2026-03-10T11:59:50Z' } })],
      why: /^NotStable/,
    },
    {
      it: 'Empty: a person holds it',
      reason: 'Empty',
      objects: [web, machine('n1', { annotations: { 'lull.dev/hold': 'mine' } })],
      why: /^Held/,
    },
    {
      it: 'Empty: a window has closed',
      reason: 'Empty',
      objects: [web, machine(), maintenanceWindow('freeze')],
      why: /^WindowBlocks/,
    },
    {
      it: 'Empty: the policy has changed',
      reason: 'Empty',
      objects: [pool('web', { consolidateAfter: 'Never' }), machine()],
      why: /^PolicyOff/,
    },
    {
      it: 'Underutilized: its pods no longer fit elsewhere',
      reason: 'Underutilized',
      objects: [web, machine(), mine, rooms, pod('new', 'n2', { cpu: '500m' })],
      why: /^NoPriceKnown: pod shop\/p1 fits on no other node/,
    },
    {
      it: 'Underutilized: a PDB is spent',
      reason: 'Underutilized',
      objects: [web, machine(), mine, rooms, pdb('web', 0)],
      why: /^PdbSpent/,
    },
    {
      it: 'Underutilized: its pods are gone',
      reason: 'Underutilized',
      objects: [web, machine(), rooms],
      why: 'n1 is no longer Underutilized',
    },
  ])('$it', ({ reason, objects, why }) => {
    const round = carryOn(objects, [chosen(reason)]);
    expect(requestsOf(round)).toEqual([]);
    expect(round.ended).toEqual([
      {
        id: `${reason.toLowerCase()}-n1`,
        reason,
        pool: 'web',
        nodes: ['n1'],
        how: 'released',
        why: expect.stringMatching(why),
      },
    ]);
    expect(round.ledger.commands.filter(({ id }) => id === `${reason.toLowerCase()}-n1`)).toEqual([]);
  });

  it('a pool that backs off and a window that closes soon only prevent starts', () => {
    const known = ledger({
      commands: [chosen('Underutilized')],
      backoffs: [{ pool: 'web', until: '2026-03-10T12:10:00Z', delay: '1m' }],
    });
    const soon = maintenanceWindow('noon', { schedules: [{ cron: '5 12 * * *', duration: '1h' }] });
    const round = decide([web, machine(), mine, rooms, soon], { ledger: known, settings: { windowMargin: '10m' } });
    expect(round.ledger.commands[0]).toMatchObject({ step: 'tainted' });
  });
});

describe('G5: room that was promised', () => {
  const both = [web, machine('n1'), pod('p1', 'n1', { cpu: '1' }), machine('n3'), pod('p3', 'n3', { cpu: '1' }), rooms];

  it('does not block the command it was promised to, and is promised again', () => {
    const round = carryOn(both.slice(0, 3).concat(rooms), [chosen('Underutilized', 'n1', { promisedTo: ['n9'] })]);
    expect(round.ledger.commands).toMatchObject([{ step: 'tainted', promisedTo: ['n2'] }]);
  });

  it('is promised once: of two commands that need the same room the first proceeds', () => {
    const round = carryOn(both, [chosen('Underutilized', 'n1'), chosen('Underutilized', 'n3')]);
    expect(round.ledger.commands).toMatchObject([{ id: 'underutilized-n1', step: 'tainted' }]);
    expect(round.ended).toMatchObject([{ id: 'underutilized-n3', how: 'released' }]);
  });

  it('is kept for a waiting command while another is evaluated again', () => {
    const waiting = chosen('Underutilized', 'n3', { stepAt: '2026-03-10T11:59:59Z', promisedTo: ['n2'] });
    const round = carryOn(both, [chosen('Underutilized', 'n1'), waiting]);
    expect(round.ended).toMatchObject([{ id: 'underutilized-n1', how: 'released' }]);
    expect(round.ledger.commands).toMatchObject([{ id: 'underutilized-n3', step: 'chosen' }]);
  });

  it('is not taken on a node that is itself evaluated again', () => {
    const alone = [web, machine('n1'), pod('p1', 'n1', { cpu: '1' }), machine('n3'), pod('p3', 'n3', { cpu: '1' })];
    const round = carryOn(alone, [chosen('Underutilized', 'n1'), chosen('Underutilized', 'n3')]);
    expect(round.ended.map(({ id }) => id)).toEqual(['underutilized-n1', 'underutilized-n3']);
  });
});
