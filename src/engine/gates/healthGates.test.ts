import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  healthGate,
  ledger,
  longAgo,
  machine,
  noon,
  type Objects,
  type Plain,
  pod,
  pool,
  refusalOf,
  Story,
  startsOf,
  underway,
  verdictOf,
  zone,
} from '../../../test/build.ts';
import { budgetReasons } from '../../cluster/reason.ts';

const drifted = machine('n1', { zone: 'a', drifted: longAgo });
const http = { check: { http: { url: 'http://web.shop' } } };
const owner = { kind: 'HealthGate', name: 'g' };
const failing = { state: 'Unhealthy', since: '2026-03-10T11:50:00Z', message: 'answered 500', checkedAt: noon };
const healing = { ...failing, state: 'Healthy', since: '2026-03-10T11:59:00Z', closedSince: '2026-03-10T11:50:00Z' };
const codes = (...gates: Objects): string =>
  codesOf(decide([pool(), drifted, gates]), 'n1', 'Drifted').join(' ') || 'goes';
const expression = (key: string, operator: string, ...values: string[]): Plain => ({
  selector: { matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }] },
});

describe('O4: a closed gate refuses', () => {
  it.each([
    { it: 'closed', gate: healthGate('g', http, failing), says: 'HealthGateClosed' },
    { it: 'recovering', gate: healthGate('g', http, healing), says: 'HealthGateClosed' },
    { it: 'not checked yet', gate: healthGate('g', http), says: 'HealthGateUnknown' },
    { it: 'ignored while unknown', gate: healthGate('g', { ...http, onUnknown: 'Ignore' }), says: 'goes' },
    { it: 'open', gate: healthGate('g', http, { ...failing, state: 'Healthy' }), says: 'goes' },
    { it: 'switched off by hand', gate: healthGate('g'), says: 'HealthGateClosed' },
  ])('$it: $says', ({ gate, says }) => {
    expect(codes(gate)).toBe(says);
  });

  it('it says what, since when, and whom to ask; time does not lift it', () => {
    const round = decide([pool(), drifted, healthGate('g', { ...http, note: 'ask Ada' }, failing)]);
    const refusal = refusalOf(round, 'n1', 'Drifted', 'HealthGateClosed');
    expect(refusal.message).toBe('HealthGate g is closed since 2026-03-10T11:50:00Z: answered 500 (ask Ada)');
    expect(refusal).toMatchObject({ owner });
    expect(refusal).not.toHaveProperty('liftsAt');
  });

  it('while it recovers, it says when it opens', () => {
    const round = decide([pool(), drifted, healthGate('g', http, healing)]);
    const liftsAt = at('2026-03-10T12:04:00Z');
    expect(refusalOf(round, 'n1', 'Drifted', 'HealthGateClosed')).toMatchObject({ owner, liftsAt });
    expect(verdictOf(round, 'n1', 'Drifted')).toMatchObject({ possibleAt: liftsAt, waitsFor: 'the clock' });
  });

  it('every gate that holds is named', () => {
    expect(codes(healthGate('a'), healthGate('b', http), healthGate('c', http, failing))).toBe(
      'HealthGateClosed HealthGateUnknown HealthGateClosed',
    );
  });

  it('a new status takes effect, though the nodes are not read again', () => {
    const story = new Story([pool(), drifted, healthGate('g', http, { ...failing, state: 'Healthy' })]);
    story.put(healthGate('g', http, failing));
    expect(codesOf(story.decide(noon), 'n1', 'Drifted')).toEqual(['HealthGateClosed']);
    story.put(healthGate('g', http, { ...failing, state: 'Healthy' }));
    expect(startsOf(story.decide(noon))).toEqual(['n1 Drifted']);
  });

  it('B7: the round wakes when the gate opens, closes or becomes too old', () => {
    const wakes = (spec: Plain, status: Plain) =>
      decide([pool(), healthGate('g', { ...http, ...spec }, status)]).wakeAt;
    expect(wakes({ interval: '10m' }, healing)).toBe(at('2026-03-10T12:04:00Z'));
    expect(wakes({ failAfter: '11m' }, failing)).toBe(at('2026-03-10T12:01:00Z'));
    expect(wakes({}, failing)).toBe(at('2026-03-10T12:01:30Z'));
  });
});

