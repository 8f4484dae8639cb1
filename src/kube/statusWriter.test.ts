import { describe, expect, it } from 'vitest';
import { turn } from '../../test/kube/turns.ts';
import type { WantedStatus } from '../runtime/statuses.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { after, asDuration, type Instant, parseInstant } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import type { Call } from './client.ts';
import { StatusWriter } from './statusWriter.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const said = (code: number, body: unknown = {}): ApiReply => ({ kind: 'answer', code, body });

const ready = { type: 'LullReady', status: 'True', reason: 'Guide', message: 'Lull guides.' } as const;
const wanted = (more: Partial<WantedStatus> = {}): WantedStatus => ({
  kind: 'NodePool',
  name: 'web',
  conditions: [ready],
  fields: {},
  ...more,
});

/** A server that remembers what it was asked, with an object as others left it. */
function scene(found: unknown = { metadata: { name: 'web' } }) {
  const clock = new VirtualClock(noon);
  const asked: Call[] = [];
  const faults: string[] = [];
  const server = { answer: (_: Call): ApiReply => said(200), isLeading: true };
  const client = {
    request: async (call: Call): Promise<ApiReply> => {
      asked.push(call);
      return call.method === 'GET' ? said(200, { items: [found] }) : server.answer(call);
    },
  };
  const writer = new StatusWriter({
    client,
    clock,
    chance: () => 0.5,
    mayAct: () => server.isLeading,
    onFault: (message) => faults.push(message),
  });
  /** Runs everything due within this many seconds. */
  async function pass(seconds: number): Promise<void> {
    const until = after(clock.now, asDuration(seconds * 1000));
    clock.at(until, () => undefined);
    while (clock.nextAt !== undefined && clock.nextAt <= until) {
      clock.step();
      for (let turns = 0; turns < 10; turns++) await turn();
    }
  }
  const written = () =>
    asked.filter(({ method }) => method === 'PATCH').map(({ body }) => (body as { status: unknown }).status);
  return { writer, asked, faults, server, pass, written, clock };
}

describe('A status', () => {
  it('N8: is applied by the server, as Lull’s own fields alone', async () => {
    const { writer, asked, pass } = scene();
    writer.want([wanted()]);
    await pass(0);
    expect(asked[1]).toMatchObject({
      method: 'PATCH',
      path: '/apis/karpenter.sh/v1/nodepools/web/status',
      query: { fieldManager: 'lull', force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'web' },
        status: { conditions: [{ ...ready, lastTransitionTime: '2026-03-10T12:00:00Z' }] },
      },
    });
  });

  it('K8: escapes characters that a terminal would interpret', async () => {
    const { writer, written, pass } = scene();
    const said = 'note \u001b[2J\u202e\nend';
    writer.want([wanted({ conditions: [{ ...ready, message: said }], fields: { lull: { notes: [said] } } })]);
    await pass(1);
    const shown = 'note \\x1b[2J\\u{202e}\\nend';
    expect(written()).toMatchObject([{ conditions: [{ message: shown }], lull: { notes: [shown] } }]);
  });

  it('K5: is written when it changed, and at most every 10 s', async () => {
    const { writer, written, pass } = scene();
    const message = (text: string): WantedStatus => wanted({ conditions: [{ ...ready, message: text }] });
    writer.want([message('1')]);
    await pass(1);
    for (const text of ['1', '2', '3']) {
      writer.want([message(text)]);
      await pass(2);
    }
    expect(written()).toHaveLength(1);
    await pass(4);
    expect(written()).toMatchObject([{ conditions: [{ message: '1' }] }, { conditions: [{ message: '3' }] }]);
    writer.want([message('3')]);
    await pass(60);
    expect(written()).toHaveLength(2);
  });

  it('a condition keeps its lastTransitionTime while only its message changes, also after a restart', async () => {
    const since = '2026-03-01T00:00:00Z';
    const conditions = [
      { ...ready, lastTransitionTime: since },
      { type: 'Ready', status: 'True' },
    ];
    const { writer, written, pass } = scene({ status: { conditions } });
    writer.want([wanted({ conditions: [{ ...ready, message: 'other' }] })]);
    await pass(1);
    writer.want([wanted({ conditions: [{ ...ready, status: 'False' }] })]);
    await pass(10);
    expect(written()).toEqual([
      { conditions: [{ ...ready, message: 'other', lastTransitionTime: since }] },
      { conditions: [{ ...ready, status: 'False', lastTransitionTime: '2026-03-10T12:00:10Z' }] },
    ]);
  });

  it('N9: omits its field if the CRD does not have it, and retries much later', async () => {
    const { writer, written, pass, server, faults } = scene();
    const message = 'failed to create typed patch object: .status.lull: field not declared in schema';
    const knows = { lull: false };
    server.answer = ({ body }) =>
      'lull' in (body as { status: object }).status && !knows.lull ? said(500, { message }) : said(200);
    const status = (role: string): WantedStatus => wanted({ fields: { lull: { role } } });
    writer.want([status('observe')]);
    await pass(1);
    writer.want([status('guide')]);
    await pass(10);
    expect(written().map((it) => 'lull' in (it as object))).toEqual([true, false, false]);
    knows.lull = true;
    await pass(700);
    expect(written().at(-1)).toMatchObject({ lull: { role: 'guide' }, conditions: [{ type: 'LullReady' }] });
    expect(faults).toEqual([]);
  });

  it('conditions are removed only if they were written before', async () => {
    const none = wanted({ conditions: [] });
    const fresh = scene();
    fresh.writer.want([none]);
    await fresh.pass(60);
    expect(fresh.written()).toEqual([]);
    const old = scene({ status: { conditions: [{ ...ready, lastTransitionTime: '2026-03-01T00:00:00Z' }] } });
    old.writer.want([none]);
    await old.pass(60);
    expect(old.written()).toEqual([{ conditions: [] }]);
  });

  it('is retried after a failure, with the newest status', async () => {
    const { writer, written, pass, server, faults } = scene();
    server.answer = () => ({ kind: 'silence', message: 'connection refused' });
    writer.want([wanted()]);
    await pass(1);
    expect(faults).toEqual(['status of NodePool web: connection refused']);
    server.answer = () => said(200);
    writer.want([wanted({ conditions: [{ ...ready, message: 'new' }] })]);
    await pass(30);
    expect(written().at(-1)).toMatchObject({ conditions: [{ message: 'new' }] });
    expect(faults).toHaveLength(1);
  });

  it('is not written by a standby', async () => {
    const { writer, asked, pass, server } = scene();
    server.isLeading = false;
    writer.want([wanted()]);
    await pass(5);
    expect(asked).toEqual([]);
  });

  it('leaves nothing behind on the clock once it is closed', async () => {
    const { writer, pass, clock } = scene();
    writer.want([wanted()]);
    await pass(1);
    await writer.close();
    expect(clock.nextAt).toBeUndefined();
  });
});
