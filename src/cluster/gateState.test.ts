import { describe, expect, it } from 'vitest';
import { at, healthGate, type Plain } from '../../test/build.ts';
import { readObject } from '../kinds/readObject.ts';
import { gateStateAt, nextStatus } from './gateState.ts';
import type { CheckResult, HealthGate } from './healthGateRecord.ts';

const http = { check: { http: { url: 'http://web.shop' } } };
const status = (state: string, since: string, more: Plain = {}): Plain => ({
  state,
  since,
  message: 'as told',
  checkedAt: '2026-03-10T12:00:00Z',
  ...more,
});

function gate(spec: Plain, given?: Plain): HealthGate {
  const read = readObject(healthGate('g', spec, given));
  if (read.kind !== 'HealthGate') throw new Error(read.kind);
  return read.record;
}

const stateOf = (spec: Plain, given: Plain | undefined, when = '2026-03-10T12:00:10Z'): string => {
  const { state, holds } = gateStateAt(gate(spec, given), at(when));
  return `${state}${holds ? ' holds' : ''}`;
};

const closed = { closedSince: '2026-03-10T11:00:00Z' };

describe('O3: a gate by its status', () => {
  it.each([
    { it: 'not checked yet', given: undefined, says: 'unknown holds' },
    { it: 'healthy', given: status('Healthy', '2026-03-10T11:00:00Z'), says: 'open' },
    { it: 'unhealthy', given: status('Unhealthy', '2026-03-10T12:00:00Z'), says: 'closed holds' },
    { it: 'could not be asked', given: status('Unknown', '2026-03-10T12:00:00Z'), says: 'unknown holds' },
    {
      it: 'healthy again just now',
      given: status('Healthy', '2026-03-10T11:59:00Z', closed),
      says: 'recovering holds',
    },
    { it: 'healthy again for long', given: status('Healthy', '2026-03-10T11:55:00Z', closed), says: 'open' },
    { it: 'an unknown state', given: status('Fine', '2026-03-10T11:00:00Z'), says: 'unknown holds' },
    { it: 'since after the check', given: status('Healthy', '2026-03-10T12:00:05Z'), says: 'unknown holds' },
    {
      it: 'a check in the future',
      given: status('Healthy', '2026-03-10T11:00:00Z', { checkedAt: '2027-01-01T00:00:00Z' }),
      says: 'unknown holds',
    },
  ])('$it: $says', ({ given, says }) => {
    expect(stateOf(http, given)).toBe(says);
  });

  it('failAfter: it closes once the check has failed for that long', () => {
    const spec = { ...http, failAfter: '1m' };
    const given = status('Unhealthy', '2026-03-10T11:59:30Z');
    expect(stateOf(spec, given, '2026-03-10T12:00:29Z')).toBe('open');
    expect(gateStateAt(gate(spec, given), at('2026-03-10T12:00:29Z')).changesAt).toBe(at('2026-03-10T12:00:30Z'));
    expect(stateOf(spec, given, '2026-03-10T12:00:30Z')).toBe('closed holds');
    // One that was closed still when the check failed again does not wait.
    expect(stateOf(spec, { ...given, ...closed }, '2026-03-10T12:00:00Z')).toBe('closed holds');
  });

  it('a status older than three intervals is unknown, from that instant on', () => {
    const given = status('Healthy', '2026-03-10T11:00:00Z');
    expect(stateOf(http, given, '2026-03-10T12:01:29Z')).toBe('open');
    expect(gateStateAt(gate(http, given), at('2026-03-10T12:01:29Z')).changesAt).toBe(at('2026-03-10T12:01:30Z'));
    expect(stateOf(http, given, '2026-03-10T12:01:30Z')).toBe('unknown holds');
  });

  it('onUnknown: Ignore lets nodes go, but does not open a closed gate', () => {
    const spec = { ...http, onUnknown: 'Ignore' };
    const late = '2026-03-10T13:00:00Z';
    expect(stateOf(spec, undefined)).toBe('unknown');
    expect(stateOf(spec, status('Unknown', '2026-03-10T12:00:00Z'))).toBe('unknown');
    expect(stateOf(spec, status('Unknown', '2026-03-10T12:00:00Z', closed))).toBe('unknown holds');
    expect(stateOf(spec, status('Healthy', '2026-03-10T11:00:00Z'), late)).toBe('unknown');
    expect(stateOf(spec, status('Unhealthy', '2026-03-10T11:00:00Z'), late)).toBe('unknown holds');
    expect(stateOf(spec, status('Healthy', '2026-03-10T11:59:00Z', closed), late)).toBe('unknown holds');
  });
});

