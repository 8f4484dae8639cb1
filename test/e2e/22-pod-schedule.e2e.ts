// A pod's schedule closes while Karpenter drains its node: the pod is left alone until the schedule opens again.
import { expect, it } from 'vitest';
import { exchanged, replacedMoreThanOnce } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import type { PodLine, Timeline } from './observer/timeline.ts';
import { evictedTwice } from './story/audit.ts';
import type { KubeObject } from './story/hand.ts';
import { deployment, nodepool } from './story/objects.ts';
import { parkedNodes, type Roll, release, runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const minute = 60_000;
/** Long enough for a slow machine to notice the closing and to end the first pod meanwhile. */
const closedFor = 2 * minute;

/** Karpenter counts a pod as stuck, and continues the drain, a minute after its grace period. */
const slowOne = deployment({ replicas: 1, spread: false, graceSeconds: 600 });

/** Critical pods are drained after all others (G6): not before the others are gone. */
const night = deployment({
  name: 'night',
  replicas: 1,
  spread: false,
  cpu: '500m',
  spec: { priorityClassName: 'system-cluster-critical' },
});

const blockIn = (begins: number): object => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'PodDisruptionSchedule',
  metadata: { name: 'night' },
  spec: {
    selector: { matchLabels: { app: 'night' } },
    mode: 'Block',
    schedule: `${new Date(begins).getUTCMinutes()} * * * *`,
    duration: `${closedFor / minute}m`,
  },
});

describeStory('pod-schedule', { install: ['--set', 'role=guide'] }, (story) => {
  let roll: Roll;
  let slow: string;
  let pod: string;
  let closes: number;

  const read = async (key: string): Promise<KubeObject | undefined> => story.read('Pod', key);

  it('a node with two pods is drained: the first takes its time, so the second is not evicted yet', async () => {
    await story.apply(nodepool({ zones: ['test-zone-a'], budgets: [{ nodes: '1' }] }), slowOne);
    await story.until('the slow one runs', async () => (await runningPods(story)).length === 1);
    await story.apply(night);
    await story.until('the other one runs', async () => (await runningPods(story, 'night')).length === 1);
    slow = (await runningPods(story))[0]?.metadata.name ?? '';
    pod = (await runningPods(story, 'night'))[0]?.metadata.name ?? '';
    expect((await read(pod))?.spec.nodeName).toBe((await read(slow))?.spec.nodeName);
    await story.patch('Pod', slow, { metadata: { finalizers: ['example.com/takes-its-time'] } });
    await story.startLull({ role: 'guide' });
    await story.until('the node is parked', async () => (await parkedNodes(story)).length === 1);
    roll = await release(story, 'two');
    await story.until('the slow pod is being deleted', async () => (await read(slow))?.metadata.deletionTimestamp, {
      within: 120,
    });
  });

  it('N5: the schedule of the second pod closes, and Lull protects it from Karpenter', async () => {
    closes = Math.floor(Date.now() / minute) * minute + minute;
    await story.apply(blockIn(closes));
    await story.until('it is parked', async () => (await read(pod))?.metadata.annotations?.['lull.dev/parked'], {
      within: 120,
    });
    expect(Date.now()).toBeGreaterThanOrEqual(closes);
    expect((await read(pod))?.metadata.annotations?.['karpenter.sh/do-not-disrupt']).toBe('true');
  });

  it('the first pod is gone, and the second is not evicted before its schedule opens again', async () => {
    await story.patch('Pod', slow, { metadata: { finalizers: null } });
    await story.until('the first is gone', async () => (await read(slow)) === undefined);
    await story.until(
      'the node is new, and both pods run',
      async () => {
        const isBack = (await runningPods(story, 'night')).some(({ metadata }) => metadata.name !== pod);
        return isBack && roll.isDone();
      },
      { within: 300 },
    );
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}\n${tellOf(timeline, [slow, pod], closes)}`);
    const opens = closes + closedFor;
    const isGone = linesOf(timeline, slow).find(({ what }) => what === 'gone');
    const asked = linesOf(timeline, pod).find(({ deleting, what }) => deleting || what === 'gone');
    expect(isGone?.at).toBeLessThan(opens);
    expect(asked?.at).toBeGreaterThanOrEqual(opens);
    const parked = linesOf(timeline, pod).filter((line) => line.parked);
    expect(parked[0]?.at).toBeGreaterThanOrEqual(closes);
    // Karpenter evicts nothing that is protected: the annotation was removed before the eviction.
    expect(asked?.parked).toBeUndefined();
    expect(exchanged(timeline).taken).toHaveLength(1);
    expect(replacedMoreThanOnce(timeline)).toEqual([]);
  });

  it('N1: Karpenter evicted it, once', async () => {
    const evicted = story.audit().filter((it) => it.resource === 'pods/eviction' && it.name === pod && it.code < 300);
    expect(new Set(evicted.map(({ user }) => user))).toEqual(new Set(['karpenter']));
    expect(evictedTwice(story.audit())).toEqual([]);
  });
});

const linesOf = ({ lines }: Timeline, pod: string): PodLine[] =>
  lines.filter((line): line is PodLine => line.kind === 'Pod' && line.name === `default/${pod}`);

/** The events of the pods, in seconds since the schedule closed. */
function tellOf(timeline: Timeline, pods: readonly string[], closes: number): string {
  const rows = pods
    .flatMap((pod) => linesOf(timeline, pod).flatMap((line, index, all) => told(line, all[index - 1]) ?? []))
    .sort((one, other) => one.at - other.at)
    .map(({ at, words }) => `${((at - closes) / 1000).toFixed(1).padStart(7)} s  ${words}`);
  return [
    `and of the pods, counted from when the schedule closes (it opens after ${closedFor / 1000} s):`,
    ...rows,
  ].join('\n');
}

function told(line: PodLine, before: PodLine | undefined): { at: number; words: string } | undefined {
  const { at, name, what, deleting, parked } = line;
  const say = (words: string) => ({ at, words: `pod ${name} ${words}` });
  if (what === 'gone') return say('is gone');
  if (deleting) return before?.deleting ? undefined : say('is being deleted');
  if (parked && !before?.parked) return say('is parked');
  return !parked && before?.parked ? say('is unparked') : undefined;
}
