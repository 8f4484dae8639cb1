// Two users protect a node each during a roll in guide: Lull leaves both alone, and offers them once they are released.
import { expect, it } from 'vitest';
import { exchanged, moreThan, replacedMoreThanOnce } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { takesOf } from './observer/takes.ts';
import type { NodeLine, Timeline } from './observer/timeline.ts';
import { lullUser } from './story/audit.ts';
import type { RunningLull } from './story/lull.ts';
import { annotateNode, grow, nodeNames, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const optOut = 'karpenter.sh/do-not-disrupt';
const hold = 'lull.dev/hold';

interface Answer {
  readonly verdicts: readonly {
    readonly node: string;
    readonly outcome: string;
    readonly refusals: readonly { readonly code: string; readonly message: string }[];
  }[];
  readonly commands: readonly object[];
}

describeStory('opt-outs', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;
  let roll: Roll;
  let [kept, held, free] = ['', '', ''];

  /** What holds each node while no command is under way: not a limit, but a user. */
  const heldBy = (expected: Readonly<Record<string, string>>) =>
    story.until('nothing is under way, and the rest is held', async () => {
      const { verdicts, commands } = JSON.parse((await lull.get('/api/round')).text) as Answer;
      const codes = Object.fromEntries(verdicts.map(({ node, refusals }) => [node, refusals.map(({ code }) => code)]));
      const wanted = Object.fromEntries(Object.entries(expected).map(([node, code]) => [node, [code]]));
      return commands.length === 0 && JSON.stringify(sorted(codes)) === JSON.stringify(sorted(wanted)) && verdicts;
    });

  it("E2, N2: a node with a user's opt-out is never changed; a parked one is held by its own annotation", async () => {
    await grow(story, { budgets: [{ nodes: '1' }] }, 3);
    [kept = '', held = '', free = ''] = await nodeNames(story);
    // Nodes are created parked: without the marker the annotation is the user's own.
    await annotateNode(story, kept, { [optOut]: 'true', 'lull.dev/parked': null });
    lull = await story.startLull({ role: 'guide' });
    await story.until('the two others are parked', async () => (await parkedNodes(story)).length === 2);
    expect(await parkedNodes(story)).not.toContain(kept);
    await annotateNode(story, held, { [hold]: 'Ada debugs the kernel' });
  });

  it('the pool is rolled: the third node is replaced, and both stay', async () => {
    roll = await release(story, 'two');
    await story.until('one is gone', async () => (await roll.gone()) === 1, { within: 120 });
    const verdicts = await heldBy({ [kept]: 'NodeOptedOut', [held]: 'Held' });
    expect(verdicts.flatMap(({ refusals }) => refusals.map(({ message }) => message)).join()).toContain('Ada debugs');
    expect(takes(await story.observer.timeline())).toEqual([free]);
  });

  it('the hold is removed, and its node is replaced; the other one still stays', async () => {
    await annotateNode(story, held, { [hold]: null });
    await story.until('two are gone', async () => (await roll.gone()) === 2, { within: 120 });
    await heldBy({ [kept]: 'NodeOptedOut' });
    const timeline = await story.observer.timeline();
    expect(takes(timeline)).toEqual([free, held]);
    const seen = linesOf(timeline, kept).slice(indexOfOptOut(timeline, kept));
    expect(new Set(seen.map((line) => `${line.doNotDisrupt} ${line.parked}`))).toEqual(new Set(['true undefined']));
    const written = story
      .audit()
      .filter(({ user, name, verb }) => user === lullUser && name === kept && verb === 'patch');
    expect(written).toEqual([]);
  });

  it('the opt-out is removed as well, and all nodes are new', async () => {
    await annotateNode(story, kept, { [optOut]: null });
    await story.until('all three nodes are new, and their pods run', () => roll.isDone(), { within: 120 });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(takes(timeline)).toEqual([free, held, kept]);
    expect(moreThan(1, timeline)).toEqual([]);
    expect(exchanged(timeline).taken).toHaveLength(3);
    expect(replacedMoreThanOnce(timeline)).toEqual([]);
  });
});

const takes = (timeline: Timeline): string[] => takesOf(timeline).map(({ name }) => name);

const linesOf = ({ lines }: Timeline, node: string): NodeLine[] =>
  lines.filter((line): line is NodeLine => line.kind === 'Node' && line.name === node);

const indexOfOptOut = (timeline: Timeline, node: string): number =>
  linesOf(timeline, node).findIndex(({ doNotDisrupt, parked }) => doNotDisrupt === 'true' && parked === undefined);

const sorted = (record: Readonly<Record<string, unknown>>): unknown[] =>
  Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