describe('O1: a manual gate is what its spec says', () => {
  const on = { check: { manual: { healthy: true } } };
  it.each([
    { it: 'off, seen or not', spec: {}, given: undefined, says: 'closed holds' },
    {
      it: 'off, though the status says otherwise',
      spec: {},
      given: status('Healthy', '2026-03-10T11:00:00Z'),
      says: 'closed holds',
    },
    { it: 'off, whatever failAfter says', spec: { failAfter: '1h' }, given: undefined, says: 'closed holds' },
    { it: 'on', spec: on, given: undefined, says: 'open' },
    {
      it: 'on, not seen yet',
      spec: on,
      given: status('Unhealthy', '2026-03-10T11:00:00Z', closed),
      says: 'recovering holds',
    },
    {
      it: 'on, seen just now',
      spec: on,
      given: status('Healthy', '2026-03-10T11:59:00Z', closed),
      says: 'recovering holds',
    },
    { it: 'on for long', spec: on, given: status('Healthy', '2026-03-10T11:00:00Z', closed), says: 'open' },
  ])('$it: $says', ({ spec, given, says }) => {
    expect(stateOf(spec, given)).toBe(says);
  });

  it('never becomes old', () => {
    expect(stateOf(on, status('Healthy', '2026-03-10T11:00:00Z'), '2027-01-01T00:00:00Z')).toBe('open');
  });
});

describe('O3: the status after a check', () => {
  /** One result after another, each with its instant, and the state after each. */
  function run(spec: Plain, results: readonly (readonly [when: string, health: CheckResult['health']])[]): string[] {
    let now = gate(spec);
    return results.map(([time, health]) => {
      const when = at(`2026-03-10T${time}Z`);
      now = { ...now, status: nextStatus(now, { health, message: '' }, when) };
      return `${gateStateAt(now, when).state}${now.status?.closedSince === undefined ? '' : ' closed'}`;
    });
  }

  it('opens after recoverAfter, counted again whenever the check fails', () => {
    expect(
      run({ ...http, recoverAfter: '1m' }, [
        ['12:00:00', 'Healthy'],
        ['12:00:30', 'Unhealthy'],
        ['12:01:00', 'Healthy'],
        ['12:01:30', 'Unhealthy'],
        ['12:02:00', 'Healthy'],
        ['12:02:30', 'Healthy'],
        ['12:03:00', 'Healthy'],
      ]),
    ).toEqual([
      'open',
      'closed closed',
      'recovering closed',
      'closed closed',
      'recovering closed',
      'recovering closed',
      'open',
    ]);
  });

  it('a failure shorter than failAfter does not close it, and it need not recover', () => {
    expect(
      run({ ...http, failAfter: '1m' }, [
        ['12:00:00', 'Healthy'],
        ['12:00:30', 'Unhealthy'],
        ['12:01:00', 'Unhealthy'],
        ['12:01:20', 'Healthy'],
      ]),
    ).toEqual(['open', 'open', 'open', 'open']);
  });

  it('a closed gate recovers after an unknown result too', () => {
    expect(
      run(http, [
        ['12:00:00', 'Unhealthy'],
        ['12:00:30', 'Unknown'],
        ['12:01:00', 'Healthy'],
        ['12:02:00', 'Unknown'],
        ['12:02:10', 'Healthy'],
      ]),
    ).toEqual(['closed closed', 'unknown closed', 'recovering closed', 'unknown closed', 'recovering closed']);
  });

  it('one that was only unknown opens at once', () => {
    expect(
      run(http, [
        ['12:00:00', 'Unknown'],
        ['12:00:30', 'Healthy'],
      ]),
    ).toEqual(['unknown', 'open']);
  });

  it('time in which nothing was checked does not count as recovery', () => {
    expect(
      run({ ...http, recoverAfter: '10m' }, [
        ['12:00:00', 'Unhealthy'],
        ['12:00:30', 'Healthy'],
        ['13:00:00', 'Healthy'],
        ['13:00:30', 'Healthy'],
      ]),
    ).toEqual(['closed closed', 'recovering closed', 'recovering closed', 'recovering closed']);
  });

  it('keeps since while the result is the same', () => {
    const first = gate(http, status('Unhealthy', '2026-03-10T11:00:00Z'));
    expect(nextStatus(first, { health: 'Unhealthy', message: 'more' }, at('2026-03-10T12:00:30Z'))).toEqual({
      health: 'Unhealthy',
      message: 'more',
      since: at('2026-03-10T11:00:00Z'),
      checkedAt: at('2026-03-10T12:00:30Z'),
      closedSince: at('2026-03-10T11:00:00Z'),
    });
  });
});
