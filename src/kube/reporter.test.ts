import { afterEach, describe, expect, it } from 'vitest';
import {
  at,
  ledger,
  longAgo,
  machine,
  noon,
  type Objects,
  type Plain,
  pool,
  settings,
  storeOf,
  zone,
} from '../../test/build.ts';
import { turn } from '../../test/kube/turns.ts';
import { decideRound } from '../engine/round.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { after, asDuration, second } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import type { Call } from './client.ts';
import { openReporter, type Reporter } from './reporter.ts';

let reporter: Reporter | undefined;
afterEach(() => reporter?.close());

/** Everything written, as `event reason` or `condition type: reason`. */
function scene(values: Plain = {}) {
  const clock = new VirtualClock(at(noon));
  const inForce = settings({ role: 'guide', ...values });
  const written: string[] = [];
  const request = async ({ method, body }: Call): Promise<ApiReply> => {
    const { kind, reason, status } = (body ?? {}) as {
      kind?: string;
      reason?: string;
      status?: { conditions: Plain[] };
    };
    if (method === 'POST') written.push(`${kind} ${reason}`);
    for (const it of status?.conditions ?? []) written.push(`${it.type}: ${it.reason}`);
    return { kind: 'answer', code: 200, body: { items: [] } };
  };
  const opened = openReporter({ client: { request }, clock, chance: () => 0.5, settings: inForce, identity: 'lull-1' });
  reporter = opened;
  async function pass(seconds: number): Promise<void> {
    const until = after(clock.now, asDuration(seconds * second));
    clock.at(until, () => undefined);
    for (let more = true; more; more = clock.nextAt !== undefined && clock.nextAt <= until) {
      if (clock.nextAt !== undefined && clock.nextAt <= until) clock.step();
      for (let turns = 0; turns < 20; turns++) await turn();
    }
  }
  const decide = (objects: Objects, known: Plain = {}): void => {
    const facts = { cluster: storeOf(...objects), ledger: ledger(known) };
    opened.onRound(decideRound(facts, clock.now, inForce), facts);
  };
  return { decide, pass, clock, take: () => written.splice(0).sort() };
}

describe('A reporter', () => {
  it('writes statuses and events of a round, and returns before they are written', async () => {
    const { decide, pass, take } = scene();
    decide([pool('web', { budgets: [{ nodes: 'some' }] })]);
    expect(take()).toEqual([]);
    await pass(1);
    expect(take()).toEqual(['Event PolicyFault', 'LullDisruptionAllowed: PoolFault', 'LullReady: PoolFault']);
    decide([pool('web', { budgets: [{ nodes: 'some' }] })]);
    await pass(60);
    expect(take()).toEqual([]);
  });

  it('C13: reports a stuck roll even without a further round', async () => {
    const { decide, pass, take } = scene();
    const budgets = JSON.stringify([{ nodes: '1', topologyKey: zone, sequential: true }]);
    const sick = machine('a1', { zone: 'a', ready: 'False', readySince: '2026-03-10T11:59:00Z' });
    const known = { turns: [{ pool: 'web', topologyKey: zone, domain: 'a', takenAt: noon, progressAt: noon }] };
    const waiting = machine('b1', { zone: 'b', drifted: longAgo });
    decide([pool('web', { annotations: { 'lull.dev/budgets': budgets } }), sick, waiting], known);
    await pass(60);
    expect(take()).toContain('LullTurn: Settling');
    await pass(90);
    expect(take()).toEqual(expect.arrayContaining(['Event SettleStuck', 'LullTurn: SettleStuck']));
    await pass(600);
    expect(take()).not.toContain('Event SettleStuck');
  });

  it('leaves nothing behind on the clock once it is closed', async () => {
    const { decide, pass, clock } = scene();
    decide([pool()]);
    await pass(1);
    await reporter?.close();
    expect(clock.nextAt).toBeUndefined();
  });
});
