// Tests of when checks run and what is written, with a clock of the test's own.
import { describe, expect, it } from 'vitest';
import { at, healthGate, type Plain } from '../../test/build.ts';
import type { CheckResult, HealthGate } from '../cluster/healthGateRecord.ts';
import { readObject } from '../kinds/readObject.ts';
import type { Call } from '../kube/client.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { formatInstant, second } from '../time/instant.ts';
import { Prober } from './prober.ts';

function gate(spec: Plain = {}, status?: Plain): HealthGate {
  const read = readObject(healthGate('g', { check: { http: { url: 'http://web.shop' } }, ...spec }, status));
  if (read.kind !== 'HealthGate') throw new Error(read.kind);
  return read.record;
}

class Bench {
  readonly clock = new VirtualClock(at('2026-03-10T12:00:00Z'));
  readonly writes: string[] = [];
  checks = 0;
  result: CheckResult = { health: 'Healthy', message: 'ok' };
  leads = true;
  code = 200;
  readonly prober = new Prober({
    client: {
      request: async ({ body }: Call) => {
        const { state, closedSince } = (body as { status: Plain }).status;
        this.writes.push(`${formatInstant(this.clock.now).slice(11, 19)} ${state}${closedSince ? ' closed' : ''}`);
        return { kind: 'answer', code: this.code, body: {} };
      },
    },
    run: async () => {
      this.checks++;
      return this.result;
    },
    clock: this.clock,
    wallNow: () => this.clock.now,
    chance: () => 0,
    mayAct: () => this.leads,
  });

  async pass(seconds: number): Promise<void> {
    for (let i = 0; i <= seconds; i++) {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      let isOver = i === seconds;
      if (!isOver) this.clock.in(second, () => (isOver = true));
      while (!isOver) this.clock.step();
    }
  }
}

describe('O3: the prober', () => {
  it('checks at once and then every interval, and writes only as often as the status would look old', async () => {
    const bench = new Bench();
    bench.prober.want([gate()]);
    await bench.pass(241);
    expect(bench.checks).toBe(9);
    expect(bench.writes).toEqual(
      ['12:00:00', '12:01:00', '12:02:00', '12:03:00', '12:04:00'].map((it) => `${it} Healthy`),
    );
  });

  it('writes a change at once, and remembers that the gate was closed', async () => {
    const bench = new Bench();
    bench.prober.want([gate({ recoverAfter: '40s' })]);
    await bench.pass(10);
    bench.result = { health: 'Unhealthy', message: '500' };
    await bench.pass(30);
    bench.result = { health: 'Healthy', message: 'ok' };
    await bench.pass(95);
    expect(bench.writes.slice(1, 4)).toEqual([
      '12:00:30 Unhealthy closed',
      '12:01:00 Healthy closed',
      '12:02:00 Healthy',
    ]);
  });

  it('goes on from the status that another leader wrote', async () => {
    const bench = new Bench();
    const status = {
      state: 'Healthy',
      since: '2026-03-10T11:59:50Z',
      checkedAt: '2026-03-10T11:59:50Z',
      message: 'ok',
      closedSince: '2026-03-10T11:50:00Z',
    };
    bench.prober.want([gate({}, status)]);
    await bench.pass(70);
    expect(bench.writes).toEqual(['12:01:00 Healthy closed']);
  });

  it('a changed spec is checked at once, a deleted gate no more, a broken one never', async () => {
    const bench = new Bench();
    bench.prober.want([gate()]);
    await bench.pass(5);
    bench.prober.want([gate({ check: { http: { url: 'http://other.shop' } } })]);
    await bench.pass(1);
    expect(bench.checks).toBe(2);
    bench.prober.want([]);
    bench.prober.want([gate({ interval: '1s' })]);
    await bench.pass(100);
    expect(bench.checks).toBe(2);
  });

  it('without the lease it asks and writes nothing, and closed it stops', async () => {
    const bench = new Bench();
    bench.leads = false;
    bench.prober.want([gate()]);
    await bench.pass(40);
    expect([bench.checks, bench.writes]).toEqual([0, []]);
    bench.leads = true;
    await bench.pass(30);
    expect(bench.checks).toBe(1);
    bench.prober.close();
    await bench.pass(100);
    expect(bench.checks).toBe(1);
  });

  it('a write that fails is tried again with the next check', async () => {
    const bench = new Bench();
    bench.code = 500;
    bench.prober.want([gate()]);
    await bench.pass(5);
    bench.code = 200;
    await bench.pass(60);
    expect(bench.writes).toEqual(['12:00:00 Healthy', '12:00:30 Healthy']);
  });
});
