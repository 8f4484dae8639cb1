// Replacements that never become ready: named in time with Karpenter's own conditions, nothing more is offered, until they are ready.
import { expect, it } from 'vitest';
import { moreThan } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { takesOf } from './observer/takes.ts';
import type { KubeObject } from './story/hand.ts';
import type { RunningLull } from './story/lull.ts';
import { claimsOf, grow, parkedNodes } from './story/roll.ts';
import { describeStory } from './story/story.ts';

/** An agent that should remove it from a new node never runs: the node registers, and never becomes Initialized. */
const agent = { key: 'example.com/agent', effect: 'NoSchedule' };
const twoMinutes = 120_000;

interface Verdict {
  readonly pool: string;
  readonly reason: string;
  readonly node: string;
  readonly refusals: readonly { readonly code: string; readonly message: string }[];
}

describeStory('never-ready', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;

  const budget = (nodes: string) =>
    story.patch('NodePool', 'web', { metadata: { annotations: { 'lull.dev/budgets': JSON.stringify([{ nodes }]) } } });
  const starting = async (): Promise<KubeObject | undefined> =>
    (await claimsOf(story)).find(
      ({ status }) =>
        !status?.conditions?.some(
          (it: { type: string; status: string }) => it.type === 'Initialized' && it.status === 'True',
        ),
    );
  const drifted = async (): Promise<Verdict[]> => {
    const { verdicts }: { verdicts: Verdict[] } = JSON.parse((await lull.get('/api/round')).text);
    return verdicts.filter(({ pool, reason }) => pool === 'web' && reason === 'Drifted');
  };
  const slowEvents = async (claim: string): Promise<KubeObject[]> =>
    (await story.list('Event')).filter(
      ({ reason, message }) => reason === 'ReplacementSlow' && message.includes(claim),
    );
  const isHeldBySlow = ({ refusals }: Verdict): boolean =>
    refusals.length === 1 && refusals[0]?.code === 'ReplacementSlow';

  it("a new template whose nodes never become ready, and one more pod: the claim is named, with Karpenter's message", async () => {
    await grow(story, { budgets: [{ nodes: '0' }] }, 3);
    lull = await story.startLull({ role: 'guide', flags: ['--set', 'replacementSlow=20s'] });
    expect(await parkedNodes(story)).toHaveLength(3);
    await story.patch('NodePool', 'web', { spec: { template: { spec: { startupTaints: [agent] } } } });
    await story.patch('Deployment', 'web', { spec: { replicas: 4 } });
    const claim = await story.until('a claim is starting', starting);
    const { name, creationTimestamp } = claim.metadata;
    const told = await story.until('events on claim and pool', async () => {
      const events = await slowEvents(name);
      return events.length >= 2 && events;
    });
    const firstAt = Math.min(...told.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '')));
    expect(firstAt - Date.parse(creationTimestamp ?? '')).toBeLessThan(twoMinutes);
    expect(
      told.map(({ type, involvedObject }) => `${type} ${involvedObject.kind}/${involvedObject.name}`).sort(),
    ).toEqual([`Warning NodeClaim/${name}`, 'Warning NodePool/web']);
    expect(told[0]?.message).toMatch(/Initialized is (False|Unknown) \(StartupTaintsExist/);
    const { stdout } = await story.lull('why', 'pool/web', '--server', lull.url);
    expect(stdout).toMatch(new RegExp(`^web is held until the NodeClaim is ready or gone: NodeClaim ${name} `));
    const condition = await story.until('the status of the pool', async () =>
      (await story.read('NodePool', 'web'))?.status?.conditions.find(
        ({ type, reason }: Record<string, string>) => type === 'LullReady' && reason === 'ReplacementSlow',
      ),
    );
    expect(condition).toMatchObject({ status: 'False', message: expect.stringContaining(name) });
    expect((await lull.get('/metrics')).text).toContain('lull_replacements_slow{nodepool="web"} 1\n');
  });

  it('F7: the budget allows one node, and nothing is offered meanwhile', async () => {
    await budget('1');
    const held = await story.until('only the claim holds them', async () => {
      const verdicts = await drifted();
      return verdicts.length === 3 && verdicts.every(isHeldBySlow) && verdicts;
    });
    const { stdout } = await story.lull('why', held[0]?.node ?? '', '--server', lull.url);
    expect(stdout).toContain('not ready in time');
    expect(await parkedNodes(story)).toHaveLength(4);
    expect(takesOf(await story.observer.timeline())).toEqual([]);
  });

  it('the node becomes ready: the roll begins, and stops at the next replacement that does not', async () => {
    const [first] = (await story.list('Node')).filter(({ spec }) =>
      (spec.taints ?? []).some(({ key }: { key: string }) => key === agent.key),
    );
    await story.patch('Node', first?.metadata.name ?? '', { spec: { taints: null } });
    await story.until('one is taken', async () => takesOf(await story.observer.timeline()).length > 0, { within: 120 });
    const next = await story.until('its replacement is starting', starting);
    await story.until('it is named', async () => (await slowEvents(next.metadata.name)).length >= 2, { within: 120 });
    const left = await story.until('the others are held by it too', async () => {
      const verdicts = (await drifted()).filter(({ refusals }) => refusals.length > 0);
      const codes = verdicts.map(({ refusals }) => refusals.map(({ code }) => code));
      return verdicts.length === 2 && codes.every((it) => it.includes('ReplacementSlow')) && verdicts;
    });
    expect(left).toHaveLength(2);
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, 0)}`);
    expect(takesOf(timeline)).toHaveLength(1);
    expect(moreThan(1, timeline)).toEqual([]);
  });
});
