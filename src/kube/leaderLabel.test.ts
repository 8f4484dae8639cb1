import { describe, expect, it } from 'vitest';
import { turn } from '../../test/kube/turns.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { asInstant } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import type { Call, Client } from './client.ts';
import { LeaderLabel } from './leaderLabel.ts';

const key = 'lull.dev/leader';
const said = (code: number, body: unknown = { kind: 'Status', message: 'no' }): ApiReply => ({
  kind: 'answer',
  code,
  body,
});

/** The pods of a namespace as a server stores their labels. */
class Pods {
  readonly labels: Map<string, Record<string, string>>;
  /** Every write that was carried out. */
  readonly writes: string[] = [];
  fault: ApiReply | undefined;
  /** Held back until it is called. */
  gate: Promise<void> | undefined;

  constructor(labels: Readonly<Record<string, Record<string, string>>>) {
    this.labels = new Map(Object.entries(labels));
  }

  async answer(call: Call): Promise<ApiReply> {
    await this.gate;
    if (call.mayLeave?.() === false) return { kind: 'silence', message: 'Lull may not act any more.' };
    if (this.fault) return this.fault;
    const root = '/api/v1/namespaces/lull-system/pods';
    if (call.method === 'GET' && call.path === root && call.query?.labelSelector === key)
      return said(200, { items: this.leaders().map((name) => ({ metadata: { name } })) });
    const name = call.path.slice(root.length + 1);
    const labels = this.labels.get(name);
    if (call.method !== 'PATCH' || !labels) return said(404);
    const { metadata } = call.body as { metadata: { labels: Record<string, string | null> } };
    const value = metadata.labels[key] ?? null;
    this.writes.push(`${name} ${value}`);
    const { [key]: _, ...others } = labels;
    this.labels.set(name, value === null ? others : { ...others, [key]: value });
    return said(200, {});
  }

  leaders = (): readonly string[] => [...this.labels].filter(([, labels]) => key in labels).map(([name]) => name);
}

function scene(pods: Pods, pod = 'lull-1') {
  const clock = new VirtualClock(asInstant(0));
  const faults: string[] = [];
  const client = { request: (call: Call) => pods.answer(call) } as Client;
  const label = new LeaderLabel({
    client,
    clock,
    namespace: 'lull-system',
    pod,
    onFault: (message) => faults.push(message),
  });
  return { clock, faults, label };
}

describe('The label of the leader', () => {
  it('is taken off every other pod, then put on the leader’s: the Service never has two', async () => {
    const pods = new Pods({ 'lull-1': { app: 'a' }, 'lull-2': { [key]: 'true' }, 'lull-3': { [key]: 'true' } });
    await scene(pods).label.set(true);
    expect(pods.writes).toEqual(['lull-2 null', 'lull-3 null', 'lull-1 true']);
    expect(pods.labels.get('lull-1')).toEqual({ app: 'a', [key]: 'true' });
  });

  it('is taken off a pod whose container was killed while it led, when it starts again', async () => {
    const pods = new Pods({ 'lull-1': { [key]: 'true' }, 'lull-2': {} });
    await scene(pods).label.set(false);
    expect(pods.leaders()).toEqual([]);
  });

  it('is tried again until the server answers; a fault is reported once', async () => {
    const pods = new Pods({ 'lull-1': {} });
    const { clock, faults, label } = scene(pods);
    pods.fault = { kind: 'silence', message: 'refused' };
    await label.set(true);
    clock.step();
    await turn();
    expect([faults, pods.leaders()]).toEqual([['refused'], []]);
    pods.fault = said(403);
    clock.step();
    await turn();
    expect(faults).toEqual(['refused', '403: no']);
    pods.fault = undefined;
    clock.step();
    await turn();
    expect(pods.leaders()).toEqual(['lull-1']);
  });

  it('is not put on by a request that waited while the lease was lost', async () => {
    const pods = new Pods({ 'lull-1': {}, 'lull-2': {} });
    const { label } = scene(pods);
    const { promise, resolve } = Promise.withResolvers<void>();
    pods.gate = promise;
    void label.set(true);
    const off = label.set(false);
    resolve();
    await off;
    expect(pods.writes).toEqual(['lull-1 null']);
  });

  it('is taken off when Lull ends, and that is tried once', async () => {
    const pods = new Pods({ 'lull-1': {} });
    const { clock, label } = scene(pods);
    await label.set(true);
    pods.fault = said(500);
    await label.close();
    pods.fault = undefined;
    expect(clock.step()).toBe(false);
    expect(pods.leaders()).toEqual(['lull-1']);
    await label.close();
    expect(pods.leaders()).toEqual([]);
  });

  it('does not matter on pods that are gone', async () => {
    const pods = new Pods({});
    const { faults, label } = scene(pods);
    await label.set(true);
    await label.set(false);
    expect(faults).toEqual([]);
  });
});