describe('O2: which nodes and actions', () => {
  const nodes = [
    pool('web', { consolidateAfter: '0s' }),
    machine('0', { allocatable: { cpu: '64' } }),
    pod('stay', '0', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
    machine('empty'),
    machine('under'),
    pod('u', 'under'),
    machine('drifted', { drifted: longAgo }),
    machine('expired', { claim: { spec: { expireAfter: '1h' } } }),
    machine('rebalance', { annotations: { 'lull.dev/rebalance': '' } }),
    machine('unhealthy', { ready: 'False' }),
  ];
  it.each([
    { actions: ['Drift'], reasons: ['Drifted'] },
    { actions: ['Consolidation'], reasons: ['Empty', 'Underutilized'] },
    { actions: ['Drift', 'Repair'], reasons: ['Unhealthy', 'Drifted'] },
    // O5: repair only where it is named.
    { actions: undefined, reasons: budgetReasons.filter((reason) => reason !== 'Unhealthy') },
    { actions: [], reasons: budgetReasons.filter((reason) => reason !== 'Unhealthy') },
  ])('$actions hold $reasons', ({ actions, reasons }) => {
    const { verdicts } = decide([nodes, healthGate('g', { actions })]);
    const held = verdicts
      .filter(({ refusals }) => refusals.some((it) => it.code === 'HealthGateClosed'))
      .map(({ reason }) => reason);
    expect(budgetReasons.filter((reason) => held.includes(reason))).toEqual(reasons);
  });

  it('O5: nothing holds an interruption', () => {
    const node = machine('n1', { claim: { conditions: { Interrupted: longAgo } } });
    expect(startsOf(decide([pool(), node, healthGate('g', { actions: ['Drift', 'Repair'] })]))).toEqual([
      'n1 Interrupted',
    ]);
  });

  it('only the nodes it selects', () => {
    expect(codes(healthGate('g', expression(zone, 'In', 'a')))).toBe('HealthGateClosed');
    expect(codes(healthGate('g', expression(zone, 'In', 'b')))).toBe('goes');
  });
});

describe('O4: an invalid gate holds', () => {
  const open = { check: { manual: { healthy: true } } };
  it.each([
    { it: 'no check', spec: { check: {} } },
    { it: 'two checks', spec: { check: { ...open.check, ...http.check } } },
    { it: 'a check that is not known', spec: { check: { mail: { to: 'ann' } } } },
    { it: 'an address that is not http', spec: { check: { http: { url: 'ftp://web.shop' } } } },
    { it: 'an interval that is too short', spec: { ...open, interval: '1s' } },
    { it: 'a delay that is none', spec: { ...open, recoverAfter: 'soon' } },
    { it: 'a word for onUnknown', spec: { ...open, onUnknown: 'Perhaps' } },
    { it: 'an action that is none', spec: { ...open, actions: ['Drift', 'Sleep'] } },
  ])('$it, whatever onUnknown says', ({ spec }) => {
    const round = decide([pool(), drifted, healthGate('g', { onUnknown: 'Ignore', ...spec })]);
    const refusal = refusalOf(round, 'n1', 'Drifted', 'HealthGateUnknown');
    expect(refusal.message).toMatch(/^HealthGate g cannot be read, so it holds: spec/);
    expect(codes(healthGate('g', { ...spec, ...expression(zone, 'In', 'b') }))).toBe('goes');
  });

  it('a selector that cannot be read holds every node', () => {
    expect(codes(healthGate('g', { ...open, ...expression(zone, 'Near', 'b') }))).toBe('HealthGateUnknown');
  });

  it('a password in an address is not repeated', () => {
    const bad = healthGate('g', { check: { http: { url: 'https://ann:secret@web.shop' } } });
    const round = decide([pool(), drifted, bad]);
    expect(refusalOf(round, 'n1', 'Drifted', 'HealthGateUnknown').message).not.toContain('secret');
  });
});

describe('O4: commands that have evicted nothing are undone', () => {
  const known = (fields: Plain) => ledger({ commands: [underway('n1', fields)] });
  it.each([
    { step: 'chosen', how: 'released' },
    { step: 'tainted', how: 'released' },
    { step: 'replacing', how: 'released' },
  ])('$step', ({ step }) => {
    const round = decide([pool(), drifted, healthGate('g')], { ledger: known({ step }) });
    const [command] = round.commands;
    expect(command?.step ?? round.ended[0]?.how).toBe('released');
  });

  it('one that has evicted a pod goes on', () => {
    const round = decide([pool(), drifted, pod('p', 'n1'), healthGate('g')], {
      ledger: known({ step: 'draining', evictedAt: '2026-03-10T11:59:30Z' }),
    });
    expect(round.commands[0]?.step).toBe('draining');
  });
});

describe('C13: a domain is not well while a gate holds its nodes', () => {
  const budgets = [{ nodes: '1', topologyKey: zone, sequential: true, settle: '0s', patience: '1h' }];
  const turn = {
    pool: 'web',
    topologyKey: zone,
    domain: 'a',
    takenAt: '2026-03-10T11:00:00Z',
    progressAt: '2026-03-10T11:55:00Z',
  };
  const nodes = [
    pool('web', { budgets }),
    machine('n1', { zone: 'a' }),
    machine('n2', { zone: 'b', drifted: longAgo }),
  ];
  const later = (fields: Plain, objects: Objects, when = noon) =>
    decide(objects, { at: when, ledger: ledger({ turns: [{ ...turn, ...fields }] }) });

  it('the turn does not pass, and the status says why', () => {
    const round = later({}, [nodes, healthGate('g', { ...expression(zone, 'In', 'a') })]);
    expect(startsOf(round)).toEqual([]);
    expect(round.domains.find(({ domain }) => domain === 'a')).toMatchObject({
      state: 'settling',
      unwell: ['HealthGate g is closed: switched to unhealthy'],
    });
  });

  it('without the gate it does', () => {
    expect(startsOf(later({}, nodes))).toEqual(['n2 Drifted']);
  });

  it('a gate over other nodes, or for other actions, does not matter', () => {
    expect(startsOf(later({}, [nodes, healthGate('g', expression(zone, 'In', 'c'))]))).toEqual(['n2 Drifted']);
    expect(startsOf(later({}, [nodes, healthGate('g', { actions: ['Repair'] })]))).toEqual(['n2 Drifted']);
  });

  it('C12: patience does not run meanwhile, and starts again when the gate opens', () => {
    const left = [pool('web', { budgets }), machine('n1', { zone: 'a', drifted: longAgo }), nodes.slice(2)];
    const gated = later({}, [left, healthGate('g', expression(zone, 'In', 'a'))], '2026-03-10T18:00:00Z');
    expect(gated.ledger.turns[0]).toMatchObject({ domain: 'a', gatedSince: at('2026-03-10T18:00:00Z') });
    const opened = later({ gatedSince: '2026-03-10T11:56:00Z' }, left, '2026-03-10T18:00:00Z');
    expect(opened.ledger.turns[0]).toMatchObject({ domain: 'a', progressAt: at('2026-03-10T18:00:00Z') });
    expect(opened.ledger.turns[0]).not.toHaveProperty('gatedSince');
    expect(startsOf(opened)).toEqual(['n1 Drifted']);
  });

  it('a round in which nothing changes writes nothing', () => {
    const known = ledger({ turns: [{ ...turn, gatedSince: '2026-03-10T11:56:00Z' }] });
    const round = decide([nodes, healthGate('g')], { ledger: known });
    expect(round.ledger).toBe(known);
  });
});

describe('O6: the report', () => {
  it('names each gate, what it selects and holds', () => {
    const { gates } = decide([
      pool(),
      drifted,
      machine('n2'),
      healthGate('g', { ...http, actions: ['Drift'], note: 'ask Ada' }, failing),
    ]);
    expect(gates).toEqual([
      {
        name: 'g',
        state: 'closed',
        message: 'answered 500',
        since: at('2026-03-10T11:50:00Z'),
        selected: 2,
        holding: 1,
        note: 'ask Ada',
      },
    ]);
  });

  it('is absent without gates', () => {
    expect(decide([pool(), drifted])).not.toHaveProperty('gates');
  });
});
