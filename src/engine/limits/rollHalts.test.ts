import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pod,
  pool,
  refusalOf,
  Story,
  startsOf,
  underway,
  verdictOf,
} from '../../../test/build.ts';

const web = (more: Plain = {}) =>
  pool('web', { budgets: [{ nodes: '100%', reasons: ['Drifted'], haltAfter: 2, ...more }], repairAfter: 'Never' });
const drifted = (...names: string[]): Objects => names.map((name) => machine(name, { drifted: longAgo }));
const roll = (more: Plain = {}): Plain => ({
  pool: 'web',
  startedAt: '2026-03-10T11:00:00Z',
  counted: 5,
  done: 0,
  wave: 0,
  waveAt: '2026-03-10T11:00:00Z',
  ...more,
});
const during = (objects: Objects, more: Plain = {}, commands: readonly Plain[] = [], settings: Plain = {}) =>
  decide(objects, { ledger: ledger({ rolls: [roll(more)], commands }), settings });
const haltedAt = '2026-03-10T11:50:00Z';

describe('P5: haltAfter', () => {
  it('holds drifted nodes after that many replacements in a row failed, until a person acts', () => {
    const round = during([web(), ...drifted('n1')], { failures: 2 });
    expect(refusalOf(round, 'n1', 'Drifted', 'RollHalted')).toEqual({
      code: 'RollHalted',
      message: 'the roll of pool web was halted at 2026-03-10T12:00:00Z: 2 replacements in a row failed',
      owner: { kind: 'NodePool', name: 'web', index: 0 },
    });
    expect(verdictOf(round, 'n1', 'Drifted').waitsFor).toBe('someone');
    expect(round.ledger.rolls).toMatchObject([{ haltedAt: at('2026-03-10T12:00:00Z') }]);
    expect(startsOf(during([web(), ...drifted('n1')], { failures: 1 }))).toEqual(['n1 Drifted']);
  });

  it.each([
    { name: '3 by default in waves', more: { haltAfter: undefined, waves: ['5'] }, failures: 3, halts: true },
    { name: 'not before that', more: { haltAfter: undefined, waves: ['5'] }, failures: 2, halts: false },
    { name: '0 means never', more: { haltAfter: 0, waves: ['5'] }, failures: 50, halts: false },
  ])('$name', ({ more, failures, halts }) => {
    const codes = codesOf(during([web(more), ...drifted('n1')], { failures }), 'n1', 'Drifted');
    expect(codes.includes('RollHalted')).toBe(halts);
  });

  it('counts a replacement that does not become ready, and a node that is replaced ends the row', () => {
    const it = new Story([web(), ...drifted('n1')]);
    it.ledger = ledger({
      rolls: [roll({ inFlight: ['n1'], failures: 1 })],
      commands: [
        underway('n1', {
          step: 'replacing',
          replacements: [{ name: 'r1', pool: 'web', state: 'made' }],
          stepAt: '2026-03-10T11:40:00Z',
        }),
      ],
    });
    it.decide('2026-03-10T12:00:00Z');
    expect(it.ledger.rolls).toMatchObject([{ failures: 2 }]);
    it.decide('2026-03-10T12:00:01Z');
    expect(it.ledger.rolls).toMatchObject([{ haltedAt: at('2026-03-10T12:00:01Z') }]);
    const gone = during([web(), ...drifted('n2')], { failures: 1, inFlight: ['n1'] });
    expect(gone.ledger.rolls?.[0]).not.toHaveProperty('failures');
  });

  it('in guide, an attempt that Karpenter gives up counts', () => {
    const taken = underway('n1', { hands: 'karpenter', step: 'taken' });
    const round = during([web(), ...drifted('n1')], { inFlight: ['n1'] }, [taken], { role: 'guide' });
    expect(round.ledger.rolls).toMatchObject([{ failures: 1 }]);
  });

  it('in guide, offers are withdrawn', () => {
    const offered = underway('n1', { hands: 'karpenter', step: 'offered', stepAt: '2026-03-10T11:59:00Z' });
    const round = during([web(), ...drifted('n1')], { inFlight: ['n1'], haltedAt }, [offered], { role: 'guide' });
    expect(round.commands).toMatchObject([{ step: 'withdrawn', why: expect.stringContaining('was halted at') }]);
  });

  it('`lull turn pass` resumes it, and what failed before does not count again', () => {
    const asked = { haltedAt, failures: 2, passAsked: '2026-03-10T11:59:00Z' };
    const round = during([web(), ...drifted('n1')], asked);
    expect(startsOf(round)).toEqual(['n1 Drifted']);
    expect(round.ledger.rolls).toMatchObject([{ resumedAt: at('2026-03-10T12:00:00Z') }]);
    for (const field of ['haltedAt', 'failures', 'passAsked'])
      expect(round.ledger.rolls?.[0]).not.toHaveProperty(field);
  });

  it('another template is a new roll, though no node was replaced', () => {
    const round = during([web(), ...drifted('n1')], { haltedAt, print: 'another' });
    expect(startsOf(round)).toEqual(['n1 Drifted']);
    expect(round.ledger.rolls?.[0]).not.toHaveProperty('haltedAt');
  });

  it('a new target is a new roll', () => {
    const again = machine('m1', { created: '2026-03-10T11:30:00Z', drifted: '2026-03-10T11:59:00Z' });
    expect(startsOf(during([web(), ...again], { haltedAt }))).toEqual(['m1 Drifted']);
  });
});

describe('P5: pods that do not run on new nodes', () => {
  const expected = [{ owner: 'shop/ReplicaSet/web', name: 'ReplicaSet shop/web', running: 3 }];
  const fresh = (name: string, created: string) => machine(name, { created, readySince: created });
  const crashed = (name: string, on: string, created = '2026-03-10T11:40:00Z') =>
    pod(name, on, { created, ready: 'False' });
  const nodes = [fresh('m1', '2026-03-10T11:10:00Z'), fresh('m2', '2026-03-10T11:20:00Z'), drifted('n1')];
  const codes = (objects: Objects, more: Plain = {}) =>
    codesOf(during([web(), ...nodes, ...objects], { expected, ...more }), 'n1', 'Drifted');

  it('count as failed after ten minutes beside settle', () => {
    expect(codes([crashed('p1', 'm1'), crashed('p2', 'm2')])).toContain('RollHalted');
    const late = [crashed('p1', 'm1'), crashed('p2', 'm2', '2026-03-10T11:55:00Z')];
    expect(codes(late)).not.toContain('RollHalted');
    expect(during([web(), ...nodes, ...late], { expected }).wakeAt).toBe(at('2026-03-10T12:05:00Z'));
  });

  it.each([
    { name: 'the newest node has pods that run', objects: [crashed('p1', 'm1'), pod('p2', 'm2')] },
    {
      name: 'the roll has evicted no pod of that workload',
      objects: [crashed('p1', 'm1'), crashed('p2', 'm2')],
      more: { expected: [] },
    },
    {
      name: 'they are from before the roll was resumed',
      objects: [crashed('p1', 'm1'), crashed('p2', 'm2')],
      more: { resumedAt: '2026-03-10T11:45:00Z' },
    },
  ])('not if $name', ({ objects, more }) => {
    expect(codes(objects, more)).not.toContain('RollHalted');
  });
});
