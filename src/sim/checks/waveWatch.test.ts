// Checks of waves.
import { describe, expect, it } from 'vitest';
import { Handmade, minutes } from '../../../test/sim/handmade.ts';
import { formatInstant } from '../../time/instant.ts';

type Json = Readonly<Record<string, unknown>>;

function told(tell: (h: Handmade, roll: (more?: Json) => readonly Json[]) => void): string[] {
  const h = new Handmade();
  h.pool('web', [{ nodes: '5', reasons: ['Drifted'], waves: ['1', '3'], settle: '10m' }]);
  h.nodes(5);
  const startedAt = formatInstant(h.clock.now);
  tell(h, (more = {}) => [{ pool: 'web', startedAt, waveAt: startedAt, counted: 5, done: 0, wave: 0, ...more }]);
  return h.broken;
}

/** n1 is replaced, and the pool is healthy for some minutes before wave 2 begins. What else breaks is not about waves. */
function passed(wellFor: number, meanwhile: (h: Handmade) => void = () => undefined): string[] {
  return told((h, roll) => {
    h.ledger([{ node: 'n1', hands: 'karpenter', step: 'offered' }], { rolls: roll() });
    h.ledger([{ node: 'n1', hands: 'karpenter', step: 'taken' }], { rolls: roll() });
    h.objects.delete('Node', 'n1', 'cloud');
    h.objects.delete('NodeClaim', 'n1', 'cloud');
    const wellSince = formatInstant(h.clock.now);
    h.ledger([], { rolls: roll({ done: 1, wellSince }) });
    h.later(minutes(wellFor));
    meanwhile(h);
    h.ledger([], { rolls: roll({ done: 1, wave: 1 }) });
  }).filter((rule) => rule === 'P3');
}

describe('P3: waves, as the checks see them', () => {
  it('as many as the wave has, and no more', () => {
    expect(told((h, roll) => h.ledger([{ node: 'n1' }], { rolls: roll() }))).toEqual([]);
    expect(told((h, roll) => h.ledger([{ node: 'n1' }, { node: 'n2' }], { rolls: roll() }))).toEqual(['P3']);
    expect(told((h, roll) => h.ledger([{ node: 'n1' }, { node: 'n2' }], { rolls: roll({ wave: 2 }) }))).toEqual([]);
  });

  it('P4: drift without a roll', () => {
    expect(told((h) => h.ledger([{ node: 'n1' }]))).toEqual(['P4']);
  });

  it('the next wave begins when the pool has been healthy for settle', () => {
    expect(passed(10)).toEqual([]);
    expect(passed(9)).toEqual(['P3']);
    expect(passed(10, (h) => h.unready('n2'))).toEqual(['P3']);
  });

  it('P5: nothing is started while the roll is halted', () => {
    const started = (more: Json) =>
      told((h, roll) => {
        const halted = roll({ haltedAt: formatInstant(h.clock.now), ...more });
        h.ledger([], { rolls: halted });
        h.ledger([{ node: 'n1' }], { rolls: halted });
      });
    expect(started({})).toEqual(['P5']);
    expect(started({ passAsked: '2026-03-10T12:00:00Z' })).toEqual([]);
  });

  it('not while a node is in flight', () => {
    const broken = told((h, roll) => {
      h.ledger([{ node: 'n1' }], { rolls: roll({ wellSince: formatInstant(h.clock.now) }) });
      h.later(minutes(10));
      h.ledger([{ node: 'n1' }], { rolls: roll({ wave: 1 }) });
    });
    expect(broken).toContain('P3');
  });
});
