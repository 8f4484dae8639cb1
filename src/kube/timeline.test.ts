import { describe, expect, it } from 'vitest';
import { turn } from '../../test/kube/turns.ts';
import { Clock } from '../sim/clock.ts';
import { asInstant } from '../time/instant.ts';
import type { Call, Client, Reply } from './client.ts';
import { Timeline } from './timeline.ts';

const at = (resourceVersion: string): Reply => ({ kind: 'answer', code: 200, body: { metadata: { resourceVersion } } });
const no = (code: number): Reply => ({ kind: 'answer', code, body: { kind: 'Status' } });
const silence: Reply = { kind: 'silence', message: 'refused' };

function scene(replies: readonly Reply[], seen: () => number = () => 90) {
  const left = [...replies];
  const asked: Call[] = [];
  const story: string[] = [];
  const clock = new Clock(asInstant(0));
  const client = {
    request: async (call: Call) => {
      asked.push(call);
      return left.shift() ?? silence;
    },
  } as unknown as Client;
  const timeline = new Timeline({
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

describe('K3: whether a server is where it was', () => {
  it.each([
    { name: 'it has come further', reply: at('95'), story: ['sure'] },
    { name: 'nothing has happened', reply: at('90'), story: ['sure'] },
    { name: 'it has gone back', reply: at('40'), story: ['back from 90 to 40', 'sure'] },
    { name: 'nobody may ask', reply: no(403), story: ['sure'] },
    { name: 'it says nothing that can be understood', reply: at('soon'), story: ['sure'] },
  ])('$name', async ({ reply, story: expected }) => {
    const { timeline, story, asked, settle } = scene([reply]);
    timeline.check();
    expect(timeline.isUnsure).toBe(true);
    await settle();
    expect(timeline.isUnsure).toBe(false);
    expect(story).toEqual(expected);
    expect(asked).toEqual([{ method: 'GET', path: '/api/v1/namespaces', query: { limit: '1' } }]);
  });

  it('is asked until somebody answers', async () => {
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

  it('what was seen while the answer was on its way is not held against it', async () => {
    let seen = 90;
    const { timeline, story, settle } = scene([at('92')], () => seen);
    timeline.check();
    seen = 99;
    await settle();
    expect(story).toEqual(['sure']);
  });

  it('is asked once for all watches that go on at once, and again for one that goes on meanwhile', async () => {
    const { timeline, asked, settle } = scene([at('95'), at('95'), at('95')]);
    for (let watch = 0; watch < 9; watch++) timeline.check();
    await settle();
    expect(asked).toHaveLength(2);
    expect(timeline.isUnsure).toBe(false);
  });

  it('is no longer asked once it is closed', async () => {
    const { timeline, asked, story, clock, settle } = scene([]);
    timeline.check();
    await settle();
    timeline.close();
    await settle();
    expect(clock.nextAt).toBeUndefined();
    expect([asked.length, story]).toEqual([1, []]);
  });
});
