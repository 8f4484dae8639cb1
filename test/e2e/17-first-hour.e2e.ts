// What the guide leaves to a reader with a cluster: are those lines true as well? The first hour's last part, upgrading and uninstalling, word by word.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Block, blocksOf, fileOf, isByHand } from '../docs/blocks.ts';
import { deployment, nodepool } from './story/objects.ts';
import { runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';
import { everything, type Found, tracesIn } from './story/traces.ts';

/** The lines that a page says to type by hand and that call Lull, in order. */
const linesOf = (page: string): string[] =>
  blocksOf(page)
    .filter(isByHand)
    .flatMap(({ text }: Block) => text.trim().split('\n'))
    .filter((line) => line.startsWith('lull '));

const wordsOf = (line: string): string[] => line.split(' ').slice(1);

describeStory('first-hour', { install: false }, (story) => {
  const type = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await story.lull(...wordsOf(line));
    expect(code, `${line}\n${stdout}${stderr}`).toBe(0);
    return stdout + stderr;
  };

  /** A definition that is gone is served for a moment more. */
  const all = (): Promise<readonly Found[]> =>
    story.until('every object of every kind is listed', () => everything(story.cluster.api));

  it('a pool that has never heard of Lull', async () => {
    await story.apply(nodepool({ karpenterBudgets: [{ nodes: '10%' }] }), deployment({ replicas: 3 }));
    await story.until('three pods run', async () => (await runningPods(story)).length === 3);
    for (const block of blocksOf('docs/guide/first-hour.md')) {
      const file = fileOf(block);
      if (file !== undefined) writeFileSync(join(story.cluster.folder, file), block.text);
    }
  });

  it.each(linesOf('docs/guide/first-hour.md'))('first hour: %s', async (line) => {
    expect(await type(line)).not.toBe('');
    expect(tracesIn(await all())).toEqual([]);
  });

  it.each(linesOf('docs/guide/upgrading.md'))('upgrading: %s, and again', async (line) => {
    await type(line);
    expect(await type(line)).not.toContain('created');
  });

  it.each(linesOf('docs/guide/uninstalling.md'))('uninstalling: %s', async (line) => {
    await type(line);
  });

  it('nothing is left of it', async () => {
    await story.until('its namespace is gone', async () => !(await story.read('Namespace', 'lull-system')));
    expect(tracesIn(await all())).toEqual([]);
  });
});
