import { describe, expect, it } from 'vitest';
import { turn } from '../../test/kube/turns.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { asInstant } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import type { Call, Client } from './client.ts';
import { RestoreCheck } from './restoreCheck.ts';

const at = (resourceVersion: string): ApiReply => ({
  kind: 'answer',
  code: 200,
  body: { metadata: { resourceVersion } },
});
const no = (code: number): ApiReply => ({ kind: 'answer', code, body: { kind: 'Status' } });
const silence: ApiReply = { kind: 'silence', message: 'refused' };

function scene(replies: readonly ApiReply[], seen: () => number = () => 90) {
  const left = [...replies];
  const asked: Call[] = [];
  const story: string[] = [];
  const clock = new VirtualClock(asInstant(0));
  const client = {
    request: async (call: Call) => {
      asked.push(call);
      return left.shift() ?? silence;
    },
  } as unknown as Client;
  const timeline = new RestoreCheck({
    client,
    clock,
    seen,
    onBack: (version, known) => story.push(`back from ${known} to ${version}`),
    onSure: () => story.push('sure'),
  });
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 5; turns++) await turn();
  };
  return { timeline, asked, story, clock, settle };
}

describe('K3: the check for a restored server', () => {
  it.each([
    { name: 'its version is higher', reply: at('95'), story: ['sure'] },
    { name: 'its version is unchanged', reply: at('90'), story: ['sure'] },
    { name: 'its version is lower', reply: at('40'), story: ['back from 90 to 40', 'sure'] },
    { name: 'the request is forbidden', reply: no(403), story: ['sure'] },
    { name: 'its version cannot be read', reply: at('soon'), story: ['sure'] },
  ])('$name', async ({ reply, story: expected }) => {
    const { timeline, story, asked, settle } = scene([reply]);
    timeline.check();
    expect(timeline.isUnsure).toBe(true);
    await settle();
    expect(timeline.isUnsure).toBe(false);
    expect(story).toEqual(expected);
    expect(asked).toEqual([{ method: 'GET', path: '/api/v1/namespaces', query: { limit: '1' } }]);
  });

  it('is repeated until the server answers', async () => {
    const { timeline, story, clock, settle } = scene([silence, no(503), no(429), at('95')]);
    timeline.check();
    for (let time = 0; time < 3; time++) {
      await settle();
      expect(timeline.isUnsure).toBe(true);
      clock.step();
    }
    await settle();
    expect(story).toEqual(['sure']);
  });

  it('compares the answer with what was seen before the request', async () => {
    let seen = 90;
    const { timeline, story, settle } = scene([at('92')], () => seen);
    timeline.check();
    seen = 99;
    await settle();
    expect(story).toEqual(['sure']);
  });

  it('runs once for all watches that resume together, and again for one that resumes meanwhile', async () => {
    const { timeline, asked, settle } = scene([at('95'), at('95'), at('95')]);
    for (let watch = 0; watch < 9; watch++) timeline.check();
    await settle();
    expect(asked).toHaveLength(2);
    expect(timeline.isUnsure).toBe(false);
  });

  it('stops when it is closed', async () => {
    const { timeline, asked, story, clock, settle } = scene([]);
    timeline.check();
    await settle();
    timeline.close();
    await settle();
    expect(clock.nextAt).toBeUndefined();
    expect([asked.length, story]).toEqual([1, []]);
  });
});
